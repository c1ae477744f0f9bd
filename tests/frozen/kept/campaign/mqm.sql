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
INSERT INTO "campaign" VALUES('c','concluded','{"baseline": "", "block": 4, "categories": ["accuracy/mistranslation", "accuracy/addition", "accuracy/omission", "accuracy/untranslated", "fluency/grammar", "fluency/punctuation", "style/awkward", "terminology", "non-translation", "other"], "consent": "", "controls": 0.4, "criteria": [], "degrade": "word", "document_score": false, "grace_minutes": 45.0, "instructions": "", "lease_minutes": 45.0, "mode": "source", "overlap": 0.0, "page_language": "en", "page_lines": 30, "pay": "", "plan": "", "plan_path": "", "points": null, "primary": "", "protocol": "mqm", "reveal": "decision", "source_language": "und", "steps": null, "strength": false, "target_language": "und", "training": []}','["new", "old"]','["new", "old"]',4,2700.0,2360360630558964031,'1b816e0da93bb88f1b5bb4220436a617',1768478400.0);
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
INSERT INTO "judgment" VALUES('3T2F4Mee6sJ4oDwz',0,0.0,'{"spans": []}',8.0,1768478520.0);
INSERT INTO "judgment" VALUES('3T2F4Mee6sJ4oDwz',1,-0.1,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "fluency/punctuation"}]}',8.0,1768478520.0);
INSERT INTO "judgment" VALUES('PXqFEa8QwJCoXtj1',0,-6.0,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "accuracy/omission"}, {"severity": "major", "category": "accuracy/omission"}]}',8.0,1768478540.0);
INSERT INTO "judgment" VALUES('PXqFEa8QwJCoXtj1',1,0.0,'{"spans": []}',8.0,1768478540.0);
INSERT INTO "judgment" VALUES('joMTQtxTQJki9WHO',0,-1.0,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "accuracy/omission"}]}',8.0,1768478560.0);
INSERT INTO "judgment" VALUES('joMTQtxTQJki9WHO',1,-5.1,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "fluency/punctuation"}, {"severity": "major", "category": "fluency/punctuation"}]}',8.0,1768478560.0);
INSERT INTO "judgment" VALUES('-uyCEJVplV5aU15W',0,0.0,'{"spans": []}',8.0,1768478580.0);
INSERT INTO "judgment" VALUES('-uyCEJVplV5aU15W',1,-0.1,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "fluency/punctuation"}]}',8.0,1768478580.0);
INSERT INTO "judgment" VALUES('Lmp7rViQOChIGrph',0,NULL,'{"skipped": "cannot_judge"}',8.0,1768478600.0);
INSERT INTO "judgment" VALUES('Lmp7rViQOChIGrph',1,0.0,'{"spans": []}',8.0,1768478600.0);
INSERT INTO "judgment" VALUES('id4BjQIETX_e8frH',0,-1.0,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "accuracy/omission"}]}',8.0,1768478620.0);
INSERT INTO "judgment" VALUES('id4BjQIETX_e8frH',1,-5.1,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "fluency/punctuation"}, {"severity": "major", "category": "fluency/punctuation"}]}',8.0,1768478620.0);
INSERT INTO "judgment" VALUES('tZ24TYJgwdL04Sk2',0,0.0,'{"spans": []}',8.0,1768478640.0);
INSERT INTO "judgment" VALUES('tZ24TYJgwdL04Sk2',1,-0.1,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "fluency/punctuation"}]}',8.0,1768478640.0);
INSERT INTO "judgment" VALUES('5xx8bhuCXE_7WK5w',0,-6.0,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "accuracy/omission"}, {"severity": "major", "category": "accuracy/omission"}]}',8.0,1768478660.0);
INSERT INTO "judgment" VALUES('5xx8bhuCXE_7WK5w',1,0.0,'{"spans": []}',8.0,1768478660.0);
INSERT INTO "judgment" VALUES('q1D3UoNsS_KNRiGU',0,-1.0,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "accuracy/omission"}]}',8.0,1768478680.0);
INSERT INTO "judgment" VALUES('q1D3UoNsS_KNRiGU',1,NULL,'{"skipped": "cannot_judge"}',8.0,1768478680.0);
INSERT INTO "judgment" VALUES('amoq127qnQzrNLSB',0,0.0,'{"spans": []}',8.0,1768478700.0);
INSERT INTO "judgment" VALUES('amoq127qnQzrNLSB',1,-0.1,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "fluency/punctuation"}]}',8.0,1768478700.0);
INSERT INTO "judgment" VALUES('iWAjXGg2YJ15PEGf',0,-6.0,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "accuracy/omission"}, {"severity": "major", "category": "accuracy/omission"}]}',8.0,1768478720.0);
INSERT INTO "judgment" VALUES('iWAjXGg2YJ15PEGf',1,0.0,'{"spans": []}',8.0,1768478720.0);
INSERT INTO "judgment" VALUES('avNfSRqptyx3t23v',0,-1.0,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "accuracy/omission"}]}',8.0,1768478740.0);
INSERT INTO "judgment" VALUES('avNfSRqptyx3t23v',1,-5.1,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "fluency/punctuation"}, {"severity": "major", "category": "fluency/punctuation"}]}',8.0,1768478740.0);
INSERT INTO "judgment" VALUES('n8QZ5kTiprxSa8P0',0,0.0,'{"spans": []}',8.0,1768478760.0);
INSERT INTO "judgment" VALUES('n8QZ5kTiprxSa8P0',1,-0.1,'{"spans": [{"start": 4, "end": 9, "severity": "minor", "category": "fluency/punctuation"}]}',8.0,1768478760.0);
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
INSERT INTO "page" VALUES('3T2F4Mee6sJ4oDwz',4,1,'c/r-01',1,0,'new','repeat','[["repeat", "the quick brown fox jumps over a lazy dog and then it runs away 4 of new"], ["repeat", "the quick brown fox jumps over a lazy dog and then it runs away 5 of new"]]',1768478500.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('PXqFEa8QwJCoXtj1',4,1,'c/r-01',1,1,'old','system',NULL,1768478520.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('joMTQtxTQJki9WHO',3,1,'c/r-01',1,2,'old','degraded','[["degraded", "the quick brown fox jumps over a lazy dog and lazy dog and then it of old"], ["degraded", "the quick brown fox jumps over fox jumps over a lazy it runs away 3 of old"]]',1768478540.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('-uyCEJVplV5aU15W',3,1,'c/r-01',1,3,'new','system',NULL,1768478560.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('Lmp7rViQOChIGrph',2,1,'c/r-01',1,4,'new','system',NULL,1768478580.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('id4BjQIETX_e8frH',1,1,'c/r-01',1,5,'new','repeat','[["repeat", "the quick brown fox jumps over a lazy dog and then it runs away 6 of new"], ["repeat", "the quick brown fox jumps over a lazy dog and then it runs away 7 of new"]]',1768478600.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('tZ24TYJgwdL04Sk2',1,1,'c/r-01',1,6,'old','system',NULL,1768478620.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('5xx8bhuCXE_7WK5w',4,1,'c/r-01',1,7,'new','system',NULL,1768478640.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('q1D3UoNsS_KNRiGU',4,1,'c/r-01',1,8,'old','reference','[["reference", "the quick brown fox jumps over a lazy dog and then it runs away 4"], ["reference", "the quick brown fox jumps over a lazy dog and then it runs away 5"]]',1768478660.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('amoq127qnQzrNLSB',3,1,'c/r-01',1,9,'old','system',NULL,1768478680.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('iWAjXGg2YJ15PEGf',3,1,'c/r-01',1,10,'new','degraded','[["degraded", "the quick brown fox jumps fox jumps over a lazy then it runs away 2 of new"], ["degraded", "the quick brown fox jumps over a over a lazy dog and runs away 3 of new"]]',1768478700.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('avNfSRqptyx3t23v',2,1,'c/r-01',1,11,'old','system',NULL,1768478720.0,1,'k',NULL,0,NULL);
INSERT INTO "page" VALUES('n8QZ5kTiprxSa8P0',1,1,'c/r-01',1,12,'new','system',NULL,1768478740.0,1,'k',NULL,0,NULL);
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
INSERT INTO "rater" VALUES('c/r-01','c','r-01','active','56f0a2ffa9eb90330ad2e9997f6fcba7f20cc6217cb937e8039705b153652081',1,1768478760.0,NULL);
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
INSERT INTO "status" VALUES('c','pages',13);
INSERT INTO "status" VALUES('c','judgments',24);
INSERT INTO "status" VALUES('c','skipped',2);
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
INSERT INTO "work" VALUES(1,'c','d3',1,0,'done','c/r-01',NULL,1,0,1768478760.0);
INSERT INTO "work" VALUES(2,'c','d0',1,1,'done','c/r-01',NULL,1,0,1768478740.0);
INSERT INTO "work" VALUES(3,'c','d1',1,2,'done','c/r-01',NULL,1,0,1768478720.0);
INSERT INTO "work" VALUES(4,'c','d2',1,3,'done','c/r-01',NULL,1,0,1768478680.0);
CREATE INDEX work_open ON work (campaign, state, ord);
CREATE INDEX work_rater ON work (rater, state);
CREATE INDEX work_lease ON work (state, lease_until);
CREATE INDEX page_next ON page (rater, done, block, ord);
CREATE INDEX page_work ON page (work, epoch);
COMMIT;
