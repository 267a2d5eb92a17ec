//! Table `notas`, as lists and sums of documents of all kinds read it.
//!
//! A list is read along the arrival of the documents, page by page; names and
//! values are looked for on the way. What one looks for by a number, a key, a
//! CPF or CNPJ or the customer's own id is found by the index of that instead, and
//! sorted then ([`Asked::exact`]). Every index over `notas` is written for every
//! note that is issued: here is one for each of these and none for anything else,
//! and numbers and ids that a note holds are found by the indexes that keep them
//! from being used twice.

use super::notas::{NotaRow, NotaStatus, in_name};
use crate::ids::{AccountId, EmitterId};
use crate::words::{Maybe, Model};
use crate::{Conn, DbResult, fetch_all, row};

/// What one text may stand for, each of them: a document fits that has one of
/// these. Empty text, 0 and -1: it does not stand for that.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pub chave: String,
    pub number: i64,
    /// The number as the city writes it, or the customer's own id.
    pub number_text: String,
    /// CPF or CNPJ of the other party.
    pub documento: String,
    /// Cents; -1: no value.
    pub value: i64,
    /// Part of the other party's name or of the customer's own id ([`super::notas::part`]).
    pub part: String,
}

/// What a list of documents is asked for; empty text and zero mean "any".
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Words of models and of states, with a comma between them.
    pub modelos: String,
    pub status: String,
    pub emitter_id: Maybe<EmitterId>,
    pub from_ms: i64,
    pub to_ms: i64,
    pub chave: String,
    pub serie: String,
    pub number: i64,
    /// CPF or CNPJ of the other party.
    pub documento: String,
    /// Part of the other party's name ([`super::notas::part`]).
    pub name: String,
    /// Cents.
    pub min_value: i64,
    pub max_value: i64,
    pub text: Option<Text>,
    /// The oldest first.
    pub ascending: bool,
    /// Only documents behind this place: when one arrived, and its id.
    pub after: Option<(i64, String)>,
    pub limit: i64,
    /// Environments that are left out: words with a comma between them.
    pub left_out: &'static str,
}

row! {
    /// Documents of one group, model and state.
    #[derive(Clone, Debug)]
    pub struct SumRow {
        /// Day number since 1970 in Brasília, or the company.
        pub grupo: String,
        pub modelo: Model,
        pub status: NotaStatus,
        pub documentos: i64,
        pub centavos: i64,
    }
}

row! {
    /// What last happened at an authorizer.
    #[derive(Clone, Debug)]
    pub struct LastRow {
        pub sistema: String,
        pub modelo: Model,
        /// Epoch milliseconds.
        pub at_ms: i64,
    }
}

// Walks along the arrival, downwards and upwards. The conditions are those of every
// list, in the same places. What was not sent is in a list only where it is asked for.
const BY_ARRIVAL: &str = "SELECT * FROM notas WHERE account_id = $1 AND created_at_ms >= $6 AND created_at_ms < $7 \
     AND ($17 = '' OR created_at_ms < $16 OR (created_at_ms = $16 AND id < $17)) \
     AND ',' || $2 || ',' NOT LIKE '%,' || ambiente || ',%' AND (status <> 'nao_enviada' OR ',' || $4 || ',' LIKE '%,nao_enviada,%') AND ($3 = '' OR ',' || $3 || ',' LIKE '%,' || modelo || ',%') \
     AND ($4 = '' OR ',' || $4 || ',' LIKE '%,' || status || ',%') AND ($5 = '' OR emitter_id = $5) AND ($8 = '' OR chave = $8) \
     AND ($9 = '' OR serie = $9) AND ($10 = 0 OR numero = $10 OR numero_nfse = $11) AND ($12 = '' OR tomador_documento = $12) \
     AND ($13 = '' OR busca LIKE $13 ESCAPE '\\') AND valor_centavos >= $14 AND ($15 = 0 OR valor_centavos <= $15) \
     AND ($19 = '' OR (chave = $20 AND $20 <> '') OR (numero = $21 AND $21 > 0) OR ($22 <> '' AND (numero_nfse = $22 OR referencia = $22)) \
     OR (tomador_documento = $23 AND $23 <> '') OR valor_centavos = $24 OR (busca LIKE $25 ESCAPE '\\' AND $25 <> '')) \
     ORDER BY created_at_ms DESC, id DESC LIMIT $18";
const BY_ARRIVAL_UP: &str = "SELECT * FROM notas WHERE account_id = $1 AND created_at_ms >= $6 AND created_at_ms < $7 \
     AND ($17 = '' OR created_at_ms > $16 OR (created_at_ms = $16 AND id > $17)) \
     AND ',' || $2 || ',' NOT LIKE '%,' || ambiente || ',%' AND (status <> 'nao_enviada' OR ',' || $4 || ',' LIKE '%,nao_enviada,%') AND ($3 = '' OR ',' || $3 || ',' LIKE '%,' || modelo || ',%') \
     AND ($4 = '' OR ',' || $4 || ',' LIKE '%,' || status || ',%') AND ($5 = '' OR emitter_id = $5) AND ($8 = '' OR chave = $8) \
     AND ($9 = '' OR serie = $9) AND ($10 = 0 OR numero = $10 OR numero_nfse = $11) AND ($12 = '' OR tomador_documento = $12) \
     AND ($13 = '' OR busca LIKE $13 ESCAPE '\\') AND valor_centavos >= $14 AND ($15 = 0 OR valor_centavos <= $15) \
     AND ($19 = '' OR (chave = $20 AND $20 <> '') OR (numero = $21 AND $21 > 0) OR ($22 <> '' AND (numero_nfse = $22 OR referencia = $22)) \
     OR (tomador_documento = $23 AND $23 <> '') OR valor_centavos = $24 OR (busca LIKE $25 ESCAPE '\\' AND $25 <> '')) \
     ORDER BY created_at_ms, id LIMIT $18";
// What has one of the exact things that are looked for: found by their indexes,
// one after the other, and sorted here. A number or an id that a note holds is
// found by the index that keeps it from being used twice, series by series and
// company by company; one that came back, by an index of those alone. SQLite reads
// tables with CROSS JOIN between them in this order.
const EXACT: &str = "SELECT * FROM notas WHERE id IN (SELECT k.id FROM notas k WHERE k.account_id = $1 AND k.chave = $26 AND k.chave <> '' \
     UNION SELECT h.id FROM emitters e CROSS JOIN number_sequences s CROSS JOIN notas h WHERE e.account_id = $1 AND s.emitter_id = e.id \
     AND h.emitter_id = s.emitter_id AND h.ambiente = s.ambiente AND h.modelo = s.modelo AND h.serie = s.serie AND h.numero = $27 AND h.number_active = 1 \
     AND $27 > 0 UNION SELECT b.id FROM notas b WHERE b.account_id = $1 AND b.numero = $27 AND b.number_active = 0 AND b.numero <> 0 \
     UNION SELECT c.id FROM notas c WHERE c.account_id = $1 AND c.numero_nfse = $28 AND c.numero_nfse <> '' \
     UNION SELECT r.id FROM emitters e JOIN notas r ON r.emitter_id = e.id WHERE e.account_id = $1 AND r.ambiente IN ('producao', 'homologacao', 'simulado') \
     AND r.referencia = $28 AND r.referencia <> '' AND r.status NOT IN ('rejeitada', 'nao_enviada', 'rascunho') \
     UNION SELECT f.id FROM notas f WHERE f.account_id = $1 AND f.referencia = $28 AND f.referencia <> '' AND f.status IN ('rejeitada', 'nao_enviada', 'rascunho') \
     UNION SELECT d.id FROM notas d WHERE d.account_id = $1 AND d.tomador_documento = $29 AND d.tomador_documento <> '') \
     AND created_at_ms >= $6 AND created_at_ms < $7 \
     AND ($17 = '' OR created_at_ms < $16 OR (created_at_ms = $16 AND id < $17)) \
     AND ',' || $2 || ',' NOT LIKE '%,' || ambiente || ',%' AND (status <> 'nao_enviada' OR ',' || $4 || ',' LIKE '%,nao_enviada,%') AND ($3 = '' OR ',' || $3 || ',' LIKE '%,' || modelo || ',%') \
     AND ($4 = '' OR ',' || $4 || ',' LIKE '%,' || status || ',%') AND ($5 = '' OR emitter_id = $5) AND ($8 = '' OR chave = $8) \
     AND ($9 = '' OR serie = $9) AND ($10 = 0 OR numero = $10 OR numero_nfse = $11) AND ($12 = '' OR tomador_documento = $12) \
     AND ($13 = '' OR busca LIKE $13 ESCAPE '\\') AND valor_centavos >= $14 AND ($15 = 0 OR valor_centavos <= $15) \
     AND ($19 = '' OR (chave = $20 AND $20 <> '') OR (numero = $21 AND $21 > 0) OR ($22 <> '' AND (numero_nfse = $22 OR referencia = $22)) \
     OR (tomador_documento = $23 AND $23 <> '') OR valor_centavos = $24 OR (busca LIKE $25 ESCAPE '\\' AND $25 <> '')) \
     ORDER BY created_at_ms DESC, id DESC LIMIT $18";
const EXACT_UP: &str = "SELECT * FROM notas WHERE id IN (SELECT k.id FROM notas k WHERE k.account_id = $1 AND k.chave = $26 AND k.chave <> '' \
     UNION SELECT h.id FROM emitters e CROSS JOIN number_sequences s CROSS JOIN notas h WHERE e.account_id = $1 AND s.emitter_id = e.id \
     AND h.emitter_id = s.emitter_id AND h.ambiente = s.ambiente AND h.modelo = s.modelo AND h.serie = s.serie AND h.numero = $27 AND h.number_active = 1 \
     AND $27 > 0 UNION SELECT b.id FROM notas b WHERE b.account_id = $1 AND b.numero = $27 AND b.number_active = 0 AND b.numero <> 0 \
     UNION SELECT c.id FROM notas c WHERE c.account_id = $1 AND c.numero_nfse = $28 AND c.numero_nfse <> '' \
     UNION SELECT r.id FROM emitters e JOIN notas r ON r.emitter_id = e.id WHERE e.account_id = $1 AND r.ambiente IN ('producao', 'homologacao', 'simulado') \
     AND r.referencia = $28 AND r.referencia <> '' AND r.status NOT IN ('rejeitada', 'nao_enviada', 'rascunho') \
     UNION SELECT f.id FROM notas f WHERE f.account_id = $1 AND f.referencia = $28 AND f.referencia <> '' AND f.status IN ('rejeitada', 'nao_enviada', 'rascunho') \
     UNION SELECT d.id FROM notas d WHERE d.account_id = $1 AND d.tomador_documento = $29 AND d.tomador_documento <> '') \
     AND created_at_ms >= $6 AND created_at_ms < $7 \
     AND ($17 = '' OR created_at_ms > $16 OR (created_at_ms = $16 AND id > $17)) \
     AND ',' || $2 || ',' NOT LIKE '%,' || ambiente || ',%' AND (status <> 'nao_enviada' OR ',' || $4 || ',' LIKE '%,nao_enviada,%') AND ($3 = '' OR ',' || $3 || ',' LIKE '%,' || modelo || ',%') \
     AND ($4 = '' OR ',' || $4 || ',' LIKE '%,' || status || ',%') AND ($5 = '' OR emitter_id = $5) AND ($8 = '' OR chave = $8) \
     AND ($9 = '' OR serie = $9) AND ($10 = 0 OR numero = $10 OR numero_nfse = $11) AND ($12 = '' OR tomador_documento = $12) \
     AND ($13 = '' OR busca LIKE $13 ESCAPE '\\') AND valor_centavos >= $14 AND ($15 = 0 OR valor_centavos <= $15) \
     AND ($19 = '' OR (chave = $20 AND $20 <> '') OR (numero = $21 AND $21 > 0) OR ($22 <> '' AND (numero_nfse = $22 OR referencia = $22)) \
     OR (tomador_documento = $23 AND $23 <> '') OR valor_centavos = $24 OR (busca LIKE $25 ESCAPE '\\' AND $25 <> '')) \
     ORDER BY created_at_ms, id LIMIT $18";
// Brasília is three hours behind: a day is that of a list's period.
const SUM_BY_DAY: &str = "SELECT CAST((created_at_ms - 10800000) / 86400000 AS TEXT) AS grupo, modelo, status, COUNT(*) AS documentos, \
     CAST(COALESCE(SUM(valor_centavos), 0) AS BIGINT) AS centavos FROM notas \
     WHERE account_id = $1 AND created_at_ms >= $3 AND created_at_ms < $4 AND ',' || $2 || ',' NOT LIKE '%,' || ambiente || ',%' AND status <> 'nao_enviada' \
     AND ($5 = '' OR emitter_id = $5) GROUP BY (created_at_ms - 10800000) / 86400000, modelo, status \
     ORDER BY (created_at_ms - 10800000) / 86400000, modelo, status LIMIT $6";
const SUM_BY_EMITTER: &str = "SELECT emitter_id AS grupo, modelo, status, COUNT(*) AS documentos, \
     CAST(COALESCE(SUM(valor_centavos), 0) AS BIGINT) AS centavos FROM notas \
     WHERE account_id = $1 AND created_at_ms >= $3 AND created_at_ms < $4 AND ',' || $2 || ',' NOT LIKE '%,' || ambiente || ',%' AND status <> 'nao_enviada' \
     AND ($5 = '' OR emitter_id = $5) GROUP BY emitter_id, modelo, status ORDER BY emitter_id, modelo, status LIMIT $6";
const LAST_AUTHORIZED: &str = "SELECT sistema, modelo, CAST(MAX(created_at_ms) AS BIGINT) AS at_ms FROM notas \
     WHERE account_id = $1 AND created_at_ms >= $3 AND ambiente <> $2 AND status IN ('autorizada', 'cancelada') AND modelo IN ('55', '65') \
     GROUP BY sistema, modelo ORDER BY sistema, modelo LIMIT 100";

/// Groups of a sum: more than days, models and states of a year, and than an
/// account has companies times models and states.
const SUMS: i64 = 50_000;

impl Asked {
    /// What is looked for by an index of its own: the most exact filter, or the
    /// text where it stands for exact things alone. None: the list is walked.
    fn exact(&self) -> Option<Text> {
        let none = || Text {
            value: -1,
            ..Text::default()
        };
        if !self.chave.is_empty() {
            return Some(Text {
                chave: self.chave.clone(),
                ..none()
            });
        }
        // Names and values have no index.
        let indexed = |text: &&Text| text.part.is_empty() && text.value < 0;
        if let Some(text) = self.text.as_ref().filter(indexed) {
            return Some(text.clone());
        }
        if self.number > 0 {
            return Some(Text {
                number: self.number,
                number_text: self.number.to_string(),
                ..none()
            });
        }
        (!self.documento.is_empty()).then(|| Text {
            documento: self.documento.clone(),
            ..none()
        })
    }
}

/// The documents that fit, the newest or the oldest first.
pub async fn list(conn: &mut Conn, account: &AccountId, asked: &Asked) -> DbResult<Vec<NotaRow>> {
    let exact = asked.exact();
    let (place, id) = asked.after.clone().unwrap_or_default();
    let to_ms = if asked.to_ms == 0 {
        i64::MAX
    } else {
        asked.to_ms
    };
    let city_number = match asked.number {
        0 => String::new(),
        number => number.to_string(),
    };
    let (sought, text) = match &asked.text {
        Some(text) => ("1", text.clone()),
        None => ("", Text::default()),
    };
    let (name, part) = (in_name(&asked.name), anywhere(&text.part));
    // The places of both kinds of statements; those that walk have no more.
    macro_rules! read {
        ($sql:expr $(, $more:expr)*) => {
            fetch_all!(
                conn,
                NotaRow,
                $sql,
                account,
                asked.left_out,
                &asked.modelos,
                &asked.status,
                &asked.emitter_id,
                asked.from_ms,
                to_ms,
                &asked.chave,
                &asked.serie,
                asked.number,
                &city_number,
                &asked.documento,
                &name,
                asked.min_value,
                asked.max_value,
                place,
                &id,
                asked.limit,
                sought,
                &text.chave,
                text.number,
                &text.number_text,
                &text.documento,
                text.value,
                &part
                $(, $more)*
            )
        };
    }
    let Some(exact) = exact else {
        return match asked.ascending {
            true => read!(BY_ARRIVAL_UP),
            false => read!(BY_ARRIVAL),
        };
    };
    let sql = if asked.ascending { EXACT_UP } else { EXACT };
    read!(
        sql,
        &exact.chave,
        exact.number,
        &exact.number_text,
        &exact.documento
    )
}

/// Sums by day of arrival in Brasília: the day's number since 1970. `left_out`: as in
/// [`Asked`].
pub async fn sum_by_day(
    conn: &mut Conn,
    account: &AccountId,
    left_out: &str,
    (from_ms, to_ms): (i64, i64),
    emitter: &Maybe<EmitterId>,
) -> DbResult<Vec<SumRow>> {
    fetch_all!(
        conn, SumRow, SUM_BY_DAY, account, left_out, from_ms, to_ms, emitter, SUMS
    )
}

/// Sums by company. `left_out`: as in [`Asked`].
pub async fn sum_by_emitter(
    conn: &mut Conn,
    account: &AccountId,
    left_out: &str,
    (from_ms, to_ms): (i64, i64),
    emitter: &Maybe<EmitterId>,
) -> DbResult<Vec<SumRow>> {
    fetch_all!(
        conn,
        SumRow,
        SUM_BY_EMITTER,
        account,
        left_out,
        from_ms,
        to_ms,
        emitter,
        SUMS
    )
}

/// When each authorizer last authorized a product note of the account, of those
/// that arrived since a moment.
pub async fn last_authorized(
    conn: &mut Conn,
    account: &AccountId,
    unseen: &str,
    since_ms: i64,
) -> DbResult<Vec<LastRow>> {
    fetch_all!(conn, LastRow, LAST_AUTHORIZED, account, unseen, since_ms)
}

/// The pattern of a name or id that has this part; empty: none.
fn anywhere(part: &str) -> String {
    match part {
        "" => String::new(),
        part => format!("%{part}%"),
    }
}
