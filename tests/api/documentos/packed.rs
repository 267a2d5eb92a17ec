//! A document whose texts were packed, and moved, answers as before.

use crate::common::{BELO_HORIZONTE, ask_as, cnpj};
use objects::archive::{self, Place};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use store::tables::{artifacts, flows, packed};
use tests::bodies::{nfe, nfse, with};
use tests::{TestApp, both};

const DAY_MS: i64 = 86_400_000;

/// Packs all that is settled; how many documents.
pub(super) async fn pack(app: &TestApp) -> u64 {
    let (mut place, mut records) = (Place::default(), 0);
    let until_ms = app.app.now_ms() + DAY_MS;
    loop {
        let batch = archive::batch(&app.app.db, &mut place, until_ms).await;
        let batch = batch.expect("packed");
        assert_eq!((batch.lost, batch.failed), (0, 0));
        records += batch.records;
        if batch.is_last {
            return records;
        }
    }
}

/// What the hub answers about a document, and lists it in; each call has an id of its own.
async fn told(app: &TestApp, id: &str, request: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let pdf = if id.starts_with("nfse_") {
        format!("/api/v1/nfse/{id}/documento")
    } else {
        format!("/api/v1/documentos/{id}/danfe")
    };
    for path in [
        format!("/api/v1/documentos/{id}"),
        format!("/api/v1/documentos/{id}/xml"),
        format!("/api/v1/documentos/{id}/historico"),
        pdf,
        format!("/api/v1/usage/chamadas/{request}"),
        // Lists read the records of their pages.
        "/api/v1/documentos".to_owned(),
        "/api/v1/documentos?nome=a".to_owned(),
        "/api/v1/nfse".to_owned(),
        "/api/v1/nfe".to_owned(),
    ] {
        let mut answer = ask_as(app, &app.live_key, Method::GET, &path, None).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        if let Some(body) = answer.body.as_object_mut() {
            body.remove("request_id");
        }
        all.push(answer.body);
    }
    all
}

both! {
    async fn a_packed_note_answers_as_before(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let notes = [
            ("nfse", app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("servico")).await),
            ("nfe", app.post_as(&app.live_key, "/api/v1/nfe", &nfe(), Some("produto")).await),
        ];
        let mut before = Vec::new();
        for (_, note) in &notes {
            assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
            before.push(told(&app, note.text_at("/nota_id"), note.text_at("/request_id")).await);
        }
        let read = async |id: &str, kind: &str| {
            let mut conn = app.app.db.read().await.expect("connection");
            let turns = flows::turns_of(&mut conn, &app.account_id, id).await.expect("journal");
            let flow = flows::last_of(&mut conn, id).await.expect("flow").expect("a flow");
            let xml = artifacts::get(&mut conn, &app.account_id, id, kind).await;
            let xml = xml.expect("document").expect("a document");
            let flow = (flow.conteudo, flow.context, flow.way, flow.component, flow.digest);
            (format!("{turns:?}"), flow, xml.bytes, xml.sha256, xml.media_type)
        };
        let kinds = ["nfse", "55"];
        let mut rows = Vec::new();
        for ((_, note), kind) in notes.iter().zip(kinds) {
            rows.push(read(note.text_at("/nota_id"), kind).await);
        }
        assert_eq!(pack(&app).await, 2);
        assert_eq!(pack(&app).await, 0, "once");
        let records = &app.app.objects.records;
        // Packed, then moved out of the database.
        for moves in [false, true] {
            if moves {
                let until_ms = app.app.now_ms();
                let moved = archive::move_records(&app.app.db, records, until_ms).await.expect("moved");
                assert_eq!(moved.records, 2);
            }
            for (((kind, note), kind_of_xml), (told_before, rows_before)) in
                notes.iter().zip(kinds).zip(before.iter().zip(&rows))
            {
                let id = note.text_at("/nota_id");
                assert!(read(id, kind_of_xml).await == *rows_before, "{kind}, moved: {moves}");
                let now = told(&app, id, note.text_at("/request_id")).await;
                assert_eq!(&now, told_before, "{kind}, moved: {moves}");
            }
        }
        for ((kind, note), body) in notes.iter().zip([nfse(), nfe()]) {
            let key = if *kind == "nfse" { "servico" } else { "produto" };
            let again = app.post_as(&app.live_key, &format!("/api/v1/{kind}"), &body, Some(key)).await;
            assert_eq!((again.header("idempotent-replayed"), &again.text), ("true", &note.text));
        }
        app.check_invariants().await;
    }
}

both! {
    async fn a_packed_note_is_replaced_and_cancelled(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let old = app.post("/api/v1/nfse", &nfse()).await;
        let product = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!(pack(&app).await, 2);
        let replacement = json!({ "chave": old.text_at("/chave"), "motivo": "99", "justificativa": "Descrição do serviço corrigida." });
        let body = with(with(nfse(), "/valores/servico", 1600), "/substitui", replacement);
        let new = app.post("/api/v1/nfse/substituir", &body).await;
        assert_eq!(new.summary(), "201 autorizada", "{}", new.text);
        let cancelled = json!({ "ref": product.text_at("/nota_id"), "justificativa": "Pedido desfeito pelo cliente." });
        let cancelled = app.post("/api/v1/nfe/cancelar", &cancelled).await;
        assert_eq!(cancelled.summary(), "200 cancelada", "{}", cancelled.text);
        let xml = format!("/api/v1/documentos/{}/xml?formato=binario", old.text_at("/nota_id"));
        let before = app.get(&xml).await.text;
        // The two notes again, for they changed, the new one, and the cancellation.
        assert_eq!(pack(&app).await, 4);
        assert_eq!(app.get(&xml).await.text, before);
        for (note, state) in [(&old, "cancelada"), (&new, "autorizada"), (&product, "cancelada")] {
            let path = format!("/api/v1/documentos/{}", note.text_at("/nota_id"));
            assert_eq!(app.get(&path).await.summary(), format!("200 {state}"));
        }
        app.check_invariants().await;
    }
}

both! {
    async fn a_journal_is_dropped_when_its_time_is_over_and_the_document_stays(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfe", &nfe()).await;
        let (id, request) = (note.text_at("/nota_id"), note.text_at("/request_id"));
        let before = told(&app, id, request).await;
        assert_eq!(pack(&app).await, 1);
        let now_ms = app.app.now_ms();
        let (db, records) = (&app.app.db, &app.app.objects.records);
        assert_eq!(archive::drop_journals(db, records, now_ms - DAY_MS).await.expect("dropped"), 0);
        assert_eq!(archive::drop_journals(db, records, now_ms).await.expect("dropped"), 1);
        assert_eq!(archive::drop_journals(db, records, now_ms).await.expect("dropped"), 0, "once");
        let after = told(&app, id, request).await;
        assert_eq!((&after[0], &after[1], &after[3]), (&before[0], &before[1], &before[3]));
        assert_eq!(after[4].pointer("/troca/situacao"), Some(&json!("eliminada")), "{}", after[4]);
        app.check_invariants().await;
    }
}

both! {
    async fn a_journal_that_moved_is_dropped_from_its_file_too(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!(pack(&app).await, 1);
        let now_ms = app.app.now_ms();
        let (db, records) = (&app.app.db, &app.app.objects.records);
        let moved = archive::move_records(db, records, now_ms).await.expect("moved");
        assert_eq!(moved.records, 1);
        let file = async || {
            let mut conn = app.app.db.read().await.expect("connection");
            let rows = packed::after(&mut conn, "", 10).await.expect("records");
            let folder = app.app.objects.config.storage.data_dir.join("records");
            folder.join(&rows[0].place)
        };
        let old = file().await;
        assert!(old.is_file(), "{}", old.display());
        assert_eq!(archive::drop_journals(db, records, now_ms).await.expect("dropped"), 1);
        let new = file().await;
        assert!(new.is_file() && !old.exists(), "{}", new.display());
        let mut conn = app.app.db.read().await.expect("connection");
        let id = note.text_at("/nota_id");
        let xml = artifacts::get(&mut conn, &app.account_id, id, "55").await.expect("document");
        assert!(xml.is_some());
        drop(conn);
        app.check_invariants().await;
    }
}

both! {
    async fn what_is_old_enough_moves_and_later_documents_of_its_kind_stay(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let issue = async || {
            for (path, body) in [("/api/v1/nfe", nfe()), ("/api/v1/nfse", nfse())] {
                let note = app.post(path, &body).await;
                assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
            }
        };
        issue().await;
        let between_ms = app.app.now_ms() + DAY_MS / 2;
        app.ahead_ms.store(DAY_MS, Ordering::Relaxed);
        issue().await;
        assert_eq!(pack(&app).await, 4);
        let (db, records) = (&app.app.db, &app.app.objects.records);
        for (until_ms, expected) in [(between_ms, 2), (between_ms, 0), (app.app.now_ms(), 2)] {
            let moved = archive::move_records(db, records, until_ms).await.expect("moved");
            assert_eq!(moved.records, expected);
            let dropped = archive::drop_journals(db, records, until_ms).await.expect("dropped");
            assert_eq!(dropped, expected);
        }
        app.check_invariants().await;
    }
}

both! {
    async fn a_node_packs_a_day_after_a_note_was_settled(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let records = async || {
            let mut conn = app.app.db.read().await.expect("connection");
            let rows = packed::after(&mut conn, "", 10).await.expect("records");
            rows.into_iter().map(|row| row.subject_id).collect::<Vec<_>>()
        };
        let mut place = Place::default();
        archive::round(&app.app.objects, &mut place).await.expect("a round");
        assert!(records().await.is_empty(), "not yet");
        app.ahead_ms.store(DAY_MS + 60_000, Ordering::Relaxed);
        archive::round(&app.app.objects, &mut place).await.expect("a round");
        assert_eq!(records().await, [note.text_at("/nota_id")]);
        app.check_invariants().await;
    }
}
