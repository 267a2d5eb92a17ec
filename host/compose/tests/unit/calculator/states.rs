//! What the states charge: ICMS, substitution, DIFAL, funds.

use super::{TODAY, d, is, is_not_due, lacks, n, rules, sale, t, taxes};
use compose::calculator::{CalcularImpostosIn, MarginRow, Scope, Situation, calculate};
use compose::emitter::Regime;
use data::Validity;
use time::macros::date;

#[test]
fn a_sale_from_sp_to_rj() {
    let out = taxes(&sale("SP", "RJ"));
    assert_eq!(out.ambito, Scope::Interestadual);
    is(&out.icms, "1000", "12", "120.00");
    assert_eq!(rules(&out.icms), ["aliquota_interestadual", "icms"]);
    let step = &out.icms.trilha[0];
    assert_eq!(step.formula, "SP para RJ: 12.00%");
    let validity = step.vigencia.as_ref().expect("a validity");
    assert_eq!(validity.de.as_deref(), Some("1989-06-01"));
    is_not_due(&out.difal, "difal_destinatario_revende");
    is_not_due(&out.fcp, "fcp_do_destino");
    is(&out.ipi, "1000", "0", "0.00");
    // 1000.00 less 120.00.
    is(&out.pis, "880", "1.65", "14.52");
    is(&out.cofins, "880", "7.6", "66.88");
    // 880.00 less 14.52 and 66.88.
    is(&out.ibs_uf, "798.60", "0.1", "0.80");
    is(&out.ibs_mun, "798.60", "0", "0.00");
    is(&out.cbs, "798.60", "0.9", "7.19");
    is_not_due(&out.is, "is_antes_de_2027");
    lacks(&out.icms_st, &["mva_original", "mva_ajustada"]);
    assert_eq!(out.totais.sem_tabela, ["icms_st"]);
    assert_eq!(out.totais.valor_nota.0, d("1000.00"));
}

#[test]
fn a_sale_within_a_state_has_its_general_rate_and_fund() {
    let mut input = sale("RJ", "RJ");
    input.fcp = None;
    input.frete = n("50");
    input.desconto = n("100");
    input.reducao_bc = n("10");
    let out = taxes(&input);
    assert_eq!(out.ambito, Scope::Interna);
    is(&out.icms, "855.00", "20", "171.00");
    assert_eq!(
        rules(&out.icms),
        ["aliquota_interna_modal", "icms_base_reduzida", "icms"]
    );
    let table = &out.icms.trilha[0];
    assert!(table.fundamento.starts_with("Lei 10.253/2023"), "{table:?}");
    let validity = table.vigencia.as_ref().expect("a validity");
    assert_eq!(validity.de.as_deref(), Some("2024-03-20"));
    is(&out.fcp, "855.00", "2", "17.10");
    is_not_due(&out.difal, "difal_operacao_interna");
    assert_eq!(out.fcp.trilha[0].vigencia, None, "a row without days");
    // 950.00 - 171.00: the fund stays in.
    is(&out.pis, "779.00", "1.65", "12.85");
    assert!(out.avisos.iter().any(|text| text.contains("Cosit 61/2024")));
    assert!(out.avisos.iter().any(|text| text.contains("modal")));
    let of_june = |text: &String| text.contains("junho de 2026");
    assert!(!out.avisos.iter().any(of_june));
    input.data = t("2025-11-20");
    input.cclass_trib = None;
    assert!(taxes(&input).avisos.iter().any(of_june));
}

#[test]
fn a_consumer_in_ba_brings_the_difal() {
    let mut input = sale("SP", "BA");
    input.contribuinte = Some(false);
    input.fcp = n("2");
    input.aliquota_ipi = n("10");
    let out = taxes(&input);
    // The consumer's IPI is part of the bases of ICMS.
    is(&out.ipi, "1000", "10", "100.00");
    is(&out.icms, "1100.00", "7", "77.00");
    is(&out.difal, "1100.00", "13.50", "148.50");
    assert_eq!(
        rules(&out.difal),
        [
            "aliquota_interestadual",
            "aliquota_interna_modal",
            "difal_base_unica"
        ]
    );
    is(&out.fcp_difal, "1100.00", "2", "22.00");
    is_not_due(&out.icms_st, "st_sem_operacao_seguinte");
    // 1000.00 - 77.00 - 15.23 - 70.15 - 148.50 - 22.00.
    is(&out.cbs, "667.12", "0.9", "6.00");
    assert_eq!(out.totais.valor_nota.0, d("1100.00"));
    assert!(out.totais.sem_tabela.is_empty());

    input.fcp = None;
    let out = taxes(&input);
    lacks(&out.fcp_difal, &["fcp"]);
    is(&out.difal, "1100.00", "13.50", "148.50");
    lacks(&out.cbs, &["fcp"]);
    let disputed = |text: &String| text.contains("REsp 2.128.785");
    assert!(out.avisos.iter().any(disputed), "{:?}", out.avisos);
}

#[test]
fn a_purchase_for_use_has_a_base_of_the_destination() {
    let mut input = sale("SP", "PA");
    input.consumidor_final = Some(true);
    let out = taxes(&input);
    // (1000 - 70) / 0.81 = 1148.15; 19 % of it less 70.
    is(&out.difal, "1148.15", "19", "148.15");
    is_not_due(&out.fcp_difal, "fcp_nao_devido");
    is(&out.icms, "1000", "7", "70.00");
    // It is the recipient's own: the note's bases do not have it.
    is(&out.cbs, "843.97", "0.9", "7.60");
    assert!(
        out.avisos
            .iter()
            .any(|text| text.contains("devido pelo destinatário"))
    );
    assert!(
        out.avisos
            .iter()
            .any(|text| text.starts_with("DIFAL em PA"))
    );
}

#[test]
fn imported_goods_go_at_four_percent() {
    for (origin, rate) in [("1", "4"), ("3", "4"), ("8", "4"), ("5", "12"), ("6", "12")] {
        let mut input = sale("SP", "RJ");
        input.origem = t(origin);
        let out = taxes(&input);
        assert_eq!(out.icms.aliquota.expect("a rate").0, d(rate), "{origin}");
    }
    let mut input = sale("SP", "RJ");
    input.aliquota_interestadual = n("4");
    let out = taxes(&input);
    is(&out.icms, "1000", "4", "40.00");
    assert_eq!(
        out.icms.trilha[0].fundamento,
        "Campo aliquota_interestadual do pedido"
    );
}

#[test]
fn substitution_with_the_margin_of_the_request() {
    let mut input = sale("SP", "BA");
    input.valor = n("1500");
    input.aliquota_ipi = n("5");
    input.mva_original = n("45");
    input.aliquota_icms = n("20");
    input.fcp = n("2");
    let out = taxes(&input);
    // The example of the worked table with FCP.
    is(&out.icms, "1500", "7", "105.00");
    is(&out.icms_st, "2654.82", "20", "425.96");
    is(&out.fcp_st, "2654.82", "2", "53.10");
    assert_eq!(
        rules(&out.icms_st),
        [
            "aliquota_interestadual",
            "informado_no_pedido",
            "informado_no_pedido",
            "mva_ajustada",
            "st_base_mva",
            "icms_st",
        ]
    );
    assert_eq!(out.totais.valor_nota.0, d("2054.06"));

    input.mva_ajustada = n("50");
    let out = taxes(&input);
    // 1575.00 x 1.5, less 105.00.
    is(&out.icms_st, "2362.50", "20", "367.50");
}

#[test]
fn substitution_within_a_state_takes_the_margin_as_it_is() {
    let mut input = sale("SP", "SP");
    input.mva_original = n("40");
    let out = taxes(&input);
    is(&out.icms_st, "1400.00", "18", "72.00");
    is_not_due(&out.fcp_st, "fcp_nao_devido");
}

#[test]
fn substitution_by_a_row_of_the_table() {
    let input = sale("SP", "RJ");
    let mut row = MarginRow {
        agreement: "Protocolo ICMS 32/2014".to_owned(),
        original: Some(d("40")),
        at_12: Some(d("55.56")),
        fcp: Some(d("2")),
        validity: Validity {
            start: Some(date!(2025 - 01 - 01)),
            end: None,
        },
        ..MarginRow::default()
    };
    let with = |row: &MarginRow, input| calculate(input, TODAY, Some(row)).expect("taxes");
    let out = with(&row, &input);
    // 1555.60 x 20 %, less 120.00.
    is(&out.icms_st, "1555.60", "20", "191.12");
    is(&out.fcp_st, "1555.60", "2", "31.11");
    let step = &out.icms_st.trilha[2];
    assert_eq!(
        (step.regra, &*step.fundamento),
        ("mva_da_tabela", "Protocolo ICMS 32/2014")
    );
    let validity = step.vigencia.as_ref().expect("a validity");
    assert_eq!(validity.de.as_deref(), Some("2025-01-01"));

    // Without a printed margin it is worked out: 1.4 x 0.88 / 0.80.
    row.at_12 = None;
    is(&with(&row, &input).icms_st, "1540.00", "20", "188.00");
    row.list_price = Some(d("150"));
    let mut ten = input.clone();
    ten.quantidade = n("10");
    is(&with(&row, &ten).icms_st, "1500.00", "20", "180.00");
}

#[test]
fn without_a_row_nobody_guesses_a_margin() {
    let mut input = sale("SP", "BA");
    input.fcp = None;
    let out = taxes(&input);
    lacks(&out.icms_st, &["mva_original", "mva_ajustada"]);
    lacks(&out.fcp_st, &["mva_original", "mva_ajustada"]);
    let reason = out.icms_st.motivo.as_deref().expect("a reason");
    assert!(reason.contains("BA"), "{reason}");
}

#[test]
fn a_simples_emitter_pays_in_its_guide_except_for_substitution() {
    let mut input = sale("SP", "BA");
    input.regime = Some(Regime::SimplesNacional);
    input.mva_original = n("40");
    let out = taxes(&input);
    is_not_due(&out.icms, "icms_no_das");
    is_not_due(&out.ipi, "ipi_no_das");
    is_not_due(&out.pis, "pis_cofins_no_das");
    is_not_due(&out.cofins, "pis_cofins_no_das");
    is_not_due(&out.cbs, "ibs_cbs_no_das");
    // The original margin, less what the ICMS would be: 1400 x 20.5 % - 70.
    is(&out.icms_st, "1400.00", "20.5", "217.00");
    assert!(rules(&out.icms_st).contains(&"mva_original"));

    input.contribuinte = Some(false);
    let out = taxes(&input);
    is_not_due(&out.difal, "difal_simples");
    input.contribuinte = Some(true);
    input.consumidor_final = Some(true);
    let out = taxes(&input);
    assert_eq!(out.difal.situacao, Situation::Calculado, "the recipient's");
    input.regime = Some(Regime::SimplesExcesso);
    let out = taxes(&input);
    is(&out.icms, "1000", "7", "70.00");
    is_not_due(&out.pis, "pis_cofins_no_das");
}

#[test]
fn a_classification_that_is_not_of_goods_is_told() {
    let mut input = sale("SP", "SP");
    let told = |input: &CalcularImpostosIn| {
        let notices = taxes(input).avisos;
        notices
            .iter()
            .any(|text| text.contains("não é de mercadorias"))
    };
    assert!(!told(&input));
    input.cclass_trib = Some("200052".to_owned());
    assert!(told(&input));
}
