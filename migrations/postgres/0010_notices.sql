-- What was told once is not told again: gaps in the numbering, and how the
-- municipality of a company issues.

ALTER TABLE number_free ADD COLUMN told_at_ms BIGINT NOT NULL DEFAULT 0;
CREATE INDEX number_free_untold ON number_free (freed_at_ms) WHERE told_at_ms = 0;

CREATE TABLE emitter_coverage (
    emitter_id TEXT PRIMARY KEY REFERENCES emitters (id),
    -- JSON: the answer of the registry as it was last seen.
    seen TEXT NOT NULL,
    seen_at_ms BIGINT NOT NULL
);
