-- A soft need is waited for, whatever comes of it.
ALTER TABLE job_need ADD COLUMN soft INTEGER NOT NULL DEFAULT 0;
-- Bits, 1: a check ended whose facts have not been judged yet; 2: the verdict is
-- that of checks, while the rest still runs.
ALTER TABLE version ADD COLUMN early INTEGER NOT NULL DEFAULT 0;
