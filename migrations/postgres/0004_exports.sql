-- Exports of documents: what was asked for, who is making it, what it became.
CREATE TABLE exportacoes (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- 1: asked for with a test key, which sees nothing of production.
    teste BIGINT NOT NULL CHECK (teste IN (0, 1)),
    -- Empty: all of the account.
    emitter_id TEXT NOT NULL,
    -- JSON: period, contents and kinds of documents.
    pedido TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('processando', 'pronta', 'falhou', 'expirada')),
    feitos BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL,
    -- Of the file, once it is there.
    documentos BIGINT NOT NULL DEFAULT 0,
    bytes BIGINT NOT NULL DEFAULT 0,
    sha256 TEXT NOT NULL DEFAULT '',
    -- JSON: documents that could not be put in, and why.
    ausentes TEXT NOT NULL DEFAULT '[]',
    expira_ms BIGINT NOT NULL DEFAULT 0,
    attempts BIGINT NOT NULL DEFAULT 0,
    fence BIGINT NOT NULL DEFAULT 0,
    lease_owner TEXT NOT NULL DEFAULT '',
    lease_until_ms BIGINT NOT NULL DEFAULT 0,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
-- An account makes one at a time.
CREATE UNIQUE INDEX exportacoes_running ON exportacoes (account_id) WHERE status = 'processando';
CREATE INDEX exportacoes_account ON exportacoes (account_id, id);
CREATE INDEX exportacoes_ready ON exportacoes (expira_ms) WHERE status = 'pronta';
