//! Tables `catalog_products`, `catalog_gtins`, `catalog_words` and
//! `catalog_postings`: the product catalogue of an edition.

use crate::words::words;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};

words! {
    /// What a term of a posting is.
    pub enum TermKind {
        /// A word of names; its places are products.
        Word = "palavra",
        /// Three letters of a word; its places are words.
        Trigram = "trigrama",
    }
}

row! {
    /// A product.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ProductRow {
        /// Its place in the edition, from 0.
        pub place: i64,
        /// JSON.
        pub content: String,
    }
}

row! {
    /// Where the product of a GTIN is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct GtinRow {
        /// GTIN-14 as a number.
        pub gtin: i64,
        pub place: i64,
        /// Of the content.
        pub digest: i64,
    }
}

row! {
    /// A word of names.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WordRow {
        pub place: i64,
        pub word: String,
    }
}

row! {
    /// A part of the places of a term.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PostingRow {
        pub kind: TermKind,
        pub term: String,
        /// From 0.
        pub part: i64,
        /// Entries of all parts together.
        pub total: i64,
        /// Packed by `datasets`.
        pub entries: Vec<u8>,
    }
}

const INSERT_PRODUCT: &str =
    "INSERT INTO catalog_products (edition, place, content) VALUES ($1, $2, $3)";
const INSERT_PRODUCTS_POSTGRES: &str = "INSERT INTO catalog_products (edition, place, content) SELECT $1::bigint, r.place, r.content FROM UNNEST($2::bigint[], $3::text[]) AS r (place, content)";
const INSERT_GTIN: &str =
    "INSERT INTO catalog_gtins (edition, gtin, place, digest) VALUES ($1, $2, $3, $4)";
const INSERT_GTINS_POSTGRES: &str = "INSERT INTO catalog_gtins (edition, gtin, place, digest) SELECT $1::bigint, r.gtin, r.place, r.digest FROM UNNEST($2::bigint[], $3::bigint[], $4::bigint[]) AS r (gtin, place, digest)";
const INSERT_WORD: &str = "INSERT INTO catalog_words (edition, place, word) VALUES ($1, $2, $3)";
const INSERT_WORDS_POSTGRES: &str = "INSERT INTO catalog_words (edition, place, word) SELECT $1::bigint, r.place, r.word FROM UNNEST($2::bigint[], $3::text[]) AS r (place, word)";
const INSERT_POSTING: &str = "INSERT INTO catalog_postings (edition, kind, term, part, total, entries) VALUES ($1, $2, $3, $4, $5, $6)";
const INSERT_POSTINGS_POSTGRES: &str = "INSERT INTO catalog_postings (edition, kind, term, part, total, entries) SELECT $1::bigint, r.kind, r.term, r.part, r.total, r.entries \
     FROM UNNEST($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bytea[]) AS r (kind, term, part, total, entries)";
const BY_GTIN: &str = "SELECT p.place, p.content FROM catalog_gtins g JOIN catalog_products p ON p.edition = g.edition AND p.place = g.place \
     WHERE g.edition = $1 AND g.gtin = $2";
const PAGE_OF_GTINS: &str = "SELECT gtin, place, digest FROM catalog_gtins WHERE edition = $1 AND gtin > $2 ORDER BY gtin LIMIT CAST($3 AS BIGINT)";
const GET_PRODUCT_SQLITE: &str =
    "SELECT place, content FROM catalog_products WHERE edition = $1 AND place = $2";
const GET_PRODUCTS_POSTGRES: &str =
    "SELECT place, content FROM catalog_products WHERE edition = $1 AND place = ANY($2)";
const GET_WORD_SQLITE: &str =
    "SELECT place, word FROM catalog_words WHERE edition = $1 AND place = $2";
const GET_WORDS_POSTGRES: &str =
    "SELECT place, word FROM catalog_words WHERE edition = $1 AND place = ANY($2)";
const PARTS_SQLITE: &str = "SELECT kind, term, part, total, entries FROM catalog_postings \
     WHERE edition = $1 AND kind = $2 AND term = $3 AND part < $4 ORDER BY part";
const PARTS_POSTGRES: &str = "SELECT kind, term, part, total, entries FROM catalog_postings \
     WHERE edition = $1 AND kind = $2 AND term = ANY($3) AND part < $4 ORDER BY term, part";
const DELETE_PRODUCTS: &str = "DELETE FROM catalog_products WHERE edition = $1 AND place IN (SELECT r.place FROM catalog_products r WHERE r.edition = $1 LIMIT CAST($2 AS BIGINT))";
const DELETE_GTINS: &str = "DELETE FROM catalog_gtins WHERE edition = $1 AND gtin IN (SELECT r.gtin FROM catalog_gtins r WHERE r.edition = $1 LIMIT CAST($2 AS BIGINT))";
const DELETE_WORDS: &str = "DELETE FROM catalog_words WHERE edition = $1 AND place IN (SELECT r.place FROM catalog_words r WHERE r.edition = $1 LIMIT CAST($2 AS BIGINT))";
const DELETE_POSTINGS: &str = "DELETE FROM catalog_postings WHERE edition = $1 AND kind = $2 AND term IN \
     (SELECT r.term FROM catalog_postings r WHERE r.edition = $1 AND r.kind = $2 LIMIT CAST($3 AS BIGINT))";

/// Adds products to an edition.
pub async fn insert_products(conn: &mut Conn, edition: i64, rows: &[ProductRow]) -> DbResult<()> {
    match conn {
        Conn::Sqlite(conn) => {
            for row in rows {
                conn.execute(INSERT_PRODUCT, &[&edition, &row.place, &row.content])?;
            }
        }
        Conn::Postgres(conn) => {
            let places: Vec<i64> = rows.iter().map(|row| row.place).collect();
            let contents: Vec<&str> = rows.iter().map(|row| row.content.as_str()).collect();
            let insert = sqlx::query(INSERT_PRODUCTS_POSTGRES).bind(edition);
            let insert = insert.bind(places).bind(contents);
            insert.execute(&mut **conn).await?;
        }
    }
    Ok(())
}

/// Adds GTIN to an edition; quickest in their order.
pub async fn insert_gtins(conn: &mut Conn, edition: i64, rows: &[GtinRow]) -> DbResult<()> {
    match conn {
        Conn::Sqlite(conn) => {
            for row in rows {
                let binds: [&dyn rusqlite::ToSql; 4] =
                    [&edition, &row.gtin, &row.place, &row.digest];
                conn.execute(INSERT_GTIN, &binds)?;
            }
        }
        Conn::Postgres(conn) => {
            let column = |of: fn(&GtinRow) -> i64| rows.iter().map(of).collect::<Vec<i64>>();
            let insert = sqlx::query(INSERT_GTINS_POSTGRES).bind(edition);
            let insert = insert.bind(column(|row| row.gtin));
            let insert = insert.bind(column(|row| row.place));
            let insert = insert.bind(column(|row| row.digest));
            insert.execute(&mut **conn).await?;
        }
    }
    Ok(())
}

/// Adds words to an edition.
pub async fn insert_words(conn: &mut Conn, edition: i64, rows: &[WordRow]) -> DbResult<()> {
    match conn {
        Conn::Sqlite(conn) => {
            for row in rows {
                conn.execute(INSERT_WORD, &[&edition, &row.place, &row.word])?;
            }
        }
        Conn::Postgres(conn) => {
            let places: Vec<i64> = rows.iter().map(|row| row.place).collect();
            let words: Vec<&str> = rows.iter().map(|row| row.word.as_str()).collect();
            let insert = sqlx::query(INSERT_WORDS_POSTGRES).bind(edition);
            let insert = insert.bind(places).bind(words);
            insert.execute(&mut **conn).await?;
        }
    }
    Ok(())
}

/// Adds postings to an edition; quickest in the order of their terms.
pub async fn insert_postings(conn: &mut Conn, edition: i64, rows: &[PostingRow]) -> DbResult<()> {
    match conn {
        Conn::Sqlite(conn) => {
            for row in rows {
                let binds: [&dyn rusqlite::ToSql; 6] = [
                    &edition,
                    &row.kind,
                    &row.term,
                    &row.part,
                    &row.total,
                    &row.entries,
                ];
                conn.execute(INSERT_POSTING, &binds)?;
            }
        }
        Conn::Postgres(conn) => {
            let kinds: Vec<&str> = rows.iter().map(|row| row.kind.as_str()).collect();
            let terms: Vec<&str> = rows.iter().map(|row| row.term.as_str()).collect();
            let parts: Vec<i64> = rows.iter().map(|row| row.part).collect();
            let totals: Vec<i64> = rows.iter().map(|row| row.total).collect();
            let entries: Vec<&[u8]> = rows.iter().map(|row| row.entries.as_slice()).collect();
            let insert = sqlx::query(INSERT_POSTINGS_POSTGRES).bind(edition);
            let insert = insert.bind(kinds).bind(terms).bind(parts);
            let insert = insert.bind(totals).bind(entries);
            insert.execute(&mut **conn).await?;
        }
    }
    Ok(())
}

/// The product of a GTIN-14.
pub async fn by_gtin(conn: &mut Conn, edition: i64, gtin: i64) -> DbResult<Option<ProductRow>> {
    fetch_optional!(conn, ProductRow, BY_GTIN, edition, gtin)
}

/// GTIN after one, in order.
pub async fn page_of_gtins(
    conn: &mut Conn,
    edition: i64,
    after: i64,
    limit: i64,
) -> DbResult<Vec<GtinRow>> {
    fetch_all!(conn, GtinRow, PAGE_OF_GTINS, edition, after, limit)
}

/// The products of these places, in any order.
pub async fn products(conn: &mut Conn, edition: i64, places: &[i64]) -> DbResult<Vec<ProductRow>> {
    match conn {
        Conn::Sqlite(conn) => {
            let mut found = Vec::with_capacity(places.len());
            for place in places {
                found.extend(conn.first(GET_PRODUCT_SQLITE, &[&edition, place])?);
            }
            Ok(found)
        }
        Conn::Postgres(conn) => {
            let asked = sqlx::query_as(GET_PRODUCTS_POSTGRES).bind(edition);
            asked.bind(places).fetch_all(&mut **conn).await
        }
    }
}

/// The words of these places, in any order.
pub async fn words(conn: &mut Conn, edition: i64, places: &[i64]) -> DbResult<Vec<WordRow>> {
    match conn {
        Conn::Sqlite(conn) => {
            let mut found = Vec::with_capacity(places.len());
            for place in places {
                found.extend(conn.first(GET_WORD_SQLITE, &[&edition, place])?);
            }
            Ok(found)
        }
        Conn::Postgres(conn) => {
            let asked = sqlx::query_as(GET_WORDS_POSTGRES).bind(edition);
            asked.bind(places).fetch_all(&mut **conn).await
        }
    }
}

/// The first parts of the postings of some terms, those of a term together and
/// in order.
pub async fn parts(
    conn: &mut Conn,
    edition: i64,
    kind: TermKind,
    terms: &[&str],
    most: i64,
) -> DbResult<Vec<PostingRow>> {
    match conn {
        Conn::Sqlite(conn) => {
            let mut found = Vec::new();
            for term in terms {
                // What is bound must be gone before the wait.
                let rows = conn.all(PARTS_SQLITE, &[&edition, &kind, term, &most]);
                found.extend(rows.await?);
            }
            Ok(found)
        }
        Conn::Postgres(conn) => {
            let asked = sqlx::query_as(PARTS_POSTGRES).bind(edition).bind(kind);
            asked.bind(terms).bind(most).fetch_all(&mut **conn).await
        }
    }
}

/// Deletes some rows of an edition from each of the tables; how many.
pub async fn delete(conn: &mut Conn, edition: i64, limit: i64) -> DbResult<u64> {
    let mut deleted = execute!(&mut *conn, DELETE_PRODUCTS, edition, limit)?;
    deleted += execute!(&mut *conn, DELETE_GTINS, edition, limit)?;
    deleted += execute!(&mut *conn, DELETE_WORDS, edition, limit)?;
    for kind in TermKind::ALL {
        deleted += execute!(&mut *conn, DELETE_POSTINGS, edition, *kind, limit)?;
    }
    Ok(deleted)
}
