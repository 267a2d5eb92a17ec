//! Mail, sent by a real server and read again.

mod document;
mod notices;
mod server;

use crate::common::{BELO_HORIZONTE, cnpj};
use tests::bodies::{nfe, nfse};
use tests::{Answer, TestApp};

/// An authorized service note.
async fn service(app: &TestApp) -> Answer {
    app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
    let note = app.post("/api/v1/nfse", &nfse()).await;
    assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
    note
}

/// An authorized product note, whose recipient has an address.
async fn product(app: &TestApp) -> Answer {
    app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
    let body = tests::bodies::with(nfe(), "/destinatario/email", "compras@cliente.com.br");
    let note = app.post("/api/v1/nfe", &body).await;
    assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
    note
}
