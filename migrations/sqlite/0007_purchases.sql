-- Purchases of credits, their refunds, and the alert of a low balance.

CREATE TABLE compras (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    meio TEXT NOT NULL CHECK (meio IN ('pix', 'boleto', 'cartao')),
    parcelas BIGINT NOT NULL CHECK (parcelas >= 1),
    -- 1 credit = R$ 0.01: also the amount in centavos.
    creditos BIGINT NOT NULL CHECK (creditos > 0),
    -- divergente: the PSP says that another amount was paid; nothing is credited.
    status TEXT NOT NULL CHECK (status IN ('aguardando', 'paga', 'expirada', 'cancelada', 'divergente')),
    -- JSON: who pays.
    pagador TEXT NOT NULL,
    -- The PSP's id; empty while it is not known whether there is a charge.
    cobranca_id TEXT NOT NULL DEFAULT '',
    -- JSON: what is paid with, as the PSP said it.
    cobranca TEXT NOT NULL DEFAULT '',
    vencimento TEXT NOT NULL DEFAULT '',
    pago_centavos BIGINT NOT NULL DEFAULT 0,
    -- When the credits came; 0: they did not.
    paga_ms BIGINT NOT NULL DEFAULT 0,
    -- Why it was cancelled.
    motivo TEXT NOT NULL DEFAULT '',
    request_id TEXT NOT NULL,
    expira_ms BIGINT NOT NULL,
    -- When the PSP is asked next.
    next_check_ms BIGINT NOT NULL,
    lease_until_ms BIGINT NOT NULL DEFAULT 0,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE INDEX compras_account ON compras (account_id, id);
CREATE INDEX compras_open ON compras (next_check_ms) WHERE status = 'aguardando';

CREATE TABLE reembolsos (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    compra_id TEXT NOT NULL REFERENCES compras (id),
    creditos BIGINT NOT NULL CHECK (creditos > 0),
    motivo TEXT NOT NULL,
    -- The credits leave the balance with `solicitado`, and come back with
    -- `recusado`.
    status TEXT NOT NULL CHECK (status IN ('solicitado', 'concluido', 'recusado')),
    -- The PSP's words, when it refused.
    detalhe TEXT NOT NULL DEFAULT '',
    request_id TEXT NOT NULL,
    next_check_ms BIGINT NOT NULL,
    lease_until_ms BIGINT NOT NULL DEFAULT 0,
    attempts BIGINT NOT NULL DEFAULT 0,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE INDEX reembolsos_compra ON reembolsos (compra_id, id);
CREATE INDEX reembolsos_open ON reembolsos (next_check_ms) WHERE status = 'solicitado';

CREATE TABLE alertas (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    -- JSON: where the customer wants to hear of it.
    canais TEXT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);

-- Thresholds of the alert, joined by commas: they come back with the balance a
-- charge leaves, so that looking at them costs no statement.
ALTER TABLE ledger_accounts ADD COLUMN limiares TEXT NOT NULL DEFAULT '';
