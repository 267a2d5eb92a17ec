//! Living with documents: the list, a document and what is done to it, numbers,
//! received notes, the report, the search and the overview.

mod acting;
mod content;
mod kinds;
mod lists;
mod numbering;
mod overview;
mod people;
mod received;

use crate::browser::{Browser, Page};
use crate::pages::company;
use crate::registered;
use serde_json::Value;
use std::convert::Infallible;
use store::TxError;
use store::ids::NotaId;
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::words::Model;
use tests::bodies::with;
use tests::{Answer, TestApp};

const DAY_MS: i64 = 24 * 3_600_000;

/// A person with a company, and a key of theirs for what programs do.
pub struct Shop {
    pub browser: Browser,
    pub emitter: String,
    key: String,
}

impl Shop {
    pub async fn new(app: &TestApp, email: &str) -> Shop {
        let mut browser = registered(app, email).await;
        let emitter = company(&mut browser).await;
        let key = key(&mut browser).await;
        Shop {
            browser,
            emitter,
            key,
        }
    }

    /// Issues by the API; the record of the document.
    pub async fn issue(&self, app: &TestApp, path: &str, body: Value) -> Answer {
        let body = with(body, "/emitente_id", self.emitter.as_str());
        let answer = self.post(app, path, &body).await;
        assert!(
            (200..300).contains(&answer.status),
            "{path}: {}",
            answer.text
        );
        answer
    }

    pub async fn post(&self, app: &TestApp, path: &str, body: &Value) -> Answer {
        let request = app.http().post(format!("{}{path}", app.base_url));
        let request = request.header("content-type", "application/json");
        let request = request.bearer_auth(&self.key).body(body.to_string());
        app.send(request).await
    }

    async fn get(&self, app: &TestApp, path: &str) -> Answer {
        let request = app.http().get(format!("{}{path}", app.base_url));
        app.send(request.bearer_auth(&self.key)).await
    }

    /// Opens a page; it must be there.
    pub async fn page(&mut self, path: &str) -> Page {
        let page = self.browser.get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.html);
        page
    }

    /// Fills in the form of a page and sends it; the page has to ask, and the
    /// person says yes. What came back of that.
    async fn confirm(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let asking = match fields.is_empty() {
            true => self.page(path).await,
            false => {
                let form = self.page(path).await.filled(path, fields);
                self.browser.submit(path, &form).await
            }
        };
        assert!(
            asking.has("name=\"confirmado\""),
            "it asks: {}",
            asking.html
        );
        let mut form = asking.form(path);
        form.push(("confirmado".to_owned(), "1".to_owned()));
        self.browser.submit(path, &form).await
    }
}

/// A key that sees what the person looks at.
async fn key(browser: &mut Browser) -> String {
    browser.get("/painel/chaves").await;
    let made = browser
        .send("/painel/chaves", &[("nome", "Servidor")])
        .await;
    made.id("chave-nova").to_owned()
}

/// Writes a copy of a note down, as one that was made some time ago and is in a state now;
/// its id.
async fn copy(
    app: &TestApp,
    account: &str,
    of: &str,
    (status, ago_ms): (NotaStatus, i64),
) -> String {
    let input = (
        account.to_owned(),
        of.to_owned(),
        status,
        app.app.now_ms() - ago_ms,
    );
    let written = app
        .app
        .db
        .write(input, |(account, of, status, made_ms), conn| {
            Box::pin(async move {
                let note = notas::get(conn, &account.as_str().into(), &of.as_str().into()).await?;
                let copy = NotaRow {
                    id: NotaId::new(Model::Nfe, *made_ms),
                    status: *status,
                    number_active: 0,
                    // Nobody asks for it meanwhile.
                    next_check_ms: made_ms + 400 * DAY_MS,
                    created_at_ms: *made_ms,
                    ..note.expect("the note")
                };
                notas::insert(conn, &copy).await?;
                Ok::<_, TxError<Infallible>>(copy.id.to_string())
            })
        });
    written.await.expect("written")
}

/// The address of a document's page.
fn place(answer: &Answer) -> String {
    format!("/painel/documentos/{}", answer.text_at("/nota_id"))
}

/// Names of the files of a ZIP, by its directory.
fn files(zip: &[u8]) -> Vec<String> {
    assert!(zip.starts_with(b"PK"), "{}", String::from_utf8_lossy(zip));
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(found) = zip[at..].windows(4).position(|four| four == b"PK\x01\x02") {
        let entry = &zip[at + found..];
        let length = usize::from(u16::from_le_bytes([entry[28], entry[29]]));
        names.push(String::from_utf8_lossy(&entry[46..46 + length]).into_owned());
        at += found + 46 + length;
    }
    names
}
