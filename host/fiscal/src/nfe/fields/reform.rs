//! IBS, CBS and IS of an item (NT 2025.002, packages 010b to 010f).

use crate::fields::field::{
    Field, dissolve, flag, group, number, number_marking, number_twice, text,
};

pub(super) const IS: &[Field] = &[
    text("CSTIS", "cst"),
    text("cClassTribIS", "cclass_trib"),
    number("vBCIS", "base"),
    number("pIS", "aliquota"),
    // Renamed by package 010e.
    number("pISEspec", "aliquota_unidade"),
    number("adRemIS", "aliquota_unidade"),
    text("uTrib", "unidade"),
    number("qTrib", "quantidade"),
    number("vIS", "valor"),
];

pub(super) const IBS_CBS: &[Field] = &[
    text("CST", "cst"),
    text("cClassTrib", "cclass_trib"),
    flag("indDoacao", "doacao"),
    dissolve("gIBSCBS", G_IBS_CBS),
    group("gIBSCBSMono", "mono", MONO),
    group("gTransfCred", "transferencia_credito", PAIR),
    group(
        "gAjusteCompet",
        "ajuste_competencia",
        &[
            text("competApur", "mes"),
            number("vIBS", "ibs"),
            number("vCBS", "cbs"),
        ],
    ),
    group(
        "gEstornoCred",
        "estorno_credito",
        &[number("vIBSEstCred", "ibs"), number("vCBSEstCred", "cbs")],
    ),
    group(
        "gCredPresOper",
        "credito_presumido",
        &[
            number("vBCCredPres", "base"),
            text("cCredPres", "codigo"),
            dissolve(
                "gIBSCredPres",
                &[
                    number("pCredPres", "aliquota_ibs"),
                    number("vCredPres", "valor_ibs"),
                    number_marking("vCredPresCondSus", "valor_ibs", "condicao_suspensiva"),
                ],
            ),
            dissolve(
                "gCBSCredPres",
                &[
                    number("pCredPres", "aliquota_cbs"),
                    number("vCredPres", "valor_cbs"),
                    number_marking("vCredPresCondSus", "valor_cbs", "condicao_suspensiva"),
                ],
            ),
        ],
    ),
    group(
        "gCredPresIBSZFM",
        "credito_presumido_zfm",
        &[
            text("competApur", "mes"),
            text("tpCredPresIBSZFM", "tipo"),
            number("vCredPresIBSZFM", "valor"),
        ],
    ),
];

const PAIR: &[Field] = &[number("vIBS", "ibs"), number("vCBS", "cbs")];

/// The three taxes differ in two names; `gALCZFMCBS` of the CBS is a member
/// beside it.
macro_rules! tribute {
    ($before:literal, $rate:literal, $amount:literal $(, $more:expr)?) => {
        &[
            number($rate, concat!($before, "aliquota")),
            dissolve(
                "gDif",
                &[
                    number("pDif", concat!($before, "diferimento")),
                    number("vDif", concat!($before, "valor_diferido")),
                ],
            ),
            dissolve(
                "gDevTrib",
                &[
                    number("pDevTrib", concat!($before, "percentual_devolvido")),
                    number("vDevTrib", concat!($before, "valor_devolvido")),
                ],
            ),
            dissolve(
                "gRed",
                &[
                    number("pRedAliq", concat!($before, "reducao")),
                    number("pAliqEfet", concat!($before, "aliquota_efetiva")),
                ],
            ),
            $($more,)?
            number($amount, concat!($before, "valor")),
        ]
    };
}

const ALC_ZFM: &[Field] = &[
    text("tpALCZFMCBS", "tipo"),
    text("nProcSuframa", "processo_suframa"),
    number("pAliqEfetRegCBS", "aliquota"),
    number("vTribRegCBS", "valor"),
];

/// `gIBSCBS`, which documents of other models have, too.
pub const G_IBS_CBS: &[Field] = &[
    number("vBC", "base"),
    group("gIBSUF", "ibs_uf", tribute!("", "pIBSUF", "vIBSUF")),
    group("gIBSMun", "ibs_mun", tribute!("", "pIBSMun", "vIBSMun")),
    number("vIBS", "valor_ibs"),
    dissolve(
        "gCBS",
        tribute!(
            "cbs.",
            "pCBS",
            "vCBS",
            group("gALCZFMCBS", "alc_zfm_cbs", ALC_ZFM)
        ),
    )
    .told_at("cbs"),
    group(
        "gTribRegular",
        "tributacao_regular",
        &[
            text("CSTReg", "cst"),
            text("cClassTribReg", "cclass_trib"),
            number("pAliqEfetRegIBSUF", "aliquota_ibs_uf"),
            number("vTribRegIBSUF", "valor_ibs_uf"),
            number("pAliqEfetRegIBSMun", "aliquota_ibs_mun"),
            number("vTribRegIBSMun", "valor_ibs_mun"),
            number("pAliqEfetRegCBS", "aliquota_cbs"),
            number("vTribRegCBS", "valor_cbs"),
        ],
    ),
    group(
        "gTribCompraGov",
        "compra_governamental",
        &[
            number("pAliqIBSUF", "aliquota_ibs_uf"),
            number("vTribIBSUF", "valor_ibs_uf"),
            number("pAliqIBSMun", "aliquota_ibs_mun"),
            number("vTribIBSMun", "valor_ibs_mun"),
            number("pAliqCBS", "aliquota_cbs"),
            number("vTribCBS", "valor_cbs"),
        ],
    )
    .note(),
];

/// Package 010f, and what 010b to 010e had in its place.
const MONO: &[Field] = &[
    group("gIBSMonoAdRem", "ibs", AD_REM),
    group("gIBSMonoAdValorem", "ibs", AD_VALOREM),
    group("gCBSMonoAdRem", "cbs", AD_REM),
    group("gCBSMonoAdValorem", "cbs", AD_VALOREM),
    dissolve("gMonoPadrao", MONO_BEFORE),
    dissolve("gMonoReten", MONO_BEFORE),
    dissolve("gMonoRet", MONO_BEFORE),
    dissolve("gMonoDif", MONO_BEFORE),
    number("vTotIBSMonoItem", "total_ibs"),
    number("vTotCBSMonoItem", "total_cbs"),
];

const AD_REM: &[Field] = &[
    dissolve(
        "gMonoPadrao",
        &[
            number("qBCMono", "quantidade"),
            number("adRemIBS", "aliquota"),
            number("adRemCBS", "aliquota"),
            number("vIBSMono", "valor"),
            number("vCBSMono", "valor"),
        ],
    ),
    RETENTION,
    RETAINED,
    DIFFERENCE,
];

const AD_VALOREM: &[Field] = &[
    dissolve(
        "gMonoPadrao",
        &[
            number("vBCMono", "base"),
            number("pAliqMonoUF", "aliquota"),
            number("vIBSMonoUF", "valor_uf").note(),
            number("pAliqMonoMun", "aliquota_mun"),
            number("vIBSMonoMun", "valor_mun").note(),
            number("vIBSMono", "valor"),
            number("pAliqMonoCBS", "aliquota"),
            number("vCBSMono", "valor"),
        ],
    ),
    RETENTION,
    RETAINED,
    DIFFERENCE,
];

const RETENTION: Field = dissolve(
    "gMonoReten",
    &[
        number("qBCMonoReten", "quantidade_retencao"),
        number("adRemIBSReten", "aliquota_retencao"),
        number("adRemCBSReten", "aliquota_retencao"),
        number("vBCMonoReten", "base_retencao"),
        number("pAliqMonoReten", "aliquota_retencao"),
        number("vIBSMonoReten", "valor_retencao"),
        number("vCBSMonoReten", "valor_retencao"),
    ],
);

const RETAINED: Field = dissolve(
    "gMonoRet",
    &[
        number("vIBSMonoRet", "valor_retido"),
        number("vCBSMonoRet", "valor_retido"),
    ],
);

const DIFFERENCE: Field = dissolve(
    "gpBioDiferenca",
    &[
        number("qBCBioComb", "quantidade_biocombustivel"),
        number("vIBSDiferenca", "valor_diferenca"),
        number("vCBSDiferenca", "valor_diferenca"),
    ],
);

/// Of packages 010b to 010e, which have one quantity for both taxes.
const MONO_BEFORE: &[Field] = &[
    number_twice("qBCMono", "ibs.quantidade", "cbs.quantidade"),
    number("adRemIBS", "ibs.aliquota"),
    number("adRemCBS", "cbs.aliquota"),
    number("vIBSMono", "ibs.valor"),
    number("vCBSMono", "cbs.valor"),
    number_twice(
        "qBCMonoReten",
        "ibs.quantidade_retencao",
        "cbs.quantidade_retencao",
    ),
    number("adRemIBSReten", "ibs.aliquota_retencao"),
    number("vIBSMonoReten", "ibs.valor_retencao"),
    number("adRemCBSReten", "cbs.aliquota_retencao"),
    number("vCBSMonoReten", "cbs.valor_retencao"),
    number("qBCMonoRet", "quantidade_retida").note(),
    number("adRemIBSRet", "ibs.aliquota_retida").note(),
    number("vIBSMonoRet", "ibs.valor_retido"),
    number("adRemCBSRet", "cbs.aliquota_retida").note(),
    number("vCBSMonoRet", "cbs.valor_retido"),
    number("pDifIBS", "ibs.diferimento").note(),
    number("vIBSMonoDif", "ibs.valor_diferido").note(),
    number("pDifCBS", "cbs.diferimento").note(),
    number("vCBSMonoDif", "cbs.valor_diferido").note(),
];
