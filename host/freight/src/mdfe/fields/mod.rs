//! The table of fields of an MDF-e 3.00: for each element of the layout the
//! API's name, in official order.
//!
//! Reading, writing and the places of errors go by it. What a request does not
//! take, or what is worked out from the rest, is [`Field::note`].

mod cargo;
mod modal;
mod road;

use crate::cte::fields::RESPONSIBLE;
use cargo::{DOCUMENTS, INSURANCE, PRODUCT};
use fiscal::fields::Form::Decimal;
use fiscal::fields::field::{
    dissolve, environment, flag_of, group, list, number, text, texts_of, word,
};
use fiscal::fields::{Field, place_by};
use modal::{AEREO, AQUAV, FERROV};
use road::RODO;

/// The word of an enumeration of the request, for its exact code.
macro_rules! word_of {
    ($enumeration:ident) => {
        |code| {
            crate::mdfe::order::$enumeration::parse(code)
                .filter(|value| value.codigo() == code)
                .map(|value| std::borrow::Cow::Borrowed(value.word()))
        }
    };
}
use word_of;

/// Attributes and children of `infMDFe`.
pub static INF_MDFE: &[Field] = &[
    text("@versao", "layout").note(),
    text("@Id", "id").note(),
    dissolve("ide", IDE).told_at("uf_inicio"),
    group("emit", "emitente", EMIT)
        .note()
        .told_at("perfil_fiscal"),
    dissolve(
        "infModal",
        &[
            text("@versaoModal", "versao_modal").note(),
            dissolve("rodo", RODO).told_at("rodoviario"),
            group("aereo", "aereo", AEREO),
            group("aquav", "aquaviario", AQUAV),
            group("ferrov", "ferroviario", FERROV),
        ],
    )
    .told_at("modal"),
    dissolve("infDoc", &[list("infMunDescarga", "documentos", DOCUMENTS)]).told_at("documentos"),
    list("seg", "seguro", INSURANCE),
    group("prodPred", "produto_predominante", PRODUCT),
    dissolve("tot", TOT).told_at("carga"),
    texts_of("lacres", "lacres"),
    texts_of("autXML", "autorizados_xml"),
    dissolve(
        "infAdic",
        &[
            text("infAdFisco", "informacoes_fisco"),
            text("infCpl", "observacoes"),
        ],
    ),
    group("infRespTec", "responsavel_tecnico", RESPONSIBLE),
    group("infSolicNFF", "solicitacao_nff", &[text("xSolic", "texto")]).note(),
    group(
        "infPAA",
        "provedor_assinatura",
        &[
            text("CNPJPAA", "cnpj"),
            dissolve(
                "PAASignature",
                &[
                    text("SignatureValue", "assinatura"),
                    dissolve(
                        "RSAKeyValue",
                        &[text("Modulus", "modulo"), text("Exponent", "expoente")],
                    ),
                ],
            ),
        ],
    )
    .note(),
];

/// `infMDFeSupl`.
pub(crate) static INF_MDFE_SUPL: &[Field] = &[text("qrCodMDFe", "qr_code").note()];

/// `protMDFe`.
pub(crate) static PROTOCOL: &[Field] = &[
    text("@versao", "layout"),
    dissolve(
        "infProt",
        &[
            text("@Id", "id"),
            word("tpAmb", "ambiente", environment),
            text("verAplic", "aplicativo"),
            text("chMDFe", "chave"),
            text("dhRecbto", "recebida_em"),
            text("nProt", "numero"),
            text("digVal", "digest"),
            text("cStat", "status"),
            text("xMotivo", "mensagem"),
        ],
    ),
    dissolve(
        "infFisco",
        &[
            text("cMsg", "codigo_mensagem_fisco"),
            text("xMsg", "mensagem_fisco"),
        ],
    ),
];

const IDE: &[Field] = &[
    text("cUF", "codigo_uf").note(),
    word("tpAmb", "ambiente", environment).note(),
    word("tpEmit", "tipo_emitente", word_of!(TipoEmitente)),
    word(
        "tpTransp",
        "tipo_transportador",
        word_of!(TipoTransportador),
    ),
    text("mod", "modelo").note(),
    number("serie", "serie").note(),
    number("nMDF", "numero").note().told_at("numero"),
    text("cMDF", "codigo_numerico").note(),
    text("cDV", "digito_verificador").note(),
    word("modal", "modal", word_of!(Modal)),
    text("dhEmi", "data_emissao").note(),
    text("tpEmis", "tipo_emissao").note(),
    text("procEmi", "processo_emissao").note(),
    text("verProc", "versao_aplicativo").note(),
    text("UFIni", "uf_inicio"),
    text("UFFim", "uf_fim"),
    list(
        "infMunCarrega",
        "carregamento",
        &[
            text("cMunCarrega", "codigo_ibge"),
            text("xMunCarrega", "cidade"),
        ],
    ),
    texts_of("infPercurso", "percurso"),
    text("dhIniViagem", "inicio_viagem"),
    flag_of("indCanalVerde", "canal_verde", "1", ""),
    flag_of("indCarregaPosterior", "carga_posterior", "1", ""),
];

const EMIT: &[Field] = &[
    text("CNPJ", "cpf_cnpj").told_at("cnpj"),
    text("CPF", "cpf_cnpj").told_at("cnpj"),
    text("IE", "ie"),
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
            text("email", "email"),
        ],
    )
    .told_at("endereco"),
];

const TOT: &[Field] = &[
    text("qCTe", "total_ctes").note(),
    text("qNFe", "total_nfes").note(),
    text("qMDFe", "total_mdfes").note(),
    number("vCarga", "carga.valor"),
    word("cUnid", "carga.unidade", word_of!(UnidadePeso)),
    number("qCarga", "carga.peso").plain(Decimal(4, 4)),
];

/// The place in the request of an official path such as
/// `infMDFe/seg[1]/nApol`: that of its longest beginning that the request has a
/// member for.
pub fn place_in_request(official: &str) -> Option<String> {
    let inside = official.strip_prefix("MDFe/").unwrap_or(official);
    let inside = inside.strip_prefix("infMDFe/").unwrap_or(inside);
    place_by(INF_MDFE, inside, "destinatario")
}
