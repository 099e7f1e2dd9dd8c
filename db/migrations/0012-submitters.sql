-- Whose token sent a series in: it sees a private one without read-private.
CREATE TABLE submitter (
	version_id	INTEGER NOT NULL REFERENCES version,
	token		TEXT NOT NULL,		-- name of the token
	at_s		INTEGER NOT NULL,
	PRIMARY KEY (version_id, token)
) STRICT, WITHOUT ROWID;
CREATE INDEX submitter_token ON submitter (token, version_id);
