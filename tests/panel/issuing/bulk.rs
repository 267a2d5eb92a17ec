//! Many notes of a file: checked line by line, confirmed, issued, told.

use crate::browser::{Browser, Page};
use crate::pages::company;
use crate::registered;
use std::collections::BTreeSet;
use tests::{both, on_sqlite};

/// Titles as a shop might write them; the separator of spreadsheets in Brazil.
const TITLES: &str =
    "CNPJ;Cliente;CEP;Rua;Nº;Bairro;Cidade;UF;Produto;NCM;Qtd;Preço;Pagamento;Vendedor";

fn line(at: usize) -> String {
    format!(
        "12.345.678/0001-95;Cliente {at} Ltda;30140-071;Rua da Bahia;{at};Centro;Belo Horizonte;MG;Café torrado {at};0901.21.00;2;18,90;PIX;Ana"
    )
}

/// Sends a file; the page it leads to, or that refuses it.
async fn upload(browser: &mut Browser, emitter: &str, kind: &str, name: &str, file: &[u8]) -> Page {
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

/// The lines of a file that a page offers.
async fn csv(browser: &mut Browser, path: &str) -> Vec<Vec<String>> {
    let file = browser.get(path).await;
    assert_eq!(file.status, 200, "{path}: {}", file.html);
    let text = file.html.trim_start_matches('\u{feff}');
    text.lines()
        .map(|line| line.split(';').map(str::to_owned).collect())
        .collect()
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
        for (at, column, said) in [(4, "CPF ou CNPJ", "não existe"), (12, "NCM", "oito números"), (23, "Valor unitário", "Não é um número"), (34, "Município", "Belo Horizonte/MG"), (45, "Forma de pagamento", "PIX, Dinheiro")] {
            let row = page.html.split("<tr>").find(|row| row.contains(&format!(">{at}</td>")) && row.contains(column)).unwrap_or_default();
            assert!(row.contains(said), "line {at}: {row}: {}", page.html);
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
