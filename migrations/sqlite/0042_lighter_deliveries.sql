-- A delivery is written with less: without the index by event, and without a look at its event and its account.
--
-- Both references were asked at each insert, though whoever makes a delivery has just read its event in the order of the
-- account. An account is never removed, and an event only when no delivery is of it (`outbox.rs` PURGE, `deliveries.rs`
-- OLD_TESTS); `hub doctor` looks for deliveries without their event or account. Nothing but the reference needed the index: the
-- deliveries of an event are a range of ids.
--
-- SQLite drops a reference only by copying its table, which would keep a hub with tens of millions of deliveries closed for
-- minutes, or by a change of the text of its schema (https://www.sqlite.org/lang_altertable.html, "Making Other Kinds Of Table
-- Schema Changes"): references are part of no row. The schema is read again after that, and DROP INDEX tells other
-- connections that it changed. A text that is none of these stays as it is.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = REPLACE(REPLACE(sql, 'account_id TEXT NOT NULL REFERENCES accounts (id)', 'account_id TEXT NOT NULL'),
    'event_id TEXT NOT NULL REFERENCES outbox (id)', 'event_id TEXT NOT NULL')
WHERE type = 'table' AND name = 'deliveries';
PRAGMA writable_schema = RESET;
DROP INDEX deliveries_event;
