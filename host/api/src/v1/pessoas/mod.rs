//! /api/v1/pessoas

mod add;
mod create;
mod get;
mod list;
mod record;
mod update;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![
        create::built(),
        get::built(),
        list::built(),
        update::built(),
        add::built_enderecos(),
        add::built_telefones(),
    ]
}
