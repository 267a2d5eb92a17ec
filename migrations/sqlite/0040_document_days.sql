-- Documents of past days, counted and added up: a summary of a period reads these instead of every document.

-- Days of an account whose documents are added up, from the first one with many documents on. The day's number
-- since 1970 in Brasília, three hours behind.
CREATE TABLE document_days (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    day BIGINT NOT NULL,
    -- 1: `document_sums` has this day. 0: it must be added up, because it is new or a document of it changed.
    state BIGINT NOT NULL CHECK (state IN (0, 1)),
    -- How often a document of it changed: who adds it up sees whether one did meanwhile.
    changes BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, day)
) WITHOUT ROWID;
CREATE INDEX document_days_open ON document_days (account_id, day) WHERE state = 0;

-- Without a company: all of them together. Only what there is has a row. The days of a company stand together,
-- as a summary reads them.
CREATE TABLE document_sums (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    emitter_id TEXT NOT NULL,
    day BIGINT NOT NULL,
    ambiente TEXT NOT NULL,
    modelo TEXT NOT NULL,
    status TEXT NOT NULL,
    documentos BIGINT NOT NULL,
    centavos BIGINT NOT NULL,
    PRIMARY KEY (account_id, emitter_id, day, ambiente, modelo, status)
) WITHOUT ROWID;

-- The day before which all days of an account were looked at for `document_days`.
CREATE TABLE document_progress (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    before_day BIGINT NOT NULL
);

-- Whatever writes a document: its day must be added up again. A day without a row costs one look.
CREATE TRIGGER document_days_insert AFTER INSERT ON notas BEGIN
    UPDATE document_days SET state = 0, changes = changes + 1 WHERE account_id = new.account_id AND day = (new.created_at_ms - 10800000) / 86400000;
END;
CREATE TRIGGER document_days_delete AFTER DELETE ON notas BEGIN
    UPDATE document_days SET state = 0, changes = changes + 1 WHERE account_id = old.account_id AND day = (old.created_at_ms - 10800000) / 86400000;
END;
CREATE TRIGGER document_days_update AFTER UPDATE OF account_id, emitter_id, ambiente, modelo, status, valor_centavos, created_at_ms ON notas
WHEN old.account_id <> new.account_id OR old.emitter_id <> new.emitter_id OR old.ambiente <> new.ambiente OR old.modelo <> new.modelo
    OR old.status <> new.status OR old.valor_centavos <> new.valor_centavos OR old.created_at_ms <> new.created_at_ms
BEGIN
    UPDATE document_days SET state = 0, changes = changes + 1 WHERE account_id = old.account_id AND day = (old.created_at_ms - 10800000) / 86400000;
    UPDATE document_days SET state = 0, changes = changes + 1 WHERE account_id = new.account_id AND day = (new.created_at_ms - 10800000) / 86400000;
END;
-- A company that never issued can be removed, and its drafts before it.
CREATE TRIGGER document_sums_emitter AFTER DELETE ON emitters BEGIN
    DELETE FROM document_sums WHERE account_id = old.account_id AND emitter_id = old.id;
END;
