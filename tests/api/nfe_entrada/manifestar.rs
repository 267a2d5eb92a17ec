//! POST /api/v1/nfe-entrada/manifestar

use super::{
    CNPJ, CONSULTAR, MANIFESTAR, PAUSE_MS, consult, deposit, fault, items, later, say, xml,
};
use crate::common::{BELO_HORIZONTE, assert_refusal, cnpj};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prints::danfe::{self, PrintOptions};
use serde_json::json;
use std::convert::Infallible;
use store::TxError;
use store::ids::RecebidaId;
use store::tables::recebidas;
use store::words::Maybe;
use tests::{TestApp, both, on_sqlite};

const REASON: &str = "Mercadoria devolvida no ato da entrega";

both! {
    async fn awareness_opens_the_note_and_the_last_word_changes_once(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        let chave = keys[0].as_str();
        assert_refusal(&say(&app, chave, "ciencia").await, "404 nao_encontrado");
        consult(&app).await;
        let said = say(&app, chave, "ciencia").await;
        assert_eq!((said.status, said.text_at("/evento/manifestacao"), said.text_at("/evento/status_sefaz")), (200, "ciencia", "135"), "{}", said.text);
        assert_eq!((said.text_at("/evento/codigo"), said.text_at("/chave")), ("210210", chave));
        assert_eq!(said.body["creditos"], json!({ "reservado": 0, "debitado": 4, "saldo": 192 }));

        let by_key = app.post(CONSULTAR, &json!({ "modo": "chave", "chave": chave })).await;
        assert_eq!((by_key.text_at("/itens/0/tipo"), &by_key.body["novas"]), ("completa", &json!(0)), "{}", by_key.text);
        let note = app.get(&format!("/api/v1/nfe-entrada/{chave}")).await;
        assert_eq!((&note.body["completa"], note.text_at("/resumo/manifestacao")), (&json!(true), "ciencia"), "{}", note.text);
        let whole = xml(&note);
        assert!(whole.contains("<nfeProc") && whole.contains("<protNFe"), "{whole}");
        assert_eq!(Some(whole), app.app.simulator.sim.nfe_proc(chave));

        assert_refusal(&say(&app, chave, "ciencia").await, "409 estado_invalido");
        assert_eq!(say(&app, chave, "confirmacao").await.status, 200);
        assert_refusal(&say(&app, chave, "ciencia").await, "409 estado_invalido");
        assert_refusal(&say(&app, chave, "confirmacao").await, "409 estado_invalido");
        let changed = json!({ "chave": chave, "tipo": "operacao_nao_realizada", "justificativa": REASON });
        let changed = app.post(MANIFESTAR, &changed).await;
        assert_eq!((changed.status, changed.text_at("/evento/manifestacao")), (200, "nao_realizada"), "{}", changed.text);
        assert_refusal(&say(&app, chave, "desconhecimento").await, "409 estado_invalido");
        let note = app.get(&format!("/api/v1/nfe-entrada/{chave}")).await;
        assert_eq!(note.text_at("/resumo/manifestacao"), "nao_realizada");
        assert_eq!(app.balance().await, (200 - 5 * 4, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_repeated_call_is_answered_as_before(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        consult(&app).await;
        let body = json!({ "chave": keys[0], "tipo": "confirmacao" });
        let first = app.post_as(&app.live_key, MANIFESTAR, &body, Some("m-1")).await;
        let again = app.post_as(&app.live_key, MANIFESTAR, &body, Some("m-1")).await;
        assert_eq!((first.status, &first.text, again.header("idempotent-replayed")), (200, &again.text, "true"));
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_is_refused_costs_nothing_and_may_be_said_again(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        consult(&app).await;
        let chave = keys[0].as_str();
        for (body, summary) in [
            (json!({ "chave": chave, "tipo": "nao_realizada" }), "422 validacao_previa"),
            (json!({ "chave": chave, "tipo": "nao_realizada", "justificativa": "curta" }), "422 validacao_previa"),
            (json!({ "chave": chave, "tipo": "ciencia", "justificativa": REASON }), "400 parametro_invalido"),
        ] {
            let answer = app.post(MANIFESTAR, &body).await;
            assert_refusal(&answer, summary);
            assert_eq!(answer.text_at("/campos/0/campo"), "justificativa", "{}", answer.text);
        }
        app.app.simulator.sim.add_fault(sim::Fault {
            quando: sim::When { operacao: Some("manifestar".to_owned()), ..Default::default() },
            falha: sim::FaultKind::Recusar,
            codigo: Some("575".to_owned()),
            mensagem: Some("Rejeição: o autor não é o destinatário".to_owned()),
            ..Default::default()
        });
        let refused = say(&app, chave, "ciencia").await;
        assert_refusal(&refused, "422 rejeitada_pela_sefaz");
        assert_eq!(refused.text_at("/rejeicao/codigo"), "575", "{}", refused.text);
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(say(&app, chave, "ciencia").await.status, 200);
        app.check_invariants().await;
    }
}

both! {
    async fn what_a_lost_answer_left_open_is_said_once(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        consult(&app).await;
        fault(&app, "manifestar", sim::FaultKind::CortarDepois);
        // No look-up shows events of the national environment: the same
        // bytes leave again, and the authority says that it has them (573).
        let said = say(&app, &keys[0], "ciencia").await;
        assert_eq!((said.status, said.text_at("/evento/status"), said.text_at("/evento/status_sefaz")), (200, "registrado", "573"), "{}", said.text);
        let state = app.app.simulator.sim.overview();
        assert_eq!(state.eventos, [(keys[0].clone(), "210210".to_owned(), 1)]);
        let note = app.get(&format!("/api/v1/nfe-entrada/{}", keys[0])).await;
        assert_eq!(note.text_at("/resumo/manifestacao"), "ciencia");
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_note_its_supplier_cancelled_takes_no_awareness(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        consult(&app).await;
        app.app.simulator.sim.cancel_deposit(&keys[0]).expect("cancelled");
        later(&app, PAUSE_MS);
        let answer = consult(&app).await;
        assert_eq!((answer.text_at("/itens/0/tipo"), answer.text_at("/itens/0/codigo")), ("evento", "110111"), "{}", answer.text);
        let note = app.get(&format!("/api/v1/nfe-entrada/{}", keys[0])).await;
        assert_eq!(note.text_at("/resumo/situacao"), "cancelada");
        assert_refusal(&say(&app, &keys[0], "ciencia").await, "409 estado_invalido");
        let events = app.get(&format!("/api/v1/nfe-entrada/eventos?chave={}", keys[0])).await;
        assert_eq!((items(&events).len(), events.text_at("/itens/0/codigo")), (1, "110111"), "{}", events.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn the_danfe_of_a_note_its_supplier_cancelled_is_marked(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        consult(&app).await;
        say(&app, &keys[0], "ciencia").await;
        let whole = app.post(CONSULTAR, &json!({ "modo": "chave", "chave": keys[0] })).await;
        assert_eq!(whole.text_at("/itens/0/tipo"), "completa", "{}", whole.text);
        let note = app.get(&format!("/api/v1/nfe-entrada/{}", keys[0])).await;
        let text = xml(&note);
        let drawn = |cancelled| {
            let options = PrintOptions { cancelled, ..PrintOptions::default() };
            STANDARD.encode(danfe::danfe(&text, &options).expect("a printout"))
        };
        let printed = async || {
            let body = json!({ "xml_base64": STANDARD.encode(&text) });
            let printed = app.post("/api/v1/nfe/danfe-xml", &body).await;
            assert_eq!(printed.status, 200, "{}", printed.text);
            printed.text_at("/pdf_base64").to_owned()
        };
        assert!(printed().await == drawn(false));
        app.app.simulator.sim.cancel_deposit(&keys[0]).expect("cancelled");
        later(&app, PAUSE_MS);
        consult(&app).await;
        assert!(printed().await == drawn(true));
    }
}

/// A company that bills for another receives the note too.
async fn also_received(app: &TestApp, chave: &str, emitter: &str) {
    let mut conn = app.app.db.read().await.expect("connection");
    let rows = recebidas::by_chave(&mut conn, &app.account_id, chave, "", &Maybe(None)).await;
    drop(conn);
    let copy = recebidas::ReceivedNotaRow {
        id: RecebidaId::new(app.app.now_ms()),
        emitter_id: emitter.into(),
        ..rows.expect("database")[0].clone()
    };
    let written = app.app.db.write(copy, |copy, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(recebidas::insert(conn, copy).await?) })
    });
    assert!(written.await.expect("written"));
}

both! {
    async fn of_two_companies_with_one_note_the_request_names_one(app: TestApp) {
        let first = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let keys = deposit(&app, "producao", 1);
        consult(&app).await;
        let chave = keys[0].as_str();
        let second = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        also_received(&app, chave, &second).await;
        let path = format!("/api/v1/nfe-entrada/{chave}");
        for answer in [say(&app, chave, "ciencia").await, app.get(&path).await] {
            assert_refusal(&answer, "409 estado_invalido");
            let named = answer.body["emitentes"].as_array().expect("companies");
            assert!(named.len() == 2 && named.contains(&json!(first)) && named.contains(&json!(second)), "{}", answer.text);
        }
        let body = json!({ "chave": chave, "tipo": "ciencia", "emitente_id": first });
        let said = app.post(MANIFESTAR, &body).await;
        assert_eq!(said.status, 200, "{}", said.text);
        let note = app.get(&format!("{path}?emitente_id={first}")).await;
        assert_eq!((note.text_at("/resumo/emitente_id"), note.text_at("/resumo/manifestacao")), (first.as_str(), "ciencia"), "{}", note.text);
        assert_eq!(app.get(note.text_at("/resumo/links/recebida")).await.status, 200);
        for nobody in [format!("{path}?emitente_id=emi_nada"), "/api/v1/nfe-entrada/nada".to_owned()] {
            assert_refusal(&app.get(&nobody).await, "404 nao_encontrado");
        }
        // The copy has no XML of its own: the rules of the doctor do not hold.
        assert_eq!(app.balance().await, (192, 0));
    }
}
