//! Bodies of the NFS-e of the national environment.

use super::bodies::{national, with};
use super::{ordered, wrong};
use moving::kind::Kind;
use serde_json::{Value, json};

#[test]
fn a_note_is_read_to_its_last_member() {
    let order = ordered(Kind::NfseNational, &national());
    assert_eq!(
        Value::Object(order.body),
        json!({
            "via": "nacional", "data_emissao": "2026-10-05T10:15:00-03:00",
            "data_competencia": "2026-10-05",
            "regime": { "opcao_simples": "1", "especial": "0" },
            "tomador": { "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda" },
            "servico": {
                "codigo_municipio_prestacao": "3106200", "codigo_tributacao_nacional": "010101",
                "descricao": "Desenvolvimento de software"
            },
            "valores": { "servico": 1500.0, "iss": { "tributacao": "1", "retencao": "1" } }
        })
    );
}

#[test]
fn the_approximate_taxes_are_told_in_one_way() {
    let rates = with(national(), "/percentual_total_tributos_federais", 13.45);
    let order = ordered(
        Kind::NfseNational,
        &with(rates.clone(), "/percentual_total_tributos_municipais", "2"),
    );
    let read = &order.body["valores"]["tributos_aproximados"];
    assert_eq!(
        (&read["modo"], &read["municipal"]),
        (&json!("percentuais"), &json!("2"))
    );
    assert_eq!(read["federal"].to_string(), "13.45");
    let order = ordered(
        Kind::NfseNational,
        &with(national(), "/indicador_total_tributacao", 0),
    );
    assert_eq!(
        order.body["valores"]["tributos_aproximados"],
        json!({ "modo": "nao_informado" })
    );
    let order = ordered(
        Kind::NfseNational,
        &with(national(), "/percentual_total_tributos_simples_nacional", 6),
    );
    assert_eq!(
        order.body["valores"]["tributos_aproximados"],
        json!({ "modo": "simples", "percentual": 6 })
    );
    let two = with(rates, "/valor_total_tributos_federais", 1);
    assert_eq!(
        wrong(Kind::NfseNational, &two),
        ["percentual_total_tributos_simples_nacional"]
    );
}

#[test]
fn a_suspension_is_how_the_iss_is_owed() {
    let body = with(national(), "/tipo_exigibilidade_suspensao", 2);
    let order = ordered(Kind::NfseNational, &body);
    assert_eq!(
        order.body["valores"]["iss"]["exigibilidade"],
        "suspensa_administrativa"
    );
}

#[test]
fn what_cannot_be_said_is_named() {
    let cases = [
        ("/numero_dps", json!("1"), "numero_dps"),
        ("/cpf_prestador", json!("12345678909"), "cpf_prestador"),
        ("/emitente_dps", json!(2), "emitente_dps"),
        ("/finalidade_emissao", json!(1), "finalidade_emissao"),
        (
            "/codigo_municipio_emissora",
            json!(3550308),
            "codigo_municipio_emissora",
        ),
        (
            "/tipo_exigibilidade_suspensao",
            json!(3),
            "tipo_exigibilidade_suspensao",
        ),
        ("/servico", json!({}), "servico"),
    ];
    for (pointer, value, name) in cases {
        let found = wrong(Kind::NfseNational, &with(national(), pointer, value));
        assert!(
            found.iter().any(|found| found == name),
            "{pointer}: {found:?}"
        );
    }
}
