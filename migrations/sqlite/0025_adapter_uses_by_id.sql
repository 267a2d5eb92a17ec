-- Each signature adds a row: its id sorts by time and serves every question, so the
-- table needs no other order and no rowid. The columns are those of 0023.
CREATE TABLE adapter_uses_by_id (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    flow_id TEXT NOT NULL,
    component TEXT NOT NULL,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('element', 'text', 'secret', 'certificate')),
    what TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    refused TEXT NOT NULL,
    at_ms BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO adapter_uses_by_id (id, account_id, flow_id, component, digest, kind, what, sha256, refused, at_ms)
    SELECT id, account_id, flow_id, component, digest, kind, what, sha256, refused, at_ms FROM adapter_uses;
DROP TABLE adapter_uses;
ALTER TABLE adapter_uses_by_id RENAME TO adapter_uses;
