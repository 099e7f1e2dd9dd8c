-- Replies that leave: by which rule, to whom, what the server said; who asked
-- to be left out; and the commands that came in mails.

ALTER TABLE outgoing ADD COLUMN facts TEXT NOT NULL DEFAULT '{}'; -- that do not change, for the policy
ALTER TABLE outgoing ADD COLUMN decision TEXT NOT NULL DEFAULT '{}'; -- the last one, as policy_decide() gave it
ALTER TABLE outgoing ADD COLUMN approved_by TEXT;	-- a person's token, null: no person did
ALTER TABLE outgoing ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0; -- the server may have it already
ALTER TABLE outgoing ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outgoing ADD COLUMN next_try_s INTEGER NOT NULL DEFAULT 0; -- look at it again then
ALTER TABLE outgoing ADD COLUMN sent_s INTEGER;
CREATE INDEX outgoing_live ON outgoing (state, next_try_s)
	WHERE state IN ('held', 'approved', 'sending');

CREATE TABLE delivery (
	outgoing_id	INTEGER NOT NULL REFERENCES outgoing,
	email		TEXT NOT NULL COLLATE NOCASE,
	state		TEXT NOT NULL,		-- pending sent refused
	answer		TEXT NOT NULL DEFAULT '', -- the server's own words
	at_s		INTEGER NOT NULL,
	PRIMARY KEY (outgoing_id, email)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_sent ON delivery (at_s) WHERE state = 'sent';

-- topic_id 0: from everything
CREATE TABLE opt_out (
	email		TEXT NOT NULL COLLATE NOCASE,
	topic_id	INTEGER NOT NULL DEFAULT 0,
	why		TEXT NOT NULL,
	since_s		INTEGER NOT NULL,
	PRIMARY KEY (email, topic_id)
) STRICT, WITHOUT ROWID;

-- What an author said is not of the series; not told again in later versions.
CREATE TABLE not_mine (
	topic_id	INTEGER NOT NULL REFERENCES topic,
	fingerprint	TEXT NOT NULL,
	who		TEXT NOT NULL,
	at_s		INTEGER NOT NULL,
	PRIMARY KEY (topic_id, fingerprint)
) STRICT, WITHOUT ROWID;

-- One line of a mail that wanted something, and what became of it.
CREATE TABLE command (
	id		INTEGER PRIMARY KEY,
	mail_id		INTEGER NOT NULL REFERENCES mail,
	seq		INTEGER NOT NULL,
	version_id	INTEGER REFERENCES version,
	command		TEXT NOT NULL,
	args		TEXT NOT NULL DEFAULT '',
	state		TEXT NOT NULL,		-- new done refused
	why		TEXT NOT NULL DEFAULT '',
	at_s		INTEGER NOT NULL,
	UNIQUE (mail_id, seq)
) STRICT;
CREATE INDEX command_new ON command (id) WHERE state = 'new';
CREATE INDEX command_version ON command (version_id);
