//! The columns of the table of items, by layout.

use crate::danfe::a4::paging::Forma;
use crate::danfe::board::MM;

/// Text of the items: 6 points at least (MOC 7.0, Anexo II §3.7.7, second-hand).
pub(super) const CORPO: f32 = 6.5;
/// Between the edge of a column and its text.
pub(super) const RECUO: f32 = 1.6;

/// A column of the table.
pub(super) struct Coluna {
    /// One or two lines.
    pub titulo: [&'static str; 2],
    pub x: f32,
    pub largura: f32,
}

/// The columns, by layout. "CSOSN" for issuers of the Simples Nacional.
pub(super) fn columns(forma: &Forma, simples: bool) -> Vec<Coluna> {
    if forma.reforma {
        // NT 2026.010 §4.3, second-hand.
        let cst = if simples { "CSOSN /" } else { "CST /" };
        return dispor(
            forma,
            &[
                (16.0, ["CÓDIGO", ""]),
                (0.0, ["DESCRIÇÃO DO PRODUTO / SERVIÇO", ""]),
                (15.0, [cst, "CFOP"]),
                (15.0, ["QUANT. /", "UNIDADE"]),
                (16.0, ["VALOR", "UNITÁRIO"]),
                (16.0, ["VALOR", "TOTAL"]),
                (24.0, ["BASES DE", "CÁLCULO"]),
                (20.0, ["ALÍQUOTAS", ""]),
                (22.0, ["VALOR DOS", "TRIBUTOS"]),
            ],
        );
    }
    let cst = if simples { "CSOSN" } else { "CST" };
    dispor(
        forma,
        &[
            (18.0, ["CÓDIGO", "PRODUTO"]),
            (0.0, ["DESCRIÇÃO DO PRODUTO / SERVIÇO", ""]),
            (12.0, ["NCM/SH", ""]),
            (9.0, ["O/", cst]),
            (7.5, ["CFOP", ""]),
            (8.0, ["UN.", ""]),
            (14.0, ["QUANT.", ""]),
            (15.5, ["VALOR", "UNITÁRIO"]),
            (15.5, ["VALOR", "TOTAL"]),
            (15.0, ["BASE DE", "CÁLC. ICMS"]),
            (13.0, ["VALOR", "ICMS"]),
            (12.0, ["VALOR", "IPI"]),
            (8.5, ["ALÍQ.", "ICMS"]),
            (8.5, ["ALÍQ.", "IPI"]),
        ],
    )
}

/// Columns one beside the other; the one of width 0 takes what is left.
fn dispor(forma: &Forma, larguras: &[(f32, [&'static str; 2])]) -> Vec<Coluna> {
    // A lying page has a third more room: the columns grow, too.
    let escala = if forma.paisagem { 1.2 } else { 1.0 } * MM;
    let fixa: f32 = larguras.iter().map(|(largura, _)| largura * escala).sum();
    let mut x = forma.x;
    larguras
        .iter()
        .map(|(largura, titulo)| {
            let largura = if *largura == 0.0 {
                forma.largura - fixa
            } else {
                largura * escala
            };
            let coluna = Coluna {
                titulo: *titulo,
                x,
                largura,
            };
            x += largura;
            coluna
        })
        .collect()
}
