//! A form is done once, however often it is sent.

use crate::browser::{Browser, Page};
use crate::pages::{NOTE, account, company};
use crate::worlds::turn;
use crate::{confirmed, registered};
use accounts::ledger::{self, Movement, NOBODY};
use base::operations;
use gate::request::body::fingerprint;
use serde_json::json;
use std::collections::BTreeSet;
use std::convert::Infallible;
use store::TxError;
use store::ids::{AccountId, RequestId};
use store::tables::idempotency::{self, Asker, Scope};
use tests::receiver::Receiver;
use tests::{TestApp, both, on_sqlite};

/// What the page shows that a repeated form leads to.
const REPEATED: &str = "já tinha sido enviado";

fn note<'a>(kind: &'a str, emitter: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut fields = NOTE.to_vec();
    fields.extend([("tipo", kind), ("emitente", emitter)]);
    fields
}

both! {
    async fn the_issuing_form_sent_twice_makes_one_note(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let page = browser.get("/painel/emitir").await;
        let form = page.filled("/painel/emitir", &note("nfe", &emitter));
        let first = browser.submit("/painel/emitir", &form).await;
        assert!(first.status == 303 && first.to.contains("/documentos/nfe_"), "{} {}", first.status, first.html);
        assert!(!browser.get(&first.to).await.has(REPEATED));
        let twice = browser.submit("/painel/emitir", &form).await;
        assert_eq!((twice.status, &twice.to), (303, &first.to));
        assert!(browser.get(&twice.to).await.has(REPEATED), "the person is told");
        assert!(!browser.get(&twice.to).await.has(REPEATED), "once");
        // Back, something changed, and sent again: still the form that was done.
        let changed: Vec<_> = form.iter().cloned().map(|(name, value)| match name.as_str() {
            "quantidade" => (name, "5".to_owned()),
            _ => (name, value),
        }).collect();
        let back = browser.submit("/painel/emitir", &changed).await;
        assert_eq!(back.to, first.to);
        let list = browser.get("/painel/documentos").await;
        assert!(list.has(">NF-e 1<") && !list.has(">NF-e 2<"), "{}", list.html);
        // Another form is another note.
        let page = browser.get("/painel/emitir").await;
        let form = page.filled("/painel/emitir", &note("nfe", &emitter));
        let second = browser.submit("/painel/emitir", &form).await;
        assert!(second.status == 303 && second.to != first.to, "{}", second.html);
        app.check_invariants().await;
    }
}

both! {
    async fn two_clicks_make_one_note(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let page = browser.get("/painel/emitir").await;
        let form = page.filled("/painel/emitir", &note("nfce", &emitter));
        let (mut one, mut two) = (browser.clone(), browser.clone());
        let (one, two) = tokio::join!(one.submit("/painel/emitir", &form), two.submit("/painel/emitir", &form));
        assert!(one.status == 303 && one.to == two.to, "{} {} {}", one.to, two.to, two.html);
        let list = browser.get("/painel/documentos").await;
        assert!(list.has(">NFC-e 1<") && !list.has(">NFC-e 2<"), "{}", list.html);
        assert!(browser.get("/painel/documentos?tipo=nfce").await.has(">NFC-e 1<"), "found by its kind, too");
    }
}

on_sqlite! {
    async fn the_link_of_a_done_form_shows_what_came_of_it(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let home = browser.get("/painel").await;
        let link = home.html.split("href=\"").find(|rest| rest.starts_with("/painel/emitir?")).and_then(|rest| rest.split('"').next());
        let link = link.expect("a link to a form of its own").to_owned();
        let page = browser.get(&link).await;
        let form = page.filled("/painel/emitir", &note("nfe", &emitter));
        let first = browser.submit("/painel/emitir", &form).await;
        // Back, without a script: the browser asks for the page again.
        let back = browser.get(&link).await;
        assert!(back.has(REPEATED) && back.has(&first.to), "{}", back.html);
        assert!(!back.has("name=\"quantidade\""), "{}", back.html);
        let other = browser.get("/painel").await;
        assert!(!other.has(&link), "each page has a form of its own");
    }
}

on_sqlite! {
    async fn what_a_refused_form_asked_for_may_be_sent_again(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let page = browser.get("/painel/emitir").await;
        let mut wrong = note("nfe", &emitter);
        wrong.retain(|(name, _)| *name != "ncm");
        wrong.push(("ncm", "1"));
        let form = page.filled("/painel/emitir", &wrong);
        let refused = browser.submit("/painel/emitir", &form).await;
        assert_eq!(refused.status, 422, "{}", refused.html);
        // The same form, mended: as a browser sends it after Back.
        let mended = page.filled("/painel/emitir", &note("nfe", &emitter));
        let sent = browser.submit("/painel/emitir", &mended).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{}", sent.html);
        let form = refused.filled("/painel/emitir", &note("nfe", &emitter));
        let other = browser.submit("/painel/emitir", &form).await;
        assert_eq!(other.to, sent.to, "the page of the refusal has the same form: {}", other.html);
    }
}

on_sqlite! {
    async fn forms_that_show_a_secret_make_one(app: TestApp) {
        let receiver = Receiver::start().await;
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        for (path, fields, made) in [
            ("/painel/chaves", vec![("nome", "Servidor")], "id=\"chave-nova\""),
            ("/painel/webhooks", [("url", receiver.url("/"))].iter().map(|(name, value)| (*name, &**value)).collect(), "id=\"segredo\""),
            ("/painel/equipe", vec![("email", "joao@exemplo.com.br"), ("papel", "leitura")], "id=\"convite\""),
        ] {
            let page = browser.get(path).await;
            let form = page.filled(path, &fields);
            let first = browser.submit(path, &form).await;
            assert!(first.status == 200 && first.has(made), "{path}: {}", first.html);
            let twice = browser.submit(path, &form).await;
            assert_eq!((twice.status, twice.to.split('?').next()), (303, Some(path)), "{}", twice.html);
            let shown = browser.get(&twice.to).await;
            assert!(shown.has(REPEATED) && !shown.has(made), "{path}: {}", shown.html);
        }
        let list = browser.get("/painel/chaves").await;
        assert_eq!(list.html.matches("/revogar\"").count(), 2, "that of the registration and one more: {}", list.html);
        assert_eq!(browser.get("/painel/webhooks").await.html.matches("/testar\"").count(), 1);
        assert_eq!(browser.get("/painel/equipe").await.html.matches("/remover\"").count(), 1);
    }
}

/// Credits an account may spend.
async fn credits(app: &TestApp, account: &AccountId) -> i64 {
    let mut conn = app.app.db.read().await.expect("connection");
    let available = ledger::available(&mut conn, account).await;
    available.expect("a balance")
}

/// Takes credits from an account.
async fn spent(app: &TestApp, account: &AccountId, amount: i64) {
    let input = (account.clone(), amount, app.app.now_ms());
    let written = app
        .app
        .db
        .write(input, |(account_id, amount, now_ms), conn| {
            Box::pin(async move {
                let movement = Movement {
                    account_id,
                    subject_id: "",
                    operation: "teste",
                    request_id: &RequestId::new(*now_ms),
                    payer: &NOBODY,
                    now_ms: *now_ms,
                };
                Ok::<_, TxError<Infallible>>(ledger::charge(conn, &movement, *amount).await?)
            })
        });
    written.await.expect("written");
}

/// What a page fills a form with, but for what belongs to one showing of it.
fn filling(page: &Page, path: &str) -> Vec<(String, String)> {
    assert_eq!(page.status, 200, "{path}: {}", page.html);
    let mut form = page.form(path);
    form.retain(|(name, _)| name != "vez");
    form
}

/// Presses a button of a form twice at once, and once more after that: all show the same.
async fn pressed(browser: &mut Browser, path: &str, form: &[(String, String)]) -> Page {
    let (mut one, mut two) = (browser.clone(), browser.clone());
    let (one, two) = tokio::join!(one.submit(path, form), two.submit(path, form));
    assert_eq!(filling(&one, path), filling(&two, path), "{}", two.html);
    let later = browser.submit(path, form).await;
    assert_eq!(filling(&later, path), filling(&one, path), "{}", later.html);
    later
}

both! {
    async fn a_look_up_that_is_pressed_twice_is_charged_once(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        company(&mut browser).await;
        let account: AccountId = account(&mut browser).await.as_str().into();
        turn(&mut browser, "producao").await;
        let mut left = credits(&app, &account).await;
        for (path, number) in [("/painel/emitir", "documento"), ("/painel/emitentes", "cnpj"), ("/painel/clientes", "cpf_cnpj")] {
            let shown = browser.get(path).await;
            // One form: what is asked anew is charged anew.
            for (field, asked, button, said) in [
                ("cep", "80010-000", "cep", "Endereço preenchido"),
                ("cep", "80020-000", "cep", "Endereço preenchido"),
                (number, "11.222.333/0001-81", "cnpj", "Dados da empresa preenchidos"),
            ] {
                let form = shown.filled(path, &[(field, asked), ("acao", button)]);
                let page = pressed(&mut browser, path, &form).await;
                assert!(page.has(said), "{path} {asked}: {}", page.html);
                left -= 4;
                assert_eq!(credits(&app, &account).await, left, "{path} {asked}");
            }
        }
        // Another form asks anew.
        let shown = browser.get("/painel/emitir").await;
        let form = shown.filled("/painel/emitir", &[("cep", "80010-000"), ("acao", "cep")]);
        pressed(&mut browser, "/painel/emitir", &form).await;
        left -= 4;
        assert_eq!(credits(&app, &account).await, left);
        // The second press needs no credits.
        spent(&app, &account, left - 4).await;
        let form = shown.filled("/painel/emitir", &[("cep", "80020-000"), ("acao", "cep")]);
        let page = pressed(&mut browser, "/painel/emitir", &form).await;
        assert!(page.has("Endereço preenchido"), "{}", page.html);
        assert_eq!(credits(&app, &account).await, 0);
        let form = shown.filled("/painel/emitir", &[("cep", "80030-000"), ("acao", "cep")]);
        let refused = browser.submit("/painel/emitir", &form).await;
        assert!(refused.status == 422 && refused.has("Os créditos da conta não bastam"), "{}", refused.html);
        app.check_invariants().await;
    }
}

both! {
    async fn a_tool_that_is_asked_twice_is_charged_once_and_answers_both(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        company(&mut browser).await;
        let account: AccountId = account(&mut browser).await.as_str().into();
        turn(&mut browser, "producao").await;
        let mut left = credits(&app, &account).await;
        for (tool, operation, field, asked, said) in [
            ("cep", "geo.cep.get", "cep", "80010-000", "Curitiba"),
            ("cnpj", "empresa.cnpj", "cnpj", "11.222.333/0001-81", "ATIVA"),
            ("ncm", "fiscal.ncm", "q", "0901.21.00", "09012100"),
        ] {
            let path = format!("/painel/ferramentas/{tool}");
            let form = browser.get(&path).await.filled(&path, &[(field, asked)]);
            let (mut one, mut two) = (browser.clone(), browser.clone());
            let (one, two) = tokio::join!(one.submit(&path, &form), two.submit(&path, &form));
            for page in [one, two, browser.submit(&path, &form).await] {
                assert!(page.status == 200 && page.has("Resultado") && page.has(said), "{tool}: {} {}", page.status, page.html);
                assert!(!page.has(REPEATED), "{tool}: {}", page.html);
            }
            let price = operations::get(operation).and_then(operations::Operation::price);
            left -= price.expect("a price");
            assert_eq!(credits(&app, &account).await, left, "{tool}");
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn nothing_is_looked_up_for_a_customer_that_is_not_there(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        company(&mut browser).await;
        let account: AccountId = account(&mut browser).await.as_str().into();
        turn(&mut browser, "producao").await;
        let left = credits(&app, &account).await;
        browser.get("/painel/clientes").await;
        let path = "/painel/clientes/pes_01JTESTE00000000000000000A/enderecos";
        let page = browser.send(path, &[("cep", "80010-000"), ("acao", "cep")]).await;
        assert_eq!(page.status, 404, "{}", page.html);
        assert_eq!(credits(&app, &account).await, left);
    }
}

/// A charge for a company that was looked up, so long ago.
async fn charged(app: &TestApp, account: &AccountId, key: String, ago_ms: i64) {
    let scope = Scope {
        account_id: account.clone(),
        kind: Asker::Panel,
        route: "POST /api/v1/empresa/cnpj".to_owned(),
        key,
    };
    let input = (scope, app.app.now_ms() - ago_ms);
    let written = app.app.db.write(input, |(scope, at_ms), conn| {
        Box::pin(async move {
            let id = RequestId::new(*at_ms);
            idempotency::take(conn, scope, "", &id, *at_ms, 3_600_000).await?;
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
}

on_sqlite! {
    async fn a_charge_older_than_the_window_pays_for_nothing(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        company(&mut browser).await;
        let account: AccountId = account(&mut browser).await.as_str().into();
        turn(&mut browser, "producao").await;
        let left = credits(&app, &account).await;
        spent(&app, &account, left).await;
        let asked = || -> u64 {
            let received = app.app.simulator.sim.overview().recebidas;
            received.get("fontes").map_or(0, |of| of.values().sum())
        };
        let (before, path) = (asked(), "/painel/emitir");
        let question = fingerprint(&json!(["/api/v1/empresa/cnpj", json!({ "cnpj": "11222333000181" }).to_string()]));
        let window_ms = app.app.config.issuing.idempotency_window_ms();
        for (ago_ms, status, said, answered) in [
            // Nobody is asked for an answer that cannot be paid.
            (window_ms + 60_000, 422, "Os créditos da conta não bastam", false),
            (window_ms - 60_000, 200, "Dados da empresa preenchidos", true),
        ] {
            let form = browser.get(path).await.filled(path, &[("documento", "11.222.333/0001-81"), ("acao", "cnpj")]);
            let token = form.iter().find(|(name, _)| name == "vez").expect("a token");
            charged(&app, &account, format!("{} {question}", token.1), ago_ms).await;
            let page = browser.submit(path, &form).await;
            assert!(page.status == status && page.has(said), "{ago_ms}: {} {}", page.status, page.html);
            assert_eq!(asked() > before, answered, "{ago_ms}");
        }
        assert_eq!(credits(&app, &account).await, 0);
        app.check_invariants().await;
    }
}

/// As a process leaves it that died while it worked at a form.
async fn died(app: &TestApp, account: &str, form: &[(String, String)]) {
    let token = form
        .iter()
        .find(|(name, _)| name == "vez")
        .expect("a token")
        .1
        .clone();
    let scope = Scope {
        account_id: account.into(),
        kind: Asker::Panel,
        route: "POST /painel".to_owned(),
        key: token,
    };
    let written = app.app.db.write(
        (scope, app.app.now_ms() - 60_000),
        |(scope, at_ms), conn| {
            Box::pin(async move {
                idempotency::take(
                    conn,
                    scope,
                    "",
                    "envio_01JTESTE00000000000000000A",
                    *at_ms,
                    3_600_000,
                )
                .await?;
                Ok::<_, TxError<Infallible>>(())
            })
        },
    );
    written.await.expect("written");
}

both! {
    async fn a_form_whose_result_was_lost_is_not_done_again(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let account = account(&mut browser).await;
        let page = browser.get("/painel/chaves").await;
        let form = page.filled("/painel/chaves", &[("nome", "Servidor")]);
        died(&app, &account, &form).await;
        for _ in 0..2 {
            let said = browser.submit("/painel/chaves", &form).await;
            assert!(said.status == 409 && said.has("se perdeu") && said.has("href=\"/painel/chaves\""), "{} {}", said.status, said.html);
        }
        assert_eq!(browser.get("/painel/chaves").await.html.matches("/revogar\"").count(), 1);
        // The issuing operation knows its key: the form goes on, once.
        let emitter = company(&mut browser).await;
        let page = browser.get("/painel/emitir").await;
        let form = page.filled("/painel/emitir", &note("nfe", &emitter));
        died(&app, &account, &form).await;
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{}", sent.html);
        assert_eq!(browser.submit("/painel/emitir", &form).await.to, sent.to);
    }
}

on_sqlite! {
    async fn a_changed_and_changed_back_company_stays_as_it_is(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let page = format!("/painel/emitentes/{}", company(&mut browser).await);
        let to = format!("{page}/ambiente");
        let first = browser.get(&page).await.filled(&to, &[("ambiente", "producao")]);
        assert!(browser.submit(&to, &first).await.to.starts_with(&page));
        let second = browser.get(&page).await.filled(&to, &[("ambiente", "homologacao")]);
        assert!(browser.submit(&to, &second).await.to.starts_with(&page));
        browser.submit(&to, &first).await;
        let shown = browser.get(&page).await;
        assert!(shown.has("<dd>homologação</dd>"), "the old form did nothing: {}", shown.html);
    }
}

/// Forms that only say how pages are shown, or end the session.
const SETTINGS: [&str; 3] = ["/painel/mundo", "/painel/tema", "/painel/sair"];

/// Walks all pages that a person's pages link to; of each form that changes
/// something where it is sent, and its token.
async fn forms(browser: &mut Browser) -> Vec<(String, String, String)> {
    let mut left = vec!["/painel".to_owned()];
    let mut walked = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(link) = left.pop() {
        let path = link.split('?').next().unwrap_or_default().to_owned();
        if !walked.insert(path.clone()) {
            continue;
        }
        assert!(walked.len() < 200, "{walked:?}");
        let page = browser.get(&link).await;
        left.extend(page.links());
        if !page.to.is_empty() {
            left.push(page.to.clone());
        }
        for (action, inputs) in page.forms() {
            if !SETTINGS.contains(&action.as_str()) {
                let token = inputs.iter().find(|(name, _)| name == "vez");
                let token = token.map(|(_, value)| value.clone()).unwrap_or_default();
                found.push((path.clone(), action, token));
            }
        }
    }
    found
}

tests::mailed! {
    async fn every_form_that_changes_something_has_a_token_of_its_own(app: TestApp, smtp: Smtp) {
        let receiver = Receiver::start().await;
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        browser.send("/painel/webhooks", &[("url", &receiver.url("/")), ("evento", "nfe.autorizada")]).await;
        browser.send("/painel/equipe", &[("email", "joao@exemplo.com.br"), ("papel", "leitura")]).await;
        browser.send("/painel/produtos", &[("descricao", "Moedor")]).await;
        for kind in ["nfe", "nfse"] {
            let sent = browser.send("/painel/emitir", &note(kind, &emitter)).await;
            assert!(sent.to.contains("/documentos/"), "{}", sent.html);
        }
        let bought = browser.send("/painel/creditos", &[("valor", "300,00"), ("meio", "pix")]).await.to;
        receiver.until(1).await;
        let mut seen = BTreeSet::new();
        let mut actions = BTreeSet::new();
        for round in 0..3 {
            match round {
                // It reminds of an address that is not confirmed; then it sends notes.
                1 => confirmed(&app, "maria@exemplo.com.br").await,
                2 => {
                    browser.send(&format!("{bought}/simular"), &[]).await;
                    // A payment is written some time after it is told.
                    browser.until(&bought, "paga</span>").await;
                }
                _ => {}
            }
            for (path, action, token) in forms(&mut browser).await {
                assert!(!token.is_empty() && seen.insert(token.clone()), "{path}: {action} {token:?}");
                actions.insert(action);
            }
        }
        let has = |end: &str| actions.iter().any(|action| action.ends_with(end));
        for end in ["/confirmar", "/email", "/cancelar", "/reenviar", "/reembolso", "/perfil", "/certificado", "/autenticador", "/rotacionar", "/excluir"] {
            assert!(has(end), "{end} was not walked: {actions:?}");
        }
        // Without it nothing is done.
        let csrf = browser.csrf.clone();
        for action in &actions {
            let body = format!("csrf={csrf}").into_bytes();
            let refused = browser.post(action, "application/x-www-form-urlencoded", body).await;
            assert!(refused.status == 422 && refused.has("ficha"), "{action}: {} {}", refused.status, refused.html);
        }
        drop(smtp);
    }
}
