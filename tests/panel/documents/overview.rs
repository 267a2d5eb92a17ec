//! The report, the search and the overview.

use super::{DAY_MS, Shop, copy, files, key, place};
use crate::pages::account;
use crate::registered;
use crate::worlds::{live_company, turn};
use serde_json::json;
use store::tables::notas::NotaStatus;
use tests::bodies::{nfce, nfe, nfse, with};
use tests::both;

both! {
    async fn sums_search_and_overview_say_the_same(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let first = shop.page("/painel").await;
        assert!(first.has("Primeiros passos") && first.has("Os documentos autorizados de cada dia aparecem aqui"), "{}", first.html);
        let sale = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        shop.issue(&app, "/api/v1/nfe", nfe()).await;
        shop.issue(&app, "/api/v1/nfce", nfce()).await;
        let draft = with(nfse(), "/tomador/nome", "Padaria São João");
        shop.issue(&app, "/api/v1/nfse/criar", draft).await;
        let body = with(nfse(), "/emitente_id", shop.emitter.as_str());
        let refused = with(body, "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        let refused = shop.post(&app, "/api/v1/nfse", &refused).await;
        assert_eq!(refused.status, 422, "{}", refused.text);

        // The report, by company, kind and state.
        let report = shop.page("/painel/relatorio").await;
        assert!(report.has("Loja Exemplo Ltda") && report.has("R$ 75,60") && report.has("R$ 94,50"), "{}", report.html);
        let csv = shop.page("/painel/relatorio/csv?periodo=hoje").await;
        let lines: Vec<&str> = csv.html.lines().collect();
        let today = base::when::today(app.app.now_ms(), "DF");
        let today = format!("{:02}/{:02}/{}", today.day(), u8::from(today.month()), today.year());
        let line = format!("Loja Exemplo Ltda;11.222.333/0001-81;NF-e;autorizada;2;75,60;{today};{today}");
        assert!(lines.contains(&line.as_str()), "{line}: {}", csv.html);
        assert!(shop.page("/painel/relatorio?de=2020-01-01&ate=2020-01-31").await.has("Nenhum documento neste período"));
        assert!(shop.page("/painel/relatorio?de=2020-01-01&ate=2026-01-31").await.has("366 dias"));

        // Months are chosen one after the other, or any of them; none that is still to come.
        let day = base::when::today(app.app.now_ms(), "DF");
        let month = format!("{}-{:02}", day.year(), u8::from(day.month()));
        assert!(report.has(&format!("name=\"mes\" type=\"month\" value=\"{month}\"")) && report.has("rel=\"prev\"") && !report.has("rel=\"next\""), "{}", report.html);
        let old = shop.page("/painel/relatorio?mes=2020-01").await;
        for text in ["value=\"2020-01-01\"", "value=\"2020-01-31\"", "mes=2019-12&amp;emitente=\" rel=\"prev\">‹ dezembro de 2019<", "mes=2020-02&amp;emitente=\" rel=\"next\">fevereiro de 2020 ›<", "Nenhum documento neste período"] {
            assert!(old.has(text), "{text}: {}", old.html);
        }
        let this = shop.page(&format!("/painel/relatorio?mes={month}")).await;
        assert!(this.has("R$ 75,60") && this.has(&format!("value=\"{day}\"")), "{}", this.html);
        // As people write it where a browser has no picker; what is no month is no other month.
        for month in ["01/2020", "1/2020", "2020-1"] {
            assert!(shop.page(&format!("/painel/relatorio?mes={month}")).await.has("value=\"2020-01-31\""), "{month}");
        }
        for month in ["2999-01", "janeiro", "13/2020"] {
            let wrong = shop.browser.get(&format!("/painel/relatorio?mes={month}")).await;
            assert!(wrong.status == 422 && wrong.has("Escreva ano e mês, como 2026-11") && !wrong.has("R$ 75,60"), "{month}: {}", wrong.html);
            assert!(wrong.tag("mes").contains(&format!("value=\"{month}\"")) && wrong.focused() == 1, "{}", wrong.html);
            assert_eq!(shop.browser.get(&format!("/painel/relatorio/csv?mes={month}")).await.status, 422);
        }

        // The search finds documents, companies and pages; not those of others.
        for (q, has) in [
            ("padaria", "Padaria São João"),
            ("loja exemplo", "/painel/emitentes/emi_"),
            ("11.222.333/0001-81", "/painel/emitentes/emi_"),
            ("inutilizar", "/painel/numeracao"),
            ("numeracao", "/painel/numeracao"),
            ("emitir", "/painel/emitir?vez="),
            ("75,61", "Nada foi encontrado"),
        ] {
            let page = shop.page(&format!("/painel/busca?q={}", q.replace(' ', "+"))).await;
            let found = page.html.split("id=\"achados\"").nth(1).expect("results");
            assert!(found.contains(has), "{q}: {}", page.html);
        }
        let chave = sale.text_at("/chave");
        // The key as it is, and in the names of files.
        for q in [chave.to_owned(), format!("NFe{chave}"), format!("{chave}-nfe"), format!("{chave}-procNFe.xml")] {
            assert!(shop.page(&format!("/painel/busca?q={q}")).await.has(&place(&sale)), "{q}");
        }
        assert!(shop.page("/painel/busca").await.has("Procure por chave"));

        // The overview.
        let page = shop.page("/painel").await;
        for text in [
            "<div class=\"numero\">3</div><div class=\"rotulo\">R$ 94,50</div>",
            "Rejeitados",
            "sem gasto nos últimos 7 dias",
            "<div class=\"numero\">R$ 0,00</div><div class=\"rotulo\">da conta toda: Teste e Produção</div>",
            "Documentos por dia: o maior dia foi",
            "com 3 documentos",
            "Valor por dia: o maior dia foi",
            "Últimos documentos",
            "MG<span class=\"so-leitor\">: em operação</span>",
            "SP<span class=\"so-leitor\">: sem notícia</span>",
        ] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        let why = refused.text_at("/rejeicao/motivo");
        assert!(!why.is_empty() && page.has(&why.replace('&', "&amp;").replace('<', "&lt;")), "the reason: {}", page.html);
        let board = shop.page("/painel/autorizadores").await;
        assert!(board.has("Minas Gerais") && board.has("4 créditos (R$ 0,04)"), "{}", board.html);

        let mut other = Shop::new(&app, "joao@exemplo.com.br").await;
        let theirs = other.page(&format!("/painel/busca?q={chave}")).await;
        assert!(theirs.has("Nada foi encontrado"), "{}", theirs.html);
        assert!(other.page("/painel").await.has("Primeiros passos"));
        assert!(other.page("/painel/relatorio").await.has("Nenhum documento neste período"));
    }
}

both! {
    async fn what_is_of_homologation_is_no_money_in_production(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        turn(&mut browser, "producao").await;
        let key = key(&mut browser).await;
        let mut shop = Shop { browser, emitter, key };
        let real = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        let company = format!("/painel/emitentes/{}", shop.emitter);
        shop.page(&company).await;
        shop.browser.send(&format!("{company}/ambiente"), &[("ambiente", "homologacao")]).await;
        let trial = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        assert_eq!(trial.text_at("/ambiente"), "homologacao", "{}", trial.text);
        let once = "<div class=\"numero\">1</div><div class=\"rotulo\">R$ 37,80</div>";
        let left_out = "Notas de homologação não têm valor fiscal e não entram na soma";
        for path in ["/painel", "/painel/relatorio"] {
            let page = shop.page(path).await;
            assert!(page.has(once) && page.has(left_out), "{path}: {}", page.html);
        }
        let page = shop.page("/painel").await;
        assert!(page.has("\"/painel/documentos?ambiente_da_nota=homologacao&amp;de=20") && page.has("nem em Rejeitados"), "{}", page.html);
        let csv = shop.page("/painel/relatorio/csv").await;
        assert!(csv.has(";NF-e;autorizada;1;37,80;"), "{}", csv.html);
        assert!(csv.file_name().starts_with("relatorio-2"), "{}", csv.file_name());
        let csv = shop.page("/painel/relatorio/csv?ambiente_da_nota=homologacao").await;
        assert!(csv.file_name().starts_with("relatorio-homologacao-2"), "{}", csv.file_name());
        let other = shop.page("/painel/relatorio?ambiente_da_nota=homologacao").await;
        assert!(other.has(once) && other.has("Estas são as notas de homologação") && !other.has(left_out), "{}", other.html);

        // A list has both, and says which is of which.
        let mark = "<span class=\"selo\">homologação, sem valor fiscal</span>";
        let [real_place, trial_place] = [&real, &trial].map(|note| format!("{}?", place(note)));
        for (query, has_real, has_trial) in [("", true, true), ("?ambiente_da_nota=producao", true, false), ("?ambiente_da_nota=homologacao", false, true)] {
            let list = shop.page(&format!("/painel/documentos{query}")).await;
            assert_eq!((list.has(&real_place), list.has(&trial_place), list.has(mark)), (has_real, has_trial, has_trial), "{query}: {}", list.html);
            let csv = shop.page(&format!("/painel/documentos/csv{query}")).await;
            assert_eq!((csv.has(real.text_at("/chave")), csv.has(trial.text_at("/chave"))), (has_real, has_trial), "{query}: {}", csv.html);
        }

        // An address that asks for what there cannot be is answered as one that asks for nothing.
        for path in ["relatorio", "documentos"] {
            let page = shop.page(&format!("/painel/{path}?ambiente=producao&ambiente_da_nota=simulado")).await;
            assert!(!page.has("role=\"alert\"") && page.has("37,80"), "{path}: {}", page.html);
        }
        for path in ["documentos?tipo=x&status=x&ordem=x", "recebidas?manifestacao=x&completa=x", "recebidas?ambiente_da_nota=simulado", "uso?agrupar=x"] {
            let page = shop.page(&format!("/painel/{path}")).await;
            assert!(!page.has("role=\"alert\"") && !page.has(">Limpar<"), "{path}: {}", page.html);
        }

        // Files that were marked: what has no fiscal value stands apart from the rest, by its folder or by the name of the ZIP.
        let [real_id, trial_id] = [&real, &trial].map(|note| format!("id={}", note.text_at("/nota_id")));
        for (query, begin, untaxed, count) in [
            (format!("{real_id}&{trial_id}"), "notas-xml-2", 1, 2),
            (real_id.clone(), "notas-xml-2", 0, 1),
            (trial_id.clone(), "notas-xml-homologacao-2", 0, 1),
        ] {
            let zip = shop.page(&format!("/painel/documentos/selecionados/xml?{query}")).await;
            assert!(zip.file_name().starts_with(begin), "{query}: {}", zip.file_name());
            let names = files(&zip.bytes);
            let apart = names.iter().filter(|name| name.starts_with("sem-valor-fiscal/NF-e-"));
            assert_eq!((apart.count(), names.len()), (untaxed, count), "{query}: {names:?}");
        }

        // A file for the bookkeeper is of production, unless somebody chooses.
        for (fields, begin, note) in [(vec![], "notas-2", &real), (vec![("ambiente_da_nota", "homologacao")], "notas-homologacao-2", &trial)] {
            let form = shop.page("/painel/exportacoes").await.filled("/painel/exportacoes", &fields);
            let sent = shop.browser.submit("/painel/exportacoes", &form).await;
            shop.browser.until(&sent.to, "Baixar o ZIP").await;
            let link = format!("{}/arquivo", sent.to.split('?').next().unwrap_or_default());
            let zip = shop.page(&link).await;
            assert!(zip.file_name().starts_with(begin), "{}", zip.file_name());
            let names = files(&zip.bytes);
            let xml: Vec<&String> = names.iter().filter(|name| name.ends_with("-procNFe.xml")).collect();
            assert!(xml.len() == 1 && xml[0].contains(note.text_at("/chave")), "{names:?}");
        }
    }
}

both! {
    async fn documents_are_found_by_the_name_that_lists_show(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        shop.issue(&app, "/api/v1/nfe", nfe()).await;
        shop.issue(&app, "/api/v1/nfce", nfce()).await;
        for (q, product, coupon) in [("NF-e+1", true, false), ("nfc-e+1", false, true), ("nota+1", true, true), ("NF-e+99", false, false)] {
            for path in ["/painel/busca", "/painel/documentos"] {
                let page = shop.page(&format!("{path}?q={q}")).await;
                assert_eq!((page.has(">NF-e 1</a>"), page.has(">NFC-e 1</a>")), (product, coupon), "{path} {q}: {}", page.html);
            }
        }
        // Of another kind that was chosen there is none.
        assert!(!shop.page("/painel/documentos?tipo=nfce&q=NF-e+1").await.has(">NFC-e 1</a>"));

        // The table of the overview has the whole width: in half of it, its columns are cut.
        let page = shop.page("/painel").await;
        let half = "<div class=\"grade larga\"><section class=\"cartao\"><div class=\"cabeca\"><h2>Últimos documentos";
        assert!(page.has("<h2>Últimos documentos</h2>") && !page.has(half), "{}", page.html);
    }
}

both! {
    async fn what_waits_longest_is_shown_first_however_old(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let account = account(&mut shop.browser).await;
        let sale = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        assert!(!shop.page("/painel").await.has("À espera de resposta"));
        let sale = sale.text_at("/nota_id");
        let waiting = NotaStatus::InTransmission;
        let new = copy(&app, &account, sale, (waiting, 60_000)).await;
        let late = copy(&app, &account, sale, (waiting, 7_300_000)).await;
        let old = copy(&app, &account, sale, (waiting, 40 * DAY_MS + 60_000)).await;
        let page = shop.page("/painel").await;
        let list = page.html.split("<h2>À espera de resposta</h2>").nth(1).and_then(|rest| rest.split("</section>").next());
        let list = list.unwrap_or_else(|| panic!("nothing waits: {}", page.html));
        let places: Vec<Option<usize>> = [&old, &late, &new].iter().map(|id| list.find(&format!("/painel/documentos/{id}?"))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {list}");
        assert!(list.contains("Parada há 40 dias") && list.contains("Parada há 2 horas") && list.matches("Parada há").count() == 2, "{list}");
        let mut other = Shop::new(&app, "joao@exemplo.com.br").await;
        assert!(!other.page("/painel").await.has("À espera de resposta"), "of another account");
    }
}
