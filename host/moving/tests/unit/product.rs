//! Bodies of the NF-e and the NFC-e.

use super::bodies::{nfce, nfe, with};
use super::{ordered, wrong};
use moving::kind::Kind;
use serde_json::{Value, json};

#[test]
fn a_note_is_read_to_its_last_member() {
    let order = ordered(Kind::Nfe, &nfe());
    let expected = json!({
        "natureza_operacao": "Venda de mercadoria", "serie": 1,
        "data_emissao": "2026-10-05T10:15:00-03:00", "tipo_operacao": "1", "finalidade": "1",
        "destino_operacao": "1", "consumidor_final": true, "presenca": "2",
        "destinatario": {
            "nome": "Cliente Exemplo Ltda", "cpf_cnpj": "12345678000195", "indicador_ie": "9",
            "endereco": {
                "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro",
                "cidade": "Belo Horizonte", "codigo_ibge": "3106200", "uf": "MG", "cep": "30140071"
            }
        },
        "transporte": { "modalidade_frete": "9" },
        "itens": [{
            "numero": 1, "codigo": "SKU1", "descricao": "Café torrado 1 kg", "ncm": "09012100",
            "cfop": "5102", "unidade": "UN", "quantidade": 2, "valor_unitario": "18.9000000000",
            "valor_bruto": 37.8, "compoe_total": true, "origem": "0",
            "impostos": {
                "icms": {
                    "cst": "00", "modalidade_bc": "3", "base": 37.8, "valor": "6.80", "aliquota": 18
                },
                "pis": { "cst": "01", "base": 37.8, "aliquota": 1.65, "valor": 0.62 },
                "cofins": { "cst": "01", "base": 37.8, "aliquota": 7.6, "valor": 2.87 }
            }
        }],
        "pagamentos": [{ "forma": "17", "valor": 37.8 }]
    });
    assert_eq!(Value::Object(order.body), expected);
    assert!(order.notices.is_empty(), "{:?}", order.notices);
}

#[test]
fn a_number_keeps_its_digits() {
    let text = nfe().to_string().replace("37.8,", "37.800,");
    let body: Value = serde_json::from_str(&text).expect("JSON");
    let order = ordered(Kind::Nfe, &body);
    let base = &order.body["itens"][0]["impostos"]["icms"]["base"];
    assert_eq!(base.to_string(), "37.800");
}

#[test]
fn what_an_nfce_does_not_say_is_what_their_api_says() {
    let order = ordered(Kind::Nfce, &nfce());
    assert_eq!(order.body["natureza_operacao"], "VENDA AO CONSUMIDOR");
    // A consumer of whom nothing is known but the indicator is nobody.
    assert_eq!(order.body.get("destinatario"), None);
    assert_eq!(
        order.body["itens"][0]["impostos"]["icms"],
        json!({ "csosn": "102" })
    );
    assert_eq!(
        (&order.body["troco"], &order.body["pagamentos"][0]["forma"]),
        (&json!("1.10"), &json!("01"))
    );
}

#[test]
fn a_note_without_payment_says_so() {
    let mut body = nfe();
    body.as_object_mut()
        .expect("an object")
        .remove("formas_pagamento");
    let order = ordered(Kind::Nfe, &body);
    assert_eq!(
        order.body["pagamentos"],
        json!([{ "forma": "90", "valor": "0" }])
    );
    assert_eq!(order.notices[0].field, "formas_pagamento");
}

#[test]
fn the_situation_of_the_icms_decides_its_group() {
    for (situation, expected) in [
        (json!("00"), json!({ "cst": "00", "aliquota": 18 })),
        (json!(0), json!({ "cst": "00", "aliquota": 18 })),
        (json!(102), json!({ "csosn": "102", "aliquota": 18 })),
        (
            json!("10_partilha"),
            json!({ "cst": "10", "grupo": "partilha", "aliquota": 18 }),
        ),
        (
            json!("41_st"),
            json!({ "cst": "41", "grupo": "st_repasse", "aliquota": 18 }),
        ),
        (
            json!("61"),
            json!({ "cst": "61", "mono": { "aliquota": 18 } }),
        ),
    ] {
        let mut body = nfe();
        let item = body.pointer_mut("/items/0").and_then(Value::as_object_mut);
        let item = item.expect("an item");
        item.retain(|name, _| !name.starts_with("icms_"));
        item.insert("icms_aliquota".to_owned(), json!(18));
        item.insert("icms_situacao_tributaria".to_owned(), situation.clone());
        let order = ordered(Kind::Nfe, &body);
        assert_eq!(
            order.body["itens"][0]["impostos"]["icms"], expected,
            "{situation}"
        );
    }
    for unknown in ["00x", "1000", "10_outra", "_st"] {
        let body = with(nfe(), "/items/0/icms_situacao_tributaria", unknown);
        assert_eq!(
            wrong(Kind::Nfe, &body),
            ["items[0].icms_situacao_tributaria"],
            "{unknown}"
        );
    }
}

#[test]
fn moments_are_read_as_their_examples_write_them() {
    for (given, read) in [
        ("2026-10-05", "2026-10-05T00:00:00-03:00"),
        ("2026-10-05 10:15", "2026-10-05T10:15:00-03:00"),
        ("2026-10-05T10:15:00-0400", "2026-10-05T10:15:00-04:00"),
        ("2026-10-05T10:15:00-02:00", "2026-10-05T10:15:00-02:00"),
        ("2026-10-05T10:15:00Z", "2026-10-05T10:15:00Z"),
        (
            "2026-10-05T10:15:00.123-03",
            "2026-10-05T10:15:00.123-03:00",
        ),
    ] {
        let order = ordered(Kind::Nfe, &with(nfe(), "/data_emissao", given));
        assert_eq!(order.body["data_emissao"], read, "{given}");
    }
    for wrong_one in [
        "05/10/2026",
        "2026-13-05",
        "2026-10-05T25:00:00",
        "hoje",
        "2026-10-05T1",
    ] {
        let body = with(nfe(), "/data_emissao", wrong_one);
        assert_eq!(wrong(Kind::Nfe, &body), ["data_emissao"], "{wrong_one}");
    }
}

#[test]
fn what_cannot_be_said_is_named() {
    let cases = [
        ("/natureza", json!("x"), "natureza"),
        (
            "/items/0/codigo_nmc",
            json!("09012100"),
            "items[0].codigo_nmc",
        ),
        ("/numero", json!(7), "numero"),
        ("/cpf_emitente", json!("12345678909"), "cpf_emitente"),
        ("/cnpj_emitente", json!("11222333000262"), "cnpj_emitente"),
        (
            "/inscricao_estadual_emitente",
            json!("123"),
            "inscricao_estadual_emitente",
        ),
        (
            "/regime_tributario_emitente",
            json!(1),
            "regime_tributario_emitente",
        ),
        ("/uf_emitente", json!("SP"), "uf_emitente"),
        (
            "/municipio_destinatario",
            json!("Belo Orizonte"),
            "municipio_destinatario",
        ),
        (
            "/cpf_destinatario",
            json!("12345678909"),
            "cpf_destinatario",
        ),
        ("/consumidor_final", json!("sim"), "consumidor_final"),
        ("/valor_total", json!("37,80"), "valor_total"),
        ("/valor_produtos", json!(37.81), "valor_produtos"),
        ("/valor_frete", json!({}), "valor_frete"),
        ("/items/0/valor_bruto", json!(true), "items[0].valor_bruto"),
        (
            "/items/0/icms_aliquota",
            json!("dezoito"),
            "items[0].icms_aliquota",
        ),
        ("/indicador_intermediario", json!(1), "cnpj_intermediario"),
        (
            "/formas_pagamento/0/valor",
            json!(1),
            "formas_pagamento[0].valor",
        ),
        ("/formas_pagamento", json!("17"), "formas_pagamento"),
        (
            "/pessoas_autorizadas",
            json!([{ "nome": "x" }]),
            "pessoas_autorizadas[0].nome",
        ),
        ("/itens", json!([{}]), "itens"),
    ];
    for (pointer, value, name) in cases {
        let found = wrong(Kind::Nfe, &with(nfe(), pointer, value));
        assert!(
            found.iter().any(|found| found == name),
            "{pointer}: {found:?}"
        );
    }
}

#[test]
fn null_and_the_empty_text_say_nothing() {
    let body = with(
        with(nfe(), "/numero", Value::Null),
        "/complemento_destinatario",
        " ",
    );
    let order = ordered(Kind::Nfe, &body);
    assert_eq!(order.body, ordered(Kind::Nfe, &nfe()).body);
}

#[test]
fn what_the_company_is_called_is_told_where_the_profile_says_other() {
    let order = ordered(Kind::Nfe, &with(nfe(), "/nome_emitente", "Outro Nome Ltda"));
    assert_eq!(order.notices[0].field, "nome_emitente");
    let order = ordered(
        Kind::Nfe,
        &with(nfe(), "/nome_emitente", "EMPRESA DE TESTE LTDA."),
    );
    assert!(order.notices.is_empty(), "{:?}", order.notices);
}

#[test]
fn a_sum_that_no_item_has_is_divided_by_the_hub() {
    let body = with(
        with(nfe(), "/valor_frete", "10.00"),
        "/valor_total",
        "47.80",
    );
    assert_eq!(ordered(Kind::Nfe, &body).body["frete"], "10.00");
    // Where the items have it, it is theirs and must be their sum.
    let body = with(body, "/items/0/valor_frete", 10);
    let order = ordered(Kind::Nfe, &body);
    assert_eq!(
        (order.body.get("frete"), &order.body["itens"][0]["frete"]),
        (None, &json!(10))
    );
    let body = with(body, "/items/0/valor_frete", 9);
    assert_eq!(wrong(Kind::Nfe, &body), ["valor_frete"]);
}

#[test]
fn what_older_examples_say_more_is_taken_and_told() {
    let body = with(nfe(), "/forma_pagamento", "0");
    let body = with(body, "/formas_pagamento/0/troco", "0.00");
    let order = ordered(
        Kind::Nfe,
        &with(body, "/formas_pagamento/0/forma_pagamento", "1"),
    );
    assert_eq!(order.body["pagamentos"][0]["forma"], "01");
    let told: Vec<&str> = order.notices.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(told, ["forma_pagamento"]);
    let body = with(nfe(), "/formas_pagamento/0/troco", "1.50");
    assert_eq!(wrong(Kind::Nfe, &body), ["formas_pagamento[0].troco"]);
}
