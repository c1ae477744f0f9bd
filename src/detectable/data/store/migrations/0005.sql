-- Drafts of pages, answers that were changed, which tab of a rater is the last, and who is done.
CREATE TABLE draft (                       -- what is on a page that is not saved yet
  page TEXT PRIMARY KEY REFERENCES page(token),
  body TEXT NOT NULL,                      -- JSON, as the page of the rater wrote it
  saved DOUBLE PRECISION NOT NULL);

CREATE TABLE revision (                    -- answers that the rater changed before they were decided
  page TEXT NOT NULL REFERENCES page(token), n INTEGER NOT NULL,
  at DOUBLE PRECISION NOT NULL,            -- when they were replaced
  client_key TEXT NOT NULL,                -- of the save that replaced them
  answers TEXT NOT NULL,                   -- JSON [[score, extra], ...], as they were
  document_score DOUBLE PRECISION,
  PRIMARY KEY (page, n));

ALTER TABLE rater ADD COLUMN tab TEXT;     -- the last that asked for work
