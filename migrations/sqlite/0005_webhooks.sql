-- Webhooks: the order of events, who is told of them, and what became of it.

ALTER TABLE outbox ADD COLUMN emitter_id TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN ambiente TEXT NOT NULL DEFAULT '';
-- 1: asked for by "test this webhook"; outside of the account's order.
ALTER TABLE outbox ADD COLUMN teste BIGINT NOT NULL DEFAULT 0;
-- Place in the account's order, from 1; 0: not placed yet.
ALTER TABLE outbox ADD COLUMN sequencia BIGINT NOT NULL DEFAULT 0;
UPDATE outbox SET
    emitter_id = COALESCE((SELECT n.emitter_id FROM notas n WHERE n.id = outbox.subject_id),
        (SELECT r.emitter_id FROM recebidas r WHERE r.id = outbox.subject_id),
        (SELECT e.emitter_id FROM eventos e WHERE e.id = outbox.subject_id), ''),
    ambiente = COALESCE((SELECT n.ambiente FROM notas n WHERE n.id = outbox.subject_id),
        (SELECT r.ambiente FROM recebidas r WHERE r.id = outbox.subject_id),
        (SELECT e.ambiente FROM eventos e WHERE e.id = outbox.subject_id), '');
CREATE INDEX outbox_new ON outbox (account_id, id) WHERE sequencia = 0 AND teste = 0;
CREATE INDEX outbox_tests ON outbox (created_at_ms) WHERE teste = 1;
CREATE UNIQUE INDEX outbox_order ON outbox (account_id, sequencia) WHERE sequencia > 0;

-- Last place given in each account's order.
CREATE TABLE event_order (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    last BIGINT NOT NULL
);

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- Kind of key that registered it: it is told what that kind may see.
    kind TEXT NOT NULL CHECK (kind IN ('test', 'live')),
    url TEXT NOT NULL,
    -- JSON: kinds of events, as asked for; and companies. Empty: all.
    eventos TEXT NOT NULL,
    emitente_ids TEXT NOT NULL,
    descricao TEXT NOT NULL,
    -- Secrets and headers, sealed.
    sealed BLOB NOT NULL,
    -- When the secret before the last rotation stops signing; 0: none.
    anterior_ate_ms BIGINT NOT NULL DEFAULT 0,
    ativo BIGINT NOT NULL CHECK (ativo IN (0, 1)),
    -- Why it is not active.
    motivo TEXT NOT NULL DEFAULT '',
    -- Attempts that failed since the last that did not.
    failures BIGINT NOT NULL DEFAULT 0,
    -- Nothing is sent before this moment, and there is something to send at
    -- `next_ms`.
    cool_until_ms BIGINT NOT NULL DEFAULT 0,
    next_ms BIGINT NOT NULL DEFAULT 9223372036854775807,
    -- The node that delivers to it.
    fence BIGINT NOT NULL DEFAULT 0,
    lease_owner TEXT NOT NULL DEFAULT '',
    lease_until_ms BIGINT NOT NULL DEFAULT 0,
    version BIGINT NOT NULL DEFAULT 1,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE INDEX webhooks_account ON webhooks (account_id, id);
CREATE INDEX webhooks_next ON webhooks (next_ms) WHERE ativo = 1;

-- One event for one webhook. The id is made of both: never two.
CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    event_id TEXT NOT NULL REFERENCES outbox (id),
    tipo TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pendente', 'entregue', 'falhou')),
    -- Attempts made, and how many of them before the last resend.
    attempts BIGINT NOT NULL DEFAULT 0,
    resent_after BIGINT NOT NULL DEFAULT 0,
    -- When the schedule began, and when the next attempt is due.
    round_ms BIGINT NOT NULL,
    due_ms BIGINT NOT NULL,
    motivo TEXT NOT NULL DEFAULT '',
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_ms, id) WHERE status = 'pendente';
CREATE INDEX deliveries_account ON deliveries (account_id, id);
CREATE INDEX deliveries_failed ON deliveries (account_id, id) WHERE status = 'falhou';
CREATE INDEX deliveries_event ON deliveries (event_id);
CREATE INDEX deliveries_age ON deliveries (created_at_ms);

CREATE TABLE delivery_attempts (
    delivery_id TEXT NOT NULL REFERENCES deliveries (id),
    number BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    -- HTTP status; 0: there was no answer, for the reason in `error`.
    status BIGINT NOT NULL,
    error TEXT NOT NULL,
    -- Beginning of the answer's body.
    answer TEXT NOT NULL,
    PRIMARY KEY (delivery_id, number)
);
