//! `imposto`.

use super::icms::{DIFAL, GRUPOS};
use super::{dissolve, grupo, logico, numero, palavra, palavra_de, texto};
use crate::nfe::reading::reader::{Como, Regra};
use crate::nfe::reading::table::reform::{IBS_CBS, IS};

pub(super) const IMPOSTO: &[Regra] = &[
    numero("vTotTrib", "valor_aproximado"),
    grupo("ICMS", "icms", GRUPOS),
    grupo("IPI", "ipi", IPI),
    grupo(
        "II",
        "ii",
        &[
            numero("vBC", "base"),
            numero("vDespAdu", "despesas_aduaneiras"),
            numero("vII", "valor"),
            numero("vIOF", "iof"),
        ],
    ),
    grupo("ISSQN", "issqn", ISSQN),
    grupo(
        "PIS",
        "pis",
        &[
            dissolve("PISAliq", PIS),
            dissolve("PISQtde", PIS),
            dissolve("PISNT", PIS),
            dissolve("PISOutr", PIS),
        ],
    ),
    grupo("PISST", "pis_st", PIS),
    grupo(
        "COFINS",
        "cofins",
        &[
            dissolve("COFINSAliq", COFINS),
            dissolve("COFINSQtde", COFINS),
            dissolve("COFINSNT", COFINS),
            dissolve("COFINSOutr", COFINS),
        ],
    ),
    grupo("COFINSST", "cofins_st", COFINS),
    grupo("ICMSUFDest", "icms.difal", DIFAL),
    grupo("IS", "is", IS),
    grupo("IBSCBS", "ibs_cbs", IBS_CBS),
];

const IPI: &[Regra] = &[
    // Of layout 3.10.
    texto("clEnq", "classe_enquadramento"),
    texto("CNPJProd", "cnpj_produtor"),
    texto("cSelo", "selo"),
    numero("qSelo", "quantidade_selo"),
    texto("cEnq", "enquadramento"),
    dissolve("IPITrib", IPI_TRIB),
    dissolve("IPINT", IPI_TRIB),
];

const IPI_TRIB: &[Regra] = &[
    texto("CST", "cst"),
    numero("vBC", "base"),
    numero("pIPI", "aliquota"),
    numero("qUnid", "quantidade"),
    numero("vUnid", "valor_unidade"),
    numero("vIPI", "valor"),
];

const ISSQN: &[Regra] = &[
    numero("vBC", "base"),
    numero("vAliq", "aliquota"),
    numero("vISSQN", "valor"),
    texto("cMunFG", "municipio"),
    texto("cListServ", "item_lista_servico"),
    numero("vDeducao", "deducao"),
    numero("vOutro", "outras_retencoes"),
    numero("vDescIncond", "desconto_incondicionado"),
    numero("vDescCond", "desconto_condicionado"),
    numero("vISSRet", "iss_retido"),
    palavra("indISS", "exigibilidade", palavra_de!(ExigibilidadeIss)),
    texto("cServico", "codigo_servico"),
    texto("cMun", "municipio_incidencia"),
    texto("cPais", "codigo_pais"),
    texto("nProcesso", "numero_processo"),
    Regra {
        tag: "indIncentivo",
        nome: "incentivo",
        como: Como::Logico("1", "2"),
    },
];

const PIS: &[Regra] = &[
    texto("CST", "cst"),
    numero("vBC", "base"),
    numero("pPIS", "aliquota"),
    numero("qBCProd", "quantidade"),
    numero("vAliqProd", "aliquota_unidade"),
    numero("vPIS", "valor"),
    logico("indSomaPISST", "compoe_total"),
];

const COFINS: &[Regra] = &[
    texto("CST", "cst"),
    numero("vBC", "base"),
    numero("pCOFINS", "aliquota"),
    numero("qBCProd", "quantidade"),
    numero("vAliqProd", "aliquota_unidade"),
    numero("vCOFINS", "valor"),
    logico("indSomaCOFINSST", "compoe_total"),
];
