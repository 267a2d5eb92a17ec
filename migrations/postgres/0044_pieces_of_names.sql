-- Parts of names are found by pieces of three letters, each with a sign of its account, as SQLite's index has them.
--
-- The index of trigrams had the names of all accounts together: a name of common words was looked for among those of everybody. And
-- it needed an extension that not every server has.
--
-- A piece is a number: 7 bits of each of the account's last six signs, then 7 of each of three bytes of the name. Accounts
-- or names that share a number cost time only, because who asks compares both.
CREATE FUNCTION name_pieces(account TEXT, name TEXT) RETURNS BIGINT[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
    signs BYTEA := convert_to(right('......' || account, 6), 'UTF8');
    letters BYTEA := convert_to(name, 'UTF8');
    of_account BIGINT := 0;
    pieces BIGINT[] := '{}';
BEGIN
    FOR n IN 0..5 LOOP
        of_account := (of_account << 7) + (get_byte(signs, n) & 127);
    END LOOP;
    FOR n IN 0..length(letters) - 3 LOOP
        pieces[n + 1] := (of_account << 21) + ((get_byte(letters, n) & 127) << 14) + ((get_byte(letters, n + 1) & 127) << 7) + (get_byte(letters, n + 2) & 127);
    END LOOP;
    RETURN pieces;
END
$$;

-- What waits to be put in order is looked through by each search: it is kept short.
CREATE INDEX parties_pieces ON parties USING gin (name_pieces(account_id, name)) WITH (gin_pending_list_limit = 256);
CREATE INDEX pessoas_pieces ON pessoas USING gin (name_pieces(account_id, nome_busca)) WITH (gin_pending_list_limit = 256);
DROP INDEX IF EXISTS parties_trigrams;
DROP INDEX IF EXISTS pessoas_trigrams;
