//! Table `parties`: whom an account's notes were made out to, a row for each name that a CPF
//! or CNPJ was given. A part of a name is looked for here, among the names of the account, by
//! its letters in threes (FTS5 on SQLite, an index of numbers on PostgreSQL); the notes are then those
//! of the CPF or CNPJ.
//!
//! Names are folded once, in [`super::folding`], so that both engines find the same.

use super::folding::folded;
use crate::ids::AccountId;
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

/// Names that a part may have and still be looked for by them; a part that more names have is
/// in so many notes that the newest of them are near. Each costs some 5 µs on SQLite: it is read
/// here, and its newest notes are looked for (docs/decisions/0019).
const MOST: usize = 1_024;

/// Pieces of three letters that FTS5 is asked for. It goes through all there is of each, in
/// names of all accounts, and few of the rarest say nearly what all of them say.
const PIECES: usize = 4;

/// First moment an id can tell, 2020-01-01, epoch milliseconds.
const EPOCH_MS: i64 = 1_577_836_800_000;

row! {
    /// A CPF or CNPJ whose name has a part.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(super) struct Named {
        pub documento: String,
    }
}

row! {
    /// A note that names somebody.
    struct Old {
        id: String,
        account_id: AccountId,
        tomador_documento: String,
        tomador_nome: String,
        created_at_ms: i64,
    }
}

// An id that another name of the same moment has is counted up.
const INSERT: &str = "INSERT INTO parties (id, account_id, documento, name) \
     VALUES ($1 + (SELECT COUNT(*) FROM parties p WHERE p.id = $1), $2, $3, $4) ON CONFLICT DO NOTHING";
// The sign of the account is that of the trigger which writes `party_words`.
const WITH_PART_SQLITE: &str = "SELECT DISTINCT p.documento FROM party_words w CROSS JOIN parties p ON p.id = w.rowid \
     WHERE w.party_words MATCH $2 || ' AND \"' || char( \
     983040 + unicode(substr('......' || $1, -1, 1)) % 128 * 128 + unicode(substr('......' || $1, -2, 1)) % 128, \
     983040 + unicode(substr('......' || $1, -3, 1)) % 128 * 128 + unicode(substr('......' || $1, -4, 1)) % 128, \
     983040 + unicode(substr('......' || $1, -5, 1)) % 128 * 128 + unicode(substr('......' || $1, -6, 1)) % 128) || '\"' \
     AND p.account_id = $1 AND p.name LIKE '' || $3 ESCAPE '\\' LIMIT CAST($4 AS BIGINT)";
// Names that have the letters, not all of them the part.
const WITH_PIECES_SQLITE: &str = "SELECT COUNT(*) FROM (SELECT 1 FROM party_words w WHERE w.party_words MATCH $2 || ' AND \"' || char( \
     983040 + unicode(substr('......' || $1, -1, 1)) % 128 * 128 + unicode(substr('......' || $1, -2, 1)) % 128, \
     983040 + unicode(substr('......' || $1, -3, 1)) % 128 * 128 + unicode(substr('......' || $1, -4, 1)) % 128, \
     983040 + unicode(substr('......' || $1, -5, 1)) % 128 * 128 + unicode(substr('......' || $1, -6, 1)) % 128) || '\"' LIMIT CAST($3 AS BIGINT))";
// The index has each piece with the account's sign. With the account as it stands in `parties_name` the server would read
// all names of the account besides.
const WITH_PART_POSTGRES: &str = "SELECT p.documento FROM parties p WHERE p.account_id || '' = $1 \
     AND name_pieces(p.account_id, p.name) @> name_pieces($1, $2) AND p.name LIKE $3 ESCAPE '\\' LIMIT $4";
// Of fewer than three letters.
const WITH_PART: &str = "SELECT DISTINCT p.documento FROM parties p WHERE p.account_id = $1 AND p.name LIKE $2 ESCAPE '\\' LIMIT CAST($3 AS BIGINT)";
const FILLED: &str = "SELECT done FROM party_fill WHERE id = 1";
const AFTER: &str = "SELECT after FROM party_fill WHERE id = 1 AND done = 0";
const OLD: &str = "SELECT id, account_id, tomador_documento, tomador_nome, created_at_ms FROM notas WHERE id > $1 ORDER BY id LIMIT CAST($2 AS BIGINT)";
const MOVE: &str = "UPDATE party_fill SET after = $2, done = CASE WHEN $3 = 1 THEN 1 ELSE done END WHERE id = 1 AND after = $1";

/// The name that a note gives a CPF or CNPJ is known from now on.
pub(crate) async fn know(
    conn: &mut Conn,
    account: &AccountId,
    documento: &str,
    name: &str,
    at_ms: i64,
) -> DbResult<()> {
    let name = folded(name);
    if name.is_empty() {
        return Ok(());
    }
    let id = id(at_ms, account, documento, &name);
    execute!(conn, INSERT, id, account, documento, &name)?;
    Ok(())
}

/// Ids grow with time, which keeps what is written for new names at one end of the indexes;
/// the lower bits tell names of one moment apart.
pub fn id(at_ms: i64, account: &AccountId, documento: &str, name: &str) -> i64 {
    // FNV-1a: only has to spread.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in [account.as_str(), documento, name].join("\n").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let low = i64::try_from(hash >> 42).unwrap_or(0);
    at_ms.saturating_sub(EPOCH_MS).clamp(0, (1 << 41) - 1) * (1 << 22) + low
}

/// CPF and CNPJ under which the account has a name with this part ([`super::folding::part`]), one of
/// them empty where the name came without; None: more than [`MOST`] may have it.
pub(super) async fn with_part(
    conn: &mut Conn,
    account: &AccountId,
    part: &str,
) -> DbResult<Option<Vec<Named>>> {
    let most = i64::try_from(MOST).unwrap_or(0) + 1;
    let pattern = format!("%{part}%");
    let mut found = match (matches!(conn, Conn::Sqlite(_)), pieces(part)) {
        (true, Some(pieces)) => {
            // The index alone says so: each name that is read lies in a page of its own.
            let many: Option<i64> =
                fetch_value!(conn, i64, WITH_PIECES_SQLITE, account, &pieces, most)?;
            if many >= Some(most) {
                return Ok(None);
            }
            fetch_all!(
                conn,
                Named,
                WITH_PART_SQLITE,
                account,
                &pieces,
                &pattern,
                most
            )?
        }
        (false, Some(_)) => {
            let part = plain(part);
            fetch_all!(
                conn,
                Named,
                WITH_PART_POSTGRES,
                account,
                &part,
                &pattern,
                most
            )?
        }
        (_, None) => fetch_all!(conn, Named, WITH_PART, account, &pattern, most)?,
    };
    if found.len() > MOST {
        return Ok(None);
    }
    // Several names of one CPF or CNPJ.
    found.sort_unstable_by(|one, other| one.documento.cmp(&other.documento));
    found.dedup();
    Ok(Some(found))
}

/// Letters of a part in threes, as FTS5 is asked for all of them: the rarest ones, as the name is
/// held against the whole part anyway. None: it has fewer than three letters.
pub fn pieces(part: &str) -> Option<String> {
    if part.contains('\0') {
        // FTS5 would read no further.
        return None;
    }
    let letters: Vec<char> = plain(part).chars().collect();
    let mut all: Vec<&[char]> = Vec::new();
    for piece in letters.windows(3) {
        if !all.contains(&piece) {
            all.push(piece);
        }
    }
    let weight = |piece: &&[char]| piece.iter().map(|letter| weight_of(*letter)).sum::<u32>();
    // Stable: of equally rare ones the first.
    all.sort_by_key(weight);
    let quoted = all.into_iter().take(PIECES).map(|piece| {
        let piece: String = piece.iter().collect();
        format!("\"{}\"", piece.replace('"', "\"\""))
    });
    let all = quoted.collect::<Vec<_>>().join(" AND ");
    (!all.is_empty()).then_some(all)
}

/// The letters of a part: it is a piece of a pattern, and what is escaped there stands for itself.
pub(super) fn plain(part: &str) -> String {
    let mut letters = String::with_capacity(part.len());
    let mut signs = part.chars();
    while let Some(sign) = signs.next() {
        letters.extend(if sign == '\\' {
            signs.next()
        } else {
            Some(sign)
        });
    }
    letters
}

/// How common a sign is in Portuguese names, roughly: one step is twice as often. A wrong
/// guess costs time, never a name.
fn weight_of(sign: char) -> u32 {
    match sign {
        'a' | 'e' | 'o' | ' ' => 5,
        's' | 'r' | 'i' | 'n' | 'd' | 'm' | 'u' => 4,
        't' | 'c' | 'l' | 'p' => 3,
        'v' | 'g' | 'h' | 'q' => 2,
        'b' | 'f' => 1,
        _ => 0,
    }
}

/// Whether the names of all notes are here.
pub(super) async fn filled(conn: &mut Conn) -> DbResult<bool> {
    // A store that began with this table has no row.
    Ok(fetch_value!(conn, i64, FILLED)? != Some(0))
}

/// Takes the names of some notes of before this table; true when there are no more. Each call
/// is a short transaction, and what it did is not done again after a stop.
pub async fn fill(conn: &mut Conn, limit: i64) -> DbResult<bool> {
    let Some(after) = fetch_optional!(conn, After, AFTER)? else {
        return Ok(true);
    };
    let notas = fetch_all!(conn, Old, OLD, &after.after, limit)?;
    let last = notas.last().map_or(&after.after, |nota| &nota.id);
    for nota in &notas {
        know(
            conn,
            &nota.account_id,
            &nota.tomador_documento,
            &nota.tomador_nome,
            nota.created_at_ms,
        )
        .await?;
    }
    let over = notas.is_empty();
    execute!(conn, MOVE, &after.after, last, i64::from(over))?;
    Ok(over)
}

row! {
    struct After {
        after: String,
    }
}
