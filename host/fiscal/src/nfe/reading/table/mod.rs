//! Official elements and the API's names for them (§5.1 of the API; the
//! request's vocabulary, [`crate::nfe::order`]), in official order.
//!
//! Layout 4.00 of all packages from PL_009 to PL_010f; of 3.10 what has the
//! same names.

mod icms;
mod item;
mod nota;
mod parties;
mod reform;
mod taxes;
mod total;

pub(super) use item::DET;
pub(super) use nota::{INF_NFE, INF_NFE_SUPL, PROTOCOLO};

use crate::nfe::reading::reader::{Como, Regra};

const fn texto(tag: &'static str, nome: &'static str) -> Regra {
    Regra {
        tag,
        nome,
        como: Como::Texto,
    }
}

const fn numero(tag: &'static str, nome: &'static str) -> Regra {
    Regra {
        tag,
        nome,
        como: Como::Numero,
    }
}

/// `1` and `0`.
const fn logico(tag: &'static str, nome: &'static str) -> Regra {
    Regra {
        tag,
        nome,
        como: Como::Logico("1", "0"),
    }
}

const fn palavra(
    tag: &'static str,
    nome: &'static str,
    ler: fn(&str) -> Option<&'static str>,
) -> Regra {
    Regra {
        tag,
        nome,
        como: Como::Palavra(ler),
    }
}

const fn grupo(tag: &'static str, nome: &'static str, regras: &'static [Regra]) -> Regra {
    Regra {
        tag,
        nome,
        como: Como::Grupo(regras),
    }
}

const fn lista(tag: &'static str, nome: &'static str, regras: &'static [Regra]) -> Regra {
    Regra {
        tag,
        nome,
        como: Como::Lista(regras),
    }
}

/// Members of the outer group.
const fn dissolve(tag: &'static str, regras: &'static [Regra]) -> Regra {
    Regra {
        tag,
        nome: "",
        como: Como::Dissolve(regras),
    }
}

const fn textos(tag: &'static str, nome: &'static str) -> Regra {
    Regra {
        tag,
        nome,
        como: Como::Textos,
    }
}

/// The word of an enumeration of the request, for its exact code.
macro_rules! palavra_de {
    ($enumeracao:ident) => {
        |codigo| {
            crate::nfe::order::$enumeracao::ler(codigo)
                .filter(|valor| valor.codigo() == codigo)
                .map(|valor| valor.palavra())
        }
    };
}
use palavra_de;
