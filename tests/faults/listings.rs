//! Lists of more documents than a page, each filter alone and with others, against the same
//! documents filtered here.

use crate::sql::execute;
use std::convert::Infallible;
use store::TxError;
use store::ids::{AccountId, EmitterId, NotaId};
use store::tables::documents::{self, Asked, Text};
use store::tables::notas::{self, Filter, NotaRow, NotaStatus, part};
use store::tables::parties;
use store::words::{Ambiente, Maybe, Model};
use tests::{TestApp, both};

/// More than the rows that one request looks at.
const NOTES: i64 = 1_500;
const FIRST_MS: i64 = 1_790_000_000_000;

const NAMES: [&str; 5] = [
    "Padaria São João Ltda",
    "Comércio de Peças_100% Águia",
    "JOSÉ DA SILVA",
    "Íris Öberg",
    "",
];

/// Documents of an account: what each filter looks at changes with another period.
fn rows(account: &AccountId, emitters: &[EmitterId; 2]) -> Vec<NotaRow> {
    let models = [Model::Nfse, Model::Nfse, Model::Nfe, Model::Nfce];
    let states = [
        NotaStatus::Authorized,
        NotaStatus::Authorized,
        NotaStatus::Rejected,
        NotaStatus::Cancelled,
        NotaStatus::Draft,
        NotaStatus::NotSent,
        NotaStatus::InTransmission,
    ];
    let of = |number: i64, all: usize| usize::try_from(number).expect("a place") % all;
    let row = |number: i64| {
        // Three at a time arrive in one millisecond.
        let at_ms = FIRST_MS + number / 3;
        let model = models[of(number, models.len())];
        let status = states[of(number / 2, states.len())];
        let name = NAMES[of(number / 5, NAMES.len())];
        NotaRow {
            id: NotaId::new(model, at_ms),
            account_id: account.clone(),
            emitter_id: emitters[usize::from(number % 11 == 0)].clone(),
            modelo: model,
            ambiente: if number % 4 == 1 {
                Ambiente::Homologacao
            } else {
                Ambiente::Production
            },
            status,
            serie: (1 + number % 2).to_string(),
            numero: number + 1,
            number_active: i64::from(!matches!(
                status,
                NotaStatus::Rejected | NotaStatus::NotSent
            )),
            referencia: if number % 100 == 7 {
                format!("Pedido-{number}")
            } else {
                String::new()
            },
            tomador_documento: match number % 7 {
                0 => String::new(),
                rest => format!("1122233300018{rest}"),
            },
            tomador_nome: name.to_owned(),
            chave: format!("{number:044}"),
            numero_nfse: if model == Model::Nfse {
                (number + 1).to_string()
            } else {
                String::new()
            },
            valor_centavos: 100 + number % 300,
            created_at_ms: at_ms,
            ..NotaRow::default()
        }
    };
    (0..NOTES).map(row).collect()
}

async fn filled(app: &TestApp) -> Vec<NotaRow> {
    let first = app.emitter("11222333000181", "3106200").await;
    let second = app.emitter("11444777000161", "3106200").await;
    let emitters = [first, second].map(|id| EmitterId::from(id.as_str()));
    let rows = rows(&app.account_id, &emitters);
    let written = app.app.db.write(rows.clone(), |rows, conn| {
        Box::pin(async move {
            for row in rows {
                assert!(notas::insert(conn, row).await?);
            }
            Ok::<_, TxError<Infallible>>(())
        })
    });
    written.await.expect("written");
    rows
}

/// All pages of a list, and how many they were.
async fn walked(app: &TestApp, asked: &Asked) -> (Vec<String>, usize) {
    let mut conn = app.app.db.walk(&app.account_id).await.expect("connection");
    let mut asked = asked.clone();
    let (mut ids, mut pages) = (Vec::new(), 0);
    loop {
        let found = documents::list(&mut conn, &app.account_id, &asked).await;
        let found = found.expect("a page");
        pages += 1;
        let full = i64::try_from(found.rows.len()) == Ok(asked.limit);
        let last = found
            .rows
            .last()
            .map(|row| (row.created_at_ms, row.id.to_string()));
        ids.extend(found.rows.iter().map(|row| row.id.to_string()));
        asked.after = if full { last } else { found.stopped };
        if asked.after.is_none() {
            return (ids, pages);
        }
    }
}

fn folded(name: &str) -> String {
    let plain = |letter: char| match letter {
        'á' | 'ã' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ç' => 'c',
        other => other,
    };
    name.to_lowercase().chars().map(plain).collect()
}

type Fits = Box<dyn Fn(&NotaRow) -> bool>;

/// Each filter alone, and what it has of a document.
fn filters(second: &EmitterId) -> Vec<(&'static str, Asked, Fits)> {
    let asked = Asked::default;
    let second = second.clone();
    let text = |text: &str| Text {
        part: part(text),
        number_text: text.to_owned(),
        value: -1,
        ..Text::default()
    };
    vec![
        ("all", asked(), Box::new(|_| true)),
        (
            "model",
            Asked {
                modelos: "55,65".to_owned(),
                ..asked()
            },
            Box::new(|n| n.modelo != Model::Nfse),
        ),
        (
            "state",
            Asked {
                status: "rejeitada".to_owned(),
                ..asked()
            },
            Box::new(|n| n.status == NotaStatus::Rejected),
        ),
        (
            "not sent",
            Asked {
                status: "nao_enviada,cancelada".to_owned(),
                ..asked()
            },
            Box::new(|n| matches!(n.status, NotaStatus::NotSent | NotaStatus::Cancelled)),
        ),
        (
            "company",
            Asked {
                emitter_id: Maybe(Some(second.clone())),
                ..asked()
            },
            Box::new(move |n| n.emitter_id == second),
        ),
        (
            "period",
            Asked {
                from_ms: FIRST_MS + 50,
                to_ms: FIRST_MS + 211,
                ..asked()
            },
            Box::new(|n| (FIRST_MS + 50..FIRST_MS + 211).contains(&n.created_at_ms)),
        ),
        (
            "key",
            Asked {
                chave: format!("{:044}", 700),
                ..asked()
            },
            Box::new(|n| n.chave == format!("{:044}", 700)),
        ),
        (
            "number",
            Asked {
                number: 813,
                city_number: true,
                ..asked()
            },
            Box::new(|n| n.numero == 813),
        ),
        (
            "series",
            Asked {
                serie: "2".to_owned(),
                ..asked()
            },
            Box::new(|n| n.serie == "2"),
        ),
        (
            "party",
            Asked {
                documento: "11222333000183".to_owned(),
                ..asked()
            },
            Box::new(|n| n.tomador_documento == "11222333000183"),
        ),
        (
            "either",
            Asked {
                either: "11444777000161".to_owned(),
                ..asked()
            },
            Box::new(|n| n.numero % 11 == 1),
        ),
        (
            "name",
            Asked {
                name: part("SAO joao"),
                ..asked()
            },
            Box::new(|n| folded(&n.tomador_nome).contains("sao joao")),
        ),
        (
            "sign of a pattern",
            Asked {
                name: part("_100%"),
                ..asked()
            },
            Box::new(|n| n.tomador_nome.contains("_100%")),
        ),
        (
            "two letters",
            Asked {
                name: part("ír"),
                ..asked()
            },
            Box::new(|n| folded(&n.tomador_nome).contains("ir")),
        ),
        (
            "nobody",
            Asked {
                name: part("ninguém"),
                ..asked()
            },
            Box::new(|_| false),
        ),
        (
            "one value",
            Asked {
                min_value: 150,
                max_value: 150,
                ..asked()
            },
            Box::new(|n| n.valor_centavos == 150),
        ),
        (
            "values",
            Asked {
                min_value: 390,
                ..asked()
            },
            Box::new(|n| n.valor_centavos >= 390),
        ),
        (
            "value of a text",
            Asked {
                text: Some(Text {
                    value: 151,
                    ..Text::default()
                }),
                ..asked()
            },
            Box::new(|n| n.valor_centavos == 151),
        ),
        (
            "text",
            Asked {
                text: Some(text("silva")),
                ..asked()
            },
            Box::new(|n| folded(&n.tomador_nome).contains("silva")),
        ),
        (
            "whole own id",
            Asked {
                text: Some(text("Pedido-1407")),
                ..asked()
            },
            Box::new(|n| n.referencia == "Pedido-1407"),
        ),
    ]
}

both! {
    async fn every_filter_and_every_two_of_them_find_all_pages(app: TestApp) {
        let rows = filled(&app).await;
        let all = filters(&rows[0].emitter_id);
        for (one, (name, first, fits)) in all.iter().enumerate() {
            for (other, second, also) in &all[one..] {
                // Filters that set the same thing are not asked for together.
                let Some(mut asked) = together(first, second) else { continue };
                asked.limit = 100;
                for (ascending, left_out) in [(false, ""), (true, "homologacao,simulado")] {
                    asked.ascending = ascending;
                    asked.left_out = left_out;
                    let (found, pages) = walked(&app, &asked).await;
                    let mut expected: Vec<&NotaRow> = rows.iter().filter(|n| fits(n) && also(n)).collect();
                    expected.retain(|n| left_out.is_empty() || n.ambiente == Ambiente::Production);
                    expected.retain(|n| n.status != NotaStatus::NotSent || asked.status.contains("nao_enviada"));
                    expected.sort_by_key(|n| (n.created_at_ms, n.id.to_string()));
                    if !ascending {
                        expected.reverse();
                    }
                    let expected: Vec<String> = expected.iter().map(|n| n.id.to_string()).collect();
                    assert_eq!(found, expected, "{name}, {other}, ascending: {ascending}");
                    assert!(pages <= expected.len() / 100 + 3, "{name}, {other}: {pages} pages");
                }
            }
        }
    }
}

both! {
    async fn more_customers_of_one_name_than_a_page_has_are_joined(app: TestApp) {
        let rows = filled(&app).await;
        // Seven CPF or CNPJ have each name, and three documents arrive at one moment.
        for name in ["silva", "a"] {
            for ascending in [false, true] {
                let (from_ms, to_ms) = (FIRST_MS + 50, FIRST_MS + 151);
                let asked = Asked { name: part(name), from_ms, to_ms, ascending, limit: 4, ..Asked::default() };
                let of = |n: &&NotaRow| {
                    folded(&n.tomador_nome).contains(name)
                        && n.status != NotaStatus::NotSent
                        && (from_ms..to_ms).contains(&n.created_at_ms)
                };
                let mut expected: Vec<&NotaRow> = rows.iter().filter(of).collect();
                expected.sort_by_key(|n| (n.created_at_ms, n.id.to_string()));
                if !ascending {
                    expected.reverse();
                }
                let expected: Vec<String> = expected.iter().map(|n| n.id.to_string()).collect();
                assert!(expected.len() > 30, "{}", expected.len());
                assert_eq!(walked(&app, &asked).await.0, expected, "{name}, ascending: {ascending}");
            }
        }
    }
}

/// Both filters at once; None where the second would change the first.
fn together(first: &Asked, second: &Asked) -> Option<Asked> {
    macro_rules! merged {
        ($($field:ident)*) => {{
            let mut both = first.clone();
            let plain = Asked::default();
            $(if second.$field != plain.$field {
                if first.$field != plain.$field && first.$field != second.$field {
                    return None;
                }
                both.$field = second.$field.clone();
            })*
            both
        }};
    }
    let mut both = merged!(modelos status emitter_id from_ms to_ms chave serie number city_number documento either name min_value max_value);
    match (&first.text, &second.text) {
        (Some(one), Some(other)) if format!("{one:?}") != format!("{other:?}") => return None,
        (None, text) => both.text.clone_from(text),
        (Some(_), _) => {}
    }
    Some(both)
}

both! {
    async fn names_are_found_before_and_after_older_notes_were_taken(app: TestApp) {
        let rows = filled(&app).await;
        let asked = Asked { name: part("silva"), limit: 50, ..Asked::default() };
        let (expected, _) = walked(&app, &asked).await;
        assert!(expected.len() > 100, "{}", expected.len());
        // As a store is that an earlier version wrote.
        let write = |sql: &'static str| execute(&app.app.db, sql);
        write("DELETE FROM parties").await;
        write("INSERT INTO party_fill (id, after, done) VALUES (1, '', 0)").await;
        assert_eq!(walked(&app, &asked).await.0, expected, "names are looked for in the notes");
        let mut times = 0;
        loop {
            let taken = app.app.db.write((), |(), conn| {
                Box::pin(async move { Ok::<_, TxError<Infallible>>(parties::fill(conn, 400).await?) })
            });
            times += 1;
            if taken.await.expect("taken") {
                break;
            }
        }
        assert_eq!(times, rows.len() / 400 + 2, "some at a time");
        assert_eq!(walked(&app, &asked).await.0, expected);
    }
}

both! {
    async fn lists_of_a_kind_go_on_behind_an_id(app: TestApp) {
        let rows = filled(&app).await;
        let mut conn = app.app.db.walk(&app.account_id).await.expect("connection");
        let mut filter = Filter { model: "produto".to_owned(), limit: 70, ..Filter::default() };
        let mut ids = Vec::new();
        loop {
            let found = documents::notes(&mut conn, &app.account_id, &filter).await.expect("a page");
            ids.extend(found.rows.iter().map(|row| row.id.to_string()));
            match found.rows.last() {
                Some(last) if found.rows.len() == 70 => filter.before = last.id.to_string(),
                _ => break,
            }
        }
        let of_kind = rows.iter().filter(|n| n.modelo != Model::Nfse && n.status != NotaStatus::NotSent);
        let mut expected: Vec<String> = of_kind.map(|n| n.id.to_string()).collect();
        expected.sort();
        expected.reverse();
        assert_eq!(ids, expected);
        // What is no note begins behind all of them.
        let filter = Filter { before: "nada".to_owned(), limit: 10, ..Filter::default() };
        let found = documents::notes(&mut conn, &app.account_id, &filter).await.expect("a page");
        assert!(found.rows.is_empty() && found.stopped.is_none());
    }
}
