//! `total`: what the note sums up, withholdings, services.

use crate::fields::field::{Field, dissolve, group, number, text};

pub(super) const TOTAL: &[Field] = &[
    group("ICMSTot", "totais", ICMS_TOT).note(),
    dissolve("ISSQNtot", ISSQN_TOT).told_at("servicos"),
    group(
        "retTrib",
        "retencoes",
        &[
            number("vRetPIS", "pis"),
            number("vRetCOFINS", "cofins"),
            number("vRetCSLL", "csll"),
            number("vBCIRRF", "base_irrf"),
            number("vIRRF", "irrf"),
            number("vBCRetPrev", "base_previdencia"),
            number("vRetPrev", "previdencia"),
        ],
    ),
    group("ISTot", "totais", &[number("vIS", "is")]).note(),
    group("IBSCBSTot", "totais", IBS_CBS_TOT).note(),
    number("vNFTot", "totais.valor_total_com_tributos").note(),
];

const ICMS_TOT: &[Field] = &[
    number("vBC", "base_icms"),
    number("vICMS", "icms"),
    number("vICMSDeson", "icms_desonerado"),
    number("vFCPUFDest", "fcp_uf_destino"),
    number("vICMSUFDest", "icms_uf_destino"),
    number("vICMSUFRemet", "icms_uf_remetente"),
    number("vFCP", "fcp"),
    number("vBCST", "base_icms_st"),
    number("vST", "icms_st"),
    number("vFCPST", "fcp_st"),
    number("vFCPSTRet", "fcp_st_retido"),
    number("qBCMono", "mono.quantidade"),
    number("vICMSMono", "mono.valor"),
    number("qBCMonoReten", "mono.quantidade_retencao"),
    number("vICMSMonoReten", "mono.valor_retencao"),
    number("qBCMonoRet", "mono.quantidade_retida"),
    number("vICMSMonoRet", "mono.valor_retido"),
    number("vProd", "produtos"),
    number("vFrete", "frete"),
    number("vSeg", "seguro"),
    number("vDesc", "desconto"),
    number("vII", "ii"),
    number("vIPI", "ipi"),
    number("vIPIDevol", "ipi_devolvido"),
    number("vPIS", "pis"),
    number("vCOFINS", "cofins"),
    number("vOutro", "outras_despesas"),
    number("vNF", "valor_total"),
    number("vTotTrib", "valor_aproximado"),
];

/// Sums beside the other totals, and what a request says of services.
const ISSQN_TOT: &[Field] = &[
    number("vServ", "totais.servicos.valor").note(),
    number("vBC", "totais.servicos.base").note(),
    number("vISS", "totais.servicos.iss").note(),
    number("vPIS", "totais.servicos.pis").note(),
    number("vCOFINS", "totais.servicos.cofins").note(),
    text("dCompet", "servicos.data_competencia"),
    number("vDeducao", "totais.servicos.deducao").note(),
    number("vOutro", "totais.servicos.outras_retencoes").note(),
    number("vDescIncond", "totais.servicos.desconto_incondicionado").note(),
    number("vDescCond", "totais.servicos.desconto_condicionado").note(),
    number("vISSRet", "totais.servicos.iss_retido").note(),
    text("cRegTrib", "servicos.regime_especial"),
];

const IBS_CBS_TOT: &[Field] = &[
    number("vBCIBSCBS", "base_ibs_cbs"),
    dissolve(
        "gIBS",
        &[
            group(
                "gIBSUF",
                "ibs_uf",
                &[
                    number("vDif", "valor_diferido"),
                    number("vDevTrib", "valor_devolvido"),
                    number("vIBSUF", "valor"),
                ],
            ),
            group(
                "gIBSMun",
                "ibs_mun",
                &[
                    number("vDif", "valor_diferido"),
                    number("vDevTrib", "valor_devolvido"),
                    number("vIBSMun", "valor"),
                ],
            ),
            number("vIBS", "ibs"),
            number("vCredPres", "ibs_credito_presumido"),
            number("vCredPresCondSus", "ibs_credito_presumido_suspenso"),
        ],
    ),
    dissolve(
        "gCBS",
        &[
            number("vDif", "cbs_diferida"),
            number("vDevTrib", "cbs_devolvida"),
            number("vCBS", "cbs"),
            number("vCredPres", "cbs_credito_presumido"),
            number("vCredPresCondSus", "cbs_credito_presumido_suspenso"),
        ],
    ),
    group(
        "gMono",
        "ibs_cbs_mono",
        &[
            number("vIBSMono", "ibs"),
            number("vCBSMono", "cbs"),
            number("vIBSMonoReten", "ibs_retencao"),
            number("vCBSMonoReten", "cbs_retencao"),
            number("vIBSMonoRet", "ibs_retido"),
            number("vCBSMonoRet", "cbs_retida"),
        ],
    ),
    group(
        "gEstornoCred",
        "estorno_credito",
        &[number("vIBSEstCred", "ibs"), number("vCBSEstCred", "cbs")],
    ),
];
