//! What each kind of key sees: a test key nothing of production, a live one
//! nothing that is only simulated, both what is homologation.

use crate::common::{BELO_HORIZONTE, ask, ask_as, assert_refusal};
use accounts::caller::Caller;
use accounts::ledger::Payer;
use issuing::issue::{self, KeptForm};
use issuing::model::Model;
use reqwest::Method;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use store::ids::RequestId;
use store::words::KeyKind;
use tests::bodies::{nfe, nfse};
use tests::{TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const BUSCAR: &str = "/api/v1/documentos/buscar";

/// Documents a key finds: in the listing, by a search, and in an audit.
async fn seen(app: &TestApp, key: &str) -> [usize; 3] {
    let count = |answer: &tests::Answer| {
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.body["itens"].as_array().expect("a list").len()
    };
    let listed = ask_as(app, key, Method::GET, "/api/v1/nfe", None).await;
    let searched = json!({ "modelos": ["55"] });
    let searched = ask_as(app, key, Method::POST, BUSCAR, Some(&searched)).await;
    let audited = ask_as(
        app,
        key,
        Method::POST,
        "/api/v1/documentos/auditar",
        Some(&json!({})),
    )
    .await;
    let kept = audited.body["verificados"].as_u64().expect("a count");
    [
        count(&listed),
        count(&searched),
        usize::try_from(kept).expect("few"),
    ]
}

both! {
    async fn a_note_in_homologation_belongs_to_both_keys(app: TestApp) {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let change = json!({ "ambiente": "homologacao" });
        let changed = ask(&app, Method::PATCH, &format!("/api/v1/emitters/{emitter}"), Some(&change)).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let note = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!((note.summary().as_str(), note.text_at("/ambiente")), ("201 autorizada", "homologacao"), "{}", note.text);
        let id = note.text_at("/nota_id");
        let cce = json!({ "ref": id, "correcao": "Onde se lê volume 1, leia-se volume 2" });
        for key in [&app.live_key, &app.test_key] {
            let status = app.post_as(key, "/api/v1/nfe/status", &json!({ "ref": id }), None).await;
            assert_eq!((status.status, status.text_at("/situacao")), (200, "autorizada"), "{}", status.text);
            let letter = app.post_as(key, "/api/v1/nfe/cce", &cce, None).await;
            assert_eq!(letter.status, 200, "{}", letter.text);
            assert_eq!(seen(&app, key).await, [1, 1, 1]);
        }
        let cancel = json!({ "ref": id, "justificativa": "Mercadoria não saiu do estoque" });
        assert_eq!(app.post("/api/v1/nfe/cancelar", &cancel).await.summary(), "200 cancelada");
        app.check_invariants().await;
    }
}

both! {
    async fn a_test_key_sees_nothing_of_production(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfe", &nfe()).await;
        let draft = app.post("/api/v1/nfe/criar", &nfe()).await;
        let (id, chave) = (note.text_at("/nota_id"), note.text_at("/chave"));
        for reference in [id, chave] {
            for path in ["", "/historico", "/xml", "/danfe"] {
                let path = format!("/api/v1/documentos/{reference}{path}");
                assert_refusal(&ask_as(&app, &app.test_key, Method::GET, &path, None).await, "404 nao_encontrado");
            }
            let status = app.post_as(&app.test_key, "/api/v1/nfe/status", &json!({ "ref": reference }), None).await;
            assert_refusal(&status, "404 nao_encontrado");
        }
        let issue = json!({ "nota_id": draft.text_at("/nota_id") });
        assert_refusal(&app.post_as(&app.test_key, "/api/v1/nfe/emitir", &issue, None).await, "404 nao_encontrado");
        let path = format!("/api/v1/documentos/{}", draft.text_at("/nota_id"));
        assert_refusal(&ask_as(&app, &app.test_key, Method::DELETE, &path, None).await, "404 nao_encontrado");
        assert_eq!((seen(&app, &app.test_key).await, seen(&app, &app.live_key).await), ([0, 0, 0], [2, 2, 1]));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_draft_gives_its_place_only_to_its_kind_of_key(app: TestApp) {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let draft = app.post_as(&app.test_key, "/api/v1/nfe/criar", &nfe(), None).await;
        assert_eq!(draft.status, 201, "{}", draft.text);
        let id = draft.text_at("/nota_id");
        let path = format!("/api/v1/documentos/{id}");
        assert_eq!(app.get(&path).await.status, 200, "it is of homologação, which both see");
        let form = KeptForm {
            model: Model::Nfe,
            emitter: emitter.as_str().into(),
            body: None,
            texts: Vec::new(),
            party: (String::new(), String::new()),
            total: Decimal::ZERO,
            replaces: Some(id.into()),
        };
        for (kind, replaced, status) in [(KeyKind::Live, false, 200), (KeyKind::Test, true, 404)] {
            let caller = Caller {
                account_id: app.account_id.clone(),
                kind,
                request_id: RequestId::default(),
                payer: Payer::default(),
            };
            let kept = issue::unfinished(&app.app, caller, form.clone(), None).await;
            assert_eq!(kept.is_ok(), replaced, "{kind:?}");
            assert_eq!(app.get(&path).await.status, status, "{kind:?}");
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_live_key_sees_nothing_simulated(app: TestApp) {
        app.emitter_without_certificate(CNPJ, BELO_HORIZONTE).await;
        let note = app.post_as(&app.test_key, "/api/v1/nfe", &nfe(), None).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let service = app.post_as(&app.test_key, "/api/v1/nfse", &nfse(), None).await;
        for id in [note.text_at("/nota_id"), service.text_at("/nota_id")] {
            let path = format!("/api/v1/documentos/{id}");
            assert_refusal(&app.get(&path).await, "404 nao_encontrado");
            assert_eq!(ask_as(&app, &app.test_key, Method::GET, &path, None).await.status, 200);
        }
        let services = app.get("/api/v1/nfse").await;
        assert_eq!(services.body["itens"], Value::Array(Vec::new()), "{}", services.text);
        assert_eq!((seen(&app, &app.live_key).await, seen(&app, &app.test_key).await), ([0, 0, 0], [1, 1, 2]));
        app.check_invariants().await;
    }
}
