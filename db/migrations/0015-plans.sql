-- The control of a job, the same run on the base, by all that names it.
DROP INDEX job_control;
CREATE INDEX job_control ON job (base_commit, kind, arch, kconfig, toolchain)
	WHERE version_id IS NULL;

-- How SQLite plans: as in a database of a year (8,400 series, a million jobs,
-- two million findings), from the first day on. Without these figures it takes
-- every index to be equally good, and with those of a small database a walk
-- through all jobs to be nothing. Never run ANALYZE; a new index gets its row
-- here. The figures are those of tests/load/make-year.py.
ANALYZE tree; -- makes the table
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
	('attempt', 'sqlite_autoindex_attempt_1', '1000000 1 1'),
	('base_try', 'base_try', '8400 1 1'),
	('comment', 'comment_version', '46632 7'),
	('event', 'event_version', '3000000 360 1'),
	('finding', 'finding_blame', '2000000 400000 1'),
	('finding', 'finding_job', '2000000 12'),
	('finding', 'finding_print', '2000000 1'),
	('finding', 'finding_version', '2000000 252 116'),
	('finding_count', 'finding_count', '5042 8 4 1'),
	('job', 'job_control', '40000 96 24 8 2 1'),
	('job', 'job_kind', '1000000 165160 1'),
	('job', 'job_live', '1120 374 374 1'),
	('job', 'job_state', '1000000 141566 1'),
	('job', 'job_version', '1000000 125 25'),
	('job', 'sqlite_autoindex_job_1', '1000000 1'),
	('job_count', 'job_count', '29290 4 2 1'),
	('job_need', 'job_need', '762048 1 1'),
	('job_need', 'job_need_by_needs', '762048 1'),
	('mail', 'mail_author', '93202 147 2'),
	('mail', 'mail_from', '93202 147'),
	('mail', 'sqlite_autoindex_mail_1', '93202 1'),
	('measure', 'measure', '122605 5 1'),
	('patch', 'patch_mail', '46570 1'),
	('patch', 'sqlite_autoindex_patch_1', '46570 6 1'),
	('source', 'sqlite_autoindex_source_1', '2 1'),
	('test_result', 'test_result', '1000000 40 1'),
	('topic', NULL, '8400'),
	('tree', 'sqlite_autoindex_tree_1', '4 1'),
	('version', 'sqlite_autoindex_version_1', '8400 1'),
	('version', 'version_author', '8400 14'),
	('version', 'version_changed', '8400 1 1'),
	('version', 'version_source', '8400 4200 1 1'),
	('version', 'version_state', '8400 2800 2800'),
	('version', 'version_status', '8400 1680 1 1'),
	('version', 'version_topic', '8400 1 1'),
	('version', 'version_tree', '8400 2100 1 1');
