//! The columns of the table of items, by layout.

use crate::board::MM;
use crate::danfe::a4::paging::Form;

/// Text of the items: 6 points at least (MOC 7.0, Anexo II §3.7.7, second-hand).
pub(super) const BODY: f32 = 6.5;
/// Between the edge of a column and its text.
pub(super) const INDENT: f32 = 1.6;

/// A column of the table.
pub(super) struct Column {
    /// One or two lines.
    pub title: [&'static str; 2],
    pub x: f32,
    pub width: f32,
}

/// The columns, by layout. "CSOSN" for issuers of the Simples Nacional.
pub(super) fn columns(form: &Form, simples: bool) -> Vec<Column> {
    if form.reforma {
        // NT 2026.010 §4.3, second-hand.
        let cst = if simples { "CSOSN /" } else { "CST /" };
        return lay_out(
            form,
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
    lay_out(
        form,
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
fn lay_out(form: &Form, widths: &[(f32, [&'static str; 2])]) -> Vec<Column> {
    // A lying page has a third more room: the columns grow, too.
    let scale = if form.landscape { 1.2 } else { 1.0 } * MM;
    let fixed: f32 = widths.iter().map(|(width, _)| width * scale).sum();
    let mut x = form.x;
    widths
        .iter()
        .map(|(width, title)| {
            let width = if *width == 0.0 {
                form.width - fixed
            } else {
                width * scale
            };
            let column = Column {
                title: *title,
                x,
                width,
            };
            x += width;
            column
        })
        .collect()
}
