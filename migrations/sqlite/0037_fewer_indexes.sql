-- Fewer and shorter indexes. No row is written again; each new index reads its table once.

-- What is never done twice. An end is of its hold (`transfers_pending`). A hold is of its subject, and its
-- `ref` is empty where it is the subject, as it was written out before; these are one and the same here. Other
-- references are the account's.
DROP INDEX transfers_ref;
DROP INDEX transfers_subject;
CREATE UNIQUE INDEX transfers_hold ON transfers (subject_id, (CASE WHEN ref = subject_id THEN '' ELSE ref END)) WHERE kind = 'hold';
CREATE UNIQUE INDEX transfers_ref ON transfers (account_id, kind, ref) WHERE pending_id IS NULL AND (kind <> 'hold' OR (ref <> '' AND ref <> subject_id));
