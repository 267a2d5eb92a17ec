-- Persons are found by a part of their name, as other parties of notes are (party_words): which
-- persons have three letters in a row. The first column is a sign for the account, three letters long
-- as everything that is indexed here: the statement that reads it makes the same.
CREATE VIRTUAL TABLE person_words USING fts5(account, name, tokenize = 'trigram', detail = 'none', content = '');
-- The numbers of persons in there. SQLite may give rows other numbers than they had (VACUUM), but for
-- a primary key.
CREATE TABLE person_words_ids (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE
);
CREATE TRIGGER person_words_insert AFTER INSERT ON pessoas BEGIN
    INSERT INTO person_words_ids (id) VALUES (new.id);
    INSERT INTO person_words (rowid, account, name) SELECT i.number,
        char(983040 + unicode(substr('......' || new.account_id, -1, 1)) % 128 * 128 + unicode(substr('......' || new.account_id, -2, 1)) % 128,
             983040 + unicode(substr('......' || new.account_id, -3, 1)) % 128 * 128 + unicode(substr('......' || new.account_id, -4, 1)) % 128,
             983040 + unicode(substr('......' || new.account_id, -5, 1)) % 128 * 128 + unicode(substr('......' || new.account_id, -6, 1)) % 128),
        new.nome_busca FROM person_words_ids i WHERE i.id = new.id;
END;
-- What is removed has to be told: the letters of a name are kept without the name.
CREATE TRIGGER person_words_update AFTER UPDATE OF nome_busca ON pessoas WHEN old.nome_busca <> new.nome_busca BEGIN
    INSERT INTO person_words (person_words, rowid, account, name) SELECT 'delete', i.number,
        char(983040 + unicode(substr('......' || old.account_id, -1, 1)) % 128 * 128 + unicode(substr('......' || old.account_id, -2, 1)) % 128,
             983040 + unicode(substr('......' || old.account_id, -3, 1)) % 128 * 128 + unicode(substr('......' || old.account_id, -4, 1)) % 128,
             983040 + unicode(substr('......' || old.account_id, -5, 1)) % 128 * 128 + unicode(substr('......' || old.account_id, -6, 1)) % 128),
        old.nome_busca FROM person_words_ids i WHERE i.id = old.id;
    INSERT INTO person_words (rowid, account, name) SELECT i.number,
        char(983040 + unicode(substr('......' || new.account_id, -1, 1)) % 128 * 128 + unicode(substr('......' || new.account_id, -2, 1)) % 128,
             983040 + unicode(substr('......' || new.account_id, -3, 1)) % 128 * 128 + unicode(substr('......' || new.account_id, -4, 1)) % 128,
             983040 + unicode(substr('......' || new.account_id, -5, 1)) % 128 * 128 + unicode(substr('......' || new.account_id, -6, 1)) % 128),
        new.nome_busca FROM person_words_ids i WHERE i.id = new.id;
END;
CREATE TRIGGER person_words_delete AFTER DELETE ON pessoas BEGIN
    INSERT INTO person_words (person_words, rowid, account, name) SELECT 'delete', i.number,
        char(983040 + unicode(substr('......' || old.account_id, -1, 1)) % 128 * 128 + unicode(substr('......' || old.account_id, -2, 1)) % 128,
             983040 + unicode(substr('......' || old.account_id, -3, 1)) % 128 * 128 + unicode(substr('......' || old.account_id, -4, 1)) % 128,
             983040 + unicode(substr('......' || old.account_id, -5, 1)) % 128 * 128 + unicode(substr('......' || old.account_id, -6, 1)) % 128),
        old.nome_busca FROM person_words_ids i WHERE i.id = old.id;
    DELETE FROM person_words_ids WHERE id = old.id;
END;
-- Those that are there: some thousand in an account.
INSERT INTO person_words_ids (id) SELECT id FROM pessoas ORDER BY id;
INSERT INTO person_words (rowid, account, name) SELECT i.number,
        char(983040 + unicode(substr('......' || p.account_id, -1, 1)) % 128 * 128 + unicode(substr('......' || p.account_id, -2, 1)) % 128,
             983040 + unicode(substr('......' || p.account_id, -3, 1)) % 128 * 128 + unicode(substr('......' || p.account_id, -4, 1)) % 128,
             983040 + unicode(substr('......' || p.account_id, -5, 1)) % 128 * 128 + unicode(substr('......' || p.account_id, -6, 1)) % 128),
        p.nome_busca FROM person_words_ids i JOIN pessoas p ON p.id = i.id;
