//! Records of municipalities and what differs between two registries.

use super::{SMALL, shipped, small_with};
use flow::registry::{Change, Registry};
use serde_json::json;

fn read(text: &str) -> Registry {
    Registry::parse(text).expect("a registry that is right")
}

fn changed(field: &str, before: Option<&str>, after: Option<&str>) -> Change {
    Change {
        field: field.to_owned(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    }
}

#[test]
fn a_record_has_what_its_route_inherits() {
    let small = read(SMALL);
    let record = small.municipality(1_100_015).expect("Alta").record();
    assert_eq!(record["codigo_ibge"], "1100015");
    assert_eq!(record["fonte"], "lei");
    let route = &record["rotas"][0];
    assert_eq!(route["sistema"], "filho");
    assert_eq!(route["nome"], "Base", "of the system it inherits from");
    assert_eq!(route["adaptador"], "abrasf");
    assert_eq!(
        route["producao"],
        json!({ "nfse": "https://alta.example/ws" })
    );
    let options =
        json!({ "aliquota": "percentual", "assina": "rps,lote", "namespace": "urn:base" });
    assert_eq!(route["opcoes"], options);

    let unknown = small.municipality(1_100_031).expect("Calada").record();
    assert_eq!(unknown["rotas"], json!([]));
    let moved = small.municipality(1_100_049).expect("Dobrada").record();
    assert_eq!(moved["rotas_anteriores"][0]["visto_em"], "2025-06-16");
}

#[test]
fn a_registry_does_not_differ_from_itself() {
    assert_eq!(shipped().differences(shipped()), []);
}

#[test]
fn a_new_address_is_one_change_of_one_municipality() {
    let (old, new) = ("https://alta.example/ws", "https://alta.example/v2");
    let differences = read(SMALL).differences(&read(&small_with(old, new)));
    assert_eq!(differences.len(), 1, "{differences:?}");
    assert_eq!(
        differences[0].municipalities,
        [(1_100_015, "Alta".to_owned(), "RO".to_owned())]
    );
    let (old, new) = (format!("{old:?}"), format!("{new:?}"));
    let change = changed("rotas/0/producao/nfse", Some(&old), Some(&new));
    assert_eq!(differences[0].changes, [change]);
}

#[test]
fn municipalities_with_the_same_change_stand_together() {
    let text = small_with(
        r#"1100031 = { nome = "Calada", uf = "RO" }"#,
        r#"1100031 = { nome = "Calada", uf = "RO", rota = { sistema = "filho", producao = "https://calada.example/ws" }, fonte = "lei" }"#,
    );
    let before = read(&text);
    let after = read(&text.replace(r#"assina = ["rps", "lote"] }"#, r#"assina = ["rps"] }"#));
    let differences = before.differences(&after);
    // Dobrada has it in a route of before: another place, another group.
    let groups: Vec<(Vec<u32>, &str)> = differences
        .iter()
        .map(|group| {
            let codes = group.municipalities.iter().map(|place| place.0);
            (codes.collect(), group.changes[0].field.as_str())
        })
        .collect();
    assert_eq!(
        groups,
        [
            (vec![1_100_015, 1_100_031], "rotas/0/opcoes/assina"),
            (vec![1_100_049], "rotas_anteriores/0/opcoes/assina"),
        ]
    );
}

#[test]
fn what_is_taken_away_has_no_value_of_now() {
    let after = read(&small_with(
        r#"rota = { sistema = "outro" }, emissor_nacional = true, conflito = "dois", "#,
        r#"rota = { sistema = "outro" }, emissor_nacional = true, "#,
    ));
    let differences = read(SMALL).differences(&after);
    assert_eq!(
        differences[0].changes,
        [changed("conflitos/0", Some("\"dois\""), None)]
    );
}
