//! What the hub adds up of rows while it writes them, for rows that were written past it:
//! usage by day, and the names of other parties (`hub load fill`).

use super::rows::{Named, Placed};
use super::schema::Table;
use crate::ids::{RequestId, TransferId};
use crate::tables::notas::NotaRow;
use crate::tables::{parties, usage};
use crate::{Conn, DbResult};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Names that were taken already, so that the database is not asked for each note again.
#[derive(Default)]
pub struct Names(HashSet<u64>);

impl Names {
    fn is_new(&mut self, nota: &NotaRow) -> bool {
        let mut hasher = DefaultHasher::new();
        let NotaRow {
            account_id,
            tomador_documento: documento,
            tomador_nome: name,
            ..
        } = nota;
        (account_id.as_str(), documento, name).hash(&mut hasher);
        self.0.insert(hasher.finish())
    }
}

/// Calls, transfers and names of some rows.
#[derive(Default)]
pub struct Sums {
    calls: Vec<RequestId>,
    transfers: Vec<TransferId>,
    names: Vec<NotaRow>,
}

impl Sums {
    /// # Errors
    /// A row holds what its table cannot have.
    pub fn of<'r>(
        tables: &[Table],
        rows: impl Iterator<Item = &'r Placed>,
        known: &mut Names,
    ) -> DbResult<Sums> {
        let mut sums = Sums::default();
        for placed in rows {
            let row = Named::of(tables, placed)?;
            match row.table.name.as_str() {
                "requests" => sums.calls.push(RequestId::from(row.text("id")?)),
                "transfers" => sums.transfers.push(TransferId::from(row.text("id")?)),
                "notas" => {
                    let nota: NotaRow = row.read()?;
                    if known.is_new(&nota) {
                        sums.names.push(nota);
                    }
                }
                _ => {}
            }
        }
        Ok(sums)
    }

    /// Adds them, once, in the transaction that wrote the rows.
    ///
    /// # Errors
    /// The database fails.
    pub async fn add(&self, conn: &mut Conn) -> DbResult<()> {
        let calls: Vec<&RequestId> = self.calls.iter().collect();
        usage::count(conn, &calls).await?;
        let transfers: Vec<&TransferId> = self.transfers.iter().collect();
        usage::count_credits(conn, &transfers).await?;
        for nota in &self.names {
            parties::know(
                conn,
                &nota.account_id,
                &nota.tomador_documento,
                &nota.tomador_nome,
                nota.created_at_ms,
            )
            .await?;
        }
        Ok(())
    }
}
