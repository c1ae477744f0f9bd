-- Decisions by control items, and looks of a plan that were run for a campaign.
CREATE TABLE checkpoint (
  rater TEXT NOT NULL REFERENCES rater(id), n INTEGER NOT NULL,
  pairs INTEGER NOT NULL,                  -- control items that spoke
  judgments INTEGER NOT NULL,              -- that were decided
  p_value DOUBLE PRECISION,                -- NULL where there was nothing to compute
  tested INTEGER NOT NULL,                 -- 0 where the controls were too few
  passed INTEGER NOT NULL,
  decided DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (rater, n));

CREATE TABLE look_request (                -- one row for every look; the ledger of the plan is the truth
  campaign TEXT NOT NULL REFERENCES campaign(id), n INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done')),
  started DOUBLE PRECISION NOT NULL,
  result TEXT,                             -- JSON: the decision, never a score
  PRIMARY KEY (campaign, n));
