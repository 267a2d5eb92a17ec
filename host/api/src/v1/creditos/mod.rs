//! /api/v1/creditos

mod alerta;
mod compras;
mod extrato;
mod get;
pub mod lancamento;
mod pacotes;

use crate::Built;

pub fn built() -> Vec<Built> {
    let mut all = vec![
        get::built(),
        extrato::built(),
        pacotes::built(),
        alerta::built(),
    ];
    all.extend(compras::built());
    all
}
