//! Pages of documents that are found by a name, of more customers than a page has documents.

use rusqlite::{Connection, params};
use std::path::Path;
use store::copy;
use store::ids::AccountId;
use store::tables::documents::{self, Asked};

const NOTE: &str = "INSERT INTO notas (id, account_id, emitter_id, modelo, ambiente, simulada, status, serie, numero, number_active, referencia, municipio, via, sistema, \
     conteudo, context, competencia, valor, tomador_documento, tomador_nome, preco, hold_id, chave, numero_nfse, codigo_verificacao, protocolo, url_consulta, autorizada_em, \
     valores, rejeicao, substitui_id, substituida_por, request_id, created_at_ms, updated_at_ms) \
     VALUES (?1, ?2, 'emi_' || ?2, 'nfse', 'producao', 0, ?3, '1', ?4, 1, '', '', 'nacional', '', '', '', '', '1.00', ?5, ?6, 0, '', '', '', '', '', '', '', '', '', '', '', '', ?7, 0)";
const PARTY: &str = "INSERT INTO parties (id, account_id, documento, name) VALUES (?1, ?2, ?3, ?4)";

/// Notes of an account.
const NOTES: i64 = 400;
/// Its customers; the notes of each are spread over all.
const CUSTOMERS: i64 = 40;

/// A note of the test: its id, its moment, its customer's number and its state.
struct Note {
    id: String,
    at_ms: i64,
    customer: i64,
    status: &'static str,
}

fn notes(account: &str) -> Vec<Note> {
    let note = |number: i64| Note {
        // Ids do not stand in the order of the customers, and five notes arrive at one moment.
        id: format!("nfse_{account}_{:03}", number * 7 % NOTES),
        at_ms: 1_000 + number / 5,
        customer: number * 13 % CUSTOMERS,
        status: if number % 3 == 0 {
            "rejeitada"
        } else {
            "autorizada"
        },
    };
    (0..NOTES).map(note).collect()
}

/// Every fourth customer is called otherwise, and the first one has no CPF or CNPJ.
fn customer(number: i64) -> (String, &'static str) {
    let documento = match number {
        0 => String::new(),
        number => format!("{number:014}"),
    };
    let name = if number % 4 == 3 {
        "livraria central"
    } else {
        "padaria aurora"
    };
    (documento, name)
}

fn written(file: &Path) {
    let own = Connection::open(file).expect("database");
    for (place, account) in ["con_1", "con_2"].into_iter().enumerate() {
        own.execute(
            "INSERT INTO accounts (id, nome, requests_per_minute, created_at_ms) VALUES (?1, '', 1, 0)",
            [account],
        )
        .expect("an account");
        own.execute(
            "INSERT INTO emitters (id, account_id, cnpj, razao_social, apelido, ambiente, padrao, perfil, version, created_at_ms, updated_at_ms) \
             VALUES ('emi_' || ?1, ?1, '1', '', '', 'producao', 1, '{}', 0, 0, 0)",
            [account],
        )
        .expect("a company");
        for number in 0..CUSTOMERS {
            let (documento, name) = customer(number);
            let id = i64::try_from(place).expect("a place") * CUSTOMERS + number + 1;
            own.execute(PARTY, params![id, account, documento, name])
                .expect("a customer");
        }
        for (number, note) in (1_i64..).zip(notes(account)) {
            let (documento, name) = customer(note.customer);
            let values = params![
                note.id,
                account,
                note.status,
                number,
                documento,
                name,
                note.at_ms
            ];
            own.execute(NOTE, values).expect("a note");
        }
    }
}

/// The ids of all pages.
async fn walked(conn: &mut store::Conn, account: &AccountId, mut asked: Asked) -> Vec<String> {
    let mut ids = Vec::new();
    loop {
        let found = documents::list(conn, account, &asked).await;
        let found = found.expect("a page");
        let is_full = i64::try_from(found.rows.len()) == Ok(asked.limit);
        let last = found.rows.last();
        let last = last.map(|row| (row.created_at_ms, row.id.to_string()));
        ids.extend(found.rows.iter().map(|row| row.id.to_string()));
        asked.after = if is_full { last } else { found.stopped };
        if asked.after.is_none() {
            return ids;
        }
    }
}

#[tokio::test]
async fn documents_of_many_customers_of_a_name_stand_in_one_order_over_all_pages() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("hub.db");
    let mut conn = copy::migrated(&copy::sqlite_url(&file))
        .await
        .expect("migrated");
    written(&file);
    let account = AccountId::from("con_1");
    // The whole time, or a part of it.
    for (from_ms, to_ms) in [(0, 0), (1_010, 1_050)] {
        for (name, status) in [
            ("padaria aurora", ""),
            ("aurora", "rejeitada"),
            ("livraria", ""),
            ("au", ""),
        ] {
            for ascending in [false, true] {
                let fits = |note: &&Note| {
                    customer(note.customer).1.contains(name)
                        && (status.is_empty() || note.status == status)
                        && note.at_ms >= from_ms
                        && (to_ms == 0 || note.at_ms < to_ms)
                };
                let all = notes("con_1");
                let mut expected: Vec<&Note> = all.iter().filter(fits).collect();
                expected.sort_by_key(|note| (note.at_ms, note.id.clone()));
                if !ascending {
                    expected.reverse();
                }
                let expected: Vec<&str> = expected.iter().map(|note| note.id.as_str()).collect();
                // Fewer than there are customers, so many, and more.
                for limit in [3, 30, 100] {
                    let asked = Asked {
                        name: name.to_owned(),
                        status: status.to_owned(),
                        from_ms,
                        to_ms,
                        ascending,
                        limit,
                        ..Asked::default()
                    };
                    let found = walked(&mut conn, &account, asked).await;
                    assert_eq!(
                        found, expected,
                        "{name} {status} {from_ms} {ascending} {limit}"
                    );
                }
            }
        }
    }
}

/// More than 1,024 names have the part, or only its letters in threes: the index says that they are
/// many, and its documents are found along the arrival.
#[tokio::test]
async fn documents_are_found_by_a_part_that_very_many_names_have() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("hub.db");
    let mut conn = copy::migrated(&copy::sqlite_url(&file))
        .await
        .expect("migrated");
    written(&file);
    let own = Connection::open(&file).expect("database");
    for number in 0..1_100 {
        let documento = format!("{:014}", 1_000 + number);
        let values = params![10_000 + number, "con_1", documento, "aurora da padaria"];
        own.execute(PARTY, values).expect("a customer");
    }
    let account = AccountId::from("con_1");
    let all = notes("con_1");
    let bakeries = all.iter().filter(|note| note.customer % 4 != 3).count();
    for (name, expected) in [("padaria", bakeries), ("padaria aurora", bakeries)] {
        let asked = Asked {
            name: name.to_owned(),
            limit: 1_000,
            ..Asked::default()
        };
        let found = walked(&mut conn, &account, asked).await;
        assert_eq!(found.len(), expected, "{name}");
    }
}
