//! Look-up of a company in the imported base.

use super::cnpj::layout::{Choices, Establishment, Partner, Registration};
use super::cnpj::{CITY, NATURE, REASON, ROLE};
use crate::bases::cnpj::layout::short_code;
use store::tables::companies;
use store::tables::editions::{self, DatasetKind, EditionRow};
use store::{Conn, DbResult, stored};

/// Records of a company that are read: it, its choices, and partners.
const MOST_RECORDS: i64 = 300;

/// An establishment and its company.
#[derive(Clone, Debug)]
pub struct Company {
    pub edition: EditionRow,
    pub establishment: Establishment,
    /// None: the base has no line of it.
    pub registration: Option<Registration>,
    /// None: it never chose.
    pub choices: Option<Choices>,
    /// Partner and the text of his role, the longest in the company first.
    pub partners: Vec<(Partner, Option<String>)>,
    /// Texts of codes, where their tables were imported.
    pub reason: Option<String>,
    pub nature: Option<String>,
    /// As the Receita Federal writes it.
    pub city: Option<String>,
}

/// What was found for a CNPJ.
#[derive(Clone, Debug)]
pub enum Answer {
    Found(Box<Company>),
    /// The base has no such establishment.
    Missing(Box<EditionRow>),
    /// No base is imported.
    NoBase,
}

/// Looks up an establishment by its 14 positions.
///
/// # Errors
/// The database fails, or a stored row cannot be read.
pub async fn get(conn: &mut Conn, cnpj: &str) -> DbResult<Answer> {
    let Some(edition) = editions::active(conn, DatasetKind::Cnpj, "").await? else {
        return Ok(Answer::NoBase);
    };
    let (base, branch) = cnpj.split_at_checked(8).unwrap_or((cnpj, ""));
    let Some(row) = companies::get(conn, edition.id, base, branch).await? else {
        return Ok(Answer::Missing(Box::new(edition)));
    };
    let establishment: Establishment = stored(&row.content, "establishment", base)?;
    let (mut registration, mut choices, mut partners) = (None, None, Vec::new());
    for record in companies::records(conn, edition.id, base, MOST_RECORDS).await? {
        match record.part.as_str() {
            "empresa" => registration = Some(stored(&record.content, "company", base)?),
            "simples" => choices = Some(stored(&record.content, "choices", base)?),
            _ => partners.push(stored::<Partner>(&record.content, "partner", base)?),
        }
    }
    partners.sort_by(|a, b| (&a.since, &a.name).cmp(&(&b.since, &b.name)));
    let mut with_roles = Vec::with_capacity(partners.len());
    for partner in partners {
        let role = text(conn, &edition, ROLE, &partner.role).await?;
        with_roles.push((partner, role));
    }
    let nature = registration.as_ref();
    let nature = nature.map_or("", |one: &Registration| one.nature.as_str());
    Ok(Answer::Found(Box::new(Company {
        reason: text(conn, &edition, REASON, &establishment.reason).await?,
        nature: text(conn, &edition, NATURE, nature).await?,
        city: text(conn, &edition, CITY, &establishment.city).await?,
        edition,
        establishment,
        registration,
        choices,
        partners: with_roles,
    })))
}

/// The text of a code.
async fn text(
    conn: &mut Conn,
    edition: &EditionRow,
    begins: &str,
    code: &str,
) -> DbResult<Option<String>> {
    if code.is_empty() {
        return Ok(None);
    }
    let key = format!("{begins}{}", short_code(code));
    editions::get_row(conn, edition.id, &key).await
}
