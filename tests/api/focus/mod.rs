//! The door for who moves from Focus NFe: bodies in their published shapes, with
//! generated numbers.

mod asking;
mod bodies;
mod client;
mod companies;
mod key;

use crate::common::BELO_HORIZONTE;
use bodies::{national, nfce, nfe, nfse};
use reqwest::Method;
use serde_json::{Value, json};
use std::convert::Infallible;
use store::TxError;
use store::tables::notas;
use store::words::Model;
use tests::app::Backend;
use tests::bodies::with;
use tests::{Answer, TestApp, on_sqlite};

const CNPJ: &str = "11222333000181";
const REASON: &str = "Mercadoria não saiu do estoque";

/// A hub with the door open, and a company that issues.
async fn open(backend: Backend) -> Option<TestApp> {
    let app = TestApp::start_with(backend, |config| config.moving.focus = true).await?;
    app.emitter(CNPJ, BELO_HORIZONTE).await;
    Some(app)
}

async fn opened() -> TestApp {
    open(Backend::Sqlite).await.expect("SQLite is always there")
}

/// A call as their clients make it: the key as the user, no password.
async fn call_as(
    app: &TestApp,
    key: &str,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Answer {
    let mut request = app
        .http()
        .request(method, format!("{}{path}", app.base_url))
        .basic_auth(key, Some(""));
    if let Some(body) = body {
        request = request.body(body.to_string());
    }
    app.send(request).await
}

async fn get(app: &TestApp, path: &str) -> Answer {
    call_as(app, &app.live_key, Method::GET, path, None).await
}

async fn post(app: &TestApp, path: &str, body: &Value) -> Answer {
    call_as(app, &app.live_key, Method::POST, path, Some(body)).await
}

async fn delete(app: &TestApp, path: &str) -> Answer {
    let body = json!({ "justificativa": REASON });
    call_as(app, &app.live_key, Method::DELETE, path, Some(&body)).await
}

/// Asks for a note until its processing is over.
async fn over(app: &TestApp, path: &str) -> Answer {
    tests::until(async || {
        let answer = get(app, path).await;
        match answer.text_at("/status") {
            "processando_autorizacao" => Err(answer.text),
            _ => Ok(answer),
        }
    })
    .await
}

/// The bytes at a path, without a key.
async fn file(app: &TestApp, path: &str) -> (u16, Vec<u8>) {
    let response = app
        .http()
        .get(format!("{}{path}", app.base_url))
        .send()
        .await;
    let response = response.expect("an answer");
    let status = response.status().as_u16();
    (status, response.bytes().await.expect("bytes").to_vec())
}

on_sqlite! {
    async fn the_door_is_shut_unless_it_is_opened(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for path in ["/v2/nfe?ref=a", "/v2/nfe/a", "/v2"] {
            let answer = get(&app, path).await;
            assert_eq!(answer.summary(), "404 rota_inexistente", "{}", answer.text);
        }
        assert_eq!(post(&app, "/v2/nfe?ref=a", &nfe(&app)).await.summary(), "404 rota_inexistente");
        assert_eq!(app.balance().await, (200, 0));
    }
}

/// The life of an NF-e, on either database.
async fn lives(app: TestApp) {
    let sent = nfe(&app);
    let answer = post(&app, "/v2/nfe?ref=pedido-1", &sent).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let taken =
        json!({ "cnpj_emitente": CNPJ, "ref": "pedido-1", "status": "processando_autorizacao" });
    assert_eq!(answer.body, taken);
    let note = over(&app, "/v2/nfe/pedido-1").await;
    assert_eq!(note.summary(), "200 autorizado", "{}", note.text);
    assert_eq!(
        (
            note.text_at("/status_sefaz"),
            note.text_at("/numero"),
            note.text_at("/serie")
        ),
        ("100", "1", "1")
    );
    let key = note
        .text_at("/chave_nfe")
        .strip_prefix("NFe")
        .expect("a prefix")
        .to_owned();
    assert_eq!(key.len(), 44);
    assert_eq!(app.balance().await, (196, 0));
    let own = app.get(&format!("/api/v1/documentos/{key}")).await;
    assert_eq!(
        (own.text_at("/referencia"), own.text_at("/status")),
        ("pedido-1", "autorizada"),
        "{}",
        own.text
    );

    // Paths open without a key; they name no host and have no query.
    let (status, xml) = file(&app, note.text_at("/caminho_xml_nota_fiscal")).await;
    let xml = String::from_utf8(xml).expect("text");
    assert!(
        status == 200 && xml.contains("<nfeProc") && xml.contains(&key),
        "{status} {xml}"
    );
    let (status, pdf) = file(&app, note.text_at("/caminho_danfe")).await;
    assert!(status == 200 && pdf.starts_with(b"%PDF"), "{status}");

    let whole = get(&app, "/v2/nfe/pedido-1?completa=1").await;
    let shown = &whole.body["requisicao_nota_fiscal"];
    for name in [
        "natureza_operacao",
        "nome_destinatario",
        "cnpj_destinatario",
        "municipio_destinatario",
    ] {
        assert_eq!(shown[name], sent[name], "{name}: {}", whole.text);
    }
    assert_eq!(
        (&shown["valor_total"], &shown["itens"][0]["codigo_ncm"]),
        (&json!("37.80"), &json!("09012100")),
        "{}",
        whole.text
    );
    assert_eq!(shown["itens"][0]["icms_situacao_tributaria"], "00");
    assert_eq!(
        whole.text_at("/protocolo_nota_fiscal/chave_nfe"),
        key,
        "{}",
        whole.text
    );

    // The reference is taken, for a note of either kind of document of the company.
    let again = post(&app, "/v2/nfe?ref=pedido-1", &sent).await;
    assert_eq!(again.summary(), "422 nfe_autorizada", "{}", again.text);
    let other = post(&app, "/v2/nfce?ref=pedido-1", &nfce(&app)).await;
    assert_eq!(other.summary(), "422 nfe_autorizada", "{}", other.text);
    assert_eq!(app.balance().await, (196, 0));

    let letter = json!({ "correcao": "O endereço de entrega é Rua da Bahia, 1001." });
    let letter = post(&app, "/v2/nfe/pedido-1/carta_correcao", &letter).await;
    assert_eq!(letter.summary(), "200 autorizado", "{}", letter.text);
    assert_eq!(
        (
            letter.text_at("/status_sefaz"),
            &letter.body["numero_carta_correcao"]
        ),
        ("135", &json!(1))
    );
    for (name, begin) in [
        ("/caminho_xml_carta_correcao", "<"),
        ("/caminho_pdf_carta_correcao", "%PDF"),
    ] {
        let (status, bytes) = file(&app, letter.text_at(name)).await;
        assert!(
            status == 200 && bytes.starts_with(begin.as_bytes()),
            "{name} {status}"
        );
    }

    let cancelled = delete(&app, "/v2/nfe/pedido-1").await;
    assert_eq!(cancelled.summary(), "200 cancelado", "{}", cancelled.text);
    assert_eq!(
        cancelled.text_at("/status_sefaz"),
        "135",
        "{}",
        cancelled.text
    );
    let (status, xml) = file(&app, cancelled.text_at("/caminho_xml_cancelamento")).await;
    assert!(
        status == 200 && String::from_utf8_lossy(&xml).contains("110111"),
        "{status}"
    );
    assert_eq!(
        delete(&app, "/v2/nfe/pedido-1").await.summary(),
        "400 nfe_cancelada"
    );
    let note = get(&app, "/v2/nfe/pedido-1?completa=1").await;
    assert_eq!(note.summary(), "200 cancelado", "{}", note.text);
    assert!(
        !note.text_at("/caminho_xml_cancelamento").is_empty(),
        "{}",
        note.text
    );
    assert_eq!(
        note.text_at("/requisicao_cancelamento/justificativa"),
        REASON,
        "{}",
        note.text
    );
    assert_eq!(
        note.text_at("/requisicao_carta_correcao/correcao"),
        "O endereço de entrega é Rua da Bahia, 1001."
    );

    let void = json!({ "cnpj": CNPJ, "serie": "1", "numero_inicial": "2", "numero_final": 4, "justificativa": REASON });
    let answer = post(&app, "/v2/nfe/inutilizacao", &void).await;
    assert_eq!(answer.summary(), "200 autorizado", "{}", answer.text);
    let named = ["serie", "numero_inicial", "numero_final", "modelo", "cnpj"]
        .map(|name| &answer.body[name]);
    assert_eq!(named, ["1", "2", "4", "55", CNPJ]);
    let path = answer.text_at("/caminho_xml");
    let (status, xml) = file(&app, path).await;
    assert!(
        status == 200 && String::from_utf8_lossy(&xml).contains("nNFFin"),
        "{status}"
    );
    assert_eq!(
        post(&app, "/v2/nfe/inutilizacao", &void).await.summary(),
        "400 requisicao_invalida"
    );
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_note_lives_as_they_know_it_sqlite() {
    lives(opened().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_note_lives_as_they_know_it_postgres() {
    if let Some(app) = open(Backend::Postgres).await {
        lives(app).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_note_is_told_when_it_is_asked_for_and_its_reference_serves_again() {
    let app = opened().await;
    app.app.simulator.sim.add_fault(sim::Fault {
        quando: sim::When {
            vezes: Some(0),
            ..Default::default()
        },
        falha: sim::FaultKind::Recusar,
        codigo: Some("778".to_owned()),
        mensagem: Some("Informado NCM inexistente".to_owned()),
        ..Default::default()
    });
    assert_eq!(post(&app, "/v2/nfe?ref=a", &nfe(&app)).await.status, 202);
    let note = over(&app, "/v2/nfe/a").await;
    assert_eq!(note.summary(), "200 erro_autorizacao", "{}", note.text);
    assert_eq!(
        (
            note.text_at("/status_sefaz"),
            note.text_at("/mensagem_sefaz")
        ),
        ("778", "Informado NCM inexistente")
    );
    assert_eq!(note.body.get("caminho_xml_nota_fiscal"), None);
    // An NFC-e is answered when it is over, also with a refusal.
    let refused = post(&app, "/v2/nfce?ref=b", &nfce(&app)).await;
    assert_eq!(
        refused.summary(),
        "201 erro_autorizacao",
        "{}",
        refused.text
    );
    assert_eq!(
        delete(&app, "/v2/nfe/a").await.summary(),
        "422 nfe_nao_autorizada"
    );
    assert_eq!(app.balance().await, (200, 0));
    app.app.simulator.sim.clear_faults();
    assert_eq!(post(&app, "/v2/nfe?ref=a", &nfe(&app)).await.status, 202);
    let note = over(&app, "/v2/nfe/a").await;
    assert_eq!(
        (note.summary().as_str(), note.text_at("/numero")),
        ("200 autorizado", "1"),
        "{}",
        note.text
    );

    // A denied note keeps its reference, also from a note of another kind.
    deny(&app, Model::Nfce, "b").await;
    let denied = get(&app, "/v2/nfce/b").await;
    assert_eq!(denied.summary(), "200 denegado", "{}", denied.text);
    for (path, body) in [("/v2/nfce?ref=b", nfce(&app)), ("/v2/nfe?ref=b", nfe(&app))] {
        let refused = post(&app, path, &body).await;
        assert_eq!(refused.summary(), "422 nfe_denegada", "{}", refused.text);
    }

    // So does one that is on its way.
    let sim = &app.app.simulator.sim;
    for (operation, failure, times) in [
        ("autorizar", sim::FaultKind::CortarDepois, 1),
        ("consultar", sim::FaultKind::CortarAntes, 0),
    ] {
        sim.add_fault(sim::Fault {
            quando: sim::When {
                operacao: Some(operation.to_owned()),
                vezes: Some(times),
                ..Default::default()
            },
            falha: failure,
            ..Default::default()
        });
    }
    assert_eq!(post(&app, "/v2/nfe?ref=c", &nfe(&app)).await.status, 202);
    for (path, body) in [("/v2/nfe?ref=c", nfe(&app)), ("/v2/nfce?ref=c", nfce(&app))] {
        let refused = post(&app, path, &body).await;
        assert_eq!(
            refused.summary(),
            "422 em_processamento",
            "{}",
            refused.text
        );
    }
    sim.clear_faults();
    let note = over(&app, "/v2/nfe/c").await;
    assert_eq!(note.summary(), "200 autorizado", "{}", note.text);
    assert_eq!(app.balance().await, (192, 0));
    app.check_invariants().await;
}

/// Makes the refused note of a reference one that was denied for good, which no authority
/// of the tests does.
async fn deny(app: &TestApp, model: Model, reference: &'static str) {
    let input = (app.account_id.clone(), model, reference);
    let written = app
        .app
        .db
        .write(input, |(account, model, reference), conn| {
            Box::pin(async move {
                let found =
                    notas::newest_by_reference(conn, account, *model, reference, "").await?;
                let mut nota = found.into_iter().next().expect("a note");
                nota.rejeicao = nota.rejeicao.replace("778", "302");
                notas::save(conn, &nota).await?;
                Ok::<_, TxError<Infallible>>(())
            })
        });
    written.await.expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_note_is_answered_when_it_is_over() {
    let app = opened().await;
    let note = post(&app, "/v2/nfce?ref=cx1-1", &nfce(&app)).await;
    assert_eq!(note.summary(), "201 autorizado", "{}", note.text);
    assert_eq!(
        (note.text_at("/ref"), note.text_at("/status_sefaz")),
        ("cx1-1", "100")
    );
    let key = note
        .text_at("/chave_nfe")
        .trim_start_matches("NFe")
        .to_owned();
    assert!(note.text_at("/qrcode_url").contains(&key), "{}", note.text);
    assert!(
        note.text_at("/url_consulta_nf").starts_with("http"),
        "{}",
        note.text
    );
    let (status, pdf) = file(&app, note.text_at("/caminho_danfe")).await;
    assert!(status == 200 && pdf.starts_with(b"%PDF"), "{status}");
    let asked = get(&app, "/v2/nfce/cx1-1").await;
    assert_eq!(
        (asked.status, &asked.body["chave_nfe"]),
        (200, &note.body["chave_nfe"])
    );
    assert_eq!(
        post(&app, "/v2/nfce", &nfce(&app)).await.summary(),
        "400 ref_ausente"
    );
    // A reference of an NFC-e is no reference of an NF-e.
    assert_eq!(
        get(&app, "/v2/nfe/cx1-1").await.summary(),
        "404 nao_encontrado"
    );
    let cancelled = delete(&app, "/v2/nfce/cx1-1").await;
    assert_eq!(cancelled.summary(), "200 cancelado", "{}", cancelled.text);
    assert!(
        !cancelled.text_at("/numero_protocolo").is_empty(),
        "{}",
        cancelled.text
    );
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_notes_of_both_layouts() {
    let app = opened().await;
    for (segment, body) in [("nfse", nfse(&app)), ("nfsen", national(&app))] {
        let path = format!("/v2/{segment}/{segment}-1");
        let answer = post(&app, &format!("/v2/{segment}?ref={segment}-1"), &body).await;
        assert_eq!(
            (answer.status, answer.text_at("/cnpj_prestador")),
            (202, CNPJ),
            "{}",
            answer.text
        );
        let note = over(&app, &path).await;
        assert_eq!(note.summary(), "200 autorizado", "{}", note.text);
        for name in ["/numero", "/codigo_verificacao", "/data_emissao"] {
            assert!(!note.text_at(name).is_empty(), "{name}: {}", note.text);
        }
        let (status, xml) = file(&app, note.text_at("/caminho_xml_nota_fiscal")).await;
        assert!(status == 200 && xml.starts_with(b"<"), "{status}");
        // The tests' hub has no address of its own in front of it.
        let (status, pdf) = file(&app, note.text_at("/url_danfse")).await;
        assert!(status == 200 && pdf.starts_with(b"%PDF"), "{status}");
        let cancelled = delete(&app, &path).await;
        assert_eq!(cancelled.summary(), "200 cancelado", "{}", cancelled.text);
        assert_eq!(get(&app, &path).await.summary(), "200 cancelado");
    }
    app.app.simulator.sim.add_fault(sim::Fault {
        falha: sim::FaultKind::Recusar,
        codigo: Some("E9876".to_owned()),
        mensagem: Some("Recusada.".to_owned()),
        ..Default::default()
    });
    assert_eq!(post(&app, "/v2/nfse?ref=b", &nfse(&app)).await.status, 202);
    let note = over(&app, "/v2/nfse/b").await;
    assert_eq!(note.summary(), "200 erro_autorizacao", "{}", note.text);
    assert_eq!(
        (
            note.text_at("/erros/0/codigo"),
            note.text_at("/erros/0/mensagem")
        ),
        ("E9876", "Recusada.")
    );
    app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_is_told_by_their_names_and_costs_nothing() {
    let app = opened().await;
    let good = nfe(&app);
    let names = |answer: &Answer| -> Vec<String> {
        let faults = answer.body["erros"].as_array().cloned().unwrap_or_default();
        faults
            .iter()
            .map(|fault| fault["campo"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let cases = [
        (
            "/items/0/codigo_nmc",
            json!("1"),
            "400 requisicao_invalida",
            "items[0].codigo_nmc",
        ),
        ("/numero", json!(9), "400 requisicao_invalida", "numero"),
        (
            "/valor_produtos",
            json!(37.9),
            "400 requisicao_invalida",
            "valor_produtos",
        ),
        (
            "/valor_total",
            json!(99),
            "400 requisicao_invalida",
            "valor_total",
        ),
        (
            "/inscricao_estadual_emitente",
            json!("9"),
            "400 requisicao_invalida",
            "inscricao_estadual_emitente",
        ),
        // What our own rules find.
        (
            "/items/0/codigo_ncm",
            json!("12345678"),
            "422 erro_validacao_schema",
            "items[0].codigo_ncm",
        ),
        (
            "/cnpj_destinatario",
            json!("11111111111111"),
            "422 erro_validacao_schema",
            "cnpj_destinatario",
        ),
        // A sum that the hub divides among the items.
        (
            "/valor_desconto",
            json!(50),
            "422 erro_validacao_schema",
            "valor_desconto",
        ),
        (
            "/tipo_documento",
            json!(7),
            "400 requisicao_invalida",
            "tipo_documento",
        ),
    ];
    for (pointer, value, summary, name) in cases {
        let answer = post(&app, "/v2/nfe?ref=a", &with(good.clone(), pointer, value)).await;
        assert_eq!(answer.summary(), summary, "{pointer}: {}", answer.text);
        assert!(
            names(&answer).iter().any(|found| found == name),
            "{pointer}: {}",
            answer.text
        );
        assert!(
            !answer.text_at("/mensagem").is_empty()
                && !answer.text_at("/erros/0/mensagem").is_empty()
        );
    }
    let bare = |answer: Answer| (answer.summary(), answer.text);
    for (path, body, summary) in [
        ("/v2/nfe", good.clone(), "400 requisicao_invalida"),
        (
            "/v2/nfe?ref=a&dry_run=1",
            good.clone(),
            "400 requisicao_invalida",
        ),
        (
            "/v2/nfce?ref=a&forma_emissao=offline",
            nfce(&app),
            "422 contingencia_nao_oferecida",
        ),
        ("/v2/nfe?ref=a", json!([]), "415 midia_invalida"),
        ("/v2/nfe?ref=a", json!({}), "400 requisicao_invalida"),
        (
            "/v2/nfe?ref=a",
            with(good.clone(), "/cnpj_emitente", "11444777000161"),
            "403 permissao_negada",
        ),
        (
            "/v2/nfe/a/carta_correcao",
            json!({ "correcao": "x" }),
            "404 nao_encontrado",
        ),
        (
            "/v2/nfe/a/carta_correcao",
            json!({}),
            "400 requisicao_invalida",
        ),
        (
            "/v2/nfe/a/email",
            json!({ "emails": [] }),
            "400 requisicao_invalida",
        ),
        (
            "/v2/nfe/inutilizacao",
            json!({ "cnpj": CNPJ }),
            "400 requisicao_invalida",
        ),
        ("/v2/hooks", json!({}), "404 nao_encontrado"),
        ("/v2/nfe/a/econf", json!({}), "404 nao_encontrado"),
    ] {
        let (told, text) = bare(post(&app, path, &body).await);
        assert_eq!(told, summary, "{path}: {text}");
    }
    assert_eq!(
        get(&app, "/v2/nfe/nunca").await.summary(),
        "404 nao_encontrado"
    );
    assert_eq!(
        get(&app, "/v2/nfe/nunca?completa=2").await.summary(),
        "400 requisicao_invalida"
    );
    assert_eq!(
        get(&app, "/v2/nfe/%00").await.summary(),
        "404 nao_encontrado"
    );
    assert_eq!(app.balance().await, (200, 0));
    let list = app.get("/api/v1/nfe").await;
    assert_eq!(list.body["itens"], json!([]), "{}", list.text);
}
