//! Links between notes, and payments linked later.

use crate::common::{BELO_HORIZONTE, assert_refusal};
use serde_json::{Value, json};
use std::convert::Infallible;
use store::TxError;
use store::ids::EventoId;
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};
use store::words::Maybe;
use tests::bodies::{nfe, with};
use tests::{both, on_sqlite};

const CNPJ: &str = "11222333000181";

/// A note of R$ 37.80 that is paid after it is issued.
fn unpaid() -> Value {
    let later = json!([{ "forma": "pagamento_posterior", "valor": 37.80 }]);
    with(nfe(), "/pagamentos", later)
}

both! {
    async fn a_return_is_traced_both_ways(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let first = app.post("/api/v1/nfe", &nfe()).await;
        let second = app.post("/api/v1/nfe", &nfe()).await;
        let body = json!({ "ref": second.text_at("/nota_id"), "chave_origem": first.text_at("/chave"), "tipo": "devolucao" });
        let linked = app.post("/api/v1/nfe/vinculos", &body).await;
        assert_eq!(linked.status, 201, "{}", linked.text);
        let again = app.post("/api/v1/nfe/vinculos", &body).await;
        assert_eq!((again.status, again.text_at("/vinculo_id")), (200, linked.text_at("/vinculo_id")));
        let other = app.post("/api/v1/nfe/vinculos", &with(body.clone(), "/tipo", "complementar")).await;
        assert_refusal(&other, "409 estado_invalido");
        assert_eq!(other.text_at("/vinculo_id"), linked.text_at("/vinculo_id"));
        let of_second = app.get(&format!("/api/v1/nfe/{}/vinculos", second.text_at("/chave"))).await;
        assert_eq!(of_second.text_at("/origem/0/chave"), first.text_at("/chave"), "{}", of_second.text);
        let of_first = app.get(&format!("/api/v1/nfe/{}/vinculos", first.text_at("/nota_id"))).await;
        assert_eq!(of_first.text_at("/derivados/0/nota_id"), second.text_at("/nota_id"), "{}", of_first.text);
        let itself = with(body, "/chave_origem", second.text_at("/chave"));
        assert_refusal(&app.post("/api/v1/nfe/vinculos", &itself).await, "409 estado_invalido");
        app.check_invariants().await;
    }
}

both! {
    async fn payments_are_linked_up_to_what_is_left_and_undone_in_order(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfe", &unpaid()).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let nota = note.text_at("/nota_id");
        let day = note.text_at("/data_emissao").get(..10).expect("a day").to_owned();
        let link = |value: f64| json!({ "ref": nota, "pagamentos": [{ "forma": "pix", "valor": value, "data": day }] });
        let too_much = app.post("/api/v1/nfe/econf", &link(40.0)).await;
        assert_refusal(&too_much, "422 validacao_previa");
        // A payment of nothing is none, also among others.
        let mut nothing = link(1.5);
        let payments = nothing["pagamentos"].as_array_mut().expect("payments");
        payments.push(json!({ "forma": "pix", "valor": "0.00", "data": day }));
        let nothing = app.post("/api/v1/nfe/econf", &nothing).await;
        assert_refusal(&nothing, "422 validacao_previa");
        assert_eq!((nothing.text_at("/campos/0/campo"), nothing.text_at("/campos/0/codigo")), ("pagamentos[1].valor", "valor_invalido"), "{}", nothing.text);
        let first = app.post("/api/v1/nfe/econf", &link(20.0)).await;
        assert_eq!((first.status, first.text_at("/evento/codigo")), (200, "110750"), "{}", first.text);
        let second = app.post("/api/v1/nfe/econf", &link(17.8)).await;
        assert_eq!(second.status, 200, "{}", second.text);
        let seen = app.get(&format!("/api/v1/nfe/{nota}/econf")).await;
        assert_eq!(seen.body["valor_restante"].to_string().trim_end_matches('0').trim_end_matches('.'), "0", "{}", seen.text);
        let undo = |evento: &tests::Answer| json!({ "ref": nota, "protocolo": evento.text_at("/evento/protocolo") });
        let younger = app.post("/api/v1/nfe/econf/desfazer", &undo(&second)).await;
        assert_refusal(&younger, "422 validacao_previa");
        let older = app.post("/api/v1/nfe/econf/desfazer", &undo(&first)).await;
        assert_eq!((older.status, older.text_at("/evento/codigo")), (200, "110751"), "{}", older.text);
        let seen = app.get(&format!("/api/v1/nfe/{nota}/econf")).await;
        assert_eq!(seen.body["pagamentos"][0]["desfeito"], true, "{}", seen.text);
        app.check_invariants().await;
    }
}

both! {
    async fn what_is_left_is_linked_once_however_many_ask_at_once(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let later = with(nfe(), "/pagamentos", json!([{ "forma": "pagamento_posterior", "valor": 37.80 }]));
        let note = app.post("/api/v1/nfe", &later).await;
        let day = note.text_at("/data_emissao").get(..10).expect("a day").to_owned();
        let link = json!({ "ref": note.text_at("/nota_id"), "pagamentos": [{ "forma": "pix", "valor": 30.0, "data": day }] });
        let asked = futures::future::join_all((0..8).map(|_| app.post("/api/v1/nfe/econf", &link))).await;
        let linked: Vec<_> = asked.iter().filter(|answer| answer.status == 200).collect();
        assert_eq!(linked.len(), 1, "{asked:?}");
        for refused in asked.iter().filter(|answer| answer.status != 200) {
            assert!(matches!(refused.summary().as_str(), "409 estado_invalido" | "422 validacao_previa"), "{}", refused.text);
        }
        let undo = json!({ "ref": note.text_at("/nota_id"), "protocolo": linked[0].text_at("/evento/protocolo") });
        let undone = futures::future::join_all((0..8).map(|_| app.post("/api/v1/nfe/econf/desfazer", &undo))).await;
        assert_eq!(undone.iter().filter(|answer| answer.status == 200).count(), 1, "{undone:?}");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn many_questions_hide_no_payment(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfe", &unpaid()).await;
        let nota = note.text_at("/nota_id").to_owned();
        let day = note.text_at("/data_emissao").get(..10).expect("a day").to_owned();
        let question = EventoRow {
            account_id: app.account_id.clone(),
            nota_id: Maybe::of(&nota),
            tipo: EventKind::Query,
            status: EventoStatus::Registered,
            conteudo: "{}".to_owned(),
            context: "{}".to_owned(),
            resultado: "{}".to_owned(),
            detalhes: "{}".to_owned(),
            ..EventoRow::default()
        };
        let now_ms = app.app.now_ms();
        let asked = app.app.db.write((question, now_ms), |(question, now_ms), conn| {
            Box::pin(async move {
                for _ in 0..101 {
                    let one = EventoRow { id: EventoId::new(*now_ms), created_at_ms: *now_ms, updated_at_ms: *now_ms, ..question.clone() };
                    assert!(eventos::insert(conn, &one).await?);
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
        asked.await.expect("written");
        let link = json!({ "ref": nota, "pagamentos": [{ "forma": "pix", "valor": 30.0, "data": day }] });
        let first = app.post("/api/v1/nfe/econf", &link).await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_refusal(&app.post("/api/v1/nfe/econf", &link).await, "422 validacao_previa");
        let seen = app.get(&format!("/api/v1/nfe/{nota}/econf")).await;
        assert_eq!(seen.body["valor_restante"].to_string(), "7.80", "{}", seen.text);
        let history = app.get(&format!("/api/v1/documentos/{nota}/historico")).await;
        let lines = history.body["itens"].as_array().expect("lines");
        let events = |kind: &str| lines.iter().filter(|line| line["tipo"] == kind && line["status"] == "registrado").count();
        assert_eq!((events("econf"), events("consulta")), (1, 50), "{}", history.text);
        let link = lines.iter().find_map(|line| line["xml_link"].as_str().filter(|link| link.contains("?evento=")));
        assert_eq!(app.get(link.expect("the event's XML")).await.status, 200);
        app.check_invariants().await;
    }
}
