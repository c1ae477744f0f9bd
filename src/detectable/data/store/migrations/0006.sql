-- What raters say of themselves before they begin.
ALTER TABLE rater ADD COLUMN about TEXT;   -- JSON {question: answer}; NULL before, and once it was deleted
