//! Sums of past days are counted again, a day at a time.

use super::Finding;
use crate::tables::documents::days::{self, Day};
use crate::{Conn, DbResult, fetch_all, fetch_optional, fetch_value, row};

/// Findings of this rule that are told.
const MOST: usize = 20;

const RULE: &str = "sums of a past day are those of its documents";

const NEXT: &str = "SELECT account_id, day FROM document_days WHERE (account_id, day) > ($1, $2) AND state = 1 ORDER BY account_id, day LIMIT 1";
// In one statement with the state: a day whose documents change meanwhile has no sums. Those of all companies
// together are held against those of the companies, and these against the documents.
const DIFFERENT_SQLITE: &str = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM ( \
     SELECT s.emitter_id, s.ambiente, s.modelo, s.status, s.documentos, s.centavos FROM document_sums s WHERE s.account_id = $1 AND s.emitter_id = '' AND s.day = $2 \
     UNION ALL SELECT '', s.ambiente, s.modelo, s.status, -s.documentos, -s.centavos FROM emitters e CROSS JOIN document_sums s \
     WHERE e.account_id = $1 AND s.account_id = $1 AND s.emitter_id = e.id AND s.day = $2 \
     UNION ALL SELECT s.emitter_id, s.ambiente, s.modelo, s.status, s.documentos, s.centavos FROM emitters e CROSS JOIN document_sums s \
     WHERE e.account_id = $1 AND s.account_id = $1 AND s.emitter_id = e.id AND s.day = $2 \
     UNION ALL SELECT n.emitter_id, n.ambiente, n.modelo, n.status, -1, -n.valor_centavos FROM emitters e CROSS JOIN notas n WHERE e.account_id = $1 AND n.emitter_id = e.id \
     AND n.ambiente IN ('producao', 'homologacao', 'simulado') AND n.modelo IN ('nfse', '55', '65', '57', '58') \
     AND n.status IN ('rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada') \
     AND n.created_at_ms >= $3 AND n.created_at_ms < $4) AS x \
     WHERE EXISTS (SELECT 1 FROM document_days d WHERE d.account_id = $1 AND d.day = $2 AND d.state = 1) \
     GROUP BY x.emitter_id, x.ambiente, x.modelo, x.status HAVING SUM(x.documentos) <> 0 OR SUM(x.centavos) <> 0) AS y";
// As `GROUPS_POSTGRES` of the days reads the documents.
const DIFFERENT_POSTGRES: &str = "WITH k AS MATERIALIZED (SELECT a.ambiente, m.modelo, s.status FROM unnest(ARRAY['producao', 'homologacao', 'simulado']) AS a (ambiente) CROSS JOIN unnest(ARRAY['nfse', '55', '65', '57', '58']) AS m (modelo) \
     CROSS JOIN unnest(ARRAY['rascunho', 'em_transmissao', 'pendente_prefeitura', 'autorizada', 'validada', 'rejeitada', 'cancelada']) AS s (status) \
     CROSS JOIN LATERAL (SELECT n.id FROM notas n WHERE n.account_id = $1 AND n.ambiente = a.ambiente AND n.modelo = m.modelo AND n.status = s.status \
     AND n.created_at_ms >= $3 AND n.created_at_ms < $4 LIMIT 1) AS one) \
     SELECT COUNT(*) FROM (SELECT 1 AS one FROM ( \
     SELECT s.emitter_id, s.ambiente, s.modelo, s.status, s.documentos, s.centavos FROM document_sums s WHERE s.account_id = $1 AND s.emitter_id = '' AND s.day = $2 \
     UNION ALL SELECT '', s.ambiente, s.modelo, s.status, -s.documentos, -s.centavos FROM emitters e CROSS JOIN document_sums s \
     WHERE e.account_id = $1 AND s.account_id = $1 AND s.emitter_id = e.id AND s.day = $2 \
     UNION ALL SELECT s.emitter_id, s.ambiente, s.modelo, s.status, s.documentos, s.centavos FROM emitters e CROSS JOIN document_sums s \
     WHERE e.account_id = $1 AND s.account_id = $1 AND s.emitter_id = e.id AND s.day = $2 \
     UNION ALL SELECT e.id, k.ambiente, k.modelo, k.status, -z.documentos, -z.centavos FROM k CROSS JOIN emitters e \
     CROSS JOIN LATERAL (SELECT COUNT(*) AS documentos, CAST(SUM(n.valor_centavos) AS BIGINT) AS centavos FROM notas n \
     WHERE n.emitter_id = e.id AND n.ambiente = k.ambiente AND n.modelo = k.modelo AND n.status = k.status AND n.created_at_ms >= $3 AND n.created_at_ms < $4) AS z \
     WHERE e.account_id = $1 AND z.documentos > 0) AS x \
     WHERE EXISTS (SELECT 1 FROM document_days d WHERE d.account_id = $1 AND d.day = $2 AND d.state = 1) \
     GROUP BY x.emitter_id, x.ambiente, x.modelo, x.status HAVING SUM(x.documentos) <> 0 OR SUM(x.centavos) <> 0) AS y";
// Sums of a day that nobody says to have been added up, or of a company that is not the account's.
const LEFT: &str = "SELECT DISTINCT s.account_id || '/' || CAST(s.day AS TEXT) AS id FROM document_sums s \
     WHERE NOT EXISTS (SELECT 1 FROM document_days d WHERE d.account_id = s.account_id AND d.day = s.day) \
     OR (s.emitter_id <> '' AND NOT EXISTS (SELECT 1 FROM emitters e WHERE e.id = s.emitter_id AND e.account_id || '' = s.account_id)) LIMIT 20";

row! {
    struct Found {
        id: String,
    }
}

/// Days whose sums are not what their documents are.
pub(super) async fn run(conn: &mut Conn) -> DbResult<Vec<Finding>> {
    let different = match conn {
        Conn::Sqlite(_) => DIFFERENT_SQLITE,
        Conn::Postgres(_) => DIFFERENT_POSTGRES,
    };
    let mut found: Vec<String> = Vec::new();
    let mut last = Day::default();
    while found.len() < MOST {
        let next = fetch_optional!(&mut *conn, Day, NEXT, &last.account_id, last.day)?;
        let Some(next) = next else {
            break;
        };
        last = next;
        let Day {
            account_id: account,
            day,
        } = &last;
        let (from_ms, to_ms) = (days::first_ms(*day), days::first_ms(*day + 1));
        let many = fetch_value!(&mut *conn, i64, different, account, *day, from_ms, to_ms)?;
        if many.unwrap_or(0) > 0 {
            found.push(format!("{account}/{day}"));
        }
    }
    let left = fetch_all!(conn, Found, LEFT)?;
    found.extend(left.into_iter().map(|row| row.id));
    found.truncate(MOST);
    let findings = found.into_iter().map(|row| Finding { rule: RULE, row });
    Ok(findings.collect())
}
