//! What settling and the notes of others know of a manifestation of the
//! recipient (events 210200 to 210240).

use store::tables::eventos::EventoRow;
use store::tables::recebidas::{self, Manifestada};
use store::words::Maybe;
use store::{Conn, DbResult, Present as _};

/// The manifestation of a `tpEvento`; none for any other event.
pub fn manifestada(codigo: &str) -> Option<Manifestada> {
    match codigo {
        "210200" => Some(Manifestada::Confirmacao),
        "210210" => Some(Manifestada::Ciencia),
        "210220" => Some(Manifestada::Desconhecimento),
        "210240" => Some(Manifestada::NaoRealizada),
        _ => None,
    }
}

/// The authority registered a manifestation: the note shows it.
///
/// # Errors
/// The database failed.
pub async fn registrada(conn: &mut Conn, evento: &EventoRow, now_ms: i64) -> DbResult<()> {
    let ambiente = evento
        .ambiente
        .0
        .present("environment of a manifestation", &evento.id)?;
    recebidas::set_manifestacao(
        conn,
        &evento.emitter_id,
        ambiente,
        &evento.chave,
        Maybe(manifestada(&evento.codigo)),
        now_ms,
    )
    .await
}
