-- More kinds of mail: a new password for who forgot theirs, and the question
-- whether an address is its person's.
ALTER TABLE mails DROP CONSTRAINT mails_tipo_check;
ALTER TABLE mails ADD CONSTRAINT mails_tipo_check CHECK (tipo IN ('documento', 'certificado', 'saldo', 'convite', 'senha', 'confirmacao'));

-- What a document's timeline tells, and the numbers voided in a period.
CREATE INDEX outbox_subject ON outbox (subject_id, id);
CREATE INDEX eventos_faixas ON eventos (account_id, created_at_ms, id) WHERE tipo = 'inutilizacao' AND status = 'registrado';

-- When somebody showed that mail to the address reaches them; 0: not yet. Who is
-- here already was not asked.
ALTER TABLE users ADD COLUMN email_ms BIGINT NOT NULL DEFAULT 0;
UPDATE users SET email_ms = created_at_ms;
