//! Operations that need no document of the account: taxes and tables, the product
//! catalogue, places and routes, companies, vehicles, validations and PIX codes. A
//! folder per path segment, a file per operation.

mod catalogo;
mod chatapp;
mod empresa;
mod fiscal;
mod geo;
mod gnre;
mod lookup;
mod pix;
mod validate;
mod veiculo;

use gate::docs::Built;

/// The operations, in the order in which the document shows their folders.
pub fn built() -> Vec<Built> {
    let mut all = fiscal::built();
    all.extend(catalogo::built());
    all.extend(empresa::built());
    all.extend(geo::built());
    all.extend(gnre::built());
    all.extend(chatapp::built());
    all.extend(pix::built());
    all.extend(validate::built());
    all.extend(veiculo::built());
    all
}
