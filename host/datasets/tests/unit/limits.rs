//! Files that are larger, longer or other than they may be.

use crate::bases::{World, company, line};
use datasets::ImportError;
use datasets::check::check;
use datasets::files::Files;
use datasets::formats::Options;
use datasets::progress::Progress;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use store::tables::editions::DatasetKind;

fn judged(
    kind: DatasetKind,
    name: &str,
    bytes: &[u8],
    date: Option<&str>,
) -> Result<(), ImportError> {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    let options = Options {
        today: "2026-11-26".to_owned(),
        date: date.map(str::to_owned),
        ..Options::default()
    };
    let files = Files::open(&[path])?;
    check(kind, &files, &options, &Arc::new(Progress::default())).map(drop)
}

fn packed(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).expect("packed");
    packed.finish().expect("packed")
}

#[test]
fn a_line_has_an_end() {
    let long = "x".repeat(3 << 20);
    let columns = ";".repeat(3 << 20);
    let quoted = "\n".repeat(3 << 20);
    for text in [
        format!("gtin;nome\n96385074;{long}\n"),
        format!("gtin;nome\n96385074;a{columns}\n"),
        format!("gtin;nome\n96385074;\"{quoted}\"\n"),
        long.clone(),
    ] {
        let refused = judged(DatasetKind::Products, "lista.csv.gz", &packed(&text), None);
        let why = refused.expect_err("too long").to_string();
        assert!(why.contains("a line has more than 1048576 bytes"), "{why}");
    }
    let many = "96385074;Goma\n".repeat(300_000);
    let refused = judged(
        DatasetKind::Products,
        "lista.csv",
        format!("gtin;nome\n{many}").as_bytes(),
        None,
    );
    assert!(refused.is_ok(), "many lines are no long one: {refused:?}");
    let json = format!("{{\"code\":\"{}\"}}\n", "1".repeat(17 << 20));
    let refused = judged(
        DatasetKind::OpenFoodFacts,
        "off.jsonl.gz",
        &packed(&json),
        None,
    );
    let why = refused.expect_err("too long").to_string();
    assert!(why.contains("line 1 has more than"), "{why}");
}

#[test]
fn what_is_no_file_is_not_read() {
    let refused = Files::open(&["/dev/null".into()]).expect_err("no file");
    assert!(refused.to_string().contains("no regular file"), "{refused}");
}

#[test]
fn a_file_that_changed_is_not_believed() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("lista.csv");
    std::fs::write(&path, "gtin;nome\n96385074;Goma\n").expect("written");
    let files = Files::open(std::slice::from_ref(&path)).expect("read");
    files.unchanged().expect("the same");
    std::fs::write(&path, "gtin;nome\n96385074;Bala\n").expect("written");
    let refused = files.unchanged().expect_err("another");
    assert!(
        refused.to_string().contains("changed while it was read"),
        "{refused}"
    );
}

#[test]
fn a_table_of_next_year_is_refused() {
    let table = b"cest;ncm;descricao\n1710000;1701;Acucar\n";
    for (date, taken) in [
        ("2026-11-26", true),
        ("2026-12-20", true),
        ("2027-06-01", false),
        ("9998-12-31", false),
    ] {
        let judged = judged(DatasetKind::Cest, "cest.csv", table, Some(date));
        assert_eq!(judged.is_ok(), taken, "{date}: {judged:?}");
    }
}

#[test]
fn the_first_wrong_line_is_told_where_none_is_right() {
    let refused = judged(
        DatasetKind::Products,
        "lista.csv",
        b"gtin;nome\n1;a\n",
        None,
    )
    .expect_err("no rows");
    let why = refused.to_string();
    assert!(why.contains("no rows; lista.csv, line 2: gtin"), "{why}");
}

#[tokio::test]
async fn a_long_line_of_a_base_and_two_months() {
    let world = World::new().await;
    let long = line("10000000", "000145").replace("CENTRO", &"C".repeat(2 << 20));
    world.write("K.K03200Y0.D51114.ESTABELE", long.as_bytes());
    world.write("K.K03200Y0.D51114.EMPRECSV", company("10000000").as_bytes());
    let refused = |path: &Path| {
        let path = path.to_owned();
        let world = &world;
        async move {
            let refused = world.import(DatasetKind::Cnpj, &path).await;
            refused.expect_err("refused").to_string()
        }
    };
    let why = refused(&world.month()).await;
    assert!(why.contains("a line has more than"), "{why}");
    world.write(
        "K.K03200Y0.D51114.ESTABELE",
        line("10000000", "000145").as_bytes(),
    );
    world.write(
        "K.K03200Y1.D51215.ESTABELE",
        line("10000001", "000190").as_bytes(),
    );
    let why = refused(&world.month()).await;
    assert!(why.contains("import one month at a time"), "{why}");
}
