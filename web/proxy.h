/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MMCI_WEB_PROXY_H
#define MMCI_WEB_PROXY_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/strbuf.h"

/**
 * struct proxy_net - addresses that belong to proxies of ours
 * @addr: IPv4 as ::ffff:a.b.c.d
 * @bits: of @addr that count
 */
struct proxy_net {
	struct in6_addr addr;
	unsigned int bits;
};

/** struct proxy_nets - a list of them */
struct proxy_nets {
	struct proxy_net *v;
	size_t n;
};

/**
 * proxy_nets_parse() - "127.0.0.1", "10.0.0.0/8", "fd00::/8"
 * @why: on failure, which of @list is none
 *
 * Return: 0 and @ret, or -EINVAL.
 */
int proxy_nets_parse(const char *const *list, size_t n, struct proxy_nets *ret,
		     struct strbuf *why);
/** proxy_nets_release() - free the list */
void proxy_nets_release(struct proxy_nets *nets);
/** proxy_address() - a socket's address as IPv6; false for another family */
bool proxy_address(const struct sockaddr *sa, struct in6_addr *ret);
/** proxy_trusted() - is @addr one of them? */
bool proxy_trusted(const struct proxy_nets *nets, const struct in6_addr *addr);
/**
 * proxy_client() - who is behind a connection
 * @peer: in: the other end; out: the client
 * @forwarded: X-Forwarded-For or NULL; believed from the right as far as each
 *	hop was reported by a trusted one, what the client wrote itself never is
 */
void proxy_client(const struct proxy_nets *nets, struct in6_addr *peer,
		  const char *forwarded);
/** proxy_is_local() - does it come from this machine itself? */
bool proxy_is_local(const struct in6_addr *addr);
/**
 * proxy_rate_key() - what is limited as one client: an IPv4 address, or the
 * first 64 bits of an IPv6 address, which one client can fill
 */
void proxy_rate_key(const struct in6_addr *addr,
		    char key[static INET6_ADDRSTRLEN]);

#endif
