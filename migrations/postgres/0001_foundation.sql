-- Foundation: accounts, keys, ledger, emitters, notes, flows, idempotency.
-- Money is integer credits; time is epoch milliseconds (UTC) given by the
-- application; ids are text; JSON is text. Empty text means "none" unless a
-- column is nullable.

CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    nome TEXT NOT NULL,
    requests_per_minute BIGINT NOT NULL CHECK (requests_per_minute > 0),
    created_at_ms BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('test', 'live')),
    nome TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    secret_digest TEXT NOT NULL,
    hint TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    revoked_at_ms BIGINT NOT NULL DEFAULT 0,
    expires_at_ms BIGINT NOT NULL DEFAULT 0
);

-- Only the two balances a customer can spend are kept; the platform's side is
-- the sum of the transfers.
CREATE TABLE ledger_accounts (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('available', 'held')),
    balance BIGINT NOT NULL CHECK (balance >= 0),
    PRIMARY KEY (account_id, kind)
);

CREATE TABLE transfers (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('gift', 'purchase', 'hold', 'post', 'void', 'direct', 'refund', 'adjust')),
    debit TEXT NOT NULL,
    credit TEXT NOT NULL,
    amount BIGINT NOT NULL CHECK (amount > 0),
    pending_id TEXT REFERENCES transfers (id),
    ref TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    request_id TEXT NOT NULL,
    balance_after BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
-- A hold is resolved once; a purchase or a hold is never written twice.
CREATE UNIQUE INDEX transfers_pending ON transfers (pending_id) WHERE pending_id IS NOT NULL;
CREATE UNIQUE INDEX transfers_ref ON transfers (account_id, kind, ref);
CREATE INDEX transfers_account ON transfers (account_id, id);
CREATE INDEX transfers_subject ON transfers (subject_id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% rows never change', TG_TABLE_NAME; END $$;
CREATE TRIGGER transfers_append_only BEFORE UPDATE OR DELETE ON transfers
FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE emitters (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    cnpj TEXT NOT NULL,
    razao_social TEXT NOT NULL,
    apelido TEXT NOT NULL,
    ambiente TEXT NOT NULL CHECK (ambiente IN ('homologacao', 'producao')),
    padrao BIGINT NOT NULL CHECK (padrao IN (0, 1)),
    perfil TEXT NOT NULL,
    certificate_id TEXT NOT NULL DEFAULT '',
    version BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX emitters_cnpj ON emitters (account_id, cnpj);
CREATE UNIQUE INDEX emitters_default ON emitters (account_id) WHERE padrao = 1;

CREATE TABLE certificates (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    emitter_id TEXT NOT NULL REFERENCES emitters (id),
    titular TEXT NOT NULL,
    documento TEXT NOT NULL,
    emissor TEXT NOT NULL,
    valido_de_ms BIGINT NOT NULL,
    valido_ate_ms BIGINT NOT NULL,
    impressao_digital TEXT NOT NULL,
    key_blob BYTEA NOT NULL,
    chain_der BYTEA NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE INDEX certificates_emitter ON certificates (emitter_id, id);

CREATE TABLE secrets (
    emitter_id TEXT NOT NULL REFERENCES emitters (id),
    nome TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    blob BYTEA NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (emitter_id, nome)
);

-- Next number of each series, and the numbers that came back.
CREATE TABLE number_sequences (
    emitter_id TEXT NOT NULL REFERENCES emitters (id),
    ambiente TEXT NOT NULL,
    modelo TEXT NOT NULL,
    serie TEXT NOT NULL,
    -- Every number from first to next - 1 is in a note, free, or was skipped
    -- on purpose when the customer raised the sequence.
    first BIGINT NOT NULL CHECK (first > 0),
    next BIGINT NOT NULL CHECK (next >= first),
    skipped BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (emitter_id, ambiente, modelo, serie)
);
CREATE TABLE number_free (
    emitter_id TEXT NOT NULL,
    ambiente TEXT NOT NULL,
    modelo TEXT NOT NULL,
    serie TEXT NOT NULL,
    numero BIGINT NOT NULL,
    freed_at_ms BIGINT NOT NULL,
    PRIMARY KEY (emitter_id, ambiente, modelo, serie, numero)
);

CREATE TABLE notas (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    emitter_id TEXT NOT NULL REFERENCES emitters (id),
    modelo TEXT NOT NULL,
    -- simulado: the in-process authorities of a test key.
    ambiente TEXT NOT NULL CHECK (ambiente IN ('simulado', 'homologacao', 'producao')),
    simulada BIGINT NOT NULL CHECK (simulada IN (0, 1)),
    status TEXT NOT NULL CHECK (status IN ('rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada', 'nao_enviada')),
    serie TEXT NOT NULL,
    numero BIGINT NOT NULL,
    -- 1 while the number belongs to this note; 0 once it went back.
    number_active BIGINT NOT NULL CHECK (number_active IN (0, 1)),
    referencia TEXT NOT NULL,
    municipio TEXT NOT NULL,
    via TEXT NOT NULL,
    sistema TEXT NOT NULL,
    conteudo TEXT NOT NULL,
    context TEXT NOT NULL,
    competencia TEXT NOT NULL,
    valor TEXT NOT NULL,
    tomador_documento TEXT NOT NULL,
    tomador_nome TEXT NOT NULL,
    preco BIGINT NOT NULL,
    hold_id TEXT NOT NULL,
    chave TEXT NOT NULL,
    numero_nfse TEXT NOT NULL,
    codigo_verificacao TEXT NOT NULL,
    protocolo TEXT NOT NULL,
    url_consulta TEXT NOT NULL,
    autorizada_em TEXT NOT NULL,
    valores TEXT NOT NULL,
    rejeicao TEXT NOT NULL,
    substitui_id TEXT NOT NULL,
    substituida_por TEXT NOT NULL,
    -- Queries made after the issuing flow ended without knowing.
    reconciliations BIGINT NOT NULL DEFAULT 0,
    next_check_ms BIGINT NOT NULL DEFAULT 0,
    request_id TEXT NOT NULL,
    answer_status BIGINT NOT NULL DEFAULT 0,
    answer TEXT NOT NULL DEFAULT '',
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX notas_number ON notas (emitter_id, ambiente, modelo, serie, numero) WHERE number_active = 1;
CREATE UNIQUE INDEX notas_referencia ON notas (emitter_id, ambiente, referencia)
    WHERE referencia <> '' AND status NOT IN ('rejeitada', 'nao_enviada', 'rascunho');
-- A note is replaced by one other note at most.
CREATE UNIQUE INDEX notas_substitui ON notas (substitui_id)
    WHERE substitui_id <> '' AND status IN ('em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada');
CREATE INDEX notas_account ON notas (account_id, id);
CREATE INDEX notas_to_check ON notas (next_check_ms) WHERE status = 'em_transmissao';
CREATE INDEX notas_chave ON notas (account_id, chave) WHERE chave <> '';

-- What happens to a note after it exists: cancellation, queries.
CREATE TABLE eventos (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    nota_id TEXT NOT NULL REFERENCES notas (id),
    tipo TEXT NOT NULL CHECK (tipo IN ('cancelamento', 'consulta')),
    status TEXT NOT NULL CHECK (status IN ('em_transmissao', 'registrado', 'rejeitado', 'nao_enviado')),
    conteudo TEXT NOT NULL,
    context TEXT NOT NULL,
    preco BIGINT NOT NULL,
    hold_id TEXT NOT NULL,
    protocolo TEXT NOT NULL,
    resultado TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    request_id TEXT NOT NULL,
    answer_status BIGINT NOT NULL DEFAULT 0,
    answer TEXT NOT NULL DEFAULT '',
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX eventos_cancelamento ON eventos (nota_id)
    WHERE tipo = 'cancelamento' AND status IN ('em_transmissao', 'registrado');
CREATE INDEX eventos_open ON eventos (updated_at_ms) WHERE status = 'em_transmissao';
CREATE INDEX eventos_nota ON eventos (nota_id, id);

CREATE TABLE flows (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- The nota or evento this flow serves.
    subject_id TEXT NOT NULL,
    operacao TEXT NOT NULL,
    component TEXT NOT NULL,
    digest TEXT NOT NULL,
    conteudo TEXT NOT NULL,
    context TEXT NOT NULL,
    -- Endpoints, certificate and kind of transport, frozen when it began.
    way TEXT NOT NULL,
    phase TEXT NOT NULL CHECK (phase IN ('start', 'sending', 'waiting', 'done')),
    step BIGINT NOT NULL,
    state BYTEA NOT NULL,
    acted BIGINT NOT NULL CHECK (acted IN (0, 1)),
    wake_at_ms BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    lease_owner TEXT NOT NULL,
    lease_until_ms BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);
CREATE INDEX flows_due ON flows (wake_at_ms, lease_until_ms) WHERE phase <> 'done';
CREATE UNIQUE INDEX flows_subject ON flows (subject_id) WHERE phase <> 'done';
CREATE INDEX flows_of ON flows (subject_id, id);

CREATE TABLE flow_turns (
    flow_id TEXT NOT NULL REFERENCES flows (id),
    step BIGINT NOT NULL,
    event TEXT NOT NULL,
    event_body BYTEA NOT NULL,
    next TEXT NOT NULL,
    label TEXT NOT NULL,
    request TEXT NOT NULL,
    request_body BYTEA NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (flow_id, step)
);

CREATE TABLE idempotency_keys (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL,
    route TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (account_id, kind, route, idempotency_key)
);
CREATE INDEX idempotency_age ON idempotency_keys (created_at_ms);
CREATE INDEX idempotency_subject ON idempotency_keys (subject_id);

-- What came from the authority, byte for byte; written once.
CREATE TABLE artifacts (
    subject_id TEXT NOT NULL,
    tipo TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    media_type TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes BYTEA NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (subject_id, tipo)
);
CREATE TRIGGER artifacts_write_once BEFORE UPDATE ON artifacts
FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE outbox (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    tipo TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE INDEX outbox_account ON outbox (account_id, id);

CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_hint TEXT NOT NULL,
    kind TEXT NOT NULL,
    operation TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    status BIGINT NOT NULL,
    error_code TEXT NOT NULL,
    duration_ms BIGINT NOT NULL,
    subject_id TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE INDEX requests_account ON requests (account_id, id);

-- Request rate of an account shared by several nodes: theoretical arrival
-- time of the next request (GCRA).
CREATE TABLE rate_limits (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    arrival_ms BIGINT NOT NULL
);
