//! Issuing by people: the form with its buttons, drafts, copies of documents,
//! and many notes of a file.

mod bulk;
mod cost;
mod drafts;
mod form;
mod leftovers;
mod products;
mod workbooks;

use crate::browser::{Browser, Page};
use crate::pages::NOTE;

/// The form of a new note, filled in: the example's customer and first item,
/// and these fields.
pub async fn filled(
    browser: &mut Browser,
    emitter: &str,
    fields: &[(&str, &str)],
) -> Vec<(String, String)> {
    let page = browser.get("/painel/emitir").await;
    let mut all = NOTE.to_vec();
    all.extend([("tipo", "nfe"), ("emitente", emitter)]);
    all.retain(|(name, _)| fields.iter().all(|(field, _)| name != field));
    all.extend(fields);
    page.filled("/painel/emitir", &all)
}

/// The value that a page shows in a field.
fn value(page: &Page, name: &str) -> String {
    let form = page.form("/painel/emitir");
    let found = form.into_iter().find(|(field, _)| field == name);
    found
        .unwrap_or_else(|| panic!("no {name}: {}", page.html))
        .1
}

/// What stands beside a field that is wrong.
fn fault<'p>(page: &'p Page, name: &str) -> &'p str {
    page.id(&format!("{name}-erro"))
}
