//! Many notes of a workbook, many service notes, and the list of what was sent.

use super::bulk::{TITLES, confirmed, csv, line, upload};
use crate::pages::{account, company};
use crate::registered;
use issuing::model::Model;
use std::convert::Infallible;
use store::TxError;
use store::ids::LoteId;
use store::tables::lotes::{self, LoteRow};
use tests::imports::zipped;
use tests::on_sqlite;

/// A workbook as spreadsheets write it: each text once, quantities and prices as numbers.
fn workbook(lines: &[Vec<String>]) -> Vec<u8> {
    let mut texts: Vec<&str> = Vec::new();
    let mut rows = String::new();
    for (line, at) in lines.iter().zip(1..) {
        rows.push_str(&format!("<row r=\"{at}\">"));
        for (cell, column) in line.iter().zip('A'..='Z') {
            let amount = cell.replace(',', ".");
            let place = format!("{column}{at}");
            if matches!(column, 'K' | 'L') && amount.parse::<f64>().is_ok() {
                rows.push_str(&format!("<c r=\"{place}\"><v>{amount}</v></c>"));
                continue;
            }
            let text = texts.iter().position(|known| known == cell);
            let text = text.unwrap_or_else(|| {
                texts.push(cell);
                texts.len() - 1
            });
            rows.push_str(&format!("<c r=\"{place}\" t=\"s\"><v>{text}</v></c>"));
        }
        rows.push_str("</row>");
    }
    let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let texts: String = texts
        .iter()
        .map(|text| format!("<si><t>{text}</t></si>"))
        .collect();
    let sheet = format!("<worksheet {main}><sheetData>{rows}</sheetData></worksheet>");
    let shared = format!("<sst {main}>{texts}</sst>");
    zipped(&[
        ("xl/sharedStrings.xml", shared.into_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.into_bytes()),
    ])
}

fn cells(line: &str) -> Vec<String> {
    line.split(';').map(str::to_owned).collect()
}

on_sqlite! {
    async fn a_workbook_of_fifty_lines_is_issued_but_for_five(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let mut lines: Vec<Vec<String>> = vec![cells(TITLES)];
        lines.extend((1..=50).map(|at| cells(&line(at))));
        for (at, column, said) in [(3, 0, "12.345.678/0001-96"), (11, 9, "0901"), (22, 11, "dezoito"), (33, 6, "Belo Horizont"), (44, 12, "fiado")] {
            lines[at][column] = said.to_owned();
        }
        let sent = upload(&mut browser, &emitter, "nfe", "vendas.xlsx", &workbook(&lines)).await;
        assert!(sent.status == 303 && sent.to.starts_with("/painel/lotes/lot_"), "{} {}", sent.status, sent.html);
        let page = browser.get(&sent.to).await;
        assert!(page.has("nada foi emitido ainda") && page.has("Emitir 45 notas de R$ 1.701,00"), "{}", page.html);
        for (at, column, said) in [(4, "CPF ou CNPJ", "não é válido: confira os dígitos"), (12, "NCM", "oito números"), (23, "Valor unitário", "Não é um número"), (34, "Município", "Belo Horizonte/MG"), (45, "Forma de pagamento", "PIX, Dinheiro")] {
            let row = page.html.split("<tr>").find(|row| row.contains(&format!(">{at}</td>")) && row.contains(column)).unwrap_or_default();
            assert!(row.contains(said), "line {at}: {row}: {}", page.html);
        }
        let wrong = csv(&mut browser, &format!("{}/corrigir.csv", sent.to)).await;
        assert!(wrong.len() == 6 && wrong[3][11] == "dezoito", "{wrong:?}");
        let done = confirmed(&mut browser, (&page, sent.to.as_str()), &[], ">concluído<").await;
        assert!(done.has("45 emitidas, 5 a corrigir") && done.has("45 de 45 notas"), "{}", done.html);
        let result = csv(&mut browser, &format!("{}/resultado.csv", sent.to)).await;
        let at = result[0].iter().position(|title| title == "Situação").expect("a column");
        let count = |state: &str| result[1..].iter().filter(|row| row[at] == state).count();
        assert_eq!((result.len(), count("emitida"), count("a corrigir")), (51, 45, 5));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn the_workbook_that_is_offered_can_be_sent_as_it_is(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        assert!(browser.get("/painel/lotes").await.has("href=\"/painel/lotes/modelo/nfce.xlsx\""));
        for (kind, said) in [("nfe", "Emitir 1 nota de R$ 45,30"), ("nfce", "Emitir 1 nota de R$ 45,30"), ("nfse", "Emitir 1 nota de R$")] {
            let template = browser.get(&format!("/painel/lotes/modelo/{kind}.xlsx")).await;
            assert!(template.status == 200 && template.bytes.starts_with(b"PK"), "{kind}: {}", template.html);
            assert_eq!(template.file_name(), format!("modelo-{kind}.xlsx"));
            let sent = upload(&mut browser, &emitter, kind, "modelo.xlsx", &template.bytes).await;
            let page = browser.get(&sent.to).await;
            assert!(page.has(said) && !page.has("Não entendemos"), "{kind}: {} {}", sent.html, page.html);
        }
        for name in ["nfe.ods", "cte.xlsx", "nfe"] {
            assert_eq!(browser.get(&format!("/painel/lotes/modelo/{name}")).await.status, 404, "{name}");
        }
    }
}

on_sqlite! {
    async fn service_notes_of_a_file_are_issued(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let titles = "CNPJ;Cliente;CEP;Rua;Nº;Bairro;Cidade;UF;Serviço;Código do serviço;Valor do serviço;ISS";
        let service = |name: &str, price: &str| format!("12.345.678/0001-95;Cliente Exemplo Ltda;30140-071;Rua da Bahia;1000;Centro;Belo Horizonte;MG;{name};01.01.01;{price};2,5");
        let file = format!("{titles}\n{}\n{}\n{}\n", service("Programa", "1.234,50"), service("Site", "mil"), service("Suporte", "100,00"));
        let sent = upload(&mut browser, &emitter, "nfse", "servicos.csv", file.as_bytes()).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("Emitir 2 notas de R$ 1.334,50") && !page.has("Não entendemos"), "{} {}", sent.html, page.html);
        let done = confirmed(&mut browser, (&page, sent.to.as_str()), &[], ">concluído<").await;
        assert!(done.has("2 emitidas, 1 a corrigir") && done.has("2 de 2 notas"), "{}", done.html);
        let result = csv(&mut browser, &format!("{}/resultado.csv", sent.to)).await;
        let at = result[0].iter().position(|title| title == "Identificador").expect("a column");
        assert!(result[1][at].starts_with("nfse_") && result[2][at].is_empty() && result[3][at].starts_with("nfse_"), "{result:?}");
        let note = browser.get(&format!("/painel/documentos/{}", result[1][at])).await;
        assert!(note.has("R$ 1.234,50") && note.has("Cliente Exemplo Ltda"), "{}", note.html);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_percentage_of_a_workbook_is_a_rate_and_no_amount(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let text = |text: &str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
        let titles: String = ["Serviço", "Código do serviço", "Valor", "ISS", "Desconto"].map(text).concat();
        let service = format!("{}{}<c><v>100</v></c><c s=\"1\"><v>0.05</v></c>", text("Suporte"), text("01.01.01"));
        let sheet = format!("<worksheet><sheetData><row>{titles}</row><row>{service}</row><row>{service}<c s=\"1\"><v>0.1</v></c></row></sheetData></worksheet>");
        let styles = "<styleSheet><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"9\"/></cellXfs></styleSheet>";
        let book = zipped(&[
            ("xl/styles.xml", styles.as_bytes().to_vec()),
            ("xl/worksheets/sheet1.xml", sheet.into_bytes()),
        ]);
        let sent = upload(&mut browser, &emitter, "nfse", "servicos.xlsx", &book).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("Emitir 1 nota de R$ 100,00"), "{} {}", sent.html, page.html);
        let row = page.html.split("<tr>").find(|row| row.contains(">3</td>") && row.contains("Desconto")).unwrap_or_default();
        assert!(row.contains("Não é um número"), "{}", page.html);
        let id = sent.to.trim_start_matches("/painel/lotes/");
        let mut conn = app.app.db.read().await.expect("connection");
        let ready = lotes::open(&mut conn, &id.into(), 2).await.expect("notes");
        assert!(ready.len() == 1 && ready[0].corpo.contains(r#""aliquota":"5""#), "{ready:?}");
    }
}

on_sqlite! {
    async fn an_item_that_costs_less_than_half_a_cent_is_asked_about(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let mut lines = vec![cells(TITLES), cells(&line(1)), cells(&line(2))];
        lines[2][11] = "0,000000001".to_owned();
        let sent = upload(&mut browser, &emitter, "nfe", "vendas.xlsx", &workbook(&lines)).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("Emitir 1 nota de R$ 37,80"), "{} {}", sent.html, page.html);
        let row = page.html.split("<tr>").find(|row| row.contains(">3</td>") && row.contains("Valor unitário")).unwrap_or_default();
        assert!(row.contains("O item fica em R$ 0,00."), "{}", page.html);
    }
}

on_sqlite! {
    async fn an_error_of_a_spreadsheet_is_in_no_note(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let file = "Serviço;Código do serviço;Valor\n#N/D;10101;100\nSuporte;10101;#VALOR!\nSuporte;10101;100\n";
        let sent = upload(&mut browser, &emitter, "nfse", "servicos.csv", file.as_bytes()).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("Emitir 1 nota de R$ 100,00") && page.has("erro da planilha (#N/D)") && page.has("erro da planilha (#VALOR!)"), "{} {}", sent.html, page.html);
        // Each is said once.
        assert!(!page.has("Não é um número"), "{}", page.html);
    }
}

on_sqlite! {
    async fn a_cell_that_no_title_stands_above_is_asked_about(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let file = "Serviço,Código do serviço,Valor\nPrograma,10101,1500,50\nSuporte,10101,100\n";
        let sent = upload(&mut browser, &emitter, "nfse", "servicos.csv", file.as_bytes()).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("Emitir 1 nota de R$ 100,00") && page.has("está numa coluna sem título"), "{} {}", sent.html, page.html);
        // It is not lost in the file that is to be corrected, and asked about again.
        let path = format!("{}/corrigir.csv", sent.to);
        let wrong = csv(&mut browser, &path).await;
        assert!(wrong.len() == 2 && wrong[1][..4] == ["Programa", "10101", "1500", "50"], "{wrong:?}");
        let again = browser.get(&path).await.bytes;
        let sent = upload(&mut browser, &emitter, "nfse", "corrigir.csv", &again).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("está numa coluna sem título") && page.has("Nenhuma nota pode ser emitida"), "{} {}", sent.html, page.html);
    }
}

on_sqlite! {
    async fn a_line_with_more_cells_than_titles_is_asked_about(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        // 118,90 without quotes would be a price of 118 and a discount of 90.
        let file = "Serviço,Código do serviço,Valor,Desconto\nPrograma,10101,118,90,\nSuporte,10101,100,\n";
        let sent = upload(&mut browser, &emitter, "nfse", "servicos.csv", file.as_bytes()).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("Emitir 1 nota de R$ 100,00") && page.has("A linha tem mais células que títulos."), "{} {}", sent.html, page.html);
        // The file that is to be corrected does not pass as it is.
        let again = browser.get(&format!("{}/corrigir.csv", sent.to)).await.bytes;
        let sent = upload(&mut browser, &emitter, "nfse", "corrigir.csv", &again).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("confira a linha e apague esta célula") && page.has("Nenhuma nota pode ser emitida"), "{} {}", sent.html, page.html);
        // Semicolons part no amount.
        let sent = upload(&mut browser, &emitter, "nfse", "servicos.csv", "Serviço;Código do serviço;Valor\nSuporte;10101;118,90;\n".as_bytes()).await;
        let page = browser.get(&sent.to).await;
        assert!(page.has("Emitir 1 nota de R$ 118,90") && !page.has("mais células que títulos"), "{} {}", sent.html, page.html);
    }
}

on_sqlite! {
    async fn the_list_of_batches_has_pages(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let account = account(&mut browser).await;
        let written = app.app.db.write((account, app.app.now_ms()), |(account, now_ms), conn| Box::pin(async move {
            for n in 1..=45 {
                let row = LoteRow {
                    id: LoteId::new(*now_ms - 100 + n),
                    account_id: account.as_str().into(),
                    modelo: Model::Nfe,
                    arquivo: format!("vendas-{n}.csv"),
                    colunas: "[]".to_owned(),
                    created_at_ms: *now_ms,
                    ..LoteRow::default()
                };
                lotes::insert(conn, &row).await?;
            }
            Ok::<_, TxError<Infallible>>(())
        }));
        written.await.expect("written");
        let mut to = "/painel/lotes".to_owned();
        for (first, last) in [(45, 26), (25, 6), (5, 1)] {
            let page = browser.get(&to).await;
            assert!(page.has(&format!(">vendas-{first}.csv<")) && page.has(&format!(">vendas-{last}.csv<")), "{to}: {}", page.html);
            assert!(!page.has(&format!(">vendas-{}.csv<", first + 1)) && !page.has(&format!(">vendas-{}.csv<", last - 1)), "{to}: {}", page.html);
            let next = page.links().into_iter().find(|link| link.contains("cursor=lot_"));
            assert_eq!(next.is_some(), last > 1, "{to}: {}", page.html);
            to = next.unwrap_or_default();
        }
    }
}
