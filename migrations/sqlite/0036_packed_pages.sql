-- Old rows of a table (`kind`) that are only added and read, many in one compressed page, in the order of their ids.
-- Pages of an account do not overlap; a row that comes late stays in its table.
CREATE TABLE packed_pages (
    -- '': the rows are read over all accounts.
    account_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    last_id TEXT NOT NULL,
    first_id TEXT NOT NULL,
    rows BIGINT NOT NULL CHECK (rows > 0),
    bytes BLOB NOT NULL,
    PRIMARY KEY (account_id, kind, last_id)
);
