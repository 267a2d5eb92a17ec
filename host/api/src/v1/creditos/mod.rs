//! /api/v1/creditos

mod alerta;
mod compras;
pub mod entry;
mod extrato;
mod get;
mod pacotes;

use gate::docs::Built;

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
