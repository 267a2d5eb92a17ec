-- Agreements of municipalities with the national system of service notes, as its
-- service of parameters last told them.
CREATE TABLE municipal_agreements (
    -- IBGE code, seven digits.
    codigo_ibge TEXT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    -- Its notes are in the national environment: 1 yes, 0 no.
    ambiente_nacional BIGINT NOT NULL CHECK (ambiente_nacional IN (0, 1)),
    -- Its companies may use the national issuer: 1 yes, 0 no.
    emissor_nacional BIGINT NOT NULL CHECK (emissor_nacional IN (0, 1))
);
