//! Table `streets`: streets of an imported edition.

use crate::{Conn, DbResult, execute, fetch_all, row};

row! {
    /// A street, or the part of it that has a CEP.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct StreetRow {
        /// Eight digits, as a number.
        pub cep: i64,
        /// Among those of its CEP.
        pub place: i64,
        /// IBGE code.
        pub municipality: i64,
        /// Folded; empty: of a town or district.
        pub name: String,
        /// JSON.
        pub content: String,
        /// Addresses that were counted there.
        pub addresses: i64,
        /// Millionths of a degree.
        pub latitude: Option<i64>,
        pub longitude: Option<i64>,
        /// Square of the map.
        pub cell: Option<i64>,
    }
}

const INSERT_STREET_SQLITE: &str = "INSERT INTO streets (edition, cep, place, municipality, name, content, addresses, latitude, longitude, cell) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
const INSERT_STREETS_POSTGRES: &str = "INSERT INTO streets (edition, cep, place, municipality, name, content, addresses, latitude, longitude, cell) \
     SELECT $1::bigint, r.* FROM UNNEST($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[]) \
     AS r (cep, place, municipality, name, content, addresses, latitude, longitude, cell)";
const OF_CEP: &str = "SELECT cep, place, municipality, name, content, addresses, latitude, longitude, cell FROM streets \
     WHERE edition = $1 AND cep = $2 ORDER BY place LIMIT CAST($3 AS BIGINT)";
const CALLED: &str = "SELECT cep, place, municipality, name, content, addresses, latitude, longitude, cell FROM streets \
     WHERE edition = $1 AND municipality = $2 AND name = $3 LIMIT CAST($4 AS BIGINT)";
// The inner statement reads the index alone.
const WITH_PART: &str = "SELECT s.cep, s.place, s.municipality, s.name, s.content, s.addresses, s.latitude, s.longitude, s.cell \
     FROM (SELECT cep, place FROM streets WHERE edition = $1 AND municipality = $2 AND name LIKE $3 LIMIT CAST($4 AS BIGINT)) x \
     JOIN streets s ON s.edition = $1 AND s.cep = x.cep AND s.place = x.place";
const IN_CELLS: &str = "SELECT cep, place, municipality, name, content, addresses, latitude, longitude, cell FROM streets \
     WHERE edition = $1 AND cell IS NOT NULL AND cell >= $2 AND cell <= $3 LIMIT CAST($4 AS BIGINT)";
const DELETE_STREETS: &str = "DELETE FROM streets WHERE edition = $1 AND cep IN (SELECT r.cep FROM streets r WHERE r.edition = $1 LIMIT CAST($2 AS BIGINT))";

/// Adds streets to an edition; quickest in the order of their CEP.
pub async fn insert(conn: &mut Conn, edition: i64, rows: &[StreetRow]) -> DbResult<()> {
    match conn {
        Conn::Sqlite(conn) => {
            for row in rows {
                let binds: [&dyn rusqlite::ToSql; 10] = [
                    &edition,
                    &row.cep,
                    &row.place,
                    &row.municipality,
                    &row.name,
                    &row.content,
                    &row.addresses,
                    &row.latitude,
                    &row.longitude,
                    &row.cell,
                ];
                conn.execute(INSERT_STREET_SQLITE, &binds)?;
            }
        }
        Conn::Postgres(conn) => {
            let numbers = |of: fn(&StreetRow) -> i64| rows.iter().map(of).collect::<Vec<i64>>();
            let texts = |of: fn(&StreetRow) -> String| rows.iter().map(of).collect::<Vec<String>>();
            let known = |of: fn(&StreetRow) -> Option<i64>| {
                rows.iter().map(of).collect::<Vec<Option<i64>>>()
            };
            let insert = sqlx::query(INSERT_STREETS_POSTGRES).bind(edition);
            let insert = insert.bind(numbers(|row| row.cep));
            let insert = insert.bind(numbers(|row| row.place));
            let insert = insert.bind(numbers(|row| row.municipality));
            let insert = insert.bind(texts(|row| row.name.clone()));
            let insert = insert.bind(texts(|row| row.content.clone()));
            let insert = insert.bind(numbers(|row| row.addresses));
            let insert = insert.bind(known(|row| row.latitude));
            let insert = insert.bind(known(|row| row.longitude));
            let insert = insert.bind(known(|row| row.cell));
            insert.execute(&mut **conn).await?;
        }
    }
    Ok(())
}

/// Streets of a CEP, in their order.
pub async fn of_cep(
    conn: &mut Conn,
    edition: i64,
    cep: i64,
    limit: i64,
) -> DbResult<Vec<StreetRow>> {
    fetch_all!(conn, StreetRow, OF_CEP, edition, cep, limit)
}

/// Streets of a municipality with this folded name.
pub async fn called(
    conn: &mut Conn,
    edition: i64,
    municipality: i64,
    name: &str,
    limit: i64,
) -> DbResult<Vec<StreetRow>> {
    fetch_all!(conn, StreetRow, CALLED, edition, municipality, name, limit)
}

/// Streets of a municipality whose folded names match a pattern of `LIKE`. It
/// reads the names of all streets of the municipality: ask it of a connection
/// that may walk many rows.
pub async fn with_part(
    conn: &mut Conn,
    edition: i64,
    municipality: i64,
    pattern: &str,
    limit: i64,
) -> DbResult<Vec<StreetRow>> {
    fetch_all!(
        conn,
        StreetRow,
        WITH_PART,
        edition,
        municipality,
        pattern,
        limit
    )
}

/// Streets in neighbouring squares of the map.
pub async fn in_cells(
    conn: &mut Conn,
    edition: i64,
    first: i64,
    last: i64,
    limit: i64,
) -> DbResult<Vec<StreetRow>> {
    fetch_all!(conn, StreetRow, IN_CELLS, edition, first, last, limit)
}

/// Deletes some rows of an edition; how many.
pub async fn delete(conn: &mut Conn, edition: i64, limit: i64) -> DbResult<u64> {
    execute!(conn, DELETE_STREETS, edition, limit)
}
