-- Lists that stay quick at a million jobs, and search.

-- One word for a person, from state and verdict.
ALTER TABLE version ADD COLUMN status TEXT GENERATED ALWAYS AS (
	CASE WHEN verdict <> '' THEN verdict
	WHEN state IN ('planned', 'running') THEN 'running'
	WHEN state IN ('superseded', 'conflict') THEN state
	WHEN state = 'done' THEN 'unknown' ELSE 'waiting' END) VIRTUAL;

-- One index for each way to look at the list, in the order of the list.
CREATE INDEX version_status ON version (status, changed_s DESC, id DESC);
CREATE INDEX version_tree ON version (tree_id, changed_s DESC, id DESC);
CREATE INDEX version_source ON version (source_id, changed_s DESC, id DESC);
CREATE INDEX version_author ON version (author_email COLLATE NOCASE);
-- version_open was never used: its condition follows from no query's.
DROP INDEX version_open;
CREATE INDEX version_state ON version (state, settle_until_s);
CREATE INDEX mail_from ON mail (from_email COLLATE NOCASE);
CREATE INDEX job_state ON job (state, id);
CREATE INDEX job_kind ON job (kind, id);
CREATE INDEX job_control ON job (base_commit, arch, kconfig, toolchain)
	WHERE version_id IS NULL;
CREATE INDEX finding_blame ON finding (blame, id) WHERE leader_id IS NULL;
-- A reader that deletes a finding must find those that follow from it.
CREATE INDEX finding_leader ON finding (leader_id) WHERE leader_id IS NOT NULL;

-- How many jobs of a version are in which state: those with all patches, and
-- no benchmarks. Kept by triggers, so that no writer can forget it.
CREATE TABLE job_count (
	version_id	INTEGER NOT NULL,
	arch		TEXT NOT NULL,
	state		TEXT NOT NULL,
	n		INTEGER NOT NULL,
	PRIMARY KEY (version_id, arch, state)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER job_count_insert AFTER INSERT ON job
WHEN NEW.version_id IS NOT NULL AND NEW.upto = 0 AND NEW.kind <> 'bench'
BEGIN
	INSERT INTO job_count VALUES (NEW.version_id, NEW.arch, NEW.state, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER job_count_update AFTER UPDATE OF state ON job
WHEN NEW.version_id IS NOT NULL AND NEW.upto = 0 AND NEW.kind <> 'bench'
	AND NEW.state <> OLD.state
BEGIN
	UPDATE job_count SET n = n - 1 WHERE version_id = OLD.version_id
		AND arch = OLD.arch AND state = OLD.state;
	INSERT INTO job_count VALUES (NEW.version_id, NEW.arch, NEW.state, 1)
	ON CONFLICT DO UPDATE SET n = n + 1;
END;

CREATE TRIGGER job_count_delete AFTER DELETE ON job
WHEN OLD.version_id IS NOT NULL AND OLD.upto = 0 AND OLD.kind <> 'bench'
BEGIN
	UPDATE job_count SET n = n - 1 WHERE version_id = OLD.version_id
		AND arch = OLD.arch AND state = OLD.state;
END;

INSERT INTO job_count SELECT version_id, arch, state, count(*) FROM job
	WHERE version_id IS NOT NULL AND upto = 0 AND kind <> 'bench'
	GROUP BY version_id, arch, state;

-- How many findings are blamed on a version, by the patch they start at.
CREATE TABLE finding_count (
	version_id	INTEGER NOT NULL,
	arch		TEXT NOT NULL,
	number		INTEGER NOT NULL,
	errors		INTEGER NOT NULL,
	others		INTEGER NOT NULL,
	PRIMARY KEY (version_id, arch, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER finding_count_insert AFTER INSERT ON finding
WHEN NEW.blame = 'series'
BEGIN
	INSERT INTO finding_count SELECT NEW.version_id, j.arch, NEW.number,
		NEW.severity = 'error', NEW.severity <> 'error'
	FROM job j WHERE j.id = NEW.job_id
	ON CONFLICT DO UPDATE SET errors = errors + excluded.errors,
		others = others + excluded.others;
END;

CREATE TRIGGER finding_count_delete AFTER DELETE ON finding
WHEN OLD.blame = 'series'
BEGIN
	UPDATE finding_count SET errors = errors - (OLD.severity = 'error'),
		others = others - (OLD.severity <> 'error')
	WHERE version_id = OLD.version_id AND number = OLD.number
		AND arch = (SELECT arch FROM job WHERE id = OLD.job_id);
END;

CREATE TRIGGER finding_count_update
AFTER UPDATE OF version_id, job_id, number, severity, blame ON finding
BEGIN
	UPDATE finding_count SET errors = errors - (OLD.severity = 'error'),
		others = others - (OLD.severity <> 'error')
	WHERE OLD.blame = 'series' AND version_id = OLD.version_id
		AND number = OLD.number
		AND arch = (SELECT arch FROM job WHERE id = OLD.job_id);
	INSERT INTO finding_count SELECT NEW.version_id, j.arch, NEW.number,
		NEW.severity = 'error', NEW.severity <> 'error'
	FROM job j WHERE j.id = NEW.job_id AND NEW.blame = 'series'
	ON CONFLICT DO UPDATE SET errors = errors + excluded.errors,
		others = others + excluded.others;
END;

INSERT INTO finding_count SELECT f.version_id, j.arch, f.number,
	sum(f.severity = 'error'), sum(f.severity <> 'error')
	FROM finding f JOIN job j ON j.id = f.job_id WHERE f.blame = 'series'
	GROUP BY f.version_id, j.arch, f.number;

-- The words of a version: its rowid is the version's id. See db/search.h.
CREATE VIRTUAL TABLE series_text USING fts5 (
	subject, author, file, finding,
	tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');

-- Versions whose words have changed since they were indexed.
CREATE TABLE series_text_stale (
	version_id	INTEGER PRIMARY KEY
) STRICT;
INSERT INTO series_text_stale SELECT id FROM version;

CREATE TRIGGER series_text_version AFTER INSERT ON version
BEGIN
	INSERT OR IGNORE INTO series_text_stale VALUES (NEW.id);
END;
CREATE TRIGGER series_text_title
AFTER UPDATE OF title, prefix, author_name, author_email ON version
BEGIN
	INSERT OR IGNORE INTO series_text_stale VALUES (NEW.id);
END;
CREATE TRIGGER series_text_gone AFTER DELETE ON version
BEGIN
	INSERT OR IGNORE INTO series_text_stale VALUES (OLD.id);
END;
CREATE TRIGGER series_text_patch AFTER INSERT ON patch
BEGIN
	INSERT OR IGNORE INTO series_text_stale VALUES (NEW.version_id);
END;
CREATE TRIGGER series_text_patch_change
AFTER UPDATE OF title, mail_id ON patch
BEGIN
	INSERT OR IGNORE INTO series_text_stale VALUES (NEW.version_id);
END;
CREATE TRIGGER series_text_finding AFTER INSERT ON finding
WHEN NEW.blame <> 'base'
BEGIN
	INSERT OR IGNORE INTO series_text_stale VALUES (NEW.version_id);
END;
CREATE TRIGGER series_text_finding_gone AFTER DELETE ON finding
WHEN OLD.blame <> 'base'
BEGIN
	INSERT OR IGNORE INTO series_text_stale VALUES (OLD.version_id);
END;
