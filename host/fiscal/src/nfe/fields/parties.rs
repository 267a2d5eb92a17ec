//! Parties and places.

use super::word_of;
use crate::fields::field::Form::{Alphanumeric, Text, TrimmedCapitals};
use crate::fields::field::{Field, dissolve, number, text, word};

/// Address and telephone, which the layout has together and the API apart.
macro_rules! address {
    ($($more:expr),*) => {
        &[
            $($more,)*
            text("xLgr", "endereco.logradouro"),
            text("nro", "endereco.numero"),
            text("xCpl", "endereco.complemento"),
            text("xBairro", "endereco.bairro"),
            text("cMun", "endereco.codigo_ibge"),
            text("xMun", "endereco.cidade"),
            text("UF", "endereco.uf"),
            text("CEP", "endereco.cep"),
            text("cPais", "endereco.codigo_pais"),
            text("xPais", "endereco.pais"),
            text("fone", "telefone"),
            text("email", "email"),
            text("IE", "ie"),
        ]
    };
}

const ADDRESS: &[Field] = address!();

pub(super) const EMIT: &[Field] = &[
    text("CNPJ", "cpf_cnpj").told_at("cnpj"),
    text("CPF", "cpf_cnpj").told_at("cnpj"),
    text("xNome", "nome").told_at("razao_social"),
    text("xFant", "nome_fantasia"),
    dissolve("enderEmit", ADDRESS).told_at("endereco"),
    text("IE", "ie"),
    text("IEST", "ie_substituto"),
    text("IM", "im"),
    text("CNAE", "cnae"),
    text("CRT", "crt").told_at("regime"),
    text("ISUFEmit", "suframa"),
];

pub(super) const DEST: &[Field] = &[
    text("CNPJ", "cpf_cnpj"),
    text("CPF", "cpf_cnpj"),
    text("idEstrangeiro", "documento_estrangeiro"),
    text("xNome", "nome"),
    dissolve("enderDest", ADDRESS).told_at("endereco"),
    word("indIEDest", "indicador_ie", word_of!(IndicadorIe)),
    text("IE", "ie"),
    text("ISUF", "suframa").plain(Alphanumeric),
    text("IM", "im").plain(Text(15)),
    text("email", "email").plain(Text(60)),
];

pub(super) const LOCAL: &[Field] = address!(
    text("CNPJ", "cpf_cnpj"),
    text("CPF", "cpf_cnpj"),
    text("xNome", "nome")
);

pub(super) const CARRIER: &[Field] = &[
    text("CNPJ", "cpf_cnpj"),
    text("CPF", "cpf_cnpj"),
    text("xNome", "nome").plain(Text(60)),
    text("IE", "ie"),
    text("xEnder", "endereco").plain(Text(60)),
    text("xMun", "cidade").plain(Text(60)),
    text("UF", "uf").plain(TrimmedCapitals),
];

/// `avulsa`: a single note that a state issues itself.
pub(super) const SINGLE: &[Field] = &[
    text("CNPJ", "cnpj"),
    text("xOrgao", "orgao"),
    text("matr", "matricula"),
    text("xAgente", "agente"),
    text("fone", "telefone"),
    text("UF", "uf"),
    text("nDAR", "numero_dar"),
    text("dEmi", "data_emissao"),
    number("vDAR", "valor_dar"),
    text("repEmi", "reparticao"),
    text("dPag", "data_pagamento"),
];

/// `infRespTec`.
pub(super) const RESPONSIBLE: &[Field] = &[
    text("CNPJ", "cnpj"),
    text("xContato", "contato"),
    text("email", "email"),
    text("fone", "telefone"),
    text("idCSRT", "id_csrt"),
    text("hashCSRT", "hash_csrt").note().told_at("csrt"),
];
