//! The NCM.

use super::{World, columns, refused, told};
use datasets::formats::Options;
use datasets::import::Ended;
use store::tables::editions::DatasetKind;

fn ncm(day: &str, codes: &str) -> Vec<u8> {
    format!(
        "{{\"Data_Ultima_Atualizacao_NCM\":\"Vigente em {day}\",\"Ato\":\"Resolução Gecex nº 999/2026\",\"Nomenclaturas\":[{codes}]}}"
    )
    .into_bytes()
}

fn code(code: &str, text: &str, from: &str, until: &str) -> String {
    format!(
        "{{\"Codigo\":\"{code}\",\"Descricao\":\"{text}\",\"Data_Inicio\":\"{from}\",\"Data_Fim\":\"{until}\",\"Tipo_Ato_Ini\":\"Res Gecex\",\"Numero_Ato_Ini\":\"999\",\"Ano_Ato_Ini\":\"2026\"}}"
    )
}

#[tokio::test]
async fn the_nomenclature_as_it_is_published() {
    let world = World::new().await;
    let codes = [
        code("01", "Animais vivos.", "01/04/2022", "31/12/9999"),
        code(
            "0101.21.00",
            "-- Reprodutores de raça pura",
            "01/04/2022",
            "31/12/9999",
        ),
        code(
            "0301.93",
            "- <i>Cyprinus</i> spp., a < b",
            "01/10/2026",
            "30/11/2026",
        ),
    ];
    let file = ncm("20/11/2026", &codes.join(","));
    let short = world
        .import_as(
            DatasetKind::Ncm,
            &[("ncm.json", file.clone())],
            Options::default(),
            false,
        )
        .await;
    refused(
        short,
        "3 rows, and the active edition has 15156: is the file whole?",
    );
    assert!(world.rows(DatasetKind::Ncm, "").await.is_empty());
    let outcome = world
        .import(DatasetKind::Ncm, "ncm.json", file)
        .await
        .expect("imported");
    assert_eq!(outcome.ended, Ended::Imported);
    let edition = &outcome.editions[0];
    assert_eq!(
        (edition.label.version.as_str(), edition.rows),
        ("2026-11-20", 3)
    );
    assert_eq!(edition.changes.built_in.as_deref(), Some("2026-08-13"));
    assert_eq!((edition.changes.new, edition.changes.gone), (0, 15_153));
    let rows = world.rows(DatasetKind::Ncm, "").await;
    assert_eq!(
        columns(&rows, "ncm/01"),
        ["01", "", "", "", "Animais vivos"]
    );
    assert_eq!(
        columns(&rows, "ncm/01012100"),
        ["01012100", "UN", "", "", "Reprodutores de raça pura"],
        "its unit stays"
    );
    assert_eq!(
        columns(&rows, "ncm/030193"),
        [
            "030193",
            "",
            "2026-10-01",
            "2026-11-30",
            "Cyprinus spp., a < b"
        ]
    );
}

#[tokio::test]
async fn what_would_change_is_told_and_not_written() {
    let world = World::new().await;
    let mut codes: Vec<String> = data::ncm::all()
        .iter()
        .filter(|row| row.codigo != "01012100")
        .map(|row| {
            let date = |date: Option<time::Date>, none: &str| {
                date.map_or(none.to_owned(), |date| {
                    format!(
                        "{:02}/{:02}/{}",
                        date.day(),
                        u8::from(date.month()),
                        date.year()
                    )
                })
            };
            let text = if row.codigo == "01012900" {
                "Mudou"
            } else {
                row.description
            };
            code(
                row.codigo,
                &text.replace('\\', "\\\\").replace('"', "\\\""),
                &date(row.validity.start, "01/04/2022"),
                &date(row.validity.end, "31/12/9999"),
            )
        })
        .collect();
    codes.push(code("9999.00.01", "Novo", "01/11/2026", "31/12/9999"));
    let file = ncm("20/11/2026", &codes.join(","));
    let looked = world
        .import_as(
            DatasetKind::Ncm,
            &[("ncm.json", file)],
            Options::default(),
            true,
        )
        .await
        .expect("read");
    let changes = &looked.editions[0].changes;
    assert_eq!(
        (looked.ended, changes.new, changes.changed, changes.gone),
        (Ended::DryRun, 1, 1, 1)
    );
    let shown: Vec<(&str, bool)> = changes
        .shown
        .iter()
        .map(|one| (one.key.as_str(), one.gone))
        .collect();
    assert_eq!(shown, [("ncm/01012100", true), ("ncm/01012900", false)]);
    assert!(world.rows(DatasetKind::Ncm, "").await.is_empty());
}

#[tokio::test]
async fn files_of_the_nomenclature_that_are_refused() {
    let world = World::new().await;
    let one = code("01", "Animais vivos", "01/04/2022", "31/12/9999");
    let whole = ncm("20/11/2026", &one);
    world
        .import(DatasetKind::Ncm, "a.json", whole.clone())
        .await
        .expect("imported");
    let text = String::from_utf8(whole.clone()).expect("text");
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    for (file, why) in [
        (whole[..whole.len() - 9].to_vec(), "ends early"),
        (
            b"{\"Nomenclaturas\":1}".to_vec(),
            "is not the JSON of the Siscomex",
        ),
        (utf16, "is UTF-16"),
        (
            text.replace("Vigente em 20/11/2026", "").into_bytes(),
            "add --date",
        ),
        (
            ncm("12/08/2026", &one),
            "the table that is built in of 2026-08-13",
        ),
        (ncm("19/11/2026", &one), "--older imports it"),
        (ncm("21/11/2026", ""), "no rows"),
        (
            text.replace("vivos", "vivÃ§os").into_bytes(),
            "encoded twice",
        ),
    ] {
        refused(world.import(DatasetKind::Ncm, "b.json", file).await, why);
        let rows = world.rows(DatasetKind::Ncm, "").await;
        assert_eq!(rows.len(), 1, "{why}");
    }
    // Lines that are wrong, each with its place and reason.
    let long = "a".repeat(4_001);
    let codes = [
        one.clone(),
        code("0101", "Cavalos", "31/02/2022", "31/12/9999"),
        code("0101.2", "", "01/04/2022", "31/12/9999"),
        code("0101.21.00.1", "x", "01/04/2022", "31/12/9999"),
        one.clone(),
        code("0102", &long, "01/04/2022", "31/12/9999"),
        code("0103", "x", "01/04/2022", "01/04/2021"),
        "{\"Descricao\":\"x\"}".to_owned(),
    ];
    let outcome = world
        .import(
            DatasetKind::Ncm,
            "b.json",
            ncm("21/11/2026", &codes.join(",")),
        )
        .await
        .expect("read");
    assert_eq!((outcome.ended, outcome.report.lines), (Ended::Refused, 8));
    assert_eq!(
        told(&outcome),
        [
            (2, "Data_Inicio is no day"),
            (3, "Descricao is empty"),
            (4, "Codigo has not 2 to 8 digits"),
            (5, "ncm/01 is there already; the first one counts"),
            (6, "Descricao has more than 4000 characters"),
            (7, "Data_Fim is before Data_Inicio"),
            (8, "missing field `Codigo`"),
        ]
    );
    let older = Options {
        fewer: true,
        older: true,
        ..Options::default()
    };
    let file = [("c.json", ncm("19/11/2026", &one))];
    let outcome = world
        .import_as(DatasetKind::Ncm, &file, older, false)
        .await
        .expect("imported");
    assert_eq!(outcome.ended, Ended::Imported);
}
