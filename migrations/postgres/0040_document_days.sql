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
);
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
);

-- The day before which all days of an account were looked at for `document_days`.
CREATE TABLE document_progress (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    before_day BIGINT NOT NULL
);

-- Whatever writes a document: its day must be added up again. A day without a row costs one look.
CREATE FUNCTION document_day_changed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE document_days SET state = 0, changes = changes + 1 WHERE account_id = OLD.account_id AND day = (OLD.created_at_ms - 10800000) / 86400000;
        IF TG_OP = 'DELETE' OR (NEW.account_id = OLD.account_id AND NEW.created_at_ms = OLD.created_at_ms) THEN
            RETURN NULL;
        END IF;
    END IF;
    UPDATE document_days SET state = 0, changes = changes + 1 WHERE account_id = NEW.account_id AND day = (NEW.created_at_ms - 10800000) / 86400000;
    RETURN NULL;
END
$$;
-- At the end of the transaction: the row of the day is locked last, and not for long. Locked by the statement, a
-- draft of last week that is issued (its note, then the balance) and a note of that day that is settled (the
-- balance, then its note) would wait for each other.
CREATE CONSTRAINT TRIGGER document_days_insert AFTER INSERT OR DELETE ON notas DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION document_day_changed();
CREATE CONSTRAINT TRIGGER document_days_update AFTER UPDATE OF account_id, emitter_id, ambiente, modelo, status, valor_centavos, created_at_ms ON notas
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (OLD.account_id <> NEW.account_id OR OLD.emitter_id <> NEW.emitter_id OR OLD.ambiente <> NEW.ambiente OR OLD.modelo <> NEW.modelo
    OR OLD.status <> NEW.status OR OLD.valor_centavos <> NEW.valor_centavos OR OLD.created_at_ms <> NEW.created_at_ms)
EXECUTE FUNCTION document_day_changed();
-- A company that never issued can be removed, and its drafts before it.
CREATE FUNCTION document_sums_forget() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM document_sums WHERE account_id = OLD.account_id AND emitter_id = OLD.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER document_sums_emitter AFTER DELETE ON emitters
FOR EACH ROW EXECUTE FUNCTION document_sums_forget();
