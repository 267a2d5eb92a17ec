//! Health, catalogues, the account and the document of the API.

mod conta;
mod erros;
mod openapi;
mod precos;
mod pronto;
mod saude;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![
        precos::built(),
        erros::built(),
        openapi::built(),
        saude::built(),
        pronto::built(),
        conta::built(),
    ]
}
