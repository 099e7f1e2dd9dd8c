-- Checks on a Patchwork server: what it should say and what it was told.

CREATE TABLE patchwork_check (
	version_id	INTEGER NOT NULL REFERENCES version,
	number		INTEGER NOT NULL,	-- patch
	arch		TEXT NOT NULL,
	want		TEXT NOT NULL,		-- pending success warning fail
	description	TEXT NOT NULL DEFAULT '',
	posted		TEXT NOT NULL DEFAULT '', -- the last that arrived there; "none": it does not know the patch
	next_s		INTEGER NOT NULL DEFAULT 0,
	why		TEXT NOT NULL DEFAULT '', -- why the last try failed
	PRIMARY KEY (version_id, number, arch)
) STRICT, WITHOUT ROWID;
CREATE INDEX patchwork_open ON patchwork_check (next_s) WHERE want != posted;
