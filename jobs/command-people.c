// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "jobs/command.h"
#include "kernel-series/git.h"
#include "lib/json.h"

#define MAX_MAINTAINERS_BYTES (8u << 20)
#define MAX_PATTERN_BYTES 255

static bool pattern_fits(const char *pattern, const char *path)
{
	size_t n = strlen(pattern);

	/* the section for everything makes nobody a maintainer of it */
	if (!strcmp(pattern, "*") || !strcmp(pattern, "*/"))
		return false;
	if (n && pattern[n - 1] == '/')
		return !strncmp(pattern, path, n);
	return !fnmatch(pattern, path, FNM_PATHNAME);
}

static bool fits_any(const char *pattern, const json_t *files)
{
	const json_t *f;
	size_t i;

	json_array_foreach(files, i, f) {
		if (json_is_string(f) &&
		    pattern_fits(pattern, json_string_value(f)))
			return true;
	}
	return false;
}

static void add_email(json_t *list, const char *value, size_t len)
{
	const char *open = memchr(value, '<', len);
	const char *end = value + len;

	if (open)
		value = open + 1;
	len = (size_t)(end - value);
	open = memchr(value, '>', len);
	if (open)
		len = (size_t)(open - value);
	if (len && len <= MAX_PATTERN_BYTES && memchr(value, '@', len))
		json_array_append_new(list, json_textn(value, len));
}

struct section {
	json_t *people;
	bool fits;
};

static void end_section(struct section *s, json_t *emails)
{
	if (s->fits)
		json_array_extend(emails, s->people);
	json_array_clear(s->people);
	s->fits = false;
}

static void read_line(struct section *s, const char *line, size_t len,
		      const json_t *files)
{
	const char *value = line + 2;
	size_t n = len - 2;

	while (n && (*value == ' ' || *value == '\t')) {
		value++;
		n--;
	}
	if (*line == 'M') {
		add_email(s->people, value, n);
	} else if (*line == 'F' && !s->fits && n <= MAX_PATTERN_BYTES) {
		char *pattern __free(kfree) = xstrndup(value, n);

		s->fits = fits_any(pattern, files);
	}
}

json_t *command_maintainers_of(const char *text, const json_t *files)
{
	struct section s = { .people = json_array() };
	json_t *emails = json_array();

	while (*text) {
		const char *end = strchrnul(text, '\n');
		size_t len = (size_t)(end - text);

		if (!len)
			end_section(&s, emails);
		else if (len > 2 && text[1] == ':')
			read_line(&s, text, len, files);
		text = *end ? end + 1 : end;
	}
	end_section(&s, emails);
	json_decref(s.people);
	return emails;
}

static int read_file(const json_t *request, struct strbuf *text,
		     struct strbuf *why)
{
	struct git_repo *repo __free(repo) = NULL;
	struct git_id commit, tree, blob;
	unsigned int mode;
	int r = repo_open(json_get_str(request, "repo", ""), &repo, why);

	if (!r)
		r = git_id_parse(json_get_str(request, "commit", ""), &commit);
	if (!r)
		r = repo_commit_tree(repo, &commit, &tree);
	if (!r)
		r = repo_path_lookup(repo, &tree, "MAINTAINERS", &mode, &blob);
	if (!r)
		r = repo_blob_read(repo, &blob, MAX_MAINTAINERS_BYTES, text);
	return r == REPO_NONE ? -ENOENT : r;
}

int command_maintainers(const json_t *request, json_t **ret,
			struct strbuf *why)
{
	struct strbuf text __free(strbuf) = STRBUF_INIT;
	int r = read_file(request, &text, why);

	/* a tree without that file has no maintainers */
	if (r && r != -ENOENT) {
		if (!why->len)
			strbuf_setf(why, "MAINTAINERS: %s", strerror(-r));
		return r;
	}
	*ret = json_object();
	json_object_set_new(*ret, "emails",
			    command_maintainers_of(text.buf,
						   json_object_get(request,
								   "files")));
	return 0;
}
