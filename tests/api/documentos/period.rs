//! Periods and names, as the customer means them.

use crate::common::{BELO_HORIZONTE, DAY_MS, assert_refusal};
use base::when;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::bodies::{nfe, with};
use tests::{TestApp, both};
use time::Duration;

const CNPJ: &str = "11222333000181";
const BUSCAR: &str = "/api/v1/documentos/buscar";

/// Moves the clock to 22:30 in Brasília: 01:30 of the next day in UTC.
fn late_in_the_evening(app: &TestApp) {
    let now_ms = app.app.now_ms();
    let half_past_one = 90 * 60_000;
    let ahead = (half_past_one - now_ms).rem_euclid(DAY_MS);
    app.ahead_ms.fetch_add(ahead, Ordering::Relaxed);
}

/// Documents of the day, or between two moments: listed, searched, audited,
/// exported.
async fn found(app: &TestApp, of: &str, until: &str) -> [Value; 4] {
    let listed = app.get(&format!("/api/v1/nfe?de={of}&ate={until}")).await;
    let period = json!({ "de": of, "ate": until });
    let searched = app.post(BUSCAR, &period).await;
    let audited = app.post("/api/v1/documentos/auditar", &period).await;
    let exported = app.post("/api/v1/documentos/exportar", &period).await;
    assert_eq!(exported.status, 202, "{}", exported.text);
    let path = exported.header("location").to_owned();
    let done = app
        .until(&path, |answer| answer.text_at("/status") == "pronta")
        .await;
    let count = |answer: &tests::Answer| json!(answer.body["itens"].as_array().map(Vec::len));
    [
        count(&listed),
        count(&searched),
        audited.body["verificados"].clone(),
        done.body["documentos"].clone(),
    ]
}

both! {
    async fn a_day_is_one_of_brasilia(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        late_in_the_evening(&app);
        let now_ms = app.app.now_ms();
        let (today, tomorrow) = (when::today(now_ms, "DF"), when::utc(now_ms).date());
        assert_ne!(today, tomorrow);
        let note = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        for (of, until, count) in [
            (today.to_string(), today.to_string(), 1),
            (tomorrow.to_string(), tomorrow.to_string(), 0),
            (format!("{today}T22:00:00-03:00"), format!("{tomorrow}T02:30:00Z"), 1),
            (format!("{today}T22:00:00-03:00"), format!("{tomorrow}T01:00:00Z"), 0),
        ] {
            assert_eq!(found(&app, &of, &until).await, [count; 4].map(Value::from), "{of} to {until}");
        }
        let wrong = app.get(&format!("/api/v1/nfe?de={today}T22:00:00")).await;
        assert_refusal(&wrong, "400 parametro_invalido");
        app.check_invariants().await;
    }
}

both! {
    async fn a_package_goes_by_the_day_of_emission(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let earlier = when::local(app.app.now_ms(), "MG") - Duration::days(2);
        let note = app.post("/api/v1/nfe", &with(nfe(), "/data_emissao", when::format(earlier))).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let (then, today) = (earlier.date().to_string(), when::today(app.app.now_ms(), "MG").to_string());
        let [_, _, audited, exported] = found(&app, &then, &then).await;
        assert_eq!((audited, exported), (json!(1), json!(1)));
        let [listed, _, audited, exported] = found(&app, &today, &today).await;
        assert_eq!((listed, audited, exported), (json!(1), json!(0), json!(0)));
        app.check_invariants().await;
    }
}

both! {
    async fn a_name_is_found_however_it_is_typed(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let body = with(nfe(), "/destinatario/nome", "AÇOUGUE SÃO JOSÉ Ltda");
        assert_eq!(app.post("/api/v1/nfe", &body).await.summary(), "201 autorizada");
        for (name, count) in [("são josé", 1), ("SAO JOSE", 1), ("açougue s", 1), ("Açougue São", 1), ("s%o", 0), ("s_o", 0), ("João", 0)] {
            let answer = app.post(BUSCAR, &json!({ "nome": name })).await;
            assert_eq!(answer.body["itens"].as_array().map(Vec::len), Some(count), "{name}: {}", answer.text);
        }
        app.check_invariants().await;
    }
}

tests::on_sqlite! {
    async fn nothing_is_audited_of_an_emitter_that_is_not_there(app: TestApp) {
        let body = json!({ "emitente_id": "emi_01ARZ3NDEKTSV4RRFFQ69G5FAV" });
        let answer = app.post("/api/v1/documentos/auditar", &body).await;
        assert_refusal(&answer, "404 nao_encontrado");
    }
}
