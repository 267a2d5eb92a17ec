-- What outside sources answered. It belongs to no account: the questions are
-- about public data, and who asked is not kept.
CREATE TABLE lookup_answers (
    kind TEXT NOT NULL,
    question TEXT NOT NULL,
    source TEXT NOT NULL,
    -- JSON; empty: the source knows nothing of it.
    answer TEXT NOT NULL,
    fetched_at_ms BIGINT NOT NULL,
    PRIMARY KEY (kind, question)
);
CREATE INDEX lookup_answers_age ON lookup_answers (fetched_at_ms);
