//! IBS, CBS and IS of an item (NT 2025.002, packages 010b to 010f).

use super::{dissolve, grupo, logico, numero, texto};
use crate::nfe::reading::reader::Regra;

pub(super) const IS: &[Regra] = &[
    texto("CSTIS", "cst"),
    texto("cClassTribIS", "cclass_trib"),
    numero("vBCIS", "base"),
    numero("pIS", "aliquota"),
    // Renamed by package 010e.
    numero("pISEspec", "aliquota_especifica"),
    numero("adRemIS", "aliquota_unidade"),
    texto("uTrib", "unidade"),
    numero("qTrib", "quantidade"),
    numero("vIS", "valor"),
];

pub(super) const IBS_CBS: &[Regra] = &[
    texto("CST", "cst"),
    texto("cClassTrib", "cclass_trib"),
    logico("indDoacao", "doacao"),
    dissolve("gIBSCBS", G_IBS_CBS),
    grupo("gIBSCBSMono", "mono", MONO),
    grupo("gTransfCred", "transferencia_credito", PAR),
    grupo(
        "gAjusteCompet",
        "ajuste_competencia",
        &[
            texto("competApur", "mes"),
            numero("vIBS", "ibs"),
            numero("vCBS", "cbs"),
        ],
    ),
    grupo(
        "gEstornoCred",
        "estorno_credito",
        &[numero("vIBSEstCred", "ibs"), numero("vCBSEstCred", "cbs")],
    ),
    grupo(
        "gCredPresOper",
        "credito_presumido",
        &[
            numero("vBCCredPres", "base"),
            texto("cCredPres", "codigo"),
            dissolve(
                "gIBSCredPres",
                &[
                    numero("pCredPres", "aliquota_ibs"),
                    numero("vCredPres", "valor_ibs"),
                    numero("vCredPresCondSus", "valor_ibs_condicao_suspensiva"),
                ],
            ),
            dissolve(
                "gCBSCredPres",
                &[
                    numero("pCredPres", "aliquota_cbs"),
                    numero("vCredPres", "valor_cbs"),
                    numero("vCredPresCondSus", "valor_cbs_condicao_suspensiva"),
                ],
            ),
        ],
    ),
    grupo(
        "gCredPresIBSZFM",
        "credito_presumido_zfm",
        &[
            texto("competApur", "mes"),
            texto("tpCredPresIBSZFM", "tipo"),
            numero("vCredPresIBSZFM", "valor"),
        ],
    ),
];

const PAR: &[Regra] = &[numero("vIBS", "ibs"), numero("vCBS", "cbs")];

/// The three taxes differ in two names.
macro_rules! tributo {
    ($aliquota:literal, $valor:literal) => {
        &[
            numero($aliquota, "aliquota"),
            dissolve(
                "gDif",
                &[
                    numero("pDif", "diferimento"),
                    numero("vDif", "valor_diferido"),
                ],
            ),
            dissolve(
                "gDevTrib",
                &[
                    numero("pDevTrib", "percentual_devolvido"),
                    numero("vDevTrib", "valor_devolvido"),
                ],
            ),
            dissolve(
                "gRed",
                &[
                    numero("pRedAliq", "reducao"),
                    numero("pAliqEfet", "aliquota_efetiva"),
                ],
            ),
            grupo("gALCZFMCBS", "alc_zfm_cbs", ALC_ZFM),
            numero($valor, "valor"),
        ]
    };
}

const ALC_ZFM: &[Regra] = &[
    texto("tpALCZFMCBS", "tipo"),
    texto("nProcSuframa", "processo_suframa"),
    numero("pAliqEfetRegCBS", "aliquota"),
    numero("vTribRegCBS", "valor"),
];

const G_IBS_CBS: &[Regra] = &[
    numero("vBC", "base"),
    grupo("gIBSUF", "ibs_uf", tributo!("pIBSUF", "vIBSUF")),
    grupo("gIBSMun", "ibs_mun", tributo!("pIBSMun", "vIBSMun")),
    numero("vIBS", "valor_ibs"),
    grupo("gCBS", "cbs", tributo!("pCBS", "vCBS")),
    grupo(
        "gTribRegular",
        "tributacao_regular",
        &[
            texto("CSTReg", "cst"),
            texto("cClassTribReg", "cclass_trib"),
            numero("pAliqEfetRegIBSUF", "aliquota_ibs_uf"),
            numero("vTribRegIBSUF", "valor_ibs_uf"),
            numero("pAliqEfetRegIBSMun", "aliquota_ibs_mun"),
            numero("vTribRegIBSMun", "valor_ibs_mun"),
            numero("pAliqEfetRegCBS", "aliquota_cbs"),
            numero("vTribRegCBS", "valor_cbs"),
        ],
    ),
    grupo(
        "gTribCompraGov",
        "compra_governamental",
        &[
            numero("pAliqIBSUF", "aliquota_ibs_uf"),
            numero("vTribIBSUF", "valor_ibs_uf"),
            numero("pAliqIBSMun", "aliquota_ibs_mun"),
            numero("vTribIBSMun", "valor_ibs_mun"),
            numero("pAliqCBS", "aliquota_cbs"),
            numero("vTribCBS", "valor_cbs"),
        ],
    ),
];

/// Package 010f, and what 010b to 010e had in its place.
const MONO: &[Regra] = &[
    grupo("gIBSMonoAdRem", "ibs", AD_REM),
    grupo("gIBSMonoAdValorem", "ibs", AD_VALOREM),
    grupo("gCBSMonoAdRem", "cbs", AD_REM),
    grupo("gCBSMonoAdValorem", "cbs", AD_VALOREM),
    dissolve("gMonoPadrao", ANTIGA),
    dissolve("gMonoReten", ANTIGA),
    dissolve("gMonoRet", ANTIGA),
    dissolve("gMonoDif", ANTIGA),
    numero("vTotIBSMonoItem", "total_ibs"),
    numero("vTotCBSMonoItem", "total_cbs"),
];

const AD_REM: &[Regra] = &[
    dissolve(
        "gMonoPadrao",
        &[
            numero("qBCMono", "quantidade"),
            numero("adRemIBS", "aliquota"),
            numero("adRemCBS", "aliquota"),
            numero("vIBSMono", "valor"),
            numero("vCBSMono", "valor"),
        ],
    ),
    RETENCAO,
    RETIDO,
    DIFERENCA,
];

const AD_VALOREM: &[Regra] = &[
    dissolve(
        "gMonoPadrao",
        &[
            numero("vBCMono", "base"),
            numero("pAliqMonoUF", "aliquota"),
            numero("vIBSMonoUF", "valor_uf"),
            numero("pAliqMonoMun", "aliquota_mun"),
            numero("vIBSMonoMun", "valor_mun"),
            numero("vIBSMono", "valor"),
            numero("pAliqMonoCBS", "aliquota"),
            numero("vCBSMono", "valor"),
        ],
    ),
    RETENCAO,
    RETIDO,
    DIFERENCA,
];

const RETENCAO: Regra = dissolve(
    "gMonoReten",
    &[
        numero("qBCMonoReten", "quantidade_retencao"),
        numero("adRemIBSReten", "aliquota_retencao"),
        numero("adRemCBSReten", "aliquota_retencao"),
        numero("vBCMonoReten", "base_retencao"),
        numero("pAliqMonoReten", "aliquota_retencao"),
        numero("vIBSMonoReten", "valor_retencao"),
        numero("vCBSMonoReten", "valor_retencao"),
    ],
);

const RETIDO: Regra = dissolve(
    "gMonoRet",
    &[
        numero("vIBSMonoRet", "valor_retido"),
        numero("vCBSMonoRet", "valor_retido"),
    ],
);

const DIFERENCA: Regra = dissolve(
    "gpBioDiferenca",
    &[
        numero("qBCBioComb", "quantidade_biocombustivel"),
        numero("vIBSDiferenca", "valor_diferenca"),
        numero("vCBSDiferenca", "valor_diferenca"),
    ],
);

const ANTIGA: &[Regra] = &[
    numero("qBCMono", "quantidade"),
    numero("adRemIBS", "ibs.aliquota"),
    numero("adRemCBS", "cbs.aliquota"),
    numero("vIBSMono", "ibs.valor"),
    numero("vCBSMono", "cbs.valor"),
    numero("qBCMonoReten", "quantidade_retencao"),
    numero("adRemIBSReten", "ibs.aliquota_retencao"),
    numero("vIBSMonoReten", "ibs.valor_retencao"),
    numero("adRemCBSReten", "cbs.aliquota_retencao"),
    numero("vCBSMonoReten", "cbs.valor_retencao"),
    numero("qBCMonoRet", "quantidade_retida"),
    numero("adRemIBSRet", "ibs.aliquota_retida"),
    numero("vIBSMonoRet", "ibs.valor_retido"),
    numero("adRemCBSRet", "cbs.aliquota_retida"),
    numero("vCBSMonoRet", "cbs.valor_retido"),
    numero("pDifIBS", "ibs.diferimento"),
    numero("vIBSMonoDif", "ibs.valor_diferido"),
    numero("pDifCBS", "cbs.diferimento"),
    numero("vCBSMonoDif", "cbs.valor_diferido"),
];
