-- What the worker "derive" found for a version: its symbols and the reasons, the
-- further configs "KCONFIG+1", "KCONFIG+2"; and which lines were compiled.
CREATE TABLE derivation (
	version_id	INTEGER NOT NULL REFERENCES version,
	arch		TEXT NOT NULL,
	kconfig		TEXT NOT NULL,		-- the parent
	answer		TEXT NOT NULL,		-- as docs/design.md, section 10.3, says
	PRIMARY KEY (version_id, arch)
) STRICT, WITHOUT ROWID;
ALTER TABLE version ADD COLUMN coverage TEXT; -- see jobs/coverage.h, null: not measured
