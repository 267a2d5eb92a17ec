//! /api/v1/pessoas

mod acrescentar;
mod create;
mod get;
mod list;
mod record;
mod update;

use crate::Built;

pub fn built() -> Vec<Built> {
    vec![
        create::built(),
        get::built(),
        list::built(),
        update::built(),
        acrescentar::built_enderecos(),
        acrescentar::built_telefones(),
    ]
}
