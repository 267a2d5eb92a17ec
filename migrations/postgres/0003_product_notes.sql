-- Product notes (NF-e, NFC-e): what they have besides a service note, events
-- of every kind, numbers that were voided.

-- JSON: totals, warnings, QR code, what the authority said last.
ALTER TABLE notas ADD COLUMN detalhes TEXT NOT NULL DEFAULT '';
-- The value once more, in cents, so that listings can compare it.
ALTER TABLE notas ADD COLUMN valor_centavos BIGINT NOT NULL DEFAULT 0;
UPDATE notas SET valor_centavos = CAST(ROUND(CAST(valor AS NUMERIC) * 100) AS BIGINT) WHERE valor <> '';

-- Any kind of event, and voiding requests, which have no note (nota_id is
-- empty).
ALTER TABLE eventos DROP CONSTRAINT eventos_tipo_check;
ALTER TABLE eventos DROP CONSTRAINT eventos_nota_id_fkey;
ALTER TABLE eventos ADD COLUMN emitter_id TEXT NOT NULL DEFAULT '';
ALTER TABLE eventos ADD COLUMN ambiente TEXT NOT NULL DEFAULT '';
ALTER TABLE eventos ADD COLUMN chave TEXT NOT NULL DEFAULT '';
-- tpEvento of the layout ("110111"); empty for a question.
ALTER TABLE eventos ADD COLUMN codigo TEXT NOT NULL DEFAULT '';
ALTER TABLE eventos ADD COLUMN sequencia BIGINT NOT NULL DEFAULT 0;
-- JSON: what the customer gave, shown again in listings.
ALTER TABLE eventos ADD COLUMN detalhes TEXT NOT NULL DEFAULT '';
-- The authority knows an event by key, kind and sequence.
CREATE UNIQUE INDEX eventos_sequencia ON eventos (emitter_id, ambiente, chave, codigo, sequencia)
    WHERE codigo <> '' AND status IN ('em_transmissao', 'registrado');

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

-- Where a company stands in the national distribution of documents.
CREATE TABLE distribuicoes (
    emitter_id TEXT NOT NULL REFERENCES emitters (id),
    ambiente TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    ultimo_nsu BIGINT NOT NULL,
    max_nsu BIGINT NOT NULL,
    consultada_ms BIGINT NOT NULL,
    -- When the hub asks by itself; 0: only when it is told to.
    agendada_ms BIGINT NOT NULL,
    PRIMARY KEY (emitter_id, ambiente)
);
CREATE INDEX distribuicoes_agenda ON distribuicoes (agendada_ms) WHERE agendada_ms > 0;

-- The authority counts questions by CNPJ, whoever asks: so does this table,
-- across all accounts.
CREATE TABLE distribuicao_pausas (
    documento TEXT NOT NULL,
    ambiente TEXT NOT NULL,
    -- No question about new documents before this moment.
    livre_ms BIGINT NOT NULL,
    -- No question at all before this moment: the authority said 656.
    bloqueada_ate_ms BIGINT NOT NULL,
    -- A question is on its way, at most until this moment.
    ocupada_ate_ms BIGINT NOT NULL,
    -- JSON: when the last hour's questions by key or NSU were asked, epoch
    -- milliseconds.
    pontuais TEXT NOT NULL,
    PRIMARY KEY (documento, ambiente)
);

-- Notes somebody issued against a company of ours.
CREATE TABLE recebidas (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    emitter_id TEXT NOT NULL REFERENCES emitters (id),
    ambiente TEXT NOT NULL,
    chave TEXT NOT NULL,
    nsu BIGINT NOT NULL,
    -- 1: the whole note is kept, 0: only its summary.
    completa BIGINT NOT NULL CHECK (completa IN (0, 1)),
    situacao TEXT NOT NULL CHECK (situacao IN ('autorizada', 'denegada', 'cancelada')),
    emitente_documento TEXT NOT NULL,
    emitente_nome TEXT NOT NULL,
    emitida_em TEXT NOT NULL,
    valor TEXT NOT NULL,
    valor_centavos BIGINT NOT NULL,
    protocolo TEXT NOT NULL,
    manifestacao TEXT NOT NULL,
    simulada BIGINT NOT NULL CHECK (simulada IN (0, 1)),
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX recebidas_chave ON recebidas (emitter_id, ambiente, chave);
CREATE INDEX recebidas_account ON recebidas (account_id, id);

-- Events distributed to a company: of received notes, and of its own.
CREATE TABLE recebidas_eventos (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    emitter_id TEXT NOT NULL REFERENCES emitters (id),
    ambiente TEXT NOT NULL,
    nsu BIGINT NOT NULL,
    chave TEXT NOT NULL,
    codigo TEXT NOT NULL,
    descricao TEXT NOT NULL,
    sequencia BIGINT NOT NULL,
    registrado_em TEXT NOT NULL,
    protocolo TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX recebidas_eventos_nsu ON recebidas_eventos (emitter_id, ambiente, nsu);
CREATE INDEX recebidas_eventos_account ON recebidas_eventos (account_id, id);
CREATE INDEX recebidas_eventos_chave ON recebidas_eventos (account_id, chave);

-- Searches go over issued and received documents together, newest first.
CREATE INDEX notas_criada ON notas (account_id, created_at_ms, id);
CREATE INDEX recebidas_criada ON recebidas (account_id, created_at_ms, id);
