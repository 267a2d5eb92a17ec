//! Taxes of the reform on an item: IS, IBS and CBS.

use super::row::{Row, digits, flag, number, text};

pub(super) const SELECTIVE: &[Row] = &[
    digits(3, "is_situacao_tributaria", "impostos.is.cst"),
    digits(6, "is_classificacao_tributaria", "impostos.is.cclass_trib"),
    number("is_base_calculo", "impostos.is.base"),
    number("is_aliquota", "impostos.is.aliquota"),
    number("is_aliquota_especifica", "impostos.is.aliquota_unidade"),
    text("is_unidade_tributavel", "impostos.is.unidade"),
    number("is_quantidade_tributavel", "impostos.is.quantidade"),
    number("is_valor", "impostos.is.valor"),
];

pub(super) const IBS_CBS: &[Row] = &[
    digits(3, "ibs_cbs_situacao_tributaria", "impostos.ibs_cbs.cst"),
    digits(
        6,
        "ibs_cbs_classificacao_tributaria",
        "impostos.ibs_cbs.cclass_trib",
    ),
    flag("ibs_cbs_indicacao_doacao", "impostos.ibs_cbs.doacao"),
    number("ibs_cbs_base_calculo", "impostos.ibs_cbs.base"),
    number("ibs_valor_total", "impostos.ibs_cbs.valor_ibs"),
    digits(
        3,
        "ibs_cbs_situacao_tributaria_regular",
        "impostos.ibs_cbs.tributacao_regular.cst",
    ),
    digits(
        6,
        "ibs_cbs_classificacao_tributaria_regular",
        "impostos.ibs_cbs.tributacao_regular.cclass_trib",
    ),
    number(
        "ibs_aliquota_efetiva_regular_uf",
        "impostos.ibs_cbs.tributacao_regular.aliquota_ibs_uf",
    ),
    number(
        "ibs_valor_tributo_regular_uf",
        "impostos.ibs_cbs.tributacao_regular.valor_ibs_uf",
    ),
    number(
        "ibs_aliquota_efetiva_regular_municipio",
        "impostos.ibs_cbs.tributacao_regular.aliquota_ibs_mun",
    ),
    number(
        "ibs_valor_tributo_regular_municipio",
        "impostos.ibs_cbs.tributacao_regular.valor_ibs_mun",
    ),
    number(
        "cbs_aliquota_efetiva_regular",
        "impostos.ibs_cbs.tributacao_regular.aliquota_cbs",
    ),
    number(
        "cbs_valor_tributo_regular",
        "impostos.ibs_cbs.tributacao_regular.valor_cbs",
    ),
];

/// A share of the IBS, or the CBS.
macro_rules! tribute {
    ($theirs:literal, $ours:literal) => {
        [
            number(
                concat!($theirs, "_aliquota"),
                concat!("impostos.ibs_cbs.", $ours, ".aliquota"),
            ),
            number(
                concat!($theirs, "_percentual_diferimento"),
                concat!("impostos.ibs_cbs.", $ours, ".diferimento"),
            ),
            number(
                concat!($theirs, "_valor_diferido"),
                concat!("impostos.ibs_cbs.", $ours, ".valor_diferido"),
            ),
            number(
                concat!($theirs, "_valor_tributo_devolvido"),
                concat!("impostos.ibs_cbs.", $ours, ".valor_devolvido"),
            ),
            number(
                concat!($theirs, "_percentual_reducao_aliquota"),
                concat!("impostos.ibs_cbs.", $ours, ".reducao"),
            ),
            number(
                concat!($theirs, "_aliquota_efetiva"),
                concat!("impostos.ibs_cbs.", $ours, ".aliquota_efetiva"),
            ),
            number(
                concat!($theirs, "_valor"),
                concat!("impostos.ibs_cbs.", $ours, ".valor"),
            ),
        ]
    };
}

const SHARES: [[Row; 7]; 3] = [
    tribute!("ibs_uf", "ibs_uf"),
    tribute!("ibs_mun", "ibs_mun"),
    tribute!("cbs", "cbs"),
];

pub(super) const IBS: &[Row] = {
    const BOTH: [Row; 14] = {
        let mut both = [SHARES[0][0]; 14];
        let mut at = 0;
        while at < 14 {
            both[at] = SHARES[at / 7][at % 7];
            at += 1;
        }
        both
    };
    &BOTH
};

pub(super) const CBS: &[Row] = &SHARES[2];

pub(super) const CREDITS: &[Row] = &[
    number(
        "ibs_valor_transferido",
        "impostos.ibs_cbs.transferencia_credito.ibs",
    ),
    number(
        "cbs_valor_transferido",
        "impostos.ibs_cbs.transferencia_credito.cbs",
    ),
    text(
        "data_competencia_apuracao",
        "impostos.ibs_cbs.ajuste_competencia.mes",
    ),
    number(
        "ibs_valor_ajuste_competencia",
        "impostos.ibs_cbs.ajuste_competencia.ibs",
    ),
    number(
        "cbs_valor_ajuste_competencia",
        "impostos.ibs_cbs.ajuste_competencia.cbs",
    ),
    number(
        "ibs_valor_estorno_credito",
        "impostos.ibs_cbs.estorno_credito.ibs",
    ),
    number(
        "cbs_valor_estorno_credito",
        "impostos.ibs_cbs.estorno_credito.cbs",
    ),
    number(
        "credito_presumido_oper_base_calculo",
        "impostos.ibs_cbs.credito_presumido.base",
    ),
    digits(
        2,
        "credito_presumido_oper_codigo_classificacao",
        "impostos.ibs_cbs.credito_presumido.codigo",
    ),
    number(
        "ibs_percentual_credito_presumido",
        "impostos.ibs_cbs.credito_presumido.aliquota_ibs",
    ),
    number(
        "ibs_valor_credito_presumido",
        "impostos.ibs_cbs.credito_presumido.valor_ibs",
    ),
    number(
        "cbs_credito_percentual",
        "impostos.ibs_cbs.credito_presumido.aliquota_cbs",
    ),
    number(
        "cbs_valor_credito_presumido",
        "impostos.ibs_cbs.credito_presumido.valor_cbs",
    ),
    text(
        "credito_presumido_zfm_competencia",
        "impostos.ibs_cbs.credito_presumido_zfm.mes",
    ),
    digits(
        1,
        "credito_presumido_zfm_classificacao",
        "impostos.ibs_cbs.credito_presumido_zfm.tipo",
    ),
    number(
        "credito_presumido_zfm_valor",
        "impostos.ibs_cbs.credito_presumido_zfm.valor",
    ),
];

/// Fuel that is taxed once. One quantity is of both taxes.
pub(super) const MONO: &[Row] = &[
    number(
        "mono_base_calculo_quantidade_tributada",
        "impostos.ibs_cbs.mono.ibs.quantidade",
    ),
    number(
        "mono_base_calculo_quantidade_tributada",
        "impostos.ibs_cbs.mono.cbs.quantidade",
    ),
    number(
        "mono_ibs_aliquota_ad_rem",
        "impostos.ibs_cbs.mono.ibs.aliquota",
    ),
    number(
        "mono_cbs_aliquota_ad_rem",
        "impostos.ibs_cbs.mono.cbs.aliquota",
    ),
    number("mono_ibs_valor", "impostos.ibs_cbs.mono.ibs.valor"),
    number("mono_cbs_valor", "impostos.ibs_cbs.mono.cbs.valor"),
    number(
        "mono_base_calculo_quantidade_tributada_retencao",
        "impostos.ibs_cbs.mono.ibs.quantidade_retencao",
    ),
    number(
        "mono_base_calculo_quantidade_tributada_retencao",
        "impostos.ibs_cbs.mono.cbs.quantidade_retencao",
    ),
    number(
        "mono_ibs_aliquota_retencao",
        "impostos.ibs_cbs.mono.ibs.aliquota_retencao",
    ),
    number(
        "mono_ibs_valor_retencao",
        "impostos.ibs_cbs.mono.ibs.valor_retencao",
    ),
    number(
        "mono_cbs_aliquota_retencao",
        "impostos.ibs_cbs.mono.cbs.aliquota_retencao",
    ),
    number(
        "mono_cbs_valor_retencao",
        "impostos.ibs_cbs.mono.cbs.valor_retencao",
    ),
    number(
        "mono_ibs_valor_retido_anteriormente",
        "impostos.ibs_cbs.mono.ibs.valor_retido",
    ),
    number(
        "mono_cbs_valor_retido_anteriormente",
        "impostos.ibs_cbs.mono.cbs.valor_retido",
    ),
    number("mono_total_ibs_item", "impostos.ibs_cbs.mono.total_ibs"),
    number("mono_total_cbs_item", "impostos.ibs_cbs.mono.total_cbs"),
];
