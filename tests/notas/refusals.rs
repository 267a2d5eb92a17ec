//! What does not become a note: every problem at once, at its place.

use crate::bench::{
    NOW, consumer, data, item, item_with, normal, paid, problems, sale, simples, taxpayer,
};
use compose::emitter::Emitter;
use compose::frame::Model;
use serde_json::{Value, json};
use time::Duration;

fn nfe(who: &Emitter, body: &Value) -> Vec<String> {
    problems(who, &data(Model::Nfe), body)
}

/// Changes one field of a sale that is right, by its path.
fn with(caminho: &str, value: Value) -> Value {
    let mut body = sale(vec![item()]);
    let spot = body.pointer_mut(caminho);
    match spot {
        Some(spot) => *spot = value,
        None => {
            let (parent, name) = caminho.rsplit_once('/').expect("path");
            body.pointer_mut(parent).expect("parent")[name] = value;
        }
    }
    body
}

#[test]
fn each_mistake_at_its_place() {
    for (caminho, value, expected) in [
        (
            "/itens/0/ncm",
            json!("12345678"),
            "itens[0].ncm ncm_inexistente",
        ),
        (
            "/itens/0/gtin",
            json!("7891910000198"),
            "itens[0].gtin gtin_invalido",
        ),
        (
            "/itens/0/cfop",
            json!("6102"),
            "itens[0].cfop destino_incoerente",
        ),
        ("/itens/0/cfop", json!("1102"), "itens[0].cfop cfop_sentido"),
        (
            "/itens/0/cfop",
            json!("5999"),
            "itens[0].cfop cfop_inexistente",
        ),
        (
            "/itens/0/cfop",
            json!("5202"),
            "itens[0].cfop cfop_de_devolucao",
        ),
        (
            "/itens/0/cfop",
            json!("5656"),
            "itens[0].cfop combustivel_obrigatorio",
        ),
        (
            "/itens/0/origem",
            json!("9"),
            "itens[0].origem origem_invalida",
        ),
        (
            "/itens/0/desconto",
            json!(9.99),
            "itens[0].desconto desconto_maior_que_valor",
        ),
        (
            "/itens/0/quantidade",
            json!(-1),
            "itens[0].quantidade valor_negativo",
        ),
        (
            "/itens/0/valor_bruto",
            json!(10),
            "itens[0].valor_bruto valor_divergente",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "00", "aliquota": 18, "valor": 1.82 } }),
            "itens[0].impostos.icms.valor valor_divergente",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "csosn": "102" } }),
            "itens[0].impostos.icms.csosn csosn_indevido",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "99" } }),
            "itens[0].impostos.icms.cst cst_inexistente",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "10", "aliquota": 18 } }),
            "itens[0].impostos.icms.st obrigatorio",
        ),
        (
            "/itens/0/impostos",
            json!({ "pis": { "cst": "77" } }),
            "itens[0].impostos.pis.cst cst_inexistente",
        ),
        (
            "/itens/0/numero",
            json!(2),
            "itens[0].numero numero_do_item",
        ),
        (
            "/itens/0/descricao",
            json!("x".repeat(121)),
            "itens[0].descricao tamanho_invalido",
        ),
        (
            "/itens/0/impostos",
            json!({ "ibs_cbs": { "cst": "000", "cclass_trib": "999999" } }),
            "itens[0].impostos.ibs_cbs.cclass_trib",
        ),
        (
            "/destinatario/cpf_cnpj",
            json!("11111111111111"),
            "destinatario.cpf_cnpj cpf_cnpj_invalido",
        ),
        (
            "/destinatario/ie",
            json!("123"),
            "destinatario.ie ie_invalida",
        ),
        ("/destinatario/indicador_ie", json!(9), "destinatario"),
        (
            "/destinatario/endereco/codigo_ibge",
            json!("3550309"),
            "destinatario.endereco.codigo_ibge municipio",
        ),
        (
            "/destinatario/endereco/uf",
            json!("RJ"),
            "destinatario.endereco.uf uf_divergente",
        ),
        (
            "/destinatario/endereco/cep",
            json!("123"),
            "destinatario.endereco.cep cep_invalido",
        ),
        (
            "/destinatario/telefone",
            json!("12"),
            "destinatario.telefone telefone_invalido",
        ),
        (
            "/presenca",
            json!("entrega_domicilio"),
            "presenca presenca_invalida",
        ),
        (
            "/referencias",
            json!([{ "chave": "1".repeat(44) }]),
            "referencias[0].chave chave_invalida",
        ),
        (
            "/finalidade",
            json!("complementar"),
            "referencias obrigatorio",
        ),
        (
            "/finalidade",
            json!("nota_debito"),
            "tipo_nota_debito tipo_de_nota_incoerente",
        ),
        (
            "/pagamentos",
            json!([{ "forma": "outros", "valor": 9.98 }]),
            "pagamentos[0].descricao obrigatorio",
        ),
        ("/troco", json!(1), "troco valor_divergente"),
        ("/data_saida", json!("amanhã"), "data_saida data_invalida"),
        ("/desconto", json!(100), "desconto rateio_impossivel"),
        (
            "/autorizados_xml",
            json!(vec!["52998224725"; 11]),
            "autorizados_xml limite",
        ),
        (
            "/cobranca",
            json!({ "duplicatas": vec![json!({ "valor": 1 }); 121] }),
            "cobranca.duplicatas limite",
        ),
        (
            "/cobranca",
            json!({ "duplicatas": [{ "valor": 9.98 }] }),
            "cobranca.duplicatas[0].vencimento obrigatorio",
        ),
        (
            "/cobranca",
            json!({ "duplicatas": [{ "vencimento": "2026-11-19", "valor": 9.98 }] }),
            "cobranca.duplicatas[0].vencimento vencimento_anterior",
        ),
        (
            "/cobranca",
            json!({ "duplicatas": [{ "vencimento": "2026-12-20", "valor": 5 }, { "vencimento": "2026-12-19", "valor": 4.98 }] }),
            "cobranca.duplicatas[1].vencimento vencimento_fora_de_ordem",
        ),
        (
            "/cobranca",
            json!({ "fatura": { "valor_original": 9.98 }, "duplicatas": [{ "vencimento": "2026-12-20", "valor": 9.97 }] }),
            "cobranca.duplicatas valor_divergente",
        ),
        (
            "/cobranca",
            json!({ "fatura": { "valor_original": 9.98, "desconto": 1, "valor_liquido": 9.98 } }),
            "cobranca.fatura.valor_liquido valor_divergente",
        ),
        (
            "/cobranca",
            json!({ "fatura": { "desconto": 9.99 } }),
            "cobranca.fatura.desconto desconto_maior_que_valor",
        ),
        (
            // Nothing of this name is left in the document's character set.
            "/destinatario/nome",
            json!("Ａ"),
            "destinatario.nome obrigatorio",
        ),
        (
            "/indicador_operacao",
            json!("12"),
            "indicador_operacao layout_",
        ),
        ("/itens/0/ex_tipi", json!("1"), "itens[0].ex_tipi layout_"),
    ] {
        let list = nfe(&normal(), &with(caminho, value.clone()));
        // A digit outside of the table may fall to more than one rule.
        if expected == "destinatario" {
            continue;
        }
        assert!(
            list.iter().any(|line| line.starts_with(expected)),
            "{caminho} {value}: {list:#?}"
        );
    }
}

#[test]
fn a_service_wants_a_municipal_registration() {
    let body = sale(vec![item(), crate::taxes::service()]);
    assert_eq!(
        nfe(&normal(), &body),
        ["perfil_fiscal.im perfil_fiscal_incompleto"]
    );
    for im in ["", " ", "Ａ"] {
        let mut who = normal();
        who.im = Some(im.to_owned());
        assert_eq!(
            nfe(&who, &body),
            ["perfil_fiscal.im perfil_fiscal_incompleto"]
        );
    }
}

#[test]
fn all_of_them_in_one_answer() {
    let mut body = sale(vec![item(), item(), item()]);
    body["itens"][0]["ncm"] = json!("12345678");
    body["itens"][1]["cfop"] = json!("9999");
    body["itens"][2]["gtin"] = json!("123");
    body["destinatario"]["cpf_cnpj"] = json!("123");
    body["destinatario"]["endereco"]["cep"] = json!("x");
    let list = nfe(&normal(), &body);
    assert_eq!(list.len(), 5, "{list:#?}");
}

/// Eight zeros are for what has no code (I05-20), two for services and
/// adjustments (I05-24).
#[test]
fn a_code_of_zeros_is_for_what_has_none() {
    crate::bench::nfe(&normal(), &with("/itens/0/ncm", json!("00000000")));
    let two = with("/itens/0/ncm", json!("00"));
    assert_eq!(nfe(&normal(), &two), ["itens[0].ncm ncm_inexistente"]);
    let mut adjustment = two;
    adjustment["finalidade"] = json!("ajuste");
    adjustment["itens"][0]["cfop"] = json!("5949");
    adjustment["pagamentos"] = json!([]);
    crate::bench::nfe(&normal(), &adjustment);
}

/// What an NF-e is paid less than it costs is the states' to refuse (865): a
/// rural sale is paid without what the buyer withholds (Funrural).
#[test]
fn a_payment_below_the_total_is_told_and_only_an_nfce_is_refused() {
    let mut body = with(
        "/pagamentos",
        json!([{ "forma": "transferencia", "valor": 9.84 }]),
    );
    body["retencoes"] = json!({ "base_previdencia": 9.98, "previdencia": 0.14 });
    let proof = crate::bench::nfe(&normal(), &body);
    assert_eq!(proof.value("pag/detPag/vPag"), "9.84");
    assert_eq!(proof.value("pag/vTroco"), "");
    let noticed = |field: &str| proof.nota.notices.iter().any(|aviso| aviso.campo == field);
    assert!(noticed("pagamentos"), "{:?}", proof.nota.notices);
    let later = json!([{ "forma": "pagamento_posterior", "valor": 0 }]);
    let postponed = crate::bench::nfe(&normal(), &with("/pagamentos", later));
    assert_eq!(postponed.value("pag/detPag/tPag"), "91");
    assert!(
        postponed
            .nota
            .notices
            .iter()
            .all(|a| a.campo != "pagamentos")
    );
    let counter =
        json!({ "itens": [item()], "pagamentos": [{ "forma": "dinheiro", "valor": 9.97 }] });
    assert_eq!(
        problems(&normal(), &data(Model::Nfce), &counter),
        ["pagamentos pagamento_menor_que_total"]
    );
}

#[test]
fn a_document_has_a_largest_size() {
    let nota = |text: &str| {
        let mut large = item();
        large["informacoes"] = json!(text);
        sale(vec![large; 990])
    };
    assert_eq!(
        nfe(&normal(), &nota(&"&".repeat(500))),
        ["itens documento_grande"]
    );
    let mut request = crate::bench::read(&nota("Lote"));
    let nota = compose::assembly::validate(&mut request, &normal(), &data(Model::Nfe), NOW)
        .expect("right");
    let noticed = |aviso: &compose::context::Aviso| aviso.mensagem.contains("rejeição 214");
    assert!(nota.notices.iter().any(noticed), "{:?}", nota.notices);
}

#[test]
fn dates_have_bounds() {
    for (model, passed, expected) in [
        (
            Model::Nfe,
            Duration::days(-31),
            "data_emissao emissao_atrasada",
        ),
        (Model::Nfe, Duration::days(1), "data_emissao emissao_futura"),
        // An NFC-e is issued as it is sold.
        (
            Model::Nfce,
            Duration::minutes(-6),
            "data_emissao emissao_atrasada",
        ),
    ] {
        let mut data = data(model);
        let now = data.dh_emi;
        data.dh_emi = NOW + passed;
        let mut request = crate::bench::read(&sale(vec![item()]));
        let fields =
            compose::assembly::validate(&mut request, &normal(), &data, now).expect_err("date");
        assert!(
            fields
                .iter()
                .any(|field| format!("{} {}", field.campo, field.codigo) == expected)
        );
    }
}

#[test]
fn an_nfce_says_what_it_does_not_carry() {
    let body = json!({ "itens": [item_with(json!({ "ipi": { "cst": "50", "aliquota": 1 }, "icms": { "csosn": "101", "credito_sn": { "aliquota": 1 } } }))],
        "pagamentos": paid(), "destinatario": taxpayer("SP"), "finalidade": 4, "presenca": "internet",
        "cobranca": { "duplicatas": [{ "valor": 1 }] }, "referencias": [{ "chave": crate::operations::chave(1) }],
        "transporte": { "modalidade_frete": 0, "veiculo": { "placa": "ABC1234" } } });
    let list = problems(&simples(), &data(Model::Nfce), &body);
    for expected in [
        "itens[0].impostos.ipi ipi_na_nfce",
        "itens[0].impostos.icms nao_cabe_na_nfce",
        "finalidade nao_cabe_na_nfce",
        "presenca presenca_invalida",
        "cobranca nao_cabe_na_nfce",
        "referencias nao_cabe_na_nfce",
        "transporte.modalidade_frete nao_cabe_na_nfce",
        "transporte.veiculo nao_cabe_na_nfce",
        "destinatario.ie nao_cabe_na_nfce",
        "destinatario.indicador_ie nao_cabe_na_nfce",
    ] {
        assert!(
            list.iter().any(|line| line == expected),
            "{expected}: {list:#?}"
        );
    }
    // Delivery needs to know to whom.
    let without = json!({ "itens": [item()], "pagamentos": paid(), "presenca": 4 });
    let list = problems(&simples(), &data(Model::Nfce), &without);
    assert_eq!(
        list,
        [
            "destinatario obrigatorio",
            "transporte.transportador obrigatorio"
        ]
    );
}

/// What the profile fills in is judged like what the item says.
#[test]
fn an_nfce_does_not_take_every_situation_from_the_profile() {
    let mut emitter = simples();
    emitter.padroes.icms = serde_json::from_value(json!({ "csosn": "101" })).expect("defaults");
    emitter.aliquota_credito_sn = serde_json::from_value(json!(2)).expect("rate");
    let body = json!({ "itens": [item()], "pagamentos": paid() });
    assert_eq!(
        problems(&emitter, &data(Model::Nfce), &body),
        ["itens[0].impostos.icms nao_cabe_na_nfce"]
    );
}

#[test]
fn an_exemption_of_ipi_says_which() {
    for (cst, classification, fits) in [
        ("52", "999", false),
        ("52", "301", true),
        ("54", "301", false),
        ("54", "001", true),
        ("55", "099", false),
        ("55", "101", true),
        ("53", "999", true),
    ] {
        let ipi = json!({ "ipi": { "cst": cst, "enquadramento": classification } });
        let list = nfe(&normal(), &sale(vec![item_with(ipi)]));
        let expected: &[&str] = match fits {
            true => &[],
            false => &["itens[0].impostos.ipi.enquadramento enquadramento_incompativel"],
        };
        assert_eq!(list, expected, "{cst} {classification}");
    }
}

#[test]
fn who_is_no_taxpayer_consumes() {
    let mut body = sale(vec![item()]);
    body["destinatario"] = consumer("SP");
    body["consumidor_final"] = json!(false);
    assert_eq!(
        nfe(&normal(), &body),
        ["consumidor_final consumidor_final_obrigatorio"]
    );
}

/// What the layout would round is told: the products are those of the number
/// that came.
#[test]
fn factors_have_the_places_of_the_layout() {
    for (caminho, value, expected) in [
        (
            "/itens/0/quantidade",
            json!("2.00001"),
            "itens[0].quantidade casas_decimais",
        ),
        (
            "/itens/0/quantidade_tributavel",
            json!("0.12345"),
            "itens[0].quantidade_tributavel casas_decimais",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "00", "aliquota": "18.00001" } }),
            "itens[0].impostos.icms.aliquota casas_decimais",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "20", "aliquota": 18, "reducao": "33.33333" } }),
            "itens[0].impostos.icms.reducao casas_decimais",
        ),
        (
            "/itens/0/impostos",
            json!({ "pis": { "cst": "03", "quantidade": "1.00001", "aliquota_unidade": "0.12345" } }),
            "itens[0].impostos.pis.quantidade casas_decimais",
        ),
        (
            "/transporte",
            json!({ "modalidade_frete": "0", "volumes": [{ "quantidade": "1.5" }] }),
            "transporte.volumes[0].quantidade casas_decimais",
        ),
    ] {
        let list = nfe(&normal(), &with(caminho, value));
        assert_eq!(list.first().map(String::as_str), Some(expected), "{list:?}");
    }
    // Zeros at the end are no places; unit values have ten.
    assert_eq!(
        nfe(&normal(), &with("/itens/0/quantidade", json!("2.0000000"))),
        [""; 0]
    );
    let body = with("/itens/0/valor_unitario", json!("4.9876543211"));
    assert_eq!(nfe(&normal(), &body), [""; 0]);
}

/// A rate without its comma, 165 for 1,65; and one that is told once, not as missing too.
#[test]
fn rates_are_percentages() {
    for (tax, rate, expected) in [
        ("icms", json!(150), "percentual_invalido"),
        ("pis", json!("100.01"), "percentual_invalido"),
        ("cofins", json!(760), "percentual_invalido"),
        ("ipi", json!(301), "percentual_invalido"),
        ("icms", json!(-1), "valor_negativo"),
        ("pis", json!(-1), "valor_negativo"),
        ("ipi", json!(-1), "valor_negativo"),
    ] {
        let cst = match tax {
            "icms" => "00",
            "ipi" => "50",
            _ => "01",
        };
        let body = json!({ tax: { "cst": cst, "aliquota": rate } });
        let list = nfe(&normal(), &with("/itens/0/impostos", body));
        let place = format!("itens[0].impostos.{tax}.aliquota ");
        let told: Vec<&String> = list
            .iter()
            .filter(|line| line.starts_with(&place))
            .collect();
        assert_eq!(told, [&format!("{place}{expected}")], "{list:#?}");
    }
    // The whole is possible, and cigarettes pay three times it.
    let most = json!({ "icms": { "cst": "00", "aliquota": 100 }, "ipi": { "cst": "50", "aliquota": 300 } });
    let list = nfe(&normal(), &with("/itens/0/impostos", most));
    assert!(
        !list.iter().any(|line| line.contains("percentual")),
        "{list:#?}"
    );
    // Reais for a unit are no percentage.
    let by_unit = json!({ "pis": { "cst": "03", "quantidade": 1, "aliquota_unidade": 150 } });
    let list = nfe(&normal(), &with("/itens/0/impostos", by_unit));
    assert!(
        !list.iter().any(|line| line.contains("percentual")),
        "{list:#?}"
    );
}
