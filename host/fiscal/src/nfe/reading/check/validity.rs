//! Rules that hold since a day: a document is judged by those of its own day,
//! because what was authorized then was judged by them.
//!
//! Sources: the technical notes' calendars (second-hand where the note itself
//! is not at hand). A rule that is not named here came with layout 4.00 or
//! before it.

use time::{Date, macros::date};

/// A set of rules: those of the one before it and what its day brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regras {
    /// NT 2016.002: layout 4.00. Older notes are judged by it, too.
    Leiaute400,
    /// Manual do DANFE NFC-e 5.0: version 1 of the QR code ends.
    QrCode2,
    /// NT 2016.002: the invoice whole; notes of mid-2018 without its number were
    /// still authorized. Convênio ICMS 142/2018: the list of CEST.
    Fatura,
    /// NT 2019.001: `cNF` that cannot be guessed, items in order.
    CodigoNumerico,
    /// NT 2020.006: other payments are described.
    Pagamento,
    /// The edition of the NCM table that the hub has.
    Ncm,
    /// LC 214/2025, NT 2025.002: IBS and CBS. The addresses of QR codes that the
    /// hub knows are of this time.
    Reforma,
}

/// A set, its name, its first day in production and in homologation.
type Inicio = (Regras, &'static str, Date, Date);

const CALENDARIO: [Inicio; 7] = [
    (
        Regras::Leiaute400,
        "nfe-2017-12-04",
        date!(2017 - 12 - 04),
        date!(2017 - 11 - 20),
    ),
    (
        Regras::QrCode2,
        "nfe-2018-10-01",
        date!(2018 - 10 - 01),
        date!(2018 - 10 - 01),
    ),
    (
        Regras::Fatura,
        "nfe-2019-01-01",
        date!(2019 - 01 - 01),
        date!(2019 - 01 - 01),
    ),
    (
        Regras::CodigoNumerico,
        "nfe-2019-09-02",
        date!(2019 - 09 - 02),
        date!(2019 - 07 - 22),
    ),
    (
        Regras::Pagamento,
        "nfe-2021-09-01",
        date!(2021 - 09 - 01),
        date!(2021 - 05 - 03),
    ),
    (
        Regras::Ncm,
        "nfe-2022-04-01",
        date!(2022 - 04 - 01),
        date!(2022 - 04 - 01),
    ),
    (
        Regras::Reforma,
        "nfe-2026-01-01",
        date!(2026 - 01 - 01),
        date!(2026 - 01 - 01),
    ),
];

impl Regras {
    /// The set in force on a day; the oldest for all days before it.
    pub fn em(dia: Date, homologacao: bool) -> Regras {
        let comecou = |(_, _, producao, teste): &&Inicio| {
            let desde = if homologacao { *teste } else { *producao };
            desde <= dia
        };
        let inicio = CALENDARIO.iter().rev().find(comecou);
        inicio.map_or(Regras::Leiaute400, |inicio| inicio.0)
    }

    /// `nfe-2021-09-01`: named after its first day in production.
    pub fn nome(self) -> &'static str {
        let inicio = CALENDARIO.iter().find(|inicio| inicio.0 == self);
        inicio.map_or("", |inicio| inicio.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_is_in_order_and_names_its_days() {
        for par in CALENDARIO.windows(2) {
            assert!(par[0].0 < par[1].0 && par[0].2 < par[1].2 && par[0].3 < par[1].3);
        }
        for (regras, nome, producao, teste) in CALENDARIO {
            assert_eq!(nome, format!("nfe-{producao}"));
            assert!(teste <= producao);
            assert_eq!(regras.nome(), nome);
            assert_eq!(Regras::em(producao, false), regras);
        }
        assert_eq!(Regras::em(date!(2010 - 01 - 01), false), Regras::Leiaute400);
        let na_virada = |homologacao| Regras::em(date!(2021 - 06 - 01), homologacao);
        assert_eq!(na_virada(false), Regras::CodigoNumerico);
        assert_eq!(na_virada(true), Regras::Pagamento);
    }
}
