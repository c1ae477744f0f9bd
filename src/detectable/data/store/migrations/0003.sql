-- Two texts beside each other on a page, a score of a whole document, and who agreed to take part.
ALTER TABLE page ADD COLUMN beside TEXT;                   -- the system of the other text, where two are shown
ALTER TABLE page ADD COLUMN flipped INTEGER NOT NULL DEFAULT 0;  -- whether the text of `system` stands on the right
ALTER TABLE page ADD COLUMN document_score DOUBLE PRECISION;
ALTER TABLE rater ADD COLUMN consented DOUBLE PRECISION;   -- when
