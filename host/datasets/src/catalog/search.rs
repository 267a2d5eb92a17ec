//! Search of products by name: words in any order, without accents, with spelling
//! mistakes.

use super::product::Product;
use super::ranking::{Candidate, READ, best, of_word, similarity};
use super::{Known, Origin, loaded, own};
use crate::similar::postings::{self, Entry};
use crate::similar::words::{alike, trigrams, words};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use store::ids::AccountId;
use store::tables::catalog::{self as tables, PostingRow, TermKind};
use store::tables::editions::EditionRow;
use store::{Conn, DbResult, stored};

/// Words of a query that count.
const QUERY_WORDS: usize = 8;
/// Parts of a word that are read: 131,072 products. A word that has more is not
/// looked up if another word has fewer; it counts when names are compared.
const PARTS: i64 = 16;
/// Parts of a trigram that are read: 32,768 words.
const TRIGRAM_PARTS: i64 = 4;
/// Words that a misspelled one may have been.
const MEANT: usize = 8;
/// How alike they are at least.
const ALIKE: f64 = 0.5;

/// A product that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub known: Known,
    /// How well its name answers, of 1.
    pub similarity: f64,
}

/// The products whose names answer the text best, the best first; each GTIN
/// once. At most 200 of each catalogue.
///
/// # Errors
/// The database fails, or what is stored cannot be read.
pub async fn search(
    conn: &mut Conn,
    account: Option<&AccountId>,
    text: &str,
) -> DbResult<Vec<Hit>> {
    let mut asked = words(text);
    asked.truncate(QUERY_WORDS);
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let mut hits = Vec::new();
    if let Some(account) = account {
        for (_, product) in own::with_words(conn, account, &asked).await? {
            hits.extend(hit(&asked, product, Origin::Own));
        }
    }
    for edition in loaded(conn).await? {
        for product in of_edition(conn, &edition, &asked).await? {
            hits.extend(hit(
                &asked,
                product,
                Origin::Edition(Box::new(edition.clone())),
            ));
        }
    }
    hits.sort_by(order);
    let mut seen = HashSet::new();
    let gtin = |hit: &Hit| format!("{:0>14}", hit.known.product.gtin);
    hits.retain(|hit| seen.insert(gtin(hit)));
    Ok(hits)
}

fn hit(asked: &[String], product: Product, origin: Origin) -> Option<Hit> {
    let name = format!("{} {}", product.name, product.brand);
    let similarity = similarity(asked, &name)?;
    let known = Known { product, origin };
    Some(Hit { known, similarity })
}

/// The best first; then by name and code, so that pages do not overlap.
fn order(a: &Hit, b: &Hit) -> Ordering {
    let by_similarity = b.similarity.total_cmp(&a.similarity);
    let (a, b) = (&a.known.product, &b.known.product);
    by_similarity
        .then_with(|| a.name.cmp(&b.name))
        .then_with(|| a.gtin.cmp(&b.gtin))
}

/// The products of an edition that are worth a look.
async fn of_edition(
    conn: &mut Conn,
    edition: &EditionRow,
    asked: &[String],
) -> DbResult<Vec<Product>> {
    let terms: Vec<&str> = asked.iter().map(String::as_str).collect();
    let heads = tables::parts(conn, edition.id, TermKind::Word, &terms, 1).await?;
    let mut heads: BTreeMap<String, PostingRow> = heads
        .into_iter()
        .map(|row| (row.term.clone(), row))
        .collect();
    let frequent = PARTS * i64::from(postings::PART);
    let rare = heads.values().any(|head| head.total <= frequent);
    let mut of_words: Vec<Vec<Candidate>> = Vec::with_capacity(asked.len());
    for word in asked {
        let meant = match heads.remove(word.as_str()) {
            Some(head) if head.total > frequent && rare => continue,
            Some(head) => vec![(1.0, entries(conn, edition.id, head).await?)],
            None => misspelled(conn, edition.id, word).await?,
        };
        of_words.push(of_word(&meant));
    }
    let places = best(of_words, asked.len());
    let places: Vec<i64> = places.into_iter().take(READ).map(i64::from).collect();
    let rows = tables::products(conn, edition.id, &places).await?;
    let read = rows
        .iter()
        .map(|row| stored(&row.content, "product", &row.place.to_string()));
    read.collect()
}

/// All entries of a word whose first part is known.
async fn entries(conn: &mut Conn, edition: i64, head: PostingRow) -> DbResult<Vec<Entry>> {
    let mut found = Vec::new();
    if head.total <= i64::from(postings::PART) {
        postings::read(&head.entries, |entry| found.push(entry));
        return Ok(found);
    }
    let rows = tables::parts(conn, edition, TermKind::Word, &[head.term.as_str()], PARTS).await?;
    for row in rows {
        postings::read(&row.entries, |entry| found.push(entry));
    }
    Ok(found)
}

/// Products of the words that a word which no name has may have been, with how
/// alike they are.
async fn misspelled(conn: &mut Conn, edition: i64, word: &str) -> DbResult<Vec<(f64, Vec<Entry>)>> {
    let three = trigrams(word);
    let three: Vec<&str> = three.iter().map(String::as_str).collect();
    let rows = tables::parts(conn, edition, TermKind::Trigram, &three, TRIGRAM_PARTS).await?;
    // For each word of the catalogue: trigrams it shares, and how many it has.
    let mut shared: Vec<(u8, u8)> = Vec::new();
    for row in rows {
        postings::read(&row.entries, |entry| {
            let place = entry.place as usize;
            if place >= shared.len() {
                shared.resize(place + 1, (0, 0));
            }
            if let Some(count) = shared.get_mut(place) {
                *count = (count.0.saturating_add(1), entry.size);
            }
        });
    }
    let own = u8::try_from(three.len()).unwrap_or(u8::MAX);
    let mut near: Vec<(u32, i64)> = Vec::new();
    for (count, place) in shared.into_iter().zip(0_i64..) {
        let (count, size) = count;
        // The trigram of the end is missing in words that go on.
        let begins = count + 1 >= own && own > 3;
        let dice = 2_000 * u32::from(count) / u32::from(own.saturating_add(size)).max(1);
        if count > 0 && (dice >= 450 || begins) {
            near.push((dice, place));
        }
    }
    near.sort_by_key(|(dice, place)| (std::cmp::Reverse(*dice), *place));
    near.truncate(MEANT * 2);
    let places: Vec<i64> = near.iter().map(|(_, place)| *place).collect();
    let words = tables::words(conn, edition, &places).await?;
    let mut meant: Vec<(f64, String)> = words
        .into_iter()
        .map(|row| (alike(word, &row.word), row.word))
        .filter(|(alike, _)| *alike >= ALIKE)
        .collect();
    meant.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    meant.truncate(MEANT);
    let mut found = Vec::with_capacity(meant.len());
    for (alike, word) in meant {
        let rows = tables::parts(
            conn,
            edition,
            TermKind::Word,
            &[word.as_str()],
            TRIGRAM_PARTS,
        )
        .await?;
        let mut entries = Vec::new();
        for row in rows {
            postings::read(&row.entries, |entry| entries.push(entry));
        }
        found.push((alike, entries));
    }
    Ok(found)
}
