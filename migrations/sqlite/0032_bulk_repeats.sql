-- What a note of a file says, in short, so that a file that is sent again shows which of its notes
-- an earlier one issued; and a note that was left out for it.
-- What a column may hold cannot be changed in place here: the table is made again.
CREATE TABLE lote_notas_new (
    lote_id TEXT NOT NULL REFERENCES lotes (id),
    -- The first of its lines, as a spreadsheet counts them.
    linha BIGINT NOT NULL,
    -- JSON: the cells of its lines.
    celulas TEXT NOT NULL,
    -- JSON: the body of the issuing operation; empty where something is wrong.
    corpo TEXT NOT NULL,
    destinatario TEXT NOT NULL,
    valor_centavos BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('errada', 'pronta', 'enviando', 'enviada', 'recusada', 'incerta', 'repetida')),
    -- Of one that was left out: the note that it is equal to.
    nota_id TEXT NOT NULL DEFAULT '',
    -- JSON: what is wrong, in sentences; of one that was left out, why.
    erros TEXT NOT NULL DEFAULT '[]',
    enviada_ms BIGINT NOT NULL DEFAULT 0,
    -- SHA-256 of company, kind, environment and body; empty: something is wrong, or the note is older than
    -- the column.
    digest TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (lote_id, linha)
);
INSERT INTO lote_notas_new (lote_id, linha, celulas, corpo, destinatario, valor_centavos, status, nota_id, erros, enviada_ms)
    SELECT lote_id, linha, celulas, corpo, destinatario, valor_centavos, status, nota_id, erros, enviada_ms FROM lote_notas;
DROP TABLE lote_notas;
ALTER TABLE lote_notas_new RENAME TO lote_notas;
CREATE INDEX lote_notas_digest ON lote_notas (digest, lote_id, linha) WHERE digest <> '';
