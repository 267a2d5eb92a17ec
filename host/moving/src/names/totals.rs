//! Sums of a note. The hub adds up the items itself: a sum that is given must be
//! what the items say.

use super::row::{Row, sum};

pub(super) const TOTALS: &[Row] = &[
    sum("icms_base_calculo"),
    sum("icms_valor_total"),
    sum("icms_valor_total_desonerado"),
    sum("fcp_valor_total_uf_destino"),
    sum("icms_valor_total_uf_destino"),
    sum("icms_valor_total_uf_remetente"),
    sum("fcp_valor_total"),
    sum("icms_base_calculo_st"),
    sum("icms_valor_total_st"),
    sum("fcp_valor_total_st"),
    sum("fcp_valor_total_retido_st"),
    sum("icms_base_calculo_mono"),
    sum("icms_valor_mono"),
    sum("icms_base_calculo_mono_retencao"),
    sum("icms_valor_mono_retencao"),
    sum("icms_base_calculo_mono_retido"),
    sum("icms_valor_mono_retido"),
    sum("valor_produtos"),
    sum("valor_frete"),
    sum("valor_seguro"),
    sum("valor_desconto"),
    sum("valor_total_ii"),
    sum("valor_ipi"),
    sum("valor_ipi_devolvido"),
    sum("valor_pis"),
    sum("valor_cofins"),
    sum("valor_outras_despesas"),
    // Held against the total that the hub comes to.
    sum("valor_total"),
    sum("valor_total_tributos"),
    sum("valor_total_servicos"),
    sum("issqn_base_calculo"),
    sum("issqn_valor_total"),
    sum("valor_pis_servicos"),
    sum("valor_cofins_servicos"),
    sum("issqn_valor_total_deducao"),
    sum("issqn_valor_total_outras_retencoes"),
    sum("issqn_valor_total_desconto_incondicionado"),
    sum("issqn_valor_total_desconto_condicionado"),
    sum("issqn_valor_total_retencao"),
    sum("is_valor_total"),
    sum("ibs_cbs_base_calculo"),
    sum("ibs_uf_valor_total_diferimento"),
    sum("ibs_uf_valor_total_devolucao"),
    sum("ibs_uf_valor_total"),
    sum("ibs_mun_valor_total_diferimento"),
    sum("ibs_mun_valor_total_devolucao"),
    sum("ibs_mun_valor_total"),
    sum("ibs_valor_total"),
    sum("ibs_valor_total_credito_presumido"),
    sum("cbs_valor_total_diferimento"),
    sum("cbs_valor_total_devolucao"),
    sum("cbs_valor_total"),
    sum("cbs_valor_total_credito_presumido"),
    sum("ibs_valor_total_monofasico"),
    sum("cbs_valor_total_monofasico"),
    sum("ibs_valor_total_monofasico_retencao"),
    sum("cbs_valor_total_monofasico_retencao"),
    sum("ibs_valor_total_monofasico_retido"),
    sum("cbs_valor_total_monofasico_retido"),
    sum("ibs_valor_total_credito_estornado"),
    sum("cbs_valor_total_credito_estornado"),
];

/// Which items a sum counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    All,
    /// Goods that are part of the total.
    Goods,
    /// Goods, in the total or not.
    NoServices,
    /// Services that are part of the total.
    Services,
    /// Those whose ICMS is neither exempt nor suspended (CST 40, 41, 50).
    Taxed,
}

/// A sum, the member of the items it adds up, and where a body of ours takes it
/// when no item has it.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    pub total: &'static str,
    pub part: &'static str,
    pub counted: Counted,
    /// Our member that is divided among the items.
    pub divided: Option<&'static str>,
}

const fn of(total: &'static str, part: &'static str) -> Sum {
    Sum {
        total,
        part,
        counted: Counted::All,
        divided: None,
    }
}

const fn counted(counted: Counted, total: &'static str, part: &'static str) -> Sum {
    Sum {
        counted,
        ..of(total, part)
    }
}

const fn divided(total: &'static str, ours: &'static str) -> Sum {
    Sum {
        divided: Some(ours),
        ..of(total, total)
    }
}

/// Every sum but `valor_total`, which several of these make.
pub const SUMS: &[Sum] = &[
    of("icms_base_calculo", "icms_base_calculo"),
    counted(Counted::Taxed, "icms_valor_total", "icms_valor"),
    of("icms_valor_total_desonerado", "icms_valor_desonerado"),
    of("fcp_valor_total_uf_destino", "fcp_valor_uf_destino"),
    of("icms_valor_total_uf_destino", "icms_valor_uf_destino"),
    of("icms_valor_total_uf_remetente", "icms_valor_uf_remetente"),
    of("fcp_valor_total", "fcp_valor"),
    of("icms_base_calculo_st", "icms_base_calculo_st"),
    of("icms_valor_total_st", "icms_valor_st"),
    of("fcp_valor_total_st", "fcp_valor_st"),
    of("fcp_valor_total_retido_st", "fcp_valor_retido_st"),
    of("icms_base_calculo_mono", "icms_base_calculo_mono"),
    of("icms_valor_mono", "icms_valor_mono"),
    of(
        "icms_base_calculo_mono_retencao",
        "icms_base_calculo_mono_retencao",
    ),
    of("icms_valor_mono_retencao", "icms_valor_mono_retencao"),
    of(
        "icms_base_calculo_mono_retido",
        "icms_base_calculo_mono_retido",
    ),
    of("icms_valor_mono_retido", "icms_valor_mono_retido"),
    counted(Counted::Goods, "valor_produtos", "valor_bruto"),
    divided("valor_frete", "frete"),
    divided("valor_seguro", "seguro"),
    divided("valor_desconto", "desconto"),
    divided("valor_outras_despesas", "outras_despesas"),
    of("valor_total_ii", "ii_valor"),
    of("valor_ipi", "ipi_valor"),
    of("valor_ipi_devolvido", "valor_ipi_devolvido"),
    counted(Counted::NoServices, "valor_pis", "pis_valor"),
    counted(Counted::NoServices, "valor_cofins", "cofins_valor"),
    of("valor_total_tributos", "valor_total_tributos"),
    counted(Counted::Services, "valor_total_servicos", "valor_bruto"),
    of("issqn_base_calculo", "issqn_base_calculo"),
    of("issqn_valor_total", "issqn_valor"),
    counted(Counted::Services, "valor_pis_servicos", "pis_valor"),
    counted(Counted::Services, "valor_cofins_servicos", "cofins_valor"),
    of("issqn_valor_total_deducao", "issqn_valor_deducao"),
    of(
        "issqn_valor_total_outras_retencoes",
        "issqn_valor_outras_retencoes",
    ),
    of(
        "issqn_valor_total_desconto_incondicionado",
        "issqn_valor_desconto_incondicionado",
    ),
    of(
        "issqn_valor_total_desconto_condicionado",
        "issqn_valor_desconto_condicionado",
    ),
    of("issqn_valor_total_retencao", "issqn_valor_retencao"),
    of("is_valor_total", "is_valor"),
    of("ibs_cbs_base_calculo", "ibs_cbs_base_calculo"),
    of("ibs_uf_valor_total_diferimento", "ibs_uf_valor_diferido"),
    of(
        "ibs_uf_valor_total_devolucao",
        "ibs_uf_valor_tributo_devolvido",
    ),
    of("ibs_uf_valor_total", "ibs_uf_valor"),
    of("ibs_mun_valor_total_diferimento", "ibs_mun_valor_diferido"),
    of(
        "ibs_mun_valor_total_devolucao",
        "ibs_mun_valor_tributo_devolvido",
    ),
    of("ibs_mun_valor_total", "ibs_mun_valor"),
    of("ibs_valor_total", "ibs_valor_total"),
    of(
        "ibs_valor_total_credito_presumido",
        "ibs_valor_credito_presumido",
    ),
    of("cbs_valor_total_diferimento", "cbs_valor_diferido"),
    of("cbs_valor_total_devolucao", "cbs_valor_tributo_devolvido"),
    of("cbs_valor_total", "cbs_valor"),
    of(
        "cbs_valor_total_credito_presumido",
        "cbs_valor_credito_presumido",
    ),
    of("ibs_valor_total_monofasico", "mono_ibs_valor"),
    of("cbs_valor_total_monofasico", "mono_cbs_valor"),
    of(
        "ibs_valor_total_monofasico_retencao",
        "mono_ibs_valor_retencao",
    ),
    of(
        "cbs_valor_total_monofasico_retencao",
        "mono_cbs_valor_retencao",
    ),
    of(
        "ibs_valor_total_monofasico_retido",
        "mono_ibs_valor_retido_anteriormente",
    ),
    of(
        "cbs_valor_total_monofasico_retido",
        "mono_cbs_valor_retido_anteriormente",
    ),
    of(
        "ibs_valor_total_credito_estornado",
        "ibs_valor_estorno_credito",
    ),
    of(
        "cbs_valor_total_credito_estornado",
        "cbs_valor_estorno_credito",
    ),
];
