-- PostgreSQL makes an array of a list of words when it reads the table's definition, and no table when a row is written: there
-- is nothing to change.
SELECT 1;
