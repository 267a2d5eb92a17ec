-- The pieces of names have the account's sign here from the beginning (party_words, person_words).
SELECT 1;
