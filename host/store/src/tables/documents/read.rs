//! The rows of a page, by their ids, and what every document of a list fulfils.

use super::{Asked, Text};
use crate::ids::AccountId;
use crate::tables::folding::{has, in_name, near};
use crate::tables::notas::NotaRow;
use crate::{Conn, DbResult, fetch_all, fetch_value};
use serde_json::json;
use std::collections::HashMap;

// By the primary key alone: the conditions are written so that no other index answers them.
// Where the name is not folded in the row (`busca` is empty, its note is packed), the pattern
// takes more than what is looked for, and the rows are looked at again ([`fits`]).
const FITTING_SQLITE: &str = "SELECT n.* FROM json_each($16) x CROSS JOIN notas n ON n.id = x.value \
     WHERE n.account_id || '' = $1 AND n.created_at_ms + 0 >= $6 AND n.created_at_ms + 0 < $7 \
     AND ',' || $2 || ',' NOT LIKE '%,' || n.ambiente || ',%' AND (n.status <> 'nao_enviada' OR ',' || $4 || ',' LIKE '%,nao_enviada,%') \
     AND ($3 = '' OR ',' || $3 || ',' LIKE '%,' || n.modelo || ',%') AND ($4 = '' OR ',' || $4 || ',' LIKE '%,' || n.status || ',%') \
     AND ($5 = '' OR n.emitter_id = $5) AND ($8 = '' OR n.chave = $8) AND ($9 = '' OR n.serie = $9) AND ($10 = 0 OR n.numero = $10 OR n.numero_nfse = $11) \
     AND ($12 = '' OR n.tomador_documento = $12) AND ($13 = '' OR n.busca LIKE $13 ESCAPE '\\' OR (n.busca = '' AND n.tomador_nome LIKE $25 ESCAPE '\\')) AND n.valor_centavos + 0 >= $14 AND ($15 = 0 OR n.valor_centavos <= $15) \
     AND ($17 = '' OR n.tomador_documento = $17 OR n.emitter_id IN (SELECT e.id FROM emitters e WHERE e.account_id = $1 AND e.cnpj = $17)) \
     AND ($18 = '' OR (n.chave = $19 AND $19 <> '') OR (n.numero = $20 AND $20 > 0) OR ($21 <> '' AND (n.numero_nfse = $21 OR n.referencia = $21)) \
     OR (n.tomador_documento = $22 AND $22 <> '') OR n.valor_centavos = $23 OR (n.busca LIKE $24 ESCAPE '\\' AND $24 <> '') \
     OR (n.busca = '' AND $26 <> '' AND (n.tomador_nome LIKE $26 ESCAPE '\\' OR n.referencia LIKE $26 ESCAPE '\\')))";
const FITTING_POSTGRES: &str = "SELECT n.* FROM notas n WHERE n.id = ANY(ARRAY(SELECT jsonb_array_elements_text(CAST($16 AS jsonb)))) \
     AND n.account_id || '' = $1 AND n.created_at_ms + 0 >= $6 AND n.created_at_ms + 0 < $7 \
     AND ',' || $2 || ',' NOT LIKE '%,' || n.ambiente || ',%' AND (n.status <> 'nao_enviada' OR ',' || $4 || ',' LIKE '%,nao_enviada,%') \
     AND ($3 = '' OR ',' || $3 || ',' LIKE '%,' || n.modelo || ',%') AND ($4 = '' OR ',' || $4 || ',' LIKE '%,' || n.status || ',%') \
     AND ($5 = '' OR n.emitter_id = $5) AND ($8 = '' OR n.chave = $8) AND ($9 = '' OR n.serie = $9) AND ($10 = 0 OR n.numero = $10 OR n.numero_nfse = $11) \
     AND ($12 = '' OR n.tomador_documento = $12) AND ($13 = '' OR n.busca LIKE $13 ESCAPE '\\' OR (n.busca = '' AND n.tomador_nome ILIKE $25 ESCAPE '\\')) AND n.valor_centavos + 0 >= $14 AND ($15 = 0 OR n.valor_centavos <= $15) \
     AND ($17 = '' OR n.tomador_documento = $17 OR n.emitter_id IN (SELECT e.id FROM emitters e WHERE e.account_id = $1 AND e.cnpj = $17)) \
     AND ($18 = '' OR (n.chave = $19 AND $19 <> '') OR (n.numero = $20 AND $20 > 0) OR ($21 <> '' AND (n.numero_nfse = $21 OR n.referencia = $21)) \
     OR (n.tomador_documento = $22 AND $22 <> '') OR n.valor_centavos = $23 OR (n.busca LIKE $24 ESCAPE '\\' AND $24 <> '') \
     OR (n.busca = '' AND $26 <> '' AND (n.tomador_nome ILIKE $26 ESCAPE '\\' OR n.referencia ILIKE $26 ESCAPE '\\')))";
const MOMENT: &str = "SELECT created_at_ms FROM notas WHERE account_id || '' = $1 AND id = $2";

/// The documents of these ids that are of the list, in the order of the ids.
pub(super) async fn fitting(
    conn: &mut Conn,
    account: &AccountId,
    asked: &Asked,
    ids: &[&str],
) -> DbResult<Vec<NotaRow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = json!(ids).to_string();
    let (sought, text) = match &asked.text {
        Some(text) => ("1", text.clone()),
        None => ("", Text::default()),
    };
    let city_number = if asked.city_number && asked.number > 0 {
        asked.number.to_string()
    } else {
        // No city's number has a line feed.
        "\n".to_owned()
    };
    let (name, part) = (in_name(&asked.name), anywhere(&text.part));
    let sql = match conn {
        Conn::Sqlite(_) => FITTING_SQLITE,
        Conn::Postgres(_) => FITTING_POSTGRES,
    };
    let rows = fetch_all!(
        conn,
        NotaRow,
        sql,
        account,
        asked.left_out,
        &asked.modelos,
        &asked.status,
        &asked.emitter_id,
        asked.from_ms,
        asked.until_ms(),
        &asked.chave,
        &asked.serie,
        asked.number,
        &city_number,
        &asked.documento,
        &name,
        asked.min_value,
        asked.max_value,
        &wanted,
        &asked.either,
        sought,
        &text.chave,
        text.number,
        &text.number_text,
        &text.documento,
        text.value,
        &part,
        near(&asked.name),
        near(&text.part)
    )?;
    let mut found: HashMap<String, NotaRow> = rows
        .into_iter()
        .filter(|row| fits(row, asked))
        .map(|row| (row.id.to_string(), row))
        .collect();
    Ok(ids.iter().filter_map(|id| found.remove(*id)).collect())
}

/// Whether its names have what is looked for, of a row that fits but for them.
fn fits(row: &NotaRow, asked: &Asked) -> bool {
    if !asked.name.is_empty() && !has(&row.tomador_nome, &asked.name) {
        return false;
    }
    let Some(text) = &asked.text else {
        return true;
    };
    let is = |column: &str, wanted: &str| !wanted.is_empty() && column == wanted;
    let has = |column: &str| !text.part.is_empty() && has(column, &text.part);
    is(&row.chave, &text.chave)
        || text.number > 0 && row.numero == text.number
        || is(&row.numero_nfse, &text.number_text)
        || is(&row.referencia, &text.number_text)
        || is(&row.tomador_documento, &text.documento)
        || row.valor_centavos == text.value
        || has(&row.tomador_nome)
        || has(&row.referencia)
}

/// When a document arrived.
pub(super) async fn moment(
    conn: &mut Conn,
    account: &AccountId,
    id: &str,
) -> DbResult<Option<i64>> {
    fetch_value!(conn, i64, MOMENT, account, id)
}

/// The pattern of a name or id that has this part; empty: none.
fn anywhere(part: &str) -> String {
    match part {
        "" => String::new(),
        part => format!("%{part}%"),
    }
}
