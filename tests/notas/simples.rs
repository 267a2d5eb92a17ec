//! The thin way: a plain sale, both models, both regimes.

use crate::bancada::{
    consumidor, dados, emitente, item, nfce, nfe, normal, problemas, simples, venda,
};
use fiscal::nfe::montagem::{Ambiente, Modelo, Regime};
use serde_json::json;

#[test]
fn a_sale_of_a_simples_company() {
    let prova = nfe(&simples(), &venda(vec![item()]));
    assert_eq!(prova.valor("total/ICMSTot/vNF"), "9.98");
    assert_eq!(prova.no_item(1, "imposto/ICMS/ICMSSN102/CSOSN"), "102");
    assert_eq!(prova.no_item(1, "imposto/PIS/PISOutr/CST"), "49");
    assert_eq!(prova.valor("emit/CRT"), "1");
    assert_eq!(prova.valor("pag/vTroco"), "999990.02");
}

#[test]
fn a_sale_of_a_company_of_the_normal_regime() {
    let prova = nfe(&normal(), &venda(vec![item()]));
    let icms = |campo: &str| prova.no_item(1, &format!("imposto/ICMS/ICMS00/{campo}"));
    assert_eq!(
        (icms("vBC"), icms("pICMS"), icms("vICMS")),
        ("9.98", "18.0000", "1.80")
    );
    // Without the ICMS: 9.98 - 1.80.
    assert_eq!(prova.no_item(1, "imposto/PIS/PISAliq/vBC"), "8.18");
    assert_eq!(prova.no_item(1, "imposto/IBSCBS/CST"), "000");
    assert_eq!(prova.valor("total/vNFTot"), "9.98");
}

#[test]
fn the_regimes_have_their_digits() {
    for (regime, crt) in [
        (Regime::SimplesNacional, "1"),
        (Regime::SimplesExcesso, "2"),
        (Regime::Normal, "3"),
        (Regime::Mei, "4"),
    ] {
        let mut quem = normal();
        quem.regime = regime;
        if regime.usa_csosn() {
            quem = emitente(regime);
        }
        let prova = nfe(&quem, &venda(vec![item()]));
        assert_eq!(prova.valor("emit/CRT"), crt);
    }
}

#[test]
fn an_nfce_without_consumer_and_with_one() {
    let corpo = json!({
        "itens": [{ "descricao": "Café", "ncm": "09012100", "quantidade": 1, "valor_unitario": 18.9 }],
        "pagamentos": [{ "forma": "dinheiro", "valor": 20 }], "troco": 1.1
    });
    let prova = nfce(&simples(), &corpo);
    assert_eq!(prova.valor("ide/mod"), "65");
    assert_eq!(prova.valor("pag/vTroco"), "1.10");
    assert!(prova.nota.arvore.busca("dest").is_none());
    let mut com = corpo.clone();
    com["consumidor"] = json!({ "cpf_cnpj": "529.982.247-25" });
    let prova = nfce(&simples(), &com);
    assert_eq!(prova.valor("dest/CPF"), "52998224725");
    assert_eq!(prova.valor("dest/indIEDest"), "9");
    com["consumidor"] = consumidor("SP");
    nfce(&simples(), &com);
}

#[test]
fn homologation_has_its_fixed_texts() {
    let mut dados_nfe = dados(Modelo::Nfe);
    dados_nfe.ambiente = Ambiente::Homologacao;
    let prova = crate::bancada::prova(&simples(), &dados_nfe, &venda(vec![item()]));
    assert_eq!(
        prova.valor("dest/xNome"),
        "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
    );
    assert_eq!(prova.no_item(1, "prod/xProd"), "Açúcar refinado 1kg");
    let mut dados_nfce = dados(Modelo::Nfce);
    dados_nfce.ambiente = Ambiente::Homologacao;
    let corpo =
        json!({ "itens": [item(), item()], "pagamentos": [{ "forma": "01", "valor": 19.96 }] });
    let prova = crate::bancada::prova(&simples(), &dados_nfce, &corpo);
    assert_eq!(
        prova.no_item(1, "prod/xProd"),
        "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
    );
    assert_eq!(prova.no_item(2, "prod/xProd"), "Açúcar refinado 1kg");
}

#[test]
fn an_empty_body_lists_what_is_missing() {
    let lista = problemas(&simples(), &dados(Modelo::Nfe), &json!({}));
    assert_eq!(lista, ["itens limite"]);
    let lista = problemas(&simples(), &dados(Modelo::Nfe), &json!({ "itens": [{}] }));
    for esperado in [
        "destinatario obrigatorio",
        "itens[0].descricao obrigatorio",
        "itens[0].ncm obrigatorio",
        "itens[0].quantidade obrigatorio",
        "itens[0].valor_unitario obrigatorio",
        "pagamentos obrigatorio",
    ] {
        assert!(
            lista.iter().any(|linha| linha == esperado),
            "{esperado}: {lista:#?}"
        );
    }
}
