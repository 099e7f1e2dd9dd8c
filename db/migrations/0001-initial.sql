-- The first schema. A merged migration is never edited; add the next number.
-- Times are seconds since the epoch (_s). JSON columns hold what no query
-- needs to look into.

CREATE TABLE source (
	id		INTEGER PRIMARY KEY,
	name		TEXT NOT NULL UNIQUE,
	kind		TEXT NOT NULL,		-- public-inbox, mbox
	location	TEXT NOT NULL,
	state		TEXT NOT NULL DEFAULT '{}', -- the reader's own JSON
	last_try_s	INTEGER NOT NULL DEFAULT 0,
	last_ok_s	INTEGER NOT NULL DEFAULT 0,
	last_mail_s	INTEGER NOT NULL DEFAULT 0,
	error		TEXT			-- why the last look failed
) STRICT;

-- Every mail once, keyed by Message-ID. A mail that cannot be read as one has
-- a made-up id "refused:HASH" and the reason in refused.
CREATE TABLE mail (
	id		INTEGER PRIMARY KEY,
	message_id	TEXT NOT NULL UNIQUE,	-- without angle brackets
	source_id	INTEGER REFERENCES source,
	received_s	INTEGER NOT NULL,
	date_s		INTEGER,
	kind		TEXT NOT NULL,		-- patch cover comment pull-request other refused
	subject		TEXT NOT NULL DEFAULT '',
	title		TEXT NOT NULL DEFAULT '',
	from_name	TEXT NOT NULL DEFAULT '',
	from_email	TEXT NOT NULL DEFAULT '',
	in_reply_to	TEXT,
	version		INTEGER,		-- null: none given
	number		INTEGER,
	total		INTEGER,
	fields		TEXT NOT NULL DEFAULT '{}', -- all that the parser gave
	refused		TEXT,
	private		INTEGER NOT NULL DEFAULT 0,
	raw		BLOB NOT NULL		-- zstd of the mail as it came
) STRICT;
CREATE INDEX mail_author ON mail (from_email, date_s);

-- References and In-Reply-To, to find a thread from any of its mails.
CREATE TABLE mail_ref (
	mail_id		INTEGER NOT NULL REFERENCES mail,
	ref		TEXT NOT NULL,
	PRIMARY KEY (mail_id, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX mail_ref_by_ref ON mail_ref (ref);

CREATE TABLE tree (
	id		INTEGER PRIMARY KEY,
	name		TEXT NOT NULL UNIQUE,
	kind		TEXT NOT NULL,		-- git, source-package, source-dir
	location	TEXT NOT NULL,
	branch		TEXT,
	role		TEXT NOT NULL DEFAULT '',
	rank		INTEGER NOT NULL DEFAULT 0, -- fallback order, low first
	commit_id	TEXT,			-- tip, null until fetched
	describe	TEXT NOT NULL DEFAULT '',
	state		TEXT NOT NULL DEFAULT 'new', -- new fetching ready failed
	error		TEXT,
	fetched_s	INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One piece of work over all its versions.
CREATE TABLE topic (
	id		INTEGER PRIMARY KEY,
	title		TEXT NOT NULL,
	author_email	TEXT NOT NULL,
	created_s	INTEGER NOT NULL
) STRICT;

CREATE TABLE version (
	id		INTEGER PRIMARY KEY,
	topic_id	INTEGER NOT NULL REFERENCES topic,
	key		TEXT NOT NULL UNIQUE,	-- Message-ID of the cover or first patch
	source_id	INTEGER REFERENCES source,
	version		INTEGER NOT NULL DEFAULT 1,
	total		INTEGER NOT NULL,
	title		TEXT NOT NULL,
	prefix		TEXT NOT NULL DEFAULT '',	-- "RFC", "RESEND", tree names
	author_name	TEXT NOT NULL DEFAULT '',
	author_email	TEXT NOT NULL DEFAULT '',
	cover_mail_id	INTEGER REFERENCES mail,
	date_s		INTEGER NOT NULL,	-- of the cover or first patch
	last_mail_s	INTEGER NOT NULL,	-- when we got the last of its mails
	settle_until_s	INTEGER NOT NULL DEFAULT 0,
	state		TEXT NOT NULL,	-- assembling ready applied conflict planned running done superseded
	state_why	TEXT NOT NULL DEFAULT '',
	tree_id		INTEGER REFERENCES tree,
	base_commit	TEXT,
	base_why	TEXT NOT NULL DEFAULT '',
	verdict		TEXT NOT NULL DEFAULT '', -- clean warns broken no-base conflict incomplete unknown
	verdict_why	TEXT NOT NULL DEFAULT '', -- the sentence under the title
	private		INTEGER NOT NULL DEFAULT 0,
	created_s	INTEGER NOT NULL,
	changed_s	INTEGER NOT NULL,
	verdict_s	INTEGER			-- first verdict
) STRICT;
CREATE INDEX version_changed ON version (changed_s DESC, id DESC);
CREATE INDEX version_topic ON version (topic_id, version);
CREATE INDEX version_open ON version (state) WHERE state NOT IN ('done', 'superseded');

CREATE TABLE patch (
	id		INTEGER PRIMARY KEY,
	version_id	INTEGER NOT NULL REFERENCES version,
	number		INTEGER NOT NULL,
	mail_id		INTEGER REFERENCES mail,
	title		TEXT NOT NULL,
	commit_id	TEXT,
	state		TEXT NOT NULL DEFAULT 'new',	-- new applied conflict upstream not-tried
	state_why	TEXT NOT NULL DEFAULT '',	-- rejected hunk on conflict
	UNIQUE (version_id, number)
) STRICT;
CREATE INDEX patch_mail ON patch (mail_id);

-- Replies to a version; number says to which patch, 0: the cover.
CREATE TABLE comment (
	mail_id		INTEGER PRIMARY KEY REFERENCES mail,
	version_id	INTEGER NOT NULL REFERENCES version,
	number		INTEGER NOT NULL DEFAULT 0,
	has_diff	INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX comment_version ON comment (version_id);

-- Every try to find the base, in the order made, with its reason.
CREATE TABLE base_try (
	version_id	INTEGER NOT NULL REFERENCES version,
	seq		INTEGER NOT NULL,
	tree		TEXT NOT NULL,
	commit_id	TEXT NOT NULL,
	signal		TEXT NOT NULL,		-- base-commit, index-lines, named, maintainers, rank
	outcome		TEXT NOT NULL,		-- applied, conflict, upstream, no-match
	why		TEXT NOT NULL,
	PRIMARY KEY (version_id, seq)
) STRICT, WITHOUT ROWID;

-- What to run. version_id null: a control, run on the base itself, once.
CREATE TABLE job (
	id		INTEGER PRIMARY KEY,
	key		TEXT NOT NULL UNIQUE,
	version_id	INTEGER REFERENCES version,
	kind		TEXT NOT NULL,		-- base build boot test bench
	base_commit	TEXT NOT NULL,
	arch		TEXT NOT NULL,
	kconfig		TEXT NOT NULL,
	toolchain	TEXT NOT NULL,
	state		TEXT NOT NULL,		-- waiting queued running passed failed errored canceled timed-out
	state_why	TEXT NOT NULL DEFAULT '',
	priority	INTEGER NOT NULL DEFAULT 0,
	attempts	INTEGER NOT NULL DEFAULT 0,
	created_s	INTEGER NOT NULL,
	changed_s	INTEGER NOT NULL
) STRICT;
CREATE INDEX job_version ON job (version_id, kind);
CREATE INDEX job_live ON job (state, priority DESC, id)
	WHERE state IN ('waiting', 'queued', 'running');

CREATE TABLE job_need (
	job_id		INTEGER NOT NULL REFERENCES job,
	needs_id	INTEGER NOT NULL REFERENCES job,
	PRIMARY KEY (job_id, needs_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_need_by_needs ON job_need (needs_id);

CREATE TABLE attempt (
	id		INTEGER PRIMARY KEY,
	job_id		INTEGER NOT NULL REFERENCES job,
	number		INTEGER NOT NULL,
	state		TEXT NOT NULL,		-- running passed failed errored canceled timed-out
	dir		TEXT NOT NULL,		-- relative to the state directory
	runner		TEXT NOT NULL DEFAULT 'local',
	why		TEXT NOT NULL DEFAULT '', -- why it was started: first, rerun by NAME, retry
	started_s	INTEGER NOT NULL,
	ended_s		INTEGER,
	summary		TEXT NOT NULL DEFAULT '',
	result		TEXT,			-- result.json as it was
	UNIQUE (job_id, number)
) STRICT;

CREATE TABLE finding (
	id		INTEGER PRIMARY KEY,
	version_id	INTEGER NOT NULL REFERENCES version,
	job_id		INTEGER NOT NULL REFERENCES job,
	attempt_id	INTEGER NOT NULL REFERENCES attempt,
	number		INTEGER NOT NULL,	-- the patch it starts at
	until_number	INTEGER NOT NULL DEFAULT 0, -- patch that repairs it, 0: none
	stage		TEXT NOT NULL,		-- build boot test bench
	blame		TEXT NOT NULL,		-- series base fixup flaky unknown
	tool		TEXT NOT NULL,
	severity	TEXT NOT NULL,		-- error warning
	option		TEXT NOT NULL DEFAULT '',
	file		TEXT NOT NULL DEFAULT '',
	line		INTEGER NOT NULL DEFAULT 0,
	col		INTEGER NOT NULL DEFAULT 0,
	function	TEXT NOT NULL DEFAULT '',
	message		TEXT NOT NULL,
	detail		TEXT NOT NULL DEFAULT '', -- what the tool printed below it
	fingerprint	TEXT NOT NULL,		-- identity without line numbers
	leader_id	INTEGER REFERENCES finding, -- the error it follows from
	state		TEXT NOT NULL DEFAULT 'new', -- new reported withheld
	state_why	TEXT NOT NULL DEFAULT '',
	created_s	INTEGER NOT NULL
) STRICT;
CREATE INDEX finding_version ON finding (version_id, number);
CREATE INDEX finding_job ON finding (job_id);
CREATE INDEX finding_print ON finding (fingerprint);

CREATE TABLE test_result (
	attempt_id	INTEGER NOT NULL REFERENCES attempt,
	seq		INTEGER NOT NULL,
	suite		TEXT NOT NULL,
	name		TEXT NOT NULL,
	status		TEXT NOT NULL,		-- passed failed skipped crashed timed-out
	why		TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (attempt_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE measure (
	attempt_id	INTEGER NOT NULL REFERENCES attempt,
	name		TEXT NOT NULL,
	unit		TEXT NOT NULL,
	value		INTEGER,		-- null: not countable
	work		INTEGER NOT NULL DEFAULT 0, -- what value is divided by, 0: nothing
	samples		TEXT NOT NULL DEFAULT '[]',
	why		TEXT NOT NULL DEFAULT '', -- why not applicable or not countable
	PRIMARY KEY (attempt_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE outgoing (
	id		INTEGER PRIMARY KEY,
	version_id	INTEGER REFERENCES version,
	message_id	TEXT NOT NULL UNIQUE,	-- derived from what is reported
	in_reply_to	TEXT NOT NULL DEFAULT '',
	subject		TEXT NOT NULL,
	recipients	TEXT NOT NULL,		-- JSON list of addresses
	body		TEXT NOT NULL,
	eml		TEXT NOT NULL,		-- the whole mail
	path		TEXT NOT NULL DEFAULT '', -- the .eml file
	state		TEXT NOT NULL,		-- held approved sending sent rejected
	state_why	TEXT NOT NULL DEFAULT '',
	created_s	INTEGER NOT NULL,
	changed_s	INTEGER NOT NULL
) STRICT;
CREATE INDEX outgoing_version ON outgoing (version_id);

CREATE TABLE token (
	id		INTEGER PRIMARY KEY,
	name		TEXT NOT NULL UNIQUE,
	hash		TEXT NOT NULL UNIQUE,	-- BLAKE2b of the token, never itself
	scopes		TEXT NOT NULL,		-- space separated
	created_s	INTEGER NOT NULL,
	expires_s	INTEGER,		-- null: never
	last_used_s	INTEGER
) STRICT;

-- Every transition of a state; live pages and webhooks read it.
CREATE TABLE event (
	id		INTEGER PRIMARY KEY AUTOINCREMENT,
	at_s		INTEGER NOT NULL,
	kind		TEXT NOT NULL,		-- "version.done", "job.running", "outgoing.held"
	version_id	INTEGER,
	job_id		INTEGER,
	detail		TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE INDEX event_version ON event (version_id, id);
