//! The operator's pages: whom they admit, and that a form does once what its page
//! showed.

use crate::admin::{Desk, TOKEN, said};
use crate::components::component;
use crate::releases::{revision, slipped_in};
use reqwest::header::{HeaderMap, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use sqlx::{Connection as _, Executor as _, SqliteConnection};
use std::convert::Infallible;
use std::ops::Range;
use store::TxError;
use store::tables::releases::ReleaseStatus::{self, Active, Canary, Retired, Staged};
use store::tables::releases::{self, ActionRow};
use tests::app::Backend;

/// Border of the parts of a form.
const BORDER: &str = "part-of-a-form";
const LIST: &str = "/operador";
const HISTORY: &str = "/operador/historico";
const DPS: &str = "/operador/adaptadores/dps";

/// An answer of a page.
pub(crate) struct Page {
    pub status: u16,
    headers: HeaderMap,
    pub text: String,
}

impl Page {
    pub fn header(&self, name: impl reqwest::header::AsHeaderName) -> &str {
        let value = self.headers.get(name);
        value.and_then(|it| it.to_str().ok()).unwrap_or_default()
    }

    /// The value of a hidden field, the first with this name.
    pub fn hidden(&self, name: &str) -> String {
        let before = format!("name=\"{name}\" value=\"");
        let (_, rest) = self.text.split_once(&before).expect("a hidden field");
        rest.split('"').next().expect("its value").to_owned()
    }
}

/// An operator's browser.
pub(crate) struct Browser {
    pub desk: Desk,
    client: Client,
    cookie: String,
}

impl Browser {
    async fn open() -> Browser {
        Browser::of(Desk::open(Backend::Sqlite).await.expect("always there"))
    }

    /// A browser before a listener.
    pub fn of(desk: Desk) -> Browser {
        let client = Client::builder().redirect(Policy::none()).build();
        Browser {
            desk,
            client: client.expect("client"),
            cookie: String::new(),
        }
    }

    pub async fn logged_in() -> Browser {
        let mut browser = Browser::open().await;
        let page = browser.send("/operador/entrar", &[("token", TOKEN)]).await;
        assert_eq!((page.status, page.header(LOCATION)), (303, LIST));
        let cookie = page.header(SET_COOKIE).to_owned();
        for part in ["HttpOnly", "SameSite=Strict", "Path=/operador;"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        let cookie = cookie.split(';').next().expect("a cookie");
        cookie.clone_into(&mut browser.cookie);
        browser
    }

    async fn got(&self, request: RequestBuilder) -> Page {
        let request = request.header("cookie", &self.cookie);
        let answer = request.send().await.expect("answer");
        Page {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            text: answer.text().await.expect("text"),
        }
    }

    pub async fn page(&self, path: &str) -> Page {
        let url = format!("{}{path}", self.desk.base);
        self.got(self.client.get(url)).await
    }

    fn post(&self, path: &str, fields: &[(&str, &str)]) -> RequestBuilder {
        let pairs = fields.iter().map(|(name, value)| format!("{name}={value}"));
        let body = pairs.collect::<Vec<_>>().join("&");
        let request = self.client.post(format!("{}{path}", self.desk.base));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.body(body)
    }

    pub async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.got(self.post(path, fields)).await
    }

    /// Sends the form of a page with these fields.
    async fn choose(&self, page: &Page, fields: &[(&str, &str)]) -> Page {
        let (csrf, seen) = (page.hidden("csrf"), page.hidden("visto"));
        let mut all = vec![("csrf", csrf.as_str()), ("visto", seen.as_str())];
        all.extend(fields);
        self.send(DPS, &all).await
    }

    /// Sends files of the form that installs.
    async fn upload(&self, csrf: &str, component: &[u8], signature: &str) -> Page {
        let mut body = Vec::new();
        let files = [
            ("componente", component),
            ("assinatura", signature.as_bytes()),
        ];
        body.extend(part("csrf", "", csrf.as_bytes()));
        for (name, bytes) in files {
            body.extend(part(name, "; filename=\"file\"", bytes));
        }
        body.extend(format!("--{BORDER}--\r\n").into_bytes());
        let request = self
            .client
            .post(format!("{}/operador/instalar", self.desk.base));
        let kind = format!("multipart/form-data; boundary={BORDER}");
        self.got(request.header("content-type", kind).body(body))
            .await
    }

    async fn statuses(&self) -> Vec<ReleaseStatus> {
        self.desk.stage.statuses().await
    }

    /// The digest of the only release.
    async fn digest(&self) -> String {
        let (_, listed) = said(self.desk.request(reqwest::Method::GET, "")).await;
        let digest = listed["versoes"][0]["digest"].as_str();
        digest.expect("a digest").to_owned()
    }
}

fn part(name: &str, more: &str, bytes: &[u8]) -> Vec<u8> {
    let head =
        format!("--{BORDER}\r\ncontent-disposition: form-data; name=\"{name}\"{more}\r\n\r\n");
    [head.as_bytes(), bytes, b"\r\n"].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn releases_are_changed_on_pages() {
    let browser = Browser::logged_in().await;
    let of_folder = browser.desk.stage.current();
    let list = browser.page(LIST).await;
    assert_eq!(list.status, 200);
    assert!(list.text.contains("Nenhuma versão está instalada"));

    let signature = browser.desk.stage.key.sign(&revision(1));
    let csrf = list.hidden("csrf");
    let stranger = crate::minisign::Key::generate().sign(&revision(1));
    let refused = browser.upload(&csrf, &revision(1), &stranger).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("of no key of adapters.trusted_keys"));
    assert!(browser.statuses().await.is_empty(), "nothing was kept");
    let installed = browser.upload(&csrf, &revision(1), &signature).await;
    assert_eq!(installed.header(LOCATION), "/operador?feito=instalar");
    assert_eq!(browser.statuses().await, [Staged]);
    let digest = browser.digest().await;

    let list = browser.page("/operador?feito=instalar").await;
    assert!(list.text.contains("Nada o usa enquanto não for ativado"));
    let none = [
        ("acao", "canario"),
        ("digest", &digest),
        ("percentual", "0"),
    ];
    assert_eq!(browser.choose(&list, &none).await.status, 422);
    let some = [
        ("acao", "canario"),
        ("digest", &digest),
        ("percentual", "10"),
    ];
    assert_eq!(browser.choose(&list, &some).await.status, 303);
    assert_eq!(browser.statuses().await, [Canary]);
    assert_eq!(browser.desk.stage.current(), of_folder);
    // A form of the page before is not what its sender saw.
    let late = browser.choose(&list, &[("acao", "desfazer")]).await;
    assert_eq!(late.status, 409);
    assert!(late.text.contains("mudaram desde que a página foi aberta"));
    assert_eq!(browser.statuses().await, [Canary]);
    let list = browser.page(LIST).await;
    assert!(list.text.contains("canário, 10 %"));
    assert_eq!(
        browser.choose(&list, &[("acao", "promover")]).await.status,
        303
    );
    assert_eq!(browser.desk.stage.current(), digest);

    // Two clicks take back one change.
    let list = browser.page(LIST).await;
    let back = [("acao", "desfazer")];
    let (one, two) = tokio::join!(browser.choose(&list, &back), browser.choose(&list, &back));
    let mut both = [one.status, two.status];
    both.sort_unstable();
    assert_eq!(both, [303, 409]);
    assert_eq!(browser.statuses().await, [Retired]);
    assert_eq!(browser.desk.stage.current(), of_folder);
    let list = browser.page(LIST).await;
    let all = [("acao", "ativar"), ("digest", digest.as_str())];
    assert_eq!(browser.choose(&list, &all).await.status, 303);
    assert_eq!(browser.statuses().await, [Active]);

    let history = browser.page("/operador/historico").await.text;
    for word in ["instalou", "pôs em canário", "promoveu", "desfez", "ativou"] {
        assert!(history.contains(word), "{word}");
    }
    assert_eq!(
        history
            .matches("<td data-rotulo=\"Quem\">operador<")
            .count(),
        5
    );
    let path = format!("{DPS}?digest={digest}");
    let inspected = browser.page(&path).await;
    assert_eq!(inspected.status, 200);
    assert!(
        inspected
            .text
            .contains("As notas novas usam este componente")
    );
    assert!(inspected.text.contains(&digest));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_release_that_asks_for_more_needs_a_yes() {
    let browser = Browser::logged_in().await;
    // What asks for that much passes no judging: it is put beside it.
    let digest = slipped_in(&browser.desk.stage, component("grown@dps")).await;
    let list = browser.page(LIST).await;
    let activate = [("acao", "ativar"), ("digest", digest.as_str())];
    let refused = browser.choose(&list, &activate).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("send secret token to ws"));
    assert_eq!(browser.statuses().await, [Staged]);
    let yes = [activate[0], activate[1], ("permitir_mais", "1")];
    assert_eq!(browser.choose(&list, &yes).await.status, 303);
    assert_eq!(browser.statuses().await, [Active]);
}

/// Also what goes wrong is said in Portuguese, and leads back here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_wrong_leads_back_to_the_list() {
    let browser = Browser::logged_in().await;
    let csrf = browser.page(LIST).await.hidden("csrf");
    let large = "x".repeat(65 << 10);
    let digest = slipped_in(&browser.desk.stage, revision(1)).await;
    let list = browser.page(LIST).await;
    let twice = browser.page("/operador?feito=a&feito=b").await;
    let null = browser.page("/operador/%00").await;
    let sent = browser.send(DPS, &[("csrf", &csrf), ("x", &large)]).await;
    let before = browser.page("/operador/historico?antes=a&antes=b").await;
    let foreign = browser.post(DPS, &[("csrf", &csrf)]);
    let foreign = foreign.header("origin", "https://example.com");
    let foreign = browser.got(foreign).await;
    let url = browser.desk.stage.app.app.config.database_url();
    let mut other = SqliteConnection::connect(&url).await.expect("connection");
    other.execute("BEGIN IMMEDIATE").await.expect("held");
    let activate = [("acao", "ativar"), ("digest", digest.as_str())];
    let held = browser.choose(&list, &activate).await;
    for (page, status, part) in [
        (&twice, 400, "está repetido"),
        (&before, 400, "está repetido"),
        (&null, 404, "não existe"),
        (&sent, 413, "é maior do que pode ser"),
        (&foreign, 403, ""),
        (&held, 503, "veja na lista"),
    ] {
        assert_eq!(page.status, status, "{}", page.text);
        assert!(page.text.contains(part), "{}", page.text);
        assert!(page.text.contains("href=\"/operador\""), "{}", page.text);
        assert!(!page.text.contains("href=\"/painel\""), "{}", page.text);
    }
}

/// The button of a rollback after which nothing is left says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_button_says_what_is_left_in_use() {
    let browser = Browser::logged_in().await;
    let digest = slipped_in(&browser.desk.stage, revision(1)).await;
    let list = browser.page(LIST).await;
    let activate = [("acao", "ativar"), ("digest", digest.as_str())];
    assert_eq!(browser.choose(&list, &activate).await.status, 303);
    let list = browser.page(LIST).await;
    assert!(list.text.contains("Voltar ao componente da pasta"));
    assert!(!list.text.contains("name=\"nada\""));
}

/// Of an adapter of which the folder has nothing, that button also says yes to it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_button_leaves_nothing_in_use() {
    let browser = Browser::logged_in().await;
    let digest = slipped_in(&browser.desk.stage, component("good")).await;
    let body = serde_json::json!({ "digest": digest });
    let (status, made) = browser.desk.post("/hostil-good/activate", body).await;
    assert_eq!(status, 200, "{made}");
    let list = browser.page(LIST).await;
    assert!(list.text.contains("Parar de usar: nada ficará em uso"));
    let (csrf, seen) = (list.hidden("csrf"), list.hidden("visto"));
    let nothing = list.hidden("nada");
    let fields = [
        ("csrf", csrf.as_str()),
        ("visto", seen.as_str()),
        ("acao", "desfazer"),
        ("nada", nothing.as_str()),
    ];
    let path = "/operador/adaptadores/hostil-good";
    let current = || browser.desk.stage.app.app.catalog.current("hostil-good");
    let refused = browser.send(path, &fields[..3]).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("nada ficaria em uso"));
    assert!(current().is_some());
    let done = browser.send(path, &fields).await;
    assert_eq!(done.header(LOCATION), "/operador?feito=desfazer");
    assert!(current().is_none());
    let list = browser.page(LIST).await;
    assert!(!list.text.contains("name=\"nada\""));
}

/// Writes so many actions down, one of each millisecond.
async fn acted(browser: &Browser, moments: Range<i64>) {
    let db = &browser.desk.stage.app.app.db;
    let written = db.write(moments, |moments, conn| {
        Box::pin(async move {
            for at_ms in moments.clone() {
                let row = ActionRow {
                    id: format!("act_{at_ms:03}"),
                    at_ms,
                    action: "install".to_owned(),
                    name: format!("number-{at_ms:03}"),
                    ..ActionRow::default()
                };
                releases::record(conn, &row).await?;
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_history_ends_where_it_ends() {
    let browser = Browser::logged_in().await;
    let empty = browser.page(HISTORY).await.text;
    assert!(empty.contains("Nada foi instalado nem mudado ainda."));
    acted(&browser, 0..100).await;
    let older = format!("href=\"{HISTORY}?antes=");
    let whole = browser.page(HISTORY).await.text;
    assert!(whole.contains("number-000") && whole.contains("number-099"));
    assert!(
        !whole.contains(&older),
        "a page of a hundred is the only one"
    );

    acted(&browser, 100..101).await;
    let first = browser.page(HISTORY).await.text;
    assert!(first.contains("number-100") && first.contains("number-001"));
    assert!(!first.contains("number-000"));
    let (_, next) = first.split_once(&older).expect("an older page");
    let next = next.split('"').next().expect("an id");
    assert_eq!(next, "act_001");
    let second = browser.page(&format!("{HISTORY}?antes={next}")).await.text;
    assert!(second.contains("number-000") && !second.contains("number-001"));
    assert!(!second.contains(&older));
    for id in ["act_000", "act_nenhum"] {
        let none = browser.page(&format!("{HISTORY}?antes={id}")).await.text;
        assert!(none.contains("Nenhuma mudança é mais antiga do que essa."));
        assert!(!none.contains("Nada foi instalado"), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_admit_only_who_has_the_token() {
    let stranger = Browser::open().await;
    for path in [LIST, "/operador/historico", DPS] {
        let page = stranger.page(path).await;
        assert_eq!(page.header(LOCATION), "/operador/entrar", "{path}");
    }
    for token in ["", &TOKEN.to_uppercase(), &stranger.desk.stage.app.live_key] {
        let page = stranger.send("/operador/entrar", &[("token", token)]).await;
        assert_eq!((page.status, page.header(SET_COOKIE)), (422, ""));
    }
    let answer = stranger.send(DPS, &[("acao", "desfazer")]).await;
    assert_eq!(answer.header(LOCATION), "/operador/entrar");
    assert_eq!(stranger.upload("", &revision(1), "").await.status, 303);

    let browser = Browser::logged_in().await;
    let signature = browser.desk.stage.key.sign(&revision(1));
    let csrf = browser.page(LIST).await.hidden("csrf");
    assert_eq!(
        browser.upload("", &revision(1), &signature).await.status,
        403
    );
    assert_eq!(
        browser.upload(&csrf, &revision(1), &signature).await.status,
        303
    );
    let list = browser.page(LIST).await;
    let digest = browser.digest().await;
    let seen = list.hidden("visto");
    let fields = [
        ("acao", "ativar"),
        ("digest", digest.as_str()),
        ("visto", seen.as_str()),
        ("csrf", csrf.as_str()),
    ];
    // A page of another place, also of another port of this machine.
    for origin in ["https://example.com", "http://127.0.0.1:1", "null"] {
        let request = browser.post(DPS, &fields).header("origin", origin);
        assert_eq!(browser.got(request).await.status, 403, "{origin}");
    }
    let without = &fields[..3];
    assert_eq!(browser.send(DPS, without).await.status, 403);
    assert_eq!(browser.statuses().await, [Staged]);
    // The cookie opens nothing for programs.
    let url = format!("{}/admin/v1/adapters", browser.desk.base);
    let request = browser.client.get(url).header("cookie", &browser.cookie);
    assert_eq!(said(request).await.0, 401);
    for path in [
        "/operador/adaptadores/..%2Fetc",
        "/operador/adaptadores/nenhum",
        "/operador/outra",
    ] {
        assert_eq!(browser.page(path).await.status, 404, "{path}");
    }
    let left = browser.send("/operador/sair", &[("csrf", &csrf)]).await;
    assert_eq!(left.header(LOCATION), "/operador/entrar");
    assert_eq!(browser.send(DPS, &fields).await.status, 303);
    assert_eq!(browser.statuses().await, [Staged], "the session has ended");
}
