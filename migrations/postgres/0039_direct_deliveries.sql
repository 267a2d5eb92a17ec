-- The last attempt stands in the row of its delivery; `delivery_attempts` has those before it. 0: there
-- was none, or a version before this one made it, and all of them stand in `delivery_attempts`.
ALTER TABLE deliveries ADD COLUMN last_number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN last_at_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN last_duration_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN last_status BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN last_error TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN last_answer TEXT NOT NULL DEFAULT '';

-- Every event of the account up to this place has a delivery to the webhook, or it did not ask for it.
ALTER TABLE webhooks ADD COLUMN made_upto BIGINT NOT NULL DEFAULT 0;
UPDATE webhooks SET made_upto = COALESCE((SELECT e.last FROM event_order e WHERE e.account_id = webhooks.account_id), 0);
