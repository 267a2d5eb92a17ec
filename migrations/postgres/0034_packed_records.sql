-- The texts of a settled document (content, context, answer, journal, XML) in one compressed record.
-- Rows that are listed and searched stay, without their texts.
CREATE TABLE packed_records (
    -- The nota, evento or document of others.
    subject_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- Kinds of `artifacts` in it, each with a blank before and behind.
    kinds TEXT NOT NULL,
    -- That it was written with; 0: none.
    dictionary BIGINT NOT NULL,
    -- Of one whose journal and XML moved to the store of objects: their place there and the SHA-256 of their bytes.
    place TEXT NOT NULL DEFAULT '',
    sha256 TEXT NOT NULL DEFAULT '',
    -- 1: the journal is in it; 0: its time is over.
    journal BIGINT NOT NULL DEFAULT 1,
    -- When the document changed last before it was packed.
    settled_at_ms BIGINT NOT NULL,
    bytes BYTEA NOT NULL
);
CREATE INDEX packed_records_to_move ON packed_records (settled_at_ms, subject_id) WHERE place = '';
CREATE INDEX packed_records_journal ON packed_records (settled_at_ms, subject_id) WHERE journal = 1;
-- Not 0: the texts are in the record of the subject. Of a flow: its place in it, counted from 1;
-- below 0: and the record is to be made again, because the note changed.
ALTER TABLE notas ADD COLUMN packed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE eventos ADD COLUMN packed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE flows ADD COLUMN packed BIGINT NOT NULL DEFAULT 0;
CREATE INDEX flows_settled ON flows (updated_at_ms, id) WHERE phase = 'done' AND packed <= 0;
-- What is compressed is not compressed once more.
ALTER TABLE packed_records ALTER COLUMN bytes SET STORAGE EXTERNAL;
