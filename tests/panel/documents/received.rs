//! Notes that others issued: fetched, read, and answered by the company.

use super::{Shop, key};
use crate::registered;
use crate::worlds::{live_company, turn};
use serde_json::json;
use std::sync::atomic::Ordering;
use tests::{TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
/// The hour of the authority, with the hub's minute.
const PAUSE_MS: i64 = 3_660_000;

/// A person whose company issues for real, and looks at that.
async fn live_shop(app: &TestApp) -> Shop {
    let mut browser = registered(app, "maria@exemplo.com.br").await;
    let emitter = live_company(app, &mut browser).await;
    turn(&mut browser, "producao").await;
    let key = key(&mut browser).await;
    Shop {
        browser,
        emitter,
        key,
    }
}

/// Has somebody issue a note of this value against the company; its key.
fn deposit(app: &TestApp, cents: u64) -> String {
    deposit_in(app, ("producao", "MG"), cents)
}

/// The same in an environment, by somebody of this state: the number may be the same in both
/// environments, and the key is not to be.
fn deposit_in(app: &TestApp, (ambiente, uf): (&str, &str), cents: u64) -> String {
    let order = json!({ "cnpj": CNPJ, "ambiente": ambiente, "uf": uf, "quantidade": 1, "valor_centavos": cents });
    let order: sim::DepositOrder = serde_json::from_value(order).expect("order");
    let keys = app.app.simulator.sim.deposit(&order);
    keys.expect("deposit").remove(0)
}

both! {
    async fn a_received_note_is_fetched_and_manifested(app: TestApp) {
        let mut shop = live_shop(&app).await;
        let empty = shop.page("/painel/recebidas").await;
        assert!(empty.has("Nenhuma nota recebida ainda") && empty.has("Buscar novas"), "{}", empty.html);
        let chave = deposit(&app, 12_345);
        let path = "/painel/recebidas/consultar";
        let form = shop.page(path).await;
        assert!(form.has("4 créditos"), "{}", form.html);
        let form = form.filled(path, &[("empresa", &shop.emitter)]);
        let found = shop.browser.submit(path, &form).await;
        assert_eq!(found.to, "/painel/recebidas?novas=1", "{}", found.html);
        assert_eq!(shop.browser.submit(path, &form).await.to, found.to, "asked once");
        let list = shop.page(&found.to).await;
        assert!(list.has("Chegou 1 documento novo") && list.has("FORNECEDOR SIMULADO LTDA") && list.has("99.888.777/0001-00") && list.has("R$ 123,45") && list.has("resumo"), "{}", list.html);
        // The number and the series stand in the key.
        let number = chave[25..34].trim_start_matches('0');
        let series: u16 = chave[22..25].parse().expect("series");
        assert!(list.has(&format!("NF-e {number}, série {series}<")), "{}", list.html);
        assert!(shop.page("/painel/recebidas?manifestacao=confirmacao").await.has("com estes filtros"));
        let again = shop.page(path).await.filled(path, &[("empresa", &shop.emitter)]);
        let paused = shop.browser.submit(path, &again).await;
        assert!(paused.has("role=\"alert\"") && paused.to.is_empty(), "the hour of the authority: {}", paused.html);

        // The page, and what the company says.
        let note = format!("/painel/recebidas/{chave}");
        let page = shop.page(&note).await;
        assert!(page.id("chave-recebida") == chave && page.has("Só o resumo chegou"), "{}", page.html);
        assert!(page.has(&format!("<h1>NF-e {number} de FORNECEDOR SIMULADO LTDA</h1>")) && page.has(&format!("<dt>Número</dt><dd>{number}, série {series}</dd>")), "{}", page.html);
        // What each answer means is text below its name, and no block of the form's columns.
        assert!(page.has("class=\"dica abaixo\"") && !page.has("dica bloco"), "{}", page.html);
        let xml = shop.page(&format!("{note}/xml")).await;
        assert!(xml.bytes.starts_with(b"<"));
        assert_eq!(xml.file_name(), format!("NF-e-recebida-{chave}-resumo.xml"));
        assert_eq!(shop.browser.get(&format!("{note}/pdf")).await.status, 409);
        let say = format!("{note}/manifestar");
        let form = page.form(&say);
        let nothing = shop.browser.submit(&say, &form).await;
        assert!(nothing.status == 422 && nothing.has("id=\"tipo-falha\""), "{}", nothing.html);
        let mut why = form.clone();
        why.push(("tipo".to_owned(), "nao_realizada".to_owned()));
        let unexplained = shop.browser.submit(&say, &why).await;
        assert!(unexplained.has("id=\"justificativa-falha\"") && unexplained.has("value=\"nao_realizada\" checked"), "{}", unexplained.html);
        let mut yes = form.clone();
        yes.push(("tipo".to_owned(), "ciencia".to_owned()));
        let asking = shop.browser.submit(&say, &yes).await;
        assert!(asking.has("Nada foi enviado ainda") && asking.has("Ciência da operação"), "{}", asking.html);
        let mut yes = asking.form(&say);
        yes.push(("confirmado".to_owned(), "1".to_owned()));
        let done = shop.browser.submit(&say, &yes).await;
        assert!(done.to.starts_with(&note) && done.to.ends_with("feito=1"), "{} {}", done.status, done.html);
        assert_eq!(shop.browser.submit(&say, &yes).await.to, done.to);
        assert!(shop.page(&done.to).await.has("<dt>Manifestação</dt><dd>Ciência</dd>"));
        for q in [chave.clone(), format!("NFe{chave}"), format!("{chave}-procNFe.xml")] {
            assert!(shop.page(&format!("/painel/busca?q={q}")).await.has(&format!("/painel/recebidas/{chave}?")), "{q}: the search knows it");
        }

        // The next question, after the hour of the authority, brings the whole note.
        app.ahead_ms.fetch_add(PAUSE_MS, Ordering::Relaxed);
        let again = shop.page(path).await.filled(path, &[("empresa", &shop.emitter)]);
        let found = shop.browser.submit(path, &again).await;
        assert!(found.to.starts_with("/painel/recebidas?novas="), "{}", found.html);
        assert!(shop.page("/painel/recebidas?completa=1").await.has("FORNECEDOR SIMULADO LTDA"));
        let whole = shop.page(&note).await;
        assert!(!whole.has("Só o resumo chegou") && whole.has("Baixar PDF") && whole.has("<dt>Manifestação</dt><dd>Ciência</dd>"), "{}", whole.html);
        assert!(whole.has("<h2>Itens</h2>"), "what was bought is shown: {}", whole.html);
        let xml = shop.page(&format!("{note}/xml")).await;
        assert!(xml.has("<nfeProc") && xml.file_name() == format!("NF-e-recebida-{chave}.xml"), "{} {}", xml.file_name(), xml.html);
        let pdf = shop.page(&format!("{note}/pdf")).await;
        assert!(pdf.bytes.starts_with(b"%PDF") && pdf.file_name() == format!("NF-e-recebida-{chave}.pdf"), "{}", pdf.file_name());

        let mut other = Shop::new(&app, "joao@exemplo.com.br").await;
        for path in [note.clone(), format!("{note}/xml"), format!("{note}/pdf")] {
            assert_eq!(other.browser.get(&path).await.status, 404, "{path}");
        }
        app.check_invariants().await;
    }
}

both! {
    async fn received_notes_are_found_and_taken_away(app: TestApp) {
        let mut shop = live_shop(&app).await;
        let keys = [12_345, 6_700].map(|cents| deposit(&app, cents));
        let path = "/painel/recebidas/consultar";
        let form = shop.page(path).await.filled(path, &[("empresa", &shop.emitter)]);
        assert_eq!(shop.browser.submit(path, &form).await.to, "/painel/recebidas?novas=2");
        let [first, second] = keys.each_ref().map(|key| format!("/painel/recebidas/{key}?"));
        let number = keys[0][25..34].trim_start_matches('0');
        for (query, both) in [
            ("q=123,45".to_owned(), false),
            (format!("q={}", keys[0]), false),
            (format!("q={number}"), false),
            ("q=123,45&manifestacao=nenhuma".to_owned(), false),
            ("q=f%C3%B4rnecedor+simulado".to_owned(), true),
            ("q=99.888.777/0001-00".to_owned(), true),
        ] {
            let page = shop.page(&format!("/painel/recebidas?{query}")).await;
            assert!(page.has(&first) && page.has(&second) == both, "{query}: {}", page.html);
        }
        let nothing = shop.page("/painel/recebidas?q=padaria").await;
        assert!(nothing.has("Nenhuma nota recebida com estes filtros") && nothing.has("value=\"padaria\""), "{}", nothing.html);

        // The spreadsheet has what was found.
        let list = shop.page("/painel/recebidas?q=123,45").await;
        assert!(list.has("href=\"/painel/recebidas/csv?q=123%2C45\""), "{}", list.html);
        let csv = shop.page("/painel/recebidas/csv?q=123,45").await;
        let lines: Vec<&str> = csv.html.lines().collect();
        assert!(lines.len() == 2 && lines[0].starts_with("\u{feff}Fornecedor;"), "{}", csv.html);
        let key = format!(";\"=\"\"{}\"\"\";123,45;", keys[0]);
        for text in ["FORNECEDOR SIMULADO LTDA;99.888.777/0001-00;Loja Exemplo Ltda;11.222.333/0001-81;", key.as_str(), ";resumo;"] {
            assert!(lines[1].contains(text), "{text}: {}", lines[1]);
        }
        let day = base::when::today(app.app.now_ms(), "DF");
        assert_eq!(csv.file_name(), format!("recebidas-ate-{day}.csv"));
        assert_eq!(shop.page("/painel/recebidas/csv").await.html.lines().count(), 3);

        // What was received is in the report of the month, too.
        let report = shop.page("/painel/relatorio").await;
        for text in ["<div class=\"rotulo\">Recebidas</div><div class=\"numero\">2</div><div class=\"rotulo\">R$ 190,45</div>", "NF-e recebida", "/painel/recebidas?empresa="] {
            assert!(report.has(text), "{text}: {}", report.html);
        }
        assert!(shop.page("/painel/relatorio/csv").await.has("Loja Exemplo Ltda;11.222.333/0001-81;NF-e recebida;autorizada;2;190,45;"));
        assert!(!shop.page("/painel/relatorio?mes=2020-01").await.has("NF-e recebida"));
        let mut other = Shop::new(&app, "joao@exemplo.com.br").await;
        assert!(!other.page("/painel/relatorio").await.has("NF-e recebida"));
        assert_eq!(other.page("/painel/recebidas/csv").await.html.lines().count(), 1);
    }
}

both! {
    async fn the_report_leads_to_the_received_notes_that_it_counts(app: TestApp) {
        let mut shop = live_shop(&app).await;
        let real = deposit(&app, 12_345);
        let path = "/painel/recebidas/consultar";
        let form = shop.page(path).await.filled(path, &[("empresa", &shop.emitter)]);
        assert_eq!(shop.browser.submit(path, &form).await.to, "/painel/recebidas?novas=1");
        let company = format!("/painel/emitentes/{}", shop.emitter);
        shop.page(&company).await;
        shop.browser.send(&format!("{company}/ambiente"), &[("ambiente", "homologacao")]).await;
        let trial = deposit_in(&app, ("homologacao", "SP"), 6_700);
        let form = shop.page(path).await.filled(path, &[("empresa", &shop.emitter)]);
        assert_eq!(shop.browser.submit(path, &form).await.to, "/painel/recebidas?novas=1");

        // A list has both, unless somebody chooses.
        let [real_place, trial_place] = [&real, &trial].map(|key| format!("/painel/recebidas/{key}?"));
        let list = shop.page("/painel/recebidas").await;
        assert!(list.has(&real_place) && list.has(&trial_place) && list.has("<select id=\"ambiente_da_nota\""), "{}", list.html);
        for (query, ambiente, has_real) in [("", "producao", true), ("?ambiente_da_nota=producao", "producao", true), ("?ambiente_da_nota=homologacao", "homologacao", false)] {
            let report = shop.page(&format!("/painel/relatorio{query}")).await;
            let value = if has_real { "R$ 123,45" } else { "R$ 67,00" };
            assert!(report.has(&format!("<div class=\"rotulo\">Recebidas</div><div class=\"numero\">1</div><div class=\"rotulo\">{value}</div>")), "{query}: {}", report.html);
            let link = report.links().into_iter().find(|link| link.starts_with("/painel/recebidas?empresa="));
            let list = shop.page(&link.expect("a way to the notes")).await;
            assert_eq!((list.has(&real_place), list.has(&trial_place)), (has_real, !has_real), "{query}: {}", list.html);
            assert!(list.has(&format!("<option value=\"{ambiente}\" selected>")), "{query}: {}", list.html);
            let link = list.links().into_iter().find(|link| link.starts_with("/painel/recebidas/csv?"));
            let csv = shop.page(&link.expect("a spreadsheet")).await;
            assert_eq!((csv.has(&real), csv.has(&trial)), (has_real, !has_real), "{query}: {}", csv.html);
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn the_company_says_at_once_that_it_knows_of_several_notes(app: TestApp) {
        let mut shop = live_shop(&app).await;
        let keys = [12_345, 6_700, 8_900].map(|cents| deposit(&app, cents));
        let path = "/painel/recebidas/consultar";
        let form = shop.page(path).await.filled(path, &[("empresa", &shop.emitter)]);
        assert_eq!(shop.browser.submit(path, &form).await.to, "/painel/recebidas?novas=3");
        let say = "/painel/recebidas/ciencia";
        let marks = keys.each_ref().map(|key| format!("{key}:{}", shop.emitter));
        let list = shop.page("/painel/recebidas").await;
        assert!(marks.iter().all(|mark| list.has(&format!("name=\"nota\" value=\"{mark}\""))), "{}", list.html);
        assert_eq!(shop.browser.get(say).await.status, 422, "nothing was marked");

        // One of two is refused; the page says which, and leads to that one alone.
        let asking = shop.page(&format!("{say}?nota={}&nota={}&nota={}", marks[0], marks[1], marks[0])).await;
        assert!(asking.has("Nada foi enviado ainda") && asking.has("Dar ciência de 2 notas") && asking.has(" créditos ("), "{}", asking.html);
        app.app.simulator.sim.add_fault(sim::Fault {
            quando: sim::When { operacao: Some("manifestar".to_owned()), vezes: Some(1), ..Default::default() },
            falha: sim::FaultKind::Recusar,
            codigo: Some("575".to_owned()),
            mensagem: Some("Rejeição: o autor não é o destinatário".to_owned()),
            ..Default::default()
        });
        let refused = shop.browser.submit(say, &asking.form(say)).await;
        assert!(refused.status == 200 && refused.to.is_empty(), "{} {}", refused.status, refused.html);
        for text in ["Nem todas foram registradas", "o autor nao e o destinatario", "Ciência registrada."] {
            assert!(refused.has(text), "{text}: {}", refused.html);
        }
        let again = refused.links().into_iter().find(|link| link.starts_with(&format!("{say}?"))).expect("a way to try again");
        let asking = shop.page(&again.replace("&amp;", "&")).await;
        assert!(asking.has("Dar ciência de 1 nota<"), "{}", asking.html);
        let form = asking.form(say);
        let done = shop.browser.submit(say, &form).await;
        assert!(done.status == 303 && done.to.contains("feitas=1"), "{} {}", done.status, done.html);
        assert_eq!(shop.browser.submit(say, &form).await.to, done.to, "said once");
        let page = shop.page(&done.to).await;
        assert!(page.has("Ciência registrada: 1 nota.") && page.has("<td data-rotulo=\"Manifestação\">Ciência</td>"), "{}", page.html);

        // What was said cannot be marked again.
        let list = shop.page("/painel/recebidas").await;
        assert_eq!(list.html.matches("name=\"nota\"").count(), 1, "{}", list.html);
        let nothing = shop.page(&format!("{say}?nota={}", marks[0])).await;
        assert!(nothing.has("Destas notas não se dá ciência") && !nothing.has("name=\"nota\""), "{}", nothing.html);
        let mut other = Shop::new(&app, "joao@exemplo.com.br").await;
        assert_eq!(other.browser.get(&format!("{say}?nota={}", marks[2])).await.status, 404);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_is_said_of_several_notes_is_told_in_the_order_of_the_list(app: TestApp) {
        let mut shop = live_shop(&app).await;
        let keys = [10_100, 10_200, 10_300, 10_400, 10_500].map(|cents| deposit(&app, cents));
        let path = "/painel/recebidas/consultar";
        let form = shop.page(path).await.filled(path, &[("empresa", &shop.emitter)]);
        assert_eq!(shop.browser.submit(path, &form).await.to, "/painel/recebidas?novas=5");
        let say = "/painel/recebidas/ciencia";
        let marks = keys.each_ref().map(|key| format!("nota={key}:{}", shop.emitter));
        let asking = shop.page(&format!("{say}?{}", marks.join("&"))).await;
        // The first that is sent is answered behind those that are sent beside it.
        app.app.simulator.sim.add_fault(sim::Fault {
            quando: sim::When { operacao: Some("manifestar".to_owned()), vezes: Some(1), ..Default::default() },
            falha: sim::FaultKind::Lento,
            ms: Some(500),
            ..Default::default()
        });
        let done = shop.browser.submit(say, &asking.form(say)).await;
        assert!(done.status == 303 && done.to.contains("feitas=5&esperam=0"), "{} {} {}", done.status, done.to, done.html);
        let at: Vec<Option<usize>> = keys.iter().map(|key| done.to.find(key.as_str())).collect();
        assert!(at.is_sorted() && at[0].is_some(), "in the order of the list: {}", done.to);
        app.check_invariants().await;
    }
}
