-- Coverage as it is measured: whether addresses of the registry answer, and what
-- became of the service notes that really left.

-- Hosts of the registry: one request at a time to each, whatever nodes are up.
CREATE TABLE probe_hosts (
    -- Name and port.
    host TEXT PRIMARY KEY,
    -- When the next of its addresses is asked.
    next_ms BIGINT NOT NULL,
    -- A node is asking, at most until this moment; 0: none.
    busy_until_ms BIGINT NOT NULL
);
CREATE INDEX probe_hosts_due ON probe_hosts (next_ms);

-- What the last question to an address showed.
CREATE TABLE address_probes (
    -- As in the registry: scheme, host, path.
    address TEXT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    result TEXT NOT NULL CHECK (result IN ('wsdl', 'responde', 'exige_certificado', 'erro_http', 'sem_nome', 'sem_conexao', 'falha_tls', 'sem_resposta', 'ilegivel', 'bloqueado')),
    -- HTTP status; 0: there was none.
    http_status BIGINT NOT NULL,
    -- From the look-up of the name to the last byte.
    latency_ms BIGINT NOT NULL,
    -- Questions of the job in a row that found nobody.
    failures BIGINT NOT NULL,
    -- The first of them; 0: none failed since somebody answered.
    failing_since_ms BIGINT NOT NULL,
    -- When somebody answered last; 0: never.
    answered_ms BIGINT NOT NULL,
    -- For the operator.
    detail TEXT NOT NULL
);

-- Service notes by what became of them: written in the transaction that settles
-- the note. Simulated ones are not here.
CREATE TABLE nfse_outcomes (
    municipio TEXT NOT NULL,
    ambiente TEXT NOT NULL CHECK (ambiente IN ('producao', 'homologacao')),
    -- Days since 1970-01-01, UTC.
    dia BIGINT NOT NULL,
    -- Only to count how many accounts there are: no answer shows it.
    account_id TEXT NOT NULL,
    resultado TEXT NOT NULL CHECK (resultado IN ('emitida', 'recusada', 'falhou')),
    -- The authority's code, or that of the hub where the note did not arrive.
    motivo TEXT NOT NULL,
    notas BIGINT NOT NULL,
    -- Moment of the last of them.
    ultima_ms BIGINT NOT NULL,
    PRIMARY KEY (municipio, ambiente, dia, account_id, resultado, motivo)
);
CREATE INDEX nfse_outcomes_day ON nfse_outcomes (dia);
