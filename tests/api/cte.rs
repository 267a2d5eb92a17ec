//! /api/v1/cte: drafts for everybody, the transmission in its test phase.

use crate::common::{BELO_HORIZONTE, ask, ask_as, assert_refusal};
use base::config::{Config, Transmission};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::Backend;
use tests::bodies::{cte, with};
use tests::{TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const CREATE: &str = "/api/v1/cte/criar-e-emitir";
const EPEC: &str = "/api/v1/cte/epec";
const REASON: &str = "SEFAZ de origem fora do ar";
const DRAFT: &str = "/api/v1/cte/criar";

/// The hub as it is delivered: nothing is sent.
async fn switched_off() -> TestApp {
    let set = |config: &mut Config| config.cte.transmissao = Transmission::Desligada;
    let app = TestApp::start_with(Backend::Sqlite, set).await;
    app.expect("a hub")
}

/// A file of an answer.
fn file(answer: &tests::Answer) -> Vec<u8> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    STANDARD.decode(answer.text_at("/base64")).expect("base64")
}

/// What speaks to an authority: method, path, body.
fn spoken(id: &str) -> Vec<(Method, &'static str, Option<Value>)> {
    let post = |path, body: Value| (Method::POST, path, Some(body));
    let note = json!({ "ref": id });
    vec![
        post(CREATE, cte()),
        post("/api/v1/cte/emitir", json!({ "nota_id": id })),
        post(
            "/api/v1/cte/cancelar",
            with(note.clone(), "/justificativa", "Serviço não foi prestado"),
        ),
        post(
            "/api/v1/cte/cce",
            with(note.clone(), "/correcoes", json!([])),
        ),
        post(
            "/api/v1/cte/inutilizar",
            json!({ "serie": 1, "numero_inicial": 1, "numero_final": 2, "justificativa": "Números não foram usados" }),
        ),
        post("/api/v1/cte/status", note),
        post(EPEC, with(cte(), "/justificativa", REASON)),
        (Method::GET, "/api/v1/cte/autorizador/status", None),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn switched_off_nothing_is_sent_and_nothing_spent() {
    let app = switched_off().await;
    app.release(&app.account_id).await;
    app.emitter(CNPJ, BELO_HORIZONTE).await;
    let draft = app.post(DRAFT, &cte()).await;
    assert_eq!(draft.summary(), "201 rascunho", "{}", draft.text);
    let id = draft.text_at("/nota_id");
    for (method, path, body) in spoken(id) {
        let answer = ask(&app, method, path, body.as_ref()).await;
        assert_refusal(&answer, "422 cte_em_teste");
        assert_eq!(
            (
                &answer.body["consumiu_numero_fiscal"],
                &answer.body["consumiu_credito"]
            ),
            (&json!(false), &json!(false)),
            "{path}"
        );
    }
    assert_eq!(app.balance().await, (200, 0));
    let again = app.get(&format!("/api/v1/documentos/{id}")).await;
    assert_eq!(
        (again.text_at("/status"), &again.body["numero"]),
        ("rascunho", &json!(null)),
        "{}",
        again.text
    );
    app.check_invariants().await;
}

on_sqlite! {
    async fn a_draft_is_listed_shown_and_printed(app: TestApp) {
        // Nothing leaves: no certificate is needed.
        app.emitter_without_certificate(CNPJ, BELO_HORIZONTE).await;
        let draft = app.post(DRAFT, &with(cte(), "/referencia", "frete-77")).await;
        assert_eq!(draft.summary(), "201 rascunho", "{}", draft.text);
        let id = draft.text_at("/nota_id").to_owned();
        assert!(id.starts_with("cte_"), "{id}");
        assert_eq!(
            (&draft.body["modelo"], &draft.body["tipo"], &draft.body["modal"], &draft.body["valor_total"].to_string()),
            (&json!("57"), &json!("normal"), &json!("rodoviario"), &"1500.00".to_owned()),
            "{}", draft.text
        );
        assert_eq!(draft.body["tomador"], json!({ "cpf_cnpj": "12345678000195", "nome": "Remetente Exemplo Ltda" }));
        for query in ["", "?status=rascunho", "?tomador=12.345.678/0001-95", "?valor_min=1500&valor_max=1500.00"] {
            let listed = app.get(&format!("/api/v1/cte{query}")).await;
            assert_eq!(listed.text_at("/itens/0/nota_id"), id, "{query}: {}", listed.text);
        }
        for query in ["?status=autorizada", "?tomador=11222333000181", "?tomador=../-", "?valor_min=1500.01", "?serie=2"] {
            let listed = app.get(&format!("/api/v1/cte{query}")).await;
            assert_eq!(listed.body["itens"], json!([]), "{query}: {}", listed.text);
        }
        assert_eq!(app.get("/api/v1/nfe").await.body["itens"], json!([]));
        let xml = String::from_utf8(file(&app.get(&format!("/api/v1/cte/{id}/xml")).await)).expect("text");
        assert!(xml.starts_with("<CTe xmlns=\"http://www.portalfiscal.inf.br/cte\">") && !xml.contains("<Signature"), "{xml}");
        assert!(xml.contains("<tpAmb>2</tpAmb>"), "a test goes to homologation: {xml}");
        let pdf = file(&app.get(&format!("/api/v1/cte/{id}/dacte")).await);
        assert!(pdf.starts_with(b"%PDF"));
        let bare = app.get(&format!("/api/v1/cte/{id}/dacte?formato=binario")).await;
        assert_eq!((bare.status, bare.header("content-type")), (200, "application/pdf"));
        // A draft is made by a kind of key and is that kind's.
        let path = format!("/api/v1/cte/{id}/xml");
        let other = ask_as(&app, &app.test_key, Method::GET, &path, None).await;
        assert_refusal(&other, "404 nao_encontrado");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_is_wrong_is_told_before_anything_is_kept(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for (body, summary, field) in [
            (with(cte(), "/modal", "a cavalo"), "400 parametro_invalido", "modal"),
            (with(cte(), "/cor", "azul"), "400 campo_desconhecido", "cor"),
            (with(cte(), "/municipio_fim", "3550309"), "422 validacao_previa", "municipio_fim"),
            (with(cte(), "/rodoviario/rntrc", "1"), "422 validacao_previa", "rodoviario.rntrc"),
            (with(cte(), "/serie", 1000), "422 validacao_previa", "serie"),
            (with(cte(), "/documentos", json!({})), "422 validacao_previa", "documentos.nfe"),
        ] {
            let answer = app.post(DRAFT, &body).await;
            assert_refusal(&answer, summary);
            let fields = answer.body["campos"].as_array().expect("fields").iter();
            let fields: Vec<&str> = fields.filter_map(|one| one["campo"].as_str()).collect();
            assert!(fields.contains(&field), "{field}: {}", answer.text);
        }
        assert_eq!(app.get("/api/v1/cte").await.body["itens"], json!([]));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn an_account_that_was_not_released_is_refused_like_all(app: TestApp) {
    app.emitter(CNPJ, BELO_HORIZONTE).await;
    let draft = app.post(DRAFT, &cte()).await;
    for (method, path, body) in spoken(draft.text_at("/nota_id")) {
        assert_refusal(
            &ask(&app, method, path, body.as_ref()).await,
            "422 cte_em_teste",
        );
    }
    assert_eq!(app.balance().await, (200, 0));
    app.check_invariants().await;
}
}

both! {
    async fn a_released_account_issues_in_homologation(app: TestApp) {
    app.release(&app.account_id).await;
    app.emitter(CNPJ, BELO_HORIZONTE).await;
    let issued = app.post(CREATE, &cte()).await;
    assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
    let id = issued.text_at("/nota_id").to_owned();
    assert_eq!(
        (
            &issued.body["ambiente"],
            &issued.body["numero"],
            &issued.body["status_sefaz"]
        ),
        (&json!("homologacao"), &json!(1), &json!("100"))
    );
    let chave = issued.text_at("/chave").to_owned();
    assert_eq!((chave.len(), &chave[20..22]), (44, "57"));
    assert!(
        issued.text_at("/qr_code").contains(&chave),
        "{}",
        issued.text
    );
    assert_eq!(
        issued.body["creditos"],
        json!({ "reservado": 0, "debitado": 4, "saldo": 196 })
    );
    let xml = file(&app.get(&format!("/api/v1/cte/{id}/xml")).await);
    let xml = String::from_utf8(xml).expect("text");
    assert!(
        xml.starts_with("<cteProc ") && xml.contains("<protCTe"),
        "{xml}"
    );
    let by_key = app.get(&format!("/api/v1/cte/{chave}/dacte")).await;
    assert!(file(&by_key).starts_with(b"%PDF"));
    let seen = app.post("/api/v1/cte/status", &json!({ "ref": id })).await;
    assert_eq!(seen.status, 200, "{}", seen.text);
    assert_eq!(seen.body["situacao"], "autorizada", "{}", seen.text);
    let voiding = app.post("/api/v1/cte/inutilizar", &json!({})).await;
    assert_refusal(&voiding, "422 operacao_nao_suportada_pela_sefaz");
    let draft = app.post(DRAFT, &cte()).await;
    let later = app
        .post(
            "/api/v1/cte/emitir",
            &json!({ "nota_id": draft.text_at("/nota_id") }),
        )
        .await;
    assert_eq!(
        (later.status, &later.body["numero"]),
        (201, &json!(2)),
        "{}",
        later.text
    );
    let state = app.get("/api/v1/cte/autorizador/status").await;
    assert_eq!(
        (state.status, &state.body["modelo"]),
        (200, &json!("57")),
        "{}",
        state.text
    );
    app.check_invariants().await;
}
}

on_sqlite! {
    async fn events_of_an_authorized_document(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let issued = app.post(CREATE, &cte()).await;
        let id = issued.text_at("/nota_id").to_owned();
        let letter = json!({ "ref": id, "correcoes": [{ "grupo": "infCarga", "campo": "proPred", "valor": "Café moído" }] });
        for sequence in 1..=2 {
            let told = app.post("/api/v1/cte/cce", &letter).await;
            assert_eq!((told.status, &told.body["evento"]["sequencia"]), (200, &json!(sequence)), "{}", told.text);
            assert_eq!(told.body["creditos"]["debitado"], 4);
        }
        let forbidden = with(letter, "/correcoes", json!([{ "grupo": "vPrest", "campo": "vTPrest", "valor": "1.00" }]));
        let forbidden = app.post("/api/v1/cte/cce", &forbidden).await;
        assert_refusal(&forbidden, "422 validacao_previa");
        assert_eq!(forbidden.text_at("/campos/0/campo"), "correcoes[0].campo", "{}", forbidden.text);
        // Rejection 523: what was corrected is not cancelled.
        let cancel = json!({ "ref": id, "justificativa": "Serviço não foi prestado" });
        let corrected = app.post("/api/v1/cte/cancelar", &cancel).await;
        assert_eq!((corrected.summary(), corrected.text_at("/rejeicao/codigo")), ("422 rejeitada_pela_sefaz".to_owned(), "523"), "{}", corrected.text);
        let other = app.post(CREATE, &cte()).await;
        let cancel = with(cancel, "/ref", other.text_at("/nota_id"));
        let short = app.post("/api/v1/cte/cancelar", &with(cancel.clone(), "/justificativa", "curta")).await;
        assert_eq!(short.text_at("/campos/0/campo"), "justificativa", "{}", short.text);
        let cancelled = app.post("/api/v1/cte/cancelar", &cancel).await;
        assert_eq!((cancelled.status, cancelled.text_at("/status")), (200, "cancelada"), "{}", cancelled.text);
        let xml = app.get(cancelled.text_at("/evento/links/xml")).await;
        assert!(xml.text.contains("<procEventoCTe") && xml.text.contains("<retEventoCTe"), "{}", xml.text);
        assert_refusal(&app.post("/api/v1/cte/cancelar", &cancel).await, "409 ja_cancelada");
        assert_eq!(app.balance().await, (200 - 4 * 5, 0));
        let told = app.until_told("/api/v1/eventos?cursor=0", 3).await;
        let kinds: Vec<&str> = told.iter().filter_map(|event| event["tipo"].as_str()).collect();
        assert_eq!(kinds, ["cte.autorizado", "cte.autorizado", "cte.cancelado"]);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn other_services_are_refused(app: TestApp) {
        assert_refusal(&app.post("/api/v1/cte-os", &json!({})).await, "422 modelo_recusado");
        assert_refusal(&app.post("/api/v1/cte-os", &json!({ "qualquer": 1 })).await, "422 modelo_recusado");
        assert_eq!(app.balance().await, (200, 0));
    }
}

both! {
    async fn in_contingency_a_document_is_announced_and_then_issued(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let body = with(with(cte(), "/justificativa", REASON), "/referencia", "frete-78");
        let announced = app.post_as(&app.live_key, EPEC, &body, Some("uma")).await;
        assert_eq!(announced.summary(), "200 rascunho", "{}", announced.text);
        let (id, chave) = (announced.text_at("/nota_id").to_owned(), announced.text_at("/chave").to_owned());
        assert_eq!((&announced.body["numero"], &chave[34..35]), (&json!(1), "4"), "{}", announced.text);
        assert_eq!((announced.text_at("/evento/codigo"), announced.text_at("/evento/status"), announced.text_at("/evento/status_sefaz")), ("110113", "registrado", "136"), "{}", announced.text);
        assert_ne!(announced.text_at("/epec/transmitir_ate"), "", "{}", announced.text);
        assert_eq!((&announced.body["consumiu_numero_fiscal"], &announced.body["creditos"]), (&json!(true), &json!({ "reservado": 0, "debitado": 4, "saldo": 196 })));
        let again = app.post_as(&app.live_key, EPEC, &body, Some("uma")).await;
        assert_eq!((again.status, &again.body), (200, &announced.body), "the same key, the same answer");
        let event = app.get(announced.text_at("/evento/links/xml")).await;
        assert!(event.text.contains("<procEventoCTe") && event.text.contains("<evEPECCTe>"), "{}", event.text);
        // Its reference is taken until it is issued, and after.
        for path in [EPEC, CREATE] {
            let mut other = body.clone();
            if path == CREATE {
                other.as_object_mut().expect("an object").remove("justificativa");
            }
            let other = app.post(path, &other).await;
            assert_refusal(&other, "409 estado_invalido");
            assert_eq!(other.text_at("/nota_id"), id, "{path}: {}", other.text);
        }
        // It stands: it is shown signed, is printed, and cannot be deleted.
        let before = String::from_utf8(file(&app.get(&format!("/api/v1/cte/{id}/xml")).await)).expect("text");
        assert!(before.contains("<tpEmis>4</tpEmis>") && before.contains("&amp;sign=") && before.contains("<Signature"), "{before}");
        assert!(file(&app.get(&format!("/api/v1/cte/{id}/dacte")).await).starts_with(b"%PDF"));
        let deleted = ask(&app, Method::DELETE, &format!("/api/v1/documentos/{id}"), None).await;
        assert_refusal(&deleted, "409 estado_invalido");
        assert!(deleted.text.contains("EPEC"), "{}", deleted.text);
        let cancel = json!({ "ref": id, "justificativa": "Carga não foi entregue ao transportador" });
        assert_refusal(&app.post("/api/v1/cte/cancelar", &cancel).await, "409 estado_invalido");
        let issued = app.post("/api/v1/cte/emitir", &json!({ "nota_id": id })).await;
        assert_eq!((issued.summary(), issued.text_at("/chave")), ("201 autorizada".to_owned(), &*chave), "{}", issued.text);
        assert_eq!(issued.body["epec"], announced.body["epec"]);
        assert!(issued.text_at("/qr_code").contains("&sign="), "{}", issued.text);
        assert_eq!(issued.body["creditos"]["debitado"], 4);
        let xml = String::from_utf8(file(&app.get(&format!("/api/v1/cte/{id}/xml")).await)).expect("text");
        let inside = before.strip_prefix("<CTe xmlns=\"http://www.portalfiscal.inf.br/cte\">").expect("a CT-e");
        assert!(xml.contains(inside), "what was shown is what was sent");
        let repeated = app.post("/api/v1/cte/emitir", &json!({ "nota_id": id })).await;
        assert_eq!((repeated.status, repeated.text_at("/chave")), (200, &*chave), "{}", repeated.text);
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_is_wrong_with_an_announcement_is_told_before_a_number_is_taken(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let right = with(cte(), "/justificativa", REASON);
        for (body, summary, field) in [
            (cte(), "400 parametro_ausente", "justificativa"),
            (with(right.clone(), "/justificativa", "curta"), "422 validacao_previa", "justificativa"),
            (with(right.clone(), "/iniciada_em", "ontem"), "422 validacao_previa", "iniciada_em"),
            (with(right.clone(), "/iniciada_em", "2999-01-01T00:00:00-03:00"), "422 validacao_previa", "iniciada_em"),
            (with(right.clone(), "/municipio_fim", "1"), "422 validacao_previa", "municipio_fim"),
        ] {
            let answer = app.post(EPEC, &body).await;
            assert_refusal(&answer, summary);
            let fields = answer.body["campos"].as_array().expect("fields").iter();
            let fields: Vec<&str> = fields.filter_map(|one| one["campo"].as_str()).collect();
            assert!(fields.contains(&field), "{field}: {}", answer.text);
        }
        assert_eq!(app.balance().await, (200, 0));
        let announced = app.post(EPEC, &with(right, "/iniciada_em", "2024-01-01T00:00:00-03:00")).await;
        assert_eq!(announced.body["numero"], 1, "{}", announced.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn the_next_number_of_the_profile_is_that_of_the_test_phase(app: TestApp) {
        app.release(&app.account_id).await;
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        assert_eq!(app.post(CREATE, &cte()).await.body["numero"], 1);
        let at = format!("/api/v1/emitters/{emitter}");
        let mut profile = app.get(&at).await.body["perfil_fiscal"].clone();
        profile["cte"] = json!({ "proximo_numero": 50 });
        let raised = ask(&app, Method::PUT, &format!("{at}/fiscal-profile"), Some(&profile)).await;
        assert_eq!(raised.status, 200, "{}", raised.text);
        let issued = app.post(CREATE, &cte()).await;
        assert_eq!((issued.text_at("/ambiente"), &issued.body["numero"]), ("homologacao", &json!(50)), "{}", issued.text);
        app.check_invariants().await;
    }
}
