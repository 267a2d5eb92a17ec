//! Amounts and taxes.

use fiscal::fields::Field;
use fiscal::fields::field::{dissolve, flag, group, list, number, text, variant};
use fiscal::nfe::fields::G_IBS_CBS;

pub(super) const V_PREST: &[Field] = &[
    number("vTPrest", "prestacao"),
    number("vTPrestLiq", "liquido"),
    number("vRec", "receber"),
    list(
        "Comp",
        "componentes",
        &[text("xNome", "nome"), number("vComp", "valor")],
    ),
];

/// `pgto`; its number is its place in the list.
pub(super) const PAYMENT: &[Field] = &[
    text("@nPag", "numero").note(),
    text("@idTransacao", "transacao"),
    text("tpMeioPgto", "forma"),
    text("CNPJReceb", "cnpj_recebedor"),
    text("CNPJBasePSP", "cnpj_base_instituicao"),
];

pub(super) const IMP: &[Field] = &[
    group("ICMS", "icms", ICMS),
    number("vTotTrib", "tributos_aproximados"),
    text("infAdFisco", "informacoes_fisco"),
    group(
        "ICMSUFFim",
        "icms_uf_fim",
        &[
            number("vBCUFFim", "base"),
            number("pFCPUFFim", "aliquota_fcp"),
            number("pICMSUFFim", "aliquota_interna"),
            number("pICMSInter", "aliquota_interestadual"),
            number("vFCPUFFim", "valor_fcp"),
            number("vICMSUFFim", "valor_fim"),
            number("vICMSUFIni", "valor_inicio"),
        ],
    ),
    group(
        "IBSCBS",
        "ibs_cbs",
        &[
            text("CST", "cst"),
            text("cClassTrib", "cclass_trib"),
            flag("indDoacao", "doacao"),
            dissolve("gIBSCBS", G_IBS_CBS),
            group(
                "gEstornoCred",
                "estorno_credito",
                &[number("vIBSEstCred", "ibs"), number("vCBSEstCred", "cbs")],
            ),
        ],
    ),
    number("vTotDFe", "valor_total")
        .note()
        .told_at("valores.prestacao"),
];

const CST: Field = text("CST", "cst");
const RELIEF: Field = number("vICMSDeson", "valor_desonerado");
const BENEFIT: Field = text("cBenef", "codigo_beneficio");
const CREDIT: Field = number("vCred", "credito");

const ICMS: &[Field] = &[
    variant(
        "ICMS00",
        "icms00",
        &[
            CST,
            number("vBC", "base"),
            number("pICMS", "aliquota"),
            number("vICMS", "valor"),
        ],
    ),
    variant(
        "ICMS20",
        "icms20",
        &[
            CST,
            number("pRedBC", "reducao"),
            number("vBC", "base"),
            number("pICMS", "aliquota"),
            number("vICMS", "valor"),
            RELIEF,
            BENEFIT,
        ],
    ),
    variant("ICMS45", "icms45", &[CST, RELIEF, BENEFIT]),
    variant(
        "ICMS60",
        "icms60",
        &[
            CST,
            number("vBCSTRet", "base"),
            number("vICMSSTRet", "valor"),
            number("pICMSSTRet", "aliquota"),
            CREDIT,
            RELIEF,
            BENEFIT,
        ],
    ),
    variant(
        "ICMS90",
        "icms90",
        &[
            CST,
            number("pRedBC", "reducao"),
            number("vBC", "base"),
            number("pICMS", "aliquota"),
            number("vICMS", "valor"),
            CREDIT,
            RELIEF,
            BENEFIT,
        ],
    ),
    variant(
        "ICMSOutraUF",
        "icms_outra_uf",
        &[
            CST,
            number("pRedBCOutraUF", "reducao"),
            number("vBCOutraUF", "base"),
            number("pICMSOutraUF", "aliquota"),
            number("vICMSOutraUF", "valor"),
            RELIEF,
            BENEFIT,
        ],
    ),
    variant("ICMSSN", "icms_sn", &[CST, text("indSN", "simples").note()]),
    variant(
        "gICMSPrevistoPagtoAntecip",
        "icms_previsto",
        &[number("vICMSPrevisto", "valor_previsto")],
    ),
];
