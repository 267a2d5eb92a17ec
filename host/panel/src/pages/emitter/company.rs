//! A company as the pages read and show it.

use crate::parts::encoded;
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::http::{Method, header};
use issuing::emitters::profile::Perfil;
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// The choice of a company with the cumulative PIS and COFINS. The API has one regime, `normal`,
/// for it and for Lucro Real; the forms ask which it is, because the rates differ.
const PRESUMED: &str = "lucro_presumido";

/// The regimes that the forms offer; see [`regime_of`].
pub const REGIMES: [(&str, &str); 5] = [
    ("normal", "Lucro Real"),
    (PRESUMED, "Lucro Presumido"),
    ("simples_nacional", "Simples Nacional"),
    ("simples_excesso", "Simples, acima do sublimite"),
    ("mei", "MEI"),
];

/// A company as the API shows it, and the version that was read.
pub struct Company {
    pub record: Value,
    pub etag: String,
}

impl Company {
    /// Reads one of the account.
    ///
    /// # Errors
    /// The page that says why not.
    pub async fn read(visitor: &Visitor, id: &str) -> Result<Company, Problem> {
        let reply = visitor.ask(Method::GET, &address(id, ""), None).await?;
        if !reply.ok() {
            return Err(Problem::of(&reply));
        }
        let etag = reply.headers.get(header::ETAG);
        let etag = etag.and_then(|etag| etag.to_str().ok()).unwrap_or_default();
        Ok(Company {
            record: reply.json(),
            etag: etag.to_owned(),
        })
    }
}

/// Address of the page of a company.
pub fn page_of(emitter: &Value) -> String {
    format!("/painel/emitentes/{}", encoded(text(emitter, "id")))
}

/// Address of an operation on a company.
pub fn address(id: &str, rest: &str) -> String {
    format!("/api/v1/emitters/{}{rest}", encoded(id))
}

/// The regime that a choice of the forms is in the API.
pub fn regime_of(choice: &str) -> &str {
    if choice == PRESUMED { "normal" } else { choice }
}

/// The choice of the forms that a profile stands for: its rates of PIS and COFINS tell the two
/// that the API calls normal.
pub fn choice_of(profile: &Value) -> &str {
    let rate = |tax: &str| {
        let rate = profile["padroes"][tax]["aliquota"].to_string();
        rate.trim_matches('"').parse::<Decimal>().ok()
    };
    let cumulative = [Some(Decimal::new(65, 2)), Some(Decimal::new(3, 0))];
    match text(profile, "regime") {
        "normal" if [rate("pis"), rate("cofins")] == cumulative => PRESUMED,
        regime => regime,
    }
}

/// What most shops begin with, by a choice of the forms; without one that is Lucro Real. Above
/// the sublimit there is no such thing.
pub fn starter(choice: &str) -> Value {
    match choice {
        "simples_excesso" => Value::Null,
        "" | "normal" => common(&json!(1.65), &json!(7.6)),
        // Lei 9.715/1998, art. 8, and Lei 9.718/1998: the cumulative regime.
        PRESUMED => common(&json!(0.65), &json!(3)),
        _ => json!({
            "cfop_interno": "5102", "cfop_interestadual": "6102", "origem": "0", "unidade": "UN",
            "icms": { "csosn": "102" }, "pis": { "cst": "49" }, "cofins": { "cst": "49" },
        }),
    }
}

/// A common sale outside of the Simples, with the rates of PIS and COFINS.
fn common(pis: &Value, cofins: &Value) -> Value {
    json!({
        "cfop_interno": "5102", "cfop_interestadual": "6102", "origem": "0", "unidade": "UN",
        "icms": { "cst": "00", "aliquota": 18 }, "pis": { "cst": "01", "aliquota": pis }, "cofins": { "cst": "01", "aliquota": cofins },
        "ibs_cbs": { "cst": "000", "cclass_trib": "000001" },
    })
}

/// Whether two taxations say the same in a group, however they write its numbers.
pub fn same(one: &Value, other: &Value, group: &str) -> bool {
    let read = |all: &Value| {
        let alone = json!({ "padroes": { group: all[group] } });
        serde_json::from_value::<Perfil>(alone).ok()
    };
    let found = read(one);
    found.is_some() && found == read(other)
}

/// Whether a profile has rates that were filled in by themselves.
pub fn has_common_rates(profile: &Value) -> bool {
    let common = starter(choice_of(profile));
    let taxes = ["icms", "pis", "cofins"].into_iter();
    let mut with_rate = taxes.filter(|tax| common[*tax]["aliquota"].is_number());
    with_rate.any(|tax| same(&profile["padroes"], &common, tax))
}
