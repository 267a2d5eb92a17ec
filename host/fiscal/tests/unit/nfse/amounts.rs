//! The base, the ISS and what the customer pays, of a note that is not sent yet.

use fiscal::nfse::{amounts, dps::Content};
use serde_json::{Value, json};

/// Base, rate, ISS, what is withheld, net; `-` where the note says none.
fn of(values: Value, regime: Value) -> String {
    let content =
        json!({ "servico": { "descricao": "Curso" }, "valores": values, "regime": regime });
    let content: Content = serde_json::from_value(content).expect("a content");
    let found = amounts(&content);
    let shown = [found.base, found.rate, found.iss].map(|amount| {
        let text = amount.map(|amount| amount.to_string());
        text.unwrap_or_else(|| "-".to_owned())
    });
    format!("{} {} {}", shown.join(" "), found.withheld, found.net)
}

#[test]
fn what_is_withheld_leaves_the_net() {
    let iss = |more: Value| json!({ "aliquota": 2.5, "retencao": more });
    for (values, expected) in [
        (json!({ "servico": 1000 }), "1000.00 - - 0.00 1000.00"),
        (
            json!({ "servico": 1000, "desconto_incondicionado": 100, "iss": iss(json!("nao_retido")) }),
            "900.00 2.5 22.50 0.00 900.00",
        ),
        (
            json!({ "servico": 1000, "desconto_incondicionado": 100, "iss": iss(json!("tomador")) }),
            "900.00 2.5 22.50 22.50 877.50",
        ),
        (
            json!({ "servico": 1000, "desconto_condicionado": 10, "deducoes": { "percentual": 40 }, "retencoes": { "inss": 11, "ir": 1.5 }, "iss": iss(json!("tomador")) }),
            "600.00 2.5 15.00 27.50 962.50",
        ),
        (
            json!({ "servico": 0.99, "iss": iss(json!("tomador")) }),
            "0.99 2.5 0.02 0.02 0.97",
        ),
    ] {
        assert_eq!(of(values.clone(), Value::Null), expected, "{values}");
    }
}

#[test]
fn a_note_does_not_say_every_iss() {
    let values = |withheld: &str, taxed: &str| json!({ "servico": 100, "iss": { "aliquota": 5, "retencao": withheld, "tributacao": taxed } });
    let simples =
        json!({ "opcao_simples": "me_epp", "apuracao_simples": "federais_e_municipal_pelo_sn" });
    let without = "- - - 0.00 100.00";
    for (values, regime, expected) in [
        (values("nao_retido", "tributavel"), simples.clone(), without),
        (
            values("tomador", "tributavel"),
            simples,
            "100.00 5 5.00 5.00 95.00",
        ),
        (
            values("nao_retido", "tributavel"),
            json!({ "opcao_simples": "mei" }),
            without,
        ),
        (
            values("nao_retido", "tributavel"),
            json!({ "especial": "sociedade_de_profissionais" }),
            without,
        ),
        (values("nao_retido", "imunidade"), json!({}), without),
        (
            values("nao_retido", "tributavel"),
            json!({}),
            "100.00 5 5.00 0.00 100.00",
        ),
    ] {
        assert_eq!(of(values.clone(), regime), expected, "{values}");
    }
}
