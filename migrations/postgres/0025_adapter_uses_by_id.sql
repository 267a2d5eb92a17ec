-- Each signature adds a row: its id sorts by time and serves every question.
DROP INDEX adapter_uses_at;
