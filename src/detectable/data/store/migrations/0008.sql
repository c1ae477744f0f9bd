-- What happened to campaigns and is told elsewhere, by webhook or mail: once each, and again until it arrives.
CREATE TABLE notice (
  id TEXT PRIMARY KEY,                     -- campaign/what/channel
  campaign TEXT NOT NULL REFERENCES campaign(id),
  channel TEXT NOT NULL CHECK (channel IN ('webhook', 'mail')),
  body TEXT NOT NULL,                      -- JSON
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'given up')),
  tries INTEGER NOT NULL,
  due DOUBLE PRECISION NOT NULL);
CREATE INDEX notice_due ON notice (state, due);
