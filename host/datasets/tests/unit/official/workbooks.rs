//! The TIPI, the classifications of IBS and CBS, and what is wrong with workbooks.

use super::{World, columns, refused, texts, told};
use crate::workbook::{Cell, with_size, workbook};
use datasets::formats::Options;
use datasets::import::Ended;
use store::tables::editions::DatasetKind;

fn tipi() -> Vec<Vec<Cell<'static>>> {
    vec![
        texts(&["TABELA DE INCIDÊNCIA DO IMPOSTO SOBRE PRODUTOS INDUSTRIALIZADOS"]),
        texts(&["NCM", "EX", "DESCRIÇÃO", "ALÍQUOTA (%)"]),
        texts(&["22.03", "", "Cervejas de malte", ""]),
        vec![
            Cell::Text("2203.00.00"),
            Cell::None,
            Cell::Inline("- Cervejas & chope"),
            Cell::Number("3.8999999999999999"),
        ],
        texts(&["2203.00.00", "01", "Chope", "NT"]),
        vec![
            Cell::Text("2402.20.00"),
            Cell::None,
            Cell::Text("Cigarros"),
            Cell::Number("300"),
        ],
        texts(&["0101.21.00", "", "-- Reprodutores", "nt"]),
    ]
}

#[tokio::test]
async fn the_tipi_as_it_is_published() {
    let world = World::new().await;
    let book = workbook(&[("Notas", vec![texts(&["Seção I"])]), ("TIPI", tipi())]);
    let options = Options {
        date: Some("2026-11-01".to_owned()),
        ..Options::default()
    };
    let outcome = world
        .import_as(DatasetKind::Tipi, &[("tipi.xlsx", book)], options, false)
        .await
        .expect("imported");
    assert_eq!(
        (outcome.ended, outcome.report.wrong, outcome.report.skipped),
        (Ended::Imported, 0, 1)
    );
    assert_eq!(outcome.editions[0].label.version, "2026-11-01");
    let rows = world.rows(DatasetKind::Tipi, "").await;
    assert_eq!(
        columns(&rows, "tipi/22030000/"),
        ["22030000", "", "3.9", "Cervejas & chope"]
    );
    assert_eq!(
        columns(&rows, "tipi/22030000/01"),
        ["22030000", "01", "NT", "Chope"]
    );
    assert_eq!(
        columns(&rows, "tipi/24022000/"),
        ["24022000", "", "300", "Cigarros"]
    );
    assert_eq!(columns(&rows, "tipi/01012100/")[2], "NT");

    let mut wrong = tipi();
    wrong.push(texts(&["2203.00.00", "", "Cervejas", "4"]));
    wrong.push(texts(&["2204.10.10", "", "Espumante", "x"]));
    wrong.push(texts(&["2204.10.90", "", "Outros", ""]));
    wrong.push(texts(&["2204.2", "", "Outros", "5"]));
    let outcome = world
        .import(DatasetKind::Tipi, "tipi.xlsx", workbook(&[("TIPI", wrong)]))
        .await
        .expect("read");
    assert_eq!(outcome.ended, Ended::Refused);
    assert_eq!(
        told(&outcome),
        [
            (8, "tipi/22030000/ is there already; the first one counts"),
            (9, "ALÍQUOTA is no rate"),
            (10, "ALÍQUOTA is empty"),
            (11, "NCM has not 8 digits"),
        ]
    );
    assert_eq!(outcome.report.shown[0].file, "tipi.xlsx[TIPI]");
    assert_eq!(world.rows(DatasetKind::Tipi, "").await.len(), 4);
}

#[tokio::test]
async fn workbooks_that_are_refused() {
    let world = World::new().await;
    let whole = workbook(&[("TIPI", tipi())]);
    let cell = "a".repeat(32_768);
    let mut huge = tipi();
    huge.push(texts(&["2204.10.10", "", &cell, "1"]));
    let mut far = tipi();
    far.push(vec![Cell::None; 500]);
    far[7].push(Cell::Number("1"));
    for (file, why) in [
        (
            whole[..whole.len() - 40].to_vec(),
            "its directory is missing",
        ),
        (whole[..whole.len() / 2].to_vec(), "not a whole ZIP"),
        (
            with_size(&[("TIPI", tipi())], 4_000_000_000),
            "unpacks to more than",
        ),
        (with_size(&[("TIPI", tipi())], 10), "has another size"),
        (
            workbook(&[("TIPI", huge)]),
            "a cell has more than 32767 characters",
        ),
        (workbook(&[("TIPI", far)]), "more than 500 columns"),
        (
            workbook(&[("TIPI", vec![texts(&["NCM", "EX"])])]),
            "no column aliquota",
        ),
        (workbook(&[]), "no column ncm"),
        (b"NCM;EX\n1;2\n".to_vec(), "no column aliquota"),
    ] {
        refused(
            world.import(DatasetKind::Tipi, "tipi.xlsx", file).await,
            why,
        );
    }
    let day = Options {
        date: Some("01/11/2026".to_owned()),
        ..Options::default()
    };
    let outcome = world
        .import_as(DatasetKind::Tipi, &[("tipi.xlsx", whole)], day, false)
        .await;
    refused(outcome, "is no day AAAA-MM-DD");
}

const CST: [&str; 10] = [
    "CST-IBS/CBS",
    "Descrição CST-IBS/CBS",
    "ind_gIBSCBS",
    "ind_gIBSCBSMono",
    "ind_gRed",
    "ind_gDif",
    "ind_gTransfCred",
    "ind_ gCredPresIBSZFM",
    "ind_gAjusteCompet",
    "ind_RedutorBC",
];
const CLASS: [&str; 26] = [
    "CST-IBS/CBS",
    "Descrição CST-IBS/CBS",
    "cClassTrib",
    "Nome cClassTrib",
    "Descrição cClassTrib",
    "LC Redação",
    "LC 214/25",
    "Tipo de Alíquota",
    "pRedIBS",
    "pRedCBS",
    "ind_gTribRegular",
    "ind_gCredPresOper",
    "ind_gMonoPadrao",
    "ind_gMonoReten",
    "ind_gMonoRet",
    "ind_gpBioDiferenca",
    "ind_gEstornoCred",
    "tpRBSN",
    "dIniVig",
    "dFimVig",
    "DataAtualização",
    "indNFe",
    "indNFCe",
    "indCTe",
    "indNFSe",
    "ANEXO",
];

fn class<'a>(code: &'a str, kind: &'a str, reduction: &'a str) -> Vec<Cell<'a>> {
    let mut cells = texts(&["", "", "", "Nome", "Descrição", "", "Art. 9º", "", "", ""]);
    cells[0] = Cell::Number("200");
    cells[2] = Cell::Text(code);
    cells[7] = Cell::Text(kind);
    cells[8] = Cell::Number(reduction);
    cells[9] = Cell::Number(reduction);
    cells.extend(["0", "1", "0", "0", "0", "0", "0", "1", "46023"].map(Cell::Number));
    cells.push(Cell::None);
    cells.extend(["46330", "1", "1", "0", "0"].map(Cell::Number));
    cells
}

fn groups(code: &str) -> Vec<Cell<'_>> {
    let mut cells = vec![Cell::Text(code), Cell::Text("Alíquota reduzida")];
    cells.extend(["1", "0", "1", "0", "0", "0", "0", "0"].map(Cell::Number));
    cells
}

#[tokio::test]
async fn classifications_of_ibs_and_cbs() {
    let world = World::new().await;
    let book = |classes: Vec<Vec<Cell<'static>>>, cst: &'static str| {
        let mut rows = vec![texts(&CLASS)];
        rows.extend(classes);
        workbook(&[
            (
                "CST",
                vec![texts(&CST), groups(cst), texts(&["", "Nota de rodapé"])],
            ),
            ("cClassTrib", rows),
        ])
    };
    let whole = book(
        vec![
            class("200003", "Padrão", "100"),
            class("200900", "Uniforme nacional (referência)", "60"),
        ],
        "200",
    );
    let outcome = world
        .import(DatasetKind::ClassTrib, "cClassTrib.xlsx", whole)
        .await
        .expect("imported");
    assert_eq!(
        (outcome.ended, outcome.report.wrong),
        (Ended::Imported, 0),
        "{:?}",
        outcome.report
    );
    // 46330 is a day of the workbook.
    assert_eq!(outcome.editions[0].label.version, "2026-11-04");
    let rows = world.rows(DatasetKind::ClassTrib, "").await;
    assert_eq!(
        columns(&rows, "cst_ibs_cbs/200"),
        [
            "200",
            "1",
            "0",
            "1",
            "0",
            "0",
            "0",
            "0",
            "0",
            "Alíquota reduzida"
        ]
    );
    assert_eq!(
        columns(&rows, "class_trib/200900"),
        [
            "200900",
            "n",
            "60",
            "60",
            "0",
            "1",
            "0",
            "0",
            "0",
            "0",
            "0",
            "0",
            "1",
            "2026-01-01",
            "",
            "1",
            "1",
            "0",
            "0",
            "Art. 9º",
            "Nome"
        ]
    );
    let other = book(vec![class("200003", "Padrão", "0")], "000");
    refused(
        world.import(DatasetKind::ClassTrib, "a.xlsx", other).await,
        "CST 200 of a cClassTrib is not in its sheet",
    );
    let wrong = vec![
        class("200003", "Outra", "0"),
        class("200004", "Fixa", "101"),
        class("x", "Fixa", "0"),
        class("200005", "Fixa", "0"),
        class("200005", "Fixa", "0"),
    ];
    let outcome = world
        .import(DatasetKind::ClassTrib, "a.xlsx", book(wrong, "200"))
        .await
        .expect("read");
    assert_eq!(
        told(&outcome),
        [
            (2, "Tipo de Alíquota is none of those that are known"),
            (3, "pRedIBS is no rate"),
            (4, "cClassTrib has not 6 digits"),
            (
                6,
                "class_trib/200005 is there already; the first one counts"
            ),
        ]
    );
    let only = workbook(&[("CST", vec![texts(&CST), groups("200")])]);
    refused(
        world.import(DatasetKind::ClassTrib, "a.xlsx", only).await,
        "lacks the sheet",
    );
    assert_eq!(world.rows(DatasetKind::ClassTrib, "").await.len(), 3);
}
