-- The node that works on a purchase or a refund: what a node held that stopped
-- or died is anybody's at once. Empty: nobody, or a node of an earlier version.
ALTER TABLE compras ADD COLUMN lease_owner TEXT NOT NULL DEFAULT '';
ALTER TABLE reembolsos ADD COLUMN lease_owner TEXT NOT NULL DEFAULT '';

-- Who holds anything is asked at every look for dead nodes: these are as short
-- as the work that is in hand.
CREATE INDEX compras_leased ON compras (lease_owner) WHERE lease_owner <> '';
CREATE INDEX reembolsos_leased ON reembolsos (lease_owner) WHERE lease_owner <> '';
CREATE INDEX webhooks_leased ON webhooks (lease_owner) WHERE lease_owner <> '';
CREATE INDEX mails_leased ON mails (lease_owner) WHERE lease_owner <> '';
