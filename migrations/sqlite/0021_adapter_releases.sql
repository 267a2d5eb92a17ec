-- Adapters that operators install while the hub runs, the same for all nodes of
-- this database. A component of the adapters folder answers for a name that has
-- no active release here.

CREATE TABLE adapter_components (
    -- SHA-256 of the component, hexadecimal.
    digest TEXT PRIMARY KEY,
    -- As the component says.
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    -- The minisign key that signed it; empty: no signature was asked for.
    signed_by TEXT NOT NULL,
    component BLOB NOT NULL,
    installed_at_ms BIGINT NOT NULL
);

CREATE TABLE adapter_releases (
    name TEXT NOT NULL,
    digest TEXT NOT NULL REFERENCES adapter_components (digest),
    status TEXT NOT NULL CHECK (status IN ('staged', 'canary', 'active', 'previous', 'retired', 'quarantined')),
    -- Of the emitters, while it is a canary.
    percent BIGINT NOT NULL CHECK (percent BETWEEN 0 AND 100),
    changed_at_ms BIGINT NOT NULL,
    PRIMARY KEY (name, digest)
);
CREATE UNIQUE INDEX adapter_releases_active ON adapter_releases (name) WHERE status = 'active';
CREATE UNIQUE INDEX adapter_releases_canary ON adapter_releases (name) WHERE status = 'canary';
CREATE UNIQUE INDEX adapter_releases_previous ON adapter_releases (name) WHERE status = 'previous';

-- What was done to releases, and by whom: an operator at a command line, or the
-- hub itself. Rows never change.
CREATE TABLE adapter_actions (
    id TEXT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    action TEXT NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    actor TEXT NOT NULL,
    detail TEXT NOT NULL
);
