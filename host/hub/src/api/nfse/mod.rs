//! /api/v1/nfse

pub mod cancelar;
pub mod cobertura;
pub mod create;
pub mod criar;
pub mod documento;
pub mod emitir;
pub mod exigencias;
pub mod list;
pub mod municipio;
pub mod roteamento;
pub mod status;
pub mod substituir;

use super::Built;

pub fn built() -> Vec<Built> {
    vec![
        create::built(),
        criar::built(),
        emitir::built(),
        substituir::built(),
        roteamento::built(),
        cobertura::built(),
        cancelar::built(),
        status::built(),
        list::built(),
        documento::built(),
        exigencias::built(),
    ]
}
