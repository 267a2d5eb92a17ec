//! /api/v1/gnre: what is owed to another state, and how it takes it. No guide is
//! issued.

mod calcular;
mod configuracoes;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    vec![calcular::built(), configuracoes::built()]
}
