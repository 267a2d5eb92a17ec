-- Written by readiness checks: a database that can commit this can work.
CREATE TABLE probes (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    at_ms BIGINT NOT NULL
);
