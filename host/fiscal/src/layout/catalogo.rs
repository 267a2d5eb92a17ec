//! Which tables there are, and which one is in force when.

use time::{Date, macros::date};

use super::Layout;

/// Packages of the NF-e body with the first day in production and in homologation.
static NFE: [(Date, Date, Layout); 4] = [
    (
        date!(2025 - 11 - 10),
        date!(2025 - 11 - 10),
        Layout { nome: "nfe-010b" },
    ),
    (
        date!(2026 - 07 - 01),
        date!(2026 - 06 - 15),
        Layout { nome: "nfe-010d" },
    ),
    (
        date!(2026 - 08 - 03),
        date!(2026 - 07 - 01),
        Layout { nome: "nfe-010e" },
    ),
    (
        date!(2026 - 11 - 03),
        date!(2026 - 09 - 01),
        Layout { nome: "nfe-010f" },
    ),
];

pub fn nfe(data: Date) -> &'static Layout {
    escolhe(|(producao, _, _)| *producao <= data)
}

pub fn nfe_homologacao(data: Date) -> &'static Layout {
    escolhe(|(_, homologacao, _)| *homologacao <= data)
}

fn escolhe(vale: impl Fn(&(Date, Date, Layout)) -> bool) -> &'static Layout {
    let achado = NFE.iter().rev().find(|linha| vale(linha));
    &achado.unwrap_or(&NFE[0]).2
}

pub fn get(nome: &str) -> Option<&'static Layout> {
    NFE.iter().map(|linha| &linha.2).find(|l| l.nome == nome)
}

pub fn nomes() -> impl Iterator<Item = &'static str> {
    NFE.iter().map(|linha| linha.2.nome)
}
