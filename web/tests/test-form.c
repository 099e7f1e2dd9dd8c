// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/json.h"
#include "web/form.h"
#include "web/proxy.h"
#include "web/rate.h"

static json_t *fields(const char *body)
{
	json_t *o = NULL;

	assert_int_equal(form_urlencoded(body, strlen(body), &o), 0);
	return o;
}

static void forms_are_decoded(void **state)
{
	json_t *o __free(json) =
		fields("a=1+2%2B3&b=&c&=x&&d=%E4%BD%A0&a2=x%3D=y&e=%ff&b=last");

	assert_string_equal(json_get_str(o, "a", ""), "1 2+3");
	assert_string_equal(json_get_str(o, "b", ""), "last");
	assert_string_equal(json_get_str(o, "c", "?"), "");
	assert_string_equal(json_get_str(o, "d", ""), "\xe4\xbd\xa0");
	assert_string_equal(json_get_str(o, "a2", ""), "x==y");
	assert_string_equal(json_get_str(o, "e", ""), "\xef\xbf\xbd");
	assert_int_equal(json_object_size(o), 6);
}

static void bad_forms_are_refused(void **state)
{
	struct strbuf many __free(strbuf) = STRBUF_INIT;
	json_t *o = NULL;

	assert_int_equal(form_urlencoded("a=%", 3, &o), -EINVAL);
	assert_int_equal(form_urlencoded("a=%00", 5, &o), -EINVAL);
	assert_int_equal(form_urlencoded("a=\0b", 4, &o), -EINVAL);
	for (int i = 0; i < 101; i++)
		strbuf_addf(&many, "f%d=x&", i);
	assert_int_equal(form_urlencoded(many.buf, many.len, &o), -E2BIG);
	assert_null(o);
}

static int part(const char *type, const char *body, char out[64])
{
	const char *at = NULL;
	size_t len = 0;
	int r = form_multipart(type, body, strlen(body), "mbox", &at, &len);

	if (!r) {
		assert_true(len < 64);
		memcpy(out, at, len);
		out[len] = '\0';
	}
	return r;
}

#define TYPE "multipart/form-data; boundary=XYZ"
#define HEAD(name) "Content-Disposition: form-data; name=" name "\r\n"

static void parts_are_found(void **state)
{
	char out[64];

	assert_int_equal(part(TYPE, "--XYZ\r\n" HEAD("a") "\r\n1\r\n--XYZ\r\n"
			      HEAD("\"mbox\"; filename=\"f; name=x\"")
			      "Content-Type: x/y\r\n\r\nF\r\n\r\nrom\r\n"
			      "--XYZ--\r\n", out), 0);
	assert_string_equal(out, "F\r\n\r\nrom");
	/* quoted boundary, something before the first part, an empty one */
	assert_int_equal(part("multipart/form-data; charset=x; BOUNDARY=\"X Z\"",
			      "pre\r\n--X Z\r\n" HEAD("mbox") "\r\n\r\n--X Z--",
			      out), 0);
	assert_string_equal(out, "");
	assert_int_equal(part(TYPE, "--XYZ\r\n\r\nno head\r\n--XYZ\r\n"
			      HEAD("mbox") "\r\nyes\r\n--XYZ--", out), 0);
	assert_string_equal(out, "yes");
}

static void bad_parts_are_refused(void **state)
{
	static const char *const types[] = {
		"multipart/form-data", "multipart/form-data; boundary=",
		"multipart/form-data; boundary=\"",
		"multipart/form-data; boundary="
		"0123456789012345678901234567890123456789"
		"0123456789012345678901234567890123456789",
	};
	static const char *const bodies[] = {
		"", "--XYZ", "--XYZ\r\n", "--XYZ\r\n" HEAD("mbox"),
		"--XYZ\r\n" HEAD("mbox") "\r\nno end",
		"--XYZ\r\n" HEAD("mbox") "\r\nno end\r\n--XY",
		"nothing of it",
	};
	char out[64];

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		assert_int_equal(part(types[i], "--XYZ--", out), -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++)
		assert_int_equal(part(TYPE, bodies[i], out), -EINVAL);
	assert_int_equal(part(TYPE, "--XYZ\r\n" HEAD("box") "\r\n1\r\n--XYZ--",
			      out), -ENOENT);
}

static void cookies_are_found(void **state)
{
	char v[8];

	form_cookie("a=1; s=22; b=3", "s", v, sizeof(v));
	assert_string_equal(v, "22");
	form_cookie("xs=1;s=2;s=3", "s", v, sizeof(v));
	assert_string_equal(v, "2");
	form_cookie("s=12345678", "s", v, sizeof(v));
	assert_string_equal(v, "");
	form_cookie("s; t=", "s", v, sizeof(v));
	assert_string_equal(v, "");
	form_cookie(NULL, "s", v, sizeof(v));
	assert_string_equal(v, "");
}

static void client_is(const char *peer, const char *forwarded,
		      const char *expected)
{
	static const char *const trusted[] = { "127.0.0.1", "10.0.0.0/8",
					       "fd00::/12" };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct proxy_nets nets;
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6 };
	struct in6_addr a, want;
	char key[INET6_ADDRSTRLEN];
	struct proxy_net one;
	struct proxy_nets as_nets = { &one, 1 };
	const char *list[] = { peer };

	assert_int_equal(proxy_nets_parse(trusted, 3, &nets, &why), 0);
	assert_int_equal(proxy_nets_parse(list, 1, &as_nets, &why), 0);
	sa.sin6_addr = as_nets.v[0].addr;
	proxy_nets_release(&as_nets);
	list[0] = expected;
	assert_int_equal(proxy_nets_parse(list, 1, &as_nets, &why), 0);
	want = as_nets.v[0].addr;
	proxy_nets_release(&as_nets);
	assert_true(proxy_address((struct sockaddr *)&sa, &a));
	proxy_client(&nets, &a, forwarded);
	proxy_rate_key(&a, key);
	if (memcmp(&a, &want, sizeof(a)))
		fail_msg("%s, %s: %s, expected %s", peer,
			 forwarded ? forwarded : "-", key, expected);
	proxy_nets_release(&nets);
}

static void only_proxies_of_ours_are_believed(void **state)
{
	client_is("203.0.113.1", "198.51.100.7", "203.0.113.1");
	client_is("127.0.0.1", NULL, "127.0.0.1");
	client_is("127.0.0.1", "", "127.0.0.1");
	client_is("127.0.0.1", "198.51.100.7", "198.51.100.7");
	client_is("127.0.0.1", " 198.51.100.7:80 ", "198.51.100.7");
	client_is("127.0.0.1", "[2001:db8::1]:80", "2001:db8::1");
	client_is("127.0.0.1", "2001:db8::1", "2001:db8::1");
	client_is("127.0.0.1", "6.6.6.6, 198.51.100.7, 10.1.2.3",
		  "198.51.100.7");
	client_is("fd0f::1", "6.6.6.6,198.51.100.7", "198.51.100.7");
	client_is("fd10::1", "198.51.100.7", "fd10::1");
	client_is("127.0.0.1", "198.51.100.7, unknown", "127.0.0.1");
	client_is("127.0.0.1", "198.51.100.7,", "127.0.0.1");
	client_is("127.0.0.1", ",,,", "127.0.0.1");
}

static void bad_networks_are_named(void **state)
{
	static const char *const bad[] = { "", "localhost", "10.0.0.0/33",
					   "10.0.0.0/", "10.0.0.0/x",
					   "::1/129", "1.2.3" };
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct proxy_nets nets;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(proxy_nets_parse(&bad[i], 1, &nets, &why),
				 -EINVAL);
		assert_non_null(strstr(why.buf, bad[i]));
		proxy_nets_release(&nets);
	}
}

static void who_asks_too_often_waits(void **state)
{
	struct rate *r = rate_new(60, 10);

	for (int i = 0; i < 10; i++)
		assert_int_equal(rate_take(r, "a", 1, 1000), 0);
	assert_int_equal(rate_take(r, "a", 1, 1000), 2);
	assert_int_equal(rate_take(r, "b", 1, 1000), 0);
	/* one a second comes back, never more than the burst */
	assert_int_equal(rate_take(r, "a", 1, 2000), 0);
	assert_int_not_equal(rate_take(r, "a", 1, 2000), 0);
	assert_int_equal(rate_take(r, "a", 10, 900000), 0);
	assert_int_not_equal(rate_take(r, "a", 1, 900000), 0);
	/* what costs more than there ever is can be had after a rest */
	assert_int_equal(rate_take(r, "c", 50, 1000), 0);
	assert_int_equal(rate_take(NULL, "a", 1, 0), 0);
	rate_free(r);
}

static void a_crowd_takes_no_memory(void **state)
{
	struct rate *r = rate_new(60, 2);
	char key[32];

	for (int i = 0; i < 100000; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		assert_int_equal(rate_take(r, key, 1, i), 0);
	}
	rate_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_are_decoded),
		cmocka_unit_test(bad_forms_are_refused),
		cmocka_unit_test(parts_are_found),
		cmocka_unit_test(bad_parts_are_refused),
		cmocka_unit_test(cookies_are_found),
		cmocka_unit_test(only_proxies_of_ours_are_believed),
		cmocka_unit_test(bad_networks_are_named),
		cmocka_unit_test(who_asks_too_often_waits),
		cmocka_unit_test(a_crowd_takes_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
