//! The product catalogue: what the operator imported, what Open Food Facts has,
//! and what an account knows from its own documents.

pub mod own;
pub mod product;
mod ranking;
pub mod search;

use product::Product;
use store::ids::AccountId;
use store::tables::catalog as tables;
use store::tables::editions::{self, DatasetKind, EditionRow};
use store::{Conn, DbResult, stored};
use tools::barcode::Barcode;

/// Imported catalogues, the one that is believed most first.
const KINDS: [DatasetKind; 2] = [DatasetKind::Products, DatasetKind::OpenFoodFacts];

/// Where a product is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An imported edition.
    Edition(Box<EditionRow>),
    /// Documents of the account that asks.
    Own,
    /// An outside source that was asked.
    Source {
        name: String,
        /// When it said it (epoch milliseconds).
        fetched_ms: i64,
    },
}

/// A product, and where its name is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub product: Product,
    pub origin: Origin,
}

/// The GTIN-14 of a code as a number: the key of the catalogue.
pub fn number(code: &Barcode) -> i64 {
    code.gtin14().parse().unwrap_or_default()
}

/// The imported catalogues that are loaded, the one believed most first.
///
/// # Errors
/// The database fails.
pub async fn loaded(conn: &mut Conn) -> DbResult<Vec<EditionRow>> {
    let mut found = Vec::new();
    for kind in KINDS {
        found.extend(editions::active(conn, kind, "").await?);
    }
    Ok(found)
}

/// The product of a code. The account's own knowledge stands behind the operator's
/// catalogue and before Open Food Facts; what one does not know is filled from the
/// next. Without an account only imported catalogues are asked.
///
/// # Errors
/// The database fails, or a stored product cannot be read.
pub async fn get(
    conn: &mut Conn,
    account: Option<&AccountId>,
    code: &Barcode,
) -> DbResult<Option<Known>> {
    let gtin = number(code);
    let own = match account {
        Some(account) => own::get(conn, account, gtin).await?,
        None => None,
    };
    let mut own = own.map(|product| Known {
        product,
        origin: Origin::Own,
    });
    let mut found: Option<Known> = None;
    for edition in loaded(conn).await? {
        if edition.kind == DatasetKind::OpenFoodFacts {
            found = joined(found, own.take());
        }
        let row = tables::by_gtin(conn, edition.id, gtin).await?;
        let known = row.map(|row| {
            stored(&row.content, "product", &code.gtin14()).map(|product| Known {
                product,
                origin: Origin::Edition(Box::new(edition)),
            })
        });
        found = joined(found, known.transpose()?);
    }
    Ok(joined(found, own))
}

/// The first of two, filled from the second.
fn joined(first: Option<Known>, second: Option<Known>) -> Option<Known> {
    match (first, second) {
        (Some(mut first), Some(second)) => {
            first.product.fill(&second.product);
            Some(first)
        }
        (first, second) => first.or(second),
    }
}
