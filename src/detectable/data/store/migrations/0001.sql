-- One text for SQLite and PostgreSQL: only types and functions that both know. Times are unix seconds.
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied DOUBLE PRECISION NOT NULL);

CREATE TABLE campaign (
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'paused', 'stopped', 'concluded')),
  settings TEXT NOT NULL,                  -- JSON, frozen
  systems TEXT NOT NULL,                   -- JSON, all that were ever compared
  needed TEXT NOT NULL,                    -- JSON, those that new work still shows
  block INTEGER NOT NULL,                  -- pieces of work claimed together
  lease DOUBLE PRECISION NOT NULL,         -- seconds after the last save
  seed BIGINT NOT NULL,
  salt TEXT NOT NULL,
  created DOUBLE PRECISION NOT NULL);

CREATE TABLE part (                        -- a document, a part of a long one, or a sentence
  campaign TEXT NOT NULL REFERENCES campaign(id),
  part TEXT NOT NULL,
  document TEXT,                           -- NULL where the corpus names no documents
  PRIMARY KEY (campaign, part));

CREATE TABLE segment (
  campaign TEXT NOT NULL, part TEXT NOT NULL, n INTEGER NOT NULL,
  item TEXT NOT NULL,                      -- the line in the corpus, from 1
  source TEXT, reference TEXT,
  PRIMARY KEY (campaign, part, n),
  FOREIGN KEY (campaign, part) REFERENCES part(campaign, part));

CREATE TABLE output (
  campaign TEXT NOT NULL, part TEXT NOT NULL, n INTEGER NOT NULL, system TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (campaign, part, n, system),
  FOREIGN KEY (campaign, part, n) REFERENCES segment(campaign, part, n));

CREATE TABLE rater (
  id TEXT PRIMARY KEY,                     -- campaign/code
  campaign TEXT NOT NULL REFERENCES campaign(id),
  code TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'no more work', 'revoked')),
  token_hash TEXT NOT NULL UNIQUE,         -- SHA-256; the token itself is shown once
  block INTEGER NOT NULL,                  -- blocks claimed so far
  last_seen DOUBLE PRECISION,
  UNIQUE (campaign, code));

CREATE TABLE work (                        -- one part, all needed systems, one rater
  id BIGINT PRIMARY KEY,
  campaign TEXT NOT NULL, part TEXT NOT NULL, wave INTEGER NOT NULL, ord BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'leased', 'done', 'cut')),
  rater TEXT REFERENCES rater(id), lease_until DOUBLE PRECISION,
  epoch INTEGER NOT NULL,                  -- how often it was claimed
  left_to_do INTEGER, done_at DOUBLE PRECISION,
  UNIQUE (campaign, part, wave),
  FOREIGN KEY (campaign, part) REFERENCES part(campaign, part));
CREATE INDEX work_open ON work (campaign, state, ord);
CREATE INDEX work_rater ON work (rater, state);
CREATE INDEX work_lease ON work (state, lease_until);

CREATE TABLE seen_by (
  rater TEXT NOT NULL REFERENCES rater(id), part TEXT NOT NULL,
  PRIMARY KEY (rater, part));

CREATE TABLE page (                        -- one text of one system or one control, for one rater
  token TEXT PRIMARY KEY,
  work BIGINT NOT NULL REFERENCES work(id), epoch INTEGER NOT NULL,
  rater TEXT NOT NULL REFERENCES rater(id),
  block INTEGER NOT NULL, ord INTEGER NOT NULL,
  system TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('system', 'repeat', 'degraded', 'reference')),
  lines TEXT,                              -- JSON [[kind, text], ...] of a control
  given_at DOUBLE PRECISION,
  done INTEGER NOT NULL,
  client_key TEXT);                        -- of the save, so that a second try is known
CREATE INDEX page_next ON page (rater, done, block, ord);
CREATE INDEX page_work ON page (work, epoch);

CREATE TABLE judgment (
  page TEXT NOT NULL REFERENCES page(token), n INTEGER NOT NULL,
  score DOUBLE PRECISION,                  -- NULL where the rater could not judge
  extra TEXT,                              -- JSON: spans, ratings, why it was skipped
  seconds DOUBLE PRECISION, saved DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (page, n));

CREATE TABLE admission (                   -- decided once for the work of one epoch
  work BIGINT NOT NULL REFERENCES work(id), epoch INTEGER NOT NULL,
  admitted INTEGER NOT NULL, seq BIGINT NOT NULL,
  done_at DOUBLE PRECISION NOT NULL, decided DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (work, epoch));

CREATE TABLE event (                       -- who did what to the campaign
  campaign TEXT NOT NULL REFERENCES campaign(id), n BIGINT NOT NULL,
  at DOUBLE PRECISION NOT NULL, event TEXT NOT NULL, detail TEXT NOT NULL,
  PRIMARY KEY (campaign, n));

CREATE TABLE status (                      -- counts kept in the transaction of the save
  campaign TEXT NOT NULL REFERENCES campaign(id), name TEXT NOT NULL, n BIGINT NOT NULL,
  PRIMARY KEY (campaign, name));
