//! /api/v1/mdfe: for released accounts.

use crate::common::{BELO_HORIZONTE, ask, assert_refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::{mdfe, mdfe_loaded_later, with};
use tests::{Answer, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const CREATE: &str = "/api/v1/mdfe/criar-e-emitir";
const DRAFT: &str = "/api/v1/mdfe/criar";

/// A file of an answer.
fn file(answer: &Answer) -> Vec<u8> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    STANDARD.decode(answer.text_at("/base64")).expect("base64")
}

on_sqlite! {
    async fn without_a_release_nothing_is_read(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let post = |path, body: Value| (Method::POST, path, Some(body));
        for (method, path, body) in [
            post(DRAFT, mdfe()),
            post(CREATE, mdfe()),
            post("/api/v1/mdfe/emitir", json!({})),
            post("/api/v1/mdfe/cancelar", json!({})),
            post("/api/v1/mdfe/encerrar", json!({})),
            post("/api/v1/mdfe/incluir-condutor", json!({})),
            post("/api/v1/mdfe/incluir-dfe", json!({})),
            post("/api/v1/mdfe/status", json!({})),
            post("/api/v1/mdfe/nao-encerrados", json!({})),
            (Method::GET, "/api/v1/mdfe", None),
            (Method::GET, "/api/v1/mdfe/mdfe_1/documento", None),
            (Method::GET, "/api/v1/mdfe/autorizador/status", None),
        ] {
            let answer = ask(&app, method, path, body.as_ref()).await;
            assert_refusal(&answer, "403 liberacao_pelo_suporte");
        }
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn a_draft_is_listed_shown_and_printed(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter_without_certificate(CNPJ, BELO_HORIZONTE).await;
        let draft = app.post(DRAFT, &with(mdfe(), "/veiculo/placa", "ABC1D23")).await;
        assert_eq!(draft.summary(), "201 rascunho", "{}", draft.text);
        let id = draft.text_at("/nota_id").to_owned();
        assert!(id.starts_with("mdfe_"), "{id}");
        assert_eq!(
            (&draft.body["uf_inicio"], &draft.body["uf_fim"], &draft.body["placa"], &draft.body["documentos"]),
            (&json!("MG"), &json!("PR"), &json!("ABC1D23"), &json!(1)),
            "{}", draft.text
        );
        let listed = app.get("/api/v1/mdfe?status=rascunho").await;
        assert_eq!(listed.text_at("/itens/0/nota_id"), id, "{}", listed.text);
        let xml = file(&app.get(&format!("/api/v1/mdfe/{id}/documento?formato=xml")).await);
        assert!(xml.starts_with(b"<MDFe xmlns="), "{}", String::from_utf8_lossy(&xml));
        assert!(file(&app.get(&format!("/api/v1/mdfe/{id}/documento")).await).starts_with(b"%PDF"));
        let wrong = app.get(&format!("/api/v1/mdfe/{id}/documento?formato=doc")).await;
        assert_refusal(&wrong, "400 parametro_invalido");
        let wrong = app.post(DRAFT, &with(mdfe(), "/percurso", json!(["AM"]))).await;
        assert_refusal(&wrong, "422 validacao_previa");
        app.check_invariants().await;
    }
}

both! {
    async fn a_trip_from_its_start_to_its_end(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let issued = app.post(CREATE, &mdfe()).await;
        assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
        let id = issued.text_at("/nota_id").to_owned();
        assert_eq!(issued.body["creditos"]["debitado"], 4);
        let open = app.post("/api/v1/mdfe/nao-encerrados", &json!({})).await;
        assert_eq!(open.text_at("/itens/0/chave"), issued.text_at("/chave"), "{}", open.text);
        let driver = json!({ "ref": id, "nome": "Outro Motorista", "cpf": "11144477735" });
        let driver = app.post("/api/v1/mdfe/incluir-condutor", &driver).await;
        assert_eq!(driver.status, 200, "{}", driver.text);
        let closing = json!({ "ref": id, "uf": "PR", "codigo_ibge": "4106902" });
        let closed = app.post("/api/v1/mdfe/encerrar", &closing).await;
        assert_eq!(closed.status, 200, "{}", closed.text);
        assert!(!closed.text_at("/encerrado_em").is_empty(), "{}", closed.text);
        // A trip ends once, and nothing happens on it afterwards.
        let again = app.post("/api/v1/mdfe/encerrar", &closing).await;
        assert_refusal(&again, "409 estado_invalido");
        let cancel = json!({ "ref": id, "justificativa": "A viagem não começou" });
        assert_refusal(&app.post("/api/v1/mdfe/cancelar", &cancel).await, "409 estado_invalido");
        let open = app.post("/api/v1/mdfe/nao-encerrados", &json!({})).await;
        assert_eq!((open.status, &open.body["itens"]), (200, &json!([])), "{}", open.text);
        let xml = file(&app.get(&format!("/api/v1/mdfe/{id}/documento?formato=xml")).await);
        assert!(xml.starts_with(b"<mdfeProc "), "{}", String::from_utf8_lossy(&xml));
        let seen = app.post("/api/v1/mdfe/status", &json!({ "ref": id })).await;
        assert_eq!((seen.status, seen.text_at("/situacao")), (200, "autorizada"), "{}", seen.text);
        let told = app.until_told("/api/v1/eventos?cursor=0", 2).await;
        let kinds: Vec<&str> = told.iter().filter_map(|event| event["tipo"].as_str()).collect();
        assert_eq!(kinds, ["mdfe.autorizado", "mdfe.encerrado"]);
        let history = app.get(&format!("/api/v1/documentos/{id}/historico")).await;
        let authorized = history.body["itens"].as_array().expect("lines");
        let authorized = authorized.iter().find(|line| line["tipo"] == "mdfe.autorizado").expect("its authorization");
        assert_eq!(authorized["protocolo"], issued.body["protocolo"], "{}", history.text);
        assert_eq!(authorized["xml_link"], format!("/api/v1/documentos/{id}/xml"), "{}", history.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn cargo_that_comes_later_is_added(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let issued = app.post(CREATE, &mdfe_loaded_later()).await;
        assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
        let key = "31261111222333000181550010000000071314159266";
        let body = json!({
            "ref": issued.text_at("/nota_id"), "codigo_ibge_carregamento": BELO_HORIZONTE, "codigo_ibge_descarga": "3170206", "chaves": [key]
        });
        let twice = app.post("/api/v1/mdfe/incluir-dfe", &with(body.clone(), "/chaves", json!([key, key]))).await;
        assert_refusal(&twice, "422 validacao_previa");
        assert_eq!(twice.text_at("/campos/0/campo"), "chaves[1]", "{}", twice.text);
        let added = app.post("/api/v1/mdfe/incluir-dfe", &body).await;
        assert_eq!((added.status, added.text_at("/evento/tipo")), (200, "inclusao_dfe"), "{}", added.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_trip_that_did_not_begin_is_cancelled(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let issued = app.post(CREATE, &mdfe()).await;
        assert_eq!(issued.summary(), "201 autorizada", "{}", issued.text);
        let cancel = json!({ "ref": issued.text_at("/chave"), "justificativa": "A viagem não começou" });
        let cancelled = app.post("/api/v1/mdfe/cancelar", &cancel).await;
        assert_eq!((cancelled.status, cancelled.text_at("/status")), (200, "cancelada"), "{}", cancelled.text);
        let state = app.get("/api/v1/mdfe/autorizador/status").await;
        assert_eq!((state.status, &state.body["modelo"]), (200, &json!("58")), "{}", state.text);
        app.check_invariants().await;
    }
}
