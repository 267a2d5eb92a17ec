//! `total`: what the note sums up, withholdings, services.

use super::{dissolve, grupo, numero, texto};
use crate::nfe::reading::reader::Regra;

pub(super) const TOTAL: &[Regra] = &[
    grupo("ICMSTot", "totais", ICMS_TOT),
    grupo("ISSQNtot", "servicos", ISSQN_TOT),
    grupo(
        "retTrib",
        "retencoes",
        &[
            numero("vRetPIS", "pis"),
            numero("vRetCOFINS", "cofins"),
            numero("vRetCSLL", "csll"),
            numero("vBCIRRF", "base_irrf"),
            numero("vIRRF", "irrf"),
            numero("vBCRetPrev", "base_previdencia"),
            numero("vRetPrev", "previdencia"),
        ],
    ),
    grupo("ISTot", "totais", &[numero("vIS", "is")]),
    grupo("IBSCBSTot", "totais", IBS_CBS_TOT),
    numero("vNFTot", "totais.valor_total_com_tributos"),
];

const ICMS_TOT: &[Regra] = &[
    numero("vBC", "base_icms"),
    numero("vICMS", "icms"),
    numero("vICMSDeson", "icms_desonerado"),
    numero("vFCPUFDest", "fcp_uf_destino"),
    numero("vICMSUFDest", "icms_uf_destino"),
    numero("vICMSUFRemet", "icms_uf_remetente"),
    numero("vFCP", "fcp"),
    numero("vBCST", "base_icms_st"),
    numero("vST", "icms_st"),
    numero("vFCPST", "fcp_st"),
    numero("vFCPSTRet", "fcp_st_retido"),
    numero("qBCMono", "mono.quantidade"),
    numero("vICMSMono", "mono.valor"),
    numero("qBCMonoReten", "mono.quantidade_retencao"),
    numero("vICMSMonoReten", "mono.valor_retencao"),
    numero("qBCMonoRet", "mono.quantidade_retida"),
    numero("vICMSMonoRet", "mono.valor_retido"),
    numero("vProd", "produtos"),
    numero("vFrete", "frete"),
    numero("vSeg", "seguro"),
    numero("vDesc", "desconto"),
    numero("vII", "ii"),
    numero("vIPI", "ipi"),
    numero("vIPIDevol", "ipi_devolvido"),
    numero("vPIS", "pis"),
    numero("vCOFINS", "cofins"),
    numero("vOutro", "outras_despesas"),
    numero("vNF", "valor_total"),
    numero("vTotTrib", "valor_aproximado"),
];

const ISSQN_TOT: &[Regra] = &[
    numero("vServ", "valor"),
    numero("vBC", "base"),
    numero("vISS", "iss"),
    numero("vPIS", "pis"),
    numero("vCOFINS", "cofins"),
    texto("dCompet", "data_competencia"),
    numero("vDeducao", "deducao"),
    numero("vOutro", "outras_retencoes"),
    numero("vDescIncond", "desconto_incondicionado"),
    numero("vDescCond", "desconto_condicionado"),
    numero("vISSRet", "iss_retido"),
    texto("cRegTrib", "regime_especial"),
];

const IBS_CBS_TOT: &[Regra] = &[
    numero("vBCIBSCBS", "base_ibs_cbs"),
    dissolve(
        "gIBS",
        &[
            grupo(
                "gIBSUF",
                "ibs_uf",
                &[
                    numero("vDif", "valor_diferido"),
                    numero("vDevTrib", "valor_devolvido"),
                    numero("vIBSUF", "valor"),
                ],
            ),
            grupo(
                "gIBSMun",
                "ibs_mun",
                &[
                    numero("vDif", "valor_diferido"),
                    numero("vDevTrib", "valor_devolvido"),
                    numero("vIBSMun", "valor"),
                ],
            ),
            numero("vIBS", "ibs"),
            numero("vCredPres", "ibs_credito_presumido"),
            numero("vCredPresCondSus", "ibs_credito_presumido_suspenso"),
        ],
    ),
    dissolve(
        "gCBS",
        &[
            numero("vDif", "cbs_diferida"),
            numero("vDevTrib", "cbs_devolvida"),
            numero("vCBS", "cbs"),
            numero("vCredPres", "cbs_credito_presumido"),
            numero("vCredPresCondSus", "cbs_credito_presumido_suspenso"),
        ],
    ),
    grupo(
        "gMono",
        "ibs_cbs_mono",
        &[
            numero("vIBSMono", "ibs"),
            numero("vCBSMono", "cbs"),
            numero("vIBSMonoReten", "ibs_retencao"),
            numero("vCBSMonoReten", "cbs_retencao"),
            numero("vIBSMonoRet", "ibs_retido"),
            numero("vCBSMonoRet", "cbs_retida"),
        ],
    ),
    grupo(
        "gEstornoCred",
        "estorno_credito",
        &[numero("vIBSEstCred", "ibs"), numero("vCBSEstCred", "cbs")],
    ),
];
