//! The thin way: a plain sale, both models, both regimes.

use crate::bench::{
    consumer, data, emitter, item, item_with, nfce, nfe, normal, problems, sale, simples,
};
use compose::emitter::Regime;
use compose::frame::{Ambiente, Model};
use serde_json::json;
use time::macros::datetime;

#[test]
fn a_sale_of_a_simples_company() {
    let proof = nfe(&simples(), &sale(vec![item()]));
    assert_eq!(proof.value("total/ICMSTot/vNF"), "9.98");
    assert_eq!(proof.no_item(1, "imposto/ICMS/ICMSSN102/CSOSN"), "102");
    assert_eq!(proof.no_item(1, "imposto/PIS/PISOutr/CST"), "49");
    assert_eq!(proof.value("emit/CRT"), "1");
    assert_eq!(proof.value("pag/vTroco"), "999990.02");
}

#[test]
fn a_sale_of_a_company_of_the_normal_regime() {
    let proof = nfe(&normal(), &sale(vec![item()]));
    let icms = |field: &str| proof.no_item(1, &format!("imposto/ICMS/ICMS00/{field}"));
    assert_eq!(
        (icms("vBC"), icms("pICMS"), icms("vICMS")),
        ("9.98", "18.0000", "1.80")
    );
    // Without the ICMS: 9.98 - 1.80.
    assert_eq!(proof.no_item(1, "imposto/PIS/PISAliq/vBC"), "8.18");
    assert_eq!(proof.no_item(1, "imposto/IBSCBS/CST"), "000");
    assert_eq!(proof.value("total/vNFTot"), "9.98");
}

#[test]
fn the_regimes_have_their_digits() {
    for (regime, crt) in [
        (Regime::SimplesNacional, "1"),
        (Regime::SimplesExcesso, "2"),
        (Regime::Normal, "3"),
        (Regime::Mei, "4"),
    ] {
        let mut who = normal();
        who.regime = regime;
        if regime.uses_csosn() {
            who = emitter(regime);
        }
        let proof = nfe(&who, &sale(vec![item()]));
        assert_eq!(proof.value("emit/CRT"), crt);
    }
}

#[test]
fn an_nfce_without_consumer_and_with_one() {
    let body = json!({
        "itens": [{ "descricao": "Café", "ncm": "09012100", "quantidade": 1, "valor_unitario": 18.9 }],
        "pagamentos": [{ "forma": "dinheiro", "valor": 20 }], "troco": 1.1
    });
    let proof = nfce(&simples(), &body);
    assert_eq!(proof.value("ide/mod"), "65");
    assert_eq!(proof.value("pag/vTroco"), "1.10");
    assert!(proof.nota.tree.find("dest").is_none());
    let mut with = body.clone();
    with["consumidor"] = json!({ "cpf_cnpj": "529.982.247-25" });
    let proof = nfce(&simples(), &with);
    assert_eq!(proof.value("dest/CPF"), "52998224725");
    assert_eq!(proof.value("dest/indIEDest"), "9");
    with["consumidor"] = consumer("SP");
    nfce(&simples(), &with);
}

#[test]
fn homologation_has_its_fixed_texts() {
    let mut nfe_data = data(Model::Nfe);
    nfe_data.ambiente = Ambiente::Homologacao;
    let proof = crate::bench::proof(&simples(), &nfe_data, &sale(vec![item()]));
    assert_eq!(
        proof.value("dest/xNome"),
        "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
    );
    assert_eq!(proof.no_item(1, "prod/xProd"), "Açúcar refinado 1kg");
    let mut nfce_data = data(Model::Nfce);
    nfce_data.ambiente = Ambiente::Homologacao;
    let body =
        json!({ "itens": [item(), item()], "pagamentos": [{ "forma": "01", "valor": 19.96 }] });
    let proof = crate::bench::proof(&simples(), &nfce_data, &body);
    assert_eq!(
        proof.no_item(1, "prod/xProd"),
        "NOTA FISCAL EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
    );
    assert_eq!(proof.no_item(2, "prod/xProd"), "Açúcar refinado 1kg");
}

#[test]
fn an_empty_body_lists_what_is_missing() {
    let list = problems(&simples(), &data(Model::Nfe), &json!({}));
    assert_eq!(list, ["itens limite"]);
    let list = problems(&simples(), &data(Model::Nfe), &json!({ "itens": [{}] }));
    for expected in [
        "destinatario obrigatorio",
        "itens[0].descricao obrigatorio",
        "itens[0].ncm obrigatorio",
        "itens[0].quantidade obrigatorio",
        "itens[0].valor_unitario obrigatorio",
        "pagamentos obrigatorio",
    ] {
        assert!(
            list.iter().any(|line| line == expected),
            "{expected}: {list:#?}"
        );
    }
}

#[test]
fn the_body_of_the_documentation_is_a_note() {
    let item = json!({ "numero": 1, "codigo": "SKU1", "gtin": "7891910000197", "descricao": "Açúcar 1kg", "ncm": "17019900",
            "cest": "1710300", "cfop": "5102", "unidade": "UN", "quantidade": 2, "valor_unitario": 4.99,
            "desconto": 0, "frete": 0, "seguro": 0, "outras_despesas": 0, "compoe_total": true, "origem": "0",
            "cbenef": null, "fci": null, "pedido": null, "informacoes": null,
            "impostos": { "icms": { "csosn": "102" }, "ipi": null,
                "pis": { "cst": "49", "base": 0, "aliquota": 0, "valor": 0 },
                "cofins": { "cst": "49", "base": 0, "aliquota": 0, "valor": 0 },
                "ibs_cbs": { "cst": "000", "cclass_trib": "000001", "base": 9.98, "ibs_uf": { "aliquota": 0.1, "valor": 0.01 },
                    "ibs_mun": { "aliquota": 0, "valor": 0 }, "cbs": { "aliquota": 0.9, "valor": 0.09 } },
                "is": null, "valor_aproximado": 2.31 },
            "rastreios": [], "combustivel": null, "medicamento": null, "veiculo_novo": null, "importacoes": [] });
    let body = json!({
        "referencia": "pedido-8812", "emitente_id": null, "idempotency_key": "pedido-8812-1",
        "natureza_operacao": "Venda de mercadoria", "tipo_operacao": "saida", "finalidade": "normal",
        "data_saida": null, "presenca": "internet", "consumidor_final": true,
        "intermediador": { "cnpj": crate::bench::cnpj("000000000001"), "identificador": "loja-1" },
        "destinatario": { "pessoa_id": null, "cpf_cnpj": crate::bench::cnpj("123456780001"), "nome": "Cliente Ltda",
            "indicador_ie": "9", "ie": null, "im": null, "suframa": null, "email": "c@ex.com", "telefone": "1133334444",
            "endereco": { "cep": "01001000", "logradouro": "Praça da Sé", "numero": "1", "complemento": null,
                "bairro": "Sé", "cidade": "São Paulo", "codigo_ibge": "3550308", "uf": "SP", "codigo_pais": "1058" } },
        "retirada": null, "entrega": null, "autorizados_xml": [crate::bench::cnpj("123456780001")],
        "itens": [item],
        "transporte": { "modalidade_frete": "9", "transportador": null, "veiculo": null, "volumes": [] },
        "cobranca": { "fatura": null, "duplicatas": [] },
        "pagamentos": [{ "forma": "pix_dinamico", "valor": 9.98, "indicador": "a_vista", "cartao": null, "data": null }],
        "troco": 0, "referencias": [], "informacoes_complementares": "", "informacoes_fisco": "",
        "responsavel_tecnico": null, "calcular_impostos": true, "inf_nfe": null
    });
    let proof = nfe(&simples(), &body);
    assert_eq!(proof.value("total/ICMSTot/vTotTrib"), "2.31");
    // The recipient may read the note anyway, and is not named twice.
    assert!(proof.nota.tree.find("autXML").is_none());
    let aviso = |aviso: &&compose::context::Aviso| aviso.campo == "autorizados_xml[0]";
    assert_eq!(proof.nota.notices.iter().filter(aviso).count(), 1);
    // The same in the normal regime, where IBS and CBS are told.
    let mut normal_body = body;
    normal_body["itens"][0]["impostos"]["icms"] = json!({ "cst": "40" });
    let proof = nfe(&normal(), &normal_body);
    assert_eq!(proof.no_item(1, "imposto/IBSCBS/gIBSCBS/vIBS"), "0.01");
    assert_eq!(proof.no_item(1, "imposto/IBSCBS/gIBSCBS/gCBS/vCBS"), "0.09");
}

/// CGSN Resolution 140/2018 art. 58: in the text of the note, too.
#[test]
fn the_credit_of_the_simples_is_told() {
    let with_credit = || {
        let icms = json!({ "csosn": "101", "credito_sn": { "aliquota": 1.25 } });
        let mut item = item();
        item["impostos"] = json!({ "icms": icms });
        item["quantidade"] = json!(1000);
        sale(vec![item.clone(), item])
    };
    let phrase = "PERMITE O APROVEITAMENTO DO CRÉDITO DE ICMS NO VALOR DE R$ 124,76; CORRESPONDENTE À ALÍQUOTA DE 1,25%, NOS TERMOS DO ART. 23 DA LEI COMPLEMENTAR Nº 123, DE 2006";
    let proof = nfe(&simples(), &with_credit());
    assert_eq!(proof.value("infAdic/infCpl"), phrase);
    let mut body = with_credit();
    body["informacoes_complementares"] = json!("Pedido 7");
    let proof = nfe(&simples(), &body);
    assert_eq!(
        proof.value("infAdic/infCpl"),
        format!("Pedido 7 | {phrase}")
    );
    let said = "Permite o aproveitamento do crédito de ICMS de R$ 124,76.";
    body["informacoes_complementares"] = json!(said);
    let proof = nfe(&simples(), &body);
    assert_eq!(proof.value("infAdic/infCpl"), said);
    // No credit, no sentence.
    let proof = nfe(&simples(), &sale(vec![item()]));
    assert_eq!(proof.value("infAdic/infCpl"), "");
}

/// In homologation a package comes earlier: layout and calculation together.
#[test]
fn one_calendar_says_how_a_note_is_written() {
    let mono = json!({ "cst": "620", "cclass_trib": "620001",
        "mono": { "ibs": { "quantidade": 2, "aliquota": 0.1 }, "cbs": { "quantidade": 2, "aliquota": 0.2 } } });
    let body = sale(vec![item_with(json!({ "ibs_cbs": mono }))]);
    for day in [
        datetime!(2026-09-15 10:00 -3),
        datetime!(2026-11-20 10:00 -3),
    ] {
        for ambiente in [Ambiente::Producao, Ambiente::Homologacao] {
            let mut data = data(Model::Nfe);
            (data.dh_emi, data.ambiente) = (day, ambiente);
            assert_eq!(
                problems(&normal(), &data, &body),
                [""; 0],
                "{day} {ambiente:?}"
            );
        }
    }
}

/// The registered name may be longer than the layout's, but is not cut in
/// silence.
#[test]
fn a_name_that_is_cut_is_told() {
    let mut emitter = simples();
    emitter.razao_social = format!("Indústria e Comércio {} Ltda", "de Alimentos ".repeat(5));
    let proof = nfe(&emitter, &sale(vec![item()]));
    assert_eq!(
        proof.value("emit/xNome"),
        "Indústria e Comércio de Alimentos de Alimentos de Alimentos"
    );
    let aviso = proof.nota.notices.iter();
    let aviso = aviso.filter(|aviso| aviso.campo == "perfil_fiscal.razao_social");
    assert_eq!(aviso.count(), 1, "{:?}", proof.nota.notices);
    let proof = nfe(&simples(), &sale(vec![item()]));
    assert!(
        proof
            .nota
            .notices
            .iter()
            .all(|aviso| !aviso.campo.starts_with("perfil_fiscal"))
    );
    // The recipient's is the caller's to shorten.
    let mut body = sale(vec![item()]);
    body["destinatario"]["nome"] = json!("C".repeat(61));
    let list = problems(&simples(), &data(Model::Nfe), &body);
    assert_eq!(list, ["destinatario.nome tamanho_invalido"]);
}
