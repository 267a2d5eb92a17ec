-- Fewer and shorter indexes. No row is written again; each new index reads its table once.

-- What is never done twice. An end is of its hold (`transfers_pending`). A hold is of its subject, and its
-- `ref` is empty where it is the subject, as it was written out before; these are one and the same here. Other
-- references are the account's.
DROP INDEX transfers_ref;
DROP INDEX transfers_subject;
CREATE UNIQUE INDEX transfers_hold ON transfers (subject_id, (CASE WHEN ref = subject_id THEN '' ELSE ref END)) WHERE kind = 'hold';
CREATE UNIQUE INDEX transfers_ref ON transfers (account_id, kind, ref) WHERE pending_id IS NULL AND (kind <> 'hold' OR (ref <> '' AND ref <> subject_id));

-- An event is read by its id, and those of a subject are few: they are sorted.
DROP INDEX outbox_account;
DROP INDEX outbox_subject;
CREATE INDEX outbox_subject ON outbox (subject_id);

-- The flows of a document are few, too.
DROP INDEX flows_of;
CREATE INDEX flows_of ON flows (subject_id);

-- Exports and audits read the runs of a list (`notas_runs`, `notas_company_runs`).
DROP INDEX notas_account;
DROP INDEX notas_kept;

-- Records whose journal is dropped or that move are looked for once a day, by their ids.
DROP INDEX packed_records_to_move;
DROP INDEX packed_records_journal;

-- A key belongs to one document, perhaps of several accounts.
DROP INDEX notas_chave;
CREATE INDEX notas_chave ON notas (chave) WHERE chave <> '';
