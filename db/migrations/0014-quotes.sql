-- The lines of the patch that a finding is about, as a reply would quote them:
-- pages show them without reading a stranger's mail again.
ALTER TABLE finding ADD COLUMN quote TEXT NOT NULL DEFAULT '';
