-- What adapters had signed with customers' keys, and what they were refused: a
-- signature, a secret or the certificate at an endpoint. Rows never change; old ones
-- are removed.
CREATE TABLE adapter_uses (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    flow_id TEXT NOT NULL,
    -- The adapter by its own name, and the SHA-256 of its component.
    component TEXT NOT NULL,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('element', 'text', 'secret', 'certificate')),
    -- Of an element its name and its namespace in braces, of a secret its name and
    -- the endpoint, of the certificate the endpoint.
    what TEXT NOT NULL,
    -- SHA-256 of what was signed or would have been, hexadecimal: of a text, or of
    -- the canonical SignedInfo.
    sha256 TEXT NOT NULL,
    -- Why not; empty: it was signed.
    refused TEXT NOT NULL,
    at_ms BIGINT NOT NULL
);
CREATE INDEX adapter_uses_at ON adapter_uses (at_ms);

-- What a component may do, as it declared when it was installed: JSON. Empty: it was
-- installed before there were declarations.
ALTER TABLE adapter_components ADD COLUMN permissions TEXT NOT NULL DEFAULT '';
