//! Products an account knows from the documents it received or issued: what is
//! public of a product, never a price. No other account sees them.

use super::product::Product;
use crate::similar::words::words;
use std::collections::BTreeMap;
use store::ids::AccountId;
use store::tables::catalog_own::{self as tables, OwnRow};
use store::{Conn, DbResult, stored};
use tools::barcode::Barcode;

/// Products of one word that are looked at.
const OF_WORD: i64 = 200;

/// Keeps a product of a document; whether it was new or changed. A code that is
/// no GTIN, or is left to a shop, is not kept.
///
/// # Errors
/// The database fails.
pub async fn learn(
    conn: &mut Conn,
    account: &AccountId,
    product: &Product,
    now_ms: i64,
) -> DbResult<bool> {
    let code = Barcode::parse(&product.gtin).ok();
    let Some(code) = code.filter(|code| !code.is_restricted()) else {
        return Ok(false);
    };
    let content =
        serde_json::to_string(product).map_err(|error| store::DbError::Encode(error.into()))?;
    let row = OwnRow {
        gtin: super::number(&code),
        content,
    };
    tables::save(conn, account, &row, &words(&product.name), now_ms).await
}

/// What an account knows of a GTIN-14.
///
/// # Errors
/// The database fails, or what is stored cannot be read.
pub async fn get(conn: &mut Conn, account: &AccountId, gtin: i64) -> DbResult<Option<Product>> {
    let row = tables::get(conn, account, gtin).await?;
    row.map(|row| stored(&row.content, "product of an account", account))
        .transpose()
}

/// Products of an account that have one of these words, by their GTIN-14.
pub(super) async fn with_words(
    conn: &mut Conn,
    account: &AccountId,
    words: &[String],
) -> DbResult<BTreeMap<i64, Product>> {
    let mut found = BTreeMap::new();
    for word in words {
        for row in tables::of_word(conn, account, word, OF_WORD).await? {
            let product = stored(&row.content, "product of an account", account)?;
            found.insert(row.gtin, product);
        }
    }
    Ok(found)
}
