//! /api/v1/geo

mod cascade;
mod cep;
mod cidades;
mod city;
mod distancia;
mod geocoding;
mod ibge;
mod local;
mod place;
mod rota;
mod rota_otimizar;
mod street;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    let mut all = vec![distancia::built(), rota::built(), rota_otimizar::built()];
    all.extend(cep::built());
    all.extend(cidades::built());
    all.extend(geocoding::built());
    all.extend(ibge::built());
    all
}
