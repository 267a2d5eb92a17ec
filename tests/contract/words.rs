//! Words of columns: the same on both engines, and an error when unknown.

use sqlx::{Connection as _, PgConnection, Row as _, SqliteConnection};
use std::convert::Infallible;
use store::tables::accounts::{self, Account};
use store::tables::compras::{PurchaseMeans, PurchaseStatus};
use store::tables::deliveries::DeliveryStatus;
use store::tables::dere::{DereBatchStatus, DereEventStatus};
use store::tables::documents;
use store::tables::emitters::{self, EmitterRow};
use store::tables::eventos::EventoStatus;
use store::tables::exportacoes::ExportStatus;
use store::tables::flows::FlowPhase;
use store::tables::ledger::TransferKind;
use store::tables::mails::{MailChannel, MailKind, MailStatus};
use store::tables::nfse_outcomes::NfseOutcome;
use store::tables::notas::{self, NotaRow, NotaStatus, Via};
use store::tables::outbox::{self, OutboxRow};
use store::tables::probes::ProbeResult;
use store::tables::recebidas::ReceivedNotaStatus;
use store::tables::reembolsos::ReembolsoStatus;
use store::tables::users::Role;
use store::words::{Ambiente, KeyKind, Maybe, Model, Text};
use store::{Db, DbResult, TxError};
use tests::postgres;

const DAMAGE: &str = "UPDATE notas SET via = 'pombo' WHERE id = 'nfe_1'";

/// Events of an environment, and of none.
const ENVIRONMENTS: [(&str, Maybe<Ambiente>); 2] = [
    ("evt_1", Maybe(Some(Ambiente::Production))),
    ("evt_2", Maybe(None)),
];

/// Notes that together have every word of every column.
fn all() -> Vec<NotaRow> {
    let mut rows = Vec::new();
    for status in NotaStatus::ALL {
        for (model, ambiente) in Model::ALL.iter().zip(Ambiente::ALL) {
            for via in Via::ALL {
                rows.push(NotaRow {
                    id: format!("nfe_{}", rows.len()).into(),
                    account_id: "acc_1".into(),
                    emitter_id: "emt_1".into(),
                    status: *status,
                    modelo: *model,
                    ambiente: *ambiente,
                    via: *via,
                    ..NotaRow::default()
                });
            }
        }
    }
    rows
}

async fn write(db: &Db, rows: &[NotaRow]) {
    let written = db.write(rows.to_vec(), |rows, conn| {
        Box::pin(async move {
            let account = Account {
                id: "acc_1".into(),
                nome: "Conta".to_owned(),
                requests_per_minute: 60,
                ..Account::default()
            };
            accounts::insert(conn, &account).await?;
            let emitter = EmitterRow {
                id: "emt_1".into(),
                account_id: "acc_1".into(),
                cnpj: "11222333000181".to_owned(),
                razao_social: "Empresa".to_owned(),
                apelido: "Empresa".to_owned(),
                ambiente: Ambiente::Homologacao,
                padrao: 1,
                perfil: "{}".to_owned(),
                certificate_id: Maybe(None),
                version: 1,
                created_at_ms: 0,
                updated_at_ms: 0,
            };
            assert!(emitters::insert(conn, &emitter).await?);
            for row in rows {
                assert!(notas::insert(conn, row).await?);
            }
            for (id, ambiente) in ENVIRONMENTS {
                let event = OutboxRow {
                    id: id.into(),
                    account_id: "acc_1".into(),
                    subject_id: "acc_1".to_owned(),
                    ambiente,
                    ..OutboxRow::default()
                };
                outbox::insert(conn, &event).await?;
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
}

async fn read(db: &Db, id: &str) -> DbResult<NotaRow> {
    let mut conn = db.read().await.expect("connection");
    Ok(notas::by_id(&mut conn, &id.into()).await?.expect("a note"))
}

async fn come_back(db: &Db) {
    let rows = all();
    write(db, &rows).await;
    for row in &rows {
        let there = read(db, &row.id).await.expect("read");
        assert_eq!(
            (there.status, there.modelo, there.ambiente, there.via),
            (row.status, row.modelo, row.ambiente, row.via)
        );
    }
    let mut conn = db.read().await.expect("connection");
    let events = outbox::of_subject(&mut conn, &"acc_1".into(), "acc_1").await;
    let events: Vec<_> = events
        .expect("events")
        .into_iter()
        .map(|event| event.ambiente)
        .collect();
    assert_eq!(events, ENVIRONMENTS.map(|(_, ambiente)| ambiente));
}

async fn is_refused(db: &Db) {
    let error = read(db, "nfe_1").await.expect_err("a word nobody knows");
    let said = error.to_string();
    assert!(said.contains("\"pombo\" is no word of Via"), "{said}");
    let mut conn = db.read().await.expect("connection");
    let filter = notas::Filter {
        limit: 1_000,
        ..notas::Filter::default()
    };
    let listed = documents::notes(&mut conn, &"acc_1".into(), &filter).await;
    assert!(listed.is_err(), "no listing leaves it out or guesses");
}

#[tokio::test]
async fn sqlite_keeps_words_and_refuses_others() {
    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite:{}", folder.path().join("hub.db").display());
    let db = Db::open(&url, 2).await.expect("migrated");
    come_back(&db).await;
    let mut conn = SqliteConnection::connect(&url).await.expect("connection");
    let damaged = sqlx::query(DAMAGE).execute(&mut conn).await;
    assert_eq!(damaged.expect("damaged").rows_affected(), 1);
    is_refused(&db).await;
}

#[tokio::test]
async fn postgres_keeps_words_and_refuses_others() {
    let Some(url) = postgres::database().await else {
        return;
    };
    let db = Db::open(&url, 2).await.expect("migrated");
    come_back(&db).await;
    let mut conn = PgConnection::connect(&url).await.expect("connection");
    let damaged = sqlx::query(DAMAGE).execute(&mut conn).await;
    assert_eq!(damaged.expect("damaged").rows_affected(), 1);
    is_refused(&db).await;
}

/// The words a table lets a column have: those between quotes in its condition.
fn allowed(schema: &str, column: &str) -> Vec<String> {
    let check = format!("CHECK ({column} ");
    let (_, condition) = schema.split_once(&check).expect(&check);
    let mut depth = 1;
    let end = condition.find(|letter| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    let condition = &condition[..end.expect("an end")];
    let mut words: Vec<_> = condition
        .split('\'')
        .skip(1)
        .step_by(2)
        .map(ToOwned::to_owned)
        .collect();
    words.sort();
    words
}

fn words<T: Text>(all: &[T]) -> Vec<String> {
    let mut words: Vec<_> = all.iter().map(|value| value.text().to_owned()).collect();
    words.sort();
    words
}

#[tokio::test]
async fn tables_let_columns_have_the_words_of_their_enums() {
    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite:{}", folder.path().join("hub.db").display());
    let _db = Db::open(&url, 1).await.expect("migrated");
    let mut conn = SqliteConnection::connect(&url).await.expect("connection");
    let emitters = [Ambiente::Homologacao, Ambiente::Production];
    for (table, column, words) in [
        ("api_keys", "kind", words(KeyKind::ALL)),
        ("webhooks", "kind", words(KeyKind::ALL)),
        ("transfers", "kind", words(TransferKind::ALL)),
        ("emitters", "ambiente", words(&emitters)),
        ("notas", "ambiente", words(Ambiente::ALL)),
        ("notas", "status", words(NotaStatus::ALL)),
        ("eventos", "status", words(EventoStatus::ALL)),
        ("flows", "phase", words(FlowPhase::ALL)),
        ("recebidas", "situacao", words(ReceivedNotaStatus::ALL)),
        ("exportacoes", "status", words(ExportStatus::ALL)),
        ("deliveries", "status", words(DeliveryStatus::ALL)),
        ("compras", "meio", words(PurchaseMeans::ALL)),
        ("compras", "status", words(PurchaseStatus::ALL)),
        ("reembolsos", "status", words(ReembolsoStatus::ALL)),
        ("mails", "canal", words(MailChannel::ALL)),
        ("mails", "tipo", words(MailKind::ALL)),
        ("mails", "status", words(MailStatus::ALL)),
        ("members", "papel", words(Role::ALL)),
        ("dere_events", "ambiente", words(Ambiente::ALL)),
        ("dere_events", "status", words(DereEventStatus::ALL)),
        ("dere_batches", "ambiente", words(Ambiente::ALL)),
        ("dere_batches", "status", words(DereBatchStatus::ALL)),
        ("address_probes", "result", words(ProbeResult::ALL)),
        ("nfse_outcomes", "ambiente", words(&emitters)),
        ("nfse_outcomes", "resultado", words(NfseOutcome::ALL)),
    ] {
        let schema: String =
            sqlx::query_scalar("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = $1")
                .bind(table)
                .fetch_one(&mut conn)
                .await
                .expect(table);
        assert_eq!(allowed(&schema, column), words, "{table}.{column}");
    }
}

/// For `IN` with three words or more SQLite makes a table in memory, whenever a row is written.
#[tokio::test]
async fn what_notes_and_deliveries_write_makes_no_tables_of_words() {
    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite:{}", folder.path().join("hub.db").display());
    let _db = Db::open(&url, 1).await.expect("migrated");
    let mut conn = SqliteConnection::connect(&url).await.expect("connection");
    // Only a note with a reference, or in another's place, comes to the lists of these.
    for index in [
        "DROP INDEX notas_referencia",
        "DROP INDEX notas_reference_free",
        "DROP INDEX notas_substitui",
    ] {
        sqlx::query(index).execute(&mut conn).await.expect(index);
    }
    for insert in [
        "EXPLAIN INSERT INTO deliveries DEFAULT VALUES",
        "EXPLAIN INSERT INTO notas DEFAULT VALUES",
        "EXPLAIN INSERT INTO flows DEFAULT VALUES",
        "EXPLAIN INSERT INTO transfers DEFAULT VALUES",
        "EXPLAIN INSERT INTO eventos DEFAULT VALUES",
    ] {
        let steps = sqlx::query(insert).fetch_all(&mut conn).await;
        let steps = steps.expect(insert);
        let made = steps
            .iter()
            .filter(|step| step.get::<String, _>("opcode") == "OpenEphemeral");
        assert_eq!((made.count(), steps.len() > 9), (0, true), "{insert}");
    }
}
