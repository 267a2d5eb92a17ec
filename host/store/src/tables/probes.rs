//! Tables `probe_hosts` and `address_probes`: whether addresses of the registry
//! answer.

use crate::words::words;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};

words! {
    /// What a question to an address showed.
    pub enum ProbeResult {
        /// The description of the service (WSDL).
        Wsdl = "wsdl",
        /// Another answer over TLS.
        Answered = "responde",
        /// The handshake ended because the hub showed no certificate.
        CertificateDemanded = "exige_certificado",
        /// HTTP 500 and above.
        ServerError = "erro_http",
        /// The name of the host does not resolve.
        NoName = "sem_nome",
        /// No connection: refused, or not accepted in time.
        NoConnection = "sem_conexao",
        /// No TLS: the server's certificate is not trusted, or there is no version or
        /// cipher in common.
        TlsFailed = "falha_tls",
        /// Connected, and no answer in time or none at all.
        NoAnswer = "sem_resposta",
        /// The answer is not HTTP.
        Unreadable = "ilegivel",
        /// The name stands for an address of an internal network: it was not asked.
        Blocked = "bloqueado",
    }
}

row! {
    /// A host whose turn it is.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct HostRow {
        /// Name and port.
        pub host: String,
        pub next_ms: i64,
    }
}

row! {
    /// What the last question to an address showed.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ProbeRow {
        pub address: String,
        pub at_ms: i64,
        pub result: ProbeResult,
        /// 0: there was no answer.
        pub http_status: i64,
        pub latency_ms: i64,
        /// Questions of the job in a row that found nobody.
        pub failures: i64,
        /// The first of them; 0: none failed since somebody answered.
        pub failing_since_ms: i64,
        /// 0: never.
        pub answered_ms: i64,
        /// For the operator.
        pub detail: String,
    }
}

/// What a question says of the service at the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Somebody is there.
    Answers,
    /// Nobody is.
    Fails,
    /// Neither can be said.
    Unclear,
}

/// What a question showed, to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub address: String,
    pub at_ms: i64,
    pub result: ProbeResult,
    pub http_status: i64,
    pub latency_ms: i64,
    pub detail: String,
    pub verdict: Verdict,
    /// A failure counts towards those in a row: one of the job, whose questions are
    /// hours apart.
    pub counted: bool,
}

const SEED: &str = "INSERT INTO probe_hosts (host, next_ms, busy_until_ms) VALUES ($1, $2, 0) ON CONFLICT (host) DO NOTHING";
// One row for each host of the registry: some two thousand.
const HOSTS: &str = "SELECT host, next_ms FROM probe_hosts ORDER BY host";
const DUE: &str = "SELECT host, next_ms FROM probe_hosts WHERE next_ms <= $1 AND busy_until_ms <= $1 ORDER BY next_ms LIMIT CAST($2 AS BIGINT)";
const TAKE_DUE: &str = "UPDATE probe_hosts SET next_ms = $3, busy_until_ms = $5 WHERE host = $1 AND next_ms = $2 AND busy_until_ms <= $4";
const TAKE: &str =
    "UPDATE probe_hosts SET busy_until_ms = $3 WHERE host = $1 AND busy_until_ms <= $2";
const FREE: &str =
    "UPDATE probe_hosts SET busy_until_ms = 0 WHERE host = $1 AND busy_until_ms = $2";
const KEEP: &str = "INSERT INTO address_probes (address, at_ms, result, http_status, latency_ms, failures, failing_since_ms, answered_ms, detail) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
     ON CONFLICT (address) DO UPDATE SET at_ms = excluded.at_ms, result = excluded.result, http_status = excluded.http_status, \
     latency_ms = excluded.latency_ms, detail = excluded.detail, \
     failures = CASE WHEN excluded.answered_ms > 0 THEN 0 WHEN excluded.failures = 0 THEN address_probes.failures \
     WHEN $10 = 1 OR address_probes.failures = 0 THEN address_probes.failures + 1 ELSE address_probes.failures END, \
     failing_since_ms = CASE WHEN excluded.answered_ms > 0 THEN 0 WHEN excluded.failures = 0 OR address_probes.failing_since_ms > 0 \
     THEN address_probes.failing_since_ms ELSE excluded.at_ms END, \
     answered_ms = CASE WHEN excluded.answered_ms > 0 THEN excluded.answered_ms ELSE address_probes.answered_ms END \
     WHERE excluded.at_ms >= address_probes.at_ms";
const GET: &str = "SELECT * FROM address_probes WHERE address = $1";
// One row for each address of the registry: some two thousand and a half.
const ALL_PROBES: &str = "SELECT * FROM address_probes ORDER BY address";
const FORGET: &str = "DELETE FROM address_probes WHERE at_ms < $1";

/// Gives a host its first turn; one that is there keeps its own.
pub async fn seed(conn: &mut Conn, host: &str, next_ms: i64) -> DbResult<()> {
    execute!(conn, SEED, host, next_ms)?;
    Ok(())
}

/// All hosts, by name.
pub async fn hosts(conn: &mut Conn) -> DbResult<Vec<HostRow>> {
    fetch_all!(conn, HostRow, HOSTS)
}

/// Hosts whose turn has come and that nobody asks, the longest waiting first.
pub async fn due(conn: &mut Conn, now_ms: i64, limit: i64) -> DbResult<Vec<HostRow>> {
    fetch_all!(conn, HostRow, DUE, now_ms, limit)
}

/// Takes a host whose turn has come, until `until_ms`, and sets its next turn; false
/// when another node was faster.
pub async fn take_due(
    conn: &mut Conn,
    host: &HostRow,
    next_ms: i64,
    now_ms: i64,
    until_ms: i64,
) -> DbResult<bool> {
    let rows = execute!(
        conn,
        TAKE_DUE,
        &host.host,
        host.next_ms,
        next_ms,
        now_ms,
        until_ms
    )?;
    Ok(rows == 1)
}

/// Takes a host out of its turn, until `until_ms`; false while somebody asks it.
pub async fn take(conn: &mut Conn, host: &str, now_ms: i64, until_ms: i64) -> DbResult<bool> {
    Ok(execute!(conn, TAKE, host, now_ms, until_ms)? == 1)
}

/// Gives a host back that was taken until `until_ms`.
pub async fn free(conn: &mut Conn, host: &str, until_ms: i64) -> DbResult<()> {
    execute!(conn, FREE, host, until_ms)?;
    Ok(())
}

/// Keeps what a question showed, unless something newer is there.
pub async fn keep(conn: &mut Conn, f: &Finding) -> DbResult<()> {
    let failures = i64::from(f.verdict == Verdict::Fails);
    let answers = i64::from(f.verdict == Verdict::Answers);
    let counted = i64::from(f.counted);
    execute!(
        conn,
        KEEP,
        &f.address,
        f.at_ms,
        f.result,
        f.http_status,
        f.latency_ms,
        failures,
        failures * f.at_ms,
        answers * f.at_ms,
        &f.detail,
        counted
    )?;
    Ok(())
}

/// What is known of an address.
pub async fn get(conn: &mut Conn, address: &str) -> DbResult<Option<ProbeRow>> {
    fetch_optional!(conn, ProbeRow, GET, address)
}

/// What is known of all addresses, by address.
pub async fn all(conn: &mut Conn) -> DbResult<Vec<ProbeRow>> {
    fetch_all!(conn, ProbeRow, ALL_PROBES)
}

/// Forgets addresses that nobody asked since a moment: no registry has them any more.
pub async fn forget(conn: &mut Conn, before_ms: i64) -> DbResult<()> {
    execute!(conn, FORGET, before_ms)?;
    Ok(())
}
