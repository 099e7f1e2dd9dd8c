-- Browsers that are logged in. Of the cookie only the hash is kept. A session
-- has the rights of the token it was opened with and ends with it; it names the
-- token, since that of the daemon's own file is stored anew at every start.
CREATE TABLE session (
	id		INTEGER PRIMARY KEY,
	hash		TEXT NOT NULL UNIQUE,	-- BLAKE2b of the cookie
	token		TEXT NOT NULL,		-- name of the token
	created_s	INTEGER NOT NULL,
	expires_s	INTEGER NOT NULL
) STRICT;
CREATE INDEX session_token ON session (token);
