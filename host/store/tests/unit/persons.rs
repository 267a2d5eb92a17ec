//! Persons by a part of their name: found by its letters, or along all of them.

use store::ids::{AccountId, EmitterId, PessoaId};
use store::tables::pessoas::{self, Filter, PersonRow};
use store::{Conn, copy};

/// More than are looked for by their ids.
const MANY: usize = 1_100;

async fn insert(conn: &mut Conn, account: &str, number: usize, name: &str) {
    let row = PersonRow {
        id: PessoaId::from(format!("pes_{number:06}")),
        account_id: AccountId::from(account),
        emitter_id: EmitterId::from("emi_1"),
        documento: number.to_string(),
        nome: name.to_owned(),
        nome_busca: name.to_owned(),
        papeis: "[\"tomador\"]".to_owned(),
        enderecos: "[]".to_owned(),
        telefones: "[]".to_owned(),
        ..PersonRow::default()
    };
    assert!(pessoas::insert(conn, &row).await.expect("written"));
}

const NONE: [usize; 0] = [];

/// Numbers of the persons of `con_1` that are found, in their order.
async fn found(conn: &mut Conn, name: &str, before: &str, limit: i64) -> Vec<usize> {
    let filter = Filter {
        name: name.to_owned(),
        ..Filter::default()
    };
    let account = AccountId::from("con_1");
    let rows = pessoas::list(conn, &account, &filter, before, limit).await;
    let numbers = rows.expect("persons").into_iter().map(|row| {
        let number = row.id.strip_prefix("pes_").map(str::parse);
        number.expect("an id").expect("a number")
    });
    numbers.collect()
}

#[tokio::test]
async fn persons_are_found_by_rare_and_by_common_parts_of_their_name() {
    let folder = tempfile::tempdir().expect("folder");
    let url = copy::sqlite_url(&folder.path().join("hub.db"));
    let mut conn = copy::migrated(&url).await.expect("database");
    let Conn::Sqlite(own) = &conn else {
        panic!("a SQLite file");
    };
    // Persons are of companies, which matter to nothing here.
    own.with(|own| own.execute_batch("PRAGMA foreign_keys = OFF; BEGIN"))
        .expect("begun");
    for number in 0..MANY {
        insert(&mut conn, "con_1", number, &format!("padaria {number:04}")).await;
    }
    insert(&mut conn, "con_2", MANY, "padaria 0007").await;
    insert(&mut conn, "con_1", MANY + 1, "50% de \\desconto_").await;

    assert_eq!(found(&mut conn, "aria 0007", "", 9).await, [7]);
    assert_eq!(found(&mut conn, "aria 000", "", 3).await, [9, 8, 7]);
    let next = found(&mut conn, "aria 000", "pes_000007", 3).await;
    assert_eq!(next, [6, 5, 4]);
    // All of them have it.
    let common = found(&mut conn, "padaria", "", 2).await;
    assert_eq!(common, [MANY - 1, MANY - 2]);
    let next = found(&mut conn, "padaria", "pes_000002", 9).await;
    assert_eq!(next, [1, 0]);
    // Too few letters, and signs that patterns have.
    assert_eq!(found(&mut conn, "99", "pes_000100", 9).await, [99]);
    for sign in ["50% ", "\\desc", "nto_", "% d", "_"] {
        assert_eq!(found(&mut conn, sign, "", 9).await, [MANY + 1], "{sign}");
    }
    assert_eq!(found(&mut conn, "nobody", "", 9).await, NONE);

    let renamed = PersonRow {
        id: PessoaId::from("pes_000007"),
        account_id: AccountId::from("con_1"),
        nome_busca: "confeitaria".to_owned(),
        ..PersonRow::default()
    };
    pessoas::update(&mut conn, &renamed).await.expect("written");
    assert_eq!(found(&mut conn, "aria 0007", "", 9).await, NONE);
    assert_eq!(found(&mut conn, "feit", "", 9).await, [7]);
    let (account, emitter) = (AccountId::from("con_1"), EmitterId::from("emi_1"));
    pessoas::delete_of(&mut conn, &account, &emitter)
        .await
        .expect("removed");
    assert_eq!(found(&mut conn, "feit", "", 9).await, NONE);
    let Conn::Sqlite(own) = &conn else {
        panic!("a SQLite file");
    };
    let left = own.with(|own| {
        let count = "SELECT COUNT(*) FROM person_words_ids";
        own.query_row(count, [], |row| row.get::<_, i64>(0))
    });
    assert_eq!(left.expect("a number"), 1, "of the other account");
}
