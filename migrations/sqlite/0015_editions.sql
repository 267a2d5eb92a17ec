-- Reference data that operators import: editions of official tables, the
-- product catalogue, and what is said about it.

-- One import of one kind of data. A table of one state has the state in scope.
CREATE TABLE editions (
    id BIGINT PRIMARY KEY,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('carregando', 'ativa', 'anterior', 'retirada')),
    -- As the file says: 24.2.A, or a date.
    version TEXT NOT NULL,
    -- Name of the file.
    source TEXT NOT NULL,
    -- Of all files of the import, hexadecimal.
    sha256 TEXT NOT NULL,
    row_count BIGINT NOT NULL,
    -- Last day in force, AAAA-MM-DD; empty: the file does not say.
    valid_until TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    -- When the import last wrote: one that is silent has died.
    updated_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX editions_active ON editions (kind, scope) WHERE status = 'ativa';
CREATE INDEX editions_kind ON editions (kind, scope, id);

-- Rows of a table of codes.
CREATE TABLE edition_rows (
    edition BIGINT NOT NULL REFERENCES editions (id),
    code TEXT NOT NULL,
    -- JSON.
    content TEXT NOT NULL,
    PRIMARY KEY (edition, code)
) WITHOUT ROWID;

-- Products of an edition, in the order of its file.
CREATE TABLE catalog_products (
    edition BIGINT NOT NULL REFERENCES editions (id),
    place BIGINT NOT NULL,
    -- JSON.
    content TEXT NOT NULL,
    PRIMARY KEY (edition, place)
) WITHOUT ROWID;

-- Where the product of a GTIN is. The GTIN-14 as a number; the digest tells
-- whether a newer edition changed the product.
CREATE TABLE catalog_gtins (
    edition BIGINT NOT NULL REFERENCES editions (id),
    gtin BIGINT NOT NULL,
    place BIGINT NOT NULL,
    digest BIGINT NOT NULL,
    PRIMARY KEY (edition, gtin)
) WITHOUT ROWID;

-- Words of the names of an edition.
CREATE TABLE catalog_words (
    edition BIGINT NOT NULL REFERENCES editions (id),
    place BIGINT NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (edition, place)
) WITHOUT ROWID;

-- Which products have a word, and which words have three letters in a row.
CREATE TABLE catalog_postings (
    edition BIGINT NOT NULL REFERENCES editions (id),
    kind TEXT NOT NULL CHECK (kind IN ('palavra', 'trigrama')),
    term TEXT NOT NULL,
    part BIGINT NOT NULL,
    -- Entries of all parts together.
    total BIGINT NOT NULL,
    -- Packed places (host/datasets/src/similar/postings.rs).
    entries BLOB NOT NULL,
    PRIMARY KEY (edition, kind, term, part)
) WITHOUT ROWID;

-- A product an account knows from the documents it received or issued.
CREATE TABLE catalog_own (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    gtin BIGINT NOT NULL,
    -- JSON.
    content TEXT NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, gtin)
) WITHOUT ROWID;

-- Words of these products.
CREATE TABLE catalog_own_words (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    word TEXT NOT NULL,
    gtin BIGINT NOT NULL,
    PRIMARY KEY (account_id, word, gtin)
) WITHOUT ROWID;
CREATE INDEX catalog_own_gtin ON catalog_own_words (account_id, gtin);

-- An account says that a code gave the wrong product.
CREATE TABLE catalog_reports (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    gtin BIGINT NOT NULL,
    motivo TEXT NOT NULL,
    nome_correto TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE INDEX catalog_reports_account ON catalog_reports (account_id, gtin, id);

-- Calls of the public search of one day, by a keyed digest of the address.
CREATE TABLE demo_uses (
    day TEXT NOT NULL,
    subject TEXT NOT NULL,
    total BIGINT NOT NULL,
    PRIMARY KEY (day, subject)
) WITHOUT ROWID;
