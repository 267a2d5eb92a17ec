//! What a city says of a note whose answer was lost.

use crate::{CNPJ, FIORILLI, body, left_for_later};
use hub::demo::open_account;
use sim::{Fault, FaultKind, When};
use store::tables::flows::{self, FlowOperation};
use tests::TestApp;
use tests::app::Backend;
use tests::bodies::{nfse, with};

fn order(app: &TestApp, operation: &str, times: Option<u64>, kind: FaultKind) {
    app.app.simulator.sim.add_fault(Fault {
        quando: When {
            operacao: Some(operation.to_owned()),
            vezes: times,
            ..When::default()
        },
        falha: kind,
        codigo: (kind == FaultKind::Recusar).then(|| "E4".to_owned()),
        mensagem: (kind == FaultKind::Recusar).then(|| "RPS não encontrado".to_owned()),
        ..Fault::default()
    });
}

/// A hub whose pauses are short: it looks for a note again and again.
async fn hub() -> TestApp {
    let app = TestApp::start_with(Backend::Sqlite, |config| config.flow.wait_divisor = 100_000);
    app.await.expect("SQLite is always there")
}

/// The city hides a note that it has, and refuses its second copy as one that
/// it has: the note is no refused one, and is found when the city shows it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_that_is_used_and_has_no_note_stays_open() {
    let app = hub().await;
    app.emitter(CNPJ, FIORILLI.ibge).await;
    order(&app, "emitir", Some(1), FaultKind::CortarDepois);
    order(&app, "consultar", Some(1_000), FaultKind::Recusar);
    let open = left_for_later(&app, &body(&FIORILLI)).await;
    assert!(open.is_open(), "{}", open.text);
    let id = open.text_at("/nota_id").to_owned();
    tests::until(async || {
        let mut conn = app.app.db.read().await.expect("connection");
        let sent = flows::count_of(&mut conn, &id, FlowOperation::Emitir).await;
        let asked = flows::count_of(&mut conn, &id, FlowOperation::ConsultarRps).await;
        let counted = (sent.expect("a count"), asked.expect("a count"));
        // Three answers before it is sent again, and two after that.
        if counted.0 >= 2 && counted.1 >= 6 {
            Ok(())
        } else {
            Err(format!("{counted:?}"))
        }
    })
    .await;
    assert_eq!(app.balance().await.1, 4, "the credit is held");
    app.app.simulator.sim.clear_faults();
    app.until_note(&id, "autorizada").await;
    app.check_invariants().await;
}

/// Answers of this system name neither price nor taker of a note.
const SILENT_CITY: &str = "4100806";

/// Another program of the company has used the number: what the city shows
/// of its note does not tell whose it is, and this flow had sent nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_note_of_unknown_origin_is_not_taken() {
    let app = hub().await;
    app.emitter(CNPJ, SILENT_CITY).await;
    let body = |price: &str| {
        let body = with(nfse(), "/servico/cnae", "6201501");
        with(body, "/valores/servico", price)
    };
    let first = app.post("/api/v1/nfse", &body("150.50")).await;
    app.until_note(first.text_at("/nota_id"), "autorizada")
        .await;
    let other = open_account(&app.app, "Outra conta", 6_000)
        .await
        .expect("account");
    app.emitter_of(&other.id, CNPJ, SILENT_CITY).await;
    let issue = async |order: &str| {
        let body = body("77.77");
        app.post_to_the_end(&other.live_key, "/api/v1/nfse", &body, order)
            .await
    };
    let refused = issue("uma").await;
    assert_eq!(
        refused.summary(),
        "422 rejeitada_pela_prefeitura",
        "{}",
        refused.text
    );
    assert!(
        refused.text.contains("rps_ja_informado"),
        "{}",
        refused.text
    );
    let second = issue("duas").await;
    assert_eq!(
        second.status, 201,
        "the number is spent, the next one is free: {}",
        second.text
    );
    app.check_invariants().await;
}
