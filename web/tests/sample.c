// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/tests/sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "db/sqlite.h"
#include "lib/fs.h"
#include "lib/hash.h"

static void must(int r, const char *what)
{
	if (!r)
		return;
	fprintf(stderr, "sample: %s: %d\n", what, r);
	abort();
}

static void sql(struct db *db, const char *text)
{
	struct stmt *st __free(stmt) = db_prepare(db, text);

	must(stmt_run(st), text);
}

/* The same with SAMPLE_SCRIPT for every parameter ?1. */
static void sql_hostile(struct db *db, const char *text)
{
	struct stmt *st __free(stmt) = db_prepare(db, text);

	stmt_bind_text(st, SAMPLE_SCRIPT);
	must(stmt_run(st), text);
}

static void add_token(struct db *db, const char *token, const char *scopes,
		      int64_t expires_s)
{
	struct stmt *st __free(stmt) = db_prepare(
		db, "INSERT INTO token (name, hash, scopes, created_s,"
		    " expires_s) VALUES (?, ?, ?, 1, ?)");
	char hash[HASH_HEX_LEN + 1];

	stmt_bind_text(st, token);
	stmt_bind_text(st, hash_hex(token, strlen(token), hash));
	stmt_bind_text(st, scopes);
	stmt_bind_id(st, expires_s);
	must(stmt_run(st), "token");
}

static const char *const rows[] = {
	"INSERT INTO source (id, name, kind, location, last_try_s, last_ok_s,"
	" last_mail_s, error) VALUES"
	" (1, 'linux-mm', 'public-inbox', 'http://127.0.0.1:8080/linux-mm/',"
	"  1777499990, 1777499990, 1777499800, NULL),"
	" (2, 'other', 'public-inbox', '/srv/other', 1777499990, 1777400000,"
	"  1777300000, '/srv/other: no git epochs there')",
	"INSERT INTO tree (id, name, kind, location, role, rank, commit_id,"
	" describe, state, error, fetched_s) VALUES"
	" (1, 'v6.12', 'source-package', 'linux-source-6.12', 'fallback', 1,"
	"  '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e', 'v6.12.95', 'ready',"
	"  NULL, 1777490000),"
	" (2, 'mm-unstable', 'git', 'https://git.example.org/mm.git', 'mm', 0,"
	"  NULL, '', 'failed', 'git.example.org: could not resolve', 0)",
	"INSERT INTO topic (id, title, author_email, created_s) VALUES"
	" (1, 'Optimize mprotect for large folios', 'd@example.org', 1),"
	" (2, 'mm/mprotect: two small changes', 'a@example.org', 1),"
	" (3, 'hugetlbfs: close race', 'e@example.org', 1),"
	" (4, 'hostile', 'x@example.org', 1), (5, 'private', 'p@example.org', 1)",
	"INSERT INTO version (id, topic_id, key, source_id, version, total,"
	" title, author_name, author_email, date_s, last_mail_s, state,"
	" state_why, tree_id, base_commit, base_why, verdict, verdict_why,"
	" private, created_s, changed_s, verdict_s) VALUES"
	" (1, 1, '20260429-v2-0@example.org', 1, 2, 2,"
	"  'Optimize mprotect for large folios', 'D. Developer',"
	"  'd@example.org', 1777460000, 1777460100, 'done', '', 1,"
	"  '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'all 2 blobs of the index lines are there', 'broken',"
	"  'does not build on x86_64: patch 2/2 calls"
	" ptep_modify_prot_start() before it is declared', 0, 1, 1777498140,"
	"  1777498000),"
	" (2, 2, 'two-small@example.org', 1, 1, 2,"
	"  'mm/mprotect: two small changes', 'A. Developer', 'a@example.org',"
	"  1777499500, 1777499500, 'running', '', 1,"
	"  '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e', 'blobs', '', '', 0, 1,"
	"  1777499760, NULL),"
	" (3, 3, 'hugetlb-v7@example.org', 1, 7, 4,"
	"  'hugetlbfs: close race between truncation and fault',"
	"  'E. Example', 'e@example.org', 1777492000, 1777492000, 'done',"
	"  '', NULL, NULL, '', 'no-base',"
	"  'none of the known trees takes it: 1/4 and 2/4 are already in v6.1',"
	"  0, 1, 1777492800, 1777492800),"
	" (6, 1, '20260420-v1-0@example.org', 1, 1, 2,"
	"  'Optimize mprotect for large folios', 'D. Developer',"
	"  'd@example.org', 1776660000, 1776660100, 'superseded', '', 1,"
	"  '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e', 'blobs', 'warns',"
	"  'builds with 1 new warning', 0, 1, 1776670000, 1776670000),"
	" (5, 5, 'private@example.org', NULL, 1, 1, 'secret work', 'P.',"
	"  'p@example.org', 1777499000, 1777499000, 'done', '', 1,"
	"  '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e', '', 'clean',"
	"  'builds, boots and passes its tests', 1, 1, 1777499100, 1777499100)",
	"INSERT INTO mail (id, message_id, source_id, received_s, date_s, kind,"
	" subject, from_name, from_email, raw) VALUES"
	" (1, '20260429-v2-1@example.org', 1, 1, 1777460000, 'patch',"
	"  '[PATCH v2 1/2] Refactor code', 'D. Developer', 'd@example.org',"
	"  x''),"
	" (2, '20260429-v2-2@example.org', 1, 1, 1777460000, 'patch',"
	"  '[PATCH v2 2/2] Add batched', 'D. Developer', 'd@example.org', x''),"
	" (3, 'reply-1@example.org', 1, 1, 1777470000, 'comment',"
	"  'Re: [PATCH v2 2/2] Add batched', 'L. Reviewer', 'l@example.org',"
	"  x'')",
	"INSERT INTO patch (version_id, number, mail_id, title, commit_id,"
	" state) VALUES"
	" (1, 1, 1, 'mm: Refactor code in mprotect',"
	"  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'applied'),"
	" (1, 2, 2, 'mm: Add batched versions of ptep_modify_prot_start/commit',"
	"  'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'applied'),"
	" (2, 1, NULL, 'mm/mprotect: one', NULL, 'applied'),"
	" (2, 2, NULL, 'mm/mprotect: two', NULL, 'applied'),"
	" (5, 1, NULL, 'secret patch', NULL, 'applied')",
	"INSERT INTO patch (version_id, number, title, state, state_why) VALUES"
	" (3, 1, 'hugetlbfs: first', 'upstream', ''),"
	" (3, 2, 'hugetlbfs: second', 'upstream', ''),"
	" (3, 3, 'hugetlbfs: third', 'conflict', 'fs/hugetlbfs/inode.c: hunk 2"
	" (at 412) does not apply:' || char(10) || '-	old();' || char(10) ||"
	" '+	new();'), (3, 4, 'hugetlbfs: fourth', 'not-tried', '')",
	"INSERT INTO comment (mail_id, version_id, number, has_diff) VALUES"
	" (3, 1, 2, 1)",
	"INSERT INTO base_try VALUES"
	" (1, 1, 'mm-unstable', '', 'blobs', 'no-match', 'tree not fetched'),"
	" (1, 2, 'v6.12', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e', 'blobs',"
	"  'chosen', 'all 2 blobs of the index lines are there')",
	"INSERT INTO job (id, key, version_id, kind, base_commit, arch, kconfig,"
	" toolchain, state, state_why, attempts, created_s, changed_s) VALUES"
	" (1, 'b1', NULL, 'base', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'passed', '', 1, 1, 2),"
	" (2, 'b2', NULL, 'boot', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'passed', '', 1, 1, 2),"
	" (3, 'b3', NULL, 'bench', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'passed', '', 1, 1, 2),"
	" (11, 'j11', 1, 'build', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'failed', '', 2, 1, 2),"
	" (12, 'j12', 1, 'boot', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'passed', '', 1, 1, 2),"
	" (13, 'j13', 1, 'test', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'passed', '', 1, 1, 2),"
	" (14, 'j14', 1, 'bench', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'passed', '', 1, 1, 2),"
	" (15, 'j15', 1, 'build', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'arm64', 'mm', 'gcc', 'passed', '', 1, 1, 2),"
	" (21, 'j21', 2, 'build', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'running', '', 1, 1777499600, 1777499700),"
	" (22, 'j22', 2, 'boot', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'waiting', 'needs job 21', 0, 1777499600,"
	"  1777499600),"
	" (23, 'j23', 2, 'build', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'arm64', 'mm', 'gcc', 'passed', '', 1, 1777499600, 1777499700),"
	" (51, 'j51', 5, 'build', '9d3f0e2b6c0a4bb0a2f00e5c5d5e1f2a3b4c5d6e',"
	"  'x86_64', 'mm', 'gcc', 'passed', '', 1, 1, 2)",
	"INSERT INTO job_need (job_id, needs_id) VALUES (22, 21), (11, 1)",
	"INSERT INTO attempt (id, job_id, number, state, dir, why, started_s,"
	" ended_s, summary, result) VALUES"
	" (1, 1, 1, 'passed', 'jobs/1/1', 'first', 1777490000, 1777490252,"
	"  'built', '{\"outcome\":\"passed\"}'),"
	" (3, 3, 1, 'passed', 'jobs/3/1', 'first', 1777490000, 1777490012,"
	"  'measured', '{\"outcome\":\"passed\"}'),"
	" (11, 11, 1, 'errored', 'jobs/11/1', 'first', 1777490300, 1777490310,"
	"  'the runner died', NULL),"
	" (12, 11, 2, 'failed', 'jobs/11/2', 'rerun by operator', 1777491000,"
	"  1777491042, 'patch 2 does not build', '{\"outcome\":\"failed\","
	"\"environment\":{\"compiler\":\"gcc (Debian 12.2.0-14) 12.2.0\","
	"\"make\":\"GNU Make 4.3\"},\"stages\":[{\"name\":\"apply\","
	"\"outcome\":\"passed\",\"seconds\":1,\"log_line\":1},"
	"{\"name\":\"patch 2\",\"outcome\":\"failed\",\"seconds\":30,"
	"\"log_line\":873}],\"patches\":[{\"number\":0,\"outcome\":\"built\","
	"\"seconds\":4},{\"number\":1,\"outcome\":\"built\",\"seconds\":9,"
	"\"log_line\":12,\"image\":true},{\"number\":2,\"outcome\":\"failed\","
	"\"seconds\":14,\"log_line\":873}],\"artefacts\":{\"image\":\"x\","
	"\"image_patch\":1}}'),"
	" (13, 12, 1, 'passed', 'jobs/12/1', 'first', 1777491100, 1777491103,"
	"  'booted', '{\"outcome\":\"passed\",\"boot\":{\"outcome\":\"ok\","
	"\"seconds\":2,\"accel\":\"tcg\",\"reports\":[]}}'),"
	" (14, 13, 1, 'passed', 'jobs/13/1', 'first', 1777491110, 1777491130,"
	"  '2 of 3 passed', '{}'),"
	" (15, 14, 1, 'passed', 'jobs/14/1', 'first', 1777491140, 1777491150,"
	"  'measured', '{}'),"
	" (16, 15, 1, 'passed', 'jobs/15/1', 'first', 1777491000, 1777491042,"
	"  'built', '{\"patches\":[{\"number\":1,\"outcome\":\"built\"},"
	"{\"number\":2,\"outcome\":\"built\"}]}'),"
	" (21, 21, 1, 'running', 'jobs/21/1', 'first', 1777499700, NULL, '',"
	"  NULL),"
	" (51, 51, 1, 'passed', 'jobs/51/1', 'first', 1777499000, 1777499100,"
	"  'built', 'not JSON at all')",
	"INSERT INTO finding (id, version_id, job_id, attempt_id, number, stage,"
	" blame, tool, severity, option, file, line, col, function, message,"
	" detail, fingerprint, leader_id, state, state_why, created_s) VALUES"
	" (1, 1, 11, 12, 2, 'build', 'series', 'gcc', 'error',"
	"  '-Werror=implicit-function-declaration', 'include/linux/pgtable.h',"
	"  873, 15, 'modify_prot_start_ptes',"
	"  'implicit declaration of function ''ptep_modify_prot_start''',"
	"  '  873 |         pte = ptep_modify_prot_start(vma, addr, ptep);' ||"
	"  char(10) || '      |               ^~~~~~~~~~~~~~~~~~~~~~', 'f1',"
	"  NULL, 'reported', '', 1777498000),"
	" (2, 1, 11, 12, 2, 'build', 'series', 'gcc', 'error', '',"
	"  'include/linux/pgtable.h', 895, 2, '', 'conflicting types', '',"
	"  'f2', 1, 'new', '', 1777498000),"
	" (3, 1, 11, 12, 1, 'build', 'series', 'gcc', 'warning',"
	"  '-Wunused-variable', 'mm/mprotect.c', 120, 17, 'change_pte_range',"
	"  'unused variable ''page''', '', 'f3', NULL, 'reported', '',"
	"  1777498000),"
	" (4, 1, 15, 16, 1, 'build', 'series', 'gcc', 'warning',"
	"  '-Wunused-variable', 'mm/mprotect.c', 120, 17, 'change_pte_range',"
	"  'unused variable ''page''', '', 'f3', NULL, 'reported', '',"
	"  1777498000),"
	" (5, 1, 11, 12, 0, 'build', 'base', 'gcc', 'warning', '', 'mm/slub.c',"
	"  1, 1, '', 'an old one', '', 'f5', NULL, 'withheld', 'base',"
	"  1777498000),"
	" (6, 6, 15, 16, 1, 'build', 'series', 'gcc', 'warning', '',"
	"  'mm/mprotect.c', 110, 17, 'change_pte_range',"
	"  'unused variable ''page''', '', 'f3', NULL, 'reported', '',"
	"  1776670000),"
	" (51, 5, 51, 51, 1, 'build', 'series', 'gcc', 'warning', '',"
	"  'mm/secret.c', 1, 1, '', 'a secret warning', '', 'f51', NULL, 'new',"
	"  '', 1777499100),"
	" (52, 1, 11, 12, 2, 'build', 'series', 'gcc', 'warning', '',"
	"  'include/linux/pgtable.h', 899, 2, '', 'conflicting types', '',"
	"  'f52', 1, 'new', '', 1777498000)",
	"INSERT INTO fate (version_id, seq, older_id, fate, why, fingerprint,"
	" stage, number, severity, file, message) VALUES"
	" (1, 1, 6, 'still there', '', 'f3', 'build', 1, 'warning',"
	"  'mm/mprotect.c', 'unused variable ''page'''),"
	" (1, 2, 6, 'not tested', 'build on s390/mm/gcc was not run', 'f9',"
	"  'build', 1, 'warning', 'arch/s390/mm/init.c', 'only there'),"
	" (1, 3, 6, 'new', '', 'f1', 'build', 2, 'error',"
	"  'include/linux/pgtable.h', 'implicit declaration')",
	"UPDATE version SET compared_id = 6 WHERE id = 1",
	"UPDATE finding SET quote = '> +++ b/include/linux/pgtable.h' ||"
	" char(10) || '> @@ -865,2 +870,4 @@' || char(10) || '>  {' ||"
	" char(10) || '> +	pte = ptep_modify_prot_start(vma, addr, ptep);'"
	" || char(10) WHERE id = 1",
	"INSERT INTO range_diff (version_id, seq, state, old, new, title, diff)"
	" VALUES (1, 1, 'changed', 1, 1, 'mm: Refactor code in mprotect',"
	"  '@@ mm/mprotect.c' || char(10) || ' -	old <b>'),"
	" (1, 2, 'dropped', 2, NULL, 'mm: gone', ''),"
	" (1, 3, 'new', NULL, 2, 'mm: Add batched versions', '')",
	"INSERT INTO dependency (version_id, seq, key, needed_id, state, why)"
	" VALUES (1, 1, 'two-small@example.org', 2, 'used', ''),"
	" (1, 2, 'never@example.org', NULL, 'missing', 'no mail known here'),"
	" (1, 3, 'private@example.org', 5, 'missing', '')",
	"INSERT INTO test_result VALUES"
	" (14, 1, 'mm', 'mlock2-tests', 'passed', ''),"
	" (14, 2, 'mm', 'mremap_test', 'passed', ''),"
	" (14, 3, 'mm', 'hugetlb_fault', 'skipped', 'no huge pages')",
	"INSERT INTO measure (attempt_id, name, unit, value, work) VALUES"
	" (3, 'mprotect 4 KiB pages', 'instructions', 176742400, 1024000),"
	" (15, 'mprotect 4 KiB pages', 'instructions', 179814400, 1024000)",
	"INSERT INTO outgoing (id, version_id, message_id, in_reply_to, subject,"
	" recipients, body, eml, state, state_why, created_s, changed_s) VALUES"
	" (1, 1, 'mmci-1@example.org', '20260429-v2-2@example.org',"
	"  'Re: [PATCH v2 2/2] Add batched', '[\"d@example.org\"]',"
	"  '> +	pte = ptep_modify_prot_start(vma, addr, ptep);' || char(10) ||"
	"  char(10) || 'does not build on x86_64:' || char(10),"
	"  'From: mmci@example.org' || char(10) || char(10) || 'text',"
	"  'held', 'nothing is sent by default', 1777498000, 1777498000),"
	" (5, 5, 'mmci-5@example.org', 'private@example.org',"
	"  'Re: secret work', '[]', 'secret body', 'secret eml', 'held', '',"
	"  1777499100, 1777499100)",
	"INSERT INTO event (at_s, kind, version_id) VALUES"
	" (1777499760, 'version.running', 2)",
};

static const char *const hostile_rows[] = {
	"INSERT INTO version (id, topic_id, key, version, total, title, prefix,"
	" author_name, author_email, date_s, last_mail_s, state, state_why,"
	" base_why, verdict, verdict_why, created_s, changed_s) VALUES"
	" (4, 4, ?1 || '/..@x', 1, 1, ?1, ?1, ?1, ?1, 1, 1, 'done', ?1, ?1,"
	"  'broken', ?1, 1, 1777400000)",
	"INSERT INTO mail (id, message_id, received_s, date_s, kind, subject,"
	" from_name, from_email, raw) VALUES (4, ?1, 1, 1, 'comment', ?1, ?1,"
	" ?1, x'')",
	"INSERT INTO comment (mail_id, version_id) SELECT 4, 4 WHERE ?1 != ''",
	"INSERT INTO patch (version_id, number, title, state, state_why)"
	" VALUES (4, 1, ?1, 'conflict', ?1)",
	"INSERT INTO base_try VALUES (4, 1, ?1, ?1, ?1, ?1, ?1)",
	"INSERT INTO job (id, key, version_id, kind, base_commit, arch, kconfig,"
	" toolchain, state, state_why, attempts, created_s, changed_s) VALUES"
	" (41, 'j41', 4, 'build', ?1, 'x86_64', ?1, ?1, 'failed', ?1, 1, 1, 2),"
	" (42, 'j42', 4, 'test', ?1, 'x86_64', ?1, ?1, 'queued', ?1, 1, 1, 2),"
	" (43, 'j43', 4, 'bench', ?1, 'x86_64', ?1, ?1, 'passed', ?1, 1, 1, 2)",
	"INSERT INTO attempt (id, job_id, number, state, dir, why, runner,"
	" started_s, ended_s, summary, result) VALUES (41, 41, 1, 'failed',"
	" 'jobs/41/1', ?1, ?1, 1, 2, ?1, json_object('environment',"
	"  json_object(?1, ?1), 'stages', json_array(json_object('name', ?1,"
	"  'outcome', ?1), 3, ?1), 'patches', json_array(json_object('number',"
	"  ?1, 'outcome', ?1), ?1), 'kconfig_dropped', json_array(?1), 'boot',"
	"  json_object('outcome', ?1, 'reports', json_array(json_object('title',"
	"  ?1, 'type', ?1, 'lines', json_array(?1)))))),"
	" (42, 42, 1, 'passed', '../../../etc', ?1, ?1, 1, 2, ?1, '[]'),"
	" (43, 43, 1, 'passed', 'jobs/41/1', ?1, ?1, 1, 2, ?1, '{}')",
	"INSERT INTO finding (id, version_id, job_id, attempt_id, number, stage,"
	" blame, tool, severity, option, file, function, message, detail,"
	" fingerprint, state, state_why, created_s) VALUES (41, 4, 41, 41, 1,"
	" 'build', 'series', ?1, 'error', ?1, ?1, ?1, ?1, ?1, 'f41', 'new', ?1,"
	" 1)",
	"UPDATE finding SET quote = '> +' || ?1 WHERE id = 41",
	"INSERT INTO test_result VALUES (42, 1, ?1, ?1, 'failed', ?1)",
	"INSERT INTO fate (version_id, seq, older_id, fate, why, fingerprint,"
	" stage, number, severity, file, function, message) VALUES"
	" (4, 1, 1, ?1, ?1, 'f41', ?1, 1, ?1, ?1, ?1, ?1)",
	"UPDATE version SET compared_id = 1, compare_why = ?1 WHERE id = 4",
	"INSERT INTO range_diff (version_id, seq, state, title, diff)"
	" VALUES (4, 1, ?1, ?1, ?1)",
	"INSERT INTO dependency (version_id, seq, key, state, why)"
	" VALUES (4, 1, ?1, ?1, ?1)",
	"INSERT INTO measure (attempt_id, name, unit, value, why) VALUES"
	" (43, ?1, ?1, 5, ?1)",
	"INSERT INTO outgoing (id, version_id, message_id, in_reply_to, subject,"
	" recipients, body, eml, state, state_why, created_s, changed_s) VALUES"
	" (4, 4, ?1, ?1, ?1, json_array(?1), ?1, ?1, 'held', ?1, 1, 1)",
	"INSERT INTO tree (id, name, kind, location, branch, role, rank,"
	" commit_id, describe, state, error) VALUES (4, ?1, ?1, ?1, ?1, ?1, 9,"
	" ?1, ?1, 'failed', ?1)",
	"INSERT INTO source (id, name, kind, location, error) VALUES"
	" (4, ?1, ?1, ?1, ?1)",
};

static void write_log(const char *dir, const char *rel, const struct strbuf *sb)
{
	char *path __free(kfree) = xasprintf("%s/%s/log", dir, rel);

	must(fs_mkdir_parent(path), path);
	must(fs_write_atomic(path, sb->buf, sb->len), path);
}

static void write_logs(const char *dir)
{
	struct strbuf log __free(strbuf) = STRBUF_INIT;

	for (int i = 1; i <= 2000; i++) {
		if (i == 1)
			strbuf_addstr(&log, "==> apply\n");
		else if (i == 872)
			strbuf_addstr(&log, "==> patch 2\n");
		else if (i == 873)
			strbuf_addstr(&log, "include/linux/pgtable.h:873:15: "
				      "\033[01;31merror: \033[0mimplicit "
				      "declaration of function\n");
		else if (i == 900)
			strbuf_addstr(&log, "make[2]: *** [mm/mprotect.o] "
				      "Error 1\n");
		else
			strbuf_addf(&log, "  CC      mm/file-%d.o\n", i);
	}
	write_log(dir, "jobs/11/2", &log);
	strbuf_setf(&log, "==> patch 1\n  CC      mm/mprotect.o\n");
	write_log(dir, "jobs/21/1", &log);
	strbuf_setf(&log, "the secret log\n");
	write_log(dir, "jobs/51/1", &log);
	strbuf_setf(&log, "error: %s\n\033]0;title\abell\a \xff\xfe"
		    "\xe2\x80\xaereversed\n", SAMPLE_SCRIPT);
	write_log(dir, "jobs/41/1", &log);
}

void sample_make(const char *dir)
{
	char *path __free(kfree) = xasprintf("%s/mmci.db", dir);
	struct strbuf why __free(strbuf) = STRBUF_INIT;
	struct db *db __free(db) = NULL;

	must(db_open(path, &db, &why), why.buf);
	must(db_begin(db), "begin"); /* its end indexes for search */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		sql(db, rows[i]);
	for (size_t i = 0; i < ARRAY_SIZE(hostile_rows); i++)
		sql_hostile(db, hostile_rows[i]);
	add_token(db, SAMPLE_TOKEN_ADMIN, "admin", 0);
	add_token(db, SAMPLE_TOKEN_RERUN, "rerun", 0);
	add_token(db, SAMPLE_TOKEN_SUBMIT, "submit", 0);
	add_token(db, SAMPLE_TOKEN_READ, "read-private rerun", 0);
	add_token(db, SAMPLE_TOKEN_EXPIRED, "admin", 1000);
	must(db_commit(db), "commit");
	write_logs(dir);
}
