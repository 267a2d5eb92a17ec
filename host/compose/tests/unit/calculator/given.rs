//! Amounts that the request brings, and a price without its ICMS.

use super::{Situation, TODAY, calculate, d, is, n, rules, sale, taxes};
use compose::emitter::Regime;

#[test]
fn a_price_without_its_icms_gets_it_inside() {
    let mut input = sale("SP", "SP");
    input.valor = n("820");
    input.aliquota_icms = n("18");
    input.sem_icms = Some(true);
    let out = taxes(&input);
    assert_eq!(out.valor_operacao.0, d("1000.00"));
    is(&out.icms, "1000", "18", "180.00");
    assert_eq!(
        rules(&out.icms),
        ["icms_por_dentro", "informado_no_pedido", "icms"]
    );
    // The others are over the price with it.
    is(&out.pis, "820", "1.65", "13.53");
    assert_eq!(out.totais.valor_nota.0, d("1000.00"));
}

#[test]
fn a_price_without_its_icms_must_be_one_that_has_it() {
    let without = |change: fn(&mut compose::calculator::CalcularImpostosIn)| {
        let mut input = sale("SP", "SP");
        input.sem_icms = Some(true);
        change(&mut input);
        let wrong = calculate(&input, TODAY, None).expect_err("refused");
        let names: Vec<String> = wrong
            .into_iter()
            .map(|field| format!("{} {}", field.campo, field.codigo))
            .collect();
        names.join(", ")
    };
    assert_eq!(
        without(|input| input.regime = Some(Regime::Mei)),
        "sem_icms sem_icms_nao_cabe"
    );
    assert_eq!(
        without(|input| input.reducao_bc = n("10")),
        "sem_icms sem_icms_nao_cabe"
    );
    assert_eq!(
        without(|input| input.valor_icms = n("10")),
        "sem_icms sem_icms_nao_cabe"
    );
    assert_eq!(
        without(|input| {
            input.contribuinte = Some(false);
            input.aliquota_ipi = n("5");
        }),
        "sem_icms sem_icms_nao_cabe"
    );
}

#[test]
fn amounts_of_the_request_take_the_place_of_calculated_ones() {
    let mut input = sale("SP", "SP");
    input.valor_icms = n("100");
    input.valor_ipi = n("50");
    input.valor_pis = n("10");
    input.mva_original = n("40");
    let out = taxes(&input);
    for (tax, amount) in [(&out.icms, "100"), (&out.ipi, "50"), (&out.pis, "10")] {
        assert_eq!(tax.situacao, Situation::Calculado);
        assert_eq!(
            (tax.valor.expect("an amount").0, tax.base),
            (d(amount), None)
        );
        assert_eq!(rules(tax), ["informado_no_pedido"]);
    }
    // 1050.00 and 40 %; 18 % of it less the 100.00.
    is(&out.icms_st, "1470", "18", "164.60");
    // COFINS goes on to be calculated, over the price less the 100.00.
    is(&out.cofins, "900", "7.6", "68.40");
    is(&out.cbs, "821.60", "0.9", "7.39");
}

#[test]
fn what_is_in_the_guide_of_the_simples_is_not_brought() {
    let mut input = sale("SP", "SP");
    input.regime = Some(Regime::SimplesNacional);
    input.valor_icms = n("1");
    input.valor_pis = n("1");
    let wrong = calculate(&input, TODAY, None).expect_err("refused");
    let names: Vec<&str> = wrong.iter().map(|field| field.campo.as_str()).collect();
    assert_eq!(names, ["valor_icms", "valor_pis"]);
    // Above the limit of its state it pays ICMS outside of the guide.
    input.regime = Some(Regime::SimplesExcesso);
    input.valor_pis = None;
    assert_eq!(taxes(&input).icms.valor.expect("an amount").0, d("1"));
}
