-- When an operator blocked the account, and why, as its people are told. 0 and
-- empty: it is not blocked.
ALTER TABLE accounts ADD COLUMN blocked_at_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN blocked_reason TEXT NOT NULL DEFAULT '';
