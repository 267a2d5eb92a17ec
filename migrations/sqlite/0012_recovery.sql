-- More kinds of mail: a new password for who forgot theirs, and the question
-- whether an address is its person's. What a column may hold cannot be changed
-- in place here: the table is made again.
CREATE TABLE mails_new (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    content_id TEXT NOT NULL,
    canal TEXT NOT NULL CHECK (canal IN ('email', 'chatapp')),
    tipo TEXT NOT NULL CHECK (tipo IN ('documento', 'certificado', 'saldo', 'convite', 'senha', 'confirmacao')),
    -- Note, certificate, account, invitation or person it is about.
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
INSERT INTO mails_new SELECT * FROM mails;
DROP TABLE mails;
ALTER TABLE mails_new RENAME TO mails;
CREATE INDEX mails_due ON mails (due_ms, id) WHERE status = 'fila';
CREATE INDEX mails_content ON mails (content_id) WHERE status = 'fila';
CREATE INDEX mails_account ON mails (account_id, created_at_ms);
CREATE INDEX mails_subject ON mails (account_id, subject_id);
CREATE INDEX mails_age ON mails (updated_at_ms) WHERE status <> 'fila';

-- What a document's timeline tells, and the numbers voided in a period.
CREATE INDEX outbox_subject ON outbox (subject_id, id);
CREATE INDEX eventos_faixas ON eventos (account_id, created_at_ms, id) WHERE tipo = 'inutilizacao' AND status = 'registrado';

-- When somebody showed that mail to the address reaches them; 0: not yet. Who is
-- here already was not asked.
ALTER TABLE users ADD COLUMN email_ms BIGINT NOT NULL DEFAULT 0;
UPDATE users SET email_ms = created_at_ms;
