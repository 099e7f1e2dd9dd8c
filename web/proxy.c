// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

/* As text, with or without the port that some proxies append. */
static bool parse_address(const char *s, size_t len, struct in6_addr *ret)
{
	char text[INET6_ADDRSTRLEN + 16];
	struct in_addr v4;
	char *p;

	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, s, len);
	text[len] = '\0';
	p = text;
	if (*p == '[') {
		char *end = strchr(++p, ']');

		if (!end)
			return false;
		*end = '\0';
	} else if (strchr(p, ':') && !strchr(strchr(p, ':') + 1, ':')) {
		*strchr(p, ':') = '\0';
	}
	if (inet_pton(AF_INET, p, &v4) == 1) {
		memset(ret, 0, sizeof(*ret));
		ret->s6_addr[10] = ret->s6_addr[11] = 0xff;
		memcpy(&ret->s6_addr[12], &v4, sizeof(v4));
		return true;
	}
	return inet_pton(AF_INET6, p, ret) == 1;
}

static int parse_net(const char *text, struct proxy_net *ret)
{
	size_t len = strcspn(text, "/");
	unsigned long bits = 128;
	char *end;

	if (!parse_address(text, len, &ret->addr))
		return -EINVAL;
	if (text[len]) {
		bits = strtoul(text + len + 1, &end, 10);
		if (end == text + len + 1 || *end)
			return -EINVAL;
		if (IN6_IS_ADDR_V4MAPPED(&ret->addr) && !strchr(text, ':'))
			bits += 96;
		if (bits > 128)
			return -EINVAL;
	}
	ret->bits = (unsigned int)bits;
	return 0;
}

int proxy_nets_parse(const char *const *list, size_t n, struct proxy_nets *ret,
		     struct strbuf *why)
{
	ret->v = n ? xcalloc(n, sizeof(*ret->v)) : NULL;
	ret->n = n;
	for (size_t i = 0; i < n; i++) {
		if (parse_net(list[i], &ret->v[i])) {
			strbuf_setf(why, "trusted_proxies: \"%s\" is no "
				    "address, and no ADDRESS/BITS", list[i]);
			return -EINVAL;
		}
	}
	return 0;
}

void proxy_nets_release(struct proxy_nets *nets)
{
	free(nets->v);
	nets->v = NULL;
	nets->n = 0;
}

bool proxy_address(const struct sockaddr *sa, struct in6_addr *ret)
{
	if (sa && sa->sa_family == AF_INET6) {
		memcpy(ret, &((const struct sockaddr_in6 *)sa)->sin6_addr,
		       sizeof(*ret));
		return true;
	}
	memset(ret, 0, sizeof(*ret));
	if (!sa || sa->sa_family != AF_INET)
		return false;
	ret->s6_addr[10] = ret->s6_addr[11] = 0xff;
	memcpy(&ret->s6_addr[12],
	       &((const struct sockaddr_in *)sa)->sin_addr, 4);
	return true;
}

static bool same_bits(const struct in6_addr *a, const struct in6_addr *b,
		      unsigned int bits)
{
	unsigned int bytes = bits / 8, rest = bits % 8;
	unsigned int mask = 0xff00u >> rest & 0xff;

	return !memcmp(a, b, bytes) &&
	       (!rest || !((a->s6_addr[bytes] ^ b->s6_addr[bytes]) & mask));
}

bool proxy_trusted(const struct proxy_nets *nets, const struct in6_addr *addr)
{
	for (size_t i = 0; i < nets->n; i++) {
		if (same_bits(&nets->v[i].addr, addr, nets->v[i].bits))
			return true;
	}
	return false;
}

void proxy_client(const struct proxy_nets *nets, struct in6_addr *peer,
		  const char *forwarded)
{
	size_t end = forwarded ? strlen(forwarded) : 0;

	while (end && proxy_trusted(nets, peer)) {
		size_t from = end, len;
		struct in6_addr next;

		while (from && forwarded[from - 1] != ',')
			from--;
		len = end - from;
		end = from ? from - 1 : 0;
		while (len && strchr(" \t", forwarded[from])) {
			from++;
			len--;
		}
		while (len && strchr(" \t", forwarded[from + len - 1]))
			len--;
		/* "unknown" and the like: no further than to who said so */
		if (!parse_address(forwarded + from, len, &next))
			return;
		*peer = next;
	}
}

bool proxy_is_local(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_LOOPBACK(addr) ||
	       (IN6_IS_ADDR_V4MAPPED(addr) && addr->s6_addr[12] == 127);
}

void proxy_rate_key(const struct in6_addr *addr,
		    char key[static INET6_ADDRSTRLEN])
{
	struct in6_addr a = *addr;

	if (!IN6_IS_ADDR_V4MAPPED(&a))
		memset(&a.s6_addr[8], 0, 8);
	inet_ntop(AF_INET6, &a, key, INET6_ADDRSTRLEN);
}
