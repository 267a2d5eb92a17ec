-- Products that an account registers in the panel, for all its companies and
-- both worlds: the issuing form offers them.
CREATE TABLE produtos (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- The account's own code; empty: none.
    codigo TEXT NOT NULL,
    descricao TEXT NOT NULL,
    -- Description, code and bar code in small letters without accents.
    busca TEXT NOT NULL,
    -- Codes without points and dashes; empty: not said.
    ncm TEXT NOT NULL,
    cest TEXT NOT NULL,
    cfop TEXT NOT NULL,
    unidade TEXT NOT NULL,
    gtin TEXT NOT NULL,
    -- Price of one unit, a decimal number; empty: none.
    preco TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX produtos_codigo ON produtos (account_id, codigo) WHERE codigo <> '';
CREATE INDEX produtos_account ON produtos (account_id, id);
