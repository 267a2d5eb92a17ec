-- Persons are found by a part of their name, as other parties of notes are (parties_trigrams), where the
-- server has the extension. Without it the persons of an account are read.
DO $$
BEGIN
    CREATE INDEX pessoas_trigrams ON pessoas USING gin (nome_busca gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'persons have no trigrams: %', SQLERRM;
END
$$;
