//! Health, catalogues, account, and the document of the API.

use crate::common::{BELO_HORIZONTE, assert_refusal};
use base::errors::Code;
use base::operations;
use serde_json::json;
use std::io::Read as _;
use std::sync::atomic::Ordering;
use tests::bodies::nfse;
use tests::{Answer, TestApp, both, on_sqlite};

/// Without any key.
async fn open(app: &TestApp, path: &str) -> Answer {
    app.send(app.http().get(format!("{}{path}", app.base_url)))
        .await
}

on_sqlite! {
    async fn prices_are_the_whole_table(app: TestApp) {
        let answer = open(&app, "/api/v1/precos").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let items = answer.body["itens"].as_array().expect("items");
        assert_eq!(items.len(), operations::all().len());
        for (item, row) in items.iter().zip(operations::all()) {
            assert_eq!((item["operacao"].as_str(), item["caminho"].as_str()), (Some(row.operation.as_str()), Some(row.path.as_str())));
            let built = api::missing().iter().all(|missing| missing.operation != row.operation);
            assert_eq!(item["construida"], built, "{item}");
            assert!(item["creditos"].is_number(), "{item}");
        }
        let by_name = |name: &str| items.iter().find(|item| item["operacao"] == name).expect("a row").clone();
        assert_eq!(by_name("nfse.create")["creditos"], 4);
        assert_eq!(by_name("nfse.create")["cobrado_quando"], "authorized");
        assert_eq!(by_name("geo.rota.otimizar")["faixas"], json!([8, 20]));
        assert_refusal(&open(&app, "/api/v1/precos?moeda=usd").await, "400 campo_desconhecido");
    }
}

on_sqlite! {
    async fn errors_are_a_catalogue(app: TestApp) {
        let all = open(&app, "/api/v1/erros").await;
        assert_eq!(all.body["itens"].as_array().map(Vec::len), Some(Code::ALL.len()), "{}", all.text);
        for code in Code::ALL {
            let one = open(&app, &format!("/api/v1/erros?codigo={}", code.as_str())).await;
            let items = one.body["itens"].as_array().expect("items");
            assert_eq!(items.len(), 1, "{}", one.text);
            assert_eq!((items[0]["codigo"].as_str(), items[0]["status"].as_u64()), (Some(code.as_str()), Some(u64::from(code.status()))));
        }
        assert_refusal(&open(&app, "/api/v1/erros?codigo=nenhum").await, "404 nao_encontrado");
    }
}

on_sqlite! {
    async fn the_document_describes_what_is_built(app: TestApp) {
        let answer = open(&app, "/api/v1/openapi.json").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.text_at("/openapi"), "3.1.0");
        let missing = api::missing();
        for row in operations::all() {
            let path = row.path.replace("{nota_id}", "{ref}");
            let described = &answer.body["paths"][&path][row.method.to_lowercase()];
            let built = missing.iter().all(|one| one.operation != row.operation);
            assert_eq!(described["operationId"] == row.operation.as_str(), built, "{}", row.operation);
            if built {
                assert!(described["summary"].as_str().is_some_and(|text| text.ends_with('.')), "{}", row.operation);
                let takes_a_body = matches!(row.method.as_str(), "POST" | "PUT" | "PATCH");
                assert_eq!(described["requestBody"].is_object(), takes_a_body, "{}", row.operation);
            }
        }
        let again = open(&app, "/api/v1/openapi.json").await;
        assert_eq!(again.text, answer.text);
        // Names of other services lead to members there are.
        for (_, ours) in gate::error::suggest::CALLED {
            for name in *ours {
                assert!(answer.text.contains(&format!("\"{name}\":{{")), "{name}");
            }
        }
        // One component for a type that several requests have.
        let schemas = answer.body["components"]["schemas"].as_object().expect("schemas");
        let items = schemas.keys().filter(|name| *name == "NfeItem" || name.ends_with("_NfeItem"));
        assert_eq!(items.collect::<Vec<_>>(), ["NfeItem"]);
        // Every reference leads somewhere.
        for reference in answer.text.split("\"$ref\":\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let pointer = reference.strip_prefix('#').expect("inside the document");
            assert!(answer.body.pointer(pointer).is_some(), "{reference}");
        }
    }
}

on_sqlite! {
    async fn the_document_is_packed_and_not_sent_again(app: TestApp) {
        let ask = async |name: &'static str, value: &str| {
            let request = app.http().get(format!("{}/api/v1/openapi.json", app.base_url));
            let answer = request.header(name, value).send().await.expect("answer");
            let header = |name: &str| answer.headers().get(name).map(|it| it.to_str().expect("text").to_owned());
            let headers = ["etag", "content-encoding", "cache-control"].map(header);
            (answer.status().as_u16(), headers, answer.bytes().await.expect("body"))
        };
        let (status, [tag, coding, cache], plain) = ask("accept-encoding", "gzip;Q=0, br").await;
        assert_eq!((status, coding.as_deref(), cache.as_deref()), (200, None, Some("no-cache")));
        let (status, [packed_tag, coding, _], packed) = ask("accept-encoding", "br, GZIP").await;
        assert_eq!((status, coding.as_deref()), (200, Some("gzip")));
        assert!(packed.len() * 5 < plain.len(), "{} of {}", packed.len(), plain.len());
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).expect("gzip");
        assert_eq!(unpacked, plain);
        assert_ne!(tag, packed_tag);
        let tag = tag.expect("a tag");
        for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
            let (status, [same, ..], body) = ask("if-none-match", &known).await;
            assert_eq!((status, same, body.len()), (304, Some(tag.clone()), 0), "{known}");
        }
        assert_eq!(ask("if-none-match", "\"x\"").await.0, 200);
    }
}

on_sqlite! {
    async fn a_full_disk_refuses_notes_and_nothing_else(app: TestApp) {
        app.emitter("11222333000181", BELO_HORIZONTE).await;
        let first = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(first.summary(), "201 autorizada", "{}", first.text);
        let node: &store::node::Node = &app.app.gateway.node;
        let at = async |free: u64| {
            app.free_bytes.store(free, Ordering::Relaxed);
            issuing::notices::room::look(node).await.expect("a look");
            let ready = open(&app, "/pronto").await;
            assert_eq!(ready.status, 200, "it answers: {}", ready.text);
            let checks = &ready.body["verificacoes"];
            (checks["espaco_em_disco"].clone(), checks["emite"].clone())
        };
        assert_eq!(at(1 << 30).await, (json!("baixo"), json!(true)));
        let low = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(low.summary(), "201 autorizada", "{}", low.text);
        assert_eq!(at(1 << 20).await, (json!("esgotado"), json!(false)));
        let balance = app.balance().await;
        let refused = app.post("/api/v1/nfse", &nfse()).await;
        assert_refusal(&refused, "503 espaco_esgotado");
        assert_eq!(refused.header("retry-after"), "60");
        assert_eq!(app.balance().await, balance, "nothing is charged");
        let sent = app.app.simulator.sim.notas().len();
        assert_eq!(sent, 2, "nothing is sent");
        assert_eq!(app.get("/api/v1/nfse").await.status, 200, "they are still read");
        assert_eq!(at(50 << 30).await, (json!("suficiente"), json!(true)));
        let after = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(after.summary(), "201 autorizada", "{}", after.text);
        let mut conn = app.app.db.read().await.expect("connection");
        let told = store::tables::operator_actions::list(&mut conn, "", 10).await.expect("actions");
        let told: Vec<_> = told.iter().rev().map(|one| one.action.as_str()).collect();
        assert_eq!(told, ["sistema.espaco_baixo", "sistema.espaco_esgotado", "sistema.espaco_suficiente"]);
        app.check_invariants().await;
    }
}

both! {
    async fn health_and_readiness_differ(app: TestApp) {
        let alive = open(&app, "/saude").await;
        assert_eq!((alive.status, alive.text_at("/status")), (200, "ok"), "{}", alive.text);
        let ready = open(&app, "/pronto").await;
        assert_eq!((ready.status, &ready.body["pronto"]), (200, &json!(true)), "{}", ready.text);
        assert_eq!(ready.body["verificacoes"]["banco_de_dados"], true);
        app.app.draining.store(true, Ordering::Relaxed);
        let stopping = open(&app, "/pronto").await;
        assert_refusal(&stopping, "503 manutencao");
        assert_eq!(stopping.body["verificacoes"]["encerrando"], true);
        assert!(!stopping.header("retry-after").is_empty());
        assert_eq!(open(&app, "/saude").await.status, 200, "still alive");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_adapters_a_node_is_not_ready() {
    let empty = tempfile::tempdir().expect("folder");
    let folder = empty.path().to_owned();
    let started = TestApp::start_with(tests::app::Backend::Sqlite, |config| {
        config.adapters.folder = folder
    })
    .await;
    let app = started.expect("SQLite is always there");
    let answer = open(&app, "/pronto").await;
    assert_refusal(&answer, "503 manutencao");
    assert_eq!(answer.body["verificacoes"]["adaptadores"]["instalados"], 0);
}

both! {
    async fn an_account_sees_its_limits(app: TestApp) {
        let live = app.get("/api/v1/conta").await;
        assert_eq!(live.status, 200, "{}", live.text);
        assert_eq!(live.text_at("/id"), app.account_id);
        assert_eq!(live.body["limites"]["requisicoes_por_minuto"], 6_000);
        assert_eq!(live.body["ambientes"], json!(["homologacao", "producao"]));
        assert_eq!((&live.body["saldo"], &live.body["autoridades_simuladas"]), (&json!(200), &json!(true)));
        let test = app.send(app.http().get(format!("{}/api/v1/conta", app.base_url)).bearer_auth(&app.test_key)).await;
        assert_eq!((test.text_at("/chave_tipo"), &test.body["ambientes"]), ("teste", &json!(["simulado"])));
        let some = app.post("/api/v1/chaves", &json!({ "nome": "Consulta", "tipo": "teste", "escopos": ["consulta"] })).await;
        let own = app.send(app.http().get(format!("{}/api/v1/conta", app.base_url)).bearer_auth(some.text_at("/chave"))).await;
        assert_eq!((&own.body["chave_escopos"], test.body["chave_escopos"].as_array().map(Vec::len)), (&json!(["consulta"]), Some(11)));
    }
}
