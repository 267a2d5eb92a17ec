//! Taxes of an item, those of the reform apart.

use super::row::{Row, apart, code, digits, flag, flag_of, number, only, text};

/// The situation decides between `cst`, `csosn` and `grupo`
/// (`orders::product`).
pub(super) const ICMS: &[Row] = &[
    code("icms_origem", "origem"),
    apart("icms_situacao_tributaria", "impostos.icms.cst"),
    apart("icms_situacao_tributaria", "impostos.icms.csosn"),
    apart("icms_situacao_tributaria", "impostos.icms.grupo"),
    code(
        "icms_modalidade_base_calculo",
        "impostos.icms.modalidade_bc",
    ),
    number("icms_base_calculo", "impostos.icms.base"),
    number("icms_reducao_base_calculo", "impostos.icms.reducao"),
    text(
        "icms_codigo_beneficio_fiscal_reducao_base_calculo",
        "impostos.icms.cbenef_reducao",
    ),
    // Of fuel taxed once, the two have another place.
    apart("icms_aliquota", "impostos.icms.aliquota"),
    apart("icms_aliquota", "impostos.icms.mono.aliquota"),
    apart(
        "icms_percentual_diferimento",
        "impostos.icms.diferimento.percentual",
    ),
    apart(
        "icms_percentual_diferimento",
        "impostos.icms.mono.diferimento",
    ),
    number("icms_valor", "impostos.icms.valor"),
    number(
        "icms_valor_operacao",
        "impostos.icms.diferimento.valor_operacao",
    ),
    number("icms_valor_diferido", "impostos.icms.diferimento.valor"),
    number(
        "icms_fcp_percentual_diferimento",
        "impostos.icms.diferimento.percentual_fcp",
    ),
    number("icms_valor_desonerado", "impostos.icms.desonerado.valor"),
    code("icms_motivo_desoneracao", "impostos.icms.desonerado.motivo"),
    flag("icms_deducao_desoneracao", "impostos.icms.desonerado.deduz"),
    number("fcp_percentual", "impostos.icms.fcp.aliquota"),
    number("fcp_base_calculo", "impostos.icms.fcp.base"),
    number("fcp_valor", "impostos.icms.fcp.valor"),
    number(
        "icms_aliquota_credito_simples",
        "impostos.icms.credito_sn.aliquota",
    ),
    number(
        "icms_valor_credito_simples",
        "impostos.icms.credito_sn.valor",
    ),
];

/// What is taxed for those who sell after, and what was before.
pub(super) const ICMS_ST: &[Row] = &[
    code(
        "icms_modalidade_base_calculo_st",
        "impostos.icms.st.modalidade_bc",
    ),
    number("icms_margem_valor_adicionado_st", "impostos.icms.st.mva"),
    number("icms_reducao_base_calculo_st", "impostos.icms.st.reducao"),
    number("icms_base_calculo_st", "impostos.icms.st.base"),
    number("icms_aliquota_st", "impostos.icms.st.aliquota"),
    number("icms_valor_st", "impostos.icms.st.valor"),
    number(
        "icms_valor_icms_st_desonerado",
        "impostos.icms.st.desonerado.valor",
    ),
    code(
        "icms_motivo_desoneracao_icms_st",
        "impostos.icms.st.desonerado.motivo",
    ),
    number("fcp_percentual_st", "impostos.icms.fcp_st.aliquota"),
    number("fcp_base_calculo_st", "impostos.icms.fcp_st.base"),
    number("fcp_valor_st", "impostos.icms.fcp_st.valor"),
    number(
        "icms_base_calculo_operacao_propria",
        "impostos.icms.percentual_base_operacao",
    ),
    text("icms_uf_st", "impostos.icms.uf_st"),
    number("icms_base_calculo_retido_st", "impostos.icms.retido.base"),
    number("icms_aliquota_final", "impostos.icms.retido.aliquota"),
    number(
        "icms_valor_substituto",
        "impostos.icms.retido.valor_substituto",
    ),
    number("icms_valor_retido_st", "impostos.icms.retido.valor"),
    number(
        "icms_base_calculo_retido_remetente",
        "impostos.icms.retido.base",
    ),
    number("icms_valor_retido_remetente", "impostos.icms.retido.valor"),
    number(
        "fcp_percentual_retido_st",
        "impostos.icms.retido.fcp.aliquota",
    ),
    number(
        "fcp_base_calculo_retido_st",
        "impostos.icms.retido.fcp.base",
    ),
    number("fcp_valor_retido_st", "impostos.icms.retido.fcp.valor"),
    number("icms_base_calculo_destino", "impostos.icms.st_destino.base"),
    number("icms_valor_destino", "impostos.icms.st_destino.valor"),
    number(
        "icms_reducao_base_calculo_efetiva",
        "impostos.icms.efetivo.reducao",
    ),
    number("icms_base_calculo_efetiva", "impostos.icms.efetivo.base"),
    number("icms_aliquota_efetiva", "impostos.icms.efetivo.aliquota"),
    number("icms_valor_efetivo", "impostos.icms.efetivo.valor"),
];

/// Fuel that is taxed once, by the unit.
pub(super) const ICMS_MONO: &[Row] = &[
    number("icms_base_calculo_mono", "impostos.icms.mono.quantidade"),
    number("icms_valor_mono", "impostos.icms.mono.valor"),
    number(
        "icms_base_calculo_mono_retencao",
        "impostos.icms.mono.quantidade_retencao",
    ),
    number(
        "icms_aliquota_retencao",
        "impostos.icms.mono.aliquota_retencao",
    ),
    number(
        "icms_valor_mono_retencao",
        "impostos.icms.mono.valor_retencao",
    ),
    number("icms_percentual_reducao", "impostos.icms.mono.reducao"),
    code("icms_motivo_reducao", "impostos.icms.mono.motivo_reducao"),
    number(
        "icms_valor_mono_operacao",
        "impostos.icms.mono.valor_operacao",
    ),
    number(
        "icms_valor_mono_diferido",
        "impostos.icms.mono.valor_diferido",
    ),
    number(
        "icms_base_calculo_mono_retido",
        "impostos.icms.mono.quantidade",
    ),
    number("icms_aliquota_retido", "impostos.icms.mono.aliquota"),
    number("icms_valor_mono_retido", "impostos.icms.mono.valor"),
];

/// The share of the consumer's state.
pub(super) const DIFAL: &[Row] = &[
    number("icms_base_calculo_uf_destino", "impostos.icms.difal.base"),
    number(
        "fcp_base_calculo_uf_destino",
        "impostos.icms.difal.base_fcp",
    ),
    number(
        "fcp_percentual_uf_destino",
        "impostos.icms.difal.aliquota_fcp",
    ),
    number(
        "icms_aliquota_interna_uf_destino",
        "impostos.icms.difal.aliquota_interna",
    ),
    number(
        "icms_aliquota_interestadual",
        "impostos.icms.difal.aliquota_interestadual",
    ),
    // Since 2019 all of it is the destination's (Convênio ICMS 93/2015, cláusula
    // décima).
    only("icms_percentual_partilha", "100"),
    number("fcp_valor_uf_destino", "impostos.icms.difal.valor_fcp"),
    number("icms_valor_uf_destino", "impostos.icms.difal.valor"),
    only("icms_valor_uf_remetente", "0"),
];

pub(super) const IPI: &[Row] = &[
    digits(2, "ipi_situacao_tributaria", "impostos.ipi.cst"),
    number("ipi_base_calculo", "impostos.ipi.base"),
    number("ipi_aliquota", "impostos.ipi.aliquota"),
    number("ipi_quantidade_total", "impostos.ipi.quantidade"),
    number(
        "ipi_valor_por_unidade_tributavel",
        "impostos.ipi.valor_unidade",
    ),
    number("ipi_valor", "impostos.ipi.valor"),
    digits(14, "ipi_cnpj_produtor", "impostos.ipi.cnpj_produtor"),
    text("ipi_codigo_selo_controle", "impostos.ipi.selo"),
    number(
        "ipi_quantidade_selo_controle",
        "impostos.ipi.quantidade_selo",
    ),
    digits(
        3,
        "ipi_codigo_enquadramento_legal",
        "impostos.ipi.enquadramento",
    ),
];

pub(super) const IMPORT: &[Row] = &[
    number("ii_base_calculo", "impostos.ii.base"),
    number("ii_despesas_aduaneiras", "impostos.ii.despesas_aduaneiras"),
    number("ii_valor", "impostos.ii.valor"),
    number("ii_valor_iof", "impostos.ii.iof"),
];

pub(super) const ISSQN: &[Row] = &[
    number("issqn_base_calculo", "impostos.issqn.base"),
    number("issqn_aliquota", "impostos.issqn.aliquota"),
    number("issqn_valor", "impostos.issqn.valor"),
    digits(7, "issqn_codigo_municipio", "impostos.issqn.municipio"),
    text(
        "issqn_item_lista_servico",
        "impostos.issqn.item_lista_servico",
    ),
    number("issqn_valor_deducao", "impostos.issqn.deducao"),
    number(
        "issqn_valor_outras_retencoes",
        "impostos.issqn.outras_retencoes",
    ),
    number(
        "issqn_valor_desconto_incondicionado",
        "impostos.issqn.desconto_incondicionado",
    ),
    number(
        "issqn_valor_desconto_condicionado",
        "impostos.issqn.desconto_condicionado",
    ),
    number("issqn_valor_retencao", "impostos.issqn.iss_retido"),
    code(
        "issqn_indicador_exigibilidade",
        "impostos.issqn.exigibilidade",
    ),
    text("issqn_codigo_servico", "impostos.issqn.codigo_servico"),
    digits(
        7,
        "issqn_codigo_municipio_incidencia",
        "impostos.issqn.municipio_incidencia",
    ),
    digits(4, "issqn_codigo_pais", "impostos.issqn.codigo_pais"),
    text("issqn_numero_processo", "impostos.issqn.numero_processo"),
    flag_of(
        ("1", "2"),
        "issqn_indicador_incentivo",
        "impostos.issqn.incentivo",
    ),
];

/// PIS or COFINS, and either of those that were taxed for others.
macro_rules! contribution {
    ($tax:literal) => {
        &[
            digits(
                2,
                concat!($tax, "_situacao_tributaria"),
                concat!("impostos.", $tax, ".cst"),
            ),
            number(
                concat!($tax, "_base_calculo"),
                concat!("impostos.", $tax, ".base"),
            ),
            number(
                concat!($tax, "_aliquota_porcentual"),
                concat!("impostos.", $tax, ".aliquota"),
            ),
            number(
                concat!($tax, "_quantidade_vendida"),
                concat!("impostos.", $tax, ".quantidade"),
            ),
            number(
                concat!($tax, "_aliquota_valor"),
                concat!("impostos.", $tax, ".aliquota_unidade"),
            ),
            number(
                concat!($tax, "_valor"),
                concat!("impostos.", $tax, ".valor"),
            ),
            number(
                concat!($tax, "_base_calculo_st"),
                concat!("impostos.", $tax, "_st.base"),
            ),
            number(
                concat!($tax, "_aliquota_porcentual_st"),
                concat!("impostos.", $tax, "_st.aliquota"),
            ),
            number(
                concat!($tax, "_quantidade_vendida_st"),
                concat!("impostos.", $tax, "_st.quantidade"),
            ),
            number(
                concat!($tax, "_aliquota_valor_st"),
                concat!("impostos.", $tax, "_st.aliquota_unidade"),
            ),
            number(
                concat!($tax, "_valor_st"),
                concat!("impostos.", $tax, "_st.valor"),
            ),
            flag(
                concat!("inclui_", $tax, "_st_no_total"),
                concat!("impostos.", $tax, "_st.compoe_total"),
            ),
        ]
    };
}

pub(super) const PIS: &[Row] = contribution!("pis");

pub(super) const COFINS: &[Row] = contribution!("cofins");
