use panel::pages::bulk::batch::{contradictions, fields, groups, lost, made};
use panel::pages::bulk::columns::{Columns, template};
use panel::pages::bulk::in_turn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

fn cells(line: &[&str]) -> Vec<String> {
    line.iter().map(|cell| (*cell).to_owned()).collect()
}

#[test]
fn titles_are_known_as_people_write_them() {
    let titles = cells(&[
        "cpf/cnpj",
        "RAZAO SOCIAL",
        "Descrição",
        "ncm",
        "Qtde.",
        "Valor unitário (R$)",
        "forma de pagamento",
        "Vendedor",
        "O que corrigir",
        "",
    ]);
    let columns = Columns::read(&titles, "nfe")
        .map_err(|error| error.clone())
        .expect("columns");
    assert_eq!(columns.unknown, ["Vendedor"]);
    // A column of ours, by its title of today and of before.
    assert!(["Identificador", "Id"].into_iter().all(Columns::is_added));
    let line = cells(&["1", " Ana ", "Café", "09012100", "2"]);
    assert_eq!(
        (
            columns.get(&line, "nome"),
            columns.get(&line, "valor"),
            columns.get(&line, "uf")
        ),
        ("Ana", "", "")
    );
    let twice = Columns::read(&cells(&["Valor", "Preço", "Descrição"]), "nfse");
    assert!(twice.is_err_and(|error| error.contains("repetida")));
    let missing = Columns::read(&cells(&["Valor"]), "nfse");
    assert!(missing.is_err_and(|error| error.contains("Descrição") && error.contains("modelo")));
    // Registered products come by their code alone.
    let titles = cells(&["Código", "Qtd", "Pagamento"]);
    assert!(Columns::read(&titles, "nfce").is_ok());
    let missing = Columns::read(&titles, "nfse");
    assert!(missing.is_err_and(|error| error.contains("Descrição")));
    for kind in ["nfe", "nfce", "nfse"] {
        let lines = template(kind);
        let columns = Columns::read(&lines[0], kind);
        assert!(
            columns.is_ok_and(|columns| columns.unknown.is_empty()),
            "{kind}"
        );
        assert!(
            lines.iter().all(|line| line.len() == lines[0].len()),
            "{kind}"
        );
    }
}

#[test]
fn lines_with_one_note_are_its_items() {
    let titles = cells(&[
        "Nota",
        "CNPJ",
        "Nome",
        "Descrição",
        "NCM",
        "Qtd",
        "Valor",
        "Pagamento",
        "CEP",
    ]);
    let columns = Columns::read(&titles, "nfe")
        .map_err(|error| error.clone())
        .expect("columns");
    let lines = vec![
        cells(&[
            "7",
            "1222333000181",
            "Ana",
            "Café",
            "9012100",
            "2",
            "18,90",
            "Cartão de crédito",
            "1310100",
        ]),
        cells(&[
            "",
            "52998224725",
            "Bia",
            "Chá",
            "09024000",
            "1",
            "5",
            "pix",
            "",
        ]),
        Vec::new(),
        cells(&["7", "", "", "Filtro", "48232099", "1", "7,50", "", ""]),
        cells(&[
            "",
            "52998224725",
            "Caio",
            "Chá",
            "09024000",
            "1",
            "5",
            "fiado",
            "",
        ]),
    ];
    let groups = groups(&columns, lines);
    let numbers: Vec<&[i64]> = groups
        .iter()
        .map(|group| group.numbers.as_slice())
        .collect();
    assert_eq!(numbers, [&[2, 5][..], &[3], &[6]]);
    // What a note has once is said once, or alike.
    let mut other = groups[0].clone();
    assert!(contradictions(&columns, &other).is_empty());
    other.lines[1][2] = "ANA".to_owned();
    assert!(contradictions(&columns, &other).is_empty());
    other.lines[1][2] = "Bia".to_owned();
    let found = contradictions(&columns, &other);
    assert_eq!(
        found
            .iter()
            .map(|fault| (fault.line, fault.column.as_str()))
            .collect::<Vec<_>>(),
        [(5, "Nome")]
    );
    let form = fields(&columns, &groups[0], "nfe", "emi_1");
    for (name, value) in [
        ("tipo", "nfe"),
        ("emitente", "emi_1"),
        // Spreadsheets take the zeros from the beginning of numbers.
        ("documento", "01222333000181"),
        ("cep", "01310100"),
        ("ncm", "09012100"),
        ("descricao-2", "Filtro"),
        ("valor-2", "7,50"),
        ("forma", "cartao_credito"),
    ] {
        assert_eq!(form.get(name), value, "{name}");
    }
    assert_eq!(
        fields(&columns, &groups[2], "nfe", "emi_1").get("forma"),
        "fiado"
    );
}

/// A workbook hands a rate over as its cell shows it; an amount is no percentage.
#[test]
fn a_rate_may_have_its_sign() {
    let columns = Columns::read(&cells(&["Descrição", "Valor", "ISS", "Desconto"]), "nfse")
        .map_err(|error| error.clone())
        .expect("columns");
    let lines = vec![cells(&["Programa", "100,00", "2,5%", "10%"])];
    let form = fields(&columns, &groups(&columns, lines)[0], "nfse", "emi_1");
    assert_eq!((form.get("aliquota"), form.get("desconto")), ("2,5", "10%"));
}

/// `10` is ten reais in one column and ten per cent in another.
#[test]
fn a_title_that_says_another_unit_is_not_known() {
    let known = [
        "Desconto (R$)",
        "Desconto (R$ 0.000,00)",
        "ISS (%)",
        "Quantidade",
        "Quantidade (0,000)",
        "Nome (sem acentos)",
        "CEP (00000-000)",
    ];
    let unknown = [
        "Desconto %",
        "Desconto (%)",
        "Desconto (percentual)",
        "Quantidade (total)",
        "Quantidade (tot.)",
        "Desconto ％",
        "Desconto (por cento)",
        "Desconto (R$ mil)",
        "Desconto (R$ 1.000)",
        "Desconto (R$ 000)",
        "ISS ‰",
        "ISS (R$)",
        "ISS (valor)",
    ];
    for title in known.iter().chain(&unknown) {
        let columns = Columns::read(&cells(&["Descrição", "Preço (R$)", title]), "nfse")
            .map_err(|error| error.clone())
            .expect("columns");
        let told = columns.unknown.iter().any(|one| one == title);
        assert_eq!(told, unknown.contains(title), "{title}");
    }
    // A price of all of them is not that of one.
    for title in [
        "Valor (total)",
        "Valor (tot.)",
        "Valor (mil)",
        "Valor ％",
        "Valor ‰",
    ] {
        let other = Columns::read(&cells(&["Descrição", title]), "nfse");
        let told = other.is_err_and(|error| error.contains("não achamos: Valor unitário"));
        assert!(told, "{title}");
    }
}

#[test]
fn a_cell_without_a_title_is_a_fault_of_its_line() {
    let columns = Columns::read(&cells(&["Descrição", "", "Valor", "Vendedor"]), "nfse")
        .map_err(|error| error.clone())
        .expect("columns");
    let lines = vec![
        cells(&["Programa", " ", "1500", "Ana", "", " "]),
        cells(&["Programa", "", "1500", "Ana", "", "50"]),
        cells(&["Programa", "por mês", "1500"]),
    ];
    let groups = groups(&columns, lines);
    let found: Vec<_> = groups.iter().flat_map(|one| lost(&columns, one)).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    for (fault, (line, cell)) in found.iter().zip([(3, "\"50\""), (4, "\"por mês\"")]) {
        assert_eq!(fault.line, line);
        assert!(fault.sentence.starts_with(cell), "{fault:?}");
    }
}

/// `118,90` without quotes is two cells, and the last ones may be empty.
#[test]
fn a_line_that_commas_made_longer_is_a_fault() {
    let titles = cells(&["Descrição", "Valor", "Desconto"]);
    let read = || {
        Columns::read(&titles, "nfse")
            .map_err(|error| error.clone())
            .expect("columns")
    };
    let lines = vec![
        cells(&["Programa", "118", "90", ""]),
        cells(&["Programa", "118", ""]),
        cells(&["Programa", "118"]),
    ];
    let told = |columns: &Columns| -> Vec<i64> {
        let groups = groups(columns, lines.clone());
        let found = groups.iter().flat_map(|one| lost(columns, one));
        found.map(|fault| fault.line).collect()
    };
    assert_eq!(told(&read().parted(3)), [2]);
    // Other separators part no amount.
    assert_eq!(told(&read()), [0_i64; 0]);
}

#[test]
fn columns_of_the_other_kind_of_note_are_told() {
    let read = |titles: &[&str], kind: &str| {
        Columns::read(&cells(titles), kind)
            .map_err(|error| error.clone())
            .expect("columns")
    };
    // A service has another code than a product.
    let titles = ["Descrição", "Valor", "Código", "NCM", "Forma", "IE", "Nota"];
    let columns = read(&titles, "nfse");
    assert_eq!(columns.unknown, ["Código", "NCM", "Forma", "IE"]);
    let line = cells(&["Programa", "100,00", "01.07.01"]);
    assert_eq!(columns.get(&line, "codigo"), "");
    // It is not one that is missing, and not there twice.
    let titles = ["Código", "Qtd", "Pagamento", "Alíquota", "ISS"];
    assert_eq!(read(&titles, "nfce").unknown, ["Alíquota", "ISS"]);
}

#[test]
fn what_a_spreadsheet_made_of_a_cell_is_a_fault() {
    let titles = ["Nota", "Descrição", "Valor", "Número", "Nome", "Vendedor"];
    let columns = Columns::read(&cells(&titles), "nfse")
        .map_err(|error| error.clone())
        .expect("columns");
    let lines = vec![
        cells(&["1", "Baile de 10/02/2026", "100", "10/2", "Ana", "#N/D"]),
        cells(&["2", "10/02/2026", "100", "10/02/2026", "#N/A", ""]),
        cells(&["#REF!", "#NOME?", "100", "10", "Ana", ""]),
    ];
    let groups = groups(&columns, lines);
    let found: Vec<_> = groups.iter().flat_map(|one| made(&columns, one)).collect();
    let told: Vec<_> = found
        .iter()
        .map(|fault| (fault.line, fault.column.as_str()))
        .collect();
    let expected = [(3, "Número"), (3, "Nome"), (4, "Nota"), (4, "Descrição")];
    assert_eq!(told, expected, "{found:?}");
    assert!(found[1].sentence.contains("erro da planilha (#N/A)"));
}

#[tokio::test]
async fn few_files_are_read_at_once_and_the_others_wait() {
    static PLACES: Semaphore = Semaphore::const_new(2);
    let count = Arc::new(AtomicUsize::new(0));
    let reading = (0..6).map(|_| {
        let count = Arc::clone(&count);
        in_turn(&PLACES, move || {
            let others = count.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(20));
            count.fetch_sub(1, Ordering::SeqCst);
            others
        })
    });
    for others in futures::future::join_all(reading).await {
        assert!(others.expect("read") < 2);
    }
    assert_eq!(PLACES.available_permits(), 2);
}
