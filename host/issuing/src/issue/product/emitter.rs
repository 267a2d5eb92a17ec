//! The emitter as the builder of notes sees it.

use crate::emitters::profile::{Perfil, TaxRegime};
use compose::emitter::{Emitter, Regime, SubstituteIe};
use fiscal::nfe::order::{Endereco, Number};
use store::tables::emitters::EmitterRow;

/// Profile and registration in one.
pub fn of(emitter: &EmitterRow, perfil: &Perfil) -> Emitter {
    let address = perfil.endereco.clone().unwrap_or_default();
    Emitter {
        cpf_cnpj: emitter.cnpj.clone(),
        razao_social: perfil
            .razao_social
            .clone()
            .unwrap_or_else(|| emitter.razao_social.clone()),
        nome_fantasia: perfil.nome_fantasia.clone(),
        ie: perfil.ie.clone(),
        ie_substituto: perfil
            .ie_substituto
            .iter()
            .map(|one| SubstituteIe {
                uf: one.uf.clone(),
                ie: one.ie.clone(),
            })
            .collect(),
        im: perfil.im.clone(),
        cnae: perfil.cnae.clone(),
        regime: perfil.regime.map_or(Regime::Normal, TaxRegime::regime),
        endereco: Endereco {
            cep: address.cep,
            logradouro: address.logradouro,
            numero: address.numero,
            complemento: address.complemento,
            bairro: address.bairro,
            cidade: address.cidade,
            codigo_ibge: address.codigo_ibge,
            uf: address.uf,
            codigo_pais: address.codigo_pais,
            pais: None,
        },
        telefone: perfil.telefone.clone(),
        suframa: None,
        padroes: perfil.padroes.clone().unwrap_or_default(),
        aliquota_credito_sn: perfil
            .simples
            .as_ref()
            .and_then(|simples| simples.aliquota_credito)
            .and_then(|aliquota| Number::new(*aliquota)),
    }
}
