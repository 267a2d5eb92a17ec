-- Events of the DeRE (layout 1.2.0, beta), and batches of them.

CREATE TABLE dere_events (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    emitter_id TEXT NOT NULL,
    ambiente TEXT NOT NULL CHECK (ambiente IN ('simulado', 'homologacao', 'producao')),
    -- Code of the event: D-1001.
    tipo TEXT NOT NULL,
    -- AAAA-MM.
    periodo TEXT NOT NULL,
    leiaute TEXT NOT NULL,
    -- The root of the company's CNPJ.
    inscricao TEXT NOT NULL,
    -- The id in the document, 42 characters.
    chave TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('valido', 'invalido')),
    -- JSON: what the customer said.
    dados TEXT NOT NULL,
    -- The document; empty where the data cannot be written.
    xml TEXT NOT NULL,
    -- 1: the document has its signature.
    assinado BIGINT NOT NULL,
    -- JSON: what is wrong.
    erros TEXT NOT NULL,
    -- The batch it is in; empty: none.
    batch_id TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX dere_events_chave ON dere_events (chave);

CREATE TABLE dere_batches (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    emitter_id TEXT NOT NULL,
    ambiente TEXT NOT NULL CHECK (ambiente IN ('simulado', 'homologacao', 'producao')),
    leiaute TEXT NOT NULL,
    inscricao TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('montado', 'em_validacao', 'aceito', 'rejeitado')),
    -- JSON: the events in their order, each with what was found of it.
    eventos TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
