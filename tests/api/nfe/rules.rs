//! What the authority would refuse is told before anything is spent.

use crate::common::BELO_HORIZONTE;
use serde_json::{Value, json};
use tests::bodies::{nfce, nfe, with};
use tests::{Answer, on_sqlite};

const CNPJ: &str = "11222333000181";
const NFE: &str = "/api/v1/nfe";

/// The messages of the pre-flight for one field.
fn told(answer: &Answer, field: &str) -> String {
    assert_eq!(answer.summary(), "422 validacao_previa", "{}", answer.text);
    let fields = answer.body["campos"].as_array().expect("campos");
    let messages = fields.iter().filter(|one| one["campo"] == field);
    messages
        .flat_map(|one| [&one["mensagem"], &one["correcao"]])
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join(" ")
}

/// An invoice of the note's 37.80 in two parts.
fn charge() -> Value {
    json!({
        "fatura": { "numero": "F1", "valor_original": 37.80, "desconto": 0, "valor_liquido": 37.80 },
        "duplicatas": [
            { "numero": "001", "vencimento": "2099-01-10", "valor": 18.90 },
            { "numero": "002", "vencimento": "2099-02-10", "valor": 18.90 },
        ],
    })
}

on_sqlite! {
    async fn an_invoice_adds_up(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let good = app.post(NFE, &with(nfe(), "/cobranca", charge())).await;
        assert_eq!(good.summary(), "201 autorizada", "{}", good.text);
        let spent = app.balance().await;
        for (pointer, value, field, rejection) in [
            ("/fatura/desconto", json!(40), "cobranca.fatura.desconto", "901"),
            ("/fatura/valor_liquido", json!(30), "cobranca.fatura.valor_liquido", "902"),
            ("/duplicatas/1/valor", json!(10), "cobranca.duplicatas", "851"),
            ("/duplicatas/0/vencimento", Value::Null, "cobranca.duplicatas[0].vencimento", "900"),
            ("/duplicatas/0/vencimento", json!("2020-01-01"), "cobranca.duplicatas[0].vencimento", "900"),
            ("/duplicatas/1/vencimento", json!("2098-12-31"), "cobranca.duplicatas[1].vencimento", "850"),
        ] {
            let body = with(nfe(), "/cobranca", with(charge(), pointer, value));
            let answer = app.post(NFE, &body).await;
            assert!(told(&answer, field).contains(rejection), "{pointer}: {}", answer.text);
        }
        assert_eq!(app.balance().await, spent);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_does_not_belong_in_the_note_is_told_by_its_path(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let spent = app.balance().await;
        let icms = json!({ "icms": { "csosn": "102", "aliquota": 18 } });
        let answer = app.post(NFE, &with(nfe(), "/itens/0/impostos", icms)).await;
        assert!(told(&answer, "itens[0].impostos.icms.aliquota").contains("CSOSN 102"), "{}", answer.text);
        let debit = with(with(nfe(), "/finalidade", "nota_debito"), "/tipo_nota_debito", "multa_juros");
        let debit = with(debit, "/itens/0/impostos", json!({ "icms": { "csosn": "102" } }));
        let answer = app.post(NFE, &debit).await;
        assert!(told(&answer, "itens[0].impostos.icms").contains("1001"), "{}", answer.text);
        assert_eq!(app.balance().await, spent);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn parties_and_payments_are_checked(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let card = |card: Value| json!([{ "forma": "cartao_credito", "valor": 37.80, "cartao": card }]);
        for (pointer, value, field, rejection) in [
            ("/pagamentos", card(json!({ "integrado": true, "cnpj_credenciadora": "11444777000161" })), "pagamentos[0].cartao.autorizacao", "392"),
            ("/pagamentos", card(json!({ "integrado": true, "autorizacao": "123456" })), "pagamentos[0].cartao.cnpj_credenciadora", "392"),
            ("/transporte", json!({ "modalidade_frete": "emitente", "transportador": { "nome": "Transportes Exemplo", "ie": "1", "uf": "MG" } }), "transporte.transportador.ie", "544"),
            ("/transporte", json!({ "modalidade_frete": "emitente", "transportador": { "nome": "Transportes Exemplo", "ie": "0623079040081" } }), "transporte.transportador.uf", "559"),
            ("/destinatario/nome", json!(""), "destinatario.nome", "nome"),
            ("/pagamentos", json!([{ "forma": "pix", "valor": "9999999999999.99" }]), "troco", "866"),
        ] {
            let answer = app.post(NFE, &with(nfe(), pointer, value)).await;
            assert!(told(&answer, field).contains(rejection), "{field}: {}", answer.text);
        }
        assert_eq!(app.balance().await, (200, 0));
        // With its change said, or worked out at the counter, it is as before.
        let body = with(nfe(), "/pagamentos", json!([{ "forma": "dinheiro", "valor": 50 }]));
        let paid = app.post(NFE, &with(body, "/troco", 12.20)).await;
        assert_eq!(paid.summary(), "201 autorizada", "{}", paid.text);
        let mut counter = nfce();
        counter.as_object_mut().expect("an object").remove("troco");
        let counter = app.post("/api/v1/nfce", &counter).await;
        assert_eq!(counter.summary(), "201 autorizada", "{}", counter.text);
        assert_eq!(counter.body["totais"]["troco"].to_string(), "1.10", "{}", counter.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_code_without_digits_is_not_left_out(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let address = nfe()["destinatario"]["endereco"].clone();
        for (pointer, value, field) in [
            ("/itens/0/cfop", json!("]]>"), "itens[0].cfop"),
            ("/itens/0/cfop", json!("٥١٠٢"), "itens[0].cfop"),
            ("/itens/0/cest", json!("--"), "itens[0].cest"),
            ("/destinatario/endereco/cep", json!("]]>"), "destinatario.endereco.cep"),
            ("/destinatario/telefone", json!("abc"), "destinatario.telefone"),
            ("/entrega", json!({ "cpf_cnpj": CNPJ, "telefone": "()", "endereco": address }), "entrega.telefone"),
        ] {
            let answer = app.post(NFE, &with(nfe(), pointer, value)).await;
            assert!(!told(&answer, field).is_empty(), "{field}: {}", answer.text);
        }
        let masked = with(with(nfe(), "/destinatario/endereco/cep", "30140-071"), "/destinatario/telefone", "(31) 3333-4444");
        let answer = app.post(NFE, &masked).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
    }
}

on_sqlite! {
    async fn totals_are_numbers_with_cents(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post(NFE, &nfe()).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let read = app.get(&format!("/api/v1/documentos/{}", note.text_at("/nota_id"))).await;
        for answer in [note, read] {
            let totals = answer.body["totais"].as_object().expect("totais");
            assert_eq!(totals["produtos"].to_string(), "37.80");
            for (name, value) in totals {
                let cents = value.to_string();
                assert!(value.is_number() && cents.split_once('.').is_some_and(|(_, cents)| cents.len() == 2), "{name}: {cents}");
            }
        }
    }
}
