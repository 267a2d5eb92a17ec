-- People who use the panel: who they are, which accounts they work in, and
-- what was done.

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    -- In lower case.
    email TEXT NOT NULL UNIQUE,
    nome TEXT NOT NULL,
    -- Argon2id, in the PHC format.
    senha TEXT NOT NULL,
    -- Second factor: its secret, sealed; empty: none. The last step that was
    -- used opens nothing again.
    totp BLOB NOT NULL,
    totp_step BIGINT NOT NULL DEFAULT 0,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);

CREATE TABLE members (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    papel TEXT NOT NULL CHECK (papel IN ('dono', 'administrador', 'desenvolvedor', 'financeiro', 'leitura')),
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, user_id)
);
CREATE INDEX members_user ON members (user_id, account_id);

CREATE TABLE invites (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    email TEXT NOT NULL,
    papel TEXT NOT NULL,
    -- Digest of the link's secret.
    digest TEXT NOT NULL UNIQUE,
    expires_at_ms BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX invites_email ON invites (account_id, email);

CREATE TABLE sessions (
    -- Digest of the cookie.
    digest TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    csrf TEXT NOT NULL,
    -- 1: it looks at the live world, 0: at the test one.
    live BIGINT NOT NULL DEFAULT 0 CHECK (live IN (0, 1)),
    created_at_ms BIGINT NOT NULL,
    seen_at_ms BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_seen ON sessions (seen_at_ms);

-- Attempts at something by somebody: theoretical arrival time (GCRA).
CREATE TABLE throttles (
    subject TEXT PRIMARY KEY,
    arrival_ms BIGINT NOT NULL
);

-- What people and keys did to the account. Written once.
CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    at_ms BIGINT NOT NULL,
    -- A user's id, or empty and the end of a key.
    user_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    ip TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX audit_account ON audit (account_id, id);
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
