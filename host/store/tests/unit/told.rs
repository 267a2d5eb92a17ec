//! What the customer was told of a note, in the record of the note.

use packing::{Dictionaries, Record};
use std::convert::Infallible;
use store::tables::accounts::{self, Account};
use store::tables::notas::{NotaRow, NotaStatus};
use store::tables::outbox::{self, OutboxRow, ToldRow};
use store::tables::packed::{self, PackedRow};
use store::tables::packs::{self, Document};
use store::tables::texts;
use store::{Db, TxError, copy};

/// The event of a number.
fn told(number: i64) -> ToldRow {
    ToldRow {
        id: format!("evt_{number}").into(),
        tipo: "nfse.emitida".to_owned(),
        created_at_ms: number,
    }
}

/// The record of a note, or the next one.
fn pack(told: Vec<ToldRow>, before: Option<PackedRow>) -> PackedRow {
    let nota = NotaRow {
        id: "nfse_1".into(),
        account_id: "con_1".into(),
        status: NotaStatus::Authorized,
        ..NotaRow::default()
    };
    let document = Document {
        nota: Some(nota),
        told,
        ..Document::default()
    };
    let before = before.map(|row| {
        let record = Record::unpack(&row.bytes, Dictionaries::shipped(), &[]);
        (row, record.expect("readable"))
    });
    let pack = packs::pack("nfse_1", document, before, i64::MAX, true);
    let pack = pack.expect("readable").expect("something to pack");
    pack.record().clone()
}

/// What the record says, as it is kept.
fn said(record: &PackedRow) -> Option<String> {
    let record = record.near().expect("readable");
    let text = record.get("note/told")?;
    Some(String::from_utf8(text.to_vec()).expect("text"))
}

#[test]
fn a_record_that_is_made_again_still_says_what_was_told_before() {
    let first = pack(vec![told(1), told(2)], None);
    assert_eq!(
        said(&first).as_deref(),
        Some(r#"[["evt_1","nfse.emitida",1],["evt_2","nfse.emitida",2]]"#)
    );
    // The row of the first event is gone meanwhile.
    let second = pack(vec![told(2), told(3)], Some(first));
    let three =
        r#"[["evt_1","nfse.emitida",1],["evt_2","nfse.emitida",2],["evt_3","nfse.emitida",3]]"#;
    assert_eq!(said(&second).as_deref(), Some(three));
    let third = pack(Vec::new(), Some(second));
    assert_eq!(said(&third).as_deref(), Some(three));
    assert_eq!(said(&pack(Vec::new(), None)), None);
}

#[test]
fn what_was_told_stays_when_a_record_moves_and_when_its_journal_goes() {
    let mut record = pack(vec![told(1)], None).near().expect("readable");
    let moved = record.split(texts::stays);
    assert!(record.get("note/told").is_some() && moved.get("note/told").is_none());
    assert!(!texts::is_journal("note/told"));
}

#[tokio::test]
async fn an_event_is_told_once_from_its_row_and_the_record() {
    let folder = tempfile::tempdir().expect("folder");
    let url = copy::sqlite_url(&folder.path().join("hub.db"));
    let db = Db::open(&url, 1).await.expect("database");
    let record = pack(vec![told(1), told(2)], None);
    let rows = [2, 3].map(|number| OutboxRow {
        id: told(number).id,
        account_id: "con_1".into(),
        tipo: told(number).tipo,
        subject_id: "nfse_1".to_owned(),
        created_at_ms: number,
        ..OutboxRow::default()
    });
    let written = db.write((record, rows), |(record, rows), conn| {
        Box::pin(async move {
            let account = Account {
                id: "con_1".into(),
                nome: "Conta".to_owned(),
                requests_per_minute: 60,
                ..Account::default()
            };
            accounts::insert(conn, &account).await?;
            assert!(packed::insert(conn, record).await?);
            for row in rows {
                outbox::insert(conn, row).await?;
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
    let mut conn = db.read().await.expect("connection");
    let nota = "nfse_1".into();
    let all = outbox::told(&mut conn, &"con_1".into(), &nota).await;
    assert_eq!(all.expect("events"), [told(1), told(2), told(3)]);
    let none = outbox::told(&mut conn, &"con_2".into(), &nota).await;
    assert!(none.expect("events").is_empty(), "of another account");
}
