//! What waits, is stuck or is left alone, in the operator's hands: by programs and on
//! pages.

use crate::admin::{Desk, TOKEN, said};
use crate::city::body;
use crate::operator::Browser;
use accounts::operator::{self, Done, Operator};
use authority::breaker;
use authority::way::{Mode, Way};
use flow::contract::{Failure, FailureReason, TransportFault, TransportKind};
use reqwest::Method;
use reqwest::header::LOCATION;
use serde_json::{Value, json};
use sim::{Fault, FaultKind, When};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::atomic::Ordering;
use store::TxError;
use store::ids::{AccountId, DeliveryId, EmitterId, NotaId};
use store::tables::deliveries::{self, AttemptRow, DeliveryStatus};
use store::tables::flows::{self, FlowPhase};
use store::tables::notas::{self, NotaStatus};
use store::tables::releases::{self, ActionRow};
use store::words::{KeyKind, Maybe};
use tests::app::Backend;
use tests::{TestApp, until};

/// Time after which a note may be asked about again, and a little more.
const PAUSE_MS: i64 = 61_000;
const DAY_MS: i64 = 86_400_000;
/// As often as it is asked.
const FOR_EVER: u64 = 0;
/// Every path for programs that reads, and every one that changes.
const READS: [&str; 6] = [
    "/notes/stuck",
    "/queues",
    "/deliveries",
    "/authorizers",
    "/disk",
    "/actions",
];
pub(crate) const CHANGES: [&str; 3] = [
    "/notes/nfse_1/ask",
    "/deliveries/ent_1/resend",
    "/authorizers/close",
];
/// Every page, with what it is called.
const PAGES: [(&str, &str); 7] = [
    ("/operador/contas", "Contas"),
    ("/operador/notas", "Notas sem resultado"),
    ("/operador/filas", "Filas"),
    ("/operador/entregas", "Entregas"),
    ("/operador/autorizadores", "Autorizadores"),
    ("/operador/disco", "Disco"),
    ("/operador/acoes", "Ações"),
];

/// Where the pages send their forms.
const FORMS: [&str; 4] = [
    "/operador/contas/con_1",
    "/operador/notas/nfse_1",
    "/operador/entregas/ent_1",
    "/operador/autorizadores",
];

impl Desk {
    async fn seen(&self, path: &str) -> Value {
        let url = format!("{}/admin/v1{path}", self.base);
        let (status, seen) = said(self.client.get(url).bearer_auth(TOKEN)).await;
        assert_eq!(status, 200, "{path}: {seen}");
        seen
    }

    async fn act(&self, path: &str, body: Value) -> (u16, Value) {
        let url = format!("{}/admin/v1{path}", self.base);
        let request = self.client.post(url).bearer_auth(TOKEN);
        said(request.body(body.to_string())).await
    }
}

fn fault(app: &TestApp, operation: &str, kind: FaultKind, times: u64) {
    assert!(app.app.simulator.sim.add_fault(Fault {
        falha: kind,
        quando: When {
            operacao: Some(operation.to_owned()),
            vezes: Some(times),
            ..When::default()
        },
        ..Fault::default()
    }));
}

/// A note whose answer got lost, while the authority answers no question, and which the
/// hub itself does not ask about for days.
async fn stuck(desk: &Desk) -> NotaId {
    let app = &desk.stage.app;
    fault(app, "emitir", FaultKind::CortarDepois, 1);
    fault(app, "consultar", FaultKind::Erro500, FOR_EVER);
    let request = app
        .http()
        .post(format!("{}/api/v1/nfse", app.base_url))
        .bearer_auth(&app.live_key)
        .header("prefer", "respond-async")
        .header("content-type", "application/json")
        .body(body(&desk.stage.emitter).to_string());
    let answer = app.send(request).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let id = NotaId::from(answer.text_at("/nota_id"));
    until(async || {
        if left(app, &id).await {
            Ok(())
        } else {
            Err("a flow of the note is open")
        }
    })
    .await;
    id
}

/// Has the hub ask about the note in ten days; false while something asks about it now.
async fn left(app: &TestApp, id: &NotaId) -> bool {
    let later_ms = app.app.now_ms() + 10 * DAY_MS;
    let written = app
        .app
        .db
        .write((id.clone(), later_ms), |(id, later_ms), conn| {
            Box::pin(async move {
                let Some(mut nota) = notas::lock(conn, id).await? else {
                    return Ok(false);
                };
                let last = flows::last_of(conn, id).await?;
                let quiet = last.is_some_and(|flow| flow.phase == FlowPhase::Done)
                    && nota.status == NotaStatus::InTransmission;
                if quiet {
                    nota.next_check_ms = *later_ms;
                    notas::save(conn, &nota).await?;
                }
                Ok::<_, TxError<Infallible>>(quiet)
            })
        });
    written.await.expect("written")
}

async fn notes_are_asked_about(desk: &Desk) {
    let app = &desk.stage.app;
    let id = stuck(desk).await;
    let queues = desk.seen("/queues").await;
    assert_eq!(queues["notas"]["quantas"], 1, "{queues}");
    assert!(queues["notas"]["desde"].is_string());
    let young = desk.seen("/notes/stuck").await;
    assert_eq!(young["notas"], json!([]), "it is on its way");
    let seen = desk.seen("/notes/stuck?minutos=0").await;
    let one = &seen["notas"][0];
    assert_eq!(
        (&one["id"], &one["nota_id"]),
        (&json!(id.as_str()), &json!(id.as_str()))
    );
    assert_eq!(one["conta"]["id"], app.account_id.as_str());
    assert_eq!(
        (&one["situacao"], &one["pode_consultar"]),
        (&json!("em_transmissao"), &json!(true))
    );
    for member in ["motivo", "o_que_fazer", "proxima_consulta_em"] {
        assert!(
            one[member].as_str().is_some_and(|text| !text.is_empty()),
            "{member}: {seen}"
        );
    }
    assert!(!seen.to_string().contains("Cliente Exemplo"), "{seen}");
    let after = desk
        .seen(&format!("/notes/stuck?minutos=0&depois={id}"))
        .await;
    assert_eq!(after["notas"], json!([]));

    let path = format!("/notes/{id}/ask");
    let reason = json!({ "motivo": "Chamado 117" });
    let (status, soon) = desk.act(&path, reason.clone()).await;
    assert_eq!(
        (status, &soon["codigo"]),
        (409, &json!("estado_invalido")),
        "{soon}"
    );
    app.ahead_ms.fetch_add(PAUSE_MS, Ordering::Relaxed);
    for wrong in [
        json!({}),
        json!({ "motivo": " " }),
        json!({ "motivo": "a\nb" }),
    ] {
        assert_eq!(desk.act(&path, wrong).await.0, 400);
    }
    let (before, held) = app.balance().await;
    let (status, nothing) = desk.act(&path, reason.clone()).await;
    assert_eq!(
        (status, &nothing["mudou"], &nothing["situacao"]),
        (200, &json!(false), &json!("em_transmissao")),
        "{nothing}"
    );
    assert!(nothing["codigo"].is_string(), "{nothing}");
    assert_eq!(app.balance().await, (before, held), "nobody pays for it");

    app.app.simulator.sim.clear_faults();
    app.ahead_ms.fetch_add(PAUSE_MS, Ordering::Relaxed);
    let (status, heard) = desk.act(&path, reason.clone()).await;
    assert_eq!(
        (status, &heard["mudou"], &heard["situacao"]),
        (200, &json!(true), &json!("autorizada")),
        "{heard}"
    );
    assert_eq!(desk.act(&path, reason.clone()).await.0, 409, "it is known");
    assert_eq!(desk.act("/notes/nfse_nenhuma/ask", reason).await.0, 404);
    let actions = desk.seen("/actions").await;
    let asked = actions["acoes"].as_array().expect("actions").iter();
    let asked: Vec<_> = asked
        .filter(|row| row["acao"] == "nota.consulta_pedida")
        .collect();
    assert_eq!(asked.len(), 2, "{actions}");
    assert!(
        asked
            .iter()
            .all(|row| row["alvo"] == id.as_str() && row["quem"] == "admin")
    );
    let (_, whole) = said(desk.client.get(account(desk)).bearer_auth(TOKEN)).await;
    assert_eq!(whole["auditoria"][0]["acao"], "nota.consulta_pedida");
    assert_eq!(whole["auditoria"][0]["detalhe"], "Chamado 117");
}

fn account(desk: &Desk) -> String {
    format!(
        "{}/admin/v1/accounts/{}",
        desk.base, desk.stage.app.account_id
    )
}

/// A delivery that was given up, to an address where nobody listens.
async fn failed(app: &TestApp) -> DeliveryId {
    let webhook = json!({ "url": "http://127.0.0.1:9/segredo-do-caminho", "eventos": ["*"] });
    let made = app.post("/api/v1/webhooks", &webhook).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let path = format!("/api/v1/webhooks/{}/testar", made.text_at("/id"));
    let tested = app.post(&path, &json!({ "evento": "nfse.emitida" })).await;
    assert!(tested.status < 300, "{}", tested.text);
    let deliveries = app.get("/api/v1/webhooks/entregas").await;
    let id = DeliveryId::from(deliveries.text_at("/itens/0/id"));
    let path = format!("/api/v1/webhooks/entregas/{id}");
    app.until(&path, |answer| {
        answer.body["historico"]
            .as_array()
            .is_some_and(|made| !made.is_empty())
    })
    .await;
    let input = (AccountId::from(app.account_id.as_str()), id.clone());
    let written = app.app.db.write(input, |(account, id), conn| {
        Box::pin(async move {
            let row = deliveries::get(conn, account, KeyKind::Live, id).await?;
            let mut row = row.expect("a delivery");
            row.status = DeliveryStatus::Failed;
            row.attempts += 1;
            let attempt = AttemptRow {
                delivery_id: id.clone(),
                number: row.attempts,
                status: 503,
                answer: "segredo-da-resposta".to_owned(),
                ..AttemptRow::default()
            };
            deliveries::save(conn, &row, &attempt).await?;
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
    id
}

async fn deliveries_are_sent_again(desk: &Desk) {
    let id = failed(&desk.stage.app).await;
    let seen = desk.seen("/deliveries?situacao=falhou").await;
    let one = &seen["entregas"][0];
    assert_eq!(
        (&one["id"], &one["entrega_id"]),
        (&json!(id.as_str()), &json!(id.as_str())),
        "{seen}"
    );
    assert_eq!(
        (&one["host"], &one["ultimo_status"]),
        (&json!("127.0.0.1"), &json!(503))
    );
    assert!(!seen.to_string().contains("segredo"), "{seen}");
    let older = desk.seen(&format!("/deliveries?antes={id}")).await;
    assert_eq!(older["entregas"], json!([]), "{older}");
    assert_eq!(desk.seen("/queues").await["entregas"]["falharam"], 1);
    let path = format!("/deliveries/{id}/resend");
    let reason = json!({ "motivo": "O cliente pediu" });
    assert_eq!(desk.act(&path, json!({ "motivo": "" })).await.0, 400);
    let (status, sent) = desk.act(&path, reason.clone()).await;
    assert_eq!(
        (status, &sent["situacao"]),
        (200, &json!("pendente")),
        "{sent}"
    );
    assert_eq!(desk.act(&path, reason.clone()).await.0, 409);
    assert_eq!(
        desk.act("/deliveries/ent_nenhuma/resend", reason).await.0,
        404
    );
    let actions = desk.seen("/actions").await;
    assert_eq!(actions["acoes"][0]["acao"], "entrega.reenviada");
    assert_eq!(actions["acoes"][0]["motivo"], "O cliente pediu");
}

/// Has the hub leave an authorizer alone; its name.
fn paused(app: &TestApp) -> String {
    let (hub, now_ms) = (&app.app, app.app.now_ms());
    let all = breaker::all(&hub.registry.load(), &hub.breaker, now_ms);
    let one = all.first().expect("an authorizer");
    let address = one.addresses.first().expect("an address").clone();
    let way = Way {
        mode: Mode::Simulator,
        endpoints: BTreeMap::from([("autorizacao".to_owned(), address)]),
        hosts: BTreeSet::new(),
        emitter_id: EmitterId::default(),
        certificate_id: Maybe(None),
    };
    let failure = Failure {
        reason: FailureReason::Transport(TransportFault {
            kind: TransportKind::Timeout,
            detail: String::new(),
            maybe_arrived: false,
        }),
        may_exist: false,
        detail: String::new(),
        evidence: None,
    };
    hub.breaker.learn(&way, "11222333000181", &failure, now_ms);
    one.id.clone()
}

async fn pauses_are_ended(desk: &Desk) {
    let app = &desk.stage.app;
    app.stop_clock();
    let id = paused(app);
    let seen = desk.seen("/authorizers").await;
    let all = seen["autorizadores"].as_array().expect("authorizers");
    assert!(all.len() > 20, "{seen}");
    let open: Vec<_> = all.iter().filter(|one| !one["pausa"].is_null()).collect();
    assert_eq!(open.len(), 1, "{seen}");
    assert_eq!(open[0]["autorizador"], id);
    assert_eq!(open[0]["pausa"]["motivo"], "Não responde a tempo.");
    assert_eq!(seen["empresas_em_espera"], json!([]));
    let ambiente = open[0]["ambiente"].clone();
    let ended = json!({ "autorizador": id, "ambiente": ambiente, "motivo": "Voltou" });
    for (wrong, status) in [
        (json!({ "autorizador": id, "ambiente": ambiente }), 400),
        (
            json!({ "autorizador": "nenhum", "ambiente": ambiente, "motivo": "m" }),
            404,
        ),
        (
            json!({ "autorizador": id, "ambiente": "lua", "motivo": "m" }),
            400,
        ),
    ] {
        let (answered, answer) = desk.act("/authorizers/close", wrong).await;
        assert_eq!(answered, status, "{answer}");
    }
    for changed in [true, false] {
        let (status, closed) = desk.act("/authorizers/close", ended.clone()).await;
        assert_eq!(
            (status, &closed["mudou"]),
            (200, &json!(changed)),
            "{closed}"
        );
    }
    let actions = desk.seen("/actions").await;
    assert_eq!(actions["acoes"][0]["acao"], "autorizador.pausa_encerrada");
    assert_eq!(actions["acoes"][0]["conta_id"], Value::Null);
    assert_ne!(
        actions["acoes"][1]["acao"], "autorizador.pausa_encerrada",
        "once"
    );
}

async fn programs_see_what_waits(desk: Desk) {
    notes_are_asked_about(&desk).await;
    deliveries_are_sent_again(&desk).await;
    pauses_are_ended(&desk).await;
    let disk = desk.seen("/disk").await;
    assert!(
        disk["pastas"][0]["livre_bytes"]
            .as_u64()
            .is_some_and(|free| free > 0),
        "{disk}"
    );
    assert!(
        disk["banco_bytes"].as_i64().is_some_and(|bytes| bytes > 0),
        "{disk}"
    );
    let tables = disk["tabelas"].as_array().expect("tables");
    let notes = tables.iter().find(|one| one["tabela"] == "notas");
    assert!(
        notes.is_some_and(|one| one["bytes"].as_i64() > Some(0)),
        "{disk}"
    );
    desk.stage.app.check_invariants().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_see_what_waits_on_sqlite() {
    let desk = Desk::open(Backend::Sqlite).await;
    programs_see_what_waits(desk.expect("always there")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_see_what_waits_on_postgres() {
    if let Some(desk) = Desk::open(Backend::Postgres).await {
        programs_see_what_waits(desk).await;
    }
}

/// Writes actions down, of an operator and of an adapter in each millisecond.
async fn acted(app: &TestApp, moments: Range<i64>) {
    let from_ms = app.app.now_ms() - DAY_MS;
    let written = app
        .app
        .db
        .write((from_ms, moments), |(from_ms, moments), conn| {
            Box::pin(async move {
                for n in moments.clone() {
                    let at_ms = from_ms + n;
                    let operator = Operator {
                        door: "admin",
                        now_ms: at_ms,
                    };
                    let done = Done {
                        account: None,
                        action: "autorizador.pausa_encerrada",
                        target: &format!("{n}, operator"),
                        detail: "Voltou",
                    };
                    operator::record(conn, &done, &operator).await?;
                    let row = ActionRow {
                        id: base::ids::new("act", at_ms),
                        at_ms,
                        action: "canary".to_owned(),
                        name: format!("{n}, adapter"),
                        digest: "0123456789abcdef".to_owned(),
                        actor: "operadora".to_owned(),
                        detail: "10 %".to_owned(),
                    };
                    releases::record(conn, &row).await?;
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
    written.await.expect("written");
}

/// Whatever a page ends with, the next one begins behind it.
async fn actions_and_adapters_are_one_list(desk: Desk) {
    acted(&desk.stage.app, 0..65).await;
    let targets = |page: &Value| -> Vec<String> {
        let rows = page["acoes"].as_array().expect("actions").iter();
        let targets = rows.map(|row| row["alvo"].as_str().expect("a target"));
        targets.map(str::to_owned).collect()
    };
    let first = desk.seen("/actions").await;
    let next = first["proxima"].as_str().expect("another page");
    let second = desk.seen(&format!("/actions?antes={next}")).await;
    assert_eq!(second["proxima"], Value::Null);
    let expected: Vec<String> = (0..65)
        .rev()
        .flat_map(|n| [format!("{n}, operator"), format!("{n}, adapter")])
        .collect();
    assert_eq!([targets(&first), targets(&second)].concat(), expected);
    for at in [0, 1, 2] {
        let id = first["acoes"][at]["id"].as_str().expect("an id");
        let behind = desk.seen(&format!("/actions?antes={id}")).await;
        assert_eq!(targets(&behind)[..50], expected[at + 1..at + 51], "{at}");
    }
    let of_adapter = &first["acoes"][1];
    for (member, text) in [
        ("acao", "adaptador.em_canario"),
        ("quem", "operadora"),
        ("motivo", "0123456789ab 10 %"),
    ] {
        assert_eq!(of_adapter[member], text, "{of_adapter}");
    }
    assert_eq!(of_adapter["conta_id"], Value::Null);
    for strange in ["act_nenhum", "a"] {
        let none = desk.seen(&format!("/actions?antes={strange}")).await;
        assert_eq!(none["acoes"], json!([]), "{strange}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_and_adapters_are_one_list_on_sqlite() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    actions_and_adapters_are_one_list(desk).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn actions_and_adapters_are_one_list_on_postgres() {
    if let Some(desk) = Desk::open(Backend::Postgres).await {
        actions_and_adapters_are_one_list(desk).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_without_the_token_sees_what_waits() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let key = desk.stage.app.live_key.clone();
    let reads = READS.map(|path| (Method::GET, path));
    let changes = CHANGES.map(|path| (Method::POST, path));
    for (method, path) in reads.into_iter().chain(changes) {
        let url = format!("{}/admin/v1{path}", desk.base);
        for token in ["", &key, &TOKEN.to_uppercase()] {
            let request = desk.client.request(method.clone(), &url);
            let (status, _) = said(request.bearer_auth(token)).await;
            assert_eq!(status, 401, "{path}");
        }
        let other = if method == Method::GET {
            Method::POST
        } else {
            Method::GET
        };
        let request = desk.client.request(other, &url).bearer_auth(TOKEN);
        assert_eq!(said(request).await.0, 405, "{path}");
        let strange = desk.client.request(method, format!("{url}?x=1"));
        assert_eq!(said(strange.bearer_auth(TOKEN)).await.0, 400, "{path}");
    }
    for path in [
        "/notes/stuck?minutos=-1",
        "/notes/stuck?minutos=a",
        "/deliveries?situacao=entregue",
    ] {
        let url = format!("{}/admin/v1{path}", desk.base);
        assert_eq!(
            said(desk.client.get(url).bearer_auth(TOKEN)).await.0,
            400,
            "{path}"
        );
    }
    for path in [
        "/actions?antes=%00",
        "/notes/stuck?depois=%00",
        "/deliveries?antes=%00",
    ] {
        desk.seen(path).await;
    }
    for path in CHANGES {
        let (status, _) = desk
            .act(&path.replace("_1", "%00"), json!({ "motivo": "m" }))
            .await;
        assert!(matches!(status, 400 | 404), "{path}: {status}");
    }
    assert_eq!(
        desk.seen("/actions").await["acoes"],
        json!([]),
        "nothing was done"
    );
    let stranger = Browser::of(desk);
    let mut answers = Vec::new();
    for (path, _) in PAGES {
        answers.push((path, stranger.page(path).await));
    }
    for path in FORMS {
        answers.push((path, stranger.send(path, &[("motivo", "m")]).await));
    }
    for (path, page) in answers {
        assert_eq!(
            (page.status, page.header(LOCATION)),
            (303, "/operador/entrar"),
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_show_what_waits_and_act() {
    let browser = Browser::logged_in().await;
    for (path, name) in PAGES {
        let page = browser.page(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(
            page.text.contains(&format!("<h1>{name}</h1>")),
            "{path}: {}",
            page.text
        );
        let takes_nothing = matches!(path, "/operador/filas" | "/operador/disco");
        let twice = format!("{path}?antes=a&antes=b&feito=a&feito=b");
        let status = browser.page(&twice).await.status;
        assert_eq!(status, if takes_nothing { 200 } else { 400 }, "{path}");
    }
    let desk = &browser.desk;
    let app = &desk.stage.app;
    let nota = stuck(desk).await;
    let delivery = failed(app).await;
    app.stop_clock();
    let authorizer = paused(app);
    app.ahead_ms.fetch_add(1_000, Ordering::Relaxed);

    let page = browser.page("/operador/notas?minutos=0").await;
    assert!(page.text.contains("Consultar agora"), "{}", page.text);
    let csrf = page.hidden("csrf");
    let way = format!("/operador/notas/{nota}");
    let fields = [("csrf", csrf.as_str()), ("motivo", "Chamado")];
    assert_eq!(browser.send(&way, &fields[1..]).await.status, 403);
    let soon = browser.send(&way, &fields).await;
    assert_eq!(soon.status, 422);
    assert!(soon.text.contains("menos de um minuto"), "{}", soon.text);

    let page = browser.page("/operador/entregas").await;
    assert!(!page.text.contains("segredo"), "{}", page.text);
    let way = format!("/operador/entregas/{delivery}");
    assert_eq!(
        browser.send(&way, &fields[..1]).await.status,
        422,
        "without a reason"
    );
    let sent = browser.send(&way, &fields).await;
    assert_eq!(sent.header(LOCATION), "/operador/entregas?feito=reenviar");
    assert_eq!(browser.send(&way, &fields).await.status, 422, "once");

    let page = browser.page("/operador/autorizadores").await;
    assert!(page.text.contains("em pausa"), "{}", page.text);
    let ambiente = page.hidden("ambiente");
    let ended = [
        ("csrf", csrf.as_str()),
        ("motivo", "Voltou"),
        ("autorizador", authorizer.as_str()),
        ("ambiente", ambiente.as_str()),
    ];
    for done in ["encerrar", "nada"] {
        let answer = browser.send("/operador/autorizadores", &ended).await;
        assert_eq!(
            answer.header(LOCATION),
            format!("/operador/autorizadores?feito={done}")
        );
    }

    app.app.simulator.sim.clear_faults();
    app.ahead_ms.fetch_add(PAUSE_MS, Ordering::Relaxed);
    let asked = browser
        .send(&format!("/operador/notas/{nota}"), &fields)
        .await;
    assert_eq!(
        asked.header(LOCATION),
        "/operador/notas?feito=resultado",
        "{}",
        asked.text
    );
    let actions = browser.page("/operador/acoes").await;
    for action in [
        "nota.consulta_pedida",
        "entrega.reenviada",
        "autorizador.pausa_encerrada",
    ] {
        assert_eq!(
            actions.text.matches(action).count(),
            1,
            "{action}: {}",
            actions.text
        );
    }
    assert_eq!(
        actions
            .text
            .matches("<td data-rotulo=\"Quem\">operador<")
            .count(),
        3
    );
    for path in ["/operador/notas/x", "/operador/entregas/x"] {
        assert_eq!(browser.page(path).await.status, 404, "{path}");
    }
}
