-- Running counts, kept in the transaction that changes them: how a campaign stands is read from these,
-- and never from its judgments. What older stores hold is counted once (`Counts.count_again`).
ALTER TABLE rater ADD COLUMN pages BIGINT NOT NULL DEFAULT 0;        -- saved
ALTER TABLE rater ADD COLUMN judgments BIGINT NOT NULL DEFAULT 0;    -- that are kept
ALTER TABLE rater ADD COLUMN seconds DOUBLE PRECISION NOT NULL DEFAULT 0;  -- of their pages
ALTER TABLE rater ADD COLUMN finished BIGINT NOT NULL DEFAULT 0;     -- pieces of work whose judgments are kept

CREATE TABLE tally (                       -- of the finished work of a rater, what is decided
  rater TEXT NOT NULL REFERENCES rater(id),
  name TEXT NOT NULL,                      -- admitted, refused; or systems as JSON: lines that count
  n BIGINT NOT NULL,
  PRIMARY KEY (rater, name));

-- Calls of raters keep «open», those of organisers «+open», and the sum of both is the count: so that a
-- call of one never waits for a call of the other.
INSERT INTO status (campaign, name, n)
  SELECT c.id, more.name, 0 FROM campaign c CROSS JOIN (
    SELECT 'open' AS name UNION ALL SELECT 'leased' UNION ALL SELECT 'cut' UNION ALL SELECT 'orphans'
  ) more;
INSERT INTO status (campaign, name, n) SELECT campaign, '+' || name, 0 FROM status;

ALTER TABLE work ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;        -- done, and nobody has said if it counts
UPDATE work SET waits = 1 WHERE state = 'done' AND NOT EXISTS (
    SELECT 1 FROM admission m WHERE m.work = work.id AND m.epoch = work.epoch)
  AND EXISTS (SELECT 1 FROM page p JOIN judgment j ON j.page = p.token
    WHERE p.work = work.id AND p.epoch = work.epoch);
CREATE INDEX work_waits ON work (campaign) WHERE waits = 1;
CREATE INDEX work_order ON work (campaign, wave, ord);
CREATE INDEX work_done ON work (campaign, done_at);
CREATE INDEX admission_done ON admission (done_at);
CREATE INDEX admission_seq ON admission (seq);

ALTER TABLE page ADD COLUMN pace DOUBLE PRECISION;                   -- seconds for one text
UPDATE page SET pace = (SELECT MAX(j.seconds) / COUNT(*) FROM judgment j WHERE j.page = page.token)
  WHERE done = 1;
CREATE INDEX page_pace ON page (rater, pace) WHERE pace IS NOT NULL;
