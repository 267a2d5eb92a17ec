//! Requests that no tax is worked out of.

use super::{TODAY, n, sale, t};
use compose::calculator::{CalcularImpostosIn, calculate};
use compose::emitter::Regime;

/// Fields and codes of what is wrong.
fn wrong(input: &CalcularImpostosIn) -> Vec<(String, String)> {
    let fields = calculate(input, TODAY, None).expect_err("problems");
    fields.into_iter().map(|f| (f.campo, f.codigo)).collect()
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let found = wrong(&CalcularImpostosIn::default());
    let missing = [
        "uf_origem",
        "uf_destino",
        "ncm",
        "valor",
        "regime",
        "contribuinte",
    ];
    let missing = missing.map(|name| (name.to_owned(), "obrigatorio".to_owned()));
    assert_eq!(found, missing);

    let found = wrong(&CalcularImpostosIn {
        ncm: t("99999999"),
        cfop: t("5102"),
        uf_origem: t("SP"),
        uf_destino: t("EX"),
        valor: n("-1"),
        quantidade: n("10"),
        desconto: n("1000000000001"),
        origem: t("9"),
        regime: Some(Regime::Normal),
        contribuinte: Some(false),
        consumidor_final: Some(false),
        aliquota_icms: n("100"),
        aliquota_interestadual: n("9"),
        reducao_bc: n("100.01"),
        mva_original: n("901"),
        cclass_trib: t("999999"),
        data: t("20/11/2026"),
        ..CalcularImpostosIn::default()
    });
    let fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "data",
            "uf_destino",
            "valor",
            "desconto",
            "origem",
            "consumidor_final",
            "aliquota_interestadual",
            "reducao_bc",
            "aliquota_icms",
            "mva_original",
            "cclass_trib",
        ]
    );
}

#[test]
fn a_cfop_has_to_be_of_the_sale() {
    for (change, field, code) in [
        ("6102", "cfop", "cfop_ambito"),
        ("7102", "cfop", "cfop_de_exportacao"),
        ("5501", "cfop", "cfop_de_exportacao"),
        ("5152", "cfop", "cfop_de_transferencia"),
        ("5910", "cfop", "cfop_de_remessa"),
        ("5206", "cfop", "cfop_de_anulacao"),
        ("1102", "cfop", "cfop_sentido"),
        ("5202", "cfop", "cfop_de_devolucao"),
        ("5933", "cfop", "cfop_de_servico"),
        ("5999", "cfop", "cfop_inexistente"),
    ] {
        let mut input = sale("SP", "SP");
        input.cfop = t(change);
        assert_eq!(
            wrong(&input),
            [(field.to_owned(), code.to_owned())],
            "{change}"
        );
    }
}

#[test]
fn numbers_have_to_fit_each_other() {
    let mut input = sale("SP", "SP");
    input.quantidade = n("3");
    input.valor_unitario = n("333.00");
    assert_eq!(wrong(&input)[0].1, "valor_divergente");
    let mut input = sale("SP", "SP");
    input.desconto = n("1000.01");
    assert_eq!(wrong(&input)[0].1, "desconto_maior_que_valor");
    let mut input = sale("SP", "RJ");
    input.contribuinte = Some(false);
    input.aliquota_icms = n("99");
    input.fcp = n("2");
    assert_eq!(wrong(&input)[0].0, "aliquota_icms");
    // 10 x 0.88 / 0.80 is a margin of 1000 %.
    let mut input = sale("SP", "RJ");
    input.mva_original = n("900");
    assert_eq!(wrong(&input)[0].0, "mva_original");
    let mut input = sale("SP", "SP");
    input.data = t("2029-01-01");
    assert_eq!(wrong(&input)[0].1, "data_invalida");
}
