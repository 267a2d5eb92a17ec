//! Bodies of the NFS-e of a city.

use super::bodies::{nfse, with};
use super::{ordered, wrong};
use moving::kind::Kind;
use serde_json::{Value, json};

#[test]
fn a_note_is_read_to_its_last_member() {
    let order = ordered(Kind::Nfse, &nfse());
    assert_eq!(
        Value::Object(order.body),
        json!({
            "data_emissao": "2026-10-05T10:15:00-03:00", "data_competencia": "2026-10-05",
            "tomador": {
                "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda",
                "email": "cliente@example.com",
                "endereco": {
                    "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro",
                    "codigo_ibge": "3106200", "uf": "MG", "cep": "30140071"
                }
            },
            "servico": {
                "codigo_municipio_prestacao": "3106200", "item_lista_servico": "1.01",
                "descricao": "Desenvolvimento de software"
            },
            "valores": { "servico": 1500.0, "iss": { "aliquota": 2, "retencao": "nao_retido" } },
            "regime": {
                "opcao_simples": "nao_optante", "apuracao_simples": null, "especial": "nenhum",
                "incentivador_cultural": false
            }
        })
    );
    assert!(order.notices.is_empty(), "{:?}", order.notices);
}

#[test]
fn the_item_of_the_list_is_read_in_each_of_its_forms() {
    for (given, name, read) in [
        (json!("0107"), "item_lista_servico", "1.07"),
        (json!(1407), "item_lista_servico", "14.07"),
        (json!("107"), "item_lista_servico", "1.07"),
        (json!("01.07"), "item_lista_servico", "1.07"),
        (json!("010701"), "codigo_tributacao_nacional", "010701"),
    ] {
        let order = ordered(
            Kind::Nfse,
            &with(nfse(), "/servico/item_lista_servico", given.clone()),
        );
        assert_eq!(order.body["servico"][name], read, "{given}");
    }
}

#[test]
fn the_nature_of_the_operation_is_how_the_iss_is_owed() {
    for (nature, pointer, read) in [
        ("3", "/iss/exigibilidade", "isencao"),
        ("4", "/iss/tributacao", "imunidade"),
        ("5", "/iss/exigibilidade", "suspensa_judicial"),
        ("6", "/iss/exigibilidade", "suspensa_administrativa"),
    ] {
        let order = ordered(Kind::Nfse, &with(nfse(), "/natureza_operacao", nature));
        assert_eq!(
            order.body["valores"].pointer(pointer),
            Some(&json!(read)),
            "{nature}"
        );
    }
}

#[test]
fn who_keeps_the_iss_and_by_which_regime() {
    let body = with(nfse(), "/servico/iss_retido", true);
    let order = ordered(
        Kind::Nfse,
        &with(body, "/servico/valor_iss_retido", "30.00"),
    );
    assert_eq!(order.body["valores"]["iss"]["retencao"], "tomador");
    let body = with(nfse(), "/optante_simples_nacional", "true");
    let order = ordered(Kind::Nfse, &body);
    assert_eq!(order.body["regime"]["opcao_simples"], "me_epp");
    let order = ordered(Kind::Nfse, &with(body, "/regime_especial_tributacao", "5"));
    assert_eq!(
        (
            &order.body["regime"]["opcao_simples"],
            &order.body["regime"]["especial"]
        ),
        (&json!("mei"), &json!("nenhum"))
    );
}

#[test]
fn what_cannot_be_said_is_named() {
    let cases = [
        ("/discriminacao", json!("x"), "discriminacao"),
        ("/servico/valor", json!(1), "servico.valor"),
        ("/servico/valor_iss", json!(31), "servico.valor_iss"),
        (
            "/servico/valor_iss_retido",
            json!(30),
            "servico.valor_iss_retido",
        ),
        ("/servico/base_calculo", json!(1400), "servico.base_calculo"),
        ("/servico/iss_retido", json!("talvez"), "servico.iss_retido"),
        (
            "/servico/percentual_total_tributos",
            json!(10),
            "servico.percentual_total_tributos",
        ),
        ("/natureza_operacao", json!("9"), "natureza_operacao"),
        (
            "/regime_especial_tributacao",
            json!("5"),
            "optante_simples_nacional",
        ),
        (
            "/prestador/codigo_municipio",
            json!(3550308),
            "prestador.codigo_municipio",
        ),
        (
            "/prestador/inscricao_municipal",
            json!("54321"),
            "prestador.inscricao_municipal",
        ),
        (
            "/tomador/endereco/pais",
            json!("BR"),
            "tomador.endereco.pais",
        ),
        (
            "/numero_rps_substituido",
            json!("1"),
            "numero_rps_substituido",
        ),
        ("/tomador", json!("x"), "tomador"),
    ];
    for (pointer, value, name) in cases {
        let found = wrong(Kind::Nfse, &with(nfse(), pointer, value));
        assert!(
            found.iter().any(|found| found == name),
            "{pointer}: {found:?}"
        );
    }
}

#[test]
fn what_older_examples_say_more_is_taken_and_told() {
    let body = with(nfse(), "/razao_social", "EMPRESA DE TESTE LTDA");
    let body = with(body, "/status", "1");
    let order = ordered(
        Kind::Nfse,
        &with(body.clone(), "/servico/valor_liquido", 1500),
    );
    let told: Vec<&str> = order.notices.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(told, ["servico.valor_liquido"]);
    assert_eq!(
        order.body,
        ordered(Kind::Nfse, &nfse()).body,
        "nothing of it is in the note"
    );
    let found = wrong(Kind::Nfse, &with(body, "/status", "2"));
    assert_eq!(found, ["status"]);
}
