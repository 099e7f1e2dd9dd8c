-- A command is judged by the copy of the mail that brought it: who it says it
-- is from, and what the receiving server says about that.

ALTER TABLE command ADD COLUMN from_email TEXT NOT NULL DEFAULT '';
ALTER TABLE command ADD COLUMN auth TEXT NOT NULL DEFAULT '[]'; -- Authentication-Results, topmost first
ALTER TABLE command ADD COLUMN machine INTEGER NOT NULL DEFAULT 0;
ALTER TABLE command ADD COLUMN date_s INTEGER NOT NULL DEFAULT 0;

-- "base REF": try this tree alone
ALTER TABLE version ADD COLUMN wanted_tree TEXT;
