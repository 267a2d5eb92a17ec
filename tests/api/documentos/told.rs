//! Events go when their time is over; what the history of a document says of them stays.

use super::packed::pack;
use crate::common::{BELO_HORIZONTE, cnpj};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::bodies::{nfe, nfse};
use tests::{Answer, TestApp, both};

const DAY_MS: i64 = 86_400_000;

/// The lines of a note's history.
async fn lines(app: &TestApp, note: &Answer) -> Value {
    let path = format!("/api/v1/documentos/{}/historico", note.text_at("/nota_id"));
    let answer = app.get(&path).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["itens"].clone()
}

/// Ids of the events of webhooks that a history names.
fn events(lines: &Value) -> Vec<String> {
    let lines = lines.as_array().expect("lines").iter();
    let told = lines.filter(|line| line["origem"] == "evento");
    let ids = told.map(|line| line["evento_id"].as_str().expect("an id").to_owned());
    ids.collect()
}

/// The ids of the feed from its beginning, and their places.
fn feed(items: &[Value]) -> Vec<(String, i64)> {
    let of = |event: &Value| {
        let id = event["id"].as_str().expect("an id").to_owned();
        (id, event["sequencia"].as_i64().expect("a place"))
    };
    items.iter().map(of).collect()
}

both! {
    async fn the_history_of_a_note_stays_when_its_events_go(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let service = app.post("/api/v1/nfse", &nfse()).await;
        let product = app.post("/api/v1/nfe", &nfe()).await;
        for note in [&service, &product] {
            assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        }
        assert_eq!(pack(&app).await, 2);
        // The note itself does not change; what its customer is told of it does.
        let letter = json!({ "ref": product.text_at("/nota_id"), "correcao": "Onde se lê volume 1, leia-se volume 2" });
        let letter = app.post("/api/v1/nfe/cce", &letter).await;
        assert_eq!(letter.summary(), "200 autorizada", "{}", letter.text);
        assert_eq!(pack(&app).await, 2, "the letter, and the note again");
        app.ahead_ms.store(3 * DAY_MS, Ordering::Relaxed);
        let young = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(young.summary(), "201 autorizada", "{}", young.text);
        let told = feed(&app.until_told("/api/v1/eventos?cursor=0", 4).await);
        let notes = [&service, &product, &young];
        let mut before = Vec::new();
        for note in notes {
            before.push(lines(&app, note).await);
        }
        let [service_told, product_told, young_told] = [0, 1, 2].map(|note| events(&before[note]));
        assert_eq!((service_told.len(), product_told.len(), young_told.len()), (1, 2, 1), "{before:?}");

        app.ahead_ms.store(92 * DAY_MS, Ordering::Relaxed);
        for id in service_told.iter().chain(&product_told) {
            app.until(&format!("/api/v1/eventos/{id}"), |answer| answer.status == 404).await;
        }
        let kept = app.get(&format!("/api/v1/eventos/{}", young_told[0])).await;
        assert_eq!(kept.status, 200, "{}", kept.text);
        for (note, before) in notes.into_iter().zip(&before) {
            assert_eq!(&lines(&app, note).await, before);
        }
        // Who goes on from an older place gets what is there, in its old place.
        let left = feed(&app.until_told("/api/v1/eventos?cursor=0", 1).await);
        assert_eq!(left.first(), told.last());
        assert_eq!(told.last().map(|(id, place)| (id, *place)), Some((&young_told[0], 4)));
        app.check_invariants().await;
    }
}
