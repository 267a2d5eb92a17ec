//! The account's companies by their names, for choices and lists.

use crate::parts::cnpj;
use crate::reply::Problem;
use crate::visitor::Visitor;
use serde_json::Value;
use store::tables::certificates::{self, DueRow};
use store::tables::emitters;
use store::tables::notas::part;
use store::words::Ambiente;

/// Companies that are read; an account with more chooses by search.
const MOST: i64 = 1_000;
pub const DAY_MS: i64 = 86_400_000;
/// From how many days before its end a certificate is warned of, as in the API.
const SOON_DAYS: i64 = 30;

/// A company.
#[derive(Clone, Debug)]
pub struct Company {
    pub id: String,
    pub name: String,
    /// What it is registered as.
    pub legal_name: String,
    pub cnpj: String,
    /// Where what it issues in the live world goes.
    pub ambiente: Ambiente,
}

impl Company {
    /// `Loja Exemplo Ltda (11.222.333/0001-81)`.
    pub fn title(&self) -> String {
        format!("{} ({})", self.name, cnpj(&self.cnpj))
    }
}

/// The companies of an account, the newest first.
#[derive(Clone, Debug, Default)]
pub struct Companies(Vec<Company>);

impl Companies {
    /// # Errors
    /// The database failed.
    pub async fn read(visitor: &Visitor) -> Result<Companies, Problem> {
        let account = &visitor.session.row.account_id;
        let mut conn = visitor.read().await?;
        let rows = emitters::list(&mut conn, account, "", MOST).await;
        let rows = rows.map_err(anyhow::Error::from)?;
        let companies = rows.into_iter().map(|row| Company {
            id: row.id.to_string(),
            name: match row.apelido.as_str() {
                "" => row.razao_social.clone(),
                called => called.to_owned(),
            },
            legal_name: row.razao_social,
            cnpj: row.cnpj,
            ambiente: row.ambiente,
        });
        Ok(Companies(companies.collect()))
    }

    pub fn all(&self) -> &[Company] {
        &self.0
    }

    /// Those whose name or CNPJ has what is looked for.
    pub fn found<'c>(&'c self, q: &'c str) -> impl Iterator<Item = &'c Company> {
        self.0.iter().filter(move |one| {
            let (plain, printed) = (&one.cnpj, cnpj(&one.cnpj));
            has(
                &format!("{} {} {plain} {printed}", one.name, one.legal_name),
                q,
            )
        })
    }

    pub fn get(&self, id: &str) -> Option<&Company> {
        self.0.iter().find(|company| company.id == id)
    }

    /// The name of a company; its id where it is not among those read.
    pub fn name<'c>(&'c self, id: &'c str) -> &'c str {
        self.get(id).map_or(id, |company| company.name.as_str())
    }

    /// The end of a name of a file that is limited to a company: `-11222333000181`. Empty
    /// without one, and where it is no CNPJ: a CPF stands in no name.
    pub fn file_end(&self, id: &str) -> String {
        let cnpj = self.get(id).map_or("", |company| company.cnpj.as_str());
        match cnpj.len() == 14 && cnpj.bytes().all(|sign| sign.is_ascii_alphanumeric()) {
            true => format!("-{cnpj}"),
            false => String::new(),
        }
    }

    /// More than one: lists say which.
    pub fn several(&self) -> bool {
        self.0.len() > 1
    }

    /// Options of a choice of one.
    pub fn choices(&self) -> Vec<(String, String)> {
        let each = self.0.iter().map(|one| (one.id.clone(), one.title()));
        each.collect()
    }

    /// Options of a choice, all of them first.
    pub fn options(&self, all: &str) -> Vec<(String, String)> {
        let mut options = vec![(String::new(), all.to_owned())];
        options.extend(self.choices());
        options
    }
}

/// The profile of the account's default company, or else of its newest; null without any.
///
/// # Errors
/// The database failed.
pub async fn profile(visitor: &Visitor) -> Result<Value, Problem> {
    let account = &visitor.session.row.account_id;
    let mut conn = visitor.read().await?;
    let default = emitters::default_of(&mut conn, account).await;
    let mut row = default.map_err(anyhow::Error::from)?;
    if row.is_none() {
        let newest = emitters::list(&mut conn, account, "", 1).await;
        row = newest.map_err(anyhow::Error::from)?.pop();
    }
    let profile = row.and_then(|row| serde_json::from_str(&row.perfil).ok());
    Ok(profile.unwrap_or_default())
}

/// Companies of the account whose certificate has ended or ends soon, the first to end first.
///
/// # Errors
/// The database failed.
pub async fn due(visitor: &Visitor) -> Result<Vec<DueRow>, Problem> {
    let account = &visitor.session.row.account_id;
    let until_ms = visitor.panel.app.now_ms() + SOON_DAYS * DAY_MS;
    let mut conn = visitor.read().await?;
    let rows = certificates::due(&mut conn, account, until_ms, MOST).await;
    Ok(rows.map_err(anyhow::Error::from)?)
}

/// Whether a text has the words that are looked for, whatever their accents.
pub fn has(text: &str, q: &str) -> bool {
    let (text, q) = (part(text), part(q));
    let mut words = q.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| text.contains(word))
}
