-- Who invited: the invitation of somebody who may not give its part any more
-- is good for nothing. Empty: from before, when nobody wrote it down.
ALTER TABLE invites ADD COLUMN invited_by TEXT NOT NULL DEFAULT '';
