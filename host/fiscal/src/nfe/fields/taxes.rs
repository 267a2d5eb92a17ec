//! `imposto`.

use super::icms::{DIFAL, GROUPS};
use super::reform::{IBS_CBS, IS};
use super::word_of;
use crate::fields::field::{Field, dissolve, flag, flag_of, group, number, text, word};

pub(super) const TAXES: &[Field] = &[
    number("vTotTrib", "valor_aproximado"),
    group("ICMS", "icms", GROUPS),
    group("IPI", "ipi", IPI),
    group(
        "II",
        "ii",
        &[
            number("vBC", "base"),
            number("vDespAdu", "despesas_aduaneiras"),
            number("vII", "valor"),
            number("vIOF", "iof"),
        ],
    ),
    group("ISSQN", "issqn", ISSQN),
    group(
        "PIS",
        "pis",
        &[
            dissolve("PISAliq", PIS),
            dissolve("PISQtde", PIS),
            dissolve("PISNT", PIS),
            dissolve("PISOutr", PIS),
        ],
    ),
    group("PISST", "pis_st", PIS_ST),
    group(
        "COFINS",
        "cofins",
        &[
            dissolve("COFINSAliq", COFINS),
            dissolve("COFINSQtde", COFINS),
            dissolve("COFINSNT", COFINS),
            dissolve("COFINSOutr", COFINS),
        ],
    ),
    group("COFINSST", "cofins_st", COFINS_ST),
    group("ICMSUFDest", "icms.difal", DIFAL),
    group("IS", "is", IS),
    group("IBSCBS", "ibs_cbs", IBS_CBS),
];

const IPI: &[Field] = &[
    // Of layout 3.10.
    text("clEnq", "classe_enquadramento").note(),
    text("CNPJProd", "cnpj_produtor"),
    text("cSelo", "selo"),
    number("qSelo", "quantidade_selo"),
    text("cEnq", "enquadramento"),
    dissolve("IPITrib", IPI_TRIB),
    dissolve("IPINT", IPI_TRIB),
];

const IPI_TRIB: &[Field] = &[
    text("CST", "cst"),
    number("vBC", "base"),
    number("pIPI", "aliquota"),
    number("qUnid", "quantidade"),
    number("vUnid", "valor_unidade"),
    number("vIPI", "valor"),
];

const ISSQN: &[Field] = &[
    number("vBC", "base"),
    number("vAliq", "aliquota"),
    number("vISSQN", "valor"),
    text("cMunFG", "municipio"),
    text("cListServ", "item_lista_servico"),
    number("vDeducao", "deducao"),
    number("vOutro", "outras_retencoes"),
    number("vDescIncond", "desconto_incondicionado"),
    number("vDescCond", "desconto_condicionado"),
    number("vISSRet", "iss_retido"),
    word("indISS", "exigibilidade", word_of!(ExigibilidadeIss)),
    text("cServico", "codigo_servico"),
    text("cMun", "municipio_incidencia"),
    text("cPais", "codigo_pais"),
    text("nProcesso", "numero_processo"),
    flag_of("indIncentivo", "incentivo", "1", "2"),
];

const PIS: &[Field] = &[
    text("CST", "cst"),
    number("vBC", "base"),
    number("pPIS", "aliquota"),
    number("qBCProd", "quantidade"),
    number("vAliqProd", "aliquota_unidade"),
    number("vPIS", "valor"),
];

const PIS_ST: &[Field] = &[
    number("vBC", "base"),
    number("pPIS", "aliquota"),
    number("qBCProd", "quantidade"),
    number("vAliqProd", "aliquota_unidade"),
    number("vPIS", "valor"),
    flag("indSomaPISST", "compoe_total"),
];

const COFINS: &[Field] = &[
    text("CST", "cst"),
    number("vBC", "base"),
    number("pCOFINS", "aliquota"),
    number("qBCProd", "quantidade"),
    number("vAliqProd", "aliquota_unidade"),
    number("vCOFINS", "valor"),
];

const COFINS_ST: &[Field] = &[
    number("vBC", "base"),
    number("pCOFINS", "aliquota"),
    number("qBCProd", "quantidade"),
    number("vAliqProd", "aliquota_unidade"),
    number("vCOFINS", "valor"),
    flag("indSomaCOFINSST", "compoe_total"),
];
