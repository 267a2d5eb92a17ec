//! Drafts, and forms filled with what a document says.

use super::{filled, value};
use crate::browser::Page;
use crate::pages::{NOTE, account, company};
use crate::registered;
use crate::worlds::{live_company, turn};
use std::collections::BTreeSet;
use std::convert::Infallible;
use store::TxError;
use store::tables::notas::{self, NotaStatus};
use tests::{TestApp, both, on_sqlite};

/// Credits of an account: available and held.
async fn credits(app: &TestApp, account: &str) -> (i64, i64) {
    let mut conn = app.app.db.read().await.expect("connection");
    let balances = accounts::ledger::balances(&mut conn, &account.into()).await;
    let balances = balances.expect("balances");
    (balances.available, balances.held)
}

both! {
    async fn a_draft_is_kept_opened_and_issued_once(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let form = filled(&mut browser, &emitter, &[("quantidade", "3"), ("informacoes", "Pedido 7"), ("acao", "rascunho")]).await;
        let kept = browser.submit("/painel/emitir", &form).await;
        assert!(kept.to.contains("/documentos/nfe_"), "{} {}", kept.status, kept.html);
        assert_eq!(browser.submit("/painel/emitir", &form).await.to, kept.to, "kept once");
        assert!(browser.get(&kept.to).await.has("Continuar o rascunho"));
        let id = kept.to.rsplit('/').next().expect("an id").to_owned();
        let open = format!("/painel/emitir?rascunho={id}");
        let page = browser.get(&open).await;
        assert!(page.status == 200 && value(&page, "quantidade") == "3" && value(&page, "nome") == "Cliente Exemplo Ltda", "{}", page.html);
        assert!(page.has("Pedido 7") && value(&page, "rascunho") == id, "{}", page.html);
        // Nobody else sees it.
        let mut other = registered(&app, "outra@exemplo.com.br").await;
        assert_eq!(other.get(&open).await.status, 404);
        assert_eq!(other.get(&format!("/painel/emitir?de={id}")).await.status, 404);
        // Two pages show it; one of them issues.
        let stale = browser.get(&open).await;
        let form = page.filled("/painel/emitir", &[("quantidade", "4"), ("tipo", "nfe"), ("emitente", &emitter), ("uf", "MG")]);
        let sent = browser.submit("/painel/emitir", &form).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{} {}", sent.status, sent.html);
        let note = browser.get(&sent.to).await;
        assert!(note.has("autorizada") && note.has("R$ 75,60"), "{}", note.html);
        assert_eq!(browser.submit("/painel/emitir", &form).await.to, sent.to);
        let form = stale.filled("/painel/emitir", &[("tipo", "nfe"), ("emitente", &emitter), ("uf", "MG")]);
        let refused = browser.submit("/painel/emitir", &form).await;
        assert!(refused.status == 409 && refused.has("já foi emitido"), "{} {}", refused.status, refused.html);
        let list = browser.get("/painel/documentos").await;
        assert!(list.has(">NF-e 1<") && !list.has(">NF-e 2<") && !list.has("(rascunho)"), "{}", list.html);
        app.check_invariants().await;
    }
}

both! {
    async fn a_draft_stays_in_the_world_it_was_kept_in(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        let form = filled(&mut browser, &emitter, &[("acao", "rascunho")]).await;
        let kept = browser.submit("/painel/emitir", &form).await;
        let id = kept.to.rsplit('/').next().expect("an id").to_owned();
        let (path, open) = (format!("/painel/documentos/{id}"), format!("/painel/emitir?rascunho={id}"));
        turn(&mut browser, "producao").await;
        // It is of homologação, which both worlds see.
        let shown = browser.get(&format!("{path}?ambiente=producao")).await;
        assert!(shown.status == 200 && shown.has("guardado em Teste") && shown.has(&format!("{path}?ambiente=teste")), "{}", shown.html);
        for offered in ["Continuar o rascunho", "Emitir o rascunho", "Excluir o rascunho"] {
            assert!(!shown.has(offered), "{offered}: {}", shown.html);
        }
        for page in [format!("{open}&ambiente=producao"), format!("{path}/excluir?ambiente=producao"), format!("{path}/emitir?ambiente=producao")] {
            let refused = browser.get(&page).await;
            assert!(refused.status == 404 && refused.has("guardado em Teste") && refused.has("Abrir o rascunho em Teste"), "{page}: {}", refused.html);
        }
        for (action, confirmed) in [("rascunho", ""), ("conferir", ""), ("", ""), ("", "1")] {
            let form = filled(&mut browser, &emitter, &[("rascunho", &id), ("acao", action), ("confirmado", confirmed)]).await;
            let refused = browser.submit("/painel/emitir", &form).await;
            assert!(refused.status == 404 && refused.has("guardado em Teste"), "{action}: {} {}", refused.status, refused.html);
        }
        browser.get("/painel/documentos").await;
        let refused = browser.send(&format!("{path}/excluir"), &[("confirmado", "1")]).await;
        assert!(refused.status == 404 && refused.has("guardado em Teste"), "{} {}", refused.status, refused.html);
        let page = browser.get(&format!("{open}&ambiente=teste")).await;
        assert!(page.status == 200 && value(&page, "rascunho") == id, "{}", page.html);
        let sent = browser.submit("/painel/emitir", &page.filled("/painel/emitir", &[("tipo", "nfe"), ("emitente", &emitter), ("uf", "MG")])).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{} {}", sent.status, sent.html);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_draft_for_a_person_shows_the_cpf(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        for kind in ["nfe", "nfce", "nfse"] {
            let form = filled(&mut browser, &emitter, &[("tipo", kind), ("documento", "123.456.789-09"), ("acao", "rascunho")]).await;
            let kept = browser.submit("/painel/emitir", &form).await;
            assert_eq!(kept.status, 303, "{kind}: {}", kept.html);
            let shown = browser.get(&kept.to).await;
            assert!(shown.has("123.456.789-09") && !shown.has("12.3.4.56"), "{kind}: {}", shown.html);
            assert!(shown.has("Emitir o rascunho"), "{kind}: it is complete: {}", shown.html);
            let id = kept.to.rsplit('/').next().expect("an id");
            let page = browser.get(&format!("/painel/emitir?rascunho={id}")).await;
            assert_eq!(value(&page, "documento"), "123.456.789-09", "{kind}");
            let kept_as = app.app.db.write((account(&mut browser).await, id.to_owned()), |(account, id), conn| Box::pin(async move {
                let note = notas::get(conn, &account.as_str().into(), &id.as_str().into()).await?;
                Ok::<_, TxError<Infallible>>(note.map(|note| note.tomador_documento))
            }));
            assert_eq!(kept_as.await.expect("read").as_deref(), Some("12345678909"), "{kind}");
        }
    }
}

both! {
    async fn a_complete_draft_comes_back_as_it_was_left(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let written = [("documento", "123.456.789-09"), ("municipio", "Belo Horizonte"), ("guardar", "1"), ("valor", "18,9"), ("servico", "01.01.01")];
        for kind in ["nfe", "nfse"] {
            let mut fields = written.to_vec();
            fields.extend([("tipo", kind), ("acao", "rascunho")]);
            let form = filled(&mut browser, &emitter, &fields).await;
            let mut kept = browser.submit("/painel/emitir", &form).await;
            // Kept, opened and kept once more.
            for _ in 0..2 {
                assert_eq!(kept.status, 303, "{kind}: {}", kept.html);
                assert!(browser.get(&kept.to).await.has("Emitir o rascunho"), "{kind}: it is complete");
                let id = kept.to.rsplit('/').next().expect("an id").to_owned();
                let page = browser.get(&format!("/painel/emitir?rascunho={id}")).await;
                assert!(page.has("Rascunho aberto: confira e emita."), "{kind}: {}", page.html);
                for (name, said) in written {
                    assert_eq!(value(&page, name), said, "{kind} {name}");
                }
                assert!(page.has("<option value=\"MG\" selected>"), "{kind}: {}", page.html);
                let again = page.filled("/painel/emitir", &[("tipo", kind), ("emitente", &emitter), ("uf", "MG"), ("acao", "rascunho")]);
                kept = browser.submit("/painel/emitir", &again).await;
            }
            // The tick still registers the customer.
            let id = kept.to.rsplit('/').next().expect("an id").to_owned();
            let page = browser.get(&format!("/painel/emitir?rascunho={id}")).await;
            let form = page.filled("/painel/emitir", &[("tipo", kind), ("emitente", &emitter), ("uf", "MG")]);
            let sent = browser.submit("/painel/emitir", &form).await;
            assert!(sent.to.contains("/documentos/"), "{kind}: {} {}", sent.status, sent.html);
            assert!(browser.get("/painel/clientes").await.has("123.456.789-09"), "{kind}: kept");
        }
        app.check_invariants().await;
    }
}

both! {
    async fn an_unfinished_form_is_kept_as_it_was_written(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let account = account(&mut browser).await;
        let before = credits(&app, &account).await;
        let empty = ["documento", "nome", "cep", "logradouro", "numero", "bairro", "municipio", "ncm", "servico"];
        let written = [("descricao", "Café em grãos"), ("quantidade", "duas"), ("valor", "18,"), ("descricao-2", "Filtro"), ("quantidade-2", "1"), ("valor-2", "10,00"), ("aliquota", "dois"), ("pago", "R$ "), ("email", "ana@")];
        for kind in ["nfce", "nfse", "nfe"] {
            let mut fields: Vec<(&str, &str)> = empty.map(|name| (name, "")).to_vec();
            fields.extend(written);
            fields.extend([("uf", ""), ("tipo", kind), ("acao", "rascunho")]);
            let form = filled(&mut browser, &emitter, &fields).await;
            let kept = browser.submit("/painel/emitir", &form).await;
            assert!(kept.status == 303 && kept.to.contains("/documentos/"), "{kind}: {} {}", kept.status, kept.html);
            assert_eq!(browser.submit("/painel/emitir", &form).await.to, kept.to, "{kind}: kept once");
            let shown = browser.get(&kept.to).await;
            assert!(shown.status == 200 && shown.has("Continuar o rascunho") && !shown.has("Emitir o rascunho") && shown.has("R$ 10,00"), "{kind}: {}", shown.html);
            let id = kept.to.rsplit('/').next().expect("an id");
            let page = browser.get(&format!("/painel/emitir?rascunho={id}")).await;
            assert!(page.status == 200 && page.has(&format!("value=\"{kind}\" selected")), "{kind}: {}", page.html);
            for (name, said) in written {
                assert_eq!(value(&page, name), said, "{kind} {name}");
            }
            for name in empty {
                assert_eq!(value(&page, name), "", "{kind} {name}");
            }
        }
        assert!(browser.get("/painel/documentos").await.has("NF-e (rascunho)"));
        assert_eq!(credits(&app, &account).await, before, "nothing is charged");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_draft_with_long_words_to_look_for_opens_again(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let long = "ação".repeat(4_250);
        let searches = ["cliente_busca", "produto_busca", "servico_busca", "ncm_busca"].map(|name| (name, long.as_str()));
        let mut fields = searches.to_vec();
        fields.extend([("descricao", ""), ("acao", "rascunho")]);
        let form = filled(&mut browser, &emitter, &fields).await;
        let kept = browser.submit("/painel/emitir", &form).await;
        assert!(kept.status == 303 && kept.to.contains("/documentos/"), "{} {}", kept.status, kept.html);
        let id = kept.to.rsplit('/').next().expect("an id");
        let page = browser.get(&format!("/painel/emitir?rascunho={id}")).await;
        assert!(page.status == 200 && value(&page, "cliente_busca").chars().count() == 200, "{} {}", page.status, page.html);
        for action in ["procurar-cliente", "produtos", "catalogo", "servicos", "ncm:1"] {
            fields.pop();
            fields.push(("acao", action));
            let form = filled(&mut browser, &emitter, &fields).await;
            let page = browser.submit("/painel/emitir", &form).await;
            assert!(page.status != 414 && page.status < 500 && page.has("name=\"quantidade\""), "{action}: {} {}", page.status, page.html);
        }
    }
}

on_sqlite! {
    async fn an_unfinished_form_is_completed_and_issued(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let form = filled(&mut browser, &emitter, &[("ncm", ""), ("acao", "rascunho")]).await;
        let kept = browser.submit("/painel/emitir", &form).await;
        assert_eq!(kept.status, 303, "{}", kept.html);
        // Nothing can be issued of it as it is.
        let action = format!("{}/emitir", kept.to);
        let asked = browser.get(&action).await;
        let refused = browser.submit(&action, &asked.filled(&action, &[("confirmado", "1")])).await;
        assert!(refused.to.is_empty() && refused.has("Este rascunho está incompleto"), "{} {}", refused.to, refused.html);
        // Kept again, it takes the place of what was kept before.
        let open = |page: &str| format!("/painel/emitir?rascunho={}", page.rsplit('/').next().unwrap_or_default());
        let page = browser.get(&open(&kept.to)).await;
        let own = [("tipo", "nfe"), ("emitente", emitter.as_str()), ("uf", "MG")];
        let mut fields = own.to_vec();
        fields.extend([("quantidade", "4"), ("acao", "rascunho")]);
        let again = browser.submit("/painel/emitir", &page.filled("/painel/emitir", &fields)).await;
        assert!(again.status == 303 && again.to != kept.to, "{} {}", again.to, again.html);
        assert_eq!(browser.get(&open(&kept.to)).await.status, 404, "the first is gone");
        // Complete, it is issued.
        let page = browser.get(&open(&again.to)).await;
        assert_eq!(value(&page, "quantidade"), "4", "{}", page.html);
        let mut fields = NOTE.to_vec();
        fields.extend(own);
        let sent = browser.submit("/painel/emitir", &page.filled("/painel/emitir", &fields)).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{} {}", sent.status, sent.html);
        assert!(browser.get(&sent.to).await.has("autorizada"));
        assert!(!browser.get("/painel/documentos").await.has("(rascunho)"), "no draft is left");
        // A company of somebody else keeps nothing.
        let mut other = registered(&app, "outra@exemplo.com.br").await;
        company(&mut other).await;
        let form = filled(&mut other, &emitter, &[("ncm", ""), ("acao", "rascunho")]).await;
        assert_eq!(other.submit("/painel/emitir", &form).await.status, 404);
        app.check_invariants().await;
    }
}

both! {
    async fn of_two_pages_of_a_draft_one_keeps_it(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let drafts = |list: &Page| -> BTreeSet<String> {
            let links = list.links().into_iter().filter(|link| link.starts_with("/painel/documentos/nfe_"));
            links.map(|link| link.split(['?', '#']).next().unwrap_or_default().to_owned()).collect()
        };
        let open = |page: &str| format!("/painel/emitir?rascunho={}", page.rsplit('/').next().unwrap_or_default());
        let form = filled(&mut browser, &emitter, &[("acao", "rascunho")]).await;
        let kept = browser.submit("/painel/emitir", &form).await;
        let (page, stale) = (browser.get(&open(&kept.to)).await, browser.get(&open(&kept.to)).await);
        let own = [("tipo", "nfe"), ("emitente", emitter.as_str()), ("uf", "MG"), ("acao", "rascunho")];
        let again = browser.submit("/painel/emitir", &page.filled("/painel/emitir", &[&own[..], &[("quantidade", "4")]].concat())).await;
        assert!(again.status == 303 && again.to != kept.to, "{} {}", again.to, again.html);
        assert_eq!(browser.get(&open(&kept.to)).await.status, 404, "the first is gone");
        assert_eq!(drafts(&browser.get("/painel/documentos").await), BTreeSet::from([again.to.clone()]));
        // Finished or not, the other page keeps nothing beside it.
        for ncm in ["09012100", ""] {
            let fields = [&own[..], &[("quantidade", "5"), ("ncm", ncm)]].concat();
            let refused = browser.submit("/painel/emitir", &stale.filled("/painel/emitir", &fields)).await;
            assert!(refused.status == 409 && refused.has("já foi emitido, ou excluído, em outra página"), "{} {}", refused.status, refused.html);
            assert_eq!(drafts(&browser.get("/painel/documentos").await), BTreeSet::from([again.to.clone()]));
        }
        // What cannot be kept leaves the draft it came of.
        let page = browser.get(&open(&again.to)).await;
        let unknown = [("tipo", "nfe"), ("emitente", "emi_nada"), ("uf", "MG"), ("ncm", ""), ("acao", "rascunho")];
        let refused = browser.submit("/painel/emitir", &page.filled("/painel/emitir", &unknown)).await;
        assert!(refused.to.is_empty(), "{}", refused.to);
        assert_eq!(browser.get(&open(&again.to)).await.status, 200);
        // What another account kept is no draft of this one.
        let mut other = registered(&app, "outra@exemplo.com.br").await;
        let company = company(&mut other).await;
        let form = filled(&mut other, &company, &[("acao", "rascunho"), ("rascunho", again.to.rsplit('/').next().unwrap_or_default())]).await;
        assert_eq!(other.submit("/painel/emitir", &form).await.status, 409);
        assert_eq!(browser.get(&open(&again.to)).await.status, 200);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_document_is_issued_again(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        for (kind, fields) in [
            ("nfe", vec![("descricao-2", "Filtro"), ("ncm-2", "48232099"), ("quantidade-2", "1,5"), ("valor-2", "10,00"), ("desconto-2", "1,50")]),
            ("nfse", vec![("aliquota", "2,5")]),
        ] {
            let mut fields = fields.clone();
            fields.push(("tipo", kind));
            let form = filled(&mut browser, &emitter, &fields).await;
            let first = browser.submit("/painel/emitir", &form).await;
            let note = browser.get(&first.to).await;
            assert!(note.has("Duplicar"), "{kind}: {}", note.html);
            let link = note.html.split("href=\"").find(|rest| rest.starts_with("/painel/emitir?") && rest.contains("de=")).and_then(|rest| rest.split('"').next());
            let link = link.expect("a link").replace("&amp;", "&");
            let page = browser.get(&link).await;
            assert!(page.status == 200 && page.has("é outra nota"), "{kind}: {}", page.html);
            if kind == "nfe" {
                for (name, said) in [("documento", "12.345.678/0001-95"), ("descricao", "Café torrado 1 kg"), ("quantidade-2", "1,5"), ("valor-2", "10,00"), ("desconto-2", "1,50"), ("municipio", "Belo Horizonte")] {
                    assert_eq!(value(&page, name), said, "{name}");
                }
            } else {
                assert_eq!((value(&page, "valor").as_str(), value(&page, "servico").as_str(), value(&page, "aliquota").as_str()), ("37,80", "010101", "2,5"));
                // Its XML has the code of the city alone.
                assert_eq!(value(&page, "municipio"), "Belo Horizonte");
                assert!(page.has("<option value=\"MG\" selected>"), "{}", page.html);
            }
            let form = page.filled("/painel/emitir", &[("tipo", kind), ("emitente", &emitter), ("uf", "MG")]);
            let again = browser.submit("/painel/emitir", &form).await;
            assert!(again.to.contains("/documentos/") && again.to != first.to, "{kind}: {}", again.html);
        }
        // The day of the service stays in its draft, and goes to no other note.
        let form = filled(&mut browser, &emitter, &[("tipo", "nfse"), ("competencia", "2026-11-02"), ("acao", "rascunho")]).await;
        let kept = browser.submit("/painel/emitir", &form).await;
        let id = kept.to.rsplit('/').next().expect("an id");
        let draft = browser.get(&format!("/painel/emitir?rascunho={id}")).await;
        let other = browser.get(&format!("/painel/emitir?de={id}")).await;
        assert_eq!((value(&draft, "competencia"), value(&other, "competencia")), ("2026-11-02".to_owned(), String::new()), "{}", kept.html);
    }
}

on_sqlite! {
    async fn a_refused_note_is_corrected_and_sent_again(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        // With a certificate its notes of Teste go to the simulated SEFAZ.
        let emitter = live_company(&app, &mut browser).await;
        app.app.simulator.sim.add_fault(sim::Fault {
            quando: sim::When { operacao: Some("autorizar".to_owned()), vezes: Some(1), ..Default::default() },
            falha: sim::FaultKind::Recusar,
            codigo: Some("778".to_owned()),
            mensagem: Some("Rejeicao: Informado NCM inexistente".to_owned()),
            ..Default::default()
        });
        let form = filled(&mut browser, &emitter, &[("informacoes", "Pedido 9")]).await;
        let refused = browser.submit("/painel/emitir", &form).await;
        assert!(refused.status == 422 && refused.has("A SEFAZ recusou a nota") && refused.has("código 778"), "{} {}", refused.status, refused.html);
        assert!(refused.has("Pedido 9") && !refused.has("Idempotency"), "{}", refused.html);
        // The page of the refused note leads back to the form.
        let link = refused.html.split("href=\"").find(|rest| rest.starts_with("/painel/documentos/nfe_")).and_then(|rest| rest.split('"').next());
        let link = link.expect("the refused note").to_owned();
        let note = browser.get(&link).await;
        assert!(note.has("Corrigir e enviar de novo"), "{}", note.html);
        let id = link.rsplit('/').next().expect("an id");
        let page = browser.get(&format!("/painel/emitir?de={id}")).await;
        assert!(page.has("foi recusada") && page.has("código 778") && page.has("Pedido 9"), "{}", page.html);
        // Mended, the same form is another note, once.
        let mended = refused.filled("/painel/emitir", &[("ncm", "09012200"), ("tipo", "nfe"), ("emitente", &emitter), ("uf", "MG")]);
        let sent = browser.submit("/painel/emitir", &mended).await;
        assert!(sent.to.contains("/documentos/nfe_") && sent.to != link, "{} {}", sent.status, sent.html);
        // From the page before, mended in the same way or another: it was done.
        assert_eq!(browser.submit("/painel/emitir", &form).await.to, sent.to);
        let account = account(&mut browser).await;
        let read = app.app.db.write((account, id.to_owned()), |(account, id), conn| Box::pin(async move {
            let note = notas::get(conn, &account.as_str().into(), &id.as_str().into()).await?;
            Ok::<_, TxError<Infallible>>(note.map(|note| note.status))
        }));
        assert_eq!(read.await.expect("read"), Some(NotaStatus::Rejected));
    }
}
