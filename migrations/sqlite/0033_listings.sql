-- Every filter of a listing by an index, names once for each other party, and usage by day.

-- A list without other filters reads one run of these for each environment, model and state that
-- it asks for, already in the order of arrival, and joins them. The value is looked at on the way.
CREATE INDEX notas_runs ON notas (account_id, ambiente, modelo, status, created_at_ms, id, valor_centavos);
CREATE INDEX notas_company_runs ON notas (emitter_id, ambiente, modelo, status, created_at_ms, id, valor_centavos);
DROP INDEX notas_criada;
-- An export reads its documents page by page in the order of arrival.
CREATE INDEX notas_kept ON notas (account_id, created_at_ms, id) WHERE status IN ('autorizada', 'validada', 'cancelada');

-- Written once for each note: no later step names these columns.
CREATE INDEX notas_value ON notas (account_id, valor_centavos, created_at_ms, id);
DROP INDEX notas_outra_parte;
CREATE INDEX notas_party ON notas (account_id, tomador_documento, created_at_ms, id)
    WHERE tomador_documento <> '' OR tomador_nome <> '';

-- Other parties of an account's notes: a row for each name that a CPF or CNPJ was given, in lower
-- case without accents. The id is the moment it was first seen, so that ids grow.
CREATE TABLE parties (
    id BIGINT PRIMARY KEY,
    account_id TEXT NOT NULL,
    documento TEXT NOT NULL,
    name TEXT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX parties_name ON parties (account_id, name, documento);

-- Which parties have three letters in a row. The first column is a sign for the account, three
-- letters long as everything that is indexed here: the statements that read it make the same.
CREATE VIRTUAL TABLE party_words USING fts5(account, name, tokenize = 'trigram', detail = 'none', content = '');
CREATE TRIGGER party_words_insert AFTER INSERT ON parties BEGIN
    INSERT INTO party_words (rowid, account, name) VALUES (new.id,
        char(983040 + unicode(substr('......' || new.account_id, -1, 1)) % 128 * 128 + unicode(substr('......' || new.account_id, -2, 1)) % 128,
             983040 + unicode(substr('......' || new.account_id, -3, 1)) % 128 * 128 + unicode(substr('......' || new.account_id, -4, 1)) % 128,
             983040 + unicode(substr('......' || new.account_id, -5, 1)) % 128 * 128 + unicode(substr('......' || new.account_id, -6, 1)) % 128),
        new.name);
END;

-- Who issued a received note, in lower case without accents.
ALTER TABLE recebidas ADD COLUMN nome_busca TEXT NOT NULL DEFAULT '';
UPDATE recebidas SET nome_busca = REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(LOWER(emitente_nome), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a'), 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a'), 'É', 'e'), 'Ê', 'e'), 'é', 'e'), 'ê', 'e'), 'Í', 'i'), 'í', 'i'), 'Ó', 'o'), 'Ô', 'o'), 'Õ', 'o'), 'ó', 'o'), 'ô', 'o'), 'õ', 'o'), 'Ú', 'u'), 'Ü', 'u'), 'ú', 'u'), 'ü', 'u'), 'Ç', 'c'), 'ç', 'c');

-- Received notes of one issuer or company, persons of one CPF or CNPJ.
CREATE INDEX recebidas_issuer ON recebidas (account_id, emitente_documento, id);
CREATE INDEX recebidas_company ON recebidas (emitter_id, id);
CREATE INDEX pessoas_of_documento ON pessoas (account_id, documento, id);

-- How far the notes of before this migration were looked at for their parties; until `done` is 1
-- names are looked for in the notes themselves. No row: there were no notes.
CREATE TABLE party_fill (
    id BIGINT PRIMARY KEY,
    after TEXT NOT NULL,
    done BIGINT NOT NULL
);
INSERT INTO party_fill (id, after, done) SELECT 1, '', 0 WHERE EXISTS (SELECT 1 FROM notas);

-- Calls and credits of a day (UTC), written in the transaction of the call or transfer itself and
-- re-counted by `hub doctor`. Refunds are of purchases; only some reports count them.
CREATE TABLE usage_calls (
    account_id TEXT NOT NULL,
    day BIGINT NOT NULL,
    operation TEXT NOT NULL,
    key_id TEXT NOT NULL,
    emitter_id TEXT NOT NULL,
    calls BIGINT NOT NULL,
    PRIMARY KEY (account_id, day, operation, key_id, emitter_id)
) WITHOUT ROWID;
CREATE TABLE usage_credits (
    account_id TEXT NOT NULL,
    day BIGINT NOT NULL,
    operation TEXT NOT NULL,
    key_id TEXT NOT NULL,
    emitter_id TEXT NOT NULL,
    debited BIGINT NOT NULL,
    returned BIGINT NOT NULL,
    refunded BIGINT NOT NULL,
    PRIMARY KEY (account_id, day, operation, key_id, emitter_id)
) WITHOUT ROWID;
INSERT INTO usage_calls (account_id, day, operation, key_id, emitter_id, calls)
    SELECT q.account_id, q.created_at_ms / 86400000, q.operation, q.key_id, COALESCE(n.emitter_id, e.emitter_id, r.emitter_id, m.id, ''), COUNT(*)
    FROM requests q
    LEFT JOIN notas n ON n.id = q.subject_id AND n.account_id = q.account_id
    LEFT JOIN eventos e ON e.id = q.subject_id AND e.account_id = q.account_id
    LEFT JOIN recebidas r ON r.id = q.subject_id AND r.account_id = q.account_id
    LEFT JOIN emitters m ON m.id = q.subject_id AND m.account_id = q.account_id
    GROUP BY 1, 2, 3, 4, 5;
INSERT INTO usage_credits (account_id, day, operation, key_id, emitter_id, debited, returned, refunded)
    SELECT t.account_id, t.created_at_ms / 86400000, t.operation, t.key_id, COALESCE(n.emitter_id, e.emitter_id, ''),
        SUM(CASE WHEN t.kind IN ('post', 'direct') THEN t.amount ELSE 0 END),
        SUM(CASE WHEN t.kind = 'void' THEN t.amount ELSE 0 END),
        SUM(CASE WHEN t.kind = 'refund' THEN t.amount ELSE 0 END)
    FROM transfers t
    LEFT JOIN notas n ON n.id = t.subject_id AND n.account_id = t.account_id
    LEFT JOIN eventos e ON e.id = t.subject_id AND e.account_id = t.account_id
    WHERE t.kind IN ('post', 'direct', 'void', 'refund')
    GROUP BY 1, 2, 3, 4, 5;
