//! Table `notas`, as lists and sums of documents of all kinds read it.
//!
//! How a list finds its page is in [`page`], the indexes it reads in [`lanes`], and the
//! conditions that every document of it fulfils in [`read`]. What a summary of a period reads is in
//! [`summary`] and [`days`].

pub mod days;
mod kept;
pub mod lanes;
pub mod page;
mod read;
mod summary;

pub(super) use kept::until_ms;
pub use kept::{Kept, KeptPage, kept};
pub use page::{Found, list};
pub use summary::{SumRow, sum_by_day, sum_by_emitter};

use super::notas::Filter;
use crate::ids::{AccountId, EmitterId};
use crate::words::{Maybe, Model};
use crate::{Conn, DbResult, fetch_all, row};
use base::ids;

/// What one text may stand for, each of them: a document fits that has one of
/// these. Empty text, 0 and -1: it does not stand for that.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pub chave: String,
    pub number: i64,
    /// The number as the city writes it, or the customer's own id, whole.
    pub number_text: String,
    /// CPF or CNPJ of the other party.
    pub documento: String,
    /// Cents; -1: no value.
    pub value: i64,
    /// Part of the other party's name or, of the newest documents, of the customer's own id
    /// ([`super::notas::part`]).
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
    /// Whether the number is also looked for as the city's.
    pub city_number: bool,
    /// CPF or CNPJ of the other party.
    pub documento: String,
    /// CPF or CNPJ of either party.
    pub either: String,
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
    /// What last happened at an authorizer.
    #[derive(Clone, Debug)]
    pub struct LastRow {
        pub sistema: String,
        pub modelo: Model,
        /// Epoch milliseconds.
        pub at_ms: i64,
    }
}

const LAST_AUTHORIZED: &str = "SELECT sistema, modelo, CAST(MAX(created_at_ms) AS BIGINT) AS at_ms FROM notas \
     WHERE account_id = $1 AND created_at_ms >= $3 AND ambiente IN ('producao', 'homologacao', 'simulado') AND ambiente <> $2 \
     AND status IN ('autorizada', 'cancelada') AND modelo IN ('55', '65') \
     GROUP BY sistema, modelo ORDER BY sistema, modelo LIMIT 100";

/// The notes of a kind that fit, newest first. Their ids stand in the order of arrival.
pub async fn notes(conn: &mut Conn, account: &AccountId, f: &Filter) -> DbResult<Found> {
    let after = match f.before.as_str() {
        "" => None,
        // What is no id of a note is behind all of them.
        id => Some((place_of(conn, account, id).await?, id.to_owned())),
    };
    let asked = Asked {
        modelos: match f.model.as_str() {
            "produto" => "55,65".to_owned(),
            model => model.to_owned(),
        },
        status: f.status.clone(),
        emitter_id: f.emitter_id.clone(),
        from_ms: f.from_ms,
        to_ms: f.to_ms,
        chave: f.chave.clone(),
        serie: f.serie.clone(),
        number: f.number,
        documento: f.tomador.clone(),
        min_value: f.min_value,
        max_value: f.max_value,
        after,
        limit: f.limit,
        left_out: f.unseen,
        ..Asked::default()
    };
    list(conn, account, &asked).await
}

/// When a document arrived, or when its id was made if there is no such document; 0: it is no
/// id.
///
/// # Errors
/// The database fails.
pub async fn place_of(conn: &mut Conn, account: &AccountId, id: &str) -> DbResult<i64> {
    let gone = || {
        id.split_once('_')
            .and_then(|(kind, _)| ids::moment(kind, id))
    };
    let at_ms = read::moment(conn, account, id).await?.or_else(gone);
    Ok(at_ms.unwrap_or(0))
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
