BEGIN TRANSACTION;
CREATE TABLE admission (
  work BIGINT NOT NULL REFERENCES work(id), epoch INTEGER NOT NULL,
  admitted INTEGER NOT NULL, seq BIGINT NOT NULL,
  done_at DOUBLE PRECISION NOT NULL, decided DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (work, epoch));
CREATE TABLE campaign (
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('draft', 'open', 'paused', 'stopped', 'concluded')),
  settings TEXT NOT NULL,
  systems TEXT NOT NULL,
  needed TEXT NOT NULL,
  block INTEGER NOT NULL,
  lease DOUBLE PRECISION NOT NULL,
  seed BIGINT NOT NULL,
  salt TEXT NOT NULL,
  created DOUBLE PRECISION NOT NULL);
INSERT INTO "campaign" VALUES('c','concluded','{"baseline": "", "block": 4, "categories": [], "consent": "", "controls": 0.4, "criteria": [], "degrade": "word", "document_score": false, "grace_minutes": 45.0, "instructions": "", "lease_minutes": 45.0, "mode": "source", "overlap": 0.0, "page_language": "en", "page_lines": 30, "pay": "", "plan": "", "plan_path": "", "points": null, "primary": "", "protocol": "pairwise", "reveal": "decision", "source_language": "und", "steps": null, "strength": true, "target_language": "und", "training": []}','["new", "old"]','["new", "old"]',4,2700.0,2360360630558964031,'03ab2010d928a3b52fe5965fd77f662f',1768478400.0);
CREATE TABLE checkpoint (
  rater TEXT NOT NULL REFERENCES rater(id), n INTEGER NOT NULL,
  pairs INTEGER NOT NULL,
  judgments INTEGER NOT NULL,
  p_value DOUBLE PRECISION,
  tested INTEGER NOT NULL,
  passed INTEGER NOT NULL,
  decided DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (rater, n));
CREATE TABLE event (
  campaign TEXT NOT NULL REFERENCES campaign(id), n BIGINT NOT NULL,
  at DOUBLE PRECISION NOT NULL, event TEXT NOT NULL, detail TEXT NOT NULL,
  PRIMARY KEY (campaign, n));
INSERT INTO "event" VALUES('c',1,1768478400.0,'made','{}');
INSERT INTO "event" VALUES('c',2,1768478400.0,'open','{}');
INSERT INTO "event" VALUES('c',3,1768478400.0,'raters','{"added": ["r-01"]}');
INSERT INTO "event" VALUES('c',4,1768478400.0,'stopped','{}');
INSERT INTO "event" VALUES('c',5,1768478400.0,'concluded','{}');
CREATE TABLE judgment (
  page TEXT NOT NULL REFERENCES page(token), n INTEGER NOT NULL,
  score DOUBLE PRECISION,
  extra TEXT,
  seconds DOUBLE PRECISION, saved DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (page, n));
INSERT INTO "judgment" VALUES('2TZR8mDn7oGmajdG',0,1.0,'{"choice": "left", "strength": 1}',8.0,1768478520.0);
INSERT INTO "judgment" VALUES('2TZR8mDn7oGmajdG',1,0.0,'{"choice": "right", "strength": 2}',8.0,1768478520.0);
INSERT INTO "judgment" VALUES('tBhX06f658UTu94S',0,0.5,'{"choice": "tie"}',8.0,1768478540.0);
INSERT INTO "judgment" VALUES('tBhX06f658UTu94S',1,0.0,'{"choice": "left", "strength": 2}',8.0,1768478540.0);
INSERT INTO "judgment" VALUES('pQ6QiZh9qMxHlO67',0,0.0,'{"choice": "right", "strength": 1}',8.0,1768478560.0);
INSERT INTO "judgment" VALUES('pQ6QiZh9qMxHlO67',1,0.5,'{"choice": "tie"}',8.0,1768478560.0);
INSERT INTO "judgment" VALUES('GugiLXACv-fLL2SM',0,1.0,'{"choice": "left", "strength": 1}',8.0,1768478580.0);
INSERT INTO "judgment" VALUES('GugiLXACv-fLL2SM',1,0.0,'{"choice": "right", "strength": 2}',8.0,1768478580.0);
INSERT INTO "judgment" VALUES('nxOBYollgqNfrW1W',0,NULL,'{"skipped": "cannot_judge"}',8.0,1768478600.0);
INSERT INTO "judgment" VALUES('nxOBYollgqNfrW1W',1,0.0,'{"choice": "left", "strength": 2}',8.0,1768478600.0);
INSERT INTO "judgment" VALUES('reCuBZhnb2SQovNE',0,0.0,'{"choice": "right", "strength": 1}',8.0,1768478620.0);
INSERT INTO "judgment" VALUES('reCuBZhnb2SQovNE',1,0.5,'{"choice": "tie"}',8.0,1768478620.0);
INSERT INTO "judgment" VALUES('Csmomx-sRRSqTqmw',0,1.0,'{"choice": "left", "strength": 1}',8.0,1768478640.0);
INSERT INTO "judgment" VALUES('Csmomx-sRRSqTqmw',1,0.0,'{"choice": "right", "strength": 2}',8.0,1768478640.0);
CREATE TABLE look_request (
  campaign TEXT NOT NULL REFERENCES campaign(id), n INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done')),
  started DOUBLE PRECISION NOT NULL,
  result TEXT,
  PRIMARY KEY (campaign, n));
CREATE TABLE output (
  campaign TEXT NOT NULL, part TEXT NOT NULL, n INTEGER NOT NULL, system TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (campaign, part, n, system),
  FOREIGN KEY (campaign, part, n) REFERENCES segment(campaign, part, n));
INSERT INTO "output" VALUES('c','d0',0,'new','the quick brown fox jumps over a lazy dog and then it runs away 0 of new');
INSERT INTO "output" VALUES('c','d0',0,'old','the quick brown fox jumps over a lazy dog and then it runs away 0 of old');
INSERT INTO "output" VALUES('c','d0',1,'new','the quick brown fox jumps over a lazy dog and then it runs away 1 of new');
INSERT INTO "output" VALUES('c','d0',1,'old','the quick brown fox jumps over a lazy dog and then it runs away 1 of old');
INSERT INTO "output" VALUES('c','d1',0,'new','the quick brown fox jumps over a lazy dog and then it runs away 2 of new');
INSERT INTO "output" VALUES('c','d1',0,'old','the quick brown fox jumps over a lazy dog and then it runs away 2 of old');
INSERT INTO "output" VALUES('c','d1',1,'new','the quick brown fox jumps over a lazy dog and then it runs away 3 of new');
INSERT INTO "output" VALUES('c','d1',1,'old','the quick brown fox jumps over a lazy dog and then it runs away 3 of old');
INSERT INTO "output" VALUES('c','d2',0,'new','the quick brown fox jumps over a lazy dog and then it runs away 4 of new');
INSERT INTO "output" VALUES('c','d2',0,'old','the quick brown fox jumps over a lazy dog and then it runs away 4 of old');
INSERT INTO "output" VALUES('c','d2',1,'new','the quick brown fox jumps over a lazy dog and then it runs away 5 of new');
INSERT INTO "output" VALUES('c','d2',1,'old','the quick brown fox jumps over a lazy dog and then it runs away 5 of old');
INSERT INTO "output" VALUES('c','d3',0,'new','the quick brown fox jumps over a lazy dog and then it runs away 6 of new');
INSERT INTO "output" VALUES('c','d3',0,'old','the quick brown fox jumps over a lazy dog and then it runs away 6 of old');
INSERT INTO "output" VALUES('c','d3',1,'new','the quick brown fox jumps over a lazy dog and then it runs away 7 of new');
INSERT INTO "output" VALUES('c','d3',1,'old','the quick brown fox jumps over a lazy dog and then it runs away 7 of old');
CREATE TABLE page (
  token TEXT PRIMARY KEY,
  work BIGINT NOT NULL REFERENCES work(id), epoch INTEGER NOT NULL,
  rater TEXT NOT NULL REFERENCES rater(id),
  block INTEGER NOT NULL, ord INTEGER NOT NULL,
  system TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('system', 'repeat', 'degraded', 'reference')),
  lines TEXT,
  given_at DOUBLE PRECISION,
  done INTEGER NOT NULL,
  client_key TEXT, beside TEXT, flipped INTEGER NOT NULL DEFAULT 0, document_score DOUBLE PRECISION);
INSERT INTO "page" VALUES('2TZR8mDn7oGmajdG',4,1,'c/r-01',1,0,'old','system',NULL,1768478500.0,1,'k','new',0,NULL);
INSERT INTO "page" VALUES('tBhX06f658UTu94S',1,1,'c/r-01',1,1,'old','reference','[["reference", "the quick brown fox jumps over a lazy dog and then it runs away 6"], ["reference", "the quick brown fox jumps over a lazy dog and then it runs away 7"]]',1768478520.0,1,'k','new',1,NULL);
INSERT INTO "page" VALUES('pQ6QiZh9qMxHlO67',3,1,'c/r-01',1,2,'new','system',NULL,1768478540.0,1,'k','old',0,NULL);
INSERT INTO "page" VALUES('GugiLXACv-fLL2SM',2,1,'c/r-01',1,3,'new','system',NULL,1768478560.0,1,'k','old',0,NULL);
INSERT INTO "page" VALUES('nxOBYollgqNfrW1W',4,1,'c/r-01',1,4,'new','degraded','[["degraded", "the quick brown fox jumps over a lazy brown fox jumps over a away 4 of new"], ["degraded", "the quick brown fox jumps brown fox jumps over a then it runs away 5 of new"]]',1768478580.0,1,'k','old',1,NULL);
INSERT INTO "page" VALUES('reCuBZhnb2SQovNE',1,1,'c/r-01',1,5,'old','system',NULL,1768478600.0,1,'k','new',0,NULL);
INSERT INTO "page" VALUES('Csmomx-sRRSqTqmw',3,1,'c/r-01',1,6,'new','repeat','[["repeat", "the quick brown fox jumps over a lazy dog and then it runs away 2 of new"], ["repeat", "the quick brown fox jumps over a lazy dog and then it runs away 3 of new"]]',1768478620.0,1,'k','old',0,NULL);
CREATE TABLE part (
  campaign TEXT NOT NULL REFERENCES campaign(id),
  part TEXT NOT NULL,
  document TEXT,
  PRIMARY KEY (campaign, part));
INSERT INTO "part" VALUES('c','d0','d0');
INSERT INTO "part" VALUES('c','d1','d1');
INSERT INTO "part" VALUES('c','d2','d2');
INSERT INTO "part" VALUES('c','d3','d3');
CREATE TABLE rater (
  id TEXT PRIMARY KEY,
  campaign TEXT NOT NULL REFERENCES campaign(id),
  code TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'no more work', 'revoked')),
  token_hash TEXT NOT NULL UNIQUE,
  block INTEGER NOT NULL,
  last_seen DOUBLE PRECISION, consented DOUBLE PRECISION,
  UNIQUE (campaign, code));
INSERT INTO "rater" VALUES('c/r-01','c','r-01','active','a009eea1c6629c0c1dcc518f27a9a8ced4b39d9cbdfa63fdcdb380484f0e6833',1,1768478640.0,NULL);
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied DOUBLE PRECISION NOT NULL);
INSERT INTO "schema_version" VALUES(1,1768478400.0);
INSERT INTO "schema_version" VALUES(2,1768478400.0);
INSERT INTO "schema_version" VALUES(3,1768478400.0);
CREATE TABLE seen_by (
  rater TEXT NOT NULL REFERENCES rater(id), part TEXT NOT NULL,
  PRIMARY KEY (rater, part));
INSERT INTO "seen_by" VALUES('c/r-01','d3');
INSERT INTO "seen_by" VALUES('c/r-01','d0');
INSERT INTO "seen_by" VALUES('c/r-01','d1');
INSERT INTO "seen_by" VALUES('c/r-01','d2');
CREATE TABLE segment (
  campaign TEXT NOT NULL, part TEXT NOT NULL, n INTEGER NOT NULL,
  item TEXT NOT NULL,
  source TEXT, reference TEXT,
  PRIMARY KEY (campaign, part, n),
  FOREIGN KEY (campaign, part) REFERENCES part(campaign, part));
INSERT INTO "segment" VALUES('c','d0',0,'1','Quelle 0','the quick brown fox jumps over a lazy dog and then it runs away 0');
INSERT INTO "segment" VALUES('c','d0',1,'2','Quelle 1','the quick brown fox jumps over a lazy dog and then it runs away 1');
INSERT INTO "segment" VALUES('c','d1',0,'3','Quelle 2','the quick brown fox jumps over a lazy dog and then it runs away 2');
INSERT INTO "segment" VALUES('c','d1',1,'4','Quelle 3','the quick brown fox jumps over a lazy dog and then it runs away 3');
INSERT INTO "segment" VALUES('c','d2',0,'5','Quelle 4','the quick brown fox jumps over a lazy dog and then it runs away 4');
INSERT INTO "segment" VALUES('c','d2',1,'6','Quelle 5','the quick brown fox jumps over a lazy dog and then it runs away 5');
INSERT INTO "segment" VALUES('c','d3',0,'7','Quelle 6','the quick brown fox jumps over a lazy dog and then it runs away 6');
INSERT INTO "segment" VALUES('c','d3',1,'8','Quelle 7','the quick brown fox jumps over a lazy dog and then it runs away 7');
CREATE TABLE status (
  campaign TEXT NOT NULL REFERENCES campaign(id), name TEXT NOT NULL, n BIGINT NOT NULL,
  PRIMARY KEY (campaign, name));
INSERT INTO "status" VALUES('c','works',4);
INSERT INTO "status" VALUES('c','pages',7);
INSERT INTO "status" VALUES('c','judgments',13);
INSERT INTO "status" VALUES('c','skipped',1);
INSERT INTO "status" VALUES('c','works_done',4);
INSERT INTO "status" VALUES('c','late',0);
INSERT INTO "status" VALUES('c','expired',0);
CREATE TABLE work (
  id BIGINT PRIMARY KEY,
  campaign TEXT NOT NULL, part TEXT NOT NULL, wave INTEGER NOT NULL, ord BIGINT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'leased', 'done', 'cut')),
  rater TEXT REFERENCES rater(id), lease_until DOUBLE PRECISION,
  epoch INTEGER NOT NULL,
  left_to_do INTEGER, done_at DOUBLE PRECISION,
  UNIQUE (campaign, part, wave),
  FOREIGN KEY (campaign, part) REFERENCES part(campaign, part));
INSERT INTO "work" VALUES(1,'c','d3',1,0,'done','c/r-01',NULL,1,0,1768478620.0);
INSERT INTO "work" VALUES(2,'c','d0',1,1,'done','c/r-01',NULL,1,0,1768478580.0);
INSERT INTO "work" VALUES(3,'c','d1',1,2,'done','c/r-01',NULL,1,0,1768478640.0);
INSERT INTO "work" VALUES(4,'c','d2',1,3,'done','c/r-01',NULL,1,0,1768478600.0);
CREATE INDEX work_open ON work (campaign, state, ord);
CREATE INDEX work_rater ON work (rater, state);
CREATE INDEX work_lease ON work (state, lease_until);
CREATE INDEX page_next ON page (rater, done, block, ord);
CREATE INDEX page_work ON page (work, epoch);
COMMIT;
