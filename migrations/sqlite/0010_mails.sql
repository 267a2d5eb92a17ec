-- Mail and messages on their way out, notices of certificates, and whom a
-- message about a low balance goes to.

-- What is sent, as data: the text is made of it when it is sent. It goes with
-- the last of its mails.
CREATE TABLE mail_contents (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- JSON.
    carta TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL
);

CREATE TABLE mail_files (
    content_id TEXT NOT NULL REFERENCES mail_contents (id),
    ordem BIGINT NOT NULL,
    nome TEXT NOT NULL,
    tipo TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (content_id, ordem)
);

-- One content for one address.
CREATE TABLE mails (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    content_id TEXT NOT NULL,
    canal TEXT NOT NULL CHECK (canal IN ('email', 'chatapp')),
    tipo TEXT NOT NULL CHECK (tipo IN ('documento', 'certificado', 'saldo', 'convite')),
    -- Note, certificate, account or invitation it is about.
    subject_id TEXT NOT NULL,
    -- Address or number; empty once it is over.
    destino TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('fila', 'enviado', 'falhou')),
    -- Why the last attempt failed: a code, never an address.
    motivo TEXT NOT NULL DEFAULT '',
    attempts BIGINT NOT NULL DEFAULT 0,
    due_ms BIGINT NOT NULL,
    -- The node that sends it.
    fence BIGINT NOT NULL DEFAULT 0,
    lease_owner TEXT NOT NULL DEFAULT '',
    lease_until_ms BIGINT NOT NULL DEFAULT 0,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE INDEX mails_due ON mails (due_ms, id) WHERE status = 'fila';
CREATE INDEX mails_content ON mails (content_id) WHERE status = 'fila';
CREATE INDEX mails_account ON mails (account_id, created_at_ms);
CREATE INDEX mails_subject ON mails (account_id, subject_id);
CREATE INDEX mails_age ON mails (updated_at_ms) WHERE status <> 'fila';

-- When somebody must be told next that it ends; 0: not looked at yet.
ALTER TABLE certificates ADD COLUMN aviso_ms BIGINT NOT NULL DEFAULT 0;
CREATE INDEX certificates_aviso ON certificates (aviso_ms);

-- JSON: numbers a message about a low balance goes to.
ALTER TABLE alertas ADD COLUMN telefones TEXT NOT NULL DEFAULT '[]';
