//! /api/v1/fiscal

mod calcular_impostos;
mod carga_tributaria;
mod catalogues;
mod fci_validar;
mod ibpt;
mod judgement;
mod notas_tecnicas;
mod perfil_sugerido;
mod provedores;
mod regras;
mod simples;
mod tables;
mod xml_validar;

use gate::docs::Built;

pub fn built() -> Vec<Built> {
    let mut all = vec![
        calcular_impostos::built(),
        carga_tributaria::built(),
        fci_validar::built(),
        perfil_sugerido::built(),
        notas_tecnicas::built(),
        ibpt::built(),
        provedores::built(),
        regras::built(),
        xml_validar::built(),
    ];
    all.extend(simples::built());
    all.extend(tables::built());
    all
}
