//! /api/v1/geo

mod cidades;
mod city;
mod distancia;
mod ibge;
mod place;
mod rota;
mod rota_otimizar;

use crate::Built;

pub fn built() -> Vec<Built> {
    let mut all = vec![distancia::built(), rota::built(), rota_otimizar::built()];
    all.extend(cidades::built());
    all.extend(ibge::built());
    all
}
