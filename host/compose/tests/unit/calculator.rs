//! The taxes of a sale: what is charged, what is not, what no table has.

mod given;
mod refusals;
mod states;

use compose::calculator::{
    CalcularImpostosIn, CalcularImpostosOut, ContributionRegime, Situation, TaxOut, calculate,
};
use compose::emitter::Regime;
use fiscal::nfe::order::Number;
use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

const TODAY: Date = date!(2026 - 11 - 20);

fn d(text: &str) -> Decimal {
    text.parse().expect(text)
}

fn n(text: &str) -> Option<Number> {
    Some(Number::new(d(text)).expect(text))
}

fn t(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// A thousand reais of chairs, sold by a company of the regular regime to one
/// that sells them again.
fn sale(of: &str, to: &str) -> CalcularImpostosIn {
    CalcularImpostosIn {
        ncm: t("94017900"),
        uf_origem: t(of),
        uf_destino: t(to),
        valor: n("1000.00"),
        regime: Some(Regime::Normal),
        contribuinte: Some(true),
        regime_pis_cofins: Some(ContributionRegime::NaoCumulativo),
        aliquota_ipi: n("0"),
        fcp: n("0"),
        cclass_trib: t("000001"),
        ..CalcularImpostosIn::default()
    }
}

fn taxes(input: &CalcularImpostosIn) -> CalcularImpostosOut {
    calculate(input, TODAY, None).expect("taxes")
}

/// Base, rate and amount.
fn is(tax: &TaxOut, base: &str, rate: &str, value: &str) {
    assert_eq!(tax.situacao, Situation::Calculado, "{tax:?}");
    let numbers = (
        tax.base.expect("a base").0,
        tax.aliquota.expect("a rate").0,
        tax.valor.expect("an amount").0,
    );
    assert_eq!(numbers, (d(base), d(rate), d(value)), "{tax:?}");
    for step in &tax.trilha {
        assert!(!step.fundamento.is_empty(), "{step:?}");
    }
}

fn is_not_due(tax: &TaxOut, rule: &str) {
    assert_eq!(tax.situacao, Situation::NaoSeAplica, "{tax:?}");
    assert_eq!(tax.valor, None);
    assert!(tax.motivo.is_some());
    let rules: Vec<&str> = tax.trilha.iter().map(|step| step.regra).collect();
    assert_eq!(rules, [rule]);
}

fn lacks(tax: &TaxOut, fields: &[&str]) {
    assert_eq!(tax.situacao, Situation::SemTabela, "{tax:?}");
    assert_eq!(tax.faltam, fields, "{tax:?}");
    assert!(tax.motivo.is_some() && tax.valor.is_none());
}

fn rules(tax: &TaxOut) -> Vec<&'static str> {
    tax.trilha.iter().map(|step| step.regra).collect()
}

#[test]
fn a_classification_reduces_the_rates() {
    let mut input = sale("SP", "SP");
    input.cclass_trib = t("200034");
    let out = taxes(&input);
    // 1000.00 - 180.00 - 13.53 - 62.32.
    is(&out.ibs_uf, "744.15", "0.04", "0.30");
    is(&out.cbs, "744.15", "0.36", "2.68");
    assert_eq!(
        rules(&out.cbs),
        [
            "cclass_trib",
            "ibs_cbs_base",
            "cbs_aliquota",
            "cbs_aliquota_efetiva",
            "cbs"
        ]
    );
    let class = &out.cbs.trilha[0];
    assert!(class.formula.contains("60.00%"), "{class:?}");
    assert!(class.vigencia.is_some());

    for (code, situation) in [
        ("410001", Situation::NaoSeAplica),
        ("550001", Situation::Calculado),
        ("620001", Situation::SemTabela),
        ("510001", Situation::SemTabela),
    ] {
        input.cclass_trib = t(code);
        assert_eq!(taxes(&input).cbs.situacao, situation, "{code}");
    }
    input.cclass_trib = t("550001");
    is(&taxes(&input).cbs, "744.15", "0", "0.00");
}

#[test]
fn what_the_request_leaves_out_is_told() {
    let input = CalcularImpostosIn {
        ncm: t("10063021"),
        uf_origem: t("sp"),
        uf_destino: t("SP"),
        quantidade: n("10"),
        valor_unitario: n("12.345"),
        regime: Some(Regime::Normal),
        contribuinte: Some(false),
        ..CalcularImpostosIn::default()
    };
    let out = taxes(&input);
    is(&out.icms, "123.45", "18", "22.22");
    lacks(&out.fcp, &["fcp"]);
    lacks(&out.ipi, &["aliquota_ipi"]);
    lacks(&out.pis, &["regime_pis_cofins"]);
    lacks(&out.cbs, &["cclass_trib"]);
    let reason = out.cbs.motivo.as_deref().expect("a reason");
    assert!(reason.contains("I (200003)"), "{reason}");
    let notice = out
        .avisos
        .iter()
        .find(|text| text.starts_with("Sem tabela"));
    assert!(
        notice.is_some_and(|text| text.ends_with("tributos: ipi.")),
        "{notice:?}"
    );
}

#[test]
fn goods_taxed_at_the_producer_have_no_general_rate() {
    let mut input = sale("SP", "SP");
    input.ncm = t("40111000");
    let out = taxes(&input);
    lacks(&out.pis, &["aliquota_pis"]);
    lacks(&out.cofins, &["aliquota_cofins"]);
    lacks(&out.cbs, &["aliquota_pis"]);
    input.aliquota_pis = n("0");
    input.aliquota_cofins = n("0");
    let out = taxes(&input);
    is(&out.pis, "820.00", "0", "0.00");
    is(&out.cbs, "820.00", "0.9", "7.38");
}

#[test]
fn fuel_has_no_rate_of_icms_here() {
    let mut input = sale("SP", "SP");
    input.ncm = t("27101259");
    input.cfop = t("5656");
    let out = taxes(&input);
    lacks(&out.icms, &["aliquota_icms"]);
    lacks(&out.pis, &["aliquota_icms"]);
    lacks(&out.ibs_uf, &["aliquota_icms"]);

    // Nor of the DIFAL, until the rate comes.
    let mut input = sale("SP", "RJ");
    input.cfop = t("6667");
    input.contribuinte = Some(false);
    let out = taxes(&input);
    lacks(&out.difal, &["aliquota_icms"]);
    lacks(&out.fcp_difal, &["aliquota_icms"]);
    input.aliquota_icms = n("20");
    let out = taxes(&input);
    is(&out.icms, "1000", "12", "120.00");
    is(&out.difal, "1000", "8", "80.00");
}

#[test]
fn icms_that_was_withheld_before_is_not_due_again() {
    let mut input = sale("SP", "SP");
    input.cfop = t("5405");
    input.mva_original = n("40");
    let out = taxes(&input);
    for tax in [&out.icms, &out.fcp, &out.icms_st, &out.fcp_st] {
        is_not_due(tax, "icms_retido_anteriormente");
    }
    is(&out.pis, "1000.00", "1.65", "16.50");
    // 1000.00 - 16.50 - 76.00.
    is(&out.cbs, "907.50", "0.9", "8.17");

    let mut input = sale("SP", "AM");
    input.cfop = t("6110");
    lacks(&taxes(&input).icms, &[]);
}

#[test]
fn a_rate_holds_on_its_days() {
    let mut input = sale("AL", "AL");
    input.data = t("2026-03-31");
    let out = taxes(&input);
    assert_eq!(out.data, "2026-03-31");
    lacks(&out.icms, &["aliquota_icms"]);
    input.data = t("2026-04-01");
    is(&taxes(&input).icms, "1000", "20.50", "205.00");

    // PIS and COFINS end, the rate of the CBS is not fixed, that of the IBS is.
    let mut input = sale("SP", "SP");
    input.data = t("2027-02-01");
    let out = taxes(&input);
    is_not_due(&out.pis, "pis_cofins_extintos");
    is(&out.ibs_mun, "820.00", "0.05", "0.41");
    lacks(&out.cbs, &[]);
    is_not_due(&out.is, "is_fora_do_anexo");
    assert_eq!(out.totais.valor_nota.0, d("1000.82"), "IBS comes on top");
    input.ncm = t("22030000");
    let out = taxes(&input);
    lacks(&out.is, &[]);
    lacks(&out.ibs_uf, &[]);
    input.data = t("2025-12-31");
    input.cclass_trib = None;
    is_not_due(&taxes(&input).ibs_uf, "ibs_cbs_antes_de_2026");
}

#[test]
fn numbers_are_written_as_numbers() {
    let out = taxes(&sale("SP", "RJ"));
    let json = serde_json::to_string(&out).expect("JSON");
    assert!(json.contains(r#""valor_operacao":1000.00"#), "{json}");
    assert!(
        json.contains(r#""base":1000.00,"aliquota":12.0000,"valor":120.00"#),
        "{json}"
    );
    assert!(json.contains(r#""situacao":"nao_se_aplica""#), "{json}");
    let input: CalcularImpostosIn = serde_json::from_str(
        r#"{"ncm":"9401.79.00","uf_origem":"SP","uf_destino":"RJ","valor":1000,"regime":"normal",
            "contribuinte":true,"regime_pis_cofins":"cumulativo","cclass_trib":"000001"}"#,
    )
    .expect("a request");
    is(&taxes(&input).pis, "880.00", "0.65", "5.72");
    let schema = schemars::schema_for!(CalcularImpostosOut)
        .to_value()
        .to_string();
    for name in [
        "TributoCalculado",
        "PassoDoCalculo",
        "VigenciaDaRegra",
        "TotaisDoCalculo",
    ] {
        assert!(schema.contains(name), "{name}: {schema}");
    }
}
