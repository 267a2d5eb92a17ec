//! Notes of a batch that say the same as a note that another batch of the
//! account issued: somebody may have sent a corrected file as a whole.

use super::batch::Fault;
use super::result::numbered;
use std::collections::BTreeMap;
use store::tables::lotes::{self, LoteEarlierRow, LoteLineRow, LoteNotaStatus, LoteRow};
use store::{Conn, DbResult};

/// A note that is ready, and one of another batch that says the same.
pub struct Repeat {
    /// First line of the note in its file.
    pub line: i64,
    pub cents: i64,
    pub earlier: LoteEarlierRow,
}

/// The notes of a batch that are ready and equal to those of other batches, in
/// the order of the file. Each note of another batch stands for one of this:
/// of two equal notes of a file both are new, or the second is, where only one
/// was issued.
///
/// # Errors
/// The database failed.
pub async fn find(
    conn: &mut Conn,
    batch: &LoteRow,
    lines: &[LoteLineRow],
) -> DbResult<Vec<Repeat>> {
    let mut asked: BTreeMap<&str, i64> = BTreeMap::new();
    for line in lines.iter().filter(|line| is_asked(line)) {
        *asked.entry(line.digest.as_str()).or_default() += 1;
    }
    let mut known: BTreeMap<&str, Vec<LoteEarlierRow>> = BTreeMap::new();
    for (digest, count) in asked {
        let mut rows = lotes::earlier(conn, &batch.account_id, digest, &batch.id, count).await?;
        // The first ones are taken first.
        rows.reverse();
        known.insert(digest, rows);
    }
    let mut repeats = Vec::new();
    for line in lines.iter().filter(|line| is_asked(line)) {
        let of_digest = known.get_mut(line.digest.as_str());
        if let Some(earlier) = of_digest.and_then(Vec::pop) {
            repeats.push(Repeat {
                line: line.linha,
                cents: line.valor_centavos,
                earlier,
            });
        }
    }
    Ok(repeats)
}

fn is_asked(line: &LoteLineRow) -> bool {
    line.status == LoteNotaStatus::Ready && !line.digest.is_empty()
}

/// Leaves those notes out of the batch, each with why; how many.
///
/// # Errors
/// The database failed.
pub async fn leave_out(conn: &mut Conn, batch: &LoteRow, lines: &[LoteLineRow]) -> DbResult<usize> {
    let repeats = find(conn, batch, lines).await?;
    for repeat in &repeats {
        let fault = Fault {
            line: repeat.line,
            column: String::new(),
            sentence: format!("Não foi emitida: é igual à {}.", name(&repeat.earlier)),
        };
        // Text and a number always make JSON.
        let why = serde_json::to_string(&[fault]).unwrap_or_default();
        let equal = &repeat.earlier.nota_id;
        lotes::leave_out(conn, &batch.id, repeat.line, equal, &why).await?;
    }
    Ok(repeats.len())
}

/// What people know a note of another batch by: its number, or its line.
pub fn name(earlier: &LoteEarlierRow) -> String {
    let number = numbered(&earlier.numero_nfse, earlier.numero);
    if number.is_empty() {
        format!("linha {} de outro lote", earlier.linha)
    } else {
        format!("nota {number}, de outro lote")
    }
}
