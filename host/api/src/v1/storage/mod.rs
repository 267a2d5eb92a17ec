//! /api/v1/storage

pub mod arquivo;
mod objetos;
mod put;
mod uso;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![
        put::built(),
        objetos::built_list(),
        objetos::built_get(),
        objetos::built_delete(),
        arquivo::built(),
        uso::built(),
    ]
}
