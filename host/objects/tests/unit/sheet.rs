use objects::sheet::{has_commas, is_error, is_moment, read, written};

fn cells(line: &[&str]) -> Vec<String> {
    line.iter().map(|cell| (*cell).to_owned()).collect()
}

#[test]
fn files_are_read_as_spreadsheets_write_them() {
    let expected = [
        cells(&["Descrição", "Valor"]),
        cells(&["Café; moído", "18,90"]),
        Vec::new(),
        cells(&["b", "1"]),
    ];
    let utf8 = "\u{feff}Descrição;Valor\r\n\"Café; moído\";18,90\r\n\r\nb;1\r\n\r\n";
    assert_eq!(read("a.csv", utf8.as_bytes()).expect("lines"), expected);
    let windows = b"Descri\xe7\xe3o\tValor\nCaf\xe9; mo\xeddo\t18,90\n\nb\t1\n";
    assert_eq!(read("a.csv", windows).expect("lines"), expected);
    let many = format!("a;b\n{}", "1;2\n".repeat(501));
    assert!(read("a.csv", many.as_bytes()).is_err_and(|error| error.contains("500")));
    // What a spreadsheet would take for a formula stays text.
    let line = cells(&[
        "=1+1",
        "-5,00",
        "-x",
        "-1+2",
        "a;b",
        "c\"d",
        "12345678000195",
        "Silva, João",
        "duas\nlinhas",
        "1.234,56",
    ]);
    let out = written(&[line.clone(), line.clone()]);
    let text = String::from_utf8(out.clone()).expect("text");
    let first = text.split("\r\n").next().expect("a line");
    assert_eq!(
        first,
        "\u{feff}'=1+1;-5,00;'-x;'-1+2;\"a;b\";\"c\"\"d\";\"=\"\"12345678000195\"\"\";\"Silva, João\";\"duas\nlinhas\";1.234,56"
    );
    // A file of ours comes back as it was.
    assert_eq!(read("a.csv", &out).expect("lines"), [line.clone(), line]);
}

#[test]
fn the_titles_say_what_parts_the_cells() {
    assert!(has_commas(b"a,b,c\n1;2,3;4;5;6\n"));
    for other in [&b"a;b,c;d\n"[..], b"a\tb\n1,2,3\n", b"a\n1,2\n", b"PK,,,"] {
        assert!(!has_commas(other), "{other:?}");
    }
}

/// A ZIP whose files are not packed.
fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let offset = u32::try_from(out.len()).expect("small").to_le_bytes();
        let size = u32::try_from(content.len()).expect("small").to_le_bytes();
        let named = u16::try_from(name.len()).expect("short").to_le_bytes();
        let common = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &size,
            &size,
            &named,
            &[0, 0],
        ]
        .concat();
        out.extend(
            [
                b"PK\x03\x04".as_slice(),
                &common,
                name.as_bytes(),
                content.as_bytes(),
            ]
            .concat(),
        );
        directory.extend(
            [
                b"PK\x01\x02\x14\0".as_slice(),
                &common,
                &[0; 10],
                &offset,
                name.as_bytes(),
            ]
            .concat(),
        );
    }
    let count = u16::try_from(files.len()).expect("few").to_le_bytes();
    let at = u32::try_from(out.len()).expect("small").to_le_bytes();
    let size = u32::try_from(directory.len()).expect("small").to_le_bytes();
    out.extend(directory);
    out.extend(
        [
            b"PK\x05\x06\0\0\0\0".as_slice(),
            &count,
            &count,
            &size,
            &at,
            &[0, 0],
        ]
        .concat(),
    );
    out
}

#[test]
fn the_first_sheet_of_a_workbook_is_read() {
    let shared = "<sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><si><t>Descrição</t></si><si><r><t>Café </t></r><r><t>torrado</t></r></si></sst>";
    let sheet = "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>\
        <row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"inlineStr\"><is><t>Valor</t></is></c></row>\
        <row r=\"3\"><c r=\"A3\" t=\"s\"><v>1</v></c><c r=\"B3\"><v>1.2345678000195E13</v></c><c r=\"C3\"><v>18.899999999999999</v></c></row>\
        </sheetData></worksheet>";
    let book = zip(&[
        ("[Content_Types].xml", "<Types/>"),
        ("xl/sharedStrings.xml", shared),
        ("xl/worksheets/sheet1.xml", sheet),
    ]);
    let lines = read("vendas.xlsx", &book).expect("lines");
    assert_eq!(
        lines,
        [
            cells(&["Descrição", "", "Valor"]),
            Vec::new(),
            cells(&["Café torrado", "12345678000195", "18,9"])
        ]
    );
    for broken in [&book[..book.len() - 30], b"PK\x03\x04"] {
        assert!(read("vendas.xlsx", broken).is_err());
    }
}

/// A file has a shared text once, and as many cells that show it as it likes.
#[test]
fn a_long_text_in_many_cells_is_refused() {
    let shared = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(1_048_576));
    let cells = "<c t=\"s\"><v>0</v></c>".repeat(20);
    let sheet = format!("<worksheet><sheetData><row>{cells}</row></sheetData></worksheet>");
    let book = zip(&[
        ("xl/sharedStrings.xml", &shared),
        ("xl/worksheets/sheet1.xml", &sheet),
    ]);
    let refused = read("vendas.xlsx", &book).expect_err("too much");
    assert!(refused.contains("texto demais"), "{refused}");
}

/// A number is kept without what its format shows: 5% as 0.05, 10/02/2026 as 46063.
#[test]
fn percentages_and_dates_of_a_workbook_are_read_as_they_are_shown() {
    let styles = "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><numFmts count=\"7\">\
        <numFmt numFmtId=\"164\" formatCode=\"0.0%;[Red]\\-0.0%\"/><numFmt numFmtId=\"165\" formatCode=\"0&quot;%&quot;\"/>\
        <numFmt numFmtId=\"166\" formatCode=\"[$-416]d\\/mmm;@\"/><numFmt numFmtId=\"167\" formatCode=\"[Red]_-[$R$-416]\\ * #,##0.00_-&quot;dias&quot;\"/>\
        <numFmt numFmtId=\"168\" formatCode=\"[h]\"/>\
        <numFmt numFmtId=\"169\" formatCode=\"[&lt;1]0%;0\"/><numFmt numFmtId=\"170\" formatCode=\"_-* 0%_-;\\-* 0%_-;_-* &quot;-&quot;_-;_-@_-\"/></numFmts>\
        <cellStyleXfs><xf numFmtId=\"9\"/></cellStyleXfs><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"9\"/><xf numFmtId=\"164\"/><xf numFmtId=\"165\"/>\
        <xf numFmtId=\"14\"/><xf numFmtId=\"22\"/><xf numFmtId=\"166\"/><xf numFmtId=\"167\"/><xf numFmtId=\"168\"/><xf numFmtId=\"49\"/>\
        <xf numFmtId=\"169\"/><xf numFmtId=\"170\"/></cellXfs></styleSheet>";
    let cases = [
        ("", "0.05", "0,05"),
        ("0", "0.05", "0,05"),
        ("1", "0.05", "5%"),
        ("1", "2.9999999999999999E-2", "3%"),
        ("2", "2.5000000000000001E-2", "2,5%"),
        ("3", "5", "5%"),
        ("4", "46063", "10/02/2026"),
        ("5", "46063.5", "10/02/2026 12:00"),
        ("6", "46063", "10/02/2026"),
        ("7", "18.899999999999999", "18,9"),
        ("8", "0.0625", "01:30"),
        ("9", "7", "7"),
        ("4", "-1", "########"),
        ("4", "30140071", "########"),
        ("1", "9999999999999999999999999999", "########"),
        // Nobody knows which of its sections a number is shown by.
        ("10", "0.05", "########"),
        ("10", "5", "########"),
        ("11", "0.05", "5%"),
        // Nearer to zero than an amount has places.
        ("0", "2.7755575615628914E-17", "0"),
        ("0", "-2.7755575615628914E-17", "0"),
        ("1", "1E-300", "0%"),
    ];
    let row: String = cases
        .iter()
        .map(|(style, value, _)| match *style {
            "" => format!("<c><v>{value}</v></c>"),
            style => format!("<c s=\"{style}\"><v>{value}</v></c>"),
        })
        .collect();
    let sheet = format!(
        "<worksheet><sheetData><row><c s=\"4\"/></row><row>{row}</row></sheetData></worksheet>"
    );
    let lines = read(
        "vendas.xlsx",
        &zip(&[
            ("xl/styles.xml", styles),
            ("xl/worksheets/sheet1.xml", &sheet),
        ]),
    )
    .expect("lines");
    for ((style, value, shown), cell) in cases.iter().zip(&lines[1]) {
        assert_eq!(cell, shown, "{value} in style {style}");
    }
    // Files of old Macs count from another day.
    let lines = read(
        "vendas.xlsx",
        &zip(&[
            (
                "xl/workbook.xml",
                "<workbook xmlns:r=\"urn:r\"><workbookPr date1904=\"1\"/><sheets><sheet r:id=\"a\"/></sheets></workbook>",
            ),
            (
                "xl/_rels/workbook.xml.rels",
                "<Relationships><Relationship Id=\"a\" Type=\"/worksheet\" Target=\"/xl/dias.xml\"/></Relationships>",
            ),
            ("xl/styles.xml", styles),
            (
                "xl/dias.xml",
                "<worksheet><sheetData><row/><row><c s=\"4\"><v>44601</v></c></row></sheetData></worksheet>",
            ),
        ]),
    )
    .expect("lines");
    assert_eq!(lines[1], ["10/02/2026"]);
}

/// Nobody knows what a number means whose format cannot be read.
#[test]
fn a_workbook_with_styles_that_cannot_be_read_is_refused() {
    let sheet = "<worksheet><sheetData><row><c><v>1</v></c></row><row><c s=\"1\"><v>0.05</v></c></row></sheetData></worksheet>";
    let deep = format!("<styleSheet>{}", "<a>".repeat(100));
    let long = format!(
        "<styleSheet><cellXfs><xf/><xf/></cellXfs><!--{}--></styleSheet>",
        "x".repeat(8 * 1_048_576)
    );
    for styles in ["<styleSheet", &deep[..], &long[..], "<styleSheet/>", ""] {
        let book = zip(&[
            ("xl/styles.xml", styles),
            ("xl/worksheets/sheet1.xml", sheet),
        ]);
        let refused = read("vendas.xlsx", &book).expect_err("styles");
        assert!(refused.contains("não pôde ser lida"), "{refused}");
    }
}

fn rows(cells: &str) -> String {
    format!(
        "<worksheet><sheetData><row><c t=\"inlineStr\"><is><t>a</t></is></c></row><row>{cells}</row></sheetData></worksheet>"
    )
}

fn book(sheets: &str) -> String {
    format!("<workbook xmlns:r=\"urn:r\"><sheets>{sheets}</sheets></workbook>")
}

fn relation(id: &str, kind: &str, target: &str) -> String {
    format!("<Relationship Id=\"{id}\" Type=\"urn:x/{kind}\" Target=\"{target}\"/>")
}

fn relations(relations: &[String]) -> String {
    format!("<Relationships>{}</Relationships>", relations.concat())
}

fn refused(parts: &[(&str, &str)]) -> bool {
    read("vendas.xlsx", &zip(parts)).is_err_and(|error| error.contains("não pôde ser lida"))
}

/// What is there and cannot be read is not taken for absent: the other sheet, or plain numbers,
/// would be read.
#[test]
fn a_workbook_with_a_part_that_cannot_be_read_is_refused() {
    let sheet = rows("<c><v>1</v></c>");
    let long = format!("<workbook><!--{}--></workbook>", "x".repeat(8 * 1_048_576));
    for path in [
        "xl/workbook.xml",
        "xl/_rels/workbook.xml.rels",
        "xl/sharedStrings.xml",
        "xl/styles.xml",
        "xl/worksheets/sheet1.xml",
    ] {
        for content in [long.as_str(), "", "<a", "w\0o\0r\0k\0"] {
            let book = book("<sheet name=\"a\" r:id=\"a\"/>");
            let relations = relations(&[relation("a", "worksheet", "worksheets/sheet1.xml")]);
            let mut parts = vec![
                ("xl/workbook.xml", book.as_str()),
                ("xl/_rels/workbook.xml.rels", relations.as_str()),
                ("xl/worksheets/sheet1.xml", sheet.as_str()),
            ];
            assert!(read("vendas.xlsx", &zip(&parts)).is_ok());
            parts.retain(|(name, _)| *name != path);
            parts.push((path, content));
            assert!(refused(&parts), "{path}: {}", content.len());
        }
    }
    // A shared text that the file does not have.
    let sheet = rows("<c t=\"s\"><v>1</v></c>");
    for texts in ["<sst/>", "<sst><si><t>a</t></si></sst>"] {
        assert!(refused(&[
            ("xl/sharedStrings.xml", texts),
            ("xl/worksheets/sheet1.xml", &sheet)
        ]));
    }
    // A file that names a workbook that is not where it is looked for.
    let sheet = rows("<c><v>1</v></c>");
    assert!(refused(&[
        ("_rels/.rels", "<Relationships/>"),
        ("xl/worksheets/sheet1.xml", &sheet)
    ]));
}

#[test]
fn parts_of_a_workbook_are_found_by_their_whole_paths() {
    let (shadow, sheet) = (rows("<c><v>9</v></c>"), rows("<c><v>0.05</v></c>"));
    let styles = "<styleSheet><cellXfs><xf numFmtId=\"9\"/></cellXfs></styleSheet>";
    let book = book("<sheet name=\"a\" r:id=\"a\"/>");
    let read_with = |target: &str, styles_target: &str| {
        let relations = relations(&[
            relation("a", "worksheet", target),
            relation("b", "styles", styles_target),
        ]);
        read(
            "vendas.xlsx",
            &zip(&[
                ("docs/xl/worksheets/sheet1.xml", &shadow),
                ("xl/workbook.xml", &book),
                ("xl/_rels/workbook.xml.rels", &relations),
                ("xl/worksheets/sheet1.xml", &sheet),
                ("xl/other.xml", styles),
            ]),
        )
    };
    for target in ["worksheets/sheet1.xml", "/xl/worksheets/sheet1.xml"] {
        let lines = read_with(target, "other.xml").expect("lines");
        assert_eq!(lines[1], ["5%"], "{target}");
    }
    for (target, styles_target) in [
        ("sheet1.xml", "other.xml"),
        ("", "other.xml"),
        ("../xl/worksheets/sheet1.xml", "other.xml"),
        ("worksheets/sheet1.xml", "styles.xml"),
    ] {
        let error = read_with(target, styles_target).expect_err("no part");
        assert!(error.contains("não pôde ser lida"), "{target}: {error}");
    }
}

/// Small files, once they are packed, that would take much memory or time.
#[test]
fn a_workbook_of_too_many_elements_is_refused() {
    let sheet = rows("<c><v>1</v></c>");
    let cells = rows(&"<c/>".repeat(200_000));
    let attributes = rows(&"<c a=\"\" b=\"\" d=\"\"/>".repeat(90_000));
    for sheet in [&cells, &attributes] {
        assert!(refused(&[("xl/worksheets/sheet1.xml", sheet)]));
    }
    for (path, content) in [
        ("xl/sharedStrings.xml", "<si/>"),
        ("xl/styles.xml", "<xf/>"),
        ("xl/workbook.xml", "<a/>"),
    ] {
        let content = format!("<a>{}</a>", content.repeat(200_000));
        assert!(
            refused(&[(path, &content), ("xl/worksheets/sheet1.xml", &sheet)]),
            "{path}"
        );
    }
    let one = relation("a", "worksheet", "worksheets/sheet1.xml");
    let many = relations(&[one.repeat(20_000)]);
    assert!(refused(&[
        ("xl/workbook.xml", &book("<sheet name=\"a\" r:id=\"a\"/>")),
        ("xl/_rels/workbook.xml.rels", &many),
        ("xl/worksheets/sheet1.xml", &sheet),
    ]));
}

/// TRUE is no price of 1.
#[test]
fn a_truth_value_of_a_workbook_is_read_as_it_is_shown() {
    let sheet = rows(
        "<c t=\"b\"><v>1</v></c><c t=\"b\"><v>0</v></c><c t=\"b\"/><c t=\"s\"/><c t=\"str\"><v>1</v></c>",
    );
    let book = zip(&[("xl/worksheets/sheet1.xml", &sheet)]);
    let lines = read("vendas.xlsx", &book).expect("lines");
    assert_eq!(lines[1], ["VERDADEIRO", "FALSO", "", "", "1"]);
}

/// Rows that nobody sees become no notes, and are not left out without a word.
#[test]
fn rows_that_are_hidden_are_told() {
    let row = |number: usize, hidden: &str, cell: &str| {
        format!("<row r=\"{number}\"{hidden}>{cell}</row>")
    };
    let filled = "<c t=\"inlineStr\"><is><t>a</t></is></c>";
    let read = |rows: &str| {
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
        read("vendas.xlsx", &zip(&[("xl/worksheets/sheet1.xml", &sheet)]))
    };
    let seen = [row(1, "", filled), row(2, " hidden=\"0\"", filled)].concat();
    // What has no text is no line of the file.
    let empty = row(3, " hidden=\"1\"", "<c s=\"0\"/>");
    assert!(read(&[seen.as_str(), &empty].concat()).is_ok());
    let one = row(5, " hidden=\"1\"", filled);
    let told = read(&[seen.as_str(), &one].concat()).expect_err("hidden");
    assert!(told.starts_with("A linha 5 está oculta"), "{told}");
    let other = row(9, " hidden=\"true\"", filled);
    let told = read(&[seen.as_str(), &one, &other].concat()).expect_err("hidden");
    assert!(told.starts_with("As linhas 5, 9 estão ocultas"), "{told}");
    let many: String = (3..20)
        .map(|number| row(number, " hidden=\"1\"", filled))
        .collect();
    let told = read(&[seen, many].concat()).expect_err("hidden");
    assert!(
        told.starts_with("As linhas 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 e mais 7 estão ocultas"),
        "{told}"
    );
}

/// A far cell is not read; where it says something, that is told.
#[test]
fn a_cell_beyond_the_last_column_is_told() {
    for (cell, is_fine) in [
        ("<c r=\"CV2\" t=\"str\"><v>a</v></c>", false),
        ("<c r=\"CW2\" t=\"str\"><v>a</v></c>", false),
        ("<c r=\"XFD2\" s=\"0\"/>", true),
    ] {
        let sheet = rows(&format!("<c r=\"A2\"><v>1</v></c>{cell}"));
        let lines = read("vendas.xlsx", &zip(&[("xl/worksheets/sheet1.xml", &sheet)]));
        assert_eq!(lines.is_ok(), is_fine, "{cell}");
        let far = lines.is_err_and(|error| error.contains("A linha 2 tem uma célula"));
        assert_eq!(far, cell.contains("CW2"), "{cell}");
    }
}

#[test]
fn errors_and_moments_are_told_from_values() {
    for cell in [
        "#N/D", "#n/a", "#NÚM!", "#DIV/0!", "########", "Err:502", "Erro:508",
    ] {
        assert!(is_error(cell), "{cell}");
    }
    for cell in ["", "#", "#1", "N/D", "Erro: 5", "Peça #REF 2", "C#"] {
        assert!(!is_error(cell), "{cell}");
    }
    for cell in ["10/02/2026", "10/02/2026 12:00", "01:30"] {
        assert!(is_moment(cell), "{cell}");
    }
    for cell in ["", "10/2", "12.345.678/0001-95", "1000", "30140-071"] {
        assert!(!is_moment(cell), "{cell}");
    }
}

/// A workbook of three sheets whose files are not in the order of the tabs: Outubro, Novembro,
/// Modelo. `states` and `sheets` are in that order.
fn tabs(states: [&str; 3], sheets: [&str; 3]) -> Vec<u8> {
    let attribute = |state: &str| match state {
        "" => String::new(),
        state => format!(" state=\"{state}\""),
    };
    let book = format!(
        "<workbook xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets>\
        <sheet name=\"Outubro\" sheetId=\"3\"{} r:id=\"rId3\"/><sheet name=\"Novembro\" sheetId=\"1\"{} r:id=\"rId1\"/>\
        <sheet name=\"Modelo\" sheetId=\"2\"{} r:id=\"rId2\"/></sheets></workbook>",
        attribute(states[0]),
        attribute(states[1]),
        attribute(states[2])
    );
    let relation = |number: usize| {
        format!(
            "<Relationship Id=\"rId{number}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet{number}.xml\"/>"
        )
    };
    let relations: String = (1..=3).map(relation).collect();
    let relations = format!("<Relationships>{relations}</Relationships>");
    let sheet = |cells: &str| {
        format!(
            "<worksheet><sheetData><row><c s=\"0\"/></row><row>{cells}</row></sheetData></worksheet>"
        )
    };
    zip(&[
        ("xl/workbook.xml", &book),
        ("xl/_rels/workbook.xml.rels", &relations),
        ("xl/worksheets/sheet1.xml", &sheet(sheets[1])),
        ("xl/worksheets/sheet2.xml", &sheet(sheets[2])),
        ("xl/worksheets/sheet3.xml", &sheet(sheets[0])),
    ])
}

#[test]
fn the_visible_sheet_that_has_cells_is_read() {
    let (october, november) = ("<c><v>10</v></c>", "<c><v>11</v></c>");
    let blank = "<c s=\"0\"/>";
    for (states, sheets, read_cell) in [
        // The first tab, wherever its file stands; empty ones do not count.
        (["", "", ""], [october, "", blank], "10"),
        (["", "", ""], ["", november, blank], "11"),
        // What is hidden is not read.
        (["hidden", "", ""], [october, november, ""], "11"),
        (
            ["", "hidden", "veryHidden"],
            [october, november, november],
            "10",
        ),
    ] {
        let lines = read("vendas.xlsx", &tabs(states, sheets)).expect("lines");
        assert_eq!(lines[1], [read_cell], "{states:?}");
    }
    let several = tabs(["", "", "hidden"], [october, november, ""]);
    let refused = read("vendas.xlsx", &several).expect_err("two sheets");
    assert!(refused.contains("Outubro e Novembro"), "{refused}");
    let none = tabs(["", "", ""], ["", "", blank]);
    let refused = read("vendas.xlsx", &none).expect_err("no cells");
    assert!(refused.contains("não tem linhas"), "{refused}");
}
