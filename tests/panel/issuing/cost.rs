//! What pages say of price and fiscal value before something is issued.

use super::filled;
use crate::browser::Browser;
use crate::pages::company;
use crate::registered;
use crate::worlds::{live_company, turn};
use tests::on_sqlite;

/// The price on the button of the form, where it is shown.
const BUTTON: &str =
    "Emitir nota de teste<span class=\"so-homologacao so-produto\"> (4 créditos)</span>";
/// A customer whom every kind of note may have.
const PERSON: (&str, &str) = ("documento", "123.456.789-09");
const REAL: &str = "Produção: a nota tem valor fiscal.";

/// The page of a new draft of a kind.
async fn draft(browser: &mut Browser, emitter: &str, kind: &str) -> String {
    let fields = [("tipo", kind), PERSON, ("acao", "rascunho")];
    let form = filled(browser, emitter, &fields).await;
    let kept = browser.submit("/painel/emitir", &form).await;
    assert_eq!(kept.status, 303, "{kind}: {}", kept.html);
    kept.to
}

on_sqlite! {
    async fn buttons_that_issue_tell_what_it_costs(app: TestApp) {
        // Without a certificate everything in Teste is simulated.
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = company(&mut browser).await;
        let page = browser.get("/painel/emitir").await;
        assert!(page.has("data-lugar=\"simulado\"") && !page.has("(4 créditos)") && !page.has(REAL), "{}", page.html);
        let kept = draft(&mut browser, &emitter, "nfe").await;
        let shown = browser.get(&kept).await;
        assert!(shown.has("Emitir o rascunho") && !shown.has("Emitir o rascunho ("), "{}", shown.html);
        let asked = browser.get(&format!("{kept}/emitir")).await;
        assert!(asked.has("Nada: a emissão é simulada.") && !asked.has("terá valor fiscal"), "{}", asked.html);

        // With one, product notes go to homologação and are charged.
        let mut browser = registered(&app, "outra@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        let page = browser.get("/painel/emitir").await;
        assert!(page.has("data-lugar=\"homologacao\"") && page.has(BUTTON) && page.has("vai à homologação da SEFAZ"), "{}", page.html);
        for (kind, charged) in [("nfe", true), ("nfce", true), ("nfse", false)] {
            let kept = draft(&mut browser, &emitter, kind).await;
            let shown = browser.get(&kept).await;
            assert_eq!(shown.has("Emitir o rascunho (4 créditos)"), charged, "{kind}: {}", shown.html);
            let asked = browser.get(&format!("{kept}/emitir")).await;
            assert_eq!(asked.has("4 créditos (R$ 0,04)"), charged, "{kind}: {}", asked.html);
            assert_eq!(asked.has("mas custa como em produção"), charged, "{kind}: {}", asked.html);
            assert!(!asked.has("só simulado"), "{kind}: {}", asked.html);
            // The form tells the same.
            let form = filled(&mut browser, &emitter, &[("tipo", kind), PERSON, ("acao", "conferir")]).await;
            let told = browser.submit("/painel/emitir", &form).await;
            assert_eq!(told.has("4 créditos (R$ 0,04)"), charged, "{kind}: {}", told.html);
        }
    }
}

on_sqlite! {
    async fn live_pages_tell_of_the_fiscal_value(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        turn(&mut browser, "producao").await;
        let page = browser.get("/painel/emitir").await;
        assert!(page.has(REAL) && page.has("data-lugar=\"producao\"") && !page.has(BUTTON), "{}", page.html);
        for (kind, remedy, other) in [
            ("nfe", "a carta de correção, para erros pequenos", "a substituição"),
            ("nfce", "há o cancelamento, dentro do prazo.", "carta de correção"),
        ] {
            let kept = draft(&mut browser, &emitter, kind).await;
            let shown = browser.get(&kept).await;
            assert!(shown.has("Emitir o rascunho (4 créditos)"), "{kind}: {}", shown.html);
            let asked = browser.get(&format!("{kept}/emitir")).await;
            let form = filled(&mut browser, &emitter, &[("tipo", kind), PERSON]).await;
            let told = browser.submit("/painel/emitir", &form).await;
            for page in [asked, told] {
                assert_eq!(page.status, 200, "{kind}: {}", page.html);
                assert!(page.has("A nota terá valor fiscal.") && page.has(remedy) && !page.has(other), "{kind}: {}", page.html);
                assert!(page.has("4 créditos (R$ 0,04)") && !page.has("só pode ser cancelada"), "{kind}: {}", page.html);
            }
        }
        // The company may still be in homologação.
        let to = format!("/painel/emitentes/{emitter}");
        browser.get(&to).await;
        browser.send(&format!("{to}/ambiente"), &[("ambiente", "homologacao")]).await;
        let page = browser.get("/painel/emitir").await;
        assert!(!page.has(REAL) && page.has("ainda emite em homologação"), "{}", page.html);
    }
}
