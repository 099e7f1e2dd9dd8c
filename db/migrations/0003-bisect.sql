-- A job that takes only the patches up to this one: a step of the search for
-- the patch that breaks a boot or a test. 0: all of them.
ALTER TABLE job ADD COLUMN upto INTEGER NOT NULL DEFAULT 0;
