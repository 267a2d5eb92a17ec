-- Product notes (NF-e, NFC-e): what they have besides a service note, events
-- of every kind, numbers that were voided.

-- JSON: totals, warnings, QR code, what the authority said last.
ALTER TABLE notas ADD COLUMN detalhes TEXT NOT NULL DEFAULT '';
-- The value once more, in cents, so that listings can compare it.
ALTER TABLE notas ADD COLUMN valor_centavos BIGINT NOT NULL DEFAULT 0;
UPDATE notas SET valor_centavos = CAST(ROUND(CAST(valor AS NUMERIC) * 100) AS BIGINT) WHERE valor <> '';

-- Any kind of event, and voiding requests, which have no note (nota_id is
-- empty): SQLite changes a constraint by making the table again.
CREATE TABLE eventos_new (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    nota_id TEXT NOT NULL,
    tipo TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('em_transmissao', 'registrado', 'rejeitado', 'nao_enviado')),
    conteudo TEXT NOT NULL,
    context TEXT NOT NULL,
    preco BIGINT NOT NULL,
    hold_id TEXT NOT NULL,
    protocolo TEXT NOT NULL,
    resultado TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    request_id TEXT NOT NULL,
    answer_status BIGINT NOT NULL DEFAULT 0,
    answer TEXT NOT NULL DEFAULT '',
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    emitter_id TEXT NOT NULL DEFAULT '',
    ambiente TEXT NOT NULL DEFAULT '',
    chave TEXT NOT NULL DEFAULT '',
    -- tpEvento of the layout ("110111"); empty for a question.
    codigo TEXT NOT NULL DEFAULT '',
    sequencia BIGINT NOT NULL DEFAULT 0,
    -- JSON: what the customer gave, shown again in listings.
    detalhes TEXT NOT NULL DEFAULT ''
);
INSERT INTO eventos_new (id, account_id, nota_id, tipo, status, conteudo, context, preco, hold_id, protocolo, resultado, attempts,
    request_id, answer_status, answer, created_at_ms, updated_at_ms)
    SELECT id, account_id, nota_id, tipo, status, conteudo, context, preco, hold_id, protocolo, resultado, attempts,
    request_id, answer_status, answer, created_at_ms, updated_at_ms FROM eventos;
DROP TABLE eventos;
ALTER TABLE eventos_new RENAME TO eventos;
CREATE UNIQUE INDEX eventos_cancelamento ON eventos (nota_id)
    WHERE tipo = 'cancelamento' AND status IN ('em_transmissao', 'registrado');
-- The authority knows an event by key, kind and sequence.
CREATE UNIQUE INDEX eventos_sequencia ON eventos (emitter_id, ambiente, chave, codigo, sequencia)
    WHERE codigo <> '' AND status IN ('em_transmissao', 'registrado');
CREATE INDEX eventos_open ON eventos (updated_at_ms) WHERE status = 'em_transmissao';
CREATE INDEX eventos_nota ON eventos (nota_id, id);

-- Numbers voided, or about to be: they are never given out.
CREATE TABLE number_void (
    emitter_id TEXT NOT NULL,
    ambiente TEXT NOT NULL,
    modelo TEXT NOT NULL,
    serie TEXT NOT NULL,
    numero BIGINT NOT NULL,
    evento_id TEXT NOT NULL,
    -- 1: it was free, and goes back if the authority refuses.
    was_free BIGINT NOT NULL CHECK (was_free IN (0, 1)),
    PRIMARY KEY (emitter_id, ambiente, modelo, serie, numero)
);
CREATE INDEX number_void_evento ON number_void (evento_id);

-- A note that returns, completes or adjusts another one.
CREATE TABLE vinculos (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    nota_id TEXT NOT NULL REFERENCES notas (id),
    chave_origem TEXT NOT NULL,
    tipo TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX vinculos_nota ON vinculos (nota_id, chave_origem);
CREATE INDEX vinculos_origem ON vinculos (account_id, chave_origem);
