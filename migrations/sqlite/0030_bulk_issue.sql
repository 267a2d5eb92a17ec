-- Notes that somebody issues together, of a file: what the file said, what was found wrong, what
-- became of each note.
CREATE TABLE lotes (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- 1: in the live world, 0: in the test one.
    live BIGINT NOT NULL CHECK (live IN (0, 1)),
    user_id TEXT NOT NULL,
    emitter_id TEXT NOT NULL,
    modelo TEXT NOT NULL CHECK (modelo IN ('55', '65', 'nfse')),
    -- Name of the file.
    arquivo TEXT NOT NULL,
    -- JSON: the titles of its columns.
    colunas TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('conferido', 'emitindo', 'parado', 'concluido')),
    -- Why it stopped.
    motivo TEXT NOT NULL DEFAULT '',
    -- Credits of one note.
    preco BIGINT NOT NULL,
    fence BIGINT NOT NULL DEFAULT 0,
    lease_owner TEXT NOT NULL DEFAULT '',
    lease_until_ms BIGINT NOT NULL DEFAULT 0,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE INDEX lotes_account ON lotes (account_id, id);
CREATE INDEX lotes_age ON lotes (created_at_ms);
CREATE INDEX lotes_leased ON lotes (lease_until_ms) WHERE status = 'emitindo';

-- One note of the file: one line of it, or several.
CREATE TABLE lote_notas (
    lote_id TEXT NOT NULL REFERENCES lotes (id),
    -- The first of its lines, as a spreadsheet counts them.
    linha BIGINT NOT NULL,
    -- JSON: the cells of its lines.
    celulas TEXT NOT NULL,
    -- JSON: the body of the issuing operation; empty where something is wrong.
    corpo TEXT NOT NULL,
    destinatario TEXT NOT NULL,
    valor_centavos BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('errada', 'pronta', 'enviando', 'enviada', 'recusada', 'incerta')),
    nota_id TEXT NOT NULL DEFAULT '',
    -- JSON: what is wrong, in sentences.
    erros TEXT NOT NULL DEFAULT '[]',
    enviada_ms BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (lote_id, linha)
);
