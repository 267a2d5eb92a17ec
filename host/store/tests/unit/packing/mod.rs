//! Documents whose texts are in records are read as before.

mod answers;
mod rows;

use answers::{NOTHING, all};
use packing::{Certificate, Dictionaries, Layout};
use rows::{LETTER, MADE_MS, OLD, PRODUCT, REFUSED, SUBJECTS, VOIDED, account, pack, store};
use std::collections::BTreeSet;
use std::path::Path;
use store::copy::{bulk, packed as copied};
use store::ids::OutboxId;
use store::tables::eventos::{self, EventoStatus};
use store::tables::notas;
use store::tables::outbox::{self, OutboxRow};
use store::tables::packed::{self, PackedRow};
use store::tables::packed_certificates;
use store::tables::packs;
use store::tables::texts::{Fate, divided, fate, is_journal, joined, stays};
use store::{Conn, DbResult};
use tempfile::TempDir;

/// Bytes of the columns that are in records, of all notes.
const NOTES: &str = "SELECT SUM(length(conteudo || context || answer || detalhes || valores || url_consulta || request_id \
     || autorizada_em || municipio || valor || protocolo || rejeicao)) FROM notas";
const EVENTS: &str = "SELECT SUM(length(conteudo || context || answer || protocolo)) FROM eventos";
/// Service notes whose month and system are in their rows, and product notes where they are not.
const DATED: &str =
    "SELECT COUNT(*) FROM notas WHERE (competencia <> '' AND sistema <> '') <> (modelo <> 'nfse')";
const FOLDED: &str = "SELECT COUNT(*) FROM notas WHERE busca <> ''";
const STAYS: &str = "SELECT COUNT(*) FROM eventos WHERE detalhes <> '' OR resultado <> ''";
const FORMS: &str = "SELECT COUNT(*) FROM notas WHERE packed = 2";

fn number(folder: &TempDir, sql: &str) -> i64 {
    let own = rusqlite::Connection::open(folder.path().join("hub.db")).expect("database");
    own.query_row(sql, [], |row| row.get(0)).expect("a number")
}

fn run(folder: &Path, sql: &str) {
    let own = rusqlite::Connection::open(folder.join("hub.db")).expect("database");
    own.execute_batch(sql).expect("written");
}

#[tokio::test]
async fn every_function_gives_the_same_rows_once_they_are_packed() {
    let (folder, mut conn) = store().await;
    let before = all(&mut conn).await;
    for (what, rows) in &before {
        assert_eq!(rows.is_empty(), NOTHING.contains(what), "{what}: {rows:?}");
    }
    pack(&mut conn).await;
    assert_eq!(number(&folder, NOTES), 0);
    assert_eq!(number(&folder, EVENTS), 0);
    assert_eq!(number(&folder, DATED), 0);
    // The name whose small letters are more than it has.
    assert_eq!(number(&folder, FOLDED), 1);
    // The voided range and the refused letter: statements look at them.
    assert_eq!(number(&folder, STAYS), 2);
    for (before, after) in before.iter().zip(all(&mut conn).await) {
        assert_eq!(*before, after);
    }
}

#[tokio::test]
async fn what_is_saved_again_is_in_its_row_and_is_packed_again() {
    let (folder, mut conn) = store().await;
    pack(&mut conn).await;
    let mut nota = notas::lock(&mut conn, &OLD.into())
        .await
        .expect("read")
        .expect("note");
    nota.detalhes = "other details".to_owned();
    nota.updated_at_ms += 1;
    notas::save(&mut conn, &nota).await.expect("saved");
    let mut evento = eventos::by_id(&mut conn, &VOIDED.into())
        .await
        .expect("read")
        .expect("event");
    evento.resultado = "another result".to_owned();
    eventos::save(&mut conn, &evento).await.expect("saved");
    let mut letter = eventos::by_id(&mut conn, &LETTER.into())
        .await
        .expect("read")
        .expect("event");
    letter.status = EventoStatus::Rejected;
    eventos::save(&mut conn, &letter).await.expect("saved");
    let rows = "SELECT COUNT(*) FROM eventos WHERE packed = 0 AND conteudo <> '' AND context <> '' AND answer <> '' \
         AND detalhes <> '' AND resultado <> '' AND protocolo <> ''";
    assert_eq!(number(&folder, rows), 2);
    let rows = "SELECT COUNT(*) FROM notas WHERE packed = 0 AND conteudo <> '' AND request_id <> '' AND municipio <> ''";
    assert_eq!(number(&folder, rows), 1);
    let waiting = "SELECT COUNT(*) FROM flows WHERE packed < 0";
    assert_eq!(number(&folder, waiting), 3);
    let before = all(&mut conn).await;
    for subject in [OLD, VOIDED, LETTER] {
        let pack = packs::prepare(&mut conn, subject, i64::MAX).await;
        let pack = pack.expect("read").expect(subject);
        assert!(packs::write(&mut conn, &pack).await.expect("written"));
    }
    assert_eq!(number(&folder, NOTES), 0);
    assert_eq!(number(&folder, waiting), 0);
    for (before, after) in before.iter().zip(all(&mut conn).await) {
        assert_eq!(*before, after);
    }
}

#[tokio::test]
async fn what_is_told_of_a_note_while_it_is_packed_is_in_its_record() {
    let (_folder, mut conn) = store().await;
    let pack = packs::prepare(&mut conn, PRODUCT, i64::MAX).await;
    let pack = pack.expect("read").expect(PRODUCT);
    let letter = OutboxRow {
        id: "evt_1".into(),
        account_id: account(),
        tipo: "nfe.cce".to_owned(),
        subject_id: PRODUCT.to_owned(),
        created_at_ms: MADE_MS,
        ..OutboxRow::default()
    };
    outbox::insert(&mut conn, &letter).await.expect("told");
    bulk::begin(&mut conn).await.expect("begun");
    assert!(!packs::write(&mut conn, &pack).await.expect("read"));
    bulk::rollback(&mut conn).await.expect("undone");
    let pack = packs::prepare(&mut conn, PRODUCT, i64::MAX).await;
    let pack = pack.expect("read").expect(PRODUCT);
    assert!(packs::write(&mut conn, &pack).await.expect("written"));
    let record = pack.record().near().expect("a record");
    assert!(record.get("note/told").is_some());
}

#[tokio::test]
async fn other_bytes_under_the_name_of_a_certificate_are_an_error() {
    let (folder, mut conn) = store().await;
    let one = [Certificate::new(b"one".to_vec())];
    for _ in 0..2 {
        packed_certificates::keep(&mut conn, &one)
            .await
            .expect("kept");
    }
    run(
        folder.path(),
        "UPDATE packed_certificates SET bytes = x'00'",
    );
    let kept = packed_certificates::keep(&mut conn, &one).await;
    let error = kept.expect_err("other bytes").to_string();
    assert!(
        error.contains("certificate of a packed record cannot be read"),
        "{error}"
    );
}

/// Makes the record of a note what the first records were: its row has the smaller columns.
async fn make_old(conn: &mut Conn, folder: &TempDir, subject: &str) {
    let note = notas::by_id(conn, &subject.into())
        .await
        .expect("read")
        .expect("note");
    let row = packed::get(conn, subject)
        .await
        .expect("read")
        .expect("a record");
    let mut record = row.here(conn).await.expect("a record");
    record.split(|name| name != "note/row");
    let bytes = record
        .pack(Dictionaries::shipped(), Layout::Generic, |_| false)
        .expect("packed");
    let old = PackedRow {
        dictionary: i64::from(bytes.dictionary),
        bytes: bytes.bytes,
        ..row.clone()
    };
    assert!(packed::replace(conn, &row, &old).await.expect("written"));
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let sql = format!(
        "UPDATE notas SET packed = 1, detalhes = {}, valores = {}, url_consulta = {}, request_id = {}, autorizada_em = {}, \
         municipio = {}, valor = {}, protocolo = {}, rejeicao = {}, competencia = {}, sistema = {} WHERE id = {}",
        quoted(&note.detalhes),
        quoted(&note.valores),
        quoted(&note.url_consulta),
        quoted(&note.request_id),
        quoted(&note.autorizada_em),
        quoted(&note.municipio),
        quoted(&note.valor),
        quoted(&note.protocolo),
        quoted(&note.rejeicao),
        quoted(&note.competencia),
        quoted(&note.sistema),
        quoted(subject),
    );
    run(folder.path(), &sql);
}

#[tokio::test]
async fn a_record_without_the_smaller_columns_is_read_and_made_anew() {
    let (folder, mut conn) = store().await;
    let before = all(&mut conn).await;
    pack(&mut conn).await;
    for subject in [PRODUCT, REFUSED] {
        make_old(&mut conn, &folder, subject).await;
    }
    assert_eq!(number(&folder, FORMS), 2);
    for (before, after) in before.iter().zip(all(&mut conn).await) {
        assert_eq!(*before, after);
    }
    let first = packs::first_form(&mut conn, "", 1).await.expect("read");
    assert_eq!(first, (vec![PRODUCT.to_owned()], Some(PRODUCT.to_owned())));
    let next = packs::first_form(&mut conn, PRODUCT, 5)
        .await
        .expect("read");
    assert_eq!(next, (vec![REFUSED.to_owned()], Some("nfse_2".to_owned())));
    let over = packs::first_form(&mut conn, "nfse_2", 5)
        .await
        .expect("read");
    assert_eq!(over, (Vec::new(), None));
    for subject in [PRODUCT, REFUSED] {
        let pack = packs::prepare(&mut conn, subject, i64::MAX).await;
        let pack = pack.expect("read").expect(subject);
        assert!(packs::write(&mut conn, &pack).await.expect("written"));
    }
    assert_eq!((number(&folder, FORMS), number(&folder, NOTES)), (4, 0));
    for (before, after) in before.iter().zip(all(&mut conn).await) {
        assert_eq!(*before, after);
    }
}

#[tokio::test]
async fn an_event_of_a_note_is_removed_once_its_record_says_it() {
    let (folder, mut conn) = store().await;
    pack(&mut conn).await;
    make_old(&mut conn, &folder, PRODUCT).await;
    let event = OutboxRow {
        id: OutboxId::new(MADE_MS),
        account_id: account(),
        tipo: "nfe.autorizada".to_owned(),
        subject_id: PRODUCT.to_owned(),
        created_at_ms: MADE_MS,
        ..OutboxRow::default()
    };
    outbox::insert(&mut conn, &event).await.expect("told");
    let placed = outbox::place(&mut conn, &account(), 10).await;
    assert_eq!(placed.expect("placed"), (0, 1));
    let purge = async |conn: &mut Conn| {
        let (first, before_ms) = (OutboxId::default(), MADE_MS + 1);
        let old = outbox::old(conn, &first, before_ms, 10).await;
        let old = old.expect("read").expect("an event");
        let removed = outbox::purge(conn, &first, &old.last, before_ms).await;
        (old.many, removed.expect("removed"))
    };
    assert_eq!(purge(&mut conn).await, (0, 0), "the record is an old one");
    let pack = packs::prepare(&mut conn, PRODUCT, i64::MAX).await;
    let pack = pack.expect("read").expect(PRODUCT);
    assert!(packs::write(&mut conn, &pack).await.expect("written"));
    assert_eq!(purge(&mut conn).await, (1, 1));
    let told = outbox::told(&mut conn, &account(), &PRODUCT.into()).await;
    let ids: Vec<_> = told
        .expect("events")
        .into_iter()
        .map(|one| one.id)
        .collect();
    assert_eq!(ids, [event.id]);
}

#[tokio::test]
async fn a_packed_row_whose_record_lacks_its_columns_is_an_error() {
    let (folder, mut conn) = store().await;
    pack(&mut conn).await;
    make_old(&mut conn, &folder, OLD).await;
    run(
        folder.path(),
        "UPDATE notas SET packed = 2, valores = '' WHERE id = 'nfse_1'",
    );
    let read: DbResult<_> = notas::by_id(&mut conn, &OLD.into()).await;
    let error = read.expect_err("no columns").to_string();
    assert!(
        error.contains("packed columns cannot be read: nfse_1"),
        "{error}"
    );
}

/// Every row of these tables, each with the place of its table.
async fn rows_of(conn: &mut Conn, tables: &[bulk::Table]) -> Vec<bulk::Placed> {
    let names = [
        "notas",
        "eventos",
        "flows",
        "flow_turns",
        "artifacts",
        "packed_records",
    ];
    let mut rows = Vec::new();
    for (place, table) in tables.iter().enumerate() {
        if names.contains(&table.name.as_str()) {
            let all = bulk::all(conn, table).await.expect("rows");
            rows.extend(all.into_iter().map(|row| (place, row)));
        }
    }
    rows
}

#[tokio::test]
async fn rows_are_packed_before_they_are_written_as_the_hub_packs_them() {
    let (_folder, mut conn) = store().await;
    let tables = bulk::tables(&mut conn).await.expect("tables");
    let rows = rows_of(&mut conn, &tables).await;
    let packed = copied::packed(&tables, rows, i64::MAX, true).expect("packed");
    pack(&mut conn).await;
    let there = rows_of(&mut conn, &tables).await;
    let texts = |rows: Vec<bulk::Placed>| -> BTreeSet<String> {
        rows.into_iter().map(|row| format!("{row:?}")).collect()
    };
    assert_eq!(texts(packed.rows), texts(there));
}

#[tokio::test]
async fn what_becomes_of_every_text_is_known() {
    let (_folder, mut conn) = store().await;
    pack(&mut conn).await;
    let mut seen = BTreeSet::new();
    for subject in SUBJECTS {
        let row = packed::get(&mut conn, subject)
            .await
            .expect("read")
            .expect("a record");
        let record = row.here(&mut conn).await.expect("a record");
        for part in record.parts() {
            let fate = fate(&part.name);
            assert!(fate.is_some(), "{}", part.name);
            assert_eq!(stays(&part.name), fate == Some(Fate::Near));
            assert_eq!(is_journal(&part.name), fate == Some(Fate::Journal));
            seen.insert((part.name.clone(), format!("{:?}", fate.expect("known"))));
        }
    }
    for (name, wanted) in [
        ("note/row", "Near"),
        ("event/row", "Near"),
        ("1/way", "Near"),
        ("1/turns", "Journal"),
        ("1/1/request_body", "Journal"),
        ("xml/nfse", "Far"),
        ("xml/nfse/about", "Far"),
    ] {
        assert!(
            seen.contains(&(name.to_owned(), wanted.to_owned())),
            "{name}"
        );
    }
    assert_eq!(fate("xml/envio/1"), Some(Fate::Far));
    for unknown in [
        "note",
        "note/other",
        "1/other",
        "1/1/way",
        "1/1/1/event",
        "other/row",
        "",
    ] {
        assert_eq!(fate(unknown), None, "{unknown}");
        assert!(stays(unknown) && !is_journal(unknown), "{unknown}");
    }
}

#[test]
fn columns_come_back_from_their_text() {
    let columns = ["", "{\"a\":\"b\\n\"}\n", "\\", "\n\n", "última", ""];
    let text = joined(columns);
    assert_eq!(text.matches('\n').count(), columns.len());
    assert_eq!(divided(&text, "nfse_1").expect("columns"), columns);
    assert!(divided("", "nfse_1").expect("columns").is_empty());
    for wrong in ["a", "a\nb", "\\", "\\t\n"] {
        assert!(divided(wrong, "nfse_1").is_err(), "{wrong:?}");
    }
}
