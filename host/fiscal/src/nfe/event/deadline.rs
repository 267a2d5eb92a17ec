//! Until when an event is taken.

use data::cancellation::{self, Tardio};
use time::Date;

use crate::nfe::event::kind::Tipo;
use markup::ids::chave::Chave;

/// How long after the authorisation.
pub(super) struct Prazo {
    pub minutos: i64,
    /// Error when it is over.
    pub codigo: &'static str,
}

const DIA: u32 = 24 * 60;
/// For states that take late requests without saying until when; one later
/// than this is not worth a try.
const SEM_LIMITE: u32 = 30 * DIA;

/// The time after which sending is pointless; none where the authority alone
/// knows. `autorizada` is the day of authorisation.
pub(super) fn deadline(tipo: &Tipo, chave: &Chave, autorizada: Date) -> Option<Prazo> {
    let (minutos, codigo) = match tipo.codigo {
        "110111" => (
            cancelar(chave, autorizada)?,
            "fora_da_janela_de_cancelamento",
        ),
        // NT 2018.004, second-hand.
        "110112" => (7 * DIA, "fora_da_janela_de_cancelamento"),
        // MOC, second-hand.
        "110110" => (30 * DIA, "fora_do_prazo"),
        "210200" | "210220" | "210240" => (180 * DIA, "fora_do_prazo"),
        _ => return None,
    };
    Some(Prazo {
        minutos: i64::from(minutos),
        codigo,
    })
}

fn cancelar(chave: &Chave, autorizada: Date) -> Option<u32> {
    let janela = cancellation::get(chave.sigla_uf(), chave.modelo(), autorizada)?;
    Some(match janela.tardio {
        Tardio::Nao => janela.minutos,
        Tardio::Ate(minutos) => minutos.max(janela.minutos),
        Tardio::SemLimiteConhecido => SEM_LIMITE.max(janela.minutos),
    })
}
