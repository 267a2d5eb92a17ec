-- A delivery is written without a look at its event and its account.
--
-- Both references were asked, and their rows locked, at each insert, though whoever makes a delivery has just read its event in
-- the order of the account. An account is never removed, and an event only when no delivery is of it (`outbox.rs` PURGE,
-- `deliveries.rs` OLD_TESTS); `hub doctor` looks for deliveries without their event or account.
--
-- The index by event stays for now: nodes of the version before, which may run beside this one, look through it for the
-- deliveries of an event that they remove. This version looks for a range of ids.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_account_id_fkey;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_event_id_fkey;
