-- Addresses that get events. Each has read the log of events up to last_event;
-- what it did not take is sent again from there, later and later.
CREATE TABLE webhook (
	id		INTEGER PRIMARY KEY,
	name		TEXT NOT NULL UNIQUE,
	url		TEXT NOT NULL,
	secret		TEXT NOT NULL,		-- key of the signature
	events		TEXT NOT NULL DEFAULT '', -- kinds or their beginnings; '': all
	created_s	INTEGER NOT NULL,
	last_event	INTEGER NOT NULL,
	tries		INTEGER NOT NULL DEFAULT 0, -- failed ones in a row
	next_try_s	INTEGER NOT NULL DEFAULT 0,
	last_ok_s	INTEGER,
	sent		INTEGER NOT NULL DEFAULT 0,
	skipped		INTEGER NOT NULL DEFAULT 0, -- given up
	error		TEXT NOT NULL DEFAULT ''
) STRICT;
