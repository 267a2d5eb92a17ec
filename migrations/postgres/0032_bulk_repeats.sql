-- What a note of a file says, in short, so that a file that is sent again shows which of its notes
-- an earlier one issued; and a note that was left out for it.
ALTER TABLE lote_notas DROP CONSTRAINT lote_notas_status_check;
ALTER TABLE lote_notas ADD CONSTRAINT lote_notas_status_check
    CHECK (status IN ('errada', 'pronta', 'enviando', 'enviada', 'recusada', 'incerta', 'repetida'));
-- SHA-256 of company, kind, environment and body; empty: something is wrong, or the note is older than
-- the column.
ALTER TABLE lote_notas ADD COLUMN digest TEXT NOT NULL DEFAULT '';
CREATE INDEX lote_notas_digest ON lote_notas (digest, lote_id, linha) WHERE digest <> '';
