//! What settling and the notes of others know of a manifestation of the
//! recipient (events 210200 to 210240).

use store::tables::eventos::EventoRow;
use store::tables::recebidas;
use store::{Conn, DbResult};

/// Word of the row.
pub const TIPO: &str = "manifestacao";

/// The API's word for a manifestation's `tpEvento`; empty for any other.
pub fn palavra(codigo: &str) -> &'static str {
    match codigo {
        "210200" => "confirmacao",
        "210210" => "ciencia",
        "210220" => "desconhecimento",
        "210240" => "nao_realizada",
        _ => "",
    }
}

/// The authority registered a manifestation: the note shows it.
///
/// # Errors
/// The database failed.
pub async fn registrada(conn: &mut Conn, evento: &EventoRow, now_ms: i64) -> DbResult<()> {
    recebidas::set_manifestacao(
        conn,
        &evento.emitter_id,
        &evento.ambiente,
        &evento.chave,
        palavra(&evento.codigo),
        now_ms,
    )
    .await
}
