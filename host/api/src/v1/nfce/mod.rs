//! /api/v1/nfce

mod autorizador;
mod cancelar;
pub mod create;
mod criar;
mod emitir;
mod inutilizar;
mod janela;
mod status;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![
        create::built(),
        criar::built(),
        emitir::built(),
        cancelar::built(),
        inutilizar::built(),
        status::built(),
        autorizador::built(),
        janela::built(),
    ]
}
