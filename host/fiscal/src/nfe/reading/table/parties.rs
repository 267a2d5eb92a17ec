//! Parties and places.

use super::{dissolve, palavra, palavra_de, texto};
use crate::nfe::reading::reader::Regra;

/// Address and telephone, which the layout has together and the API apart.
macro_rules! endereco {
    ($($mais:expr),*) => {
        &[
            $($mais,)*
            texto("xLgr", "endereco.logradouro"),
            texto("nro", "endereco.numero"),
            texto("xCpl", "endereco.complemento"),
            texto("xBairro", "endereco.bairro"),
            texto("cMun", "endereco.codigo_ibge"),
            texto("xMun", "endereco.cidade"),
            texto("UF", "endereco.uf"),
            texto("CEP", "endereco.cep"),
            texto("cPais", "endereco.codigo_pais"),
            texto("xPais", "endereco.pais"),
            texto("fone", "telefone"),
            texto("email", "email"),
            texto("IE", "ie"),
        ]
    };
}

const ENDERECO: &[Regra] = endereco!();

pub(super) const EMIT: &[Regra] = &[
    texto("CNPJ", "cpf_cnpj"),
    texto("CPF", "cpf_cnpj"),
    texto("xNome", "nome"),
    texto("xFant", "nome_fantasia"),
    dissolve("enderEmit", ENDERECO),
    texto("IE", "ie"),
    texto("IEST", "ie_substituto"),
    texto("IM", "im"),
    texto("CNAE", "cnae"),
    texto("CRT", "crt"),
    texto("ISUFEmit", "suframa"),
];

pub(super) const DEST: &[Regra] = &[
    texto("CNPJ", "cpf_cnpj"),
    texto("CPF", "cpf_cnpj"),
    texto("idEstrangeiro", "documento_estrangeiro"),
    texto("xNome", "nome"),
    dissolve("enderDest", ENDERECO),
    palavra("indIEDest", "indicador_ie", palavra_de!(IndicadorIe)),
    texto("IE", "ie"),
    texto("ISUF", "suframa"),
    texto("IM", "im"),
    texto("email", "email"),
];

pub(super) const LOCAL: &[Regra] = endereco!(
    texto("CNPJ", "cpf_cnpj"),
    texto("CPF", "cpf_cnpj"),
    texto("xNome", "nome")
);

pub(super) const TRANSPORTA: &[Regra] = &[
    texto("CNPJ", "cpf_cnpj"),
    texto("CPF", "cpf_cnpj"),
    texto("xNome", "nome"),
    texto("IE", "ie"),
    texto("xEnder", "endereco"),
    texto("xMun", "cidade"),
    texto("UF", "uf"),
];

pub(super) const AVULSA: &[Regra] = &[
    texto("CNPJ", "cnpj"),
    texto("xOrgao", "orgao"),
    texto("matr", "matricula"),
    texto("xAgente", "agente"),
    texto("fone", "telefone"),
    texto("UF", "uf"),
    texto("nDAR", "numero_dar"),
    texto("dEmi", "data_emissao"),
    super::numero("vDAR", "valor_dar"),
    texto("repEmi", "reparticao"),
    texto("dPag", "data_pagamento"),
];

pub(super) const RESPONSAVEL: &[Regra] = &[
    texto("CNPJ", "cnpj"),
    texto("xContato", "contato"),
    texto("email", "email"),
    texto("fone", "telefone"),
    texto("idCSRT", "id_csrt"),
    texto("hashCSRT", "hash_csrt"),
];
