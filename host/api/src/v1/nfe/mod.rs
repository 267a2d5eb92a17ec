//! /api/v1/nfe

mod autorizador;
mod cancelar;
mod cce;
pub mod create;
mod criar;
mod danfe_ler;
mod danfe_xml;
mod econf;
mod emitir;
mod inutilizar;
pub mod list;
pub mod parse;
pub mod reforma;
mod status;
mod third_party;
mod travadas;
mod vinculos;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    let mut all = vec![
        create::built(),
        criar::built(),
        emitir::built(),
        cancelar::built(),
        cce::built(),
        inutilizar::built(),
        status::built(),
        list::built(),
        autorizador::built(),
        travadas::built(),
        parse::built(),
        danfe_xml::built(),
        danfe_ler::built(),
    ];
    all.extend(vinculos::built());
    all.extend(econf::built());
    all.extend(reforma::built());
    all
}
