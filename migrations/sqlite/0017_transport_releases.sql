-- Whether the operator released an account for documents that are not for
-- everybody: CT-e, whose transmission is in a test phase, and MDF-e.
ALTER TABLE accounts ADD COLUMN cte_released BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN mdfe_released BIGINT NOT NULL DEFAULT 0;
