//! The list of documents, and what is made of it.

use super::{DAY_MS, Shop, copy, files, place};
use crate::confirmed;
use crate::pages::account;
use crate::worlds::turn;
use objects::exports::ExportOrder;
use serde_json::json;
use std::convert::Infallible;
use store::TxError;
use store::ids::ExportacaoId;
use store::tables::exportacoes::{self, ExportRow};
use store::tables::notas::NotaStatus;
use tests::bodies::{cte, nfce, nfe, nfse, with};
use tests::{both, on_sqlite};

both! {
    async fn documents_of_all_kinds_are_found_and_taken_away(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let empty = shop.page("/painel/documentos").await;
        assert!(empty.has("Nenhum documento ainda em Teste") && empty.has("Emitir o primeiro"), "{}", empty.html);
        let sale = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        shop.issue(&app, "/api/v1/nfce", nfce()).await;
        for name in ["=CMD Serviços", "Padaria São João; 2", "Silva, Souza e Filhos Ltda"] {
            shop.issue(&app, "/api/v1/nfse", with(nfse(), "/tomador/nome", name)).await;
        }
        let draft = shop.issue(&app, "/api/v1/cte/criar", cte()).await;
        let list = shop.page("/painel/documentos").await;
        for text in [">NF-e 1<", ">NFC-e 1<", ">CT-e (rascunho)<", "Padaria São João; 2", "12.345.678/0001-95", "Baixar planilha", "Exportar XML e PDF"] {
            assert!(list.has(text), "{text}: {}", list.html);
        }
        assert!(list.has(">Situação<") && list.has(">Criado em<") && !list.has(">Estado<"), "{}", list.html);
        assert!(!list.has("name=\"emitente\""), "one company is no choice: {}", list.html);

        // Filters stand in the address, and are in the form again.
        for (query, has, lacks) in [
            ("tipo=nfce", ">NFC-e 1<", ">NF-e 1<"),
            ("tipo=cte&status=rascunho", ">CT-e (rascunho)<", ">NF-e 1<"),
            ("q=s%C3%A3o+joao", "Padaria São João; 2", "CMD Serviços"),
            ("q=37,80&tipo=nfe", ">NF-e 1<", ">NFC-e 1<"),
            ("periodo=hoje&numero=1&tipo=nfe", ">NF-e 1<", ">NFC-e 1<"),
            ("valor_min=30,00&valor_max=40,00&tipo=nfe", ">NF-e 1<", ">NFC-e 1<"),
            ("periodo=mes-passado", "Nenhum documento com estes filtros", ">NF-e 1<"),
        ] {
            let page = shop.page(&format!("/painel/documentos?{query}")).await;
            assert!(page.has(has) && !page.has(lacks), "{query}: {}", page.html);
        }
        // What is searched is said beside the field, and when nothing is found.
        assert!(list.has("id=\"q-dica\"") && list.has("Procura por chave, número, cliente"), "{}", list.html);
        let nothing = shop.page("/painel/documentos?q=torrado").await;
        assert!(nothing.has("as palavras dos itens não são procuradas") && !nothing.has(">NF-e 1<"), "{}", nothing.html);
        assert!(!shop.page("/painel/documentos?periodo=mes-passado").await.has("palavras dos itens"), "nothing was searched");
        let kept = shop.page("/painel/documentos?q=s%C3%A3o+joao&tipo=nfse&valor_min=1,00&ordem=criada_em").await;
        assert!(kept.has("value=\"são joao\"") && kept.has("<option value=\"nfse\" selected>") && kept.has("<details class=\"mais\" open>"), "{}", kept.html);
        assert!(kept.has("/painel/documentos/csv?ordem=criada_em&amp;q=s%C3%A3o%20joao&amp;tipo=nfse&amp;valor_min=1%2C00"), "{}", kept.html);
        let today = shop.page("/painel/documentos?periodo=hoje&tipo=nfe").await;
        let day = base::when::today(app.app.now_ms(), "DF");
        assert!(today.has(&format!("name=\"de\" type=\"date\" value=\"{day}\"")) && today.has("periodo=hoje&amp;tipo=nfe\" aria-current=\"true\""), "{}", today.html);
        let wrong = shop.page("/painel/documentos?numero=abc").await;
        assert!(wrong.has("role=\"alert\"") && wrong.has("value=\"abc\""), "{}", wrong.html);

        let wrong = shop.page("/painel/documentos?valor_min=abc").await;
        assert!(wrong.has("<strong>Valor mínimo</strong>: ") && wrong.has("Use um valor em reais, com vírgula: 1234,56."), "{}", wrong.html);

        // The spreadsheet has what is filtered; nothing in it is a formula.
        let csv = shop.page("/painel/documentos/csv?tipo=nfe").await;
        let lines: Vec<&str> = csv.html.lines().collect();
        assert_eq!(lines.len(), 2, "{}", csv.html);
        assert!(lines[0].starts_with("\u{feff}Tipo;Série;Número;Chave;"), "{}", lines[0]);
        assert!(lines[1].starts_with(&format!("NF-e;1;1;\"=\"\"{}\"\"\";autorizada;", sale.text_at("/chave"))), "{}", lines[1]);
        assert!(lines[1].contains(";12.345.678/0001-95;37,80;\"=\"\"131"), "{}", lines[1]);
        let all = shop.page("/painel/documentos/csv").await;
        assert!(lines[1].contains(";homologação;sim;"), "the words of people: {}", lines[1]);
        assert!(all.html.lines().count() == 7 && all.has(";\"Silva, Souza e Filhos Ltda\";") && all.has(";'=CMD Serviços;") && all.has(";\"Padaria São João; 2\";"), "{}", all.html);
        let month = format!("{}-{:02}", day.year(), u8::from(day.month()));
        for (path, name) in [
            ("csv".to_owned(), format!("documentos-ate-{day}.csv")),
            ("csv?periodo=hoje&tipo=nfe".to_owned(), format!("NF-e-{day}.csv")),
            ("csv?de=2026-02-01&ate=2026-02-28".to_owned(), "documentos-2026-02.csv".to_owned()),
            (format!("csv?de=2026-02-01&ate=2026-02-27&emitente={}", shop.emitter), "documentos-2026-02-01-a-2026-02-27-11222333000181.csv".to_owned()),
            (format!("{}/pdf", sale.text_at("/nota_id")), "NF-e-000000001-serie-1.pdf".to_owned()),
            (format!("{}/xml", sale.text_at("/nota_id")), "NF-e-000000001-serie-1.xml".to_owned()),
            (format!("selecionados/xml?id={}", sale.text_at("/nota_id")), format!("notas-xml-teste-{month}.zip")),
        ] {
            let page = shop.page(&format!("/painel/documentos/{path}")).await;
            assert_eq!(page.file_name(), name, "{path}");
        }
        let report = shop.page("/painel/relatorio/csv?de=2026-02-01&ate=2026-02-28").await;
        assert_eq!(report.file_name(), "relatorio-teste-2026-02.csv");

        // What was marked: files in a ZIP, drafts have none.
        let [one, two] = [&sale, &draft].map(|answer| answer.text_at("/nota_id").to_owned());
        let query = format!("id={one}&id={two}&id={one}");
        let chosen = shop.page(&format!("/painel/documentos/selecionados?{query}")).await;
        assert!(chosen.has("2 documentos") && chosen.has("1 sem arquivos"), "{}", chosen.html);
        for (file, ending) in [("pdf", "pdf"), ("xml", "xml")] {
            let zip = shop.page(&format!("/painel/documentos/selecionados/{file}?{query}")).await;
            assert_eq!(files(&zip.bytes), [format!("NF-e-000000001-serie-1.{ending}")]);
        }
        for (path, status) in [
            ("/painel/documentos/selecionados".to_owned(), 422),
            (format!("/painel/documentos/selecionados/pdf?id={two}"), 422),
            ("/painel/documentos/selecionados?id=nfe_nada".to_owned(), 404),
            (format!("/painel/documentos/selecionados/doc?{query}"), 404),
        ] {
            assert_eq!(shop.browser.get(&path).await.status, status, "{path}");
        }

        // Nothing of it is another account's.
        let mut other = Shop::new(&app, "joao@exemplo.com.br").await;
        assert!(!other.page("/painel/documentos?q=padaria").await.has("Padaria"));
        assert_eq!(other.page("/painel/documentos/csv").await.html.lines().count(), 1);
        for path in [
            place(&sale),
            format!("{}/pdf", place(&sale)),
            format!("{}/cancelar", place(&sale)),
            format!("/painel/documentos/selecionados?{query}"),
            format!("/painel/documentos/selecionados/xml?{query}"),
        ] {
            assert_eq!(other.browser.get(&path).await.status, 404, "{path}");
        }
    }
}

both! {
    async fn a_period_is_exported_once(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let sale = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        shop.issue(&app, "/api/v1/nfse", nfse()).await;
        let page = shop.page("/painel/exportacoes").await;
        assert!(page.has("ainda não tem resposta ficam de fora") && page.has("a lista deles (manifesto.csv)"), "{}", page.html);
        // XML and PDF, which cost nothing, unless somebody leaves one out.
        for word in ["xml", "pdf"] {
            assert!(page.has(&format!("name=\"conteudo\" value=\"{word}\" checked")), "{word}: {}", page.html);
        }
        let form = page.filled("/painel/exportacoes", &[]);
        let first = shop.browser.submit("/painel/exportacoes", &form).await;
        assert!(first.to.starts_with("/painel/exportacoes/exp_"), "{} {}", first.status, first.html);
        let twice = shop.browser.submit("/painel/exportacoes", &form).await;
        assert_eq!(twice.to, first.to);
        let ready = shop.browser.until(&first.to, "Baixar o ZIP").await;
        assert!(ready.has(" KB</div>") && !ready.has(" bytes</div>"), "{}", ready.html);
        let link = format!("{}/arquivo", first.to.split('?').next().unwrap_or_default());
        assert!(ready.links().iter().any(|known| known.split('?').next() == Some(link.as_str())), "{}", ready.html);
        let zip = shop.page(&link).await;
        let day = base::when::today(app.app.now_ms(), "DF");
        let begin = format!("notas-teste-{}-{:02}", day.year(), u8::from(day.month()));
        assert!(zip.file_name().starts_with(&begin) && zip.file_name().ends_with(".zip"), "{}", zip.file_name());
        let names = files(&zip.bytes);
        assert!(names.iter().any(|name| name.ends_with(&format!("{}-procNFe.xml", sale.text_at("/chave")))), "{names:?}");
        assert!(names.iter().any(|name| name.starts_with("nfse/") && name.ends_with("-nfse.xml")), "{names:?}");
        assert!(names.iter().any(|name| name.ends_with(".pdf")), "{names:?}");
        assert!(ready.has("href=\"/painel/documentos?status=aberta\"") && ready.has("<dt>Pode ser baixado até</dt>"), "{}", ready.html);
        // Whoever closed its page finds it again, in the world it was asked for in.
        let latest = shop.page("/painel/exportacoes").await;
        let here = first.to.replace('&', "&amp;");
        for text in ["Últimas exportações", here.as_str(), "NF-e, NFC-e, NFS-e", "<span class=\"selo ok\">pronta</span>"] {
            assert!(latest.has(text), "{text}: {}", latest.html);
        }
        turn(&mut shop.browser, "producao").await;
        assert!(!shop.page("/painel/exportacoes").await.has("Últimas exportações"), "of the other world");
        turn(&mut shop.browser, "teste").await;
        shop.page("/painel/exportacoes").await;
        let refused = shop.browser.send("/painel/exportacoes", &[("de", "2026-02-02"), ("ate", "2026-02-01"), ("conteudo", "xml")]).await;
        assert!(refused.has("role=\"alert\"") && refused.has("value=\"2026-02-02\""), "{}", refused.html);
        assert!(!refused.has("value=\"pdf\" checked") && refused.has("value=\"xml\" checked"), "as it was sent: {}", refused.html);
        let mut other = Shop::new(&app, "joao@exemplo.com.br").await;
        assert_eq!(other.browser.get(&first.to).await.status, 404);
        assert_eq!(other.browser.get(&link).await.status, 404);
        assert!(!other.page("/painel/exportacoes").await.has("Últimas exportações"));
    }
}

on_sqlite! {
    async fn the_page_of_an_export_is_seen_again_without_a_script(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let order = ExportOrder { xml: true, modelos: [true; 3], ..ExportOrder::default() };
        let now_ms = app.app.now_ms();
        let row = ExportRow {
            id: ExportacaoId::new(now_ms),
            account_id: account(&mut shop.browser).await.into(),
            pedido: serde_json::to_string(&order).expect("JSON"),
            teste: 1,
            created_at_ms: now_ms,
            ..ExportRow::default()
        };
        // Another node works on it, so that it is not ready before its page is seen.
        let begun = app.app.db.write(row.clone(), |row, conn| {
            Box::pin(async move {
                let now_ms = row.created_at_ms;
                let written = exportacoes::insert(conn, row).await?;
                let taken = exportacoes::claim(conn, "hub_outro", now_ms + DAY_MS, now_ms).await?;
                Ok::<_, TxError<Infallible>>(written && taken.is_some())
            })
        });
        assert!(begun.await.expect("written"));
        let here = format!("/painel/exportacoes/{}?ambiente=teste", row.id);
        let page = shop.page(&here).await;
        assert!(page.has("O arquivo está sendo feito") && !page.has("sozinha"), "{}", page.html);
        assert!(page.has(&format!("<a href=\"{here}\">Atualizar</a>")), "{}", page.html);
    }
}

both! {
    async fn what_was_not_sent_is_found_where_it_is_asked_for(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let account = account(&mut shop.browser).await;
        let sale = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        let lost = copy(&app, &account, sale.text_at("/nota_id"), (NotaStatus::NotSent, 60_000)).await;
        let to = format!("/painel/documentos/{lost}?");
        let list = shop.page("/painel/documentos").await;
        assert!(list.has("<option value=\"nao_enviada\">Não enviados</option>") && !list.has(&to), "{}", list.html);
        let list = shop.page("/painel/documentos?status=nao_enviada").await;
        assert!(list.has(&to) && list.has(">não enviada<") && !list.has(&format!("{}?", place(&sale))), "{}", list.html);
        for (query, found) in [("", 1), ("?status=autorizada,rejeitada", 1), ("?status=nao_enviada", 1), ("?status=nao_enviada,autorizada", 2), ("?numero=1", 1), ("?numero=1&status=nao_enviada", 1)] {
            let answer = shop.get(&app, &format!("/api/v1/documentos{query}")).await;
            assert_eq!(answer.body["itens"].as_array().map(Vec::len), Some(found), "{query}: {}", answer.text);
        }
    }
}

on_sqlite! {
    async fn the_list_says_what_an_export_takes_of_its_filters(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        shop.issue(&app, "/api/v1/nfe", nfe()).await;
        shop.issue(&app, "/api/v1/cte/criar", cte()).await;
        for (query, said) in [
            ("periodo=hoje&tipo=nfe", ""),
            ("q=37,80&status=autorizada", "mas não a procura, a situação."),
            ("valor_min=1,00", "mas não o valor mínimo."),
            ("tipo=cte", "CT-e e MDF-e não entram na exportação"),
        ] {
            let page = shop.page(&format!("/painel/documentos?{query}")).await;
            assert_eq!(page.has("A exportação segue") || page.has("não entram na exportação"), !said.is_empty(), "{query}: {}", page.html);
            assert!(page.has(said), "{query}: {}", page.html);
            assert_eq!(page.has("Exportar XML e PDF (ZIP)"), query != "tipo=cte", "{query}");
        }
    }
}

tests::mailed! {
    async fn marked_documents_are_mailed_once_each(app: TestApp, smtp: Smtp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        confirmed(&app, "maria@exemplo.com.br").await;
        let mut ids = Vec::new();
        for email in [json!("ana@exemplo.com.br"), json!(null)] {
            let note = shop.issue(&app, "/api/v1/nfe", with(nfe(), "/destinatario/email", email)).await;
            ids.push(note.text_at("/nota_id").to_owned());
        }
        let path = "/painel/documentos/selecionados/email";
        let marked = shop.page(&format!("/painel/documentos/selecionados?id={}&id={}", ids[0], ids[1])).await;
        let mut form = marked.filled(path, &[]);
        let some = shop.browser.submit(path, &form).await;
        assert!(some.has("1 na fila") && some.has("NF-e 2") && some.has("não tem o e-mail do destinatário"), "{}", some.html);
        // The same form, completed: the first of them is not sent again.
        form.retain(|(name, _)| name != "para" && name != "vez");
        form.extend(some.form(path).into_iter().filter(|(name, _)| name == "vez"));
        form.push(("para".to_owned(), "bia@exemplo.com.br".to_owned()));
        form.retain(|(name, value)| name != "id" || *value == ids[1]);
        let sent = shop.browser.submit(path, &form).await;
        assert!(sent.to.starts_with("/painel/documentos/selecionados?"), "{} {}", sent.status, sent.html);
        assert!(shop.page(&sent.to).await.has("1 e-mail está na fila"));
        let twice = shop.browser.submit(path, &form).await;
        assert_eq!(twice.to, sent.to, "done once");
        let mut taken = smtp.until(3).await;
        taken.retain(|one| one.to != ["maria@exemplo.com.br"]);
        let mut to: Vec<_> = taken.iter().flat_map(|one| one.to.clone()).collect();
        to.sort();
        assert_eq!(to, ["ana@exemplo.com.br", "bia@exemplo.com.br"]);
    }
}

on_sqlite! {
    async fn the_chosen_theme_is_that_of_the_pages(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        assert!(!shop.page("/painel").await.has("data-tema"), "that of the system");
        shop.browser.send("/painel/tema", &[("tema", "escuro"), ("volta", "/painel")]).await;
        let dark = shop.page("/painel").await;
        assert!(dark.has("data-tema=\"escuro\""), "{}", dark.html);
        let style = dark.html.split("href=\"/painel/arquivos/").nth(1).and_then(|rest| rest.split('"').next()).expect("a style");
        let style = shop.page(&format!("/painel/arquivos/{style}")).await;
        assert!(style.has(":root[data-tema=\"escuro\"]"), "the style knows the name");
    }
}
