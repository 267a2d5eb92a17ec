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
