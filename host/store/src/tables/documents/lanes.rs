//! The indexes a list is read along. Each statement here reads one of them alone, no row of
//! `notas`, in the order of the list and no further than it is told to.
//!
//! A run is a stretch of an index in which the documents already stand in the order of
//! arrival: those of one environment, model and state, of an account or of a company; those of
//! a CPF or CNPJ; those of one value. A list that asks for several states reads several runs
//! and joins them ([`super::page`]), or has SQLite join them: a statement is handed to another
//! thread there, which takes longer than it does.

use crate::ids::{AccountId, EmitterId};
use crate::tables::notas::NotaStatus;
use crate::words::{Ambiente, Model};
use crate::{Conn, DbResult, fetch_all, fetch_value, row};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Documents of one exact thing that are looked at: more than companies of an account give
/// the same number to.
const EXACT_MOST: i64 = 5_000;
/// Documents whose values are in a range that are sorted; of a wider range the newest are near.
pub(super) const VALUES_MOST: usize = 10_000;

row! {
    /// A document's place in a list, and what is known of it there.
    #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Place {
        pub created_at_ms: i64,
        pub id: String,
        /// Cents.
        pub valor_centavos: i64,
    }
}

row! {
    /// A place, and the run it is of.
    struct RunPlace {
        run: i64,
        created_at_ms: i64,
        id: String,
        valor_centavos: i64,
    }
}

/// An environment, a model and a state.
pub type Kind = (Ambiente, Model, NotaStatus);

/// What the documents of a run have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lane {
    Account(Ambiente, Model, NotaStatus),
    Emitter(EmitterId, Ambiente, Model, NotaStatus),
    /// Of several environments, models and states of the account, or of a company, joined by
    /// SQLite.
    Joined(Option<EmitterId>, Vec<Kind>),
    /// CPF or CNPJ; empty: who came with a name alone.
    Party(String),
    /// Each another CPF or CNPJ: their documents, joined.
    Parties(Vec<String>),
    /// Cents.
    Value(i64),
    /// Places that were read already.
    Known,
}

/// A run, and how far it was read.
#[derive(Clone, Debug)]
pub struct Run {
    pub lane: Lane,
    /// Only helps to find more: the list is not shorter where it was not read to its end.
    pub extra: bool,
    pub read: VecDeque<Place>,
    pub over: bool,
    /// Places read so far.
    pub count: usize,
    pub last: Option<(i64, String)>,
}

/// The part of a run that a page looks at.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'q> {
    pub from_ms: i64,
    /// The first moment after it.
    pub to_ms: i64,
    /// Behind this place in the order.
    pub after: Option<&'q (i64, String)>,
    pub ascending: bool,
}

const ACCOUNT_DOWN: &str = "SELECT created_at_ms, id, valor_centavos FROM notas WHERE account_id = $1 AND ambiente = $2 AND modelo = $3 AND status = $4 \
     AND created_at_ms >= $5 AND (created_at_ms, id) < ($6, $7) ORDER BY created_at_ms DESC, id DESC LIMIT CAST($8 AS BIGINT)";
const ACCOUNT_UP: &str = "SELECT created_at_ms, id, valor_centavos FROM notas WHERE account_id = $1 AND ambiente = $2 AND modelo = $3 AND status = $4 \
     AND (created_at_ms, id) > ($6, $7) AND created_at_ms < $5 ORDER BY created_at_ms, id LIMIT CAST($8 AS BIGINT)";
const EMITTER_DOWN: &str = "SELECT created_at_ms, id, valor_centavos FROM notas WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND status = $4 \
     AND created_at_ms >= $5 AND (created_at_ms, id) < ($6, $7) ORDER BY created_at_ms DESC, id DESC LIMIT CAST($8 AS BIGINT)";
const EMITTER_UP: &str = "SELECT created_at_ms, id, valor_centavos FROM notas WHERE emitter_id = $1 AND ambiente = $2 AND modelo = $3 AND status = $4 \
     AND (created_at_ms, id) > ($6, $7) AND created_at_ms < $5 ORDER BY created_at_ms, id LIMIT CAST($8 AS BIGINT)";
// SQLite joins runs itself: it leaves the stretch of each where it falls behind the last document that the
// page still takes. For that the table of the order must be the inner one, read in this order.
const ACCOUNT_JOINED_DOWN_SQLITE: &str = "SELECT n.created_at_ms, n.id, n.valor_centavos FROM json_each($2) x CROSS JOIN notas n \
     WHERE n.account_id = $1 AND n.ambiente = x.value ->> 0 AND n.modelo = x.value ->> 1 AND n.status = x.value ->> 2 \
     AND n.created_at_ms >= $3 AND (n.created_at_ms, n.id) < ($4, $5) ORDER BY n.created_at_ms DESC, n.id DESC LIMIT CAST($6 AS BIGINT)";
const ACCOUNT_JOINED_UP_SQLITE: &str = "SELECT n.created_at_ms, n.id, n.valor_centavos FROM json_each($2) x CROSS JOIN notas n \
     WHERE n.account_id = $1 AND n.ambiente = x.value ->> 0 AND n.modelo = x.value ->> 1 AND n.status = x.value ->> 2 \
     AND (n.created_at_ms, n.id) > ($4, $5) AND n.created_at_ms < $3 ORDER BY n.created_at_ms, n.id LIMIT CAST($6 AS BIGINT)";
const EMITTER_JOINED_DOWN_SQLITE: &str = "SELECT n.created_at_ms, n.id, n.valor_centavos FROM json_each($2) x CROSS JOIN notas n \
     WHERE n.emitter_id = $1 AND n.ambiente = x.value ->> 0 AND n.modelo = x.value ->> 1 AND n.status = x.value ->> 2 \
     AND n.created_at_ms >= $3 AND (n.created_at_ms, n.id) < ($4, $5) ORDER BY n.created_at_ms DESC, n.id DESC LIMIT CAST($6 AS BIGINT)";
const EMITTER_JOINED_UP_SQLITE: &str = "SELECT n.created_at_ms, n.id, n.valor_centavos FROM json_each($2) x CROSS JOIN notas n \
     WHERE n.emitter_id = $1 AND n.ambiente = x.value ->> 0 AND n.modelo = x.value ->> 1 AND n.status = x.value ->> 2 \
     AND (n.created_at_ms, n.id) > ($4, $5) AND n.created_at_ms < $3 ORDER BY n.created_at_ms, n.id LIMIT CAST($6 AS BIGINT)";
// A statement costs PostgreSQL a round trip: there all runs are read by one, each along its own stretch of
// the index.
const ACCOUNT_RUNS_DOWN_POSTGRES: &str = "SELECT x.run, p.created_at_ms, p.id, p.valor_centavos \
     FROM jsonb_to_recordset(CAST($1 AS jsonb)) AS x (run BIGINT, owner TEXT, ambiente TEXT, modelo TEXT, status TEXT, far BIGINT, at_ms BIGINT, id TEXT, most BIGINT) \
     CROSS JOIN LATERAL (SELECT n.created_at_ms, n.id, n.valor_centavos FROM notas n WHERE n.account_id = x.owner AND n.ambiente = x.ambiente AND n.modelo = x.modelo AND n.status = x.status \
     AND n.created_at_ms >= x.far AND (n.created_at_ms, n.id) < (x.at_ms, x.id) ORDER BY n.created_at_ms DESC, n.id DESC LIMIT x.most) AS p ORDER BY x.run, p.created_at_ms DESC, p.id DESC";
const ACCOUNT_RUNS_UP_POSTGRES: &str = "SELECT x.run, p.created_at_ms, p.id, p.valor_centavos \
     FROM jsonb_to_recordset(CAST($1 AS jsonb)) AS x (run BIGINT, owner TEXT, ambiente TEXT, modelo TEXT, status TEXT, far BIGINT, at_ms BIGINT, id TEXT, most BIGINT) \
     CROSS JOIN LATERAL (SELECT n.created_at_ms, n.id, n.valor_centavos FROM notas n WHERE n.account_id = x.owner AND n.ambiente = x.ambiente AND n.modelo = x.modelo AND n.status = x.status \
     AND (n.created_at_ms, n.id) > (x.at_ms, x.id) AND n.created_at_ms < x.far ORDER BY n.created_at_ms, n.id LIMIT x.most) AS p ORDER BY x.run, p.created_at_ms, p.id";
const EMITTER_RUNS_DOWN_POSTGRES: &str = "SELECT x.run, p.created_at_ms, p.id, p.valor_centavos \
     FROM jsonb_to_recordset(CAST($1 AS jsonb)) AS x (run BIGINT, owner TEXT, ambiente TEXT, modelo TEXT, status TEXT, far BIGINT, at_ms BIGINT, id TEXT, most BIGINT) \
     CROSS JOIN LATERAL (SELECT n.created_at_ms, n.id, n.valor_centavos FROM notas n WHERE n.emitter_id = x.owner AND n.ambiente = x.ambiente AND n.modelo = x.modelo AND n.status = x.status \
     AND n.created_at_ms >= x.far AND (n.created_at_ms, n.id) < (x.at_ms, x.id) ORDER BY n.created_at_ms DESC, n.id DESC LIMIT x.most) AS p ORDER BY x.run, p.created_at_ms DESC, p.id DESC";
const EMITTER_RUNS_UP_POSTGRES: &str = "SELECT x.run, p.created_at_ms, p.id, p.valor_centavos \
     FROM jsonb_to_recordset(CAST($1 AS jsonb)) AS x (run BIGINT, owner TEXT, ambiente TEXT, modelo TEXT, status TEXT, far BIGINT, at_ms BIGINT, id TEXT, most BIGINT) \
     CROSS JOIN LATERAL (SELECT n.created_at_ms, n.id, n.valor_centavos FROM notas n WHERE n.emitter_id = x.owner AND n.ambiente = x.ambiente AND n.modelo = x.modelo AND n.status = x.status \
     AND (n.created_at_ms, n.id) > (x.at_ms, x.id) AND n.created_at_ms < x.far ORDER BY n.created_at_ms, n.id LIMIT x.most) AS p ORDER BY x.run, p.created_at_ms, p.id";
// The condition in brackets is that of the index.
const PARTY_DOWN: &str = "SELECT created_at_ms, id, CAST(-1 AS BIGINT) AS valor_centavos FROM notas WHERE account_id = $1 AND tomador_documento = $2 \
     AND (tomador_documento <> '' OR tomador_nome <> '') \
     AND created_at_ms >= $3 AND (created_at_ms, id) < ($4, $5) ORDER BY created_at_ms DESC, id DESC LIMIT CAST($6 AS BIGINT)";
const PARTY_UP: &str = "SELECT created_at_ms, id, CAST(-1 AS BIGINT) AS valor_centavos FROM notas WHERE account_id = $1 AND tomador_documento = $2 \
     AND (tomador_documento <> '' OR tomador_nome <> '') \
     AND (created_at_ms, id) > ($4, $5) AND created_at_ms < $3 ORDER BY created_at_ms, id LIMIT CAST($6 AS BIGINT)";
// Those of several CPF or CNPJ, joined by the engine. SQLite leaves the stretch of each where it falls behind the
// last document that the page still takes: the table of the order must be the inner one, read in this order.
const PARTIES_DOWN_SQLITE: &str = "SELECT n.created_at_ms, n.id, CAST(-1 AS BIGINT) AS valor_centavos FROM json_each($2) x CROSS JOIN notas n \
     WHERE n.account_id = $1 AND n.tomador_documento = x.value AND (n.tomador_documento <> '' OR n.tomador_nome <> '') \
     AND n.created_at_ms >= $3 AND (n.created_at_ms, n.id) < ($4, $5) ORDER BY n.created_at_ms DESC, n.id DESC LIMIT CAST($6 AS BIGINT)";
const PARTIES_UP_SQLITE: &str = "SELECT n.created_at_ms, n.id, CAST(-1 AS BIGINT) AS valor_centavos FROM json_each($2) x CROSS JOIN notas n \
     WHERE n.account_id = $1 AND n.tomador_documento = x.value AND (n.tomador_documento <> '' OR n.tomador_nome <> '') \
     AND (n.created_at_ms, n.id) > ($4, $5) AND n.created_at_ms < $3 ORDER BY n.created_at_ms, n.id LIMIT CAST($6 AS BIGINT)";
// PostgreSQL would read each stretch whole. The first document of each says whose are read: what the page takes is of
// those whose first ones are the first, as many as it takes, and does not lie behind the last of these.
const PARTIES_DOWN_POSTGRES: &str = "WITH y AS MATERIALIZED (SELECT x.documento, h.created_at_ms FROM jsonb_array_elements_text(CAST($2 AS jsonb)) AS x (documento) \
     CROSS JOIN LATERAL (SELECT n.created_at_ms, n.id FROM notas n \
     WHERE n.account_id = $1 AND n.tomador_documento = x.documento AND (n.tomador_documento <> '' OR n.tomador_nome <> '') \
     AND n.created_at_ms >= $3 AND (n.created_at_ms, n.id) < ($4, $5) ORDER BY n.created_at_ms DESC, n.id DESC LIMIT 1) AS h ORDER BY h.created_at_ms DESC, h.id DESC LIMIT $6) \
     SELECT p.created_at_ms, p.id, CAST(-1 AS BIGINT) AS valor_centavos FROM y CROSS JOIN LATERAL (SELECT n.created_at_ms, n.id FROM notas n \
     WHERE n.account_id = $1 AND n.tomador_documento = y.documento AND (n.tomador_documento <> '' OR n.tomador_nome <> '') \
     AND n.created_at_ms >= (SELECT CASE WHEN COUNT(*) = $6 THEN MIN(z.created_at_ms) ELSE $3 END FROM y z) \
     AND (n.created_at_ms, n.id) < ($4, $5) ORDER BY n.created_at_ms DESC, n.id DESC LIMIT $6) AS p ORDER BY p.created_at_ms DESC, p.id DESC LIMIT $6";
const PARTIES_UP_POSTGRES: &str = "WITH y AS MATERIALIZED (SELECT x.documento, h.created_at_ms FROM jsonb_array_elements_text(CAST($2 AS jsonb)) AS x (documento) \
     CROSS JOIN LATERAL (SELECT n.created_at_ms, n.id FROM notas n \
     WHERE n.account_id = $1 AND n.tomador_documento = x.documento AND (n.tomador_documento <> '' OR n.tomador_nome <> '') \
     AND (n.created_at_ms, n.id) > ($4, $5) AND n.created_at_ms < $3 ORDER BY n.created_at_ms, n.id LIMIT 1) AS h ORDER BY h.created_at_ms, h.id LIMIT $6) \
     SELECT p.created_at_ms, p.id, CAST(-1 AS BIGINT) AS valor_centavos FROM y CROSS JOIN LATERAL (SELECT n.created_at_ms, n.id FROM notas n \
     WHERE n.account_id = $1 AND n.tomador_documento = y.documento AND (n.tomador_documento <> '' OR n.tomador_nome <> '') \
     AND (n.created_at_ms, n.id) > ($4, $5) AND n.created_at_ms < $3 \
     AND n.created_at_ms <= (SELECT CASE WHEN COUNT(*) = $6 THEN MAX(z.created_at_ms) ELSE $3 END FROM y z) \
     ORDER BY n.created_at_ms, n.id LIMIT $6) AS p ORDER BY p.created_at_ms, p.id LIMIT $6";
const VALUE_DOWN: &str = "SELECT created_at_ms, id, valor_centavos FROM notas WHERE account_id = $1 AND valor_centavos = $2 \
     AND created_at_ms >= $3 AND (created_at_ms, id) < ($4, $5) ORDER BY created_at_ms DESC, id DESC LIMIT CAST($6 AS BIGINT)";
const VALUE_UP: &str = "SELECT created_at_ms, id, valor_centavos FROM notas WHERE account_id = $1 AND valor_centavos = $2 \
     AND (created_at_ms, id) > ($4, $5) AND created_at_ms < $3 ORDER BY created_at_ms, id LIMIT CAST($6 AS BIGINT)";
const VALUES: &str = "SELECT created_at_ms, id, valor_centavos FROM notas WHERE account_id = $1 AND valor_centavos >= $2 AND valor_centavos <= $3 LIMIT CAST($4 AS BIGINT)";
const HOW_MANY_VALUES: &str = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM notas WHERE account_id = $1 AND valor_centavos >= $2 AND valor_centavos <= $3 LIMIT CAST($4 AS BIGINT)) y";
const IS_OF: &str = "SELECT COUNT(*) FROM emitters WHERE id = $1 AND account_id || '' = $2";
const WITH_CNPJ: &str = "SELECT id FROM emitters WHERE account_id = $1 AND cnpj = $2 LIMIT 10";
// A number or an id that a note holds is found by the index that keeps it from being used
// twice, series by series and company by company; one that came back, by an index of those
// alone. SQLite reads tables with CROSS JOIN between them in this order. Each part gives the whole place:
// joined with `notas` by the id, PostgreSQL guessed many ids and read all documents. What is not looked for is
// said once more: without a value PostgreSQL takes no index that leaves empty values out, and reads all documents.
const EXACT: &str = "SELECT k.created_at_ms, k.id, k.valor_centavos FROM notas k WHERE k.account_id || '' = $1 AND k.chave = $2 AND k.chave <> '' AND $2 <> '' \
     UNION SELECT h.created_at_ms, h.id, h.valor_centavos FROM emitters e CROSS JOIN number_sequences s CROSS JOIN notas h WHERE e.account_id = $1 AND s.emitter_id = e.id \
     AND h.emitter_id = s.emitter_id AND h.ambiente = s.ambiente AND h.modelo = s.modelo AND h.serie = s.serie AND h.numero = $3 AND h.number_active = 1 \
     AND $3 > 0 UNION SELECT b.created_at_ms, b.id, b.valor_centavos FROM notas b WHERE b.account_id = $1 AND b.numero = $3 AND b.number_active = 0 AND b.numero <> 0 \
     UNION SELECT c.created_at_ms, c.id, c.valor_centavos FROM notas c WHERE c.account_id = $1 AND c.numero_nfse = $4 AND c.numero_nfse <> '' AND $4 <> '' \
     UNION SELECT r.created_at_ms, r.id, r.valor_centavos FROM emitters e JOIN notas r ON r.emitter_id = e.id WHERE e.account_id = $1 AND r.ambiente IN ('producao', 'homologacao', 'simulado') \
     AND r.referencia = $4 AND r.referencia <> '' AND $4 <> '' AND r.status NOT IN ('rejeitada', 'nao_enviada', 'rascunho') \
     UNION SELECT f.created_at_ms, f.id, f.valor_centavos FROM notas f WHERE f.account_id = $1 AND f.referencia = $4 AND f.referencia <> '' AND $4 <> '' AND f.status IN ('rejeitada', 'nao_enviada', 'rascunho') \
     LIMIT CAST($5 AS BIGINT)";

impl Run {
    pub fn new(lane: Lane) -> Run {
        Run {
            lane,
            extra: false,
            read: VecDeque::new(),
            over: false,
            count: 0,
            last: None,
        }
    }

    /// A run of places that were read already, in the order of the list.
    pub fn known(mut places: Vec<Place>, stretch: &Stretch<'_>) -> Run {
        places.retain(|place| stretch.has(place));
        places.sort_unstable();
        if !stretch.ascending {
            places.reverse();
        }
        Run {
            count: places.len(),
            read: places.into(),
            over: true,
            ..Run::new(Lane::Known)
        }
    }

    /// Reads on, so many places at most.
    async fn go_on(
        &mut self,
        conn: &mut Conn,
        account: &AccountId,
        stretch: &Stretch<'_>,
        most: usize,
    ) -> DbResult<()> {
        let limit = i64::try_from(most).unwrap_or(i64::MAX);
        let places = self.places(conn, account, stretch, limit).await?;
        self.took(places, most);
        Ok(())
    }

    /// Adds the next places, of which so many were asked for at most.
    fn took(&mut self, places: Vec<Place>, most: usize) {
        self.over = places.len() < most;
        self.count += places.len();
        if let Some(last) = places.last() {
            self.last = Some((last.created_at_ms, last.id.clone()));
        }
        self.read.extend(places);
    }

    /// What a statement that reads several runs is told of this one; None: it is read alone.
    fn wanted(
        &self,
        account: &AccountId,
        stretch: &Stretch<'_>,
        (run, most): (usize, usize),
    ) -> Option<Value> {
        let (owner, ambiente, model, status) = match &self.lane {
            Lane::Account(ambiente, model, status) => (account.as_str(), ambiente, model, status),
            Lane::Emitter(emitter, ambiente, model, status) => {
                (emitter.as_str(), ambiente, model, status)
            }
            Lane::Joined(..) | Lane::Party(_) | Lane::Parties(_) | Lane::Value(_) | Lane::Known => {
                return None;
            }
        };
        let (far, (at_ms, id)) = stretch.bounds(self.last.as_ref());
        Some(json!({
            "run": run, "owner": owner, "ambiente": ambiente.as_str(), "modelo": model.as_str(),
            "status": status.as_str(), "far": far, "at_ms": at_ms, "id": id, "most": most,
        }))
    }

    async fn places(
        &self,
        conn: &mut Conn,
        account: &AccountId,
        stretch: &Stretch<'_>,
        limit: i64,
    ) -> DbResult<Vec<Place>> {
        let up = stretch.ascending;
        let (far, (at_ms, id)) = stretch.bounds(self.last.as_ref());
        match &self.lane {
            Lane::Account(ambiente, model, status) => {
                let sql = if up { ACCOUNT_UP } else { ACCOUNT_DOWN };
                let (ambiente, model, status) = (*ambiente, *model, *status);
                fetch_all!(
                    conn, Place, sql, account, ambiente, model, status, far, at_ms, &id, limit
                )
            }
            Lane::Emitter(emitter, ambiente, model, status) => {
                let sql = if up { EMITTER_UP } else { EMITTER_DOWN };
                let (ambiente, model, status) = (*ambiente, *model, *status);
                fetch_all!(
                    conn, Place, sql, emitter, ambiente, model, status, far, at_ms, &id, limit
                )
            }
            Lane::Joined(emitter, kinds) => {
                let words = |(ambiente, model, status): &Kind| {
                    json!([ambiente.as_str(), model.as_str(), status.as_str()])
                };
                let kinds = Value::Array(kinds.iter().map(words).collect()).to_string();
                let Some(emitter) = emitter else {
                    let sql = if up {
                        ACCOUNT_JOINED_UP_SQLITE
                    } else {
                        ACCOUNT_JOINED_DOWN_SQLITE
                    };
                    return fetch_all!(conn, Place, sql, account, &kinds, far, at_ms, &id, limit);
                };
                let sql = if up {
                    EMITTER_JOINED_UP_SQLITE
                } else {
                    EMITTER_JOINED_DOWN_SQLITE
                };
                fetch_all!(conn, Place, sql, emitter, &kinds, far, at_ms, &id, limit)
            }
            Lane::Party(documento) => {
                let sql = if up { PARTY_UP } else { PARTY_DOWN };
                fetch_all!(conn, Place, sql, account, documento, far, at_ms, &id, limit)
            }
            Lane::Parties(documentos) => {
                let sql = match (up, matches!(conn, Conn::Sqlite(_))) {
                    (false, true) => PARTIES_DOWN_SQLITE,
                    (true, true) => PARTIES_UP_SQLITE,
                    (false, false) => PARTIES_DOWN_POSTGRES,
                    (true, false) => PARTIES_UP_POSTGRES,
                };
                let documentos = json!(documentos).to_string();
                fetch_all!(
                    conn,
                    Place,
                    sql,
                    account,
                    &documentos,
                    far,
                    at_ms,
                    &id,
                    limit
                )
            }
            Lane::Value(cents) => {
                let sql = if up { VALUE_UP } else { VALUE_DOWN };
                fetch_all!(conn, Place, sql, account, *cents, far, at_ms, &id, limit)
            }
            Lane::Known => Ok(Vec::new()),
        }
    }
}

/// Reads runs on, each so many places at most.
pub(super) async fn go_on(
    conn: &mut Conn,
    account: &AccountId,
    stretch: &Stretch<'_>,
    runs: Vec<(&mut Run, usize)>,
) -> DbResult<()> {
    let server = matches!(conn, Conn::Postgres(_));
    let (mut of_account, mut of_emitters) = (Vec::new(), Vec::new());
    for (run, most) in runs {
        if server && matches!(run.lane, Lane::Account(..)) {
            of_account.push((run, most));
        } else if server && matches!(run.lane, Lane::Emitter(..)) {
            of_emitters.push((run, most));
        } else {
            run.go_on(conn, account, stretch, most).await?;
        }
    }
    let (of_account_sql, of_emitters_sql) = if stretch.ascending {
        (ACCOUNT_RUNS_UP_POSTGRES, EMITTER_RUNS_UP_POSTGRES)
    } else {
        (ACCOUNT_RUNS_DOWN_POSTGRES, EMITTER_RUNS_DOWN_POSTGRES)
    };
    together(conn, account, stretch, of_account_sql, of_account).await?;
    together(conn, account, stretch, of_emitters_sql, of_emitters).await
}

/// Reads runs of accounts, or of companies, on by one statement.
async fn together(
    conn: &mut Conn,
    account: &AccountId,
    stretch: &Stretch<'_>,
    sql: &'static str,
    runs: Vec<(&mut Run, usize)>,
) -> DbResult<()> {
    if runs.is_empty() {
        return Ok(());
    }
    let wanted = runs.iter().enumerate();
    let wanted = wanted.filter_map(|(at, (run, most))| run.wanted(account, stretch, (at, *most)));
    let wanted = Value::Array(wanted.collect()).to_string();
    let rows = fetch_all!(conn, RunPlace, sql, &wanted)?;
    let mut found: Vec<Vec<Place>> = runs.iter().map(|_| Vec::new()).collect();
    for row in rows {
        let places = usize::try_from(row.run).ok();
        if let Some(places) = places.and_then(|run| found.get_mut(run)) {
            places.push(Place {
                created_at_ms: row.created_at_ms,
                id: row.id,
                valor_centavos: row.valor_centavos,
            });
        }
    }
    for ((run, most), places) in runs.into_iter().zip(found) {
        run.took(places, most);
    }
    Ok(())
}

impl Stretch<'_> {
    fn has(&self, place: &Place) -> bool {
        let behind = self.after.is_none_or(|(at_ms, id)| {
            let (place, after) = ((place.created_at_ms, &place.id), (*at_ms, id));
            if self.ascending {
                place > after
            } else {
                place < after
            }
        });
        behind && place.created_at_ms >= self.from_ms && place.created_at_ms < self.to_ms
    }

    /// The far end of what is read, and the place behind which it begins: where the run was
    /// read to, or where the page begins.
    fn bounds(&self, last: Option<&(i64, String)>) -> (i64, (i64, String)) {
        let after = last.or(self.after);
        if self.ascending {
            // No id is empty: the first moment is read whole.
            let first = (self.from_ms, String::new());
            let begin = after.filter(|(at_ms, _)| *at_ms >= self.from_ms);
            (self.to_ms, begin.cloned().unwrap_or(first))
        } else {
            let first = (self.to_ms, String::new());
            let begin = after.filter(|(at_ms, _)| *at_ms < self.to_ms);
            (self.from_ms, begin.cloned().unwrap_or(first))
        }
    }
}

row! {
    struct Id {
        id: EmitterId,
    }
}

/// Whether a company is the account's.
pub(super) async fn is_of(
    conn: &mut Conn,
    account: &AccountId,
    emitter: &EmitterId,
) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, IS_OF, emitter, account)?.unwrap_or(0) > 0)
}

/// The account's companies of a CNPJ.
pub(super) async fn with_cnpj(
    conn: &mut Conn,
    account: &AccountId,
    cnpj: &str,
) -> DbResult<Vec<EmitterId>> {
    let found = fetch_all!(conn, Id, WITH_CNPJ, account, cnpj)?;
    Ok(found.into_iter().map(|row| row.id).collect())
}

/// Documents that have an exact thing: a key, a number, or the city's number or the customer's
/// own id. Empty and 0: not looked for.
pub(super) async fn exact(
    conn: &mut Conn,
    account: &AccountId,
    chave: &str,
    number: i64,
    text: &str,
) -> DbResult<Vec<Place>> {
    fetch_all!(conn, Place, EXACT, account, chave, number, text, EXACT_MOST)
}

/// Documents whose value is in a range of cents; None: they are too many to be sorted.
pub(super) async fn values(
    conn: &mut Conn,
    account: &AccountId,
    (from, to): (i64, i64),
) -> DbResult<Option<Vec<Place>>> {
    let most = i64::try_from(VALUES_MOST).unwrap_or(0);
    // Counted alone first: places that are too many to be sorted would be sent for nothing.
    let many: Option<i64> = fetch_value!(conn, i64, HOW_MANY_VALUES, account, from, to, most + 1)?;
    if many > Some(most) {
        return Ok(None);
    }
    let places = fetch_all!(conn, Place, VALUES, account, from, to, most + 1)?;
    Ok((places.len() <= VALUES_MOST).then_some(places))
}
