//! Until when an event is taken.

use data::cancellation::{self, Late};
use time::Date;

use crate::nfe::event::family::Family;
use crate::nfe::event::kind::Kind;
use markup::ids::chave::Chave;

/// How long after the authorisation.
pub(super) struct Deadline {
    pub minutes: i64,
    /// Error when it is over.
    pub codigo: &'static str,
}

const DAY: u32 = 24 * 60;
/// For states that take late requests without saying until when; one later
/// than this is not worth a try.
const NO_LIMIT: u32 = 30 * DAY;

/// The time after which sending is pointless; none where the authority alone
/// knows. `autorizada` is the day of authorisation.
pub(super) fn deadline(kind: &Kind, chave: &Chave, authorized: Date) -> Option<Deadline> {
    let (minutes, codigo) = match (kind.familia, kind.codigo) {
        (_, "110111") => (
            cancellation(chave, authorized)?,
            "fora_da_janela_de_cancelamento",
        ),
        // NT 2018.004, second-hand.
        (Family::Nfe, "110112") => (7 * DAY, "fora_da_janela_de_cancelamento"),
        // MOC, second-hand.
        (Family::Nfe, "110110") => (30 * DAY, "fora_do_prazo"),
        (Family::Nfe, "210200" | "210220" | "210240") => (180 * DAY, "fora_do_prazo"),
        _ => return None,
    };
    Some(Deadline {
        minutes: i64::from(minutes),
        codigo,
    })
}

fn cancellation(chave: &Chave, authorized: Date) -> Option<u32> {
    let janela = cancellation::get(chave.uf_abbreviation(), chave.model(), authorized)?;
    Some(match janela.late {
        Late::Nao => janela.minutes,
        Late::UpTo(minutes) => minutes.max(janela.minutes),
        Late::NoKnownLimit => NO_LIMIT.max(janela.minutes),
    })
}
