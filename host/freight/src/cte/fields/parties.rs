//! Participants and places.

use super::word_of;
use fiscal::fields::Field;
use fiscal::fields::field::{dissolve, text, word};

/// Lines of an address, whose members are in `endereco` of the group around;
/// the argument stands before that name.
macro_rules! address {
    ($before:literal) => {
        &[
            text("xLgr", concat!($before, "endereco.logradouro")),
            text("nro", concat!($before, "endereco.numero")),
            text("xCpl", concat!($before, "endereco.complemento")),
            text("xBairro", concat!($before, "endereco.bairro")),
            text("cMun", concat!($before, "endereco.codigo_ibge")),
            text("xMun", concat!($before, "endereco.cidade")),
            text("CEP", concat!($before, "endereco.cep")),
            text("UF", concat!($before, "endereco.uf")),
            text("cPais", concat!($before, "endereco.codigo_pais")),
            text("xPais", concat!($before, "endereco.pais")),
        ]
    };
}

pub(super) const ADDRESS: &[Field] = address!("");

/// A participant, with the name of its address.
macro_rules! party {
    ($address:literal $(, $more:expr)*) => {
        &[
            text("CNPJ", "cpf_cnpj"),
            text("CPF", "cpf_cnpj"),
            text("IE", "ie"),
            text("xNome", "nome"),
            $($more,)*
            text("fone", "telefone"),
            dissolve($address, ADDRESS).told_at("endereco"),
            text("email", "email"),
        ]
    };
}

pub(super) const REM: &[Field] = party!("enderReme", text("xFant", "nome_fantasia"));
pub(super) const EXPED: &[Field] = party!("enderExped");
pub(super) const RECEB: &[Field] = party!("enderReceb");
pub(super) const DEST: &[Field] = party!("enderDest", text("ISUF", "suframa"));

/// `toma4`.
pub(super) const PAYER: &[Field] = &[
    word("toma", "tomador.papel", word_of!(Papel)),
    text("CNPJ", "tomador.cpf_cnpj"),
    text("CPF", "tomador.cpf_cnpj"),
    text("IE", "tomador.ie"),
    text("xNome", "tomador.nome"),
    text("xFant", "tomador.nome_fantasia"),
    text("fone", "tomador.telefone"),
    dissolve("enderToma", address!("tomador.")),
    text("email", "tomador.email"),
];

pub(super) const EMIT: &[Field] = &[
    text("CNPJ", "cpf_cnpj").told_at("cnpj"),
    text("CPF", "cpf_cnpj").told_at("cnpj"),
    text("IE", "ie"),
    text("IEST", "ie_substituto"),
    text("xNome", "nome").told_at("razao_social"),
    text("xFant", "nome_fantasia"),
    dissolve(
        "enderEmit",
        &[
            text("xLgr", "endereco.logradouro"),
            text("nro", "endereco.numero"),
            text("xCpl", "endereco.complemento"),
            text("xBairro", "endereco.bairro"),
            text("cMun", "endereco.codigo_ibge"),
            text("xMun", "endereco.cidade"),
            text("CEP", "endereco.cep"),
            text("UF", "endereco.uf"),
            text("fone", "telefone"),
        ],
    )
    .told_at("endereco"),
    text("CRT", "crt").told_at("regime"),
    text("ISUFEmit", "suframa"),
];

/// `infRespTec`.
pub(crate) const RESPONSIBLE: &[Field] = &[
    text("CNPJ", "cnpj"),
    text("xContato", "contato"),
    text("email", "email"),
    text("fone", "telefone"),
    text("idCSRT", "id_csrt"),
    text("hashCSRT", "hash_csrt").note().told_at("csrt"),
];
