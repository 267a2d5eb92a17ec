-- Keys with scopes, addresses and spending limits.

-- Scopes: names with a space between; keys made before have all of them.
ALTER TABLE api_keys ADD COLUMN escopos TEXT NOT NULL
    DEFAULT 'emissao consulta entrada cofre fiscal dados emitentes storage webhooks creditos chaves';
-- Ranges with a space between; empty: any address.
ALTER TABLE api_keys ADD COLUMN ips TEXT NOT NULL DEFAULT '';
-- Credits per day and per month; NULL: no limit.
ALTER TABLE api_keys ADD COLUMN limite_diario BIGINT CHECK (limite_diario >= 0);
ALTER TABLE api_keys ADD COLUMN limite_mensal BIGINT CHECK (limite_mensal >= 0);
-- Row of budgets; empty: nothing is limited.
ALTER TABLE api_keys ADD COLUMN budget_id TEXT NOT NULL DEFAULT '';
-- The key that rotation put in its place.
ALTER TABLE api_keys ADD COLUMN substituida_por TEXT NOT NULL DEFAULT '';
-- At most a minute behind; 0: never.
ALTER TABLE api_keys ADD COLUMN last_used_ms BIGINT NOT NULL DEFAULT 0;
CREATE INDEX api_keys_account ON api_keys (account_id, id);

-- What the keys of a limit have spent, holds included. The periods are told by
-- their first moment in Brasília and only go forward.
CREATE TABLE budgets (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    dia_ms BIGINT NOT NULL DEFAULT 0,
    gasto_dia BIGINT NOT NULL DEFAULT 0 CHECK (gasto_dia >= 0),
    mes_ms BIGINT NOT NULL DEFAULT 0,
    gasto_mes BIGINT NOT NULL DEFAULT 0 CHECK (gasto_mes >= 0)
);

-- Who spent; empty for what was written before.
ALTER TABLE transfers ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
ALTER TABLE transfers ADD COLUMN budget_id TEXT NOT NULL DEFAULT '';
CREATE INDEX transfers_budget ON transfers (budget_id, created_at_ms) WHERE budget_id <> '';
ALTER TABLE requests ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
