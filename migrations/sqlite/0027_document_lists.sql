-- Lists of documents of all kinds: what they are searched by.

-- Name of the other party and the customer's own id in lower case without accents,
-- each ended by a line feed: what a piece of text is looked for in.
ALTER TABLE notas ADD COLUMN busca TEXT NOT NULL DEFAULT '';
UPDATE notas SET busca = REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(LOWER(tomador_nome), 'Á', 'a'), 'À', 'a'), 'Â', 'a'), 'Ã', 'a'), 'á', 'a'), 'à', 'a'), 'â', 'a'), 'ã', 'a'), 'É', 'e'), 'Ê', 'e'), 'é', 'e'), 'ê', 'e'), 'Í', 'i'), 'í', 'i'), 'Ó', 'o'), 'Ô', 'o'), 'Õ', 'o'), 'ó', 'o'), 'ô', 'o'), 'õ', 'o'), 'Ú', 'u'), 'Ü', 'u'), 'ú', 'u'), 'ü', 'u'), 'Ç', 'c'), 'ç', 'c') || char(10) || LOWER(referencia) || char(10);

-- What a list is searched by exactly. Every one of these is written for every note it has a row of,
-- so a number that a note holds is found by notas_number, series by series, and is not here.
CREATE INDEX notas_number_returned ON notas (account_id, numero) WHERE number_active = 0 AND numero <> 0;
CREATE INDEX notas_numero_nfse ON notas (account_id, numero_nfse) WHERE numero_nfse <> '';
CREATE INDEX notas_outra_parte ON notas (account_id, tomador_documento) WHERE tomador_documento <> '';
