//! Teste and Produção: what each shows, and what it takes to issue for real.

use crate::browser::{Browser, Page};
use crate::pages::{COMPANY, NOTE, account, company};
use crate::registered;
use sim::pki::PfxFormat;
use std::convert::Infallible;
use store::TxError;
use store::ids::EmitterId;
use store::tables::emitters::{self, EmitterRow};
use tests::a1::{PASSWORD, pfx};
use tests::{TestApp, both, on_sqlite};

/// A person whose company issues for real; its id.
pub async fn live_company(app: &TestApp, browser: &mut Browser) -> String {
    let id = company(browser).await;
    let page = format!("/painel/emitentes/{id}");
    let good = pfx(app, "11222333000181", PfxFormat::Modern, (-1, 365));
    browser.get(&page).await;
    let sent = browser
        .upload(
            &format!("{page}/certificado"),
            &[
                ("certificado", Some("a1.pfx"), &good),
                ("senha", None, PASSWORD.as_bytes()),
            ],
        )
        .await;
    assert!(sent.to.contains("feito=certificado"), "{}", sent.html);
    browser.get(&page).await;
    browser
        .send(&format!("{page}/ambiente"), &[("ambiente", "producao")])
        .await;
    id
}

pub async fn turn(browser: &mut Browser, world: &str) {
    browser.get("/painel").await;
    browser
        .send("/painel/mundo", &[("mundo", world), ("volta", "/painel")])
        .await;
}

fn live(page: &Page) -> bool {
    page.has("value=\"producao\" aria-pressed=\"true\"")
}

fn note(emitter: &str) -> Vec<(&str, &str)> {
    let mut fields = NOTE.to_vec();
    fields.extend([("tipo", "nfe"), ("emitente", emitter)]);
    fields
}

/// Issues a note in Produção; where it is shown.
async fn issued(browser: &mut Browser, emitter: &str) -> String {
    let page = browser.get("/painel/emitir").await;
    let asked = browser
        .submit(
            "/painel/emitir",
            &page.filled("/painel/emitir", &note(emitter)),
        )
        .await;
    if !asked.to.is_empty() {
        return asked.to;
    }
    let sent = browser
        .submit(
            "/painel/emitir",
            &asked.filled("/painel/emitir", &[("confirmado", "1")]),
        )
        .await;
    assert!(sent.to.contains("/documentos/nfe_"), "{}", sent.html);
    sent.to
}

both! {
    async fn a_real_note_is_asked_about_before_it_is_issued(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        assert!(browser.get("/painel/emitir").await.has("Cliente Exemplo"), "an example in Teste");
        turn(&mut browser, "producao").await;
        let page = browser.get("/painel/emitir").await;
        for (name, value) in page.form("/painel/emitir") {
            let hidden = ["csrf", "vez", "mundo"].contains(&name.as_str());
            assert!(hidden || value.is_empty(), "{name} is filled with {value}");
        }
        let form = page.filled("/painel/emitir", &note(&emitter));
        let asked = browser.submit("/painel/emitir", &form).await;
        assert_eq!((asked.status, asked.to.as_str()), (200, ""));
        for text in ["Loja Exemplo Ltda", "11.222.333/0001-81", "R$ 37,80", "4 créditos", "R$ 0,04", "Cliente Exemplo Ltda", "valor fiscal"] {
            assert!(asked.has(text), "{text}: {}", asked.html);
        }
        assert!(!browser.get("/painel/documentos").await.has(">NF-e 1<"), "asking issues nothing");
        let back = browser.submit("/painel/emitir", &asked.filled("/painel/emitir", &[("corrigir", "1")])).await;
        assert!(back.has("value=\"Cliente Exemplo Ltda\"") && back.has("name=\"quantidade\""), "{}", back.html);
        let confirmed = asked.filled("/painel/emitir", &[("confirmado", "1")]);
        let sent = browser.submit("/painel/emitir", &confirmed).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{} {}", sent.status, sent.html);
        assert!(browser.get(&sent.to).await.has("autorizada"));
        assert_eq!(browser.submit("/painel/emitir", &confirmed).await.to, sent.to, "confirmed twice, issued once");
        assert_eq!(browser.submit("/painel/emitir", &form).await.to, sent.to, "nor from the form before it");
        let empty = browser.get("/painel/emitir").await;
        let nothing = browser.submit("/painel/emitir", &empty.filled("/painel/emitir", &[("tipo", "nfe"), ("emitente", &emitter)])).await;
        assert!(nothing.status == 422 && nothing.has("role=\"alert\"") && nothing.has("quantidade"), "{}", nothing.html);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn the_form_offers_the_default_company(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let first = company(&mut browser).await;
        let mut other = COMPANY.to_vec();
        other[0] = ("cnpj", "22.444.777/0001-61");
        other[1] = ("razao_social", "Filial Nova Ltda");
        let made = browser.follow("/painel/emitentes", &other).await;
        assert!(made.has("Filial Nova Ltda"), "{}", made.html);
        let page = browser.get("/painel/emitir").await;
        assert!(page.has(&format!("value=\"{first}\" selected")), "{}", page.html);
        assert_eq!(page.html.split("id=\"emitente\"").nth(1).and_then(|rest| rest.split("</select>").next()).map(|select| select.matches("selected").count()), Some(1));
    }
}

on_sqlite! {
    async fn the_default_of_many_companies_is_offered(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let first = company(&mut browser).await;
        let account = account(&mut browser).await;
        let (now_ms, id) = (app.app.now_ms(), first.clone());
        let written = app.app.db.write((account, id, now_ms), |(account, id, now_ms), conn| Box::pin(async move {
            let first = emitters::get(conn, &account.as_str().into(), &id.as_str().into()).await?.expect("a company");
            for n in 1..=101_i64 {
                let row = EmitterRow { id: EmitterId::new(*now_ms + n), cnpj: format!("{n:014}"), razao_social: format!("Filial {n}"), padrao: 0, ..first.clone() };
                assert!(emitters::insert(conn, &row).await?);
            }
            Ok::<_, TxError<Infallible>>(())
        }));
        written.await.expect("written");
        let page = browser.get("/painel/emitir").await;
        assert!(page.has("Filial 101 ") && !page.has("Filial 1 "), "more than are listed: {}", page.html);
        assert!(page.has(&format!("value=\"{first}\" selected")), "{}", page.html);
        let sent = browser.submit("/painel/emitir", &page.filled("/painel/emitir", &note(&first))).await;
        assert!(sent.to.contains("/documentos/nfe_"), "{}", sent.html);
    }
}

both! {
    async fn a_page_that_refreshes_itself_leaves_the_choice_alone(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        turn(&mut browser, "producao").await;
        let link = format!("{}?ambiente=producao", issued(&mut browser, &emitter).await);
        // Two windows: the other one is turned to Teste.
        turn(&mut browser, "teste").await;
        browser.headers.push(("sec-fetch-mode", "cors".to_owned()));
        let refreshed = browser.get(&link).await;
        assert!(refreshed.status == 200 && live(&refreshed) && refreshed.has("NF-e 1"), "{}", refreshed.html);
        browser.headers.pop();
        assert!(!live(&browser.get("/painel/documentos").await), "nobody followed a link");
        browser.headers.push(("sec-fetch-mode", "navigate".to_owned()));
        assert!(live(&browser.get(&link).await) && live(&browser.get("/painel/documentos").await));
    }
}

both! {
    async fn links_lead_to_the_world_of_what_they_show(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        turn(&mut browser, "producao").await;
        let note = issued(&mut browser, &emitter).await;
        app.calls_logged().await;

        turn(&mut browser, "teste").await;
        let statement = browser.get("/painel/creditos").await;
        let link = format!("{note}?ambiente=producao");
        assert!(!live(&statement) && statement.has(&format!("href=\"{link}\"")), "{}", statement.html);
        // A bookkeeper reads which note it was, and not the words of programs.
        for text in [">NF-e 1</a>", "reservado para a nota", "cobrado da reserva: 4 créditos"] {
            assert!(statement.has(text), "{text}: {}", statement.html);
        }
        assert!(!statement.has("nfe.create"), "{}", statement.html);
        let page = browser.get(&link).await;
        assert!(page.status == 200 && live(&page) && page.has("NF-e 1"), "{}", page.html);
        assert!(live(&browser.get("/painel/documentos").await), "the switch means the same on each page");

        turn(&mut browser, "teste").await;
        let bare = browser.get(&note).await;
        assert_eq!((bare.status, &bare.to), (303, &link), "a link somebody sent");
        assert_eq!(browser.get(&format!("{note}?enviada=1")).await.to, format!("{note}?enviada=1&ambiente=producao"));
        for kind in ["pdf", "xml"] {
            let file = browser.get(&format!("{note}/{kind}")).await;
            assert_eq!(file.to, format!("{note}/{kind}?ambiente=producao"));
        }

        let usage = browser.get("/painel/uso").await;
        let call = usage.html.split("href=\"").find(|rest| rest.starts_with("/painel/uso/chamadas/") && rest.split('"').next().is_some_and(|link| link.ends_with("?ambiente=producao")));
        let call = call.and_then(|rest| rest.split('"').next()).expect("a call of Produção").to_owned();
        assert!(!live(&usage) && usage.has("Ambiente"), "{}", usage.html);
        let call = browser.get(&call).await;
        assert!(call.status == 200 && live(&call) && call.has(&format!("href=\"{link}\"")), "{}", call.html);
        assert_eq!(browser.get("/painel/documentos/nfe_nada").await.status, 404);
        assert_eq!(browser.get("/painel?ambiente=lua").await.status, 200);
    }
}

on_sqlite! {
    async fn a_form_acts_where_it_was_shown(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        let shown = browser.get("/painel/emitir").await;
        let keys = browser.get("/painel/chaves").await;
        // Another window of the same person.
        turn(&mut browser, "producao").await;
        let made = browser.submit("/painel/chaves", &keys.filled("/painel/chaves", &[("nome", "De teste")])).await;
        assert!(made.id("chave-nova").starts_with("svc_test_"), "{}", made.html);
        turn(&mut browser, "producao").await;
        let sent = browser.submit("/painel/emitir", &shown.filled("/painel/emitir", &note(&emitter))).await;
        let page = browser.get(&sent.to).await;
        assert!(!live(&page) && page.has("<dd>homologação</dd>"), "{} {}", sent.html, page.html);
    }
}

on_sqlite! {
    async fn a_note_the_authority_does_not_let_in_says_why(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        turn(&mut browser, "producao").await;
        for operation in ["autorizar", "consultar"] {
            app.app.simulator.sim.add_fault(sim::Fault {
                quando: sim::When { operacao: Some(operation.to_owned()), vezes: Some(0), ..Default::default() },
                falha: sim::FaultKind::AcessoNegado,
                ..Default::default()
            });
        }
        let note = issued(&mut browser, &emitter).await;
        let page = browser.get(&note).await;
        assert!(page.has("em transmissão") && page.has("HTTP 403"), "{}", page.html);
        assert!(page.has("certificado A1") && page.has("endereço IP"), "what to do: {}", page.html);
    }
}
