//! The technical notes that the events, the rules and the layouts of this house
//! come from. `GET /api/v1/fiscal/notas-tecnicas` is this list: which parts a note
//! brought, and since when, is asked of their own rows.

use super::event::catalogue;
use super::reading::{CALENDAR, Rule, rules};
use markup::layout::{Edition, Layout};
use time::Date;

/// A technical note, or the document that takes the place of one.
#[derive(Debug, PartialEq, Eq)]
pub struct TechnicalNote {
    /// `2025.002`; `nfse-1.01` for the annexes of the national NFS-e.
    pub codigo: &'static str,
    /// What it is about, in pt-BR.
    pub title: &'static str,
    /// `55`, `65`; none for the NFS-e.
    pub modelos: &'static [u8],
}

const BOTH: &[u8] = &[55, 65];

/// All notes, by code.
pub const NOTES: [TechnicalNote; 12] = [
    TechnicalNote {
        codigo: "2011.003",
        title: "Carta de Correção eletrônica",
        modelos: &[55],
    },
    TechnicalNote {
        codigo: "2011.006",
        title: "Cancelamento como evento",
        modelos: BOTH,
    },
    TechnicalNote {
        codigo: "2016.002",
        title: "Leiaute 4.00 da NF-e e da NFC-e",
        modelos: BOTH,
    },
    TechnicalNote {
        codigo: "2018.004",
        title: "Cancelamento da NFC-e por substituição",
        modelos: &[65],
    },
    TechnicalNote {
        codigo: "2019.001",
        title: "Regras de validação: código numérico da chave, ordem dos itens",
        modelos: BOTH,
    },
    TechnicalNote {
        codigo: "2020.001",
        title: "Manifestação do destinatário",
        modelos: &[55],
    },
    TechnicalNote {
        codigo: "2020.006",
        title: "Intermediador da operação e meios de pagamento",
        modelos: BOTH,
    },
    TechnicalNote {
        codigo: "2024.002",
        title: "Evento de conciliação financeira (ECONF)",
        modelos: BOTH,
    },
    TechnicalNote {
        codigo: "2025.002",
        title: "Reforma tributária do consumo: IBS, CBS e IS",
        modelos: BOTH,
    },
    TechnicalNote {
        codigo: "2026.004",
        title: "CNPJ alfanumérico",
        modelos: BOTH,
    },
    TechnicalNote {
        codigo: "2026.007",
        title: "Contribuintes só do IBS e da CBS",
        modelos: BOTH,
    },
    TechnicalNote {
        codigo: NFSE,
        title: "NFS-e nacional, leiaute 1.01: regras da DPS e dos eventos",
        modelos: &[],
    },
];

/// The annexes of the national NFS-e, which are no technical note.
const NFSE: &str = "nfse-1.01";

impl TechnicalNote {
    /// The publication, as rules name their source.
    pub fn document(&self) -> String {
        match self.codigo {
            NFSE => "NFS-e nacional, anexos I e II, leiaute 1.01".to_owned(),
            codigo => format!("NT {codigo}"),
        }
    }

    /// The rules it brought.
    pub fn rules(&self) -> Vec<Rule> {
        let of_note = |rule: &Rule| match self.codigo {
            NFSE => rule.modelos.is_empty(),
            _ => rule.source == self.document(),
        };
        rules().filter(of_note).collect()
    }

    /// `tpEvento` of the events it made.
    pub fn events(&self) -> Vec<&'static str> {
        let kinds = catalogue().iter();
        kinds
            .filter(|kind| kind.nota_tecnica == self.codigo)
            .map(|kind| kind.codigo)
            .collect()
    }

    /// The packages of schemas it changed.
    pub fn editions(&self) -> Vec<&'static Edition> {
        let editions = Layout::nfe_editions().iter();
        editions
            .filter(|edition| edition.notes.contains(&self.codigo))
            .collect()
    }

    /// First day in production of what the hub has of it, as far as a row says.
    pub fn first_day(&self) -> Option<Date> {
        if self.codigo == LAYOUT_4 {
            // The oldest set of rules is this note's.
            return CALENDAR.first().map(|start| start.2);
        }
        let rules = self.rules();
        let of_rules = rules.iter().filter_map(Rule::first_day);
        let of_editions = self
            .editions()
            .into_iter()
            .map(|edition| edition.production);
        of_rules.chain(of_editions).min()
    }
}

/// The note of layout 4.00.
const LAYOUT_4: &str = "2016.002";
