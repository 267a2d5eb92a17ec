-- What operators did, besides changes of adapters (`adapter_actions`): to accounts, notes,
-- deliveries, authorizers. Rows never change.
CREATE TABLE operator_actions (
    id TEXT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    -- The door: hub (command line), admin (programs), operador (pages).
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    -- Id or name of what it was done to.
    target TEXT NOT NULL,
    -- Whose it is; empty: of no account.
    account_id TEXT NOT NULL,
    -- The reason that was given, and what changed.
    detail TEXT NOT NULL
);
CREATE TRIGGER operator_actions_append_only BEFORE UPDATE OR DELETE ON operator_actions
FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Deliveries that did not arrive, and webhooks that rest, over all accounts: few beside
-- the deliveries of ninety days.
CREATE INDEX deliveries_open ON deliveries (created_at_ms, id) WHERE status <> 'entregue';
CREATE INDEX webhooks_resting ON webhooks (cool_until_ms) WHERE cool_until_ms > 0;
