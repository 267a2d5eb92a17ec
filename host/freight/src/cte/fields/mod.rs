//! The table of fields of a CT-e 4.00: for each element of the layout the API's
//! name, in official order.
//!
//! Reading, writing and the places of errors go by it. What a request does not
//! take, or what is worked out from the rest, is [`Field::note`]; `IBSCBS` is
//! read by it and built by calculation.

mod cargo;
mod modal;
mod parties;
mod taxes;

use cargo::NORMAL;
pub(crate) use cargo::VEHICLES;
use fiscal::fields::field::{
    dissolve, environment, flag_of, group, list, number, text, texts, texts_of, word,
};
use fiscal::fields::{Field, place_by};
pub(crate) use parties::RESPONSIBLE;
use parties::{DEST, EMIT, EXPED, PAYER, RECEB, REM};
use taxes::{IMP, PAYMENT, V_PREST};

/// The word of an enumeration of the request, for its exact code.
macro_rules! word_of {
    ($enumeration:ident) => {
        |code| {
            crate::cte::order::$enumeration::parse(code)
                .filter(|value| value.codigo() == code)
                .map(|value| std::borrow::Cow::Borrowed(value.word()))
        }
    };
}
use word_of;

/// Attributes and children of `infCte`.
pub static INF_CTE: &[Field] = &[
    text("@versao", "layout").note(),
    text("@Id", "id").note(),
    dissolve("ide", IDE).told_at("natureza_operacao"),
    dissolve("compl", COMPL),
    group("emit", "emitente", EMIT)
        .note()
        .told_at("perfil_fiscal"),
    group("rem", "remetente", REM),
    group("exped", "expedidor", EXPED),
    group("receb", "recebedor", RECEB),
    group("dest", "destinatario", DEST),
    group("vPrest", "valores", V_PREST),
    dissolve("imp", IMP).told_at("icms"),
    dissolve("pgtoVinc", &[list("pgto", "pagamentos", PAYMENT)]),
    dissolve("infCTeNorm", NORMAL).told_at("carga"),
    texts_of("infCteComp", "complementados"),
    texts_of("autXML", "autorizados_xml"),
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

/// `infCTeSupl`.
pub(crate) static INF_CTE_SUPL: &[Field] = &[text("qrCodCTe", "qr_code").note()];

/// `protCTe`.
pub(crate) static PROTOCOL: &[Field] = &[
    text("@versao", "layout"),
    dissolve(
        "infProt",
        &[
            text("@Id", "id"),
            word("tpAmb", "ambiente", environment),
            text("verAplic", "aplicativo"),
            text("chCTe", "chave"),
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
    text("cCT", "codigo_numerico").note(),
    text("CFOP", "cfop"),
    text("natOp", "natureza_operacao"),
    text("mod", "modelo").note(),
    number("serie", "serie").note(),
    number("nCT", "numero").note().told_at("numero"),
    text("dhEmi", "data_emissao").note(),
    text("tpImp", "formato_dacte").note(),
    text("tpEmis", "tipo_emissao").note(),
    text("cDV", "digito_verificador").note(),
    word("tpAmb", "ambiente", environment).note(),
    word("tpCTe", "tipo", word_of!(Tipo)),
    text("procEmi", "processo_emissao").note(),
    text("verProc", "versao_aplicativo").note(),
    flag_of("indGlobalizado", "globalizado", "1", ""),
    text("cMunEnv", "municipio_envio"),
    text("xMunEnv", "cidade_envio").note(),
    text("UFEnv", "uf_envio").note(),
    word("modal", "modal", word_of!(Modal)),
    word("tpServ", "servico", word_of!(Servico)),
    text("cMunIni", "municipio_inicio"),
    text("xMunIni", "cidade_inicio")
        .note()
        .told_at("municipio_inicio"),
    text("UFIni", "uf_inicio")
        .note()
        .told_at("municipio_inicio"),
    text("cMunFim", "municipio_fim"),
    text("xMunFim", "cidade_fim")
        .note()
        .told_at("municipio_fim"),
    text("UFFim", "uf_fim").note().told_at("municipio_fim"),
    flag_of("retira", "retira", "0", "1"),
    text("xDetRetira", "detalhes_retira"),
    word("indIEToma", "indicador_ie_tomador", word_of!(IndicadorIe)),
    dissolve("toma3", &[word("toma", "tomador.papel", word_of!(Papel))]).told_at("tomador"),
    dissolve("toma4", PAYER).told_at("tomador"),
    text("dhCont", "contingencia.desde").note(),
    text("xJust", "contingencia.justificativa").note(),
    group(
        "gCompraGov",
        "compra_governamental",
        &[
            text("tpEnteGov", "tipo_ente"),
            number("pRedutor", "redutor"),
            text("tpOperGov", "tipo_operacao"),
            texts("refDFeAnt", "referencias"),
        ],
    ),
    word(
        "tpPagAnt",
        "tipo_pagamento_antecipado",
        word_of!(TipoPagamentoAntecipado),
    ),
    dissolve(
        "gPagAntecipado",
        &[texts("chDFePagAnt", "pagamentos_antecipados")],
    )
    .told_at("pagamentos_antecipados"),
];

const REMARK: &[Field] = &[text("@xCampo", "campo"), text("xTexto", "texto")];

const COMPL: &[Field] = &[
    text("xCaracAd", "caracteristica_transporte"),
    text("xCaracSer", "caracteristica_servico"),
    text("xEmi", "funcionario"),
    group(
        "fluxo",
        "fluxo",
        &[
            text("xOrig", "origem"),
            texts_of("pass", "passagens"),
            text("xDest", "destino"),
            text("xRota", "rota"),
        ],
    ),
    group(
        "Entrega",
        "entrega",
        &[
            dissolve("semData", &[DATE_KIND]),
            dissolve("comData", &[DATE_KIND, text("dProg", "data.data")]),
            dissolve(
                "noPeriodo",
                &[
                    DATE_KIND,
                    text("dIni", "data.inicio"),
                    text("dFim", "data.fim"),
                ],
            ),
            dissolve("semHora", &[TIME_KIND]),
            dissolve("comHora", &[TIME_KIND, text("hProg", "hora.hora")]),
            dissolve(
                "noInter",
                &[
                    TIME_KIND,
                    text("hIni", "hora.inicio"),
                    text("hFim", "hora.fim"),
                ],
            ),
        ],
    ),
    text("origCalc", "origem_calculo"),
    text("destCalc", "destino_calculo"),
    text("xObs", "observacoes"),
    list("ObsCont", "observacoes_contribuinte", REMARK),
    list("ObsFisco", "observacoes_fisco", REMARK),
];

const DATE_KIND: Field = word("tpPer", "data.tipo", word_of!(TipoData));
const TIME_KIND: Field = word("tpHor", "hora.tipo", word_of!(TipoHora));

/// The place in the request of an official path such as `infCte/rem/xNome`: that
/// of its longest beginning that the request has a member for.
pub fn place_in_request(official: &str) -> Option<String> {
    let inside = official.strip_prefix("CTe/").unwrap_or(official);
    let inside = inside.strip_prefix("infCte/").unwrap_or(inside);
    place_by(INF_CTE, inside, "destinatario")
}
