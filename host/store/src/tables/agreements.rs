//! Table `municipal_agreements`: which municipalities have an agreement with the
//! national system of service notes, as its service of parameters last told.

use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, row};

row! {
    /// What the service told of a municipality.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct AgreementRow {
        /// IBGE code, seven digits.
        pub codigo_ibge: String,
        pub at_ms: i64,
        /// 1: its notes are in the national environment.
        pub ambiente_nacional: i64,
        /// 1: its companies may use the national issuer.
        pub emissor_nacional: i64,
    }
}

const KEEP: &str = "INSERT INTO municipal_agreements (codigo_ibge, at_ms, ambiente_nacional, emissor_nacional) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (codigo_ibge) DO UPDATE SET at_ms = excluded.at_ms, ambiente_nacional = excluded.ambiente_nacional, \
     emissor_nacional = excluded.emissor_nacional WHERE excluded.at_ms >= municipal_agreements.at_ms";
const GET: &str = "SELECT * FROM municipal_agreements WHERE codigo_ibge = $1";
// One row a municipality at most: there are 5,571.
const ALL: &str = "SELECT * FROM municipal_agreements";

/// Keeps what was told, unless something newer is there.
pub async fn keep(conn: &mut Conn, row: &AgreementRow) -> DbResult<()> {
    execute!(
        conn,
        KEEP,
        &row.codigo_ibge,
        row.at_ms,
        row.ambiente_nacional,
        row.emissor_nacional
    )?;
    Ok(())
}

/// What was told of a municipality. None: nobody asked.
pub async fn get(conn: &mut Conn, codigo_ibge: &str) -> DbResult<Option<AgreementRow>> {
    fetch_optional!(conn, AgreementRow, GET, codigo_ibge)
}

/// What was told of every municipality that somebody asked about.
pub async fn all(conn: &mut Conn) -> DbResult<Vec<AgreementRow>> {
    fetch_all!(conn, AgreementRow, ALL)
}
