//! Table `packed_certificates`: certificates that packed records name, each of them once.
//! Signed documents of a company carry the same one for a year, and those of an authority, too.

use crate::{
    Conn, DbResult, Present as _, Readable as _, execute, fetch_optional, row, unreadable,
};
use packing::Certificate;

row! {
    struct CertificateRow {
        bytes: Vec<u8>,
    }
}

const INSERT: &str =
    "INSERT INTO packed_certificates (id, bytes) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const GET: &str = "SELECT bytes FROM packed_certificates WHERE id = $1";

/// As errors say it.
const KEPT: &str = "certificate of a packed record";

/// Keeps what is not kept yet. None is ever removed: records of any document may name it.
///
/// # Errors
/// The database failed, or has other bytes under the name of one.
pub async fn keep(conn: &mut Conn, certificates: &[Certificate]) -> DbResult<()> {
    // In one order, so that two nodes do not wait for each other crosswise.
    let mut all: Vec<&Certificate> = certificates.iter().collect();
    all.sort_by_key(|one| one.id());
    for one in all {
        let bytes = one.bytes().to_vec();
        if execute!(&mut *conn, INSERT, one.id().0.to_vec(), bytes)? == 0 {
            same(conn, one).await?;
        }
    }
    Ok(())
}

/// Looks whether those that are kept already are the same: a text whose certificate is taken
/// out for a row that was damaged would be lost.
///
/// # Errors
/// The database failed, or has other bytes under the name of one.
pub(super) async fn all_same(conn: &mut Conn, certificates: &[Certificate]) -> DbResult<()> {
    for one in certificates {
        same(conn, one).await?;
    }
    Ok(())
}

async fn same(conn: &mut Conn, one: &Certificate) -> DbResult<()> {
    let row = fetch_optional!(conn, CertificateRow, GET, one.id().0.to_vec())?;
    match row {
        Some(row) if row.bytes != one.bytes() => Err(unreadable(KEPT, &shown(one))),
        _ => Ok(()),
    }
}

/// Its name, as hex.
fn shown(one: &Certificate) -> String {
    let name = one.id().0;
    name.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Those that the bytes of a record name.
///
/// # Errors
/// It is no record, or one of them is not there.
pub(super) async fn of(
    conn: &mut Conn,
    record: &[u8],
    subject: &str,
) -> DbResult<Vec<Certificate>> {
    let named = packing::certificates_of(record).readable("packed record", subject)?;
    let mut found = Vec::with_capacity(named.len());
    for id in named {
        let row = fetch_optional!(conn, CertificateRow, GET, id.0.to_vec())?;
        let row = row.present(KEPT, subject)?;
        found.push(Certificate::new(row.bytes));
    }
    Ok(found)
}
