//! The emitter as the builder of notes sees it.

use crate::emitters::profile::{Perfil, RegimeTributario};
use compose::emitter::{Emitente, IeSubstituto, Regime};
use fiscal::nfe::order::{Endereco, Numero};
use store::tables::emitters::EmitterRow;

/// Profile and registration in one.
pub fn of(emitter: &EmitterRow, perfil: &Perfil) -> Emitente {
    let endereco = perfil.endereco.clone().unwrap_or_default();
    Emitente {
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
            .map(|one| IeSubstituto {
                uf: one.uf.clone(),
                ie: one.ie.clone(),
            })
            .collect(),
        im: perfil.im.clone(),
        cnae: perfil.cnae.clone(),
        regime: match perfil.regime {
            None | Some(RegimeTributario::Normal) => Regime::Normal,
            Some(RegimeTributario::SimplesNacional) => Regime::SimplesNacional,
            Some(RegimeTributario::SimplesExcesso) => Regime::SimplesExcesso,
            Some(RegimeTributario::Mei) => Regime::Mei,
        },
        endereco: Endereco {
            cep: endereco.cep,
            logradouro: endereco.logradouro,
            numero: endereco.numero,
            complemento: endereco.complemento,
            bairro: endereco.bairro,
            cidade: endereco.cidade,
            codigo_ibge: endereco.codigo_ibge,
            uf: endereco.uf,
            codigo_pais: endereco.codigo_pais,
            pais: None,
        },
        telefone: perfil.telefone.clone(),
        suframa: None,
        padroes: perfil.padroes.clone().unwrap_or_default(),
        aliquota_credito_sn: perfil
            .simples
            .as_ref()
            .and_then(|simples| simples.aliquota_credito)
            .and_then(|aliquota| Numero::novo(*aliquota)),
    }
}
