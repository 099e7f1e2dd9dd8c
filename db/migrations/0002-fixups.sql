-- Diffs that replies propose, tested behind the series as patches of their
-- own; and what a series says of itself that is not so.

CREATE TABLE fixup (
	version_id	INTEGER NOT NULL REFERENCES version,
	mail_id		INTEGER NOT NULL REFERENCES mail,
	number		INTEGER NOT NULL DEFAULT 0, -- its place behind the patches
	state		TEXT NOT NULL DEFAULT 'new', -- new applied conflict upstream unreadable
	commit_id	TEXT,
	why		TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (version_id, mail_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX fixup_new ON fixup (state) WHERE state = 'new';

CREATE TABLE remark (
	version_id	INTEGER NOT NULL REFERENCES version,
	seq		INTEGER NOT NULL,
	number		INTEGER NOT NULL,	-- patch, 0: the series
	kind		TEXT NOT NULL,		-- diffstat unchanged signed-off-by invisible undone
	title		TEXT NOT NULL,
	detail		TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (version_id, seq)
) STRICT, WITHOUT ROWID;
