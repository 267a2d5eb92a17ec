-- Certificates that packed records name (docs/decisions/0020-packed-records.md): each is kept
-- once, under the first 16 bytes of its SHA-256.
CREATE TABLE packed_certificates (
    id BYTEA PRIMARY KEY,
    bytes BYTEA NOT NULL
);
