//! What settling and the notes of others know of a manifestation of the
//! recipient (events 210200 to 210240).

use store::tables::eventos::EventoRow;
use store::tables::recebidas::{self, Manifested};
use store::words::Maybe;
use store::{Conn, DbResult, Present as _};

/// The manifestation of a `tpEvento`; none for any other event.
pub fn manifested(codigo: &str) -> Option<Manifested> {
    match codigo {
        "210200" => Some(Manifested::Confirmation),
        "210210" => Some(Manifested::Acknowledgement),
        "210220" => Some(Manifested::Unawareness),
        "210240" => Some(Manifested::NotPerformed),
        _ => None,
    }
}

/// The authority registered a manifestation: the note shows it.
///
/// # Errors
/// The database failed.
pub async fn registered(conn: &mut Conn, evento: &EventoRow, now_ms: i64) -> DbResult<()> {
    let ambiente = evento
        .ambiente
        .0
        .present("environment of a manifestation", &evento.id)?;
    recebidas::set_manifestation(
        conn,
        &evento.emitter_id,
        ambiente,
        &evento.chave,
        Maybe(manifested(&evento.codigo)),
        now_ms,
    )
    .await
}
