-- Links that anybody may open, and who came by one. A participant is named here alone, and can be deleted.
CREATE TABLE open_link (
  campaign TEXT PRIMARY KEY REFERENCES campaign(id),
  token_hash TEXT NOT NULL UNIQUE,         -- SHA-256
  most INTEGER);                           -- raters who may come; NULL: any number

CREATE TABLE participant (
  rater TEXT PRIMARY KEY REFERENCES rater(id),
  campaign TEXT NOT NULL REFERENCES campaign(id),
  participant TEXT NOT NULL,               -- as the panel calls them
  study TEXT NOT NULL, session TEXT NOT NULL,
  joined DOUBLE PRECISION NOT NULL,
  UNIQUE (campaign, participant));
