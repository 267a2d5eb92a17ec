//! Accounts in the operator's hands: by programs and on pages.

use crate::admin::{Desk, said};
use crate::operator::Browser;
use reqwest::Method;
use reqwest::header::LOCATION;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::app::Backend;

/// How long a node believes what it read of a key, and a little more.
const FRESH_MS: i64 = 6_000;
const UNKNOWN: &str = "con_00000000000000000000000000";

impl Desk {
    async fn accounts(&self, path: &str) -> (u16, Value) {
        let url = format!("{}/admin/v1/accounts{path}", self.base);
        said(self.client.get(url).bearer_auth(crate::admin::TOKEN)).await
    }

    /// Changes the account of the stage.
    async fn change(&self, what: &str, body: Value) -> (u16, Value) {
        let id = &self.stage.app.account_id;
        self.change_of(id, what, body).await
    }

    async fn change_of(&self, id: &str, what: &str, body: Value) -> (u16, Value) {
        let url = format!("{}/admin/v1/accounts/{id}/{what}", self.base);
        let request = self.client.post(url).bearer_auth(crate::admin::TOKEN);
        said(request.body(body.to_string())).await
    }

    /// What the account's key is answered, once nothing old is remembered.
    async fn key_is_answered(&self) -> tests::app::Answer {
        let app = &self.stage.app;
        app.ahead_ms.fetch_add(FRESH_MS, Ordering::Relaxed);
        app.get("/api/v1/conta").await
    }
}

async fn programs_look_after_accounts(desk: Desk) {
    let app = &desk.stage.app;
    let id = app.account_id.as_str();
    let other = hub::demo::open_account(&app.app, "PADARIA SÃO JOÃO", 60).await;
    other.expect("account");
    let (_, listed) = desk.accounts("?busca=teste").await;
    assert_eq!(listed["contas"][0]["id"], id);
    assert_eq!(listed["contas"][0]["bloqueio"], Value::Null);
    assert_eq!(listed["proxima"], Value::Null);
    for (sought, count) in [
        ("?busca=TEST", 1),
        (&format!("?busca={id}"), 1),
        ("?busca=11.222.333/0001-81", 1),
        ("?busca=t%25t", 0),
        ("?busca=ninguem", 0),
        ("?bloqueadas=true", 0),
        ("?busca=PADARIA%20S%C3%83O", 1),
        ("?busca=padaria%20sao", 1),
        ("?busca=%00", 0),
        ("?antes=%00", 0),
        (&format!("?busca={}", "a".repeat(50_000)), 0),
    ] {
        let (_, listed) = desk.accounts(sought).await;
        assert_eq!(
            listed["contas"].as_array().map(Vec::len),
            Some(count),
            "{sought}"
        );
    }

    let (status, blocked) = desk
        .change("block", json!({ "motivo": "Fatura em aberto" }))
        .await;
    assert_eq!(
        (status, &blocked["mudou"]),
        (200, &json!(true)),
        "{blocked}"
    );
    assert_eq!(blocked["bloqueio"]["motivo"], "Fatura em aberto");
    let refused = desk.key_is_answered().await;
    assert_eq!(refused.status, 403);
    assert_eq!(refused.header("x-error-code"), "conta_bloqueada");
    assert!(refused.text_at("/mensagem").contains("Fatura em aberto"));
    let (_, again) = desk
        .change("block", json!({ "motivo": "Fatura em aberto" }))
        .await;
    assert_eq!(again["mudou"], false);
    let (_, listed) = desk.accounts("?bloqueadas=true").await;
    assert_eq!(listed["contas"][0]["id"], id);
    let reason = json!({ "motivo": " Fatura paga " });
    let (_, open) = desk.change("unblock", reason).await;
    assert_eq!(
        (&open["mudou"], &open["bloqueio"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(desk.key_is_answered().await.status, 200);

    credits_are_granted_once(&desk).await;

    let (_, limited) = desk
        .change(
            "limits",
            json!({ "requisicoes_por_minuto": 77, "motivo": "Contrato novo" }),
        )
        .await;
    assert_eq!(limited["requisicoes_por_minuto"], 77);
    let answer = desk.key_is_answered().await;
    assert_eq!(answer.body["limites"]["requisicoes_por_minuto"], 77);
    let release = json!({ "documento": "mdfe", "liberado": true, "motivo": "Pedido 31" });
    let (_, released) = desk.change("release", release).await;
    assert_eq!(released["liberacoes"], json!(["MDF-e"]));

    let (_, whole) = desk.accounts(&format!("/{id}")).await;
    let audit = whole["auditoria"].as_array().expect("an audit");
    let done: Vec<&str> = audit
        .iter()
        .filter_map(|row| row["acao"].as_str())
        .collect();
    assert_eq!(
        done,
        [
            "conta.liberacao",
            "conta.limite",
            "creditos.concedidos",
            "conta.desbloqueada",
            "conta.bloqueada"
        ]
    );
    assert!(audit.iter().all(|row| row["quem"] == "admin"), "{whole}");
    let why = [0, 1, 3].map(|at| audit[at]["detalhe"].as_str());
    assert_eq!(
        why,
        [
            Some("MDF-e: Pedido 31"),
            Some("77 requisições por minuto: Contrato novo"),
            Some("Fatura paga")
        ]
    );
    app.check_invariants().await;
}

async fn credits_are_granted_once(desk: &Desk) {
    let (before, _) = desk.stage.app.balance().await;
    let grant = json!({ "creditos": 500, "referencia": "2026-117", "motivo": "Contrato" });
    let (status, granted) = desk.change("credit", grant.clone()).await;
    assert_eq!(
        (status, &granted["mudou"]),
        (200, &json!(true)),
        "{granted}"
    );
    let blanks = json!({ "creditos": 500, "referencia": " 2026-117 ", "motivo": "Contrato" });
    assert_eq!(desk.change("credit", blanks).await.1["mudou"], false);
    let (_, again) = desk.change("credit", grant).await;
    assert_eq!(
        (&again["mudou"], &again["saldo"]),
        (&json!(false), &json!(before + 500))
    );
    let other = json!({ "creditos": 501, "referencia": "2026-117", "motivo": "Contrato" });
    let (status, other) = desk.change("credit", other).await;
    assert_eq!(
        (status, &other["codigo"]),
        (409, &json!("estado_invalido")),
        "{other}"
    );
    assert_eq!(desk.stage.app.balance().await.0, before + 500);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_look_after_accounts_on_sqlite() {
    let desk = Desk::open(Backend::Sqlite).await;
    programs_look_after_accounts(desk.expect("always there")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_look_after_accounts_on_postgres() {
    if let Some(desk) = Desk::open(Backend::Postgres).await {
        programs_look_after_accounts(desk).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_changes_no_account() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let before = desk
        .accounts(&format!("/{}", desk.stage.app.account_id))
        .await;
    for (what, body) in [
        ("block", json!({})),
        ("block", json!({ "motivo": "" })),
        ("block", json!({ "motivo": " \u{a0}" })),
        ("block", json!({ "motivo": "a\u{2028}b" })),
        ("block", json!({ "motivo": "a\u{202e}b" })),
        ("credit", json!([5, "1", "m"])),
        ("block", json!({ "motivo": "a\nb" })),
        ("block", json!({ "motivo": "a".repeat(201) })),
        (
            "credit",
            json!({ "creditos": 0, "referencia": "1", "motivo": "m" }),
        ),
        (
            "credit",
            json!({ "creditos": -5, "referencia": "1", "motivo": "m" }),
        ),
        (
            "credit",
            json!({ "creditos": 1_000_000_001, "referencia": "1", "motivo": "m" }),
        ),
        (
            "credit",
            json!({ "creditos": 1.5, "referencia": "1", "motivo": "m" }),
        ),
        ("credit", json!({ "creditos": 5, "motivo": "m" })),
        ("limits", json!({ "requisicoes_por_minuto": 0 })),
        ("release", json!({ "documento": "nfe", "liberado": true })),
        ("unblock", json!({ "razao": "m" })),
        ("unblock", json!({ "motivo": " " })),
        (
            "limits",
            json!({ "requisicoes_por_minuto": 7, "motivo": "a\nb" }),
        ),
        (
            "release",
            json!({ "documento": "mdfe", "liberado": true, "motivo": "a".repeat(201) }),
        ),
    ] {
        let (status, answer) = desk.change(what, body.clone()).await;
        assert_eq!(status, 400, "{what} {body}: {answer}");
    }
    let (status, answer) = desk.change_of(UNKNOWN, "unblock", json!({})).await;
    assert_eq!((status, &answer["codigo"]), (404, &json!("nao_encontrado")));
    assert_eq!(desk.accounts(&format!("/{UNKNOWN}")).await.0, 404);
    assert_eq!(desk.accounts("/a%00b").await.0, 404);
    let (status, _) = desk.change_of("a%00b", "unblock", json!({})).await;
    assert_eq!(status, 404);
    let after = desk
        .accounts(&format!("/{}", desk.stage.app.account_id))
        .await;
    assert_eq!(before, after);
    for (method, path) in [
        (Method::GET, ""),
        (Method::GET, "/x"),
        (Method::POST, "/x/block"),
        (Method::POST, "/x/unblock"),
        (Method::POST, "/x/credit"),
        (Method::POST, "/x/limits"),
        (Method::POST, "/x/release"),
    ] {
        let url = format!("{}/admin/v1/accounts{path}", desk.base);
        let request = desk.client.request(method, url);
        let key = desk.stage.app.live_key.clone();
        let (status, _) = said(request.bearer_auth(key)).await;
        assert_eq!(status, 401, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_without_a_session_sees_or_changes_an_account() {
    let desk = Desk::open(Backend::Sqlite).await.expect("always there");
    let one = format!("/{}", desk.stage.app.account_id);
    let before = desk.accounts(&one).await;
    assert_eq!(before.0, 200);
    let way = format!("/operador/contas{one}");
    let stranger = Browser::of(desk);
    let mut answers = Vec::new();
    for path in ["/operador/contas?busca=teste", &way] {
        answers.push(stranger.page(path).await);
    }
    for fields in [
        &[("acao", "bloquear"), ("motivo", "m")][..],
        &[("acao", "desbloquear")],
        &[
            ("acao", "conceder"),
            ("referencia", "r"),
            ("creditos", "5"),
            ("motivo-do-credito", "m"),
        ],
        &[("acao", "limitar"), ("requisicoes_por_minuto", "7")],
        &[
            ("acao", "liberar"),
            ("documento", "mdfe"),
            ("liberado", "1"),
        ],
        &[],
    ] {
        // Neither without the word of a session nor with one that somebody made up.
        answers.push(stranger.send(&way, fields).await);
        let made_up = [[("csrf", crate::admin::TOKEN)].as_slice(), fields].concat();
        answers.push(stranger.send(&way, &made_up).await);
    }
    assert_eq!(answers.len(), 14);
    for page in answers {
        let led = (page.status, page.header(LOCATION));
        assert_eq!(led, (303, "/operador/entrar"), "{}", page.text);
        assert!(!page.text.contains("con_"), "{}", page.text);
    }
    assert_eq!(stranger.desk.accounts(&one).await, before);
    let url = format!("{}/admin/v1/actions", stranger.desk.base);
    let asked = stranger.desk.client.get(url);
    let (_, done) = said(asked.bearer_auth(crate::admin::TOKEN)).await;
    assert_eq!(done["acoes"], json!([]), "nothing was done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_change_an_account_once() {
    let browser = Browser::logged_in().await;
    let app = &browser.desk.stage.app;
    let list = browser.page("/operador/contas?busca=test").await;
    let way = format!("/operador/contas/{}", app.account_id);
    assert!(list.text.contains(&way), "{}", list.text);
    let none = browser.page("/operador/contas?busca=ninguem").await;
    assert!(
        none.text.contains("Nenhuma conta corresponde"),
        "{}",
        none.text
    );

    let (before, _) = app.balance().await;
    let page = browser.page(&way).await;
    let reference = page.hidden("referencia");
    let csrf = page.hidden("csrf");
    let grant = [
        ("csrf", csrf.as_str()),
        ("acao", "conceder"),
        ("referencia", &reference),
        ("creditos", "1.500"),
        ("motivo-do-credito", "Contrato"),
    ];
    for done in ["conceder", "nada"] {
        let answer = browser.send(&way, &grant).await;
        let to = format!("{way}?feito={done}");
        assert_eq!((answer.status, answer.header(LOCATION)), (303, to.as_str()));
    }
    assert_eq!(app.balance().await.0, before + 1_500);
    let wrong = [
        ("csrf", csrf.as_str()),
        ("acao", "limitar"),
        ("requisicoes_por_minuto", "muitas"),
    ];
    let refused = browser.send(&way, &wrong).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("número inteiro"), "{}", refused.text);
    for credits in [
        "1.5", "10.50", "1.5000", "1000.000", ".500", "", "-5", "1,5",
    ] {
        let grant = [
            ("csrf", csrf.as_str()),
            ("acao", "conceder"),
            ("referencia", "other"),
            ("creditos", credits),
            ("motivo-do-credito", "Contrato"),
        ];
        assert_eq!(browser.send(&way, &grant).await.status, 422, "{credits}");
    }
    assert_eq!(app.balance().await.0, before + 1_500);
    let block = [
        ("csrf", csrf.as_str()),
        ("acao", "bloquear"),
        ("motivo", "Abuso"),
    ];
    assert_eq!(
        browser.send(&way, &block[1..]).await.status,
        403,
        "without the session's word"
    );
    assert_eq!(browser.send(&way, &block).await.status, 303);
    let page = browser.page(&way).await;
    assert!(
        page.text.contains("bloqueada") && page.text.contains("Abuso"),
        "{}",
        page.text
    );
    assert_eq!(browser.desk.key_is_answered().await.status, 403);
    let open = [
        ("csrf", csrf.as_str()),
        ("acao", "desbloquear"),
        ("motivo", "Engano desfeito"),
    ];
    assert_eq!(browser.send(&way, &open).await.status, 303);
    let page = browser.page(&way).await;
    assert!(page.text.contains("Engano desfeito"), "{}", page.text);
    assert_eq!(browser.desk.key_is_answered().await.status, 200);
    assert_eq!(
        browser
            .page(&format!("/operador/contas/{UNKNOWN}"))
            .await
            .status,
        404
    );
}
