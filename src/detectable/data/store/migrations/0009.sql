-- Errors that are marked before a rater comes: suggestions, to be kept, changed or removed.
ALTER TABLE output ADD COLUMN suggested TEXT;   -- JSON [{start, end, severity, …}]; NULL where none were given
