-- What a version stands on, which piece of work it belongs to, and what became
-- of the version before it.

-- Ids of git patch-id --stable, so that "prerequisite-patch-id:" finds a mail.
CREATE TABLE patch_id (
	patch_id	TEXT NOT NULL,
	mail_id		INTEGER NOT NULL REFERENCES mail,
	PRIMARY KEY (patch_id, mail_id)
) STRICT, WITHOUT ROWID;

-- By what the next version of a piece of work is known. Only its own author
-- can add to it, so that nobody takes the work of another out of test.
CREATE TABLE topic_key (
	author_email	TEXT NOT NULL,		-- lower case
	kind		TEXT NOT NULL,		-- change title first
	key		TEXT NOT NULL,
	topic_id	INTEGER NOT NULL REFERENCES topic,
	PRIMARY KEY (author_email, kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_key_topic ON topic_key (topic_id);

-- Given when a partial re-send took the patch over from an older version.
ALTER TABLE patch ADD COLUMN from_version INTEGER;

-- What the mails of a version say it needs, as they say it.
CREATE TABLE need (
	version_id	INTEGER NOT NULL REFERENCES version,
	seq		INTEGER NOT NULL,
	kind		TEXT NOT NULL,		-- mail patch
	name		TEXT NOT NULL,		-- a Message-ID, or a patch id
	PRIMARY KEY (version_id, seq)
) STRICT, WITHOUT ROWID;

-- What became of that, transitively, in the order of application.
CREATE TABLE dependency (
	version_id	INTEGER NOT NULL REFERENCES version,
	seq		INTEGER NOT NULL,
	key		TEXT NOT NULL,
	needed_id	INTEGER REFERENCES version, -- null: not known here
	state		TEXT NOT NULL,		-- used missing cycle
	why		TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (version_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX dependency_missing ON dependency (key) WHERE state = 'missing';

-- The version it was held against, and why that could not be done.
ALTER TABLE version ADD COLUMN compared_id INTEGER REFERENCES version;
ALTER TABLE version ADD COLUMN compare_why TEXT NOT NULL DEFAULT '';

CREATE TABLE range_diff (
	version_id	INTEGER NOT NULL REFERENCES version,
	seq		INTEGER NOT NULL,
	state		TEXT NOT NULL,		-- unchanged changed new dropped
	old		INTEGER,		-- number in the older version
	new		INTEGER,		-- number in this one
	title		TEXT NOT NULL,
	diff		TEXT NOT NULL DEFAULT '', -- the diff of the two diffs
	PRIMARY KEY (version_id, seq)
) STRICT, WITHOUT ROWID;

-- What became of the findings of the older version, and what is new.
CREATE TABLE fate (
	version_id	INTEGER NOT NULL REFERENCES version,
	seq		INTEGER NOT NULL,
	older_id	INTEGER NOT NULL REFERENCES version,
	fate		TEXT NOT NULL,	-- fixed, still there, not tested, new
	why		TEXT NOT NULL DEFAULT '',
	fingerprint	TEXT NOT NULL,
	stage		TEXT NOT NULL,
	number		INTEGER NOT NULL,	-- in the version that had it
	severity	TEXT NOT NULL,
	file		TEXT NOT NULL DEFAULT '',
	line		INTEGER NOT NULL DEFAULT 0,
	function	TEXT NOT NULL DEFAULT '',
	message		TEXT NOT NULL,
	PRIMARY KEY (version_id, seq)
) STRICT, WITHOUT ROWID;
