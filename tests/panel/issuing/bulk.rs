//! Many notes of a file: checked line by line, confirmed, issued, told.

use crate::browser::{Browser, Page};
use crate::pages::{account, company};
use crate::registered;
use crate::worlds::{live_company, turn};
use std::collections::BTreeSet;
use tests::{TestApp, both, on_sqlite};

/// Titles as a shop might write them; the separator of spreadsheets in Brazil.
pub const TITLES: &str =
    "CNPJ;Cliente;CEP;Rua;Nº;Bairro;Cidade;UF;Produto;NCM;Qtd;Preço;Pagamento;Vendedor";

/// Credits of an NF-e.
const PRICE: i64 = 4;

/// A line that is right.
pub fn line(at: usize) -> String {
    format!(
        "12.345.678/0001-95;Cliente {at} Ltda;30140-071;Rua da Bahia;{at};Centro;Belo Horizonte;MG;Café torrado {at};0901.21.00;2;18,90;PIX;Ana"
    )
}

/// Sends a file; the page it leads to, or that refuses it.
pub async fn upload(
    browser: &mut Browser,
    emitter: &str,
    kind: &str,
    name: &str,
    file: &[u8],
) -> Page {
    browser.get("/painel/lotes").await;
    browser
        .upload(
            "/painel/lotes",
            &[
                ("tipo", None, kind.as_bytes()),
                ("emitente", None, emitter.as_bytes()),
                ("arquivo", Some(name), file),
            ],
        )
        .await
}

/// The rows of a spreadsheet that a page offers, whose texts have neither semicolons nor line breaks.
pub async fn csv(browser: &mut Browser, path: &str) -> Vec<Vec<String>> {
    let file = browser.get(path).await;
    assert_eq!(file.status, 200, "{path}: {}", file.html);
    let text = file.html.trim_start_matches('\u{feff}');
    let cell = |cell: &str| {
        let quoted = cell
            .strip_prefix('"')
            .and_then(|cell| cell.strip_suffix('"'));
        quoted.map_or_else(|| cell.to_owned(), |cell| cell.replace("\"\"", "\""))
    };
    text.lines()
        .map(|line| line.split(';').map(cell).collect())
        .collect()
}

/// Confirms a batch, with these boxes ticked; its page once it says this.
pub async fn confirmed(
    browser: &mut Browser,
    (page, to): (&Page, &str),
    ticked: &[(&str, &str)],
    said: &str,
) -> Page {
    let action = format!("{to}/emitir");
    let form = page.filled(&action, ticked);
    let sent = browser.submit(&action, &form).await;
    assert_eq!((sent.status, sent.to.as_str()), (303, to), "{}", sent.html);
    browser.until(to, said).await
}

/// Credits an account can spend, and those that are held.
async fn credits(app: &TestApp, account: &str) -> (i64, i64) {
    let mut conn = app.app.db.read().await.expect("connection");
    let balances = accounts::ledger::balances(&mut conn, &account.into()).await;
    let balances = balances.expect("balances");
    (balances.available, balances.held)
}

on_sqlite! {
    async fn five_of_fifty_lines_are_wrong_and_the_others_are_issued(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let mut lines: Vec<String> = (1..=50).map(line).collect();
        for (at, from, to) in [
            (3, "12.345.678/0001-95", "12.345.678/0001-96"),
            (11, "0901.21.00", "0901"),
            (22, "18,90", "dezoito"),
            (33, "Belo Horizonte", "Belo Horizont"),
            (44, "PIX", "fiado"),
        ] {
            lines[at - 1] = lines[at - 1].replacen(from, to, 1);
        }
        let file = format!("{TITLES}\r\n{}\r\n\r\n", lines.join("\r\n"));
        let sent = upload(&mut browser, &emitter, "nfe", "vendas.csv", file.as_bytes()).await;
        assert!(sent.status == 303 && sent.to.starts_with("/painel/lotes/lot_"), "{} {}", sent.status, sent.html);
        let page = browser.get(&sent.to).await;
        assert!(page.has("nada foi emitido ainda") && page.has("Emitir 45 notas de R$ 1.701,00"), "{}", page.html);
        // Each wrong line by its number, its column and what to write.
        for (at, column, said) in [(4, "CPF ou CNPJ", "não é válido: confira os dígitos"), (12, "NCM", "oito números"), (23, "Valor unitário", "Não é um número"), (34, "Município", "Belo Horizonte/MG"), (45, "Forma de pagamento", "PIX, Dinheiro")] {
            let row = page.html.split("<tr>").find(|row| row.contains(&format!(">{at}</td>")) && row.contains(column)).unwrap_or_default();
            assert!(row.contains(said), "line {at}: {row}: {}", page.html);
            // On a narrow screen nothing else says what the number is.
            assert!(row.contains(&format!("<span class=\"so-estreito\">Linha </span>{at}</td>")), "line {at}: {row}");
        }
        assert!(!page.has("itens[") && !page.has("cpf_cnpj"), "{}", page.html);
        assert!(page.has("Não entendemos uma coluna, e ela não será usada: </strong>Vendedor."), "{}", page.html);
        assert!(!browser.get("/painel/documentos").await.has(">NF-e 1<"), "nothing is sent before somebody confirms");
        // The wrong lines alone, to be corrected and sent again.
        let wrong = csv(&mut browser, &format!("{}/corrigir.csv", sent.to)).await;
        assert_eq!((wrong.len(), wrong[0].last().map(String::as_str)), (6, Some("O que corrigir")), "{wrong:?}");
        assert!(wrong[2][13] == "Ana" && wrong[2][14].starts_with("NCM: "), "{wrong:?}");
        // Nobody else reaches it.
        let mut other = registered(&app, "outra@exemplo.com.br").await;
        for path in ["", "/corrigir.csv", "/resultado.csv"] {
            assert_eq!(other.get(&format!("{}{path}", sent.to)).await.status, 404, "{path}");
        }
        other.get("/painel/chaves").await;
        for action in ["emitir", "descartar"] {
            assert_eq!(other.send(&format!("{}/{action}", sent.to), &[]).await.status, 404, "{action}");
        }

        let action = format!("{}/emitir", sent.to);
        let form = page.form(&action);
        let confirmed = browser.submit(&action, &form).await;
        assert_eq!((confirmed.status, &confirmed.to), (303, &sent.to), "{}", confirmed.html);
        // Again, by the same form and by another: it issues once.
        browser.submit(&action, &form).await;
        browser.send(&action, &[]).await;
        let done = browser.until(&sent.to, ">concluído<").await;
        assert!(done.has("45 emitidas") && done.has("5 a corrigir") && done.has("45 de 45 notas"), "{}", done.html);
        let result = csv(&mut browser, &format!("{}/resultado.csv", sent.to)).await;
        assert_eq!(result.len(), 51);
        let at = |title: &str| result[0].iter().position(|one| one == title).expect("a column");
        let (state, number) = (at("Situação"), at("Número da nota"));
        let numbers: BTreeSet<i64> = result[1..].iter().filter(|row| row[state] == "emitida").filter_map(|row| row[number].parse().ok()).collect();
        assert_eq!(numbers, (1..=45).collect::<BTreeSet<i64>>(), "each note once, and no number is left out");
        assert_eq!(result[1..].iter().filter(|row| row[state] == "a corrigir").count(), 5);
        let list = browser.get("/painel/lotes").await;
        assert!(list.has("vendas.csv") && list.has("45 emitidas, 5 a corrigir"), "{}", list.html);
        app.check_invariants().await;
    }
}

both! {
    async fn lines_of_one_note_are_its_items(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let template = browser.get("/painel/lotes/modelo/nfe.csv").await;
        assert!(template.has("CPF ou CNPJ") && template.has("Belo Horizonte"), "{}", template.html);
        let sent = upload(&mut browser, &emitter, "nfe", "modelo.csv", &template.bytes).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("Emitir 1 nota de R$ 45,30"), "the template can be sent as it is: {} {}", sent.html, page.html);
        let confirmed = browser.submit(&format!("{}/emitir", sent.to), &page.form(&format!("{}/emitir", sent.to))).await;
        assert_eq!(confirmed.to, sent.to, "{}", confirmed.html);
        let done = browser.until(&sent.to, "1 emitida").await;
        let note = done.html.split("href=\"").find(|rest| rest.starts_with("/painel/documentos/nfe_")).and_then(|rest| rest.split(['"', '?']).next());
        let xml = browser.get(&format!("{}/xml", note.expect("a note"))).await;
        assert!(xml.has("<vNF>45.30</vNF>") && xml.has("Filtro de papel"), "{}", xml.html);
        app.check_invariants().await;
    }
}

both! {
    async fn a_file_sent_again_issues_what_was_not_issued(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        let account = account(&mut browser).await;
        turn(&mut browser, "producao").await;
        let (begin, _) = credits(&app, &account).await;
        let mended = format!("{TITLES}\n{}\n{}\n{}\n{}\n", line(1), line(2), line(3), line(4));
        let wrong = mended.replace("Café torrado 3;0901.21.00", "Café torrado 3;0901");
        let first = upload(&mut browser, &emitter, "nfe", "vendas.csv", wrong.as_bytes()).await;
        let page = browser.get(&first.to).await;
        assert!(page.has("Emitir 3 notas") && !page.has("name=\"repetidas\""), "{} {}", first.html, page.html);
        assert!(page.has("As notas terão valor fiscal.") && page.has("a carta de correção, para erros pequenos"), "{}", page.html);
        assert!(page.has("Linhas iguais a notas já emitidas são apontadas"), "{}", page.html);
        confirmed(&mut browser, (&page, first.to.as_str()), &[], "3 emitidas, 1 a corrigir").await;
        assert_eq!(credits(&app, &account).await, (begin - 3 * PRICE, 0));

        // The whole file, mended: what was issued is named and left out.
        let second = upload(&mut browser, &emitter, "nfe", "vendas.csv", mended.as_bytes()).await;
        let page = browser.get(&second.to).await;
        assert!(page.has("3 notas são iguais a outras já emitidas") && page.has("Emitir também as 3 notas iguais"), "{} {}", second.html, page.html);
        assert!(page.has("Emitir 1 nota de R$ 37,80") && page.has("4 créditos"), "{}", page.html);
        assert!(page.has("<dt>Prontas para emitir</dt><dd><strong>1 nota</strong>") && !page.has("As notas já emitidas continuam"), "{}", page.html);
        for (at, known) in [(2, true), (3, true), (4, false), (5, true)] {
            let link = format!("Linha {at}: igual à <a href=\"/painel/documentos/nfe_");
            assert_eq!(page.has(&link), known, "line {at}: {}", page.html);
        }
        let done = confirmed(&mut browser, (&page, second.to.as_str()), &[], "1 emitida, 3 repetidas").await;
        assert!(done.has("1 de 1 nota"), "{}", done.html);
        // Who throws the batch away is told that its notes stay.
        browser.until(&second.to, "As notas já emitidas continuam valendo").await;
        assert_eq!(credits(&app, &account).await, (begin - 4 * PRICE, 0));
        let result = csv(&mut browser, &format!("{}/resultado.csv", second.to)).await;
        let at = result[0].iter().position(|title| title == "Situação").expect("a column");
        let states: Vec<&str> = result[1..].iter().map(|row| row[at].as_str()).collect();
        assert_eq!(states, ["repetida", "repetida", "emitida", "repetida"]);
        let why = "Não foi emitida: é igual à nota ";
        assert_eq!(result.iter().filter(|row| row.iter().any(|cell| cell.contains(why))).count(), 3, "{result:?}");

        // Somebody wants all of them again.
        let third = upload(&mut browser, &emitter, "nfe", "vendas.csv", mended.as_bytes()).await;
        let page = browser.get(&third.to).await;
        assert!(page.has("4 notas são iguais") && page.has("Emitir mesmo assim as 4 repetidas"), "{} {}", third.html, page.html);
        for text in ["<dt>Prontas para emitir</dt><dd><strong>0 notas</strong>", "<dt>Repetidas</dt><dd><strong>4 notas</strong>", "<p class=\"so-repetidas\">Com elas: 4 notas, R$ 151,20. Preço: 16 créditos"] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        // Neither a button nor an amount of notes that are not issued.
        assert!(!page.has("Emitir 4 notas") && !page.has("Total das notas prontas"), "{}", page.html);
        let done = confirmed(&mut browser, (&page, third.to.as_str()), &[("repetidas", "1")], "4 emitidas").await;
        assert!(!done.has("repetida"), "{}", done.html);
        assert_eq!(credits(&app, &account).await, (begin - 8 * PRICE, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn equal_notes_of_one_file_and_refused_ones_do_not_count(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        let account = account(&mut browser).await;
        turn(&mut browser, "producao").await;
        let (begin, _) = credits(&app, &account).await;
        app.app.simulator.sim.add_fault(sim::Fault {
            quando: sim::When { operacao: Some("autorizar".to_owned()), vezes: Some(1), ..Default::default() },
            falha: sim::FaultKind::Recusar,
            codigo: Some("778".to_owned()),
            mensagem: Some("Rejeicao: Informado NCM inexistente".to_owned()),
            ..Default::default()
        });
        // A shop sells the same twice; one of the two is refused.
        let file = format!("{TITLES}\n{}\n{}\n", line(1), line(1));
        let first = upload(&mut browser, &emitter, "nfe", "vendas.csv", file.as_bytes()).await;
        let page = browser.get(&first.to).await;
        assert!(page.has("Emitir 2 notas") && !page.has("name=\"repetidas\""), "{} {}", first.html, page.html);
        confirmed(&mut browser, (&page, first.to.as_str()), &[], "1 emitida, 1 recusada").await;
        // The one that was issued stands for one line.
        let second = upload(&mut browser, &emitter, "nfe", "vendas.csv", file.as_bytes()).await;
        let page = browser.get(&second.to).await;
        assert!(page.has("1 nota é igual a outra já emitida") && page.has("Emitir 1 nota de"), "{} {}", second.html, page.html);
        // In the other world nothing is equal.
        turn(&mut browser, "teste").await;
        let test = upload(&mut browser, &emitter, "nfe", "vendas.csv", file.as_bytes()).await;
        let tested = browser.get(&test.to).await;
        assert!(tested.has("Emitir 2 notas") && !tested.has("name=\"repetidas\""), "{} {}", test.html, tested.html);
        confirmed(&mut browser, (&page, second.to.as_str()), &[], "1 emitida, 1 repetida").await;
        assert_eq!(credits(&app, &account).await, (begin - 2 * PRICE, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_batch_without_credits_says_where_it_stopped(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        let account = account(&mut browser).await;
        turn(&mut browser, "producao").await;
        let (begin, _) = credits(&app, &account).await;
        assert_eq!(begin, 50 * PRICE, "the lines below are for these");
        let lines: Vec<String> = (1..=53).map(line).collect();
        let file = format!("{TITLES}\n{}\n", lines.join("\n"));
        let sent = upload(&mut browser, &emitter, "nfe", "vendas.csv", file.as_bytes()).await;
        let page = browser.get(&sent.to).await;
        let stopped = confirmed(&mut browser, (&page, sent.to.as_str()), &[], ">parado<").await;
        assert_eq!(credits(&app, &account).await, (0, 0));
        // The last notes are sent at a time: any of the lines 50 to 54 is the first that is left.
        let notice = stopped.html.split("O lote parou na linha 5").nth(1).and_then(|rest| rest.split("</p>").next());
        assert!(notice.is_some_and(|notice| notice.contains("<a href=\"/painel/creditos\">Comprar créditos</a>")), "{}", stopped.html);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn files_that_cannot_be_read_say_why(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        for (name, file, said) in [
            ("vazio.csv", &b""[..], "Escolha um arquivo"),
            ("nota.pdf", b"%PDF-1.7", "Este é um PDF"),
            ("velho.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "Excel antigo"),
            ("quebrado.xlsx", b"PK\x03\x04 nada", "planilha não pôde ser lida"),
            ("titulos.csv", b"Produto;NCM\nCafe;09012100\n", "não achamos: CPF ou CNPJ, Nome, Quantidade"),
            ("so-titulos.csv", b"Produto;NCM\n", "não tem linhas"),
        ] {
            let page = upload(&mut browser, &emitter, "nfe", name, file).await;
            assert!(page.status == 422 && page.has(said) && page.has("role=\"alert\""), "{name}: {} {}", page.status, page.html);
        }
        // In the characters of Windows, with commas.
        let file = b"Descri\xe7\xe3o,Valor,C\xf3digo do servi\xe7o\nConsultoria \xe0 dist\xe2ncia,\"1.234,50\",10101\n";
        let sent = upload(&mut browser, &emitter, "nfse", "servicos.csv", file).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("R$ 1.234,50"), "{} {}", sent.html, page.html);
        assert!(!page.has("Não entendemos"), "{}", page.html);
        // An address with a line break could name more receivers of the mail.
        let good = format!("{};compras@cliente.com.br", line(1));
        let bad = format!("{};\"compras@cliente.com.br\nBcc: outro@cliente.com.br\"", line(2));
        let file = format!("{TITLES};E-mail\n{good}\n{bad}\n");
        let to_correct = upload(&mut browser, &emitter, "nfe", "emails.csv", file.as_bytes()).await;
        let found = browser.get(&to_correct.to).await;
        let row = found.html.split("<tr>").find(|row| row.contains(">3</td>") && row.contains("E-mail")).unwrap_or_default();
        assert!(row.contains("nome@empresa.com.br") && found.has("Emitir 1 nota"), "{}", found.html);
        // It is discarded, and gone.
        let action = format!("{}/descartar", sent.to);
        let gone = browser.submit(&action, &page.form(&action)).await;
        assert_eq!(gone.to, "/painel/lotes", "{}", gone.html);
        assert_eq!(browser.get(&sent.to).await.status, 404);
    }
}
