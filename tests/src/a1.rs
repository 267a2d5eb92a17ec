//! Certificates of companies, by the simulated authority.

use crate::TestApp;
use sim::pki::{A1Request, PfxFormat};

pub const DAY_MS: i64 = 24 * 3_600_000;
/// Password of every file made here.
pub const PASSWORD: &str = "senha-de-teste";

/// An A1 file of the simulated authority, valid between two days from now.
///
/// # Panics
/// It cannot be made.
pub fn pfx(app: &TestApp, documento: &str, format: PfxFormat, days: (i64, i64)) -> Vec<u8> {
    let now_ms = app.app.now_ms();
    let request = A1Request {
        document: documento.to_owned(),
        name: "EMPRESA DE TESTE LTDA".to_owned(),
        valid_from_ms: now_ms + days.0 * DAY_MS,
        valid_until_ms: now_ms + days.1 * DAY_MS,
    };
    let files = app
        .app
        .simulator
        .pki
        .issue_test_a1(request)
        .expect("certificate");
    files.pfx(PASSWORD, format).expect("pfx")
}
