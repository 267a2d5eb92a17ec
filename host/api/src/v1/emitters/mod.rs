//! /api/v1/emitters

mod batch;
mod certificado;
mod create;
mod delete;
mod fiscal_profile;
mod form;
mod get;
mod list;
mod record;
mod update;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![
        create::built(),
        batch::built(),
        list::built(),
        get::built(),
        update::built(),
        fiscal_profile::built(),
        certificado::built_get(),
        certificado::built_put(),
        delete::built(),
    ]
}
