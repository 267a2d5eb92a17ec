//! The tax engine against programs that know nothing of it: `cases/README.md`.

use futures::future::join_all;
use futures::stream::{self, StreamExt as _};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tests::{TestApp, on_sqlite};

const SALES: &str = include_str!("cases/sales.tsv");
const SIMPLES: &str = include_str!("cases/simples.tsv");
const CONTENT: &str = include_str!("cases/imported_content.tsv");
const STATES: &str = include_str!("cases/between_states.tsv");
const PROGRAMS: &str = include_str!("cases/programs.tsv");
const DIFFERENCES: &str = include_str!("cases/differences.tsv");

const CALCULATE: &str = "/api/v1/fiscal/calcular-impostos";

/// Calls under way at the same time.
const AT_ONCE: usize = 8;
/// Items of a call.
const BATCH: usize = 100;

/// One line of a table of cases.
struct Case {
    name: &'static str,
    body: Value,
    /// Figures, by their places in the answer: `icms.base`.
    expected: Value,
    /// Programs that come to these figures.
    sources: Vec<&'static str>,
    /// `program:place=figure(code+code)`; a lone dash where there is none.
    differences: Vec<&'static str>,
}

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

fn cases(table: &'static str) -> Vec<Case> {
    let json = |text: &str| serde_json::from_str(text).expect("JSON");
    rows(table)
        .map(|row| Case {
            name: row[0],
            body: json(row[1]),
            expected: json(row[2]),
            sources: row[3].split_whitespace().collect(),
            differences: row[4]
                .split_whitespace()
                .filter(|told| *told != "-")
                .collect(),
        })
        .collect()
}

/// The figures of the answer that are not those of the case.
fn wrong(case: &Case, answer: &Value) -> Vec<String> {
    let figures = case.expected.as_object().expect("figures");
    let told = figures.iter().filter_map(|(place, expected)| {
        let found = answer.pointer(&format!("/{}", place.replace('.', "/")));
        let same = found.is_some_and(|found| same(found, expected));
        (!same).then(|| {
            let found = found.unwrap_or(&Value::Null);
            format!("{} {place}: {found}, not {expected}", case.name)
        })
    });
    told.collect()
}

fn same(found: &Value, expected: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::String(text) => text.parse::<Decimal>().ok(),
        value => value.to_string().parse::<Decimal>().ok(),
    };
    match (number(found), number(expected)) {
        (Some(found), Some(expected)) => found == expected,
        _ => found == expected,
    }
}

/// What the operation answers a test key, which pays nothing.
async fn asked(app: &TestApp, path: &str, body: &Value) -> Value {
    let answer = app.post_as(&app.test_key, path, body, None).await;
    assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
    answer.body
}

/// The items of the answer to a call of so many items.
async fn items(app: &TestApp, path: &str, bodies: Vec<Value>) -> Vec<Value> {
    let answer = asked(app, path, &json!({ "itens": bodies })).await;
    answer["itens"].as_array().expect("items").clone()
}

fn report(wrong: Vec<String>) {
    assert!(
        wrong.is_empty(),
        "{} figures:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The figures of a call of so many items that are not those of the cases.
async fn wrong_of_items(app: &TestApp, path: &str, cases: &[Case]) -> Vec<String> {
    let bodies = cases.iter().map(|case| case.body.clone()).collect();
    let answers = items(app, path, bodies).await;
    assert_eq!(answers.len(), cases.len());
    let pairs = cases.iter().zip(&answers);
    pairs
        .flat_map(|(case, answer)| wrong(case, answer))
        .collect()
}

/// The figures of an answer about the Simples that are not those of the case.
async fn wrong_of_simples(app: &TestApp, case: &Case) -> Vec<String> {
    let operation = match case.body.get("folha12") {
        Some(_) => "fator-r",
        None => "aliquota",
    };
    let path = format!("/api/v1/fiscal/simples/{operation}");
    wrong(case, &asked(app, &path, &case.body).await)
}

on_sqlite! {
    async fn taxes_of_sales(app: TestApp) {
        let cases = cases(SALES);
        let calls = cases.chunks(BATCH).map(|some| wrong_of_items(&app, CALCULATE, some));
        report(join_all(calls).await.concat());
    }
}

on_sqlite! {
    async fn rates_of_the_simples(app: TestApp) {
        let cases = cases(SIMPLES);
        let calls = cases.iter().map(|case| wrong_of_simples(&app, case));
        let calls = stream::iter(calls).buffered(AT_ONCE);
        report(calls.collect::<Vec<_>>().await.concat());
    }
}

on_sqlite! {
    async fn content_of_importation(app: TestApp) {
        report(wrong_of_items(&app, "/api/v1/fiscal/fci/validar", &cases(CONTENT)).await);
    }
}

/// A sale between two states of goods of an origin, and the rate it has.
fn sale(of: &str, to: &str, origin: &str, rate: &str) -> (Value, Decimal) {
    let body = json!({
        "uf_origem": of, "uf_destino": to, "origem": origin, "regime": "normal", "contribuinte": true,
        "ncm": "94017900", "valor": 100, "aliquota_ipi": 0, "fcp": 0, "data": "2026-11-20",
    });
    (body, rate.parse().expect("a rate"))
}

/// The sales of a call that have another rate.
async fn wrong_rates(app: &TestApp, sales: &[(Value, Decimal)]) -> Vec<String> {
    let bodies = sales.iter().map(|(body, _)| body.clone()).collect();
    let answers = items(app, CALCULATE, bodies).await;
    assert_eq!(answers.len(), sales.len());
    let pairs = sales.iter().zip(&answers);
    let told = pairs.filter_map(|((body, rate), answer)| {
        let found = &answer["icms"]["aliquota"];
        (!same(found, &json!(rate))).then(|| format!("{body}: {found}, not {rate}"))
    });
    told.collect()
}

on_sqlite! {
    async fn rates_between_states(app: TestApp) {
        let to: Vec<&str> = STATES.lines().next().unwrap_or_default().split('\t').skip(1).collect();
        let mut sales = Vec::new();
        for row in rows(STATES) {
            assert_eq!(row.len(), to.len() + 1, "{row:?}");
            for (to, rate) in to.iter().zip(&row[1..]).filter(|(_, rate)| **rate != "-") {
                sales.push(sale(row[0], to, "0", rate));
            }
            // Imported goods go at one rate everywhere: one destination of each state.
            let other = if row[0] == "BA" { "SP" } else { "BA" };
            sales.push(sale(row[0], other, "3", "4"));
        }
        assert_eq!(sales.len(), 27 * 26 + 27);
        let calls = sales.chunks(BATCH).map(|some| wrong_rates(&app, some));
        report(join_all(calls).await.concat());
    }
}

/// `program:place=figure(code+code)`: all of it but the figure.
fn parsed(difference: &'static str) -> Option<(&'static str, &'static str, Vec<&'static str>)> {
    let (program, rest) = difference.split_once(':')?;
    let (place, rest) = rest.split_once('=')?;
    let (_, codes) = rest.strip_suffix(')')?.split_once('(')?;
    Some((program, place, codes.split('+').collect()))
}

/// Every difference has a reason that the list explains, and the list has no reason
/// and no program that no case has.
#[test]
fn every_difference_is_explained() {
    let names: BTreeSet<&str> = rows(PROGRAMS).map(|row| row[0]).collect();
    let reasons: BTreeSet<&str> = rows(DIFFERENCES).map(|row| row[0]).collect();
    for row in rows(PROGRAMS).chain(rows(DIFFERENCES)) {
        assert_eq!(row.len(), 4, "{row:?}");
        assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
    }
    let mut used = BTreeSet::new();
    let mut named = BTreeSet::from(["icms"]);
    let all: Vec<Case> = [SALES, SIMPLES].into_iter().flat_map(cases).collect();
    assert!(all.len() >= 300, "{}", all.len());
    for case in &all {
        let figures = case.expected.as_object().expect("figures");
        assert!(
            !figures.is_empty() && !case.sources.is_empty(),
            "{}",
            case.name
        );
        for source in &case.sources {
            match source.strip_prefix("law:") {
                Some(places) => {
                    let known = places.split(',').all(|place| figures.contains_key(place));
                    assert!(known, "{}: {source}", case.name);
                }
                None => {
                    assert!(names.contains(source), "{}: {source}", case.name);
                    named.insert(*source);
                }
            }
        }
        for difference in &case.differences {
            let (program, _, codes) = parsed(difference).expect(difference);
            assert!(names.contains(program), "{}: {difference}", case.name);
            named.insert(program);
            assert!(
                codes.iter().all(|code| reasons.contains(code)),
                "{}: {difference}",
                case.name
            );
            used.extend(codes);
        }
    }
    assert_eq!(used, reasons, "reasons without a difference");
    assert_eq!(named, names, "programs that no case names");
}
