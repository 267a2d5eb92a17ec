//! Until when an event is taken.

use super::tipo::Tipo;
use crate::nfe::chave::Chave;

/// How long after the authorisation.
pub(super) struct Prazo {
    pub minutos: i64,
    /// Error when it is over.
    pub codigo: &'static str,
}

/// The time to cancel a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Janela {
    /// After the authorisation, as the rules promise.
    pub minutos: u32,
    /// After which the state takes no request at all; the same as `minutos`
    /// where it takes none late.
    pub minutos_com_atraso: u32,
    /// Where the figure comes from.
    pub fonte: &'static str,
}

const DIA: u32 = 24 * 60;
/// No figure is known for states that take late requests without saying until
/// when; a request later than this is not worth a try.
const SEM_LIMITE: u32 = 30 * DIA;

const GERAL: &str = "Ajuste SINIEF 07/05 e 19/16; segunda mão";
const POR_UF: &str = "páginas das UF, antigas e de segunda mão; não confirmado";

/// Windows other than the general one: model, state, minutes, minutes with
/// delay. Old pages of the states, second-hand: see the decision of each by
/// its answer (501 when too late, 151 and 155 when taken late).
const EXCECOES: [(u8, &str, u32, u32); 7] = [
    (55, "AL", 7 * DIA, 7 * DIA),
    (55, "SP", DIA, 20 * DIA),
    (65, "AM", 30, SEM_LIMITE),
    (65, "MT", 30, SEM_LIMITE),
    (65, "RJ", 30, SEM_LIMITE),
    (65, "RO", DIA, SEM_LIMITE),
    (65, "SE", 30, SEM_LIMITE),
];

/// How long a note of this model and state can be cancelled (event 110111).
pub fn janela_de_cancelamento(modelo: u8, uf: &str) -> Janela {
    let excecao = EXCECOES
        .iter()
        .find(|(de, em, _, _)| *de == modelo && *em == uf);
    match excecao {
        Some((_, _, minutos, minutos_com_atraso)) => Janela {
            minutos: *minutos,
            minutos_com_atraso: *minutos_com_atraso,
            fonte: POR_UF,
        },
        None => {
            let minutos = if modelo == 65 { 30 } else { DIA };
            Janela {
                minutos,
                minutos_com_atraso: minutos,
                fonte: GERAL,
            }
        }
    }
}

/// The time after which sending is pointless; none where the authority alone
/// knows.
pub(super) fn prazo(tipo: &Tipo, chave: &Chave) -> Option<Prazo> {
    let (minutos, codigo) = match tipo.codigo {
        "110111" => (
            janela_de_cancelamento(chave.modelo(), chave.sigla_uf()).minutos_com_atraso,
            "fora_da_janela_de_cancelamento",
        ),
        "110112" => (7 * DIA, "fora_da_janela_de_cancelamento"),
        "110110" => (30 * DIA, "fora_do_prazo"),
        "210200" | "210220" | "210240" => (180 * DIA, "fora_do_prazo"),
        _ => return None,
    };
    Some(Prazo {
        minutos: i64::from(minutos),
        codigo,
    })
}
