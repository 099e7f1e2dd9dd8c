-- The attempt whose result counts, without reading a result: those stand in the
-- attempt's row, tens of KiB each, and every page of a series asks for a hundred.
CREATE INDEX attempt_result ON attempt (job_id, number DESC, id)
	WHERE result IS NOT NULL;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
	('attempt', 'attempt_result', '1000000 1 1 1');
