//! Who issues: accounts of the store with their companies and series, and what texts of the
//! models say of the account they are of.

use super::model::{Running, Shared};
use super::sheet::{Sheet, integer, text as said, ulid};
use super::slots::{Company, Slot};
use anyhow::Context as _;
use std::collections::BTreeMap;
use store::copy::bulk::Row;
use store::ids::{AccountId, EmitterId};

/// What names of generated accounts begin with.
pub const ACCOUNT: &str = "Carga ";
/// Tables that say who issues.
pub const OWNERS: [&str; 8] = [
    "accounts",
    "api_keys",
    "certificates",
    "emitters",
    "event_order",
    "ledger_accounts",
    "number_sequences",
    "webhooks",
];

/// An account that copies are of.
pub struct Account {
    pub id: AccountId,
    pub ulid: String,
    pub key_ulid: String,
    pub webhook_ulid: String,
    pub companies: Vec<Company>,
    pub emitters: Vec<EmitterId>,
    /// Its figures before this run.
    pub before: Running,
}

/// A series of a company: account, company, environment, model, series.
pub type Series = (usize, usize, String, String, String);

/// What texts of the models name that is not theirs.
///
/// # Errors
/// They are of several accounts, or a table is missing.
pub fn shared(sheet: &Sheet) -> anyhow::Result<Shared> {
    let mut ids = Vec::new();
    let single = [("accounts", Slot::Account), ("webhooks", Slot::Webhook)];
    for (name, slot) in single {
        let (table, rows) = sheet.of(name)?;
        anyhow::ensure!(rows.len() <= 1, "the models are of several {name}");
        let found = rows.iter().filter_map(|row| ulid(said(table, row, "id")?));
        ids.extend(found.map(|id| (id.to_owned(), slot.clone())));
    }
    let (table, rows) = sheet.of("api_keys")?;
    let keys = rows.iter().filter_map(|row| ulid(said(table, row, "id")?));
    ids.extend(keys.map(|id| (id.to_owned(), Slot::Key)));
    let (table, rows) = sheet.of("certificates")?;
    let certificates = rows.iter().filter_map(|row| ulid(said(table, row, "id")?));
    ids.extend(certificates.map(|id| (id.to_owned(), Slot::Certificate)));
    let (table, rows) = sheet.of("emitters")?;
    let text = |row, column| said(table, row, column).unwrap_or_default().to_owned();
    let companies: Vec<(String, String)> = rows
        .iter()
        .map(|row| (text(row, "id"), text(row, "cnpj")))
        .collect();
    let emitters = companies.iter().filter_map(|(id, _)| ulid(id));
    ids.extend(emitters.map(|id| (id.to_owned(), Slot::Emitter)));
    Ok(Shared { ids, companies })
}

/// The generated accounts, each with as many companies as the models have.
///
/// # Errors
/// There is none, or one has other companies.
pub fn accounts(sheet: &Sheet, companies: usize) -> anyhow::Result<Vec<Account>> {
    let (table, rows) = sheet.of("accounts")?;
    let mut accounts = Vec::new();
    for row in rows {
        let text = |column| said(table, row, column).unwrap_or_default();
        if text("nome").starts_with(ACCOUNT) {
            let id = AccountId::from(text("id"));
            accounts.push(account(sheet, id, companies)?);
        }
    }
    anyhow::ensure!(
        !accounts.is_empty(),
        "there is no account whose name begins with {ACCOUNT:?}"
    );
    Ok(accounts)
}

fn account(sheet: &Sheet, id: AccountId, companies: usize) -> anyhow::Result<Account> {
    // The first row of the account that has this text in a column.
    let of = |name: &str, column: &str, is: &str| -> anyhow::Result<String> {
        let (table, rows) = sheet.of(name)?;
        let own = |row: &&Row| {
            said(table, row, "account_id") == Some(id.as_str())
                && (column.is_empty() || said(table, row, column) == Some(is))
        };
        let found = rows
            .iter()
            .find(own)
            .and_then(|row| ulid(said(table, row, "id")?));
        Ok(found.unwrap_or_default().to_owned())
    };
    let figure = |name: &str, column: &str, kind: &str| -> anyhow::Result<i64> {
        let (table, rows) = sheet.of(name)?;
        let own = |row: &&Row| {
            said(table, row, "account_id") == Some(id.as_str())
                && (kind.is_empty() || said(table, row, "kind") == Some(kind))
        };
        Ok(rows
            .iter()
            .find(own)
            .and_then(|row| integer(table, row, column))
            .unwrap_or_default())
    };
    let (table, rows) = sheet.of("emitters")?;
    let own = rows
        .iter()
        .filter(|row| said(table, row, "account_id") == Some(id.as_str()));
    let (mut found, mut emitters) = (Vec::new(), Vec::new());
    for row in own {
        let text = |column| said(table, row, column).unwrap_or_default();
        emitters.push(EmitterId::from(text("id")));
        found.push(Company {
            emitter_ulid: ulid(text("id")).unwrap_or_default().to_owned(),
            certificate_ulid: of("certificates", "emitter_id", text("id"))?,
            cnpj: text("cnpj").to_owned(),
        });
    }
    anyhow::ensure!(
        found.len() == companies,
        "account {id} has {} companies, the models {companies}",
        found.len()
    );
    Ok(Account {
        ulid: ulid(&id).context("an id of an account")?.to_owned(),
        key_ulid: of("api_keys", "kind", "live")?,
        webhook_ulid: of("webhooks", "", "")?,
        companies: found,
        emitters,
        before: Running {
            available: figure("ledger_accounts", "balance", "available")?,
            place: figure("event_order", "last", "")?,
        },
        id,
    })
}

/// The next number of each series that has one.
///
/// # Errors
/// A table or a column is missing.
pub fn series(sheet: &Sheet, accounts: &[Account]) -> anyhow::Result<BTreeMap<Series, i64>> {
    let (table, rows) = sheet.of("number_sequences")?;
    let mut found = BTreeMap::new();
    for row in rows {
        let text = |column| said(table, row, column).unwrap_or_default().to_owned();
        let emitter = EmitterId::from(text("emitter_id"));
        for (account, known) in accounts.iter().enumerate() {
            if let Some(company) = known.emitters.iter().position(|known| *known == emitter) {
                let series = (
                    account,
                    company,
                    text("ambiente"),
                    text("modelo"),
                    text("serie"),
                );
                found.insert(series, integer(table, row, "next").context("next")?);
            }
        }
    }
    Ok(found)
}
