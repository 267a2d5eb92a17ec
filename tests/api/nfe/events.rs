//! Events of product notes, voided numbers, questions about a note.

use crate::common::{BELO_HORIZONTE, ask_as, assert_refusal};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::Backend;
use tests::bodies::nfe;
use tests::{TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const REASON: &str = "Mercadoria não saiu do estoque";

async fn issued(app: &TestApp) -> String {
    app.emitter(CNPJ, BELO_HORIZONTE).await;
    let answer = app.post("/api/v1/nfe", &nfe()).await;
    assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
    answer.text_at("/nota_id").to_owned()
}

fn asked(nota: &str, name: &str, value: &str) -> Value {
    json!({ "ref": nota, name: value })
}

both! {
    async fn a_note_is_cancelled_once(app: TestApp) {
        let nota = issued(&app).await;
        let body = asked(&nota, "justificativa", REASON);
        let answer = app.post("/api/v1/nfe/cancelar", &body).await;
        assert_eq!(answer.summary(), "200 cancelada", "{}", answer.text);
        assert_eq!((answer.text_at("/evento/tipo"), answer.text_at("/evento/status_sefaz")), ("cancelamento", "135"));
        assert_eq!(answer.body["creditos"], json!({ "reservado": 0, "debitado": 4, "saldo": 192 }));
        let again = app.post("/api/v1/nfe/cancelar", &body).await;
        assert_refusal(&again, "409 ja_cancelada");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_cancelled_note_says_what_the_authority_said_last(app: TestApp) {
        let nota = issued(&app).await;
        let path = format!("/api/v1/documentos/{nota}");
        assert_eq!(app.get(&path).await.text_at("/status_sefaz"), "100");
        let answer = app.post("/api/v1/nfe/cancelar", &asked(&nota, "justificativa", REASON)).await;
        assert_eq!((answer.text_at("/status_sefaz"), answer.text_at("/mensagem_sefaz")), ("135", "Evento registrado e vinculado a NF-e"));
        for shown in [app.get(&path).await, app.get("/api/v1/nfe").await] {
            let record = shown.body.pointer("/itens/0").unwrap_or(&shown.body);
            assert_eq!((&record["status_sefaz"], &record["mensagem_sefaz"]), (&json!("135"), &json!("Evento registrado e vinculado a NF-e")), "{}", shown.text);
        }
        let looked = app.post("/api/v1/nfe/status", &json!({ "ref": nota })).await;
        assert_eq!((looked.summary().as_str(), looked.text_at("/status_sefaz")), ("200 cancelada", "101"), "{}", looked.text);
    }
}

both! {
    async fn a_note_cancelled_elsewhere_says_so(app: TestApp) {
        let nota = issued(&app).await;
        let path = format!("/api/v1/documentos/{nota}");
        let sim = &app.app.simulator.sim;
        let chave = app.get(&path).await.text_at("/chave").to_owned();
        sim.cancel_deposit(&chave).expect("cancelled");
        let looked = app.post("/api/v1/nfe/status", &json!({ "ref": nota })).await;
        assert_eq!(looked.text_at("/situacao"), "cancelada", "{}", looked.text);
        let shown = app.get(&path).await;
        assert_eq!((shown.summary().as_str(), shown.text_at("/status_sefaz")), ("200 cancelada", "101"), "{}", shown.text);

        // Found only after it was cancelled.
        fault(&app, "autorizar", sim::FaultKind::CortarDepois, 0);
        sim.add_fault(sim::Fault {
            quando: sim::When { operacao: Some("consultar".to_owned()), vezes: Some(0), ..Default::default() },
            falha: sim::FaultKind::CortarAntes,
            ..Default::default()
        });
        let open = app.post("/api/v1/nfe", &nfe()).await;
        assert!(open.is_open(), "{}", open.text);
        let issued = sim.notas();
        let chave = issued.last().and_then(|nota| nota.chave.clone()).expect("a key");
        sim.cancel_deposit(&chave).expect("cancelled");
        sim.clear_faults();
        let found = app.until_note(open.text_at("/nota_id"), "cancelada").await;
        assert_eq!((found.text_at("/status_sefaz"), found.text_at("/chave")), ("101", chave.as_str()), "{}", found.text);
        assert_ne!(found.text_at("/mensagem_sefaz"), "Autorizado o uso da NF-e", "{}", found.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn letters_count_and_replace_each_other(app: TestApp) {
        let nota = issued(&app).await;
        for sequence in 1..=3 {
            let body = asked(&nota, "correcao", "Onde se lê volume 1, leia-se volume 2");
            let answer = app.post("/api/v1/nfe/cce", &body).await;
            assert_eq!(answer.summary(), "200 autorizada", "{}", answer.text);
            assert_eq!(answer.body["evento"]["sequencia"], sequence);
        }
        let last = app.post("/api/v1/nfe/cce", &asked(&nota, "correcao", "Onde se lê volume 2, leia-se volume 3")).await;
        let print = app.get(last.text_at("/evento/links/danfe")).await;
        assert_eq!((print.status, print.header("content-type")), (200, "application/pdf"), "{}", print.text);
        assert!(print.text.starts_with("%PDF"), "{}", print.text);
        let xml = app.get(last.text_at("/evento/links/xml")).await;
        assert!(xml.text.contains("leia-se volume 3") && xml.text.starts_with("<procEventoNFe"), "{}", xml.text);
        let short = app.post("/api/v1/nfe/cce", &asked(&nota, "correcao", "curta")).await;
        assert_refusal(&short, "422 validacao_previa");
        assert_eq!(app.balance().await, (180, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn voided_numbers_are_never_given_out(app: TestApp) {
        issued(&app).await;
        let range = |first: u32, last: u32| json!({ "serie": 1, "numero_inicial": first, "numero_final": last, "justificativa": REASON });
        let used = app.post("/api/v1/nfe/inutilizar", &range(1, 3)).await;
        assert_refusal(&used, "409 estado_invalido");
        let done = app.post("/api/v1/nfe/inutilizar", &range(2, 4)).await;
        assert_eq!((done.status, done.text_at("/faixa/status")), (200, "inutilizada"), "{}", done.text);
        app.calls_logged().await;
        let call = app.get(&format!("/api/v1/usage/chamadas/{}", done.text_at("/request_id"))).await;
        assert_eq!(call.body["lancamentos"].as_array().map(Vec::len), Some(2), "{}", call.text);
        let again = app.post("/api/v1/nfe/inutilizar", &range(4, 4)).await;
        assert_refusal(&again, "409 faixa_ja_inutilizada");
        let next = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!(next.body["numero"], 5, "{}", next.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn the_state_of_a_note_is_asked_for(app: TestApp) {
        let nota = issued(&app).await;
        let answer = app.post("/api/v1/nfe/status", &json!({ "ref": nota })).await;
        assert_eq!((answer.status, answer.text_at("/situacao"), answer.text_at("/status_sefaz")), (200, "autorizada", "100"), "{}", answer.text);
        app.check_invariants().await;
    }
}

both! {
    async fn the_authorizer_is_asked_once_in_three_minutes(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let first = app.get("/api/v1/nfe/autorizador/status?uf=MG").await;
        assert_eq!((first.status, first.text_at("/situacao"), first.text_at("/codigo")), (200, "em_operacao", "107"), "{}", first.text);
        let second = app.get("/api/v1/nfe/autorizador/status?uf=MG").await;
        assert_eq!((first.text_at("/ambiente"), second.text_at("/ambiente")), ("producao", "producao"));
        assert_eq!((&first.body["cache"], &second.body["cache"]), (&json!(false), &json!(true)));
        app.check_invariants().await;
    }
}

fn fault(app: &TestApp, operation: &str, failure: sim::FaultKind, ms: u64) {
    app.app.simulator.sim.add_fault(sim::Fault {
        quando: sim::When {
            operacao: Some(operation.to_owned()),
            ..Default::default()
        },
        falha: failure,
        ms: Some(ms),
        ..Default::default()
    });
}

/// Without a certificate the question stays in this process, where no
/// time-out of a connection ends it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_authorizer_that_hangs_is_unavailable() {
    let app = TestApp::start_with(Backend::Sqlite, |config| {
        config.authorities.timeout_ms = 5_000;
        config.authorities.connect_timeout_ms = 5_000;
    })
    .await
    .expect("SQLite is always there");
    app.emitter_without_certificate(CNPJ, BELO_HORIZONTE).await;
    let path = "/api/v1/nfce/autorizador/status";
    let asked = || ask_as(&app, &app.test_key, Method::GET, path, None);
    let world = app
        .app
        .simulator
        .world(&app.account_id)
        .expect("a world of its own");
    assert!(world.add_fault(sim::Fault {
        falha: sim::FaultKind::Lento,
        ms: Some(300_000),
        ..Default::default()
    }));
    let answer = asked().await;
    assert_refusal(&answer, "503 sefaz_indisponivel");
    assert_ne!(answer.header("retry-after"), "");
    world.clear_faults();
    let answer = asked().await;
    assert_eq!(
        (answer.status, answer.text_at("/ambiente")),
        (200, "homologacao"),
        "{}",
        answer.text
    );
    app.check_invariants().await;
}

on_sqlite! {
    async fn a_certificate_the_sefaz_refuses_is_no_matter_of_a_city(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "autorizar", sim::FaultKind::CertificadoVencido, 0);
        let answer = app.post("/api/v1/nfe", &nfe()).await;
        assert_refusal(&answer, "422 credenciais_recusadas");
        assert!(answer.text_at("/mensagem").contains("SEFAZ"), "{}", answer.text);
        assert!(answer.text_at("/dica").contains("/certificado"), "{}", answer.text);
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}
