-- Bases that operators import: companies of the federal registry and streets.
-- No row refers to its edition: the check of a reference, for each of some
-- hundred million rows, is most of what writing them costs. Editions go row by
-- row, and the row of an edition last (host/datasets/src/sweep.rs).

-- Establishments, under the two parts of their CNPJ.
CREATE TABLE establishments (
    edition BIGINT NOT NULL,
    -- The eight positions that all establishments of a company share.
    base TEXT NOT NULL,
    -- The other six.
    branch TEXT NOT NULL,
    -- JSON.
    content TEXT NOT NULL,
    PRIMARY KEY (edition, base, branch)
) WITHOUT ROWID;

-- What is said of a company, whatever the establishment.
CREATE TABLE company_records (
    edition BIGINT NOT NULL,
    base TEXT NOT NULL,
    -- empresa, simples, or socio: and the digest of its line.
    part TEXT NOT NULL,
    -- JSON.
    content TEXT NOT NULL,
    PRIMARY KEY (edition, base, part)
) WITHOUT ROWID;

-- Streets of the CNEFE and of the e-DNE.
CREATE TABLE streets (
    edition BIGINT NOT NULL,
    -- Eight digits, as a number.
    cep BIGINT NOT NULL,
    -- Those of a CEP in their order: the one with most addresses first.
    place BIGINT NOT NULL,
    -- IBGE code.
    municipality BIGINT NOT NULL,
    -- Of the street, without accents, signs and capitals; empty: of a town or district.
    name TEXT NOT NULL,
    -- JSON: how it is written, and what else is said.
    content TEXT NOT NULL,
    -- Addresses that were counted there.
    addresses BIGINT NOT NULL,
    -- Millionths of a degree; NULL: not known.
    latitude BIGINT,
    longitude BIGINT,
    -- Square of the map, a hundredth of a degree wide.
    cell BIGINT,
    PRIMARY KEY (edition, cep, place)
) WITHOUT ROWID;
CREATE INDEX streets_name ON streets (edition, municipality, name);
CREATE INDEX streets_cell ON streets (edition, cell) WHERE cell IS NOT NULL;
