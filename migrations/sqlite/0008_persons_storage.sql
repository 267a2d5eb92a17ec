-- Persons: customers and suppliers of each of an account's companies. Both
-- kinds of keys see them, as they see the companies.
CREATE TABLE pessoas (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    emitter_id TEXT NOT NULL REFERENCES emitters (id),
    -- CPF or CNPJ without punctuation.
    documento TEXT NOT NULL,
    nome TEXT NOT NULL,
    -- The name in small letters without accents.
    nome_busca TEXT NOT NULL,
    email TEXT NOT NULL,
    ie TEXT NOT NULL,
    im TEXT NOT NULL,
    -- JSON lists.
    papeis TEXT NOT NULL,
    enderecos TEXT NOT NULL,
    telefones TEXT NOT NULL,
    -- Grows with each change (ETag).
    version BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
-- Registering again finds the one that is there.
CREATE UNIQUE INDEX pessoas_documento ON pessoas (account_id, emitter_id, documento);
CREATE INDEX pessoas_account ON pessoas (account_id, id);
CREATE INDEX pessoas_emitter ON pessoas (emitter_id);

-- Stored objects: the row says which file is the object's content.
CREATE TABLE objetos (
    -- Stays when the content is replaced; links name it.
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    caminho TEXT NOT NULL,
    -- Where the content is kept; each version has a file of its own.
    arquivo TEXT NOT NULL,
    bytes BIGINT NOT NULL CHECK (bytes >= 0),
    sha256 TEXT NOT NULL,
    tipo TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX objetos_caminho ON objetos (account_id, caminho);
CREATE UNIQUE INDEX objetos_arquivo ON objetos (arquivo);
CREATE INDEX objetos_account ON objetos (account_id, id);

-- What an account keeps: the sum of its objects, and the lock that puts and
-- deletes of one account take in turn.
CREATE TABLE objetos_uso (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    bytes BIGINT NOT NULL CHECK (bytes >= 0),
    objetos BIGINT NOT NULL CHECK (objetos >= 0)
);
