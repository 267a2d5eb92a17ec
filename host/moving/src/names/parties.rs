//! The company, who receives, and places.

use super::row::{Row, code, company, company_text, digits, refused, text};

/// The lines of somebody's address and telephone: their names end in who it is, ours
/// begin with it.
macro_rules! address {
    ($theirs:literal, $ours:literal) => {
        &[
            text(
                concat!("logradouro_", $theirs),
                concat!($ours, ".endereco.logradouro"),
            ),
            text(
                concat!("numero_", $theirs),
                concat!($ours, ".endereco.numero"),
            ),
            text(
                concat!("complemento_", $theirs),
                concat!($ours, ".endereco.complemento"),
            ),
            text(
                concat!("bairro_", $theirs),
                concat!($ours, ".endereco.bairro"),
            ),
            digits(
                7,
                concat!("codigo_municipio_", $theirs),
                concat!($ours, ".endereco.codigo_ibge"),
            ),
            text(
                concat!("municipio_", $theirs),
                concat!($ours, ".endereco.cidade"),
            ),
            text(concat!("uf_", $theirs), concat!($ours, ".endereco.uf")),
            digits(8, concat!("cep_", $theirs), concat!($ours, ".endereco.cep")),
            digits(
                4,
                concat!("codigo_pais_", $theirs),
                concat!($ours, ".endereco.codigo_pais"),
            ),
            text(concat!("pais_", $theirs), concat!($ours, ".endereco.pais")),
            text(concat!("telefone_", $theirs), concat!($ours, ".telefone")),
            text(concat!("email_", $theirs), concat!($ours, ".email")),
        ]
    };
}

/// Who issues. The hub has all of it, and writes what it has.
pub(super) const COMPANY: &[Row] = &[
    company("cnpj_emitente", "cnpj"),
    refused(
        "cpf_emitente",
        "Só empresas com CNPJ emitem aqui: informe cnpj_emitente.",
    ),
    company_text("nome_emitente", "nome"),
    company_text("nome_fantasia_emitente", "fantasia"),
    company_text("logradouro_emitente", "logradouro"),
    company_text("numero_emitente", "numero"),
    company_text("complemento_emitente", "complemento"),
    company_text("bairro_emitente", "bairro"),
    company("codigo_municipio_emitente", "municipio"),
    company_text("municipio_emitente", "cidade"),
    company("uf_emitente", "uf"),
    company_text("cep_emitente", "cep"),
    company_text("telefone_emitente", "telefone"),
    company("inscricao_estadual_emitente", "ie"),
    company("inscricao_estadual_st_emitente", "ie_st"),
    company_text("inscricao_municipal_emitente", "im"),
    company_text("cnae_fiscal_emitente", "cnae"),
    company("regime_tributario_emitente", "crt"),
];

pub(super) const RECIPIENT: &[Row] = &[
    digits(14, "cnpj_destinatario", "destinatario.cpf_cnpj"),
    digits(11, "cpf_destinatario", "destinatario.cpf_cnpj"),
    text(
        "id_estrangeiro_destinatario",
        "destinatario.documento_estrangeiro",
    ),
    text("nome_destinatario", "destinatario.nome"),
    code(
        "indicador_inscricao_estadual_destinatario",
        "destinatario.indicador_ie",
    ),
    text("inscricao_estadual_destinatario", "destinatario.ie"),
    text("inscricao_suframa_destinatario", "destinatario.suframa"),
    text("inscricao_municipal_destinatario", "destinatario.im"),
];

pub(super) const RECIPIENT_ADDRESS: &[Row] = address!("destinatario", "destinatario");

pub(super) const PICKUP: &[Row] = &[
    digits(14, "cnpj_retirada", "retirada.cpf_cnpj"),
    digits(11, "cpf_retirada", "retirada.cpf_cnpj"),
    text("nome_retirada", "retirada.nome"),
    text("inscricao_estadual_retirada", "retirada.ie"),
];

pub(super) const PICKUP_ADDRESS: &[Row] = address!("retirada", "retirada");

pub(super) const DELIVERY: &[Row] = &[
    digits(14, "cnpj_entrega", "entrega.cpf_cnpj"),
    digits(11, "cpf_entrega", "entrega.cpf_cnpj"),
    text("nome_entrega", "entrega.nome"),
    text("inscricao_estadual_entrega", "entrega.ie"),
];

pub(super) const DELIVERY_ADDRESS: &[Row] = address!("entrega", "entrega");

pub(super) const CARRIER: &[Row] = &[
    digits(
        14,
        "cnpj_transportador",
        "transporte.transportador.cpf_cnpj",
    ),
    digits(11, "cpf_transportador", "transporte.transportador.cpf_cnpj"),
    text("nome_transportador", "transporte.transportador.nome"),
    text(
        "inscricao_estadual_transportador",
        "transporte.transportador.ie",
    ),
    text(
        "endereco_transportador",
        "transporte.transportador.endereco",
    ),
    text("municipio_transportador", "transporte.transportador.cidade"),
    text("uf_transportador", "transporte.transportador.uf"),
];
