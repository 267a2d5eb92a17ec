//! What is done to documents of each kind: cancelling, correcting, and taking
//! back what was linked.

use super::acting::{REASON, live, offered};
use super::{Shop, place};
use serde_json::json;
use tests::bodies::{cte, nfce, nfe, nfse, with};
use tests::{both, on_sqlite};

on_sqlite! {
    async fn a_service_note_is_cancelled_for_a_reason_of_the_list(app: TestApp) {
        let mut shop = live(&app).await;
        let note = shop.issue(&app, "/api/v1/nfse", nfse()).await;
        let place = place(&note);
        let path = format!("{place}/cancelar");
        let form = shop.page(&path).await;
        assert!(form.has("em algumas cidades o pedido ainda é analisado"), "{}", form.html);
        assert!(form.has("depois dele, o cancelamento é recusado (código E0822)."), "{}", form.html);
        // Nobody sends a reason that they did not choose.
        assert!(form.has("<option value=\"\" selected>Escolha o motivo</option>"), "{}", form.html);
        let empty = shop.browser.submit(&path, &form.filled(&path, &[("justificativa", REASON)])).await;
        assert!(empty.status == 422 && empty.has("id=\"codigo_motivo-falha\"") && !empty.has("name=\"confirmado\""), "{}", empty.html);
        assert!(empty.tag("codigo_motivo").contains(" autofocus") && empty.has(&format!(">{REASON}<")), "{}", empty.html);
        let unknown = [("codigo_motivo", "desisti"), ("justificativa", REASON)];
        let unknown = shop.browser.submit(&path, &form.filled(&path, &unknown)).await;
        assert!(unknown.status == 422 && unknown.has("id=\"codigo_motivo-falha\"") && unknown.tag("codigo_motivo").contains(" autofocus"), "{}", unknown.html);
        let known = [("codigo_motivo", "servico_nao_prestado"), ("justificativa", REASON)];
        let asking = shop.browser.submit(&path, &unknown.filled(&path, &known)).await;
        for text in ["Confira", "<dt>Tomador</dt><dd>Cliente Exemplo Ltda</dd>", "Serviço não prestado", REASON, "4 créditos (R$ 0,04)", "Isto tem efeito fiscal"] {
            assert!(asking.has(text), "{text}: {}", asking.html);
        }
        assert!(shop.page(&place).await.has("selo ok\">autorizada<"), "nothing was sent yet");
        let cancelled = shop.confirm(&path, &known).await;
        assert_eq!(cancelled.to, format!("{place}?feito=cancelar"), "{}", cancelled.html);
        let page = shop.page(&cancelled.to).await;
        assert!(page.has("Cancelamento registrado.") && page.has("class=\"selo erro\">cancelada<"), "{}", page.html);
        assert!(page.has("<dt>Cancelada em</dt>") && page.has(&format!("<dt>Motivo</dt><dd>Serviço não prestado: {REASON}</dd>")), "{}", page.html);
        assert!(!offered(&page, &place).contains(&"cancelar".to_owned()) && !page.has("/substituir?"), "{}", page.html);
        assert_eq!(shop.browser.get(&path).await.status, 409);
        app.check_invariants().await;
    }
}

both! {
    async fn a_coupon_is_cancelled_alone_or_for_the_one_that_replaces_it(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let coupon = shop.issue(&app, "/api/v1/nfce", nfce()).await;
        let other = shop.issue(&app, "/api/v1/nfce", nfce()).await;
        let place_of_other = place(&other);
        let place = place(&coupon);
        let path = format!("{place}/cancelar");
        // Another coupon replaces it only where that one was issued in contingency: the
        // authority was asked for the other event and says so (920). A key is pasted with
        // spaces, as it is printed.
        let (begin, rest) = other.text_at("/chave").split_at(4);
        let printed = format!("{begin} {rest}");
        let refused = shop.confirm(&path, &[("justificativa", REASON), ("chave_substituta", &printed)]).await;
        assert!(refused.to.is_empty() && refused.has("role=\"alert\"") && refused.has("(920). ") && !refused.has("920 Rejeição"), "{}", refused.html);
        assert!(refused.has(&format!("value=\"{printed}\"")) && refused.has(&format!(">{REASON}<")), "the form as it was: {}", refused.html);
        assert!(shop.page(&place).await.has("selo ok\">autorizada<"));

        let cancelled = shop.confirm(&path, &[("justificativa", REASON), ("chave_substituta", "")]).await;
        assert_eq!(cancelled.to, format!("{place}?feito=cancelar"), "{}", cancelled.html);
        let page = shop.page(&cancelled.to).await;
        assert!(page.has("Cancelamento registrado.") && page.has("class=\"selo erro\">cancelada<"), "{}", page.html);
        assert_eq!(shop.browser.get(&path).await.status, 409);
        assert!(shop.page(&place_of_other).await.has("selo ok\">autorizada<"), "the other one stands");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_freight_document_is_corrected_or_cancelled(app: TestApp) {
        let mut shop = live(&app).await;
        let account = crate::pages::account(&mut shop.browser).await;
        app.release(&account.as_str().into()).await;
        let create = "/api/v1/cte/criar-e-emitir";
        let freight = shop.issue(&app, create, cte()).await;
        let corrected = place(&freight);
        let page = shop.page(&corrected).await;
        assert_eq!(offered(&page, &corrected), ["pdf", "xml", "cce", "consultar", "cancelar"]);

        // A letter names the group and the field of the layout.
        let path = format!("{corrected}/cce");
        let form = shop.page(&path).await;
        let empty = shop.browser.submit(&path, &form.filled(&path, &[("grupo", "infCarga")])).await;
        assert!(empty.status == 422 && empty.has("id=\"campo-falha\"") && empty.has("id=\"valor-falha\"") && !empty.has("id=\"grupo-falha\""), "{}", empty.html);
        // A position that is no number would otherwise be left out of what is registered.
        let position = shop.browser.submit(&path, &empty.filled(&path, &[("grupo", "infCarga"), ("campo", "proPred"), ("valor", "Café moído"), ("item", "2º")])).await;
        assert!(position.status == 422 && position.has("id=\"item-falha\"") && position.tag("item").contains("value=\"2º\""), "{}", position.html);
        let amount = shop.confirm(&path, &[("grupo", "vPrest"), ("campo", "vTPrest"), ("valor", "1.00")]).await;
        assert!(amount.to.is_empty() && amount.has("id=\"campo-falha\"") && amount.has("value=\"vTPrest\""), "an amount is not corrected: {}", amount.html);
        let letter = shop.confirm(&path, &[("grupo", "infCarga"), ("campo", "proPred"), ("valor", "Café moído")]).await;
        assert_eq!(letter.to, format!("{corrected}?feito=cce"), "{}", letter.html);
        let page = shop.page(&letter.to).await;
        assert!(page.has("Carta de correção registrada.") && page.has(">Carta de correção: registrada<"), "{}", page.html);
        assert!(page.has("<div class=\"linhas\">proPred: Café moído</div>"), "{}", page.html);
        let event = page.links().into_iter().find(|link| link.contains("/evento/") && link.contains("/xml")).expect("the file of the letter");
        let event = shop.page(&event).await;
        assert!(event.has("<procEventoCTe") && event.has("Café moído"), "{}", event.html);

        // What was corrected is not cancelled (523); the authority's sentence stands on the page.
        let cancel = [("justificativa", "Serviço não foi prestado")];
        let refused = shop.confirm(&format!("{corrected}/cancelar"), &cancel).await;
        assert!(refused.to.is_empty() && refused.has("role=\"alert\"") && refused.has("(523). ") && !refused.has("523 Rejeição"), "{}", refused.html);
        let freight = shop.issue(&app, create, cte()).await;
        let path = format!("{}/cancelar", place(&freight));
        let cancelled = shop.confirm(&path, &cancel).await;
        assert_eq!(cancelled.to, format!("{}?feito=cancelar", place(&freight)), "{}", cancelled.html);
        let page = shop.page(&cancelled.to).await;
        assert!(page.has("class=\"selo erro\">cancelado<"), "{}", page.html);
        assert!(!offered(&page, &place(&freight)).contains(&"cce".to_owned()), "{}", page.html);
        assert_eq!(shop.browser.get(&path).await.status, 409);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_link_of_a_payment_is_taken_back(app: TestApp) {
        let mut shop = live(&app).await;
        let later = json!([{ "forma": "pagamento_posterior", "valor": 37.80 }]);
        let note = shop.issue(&app, "/api/v1/nfe", with(nfe(), "/pagamentos", later)).await;
        let place = place(&note);
        let day = base::when::today(app.app.now_ms(), "SP").to_string();
        let link = [("forma", "pix"), ("valor", "20,00"), ("data", day.as_str())];
        let linked = shop.confirm(&format!("{place}/pagamento"), &link).await;
        assert_eq!(linked.to, format!("{place}?feito=pagamento"), "{}", linked.html);
        let links = shop.get(&app, &format!("/api/v1/nfe/{}/econf", note.text_at("/nota_id"))).await;
        let protocol = links.text_at("/pagamentos/0/protocolo");
        let page = shop.page(&place).await;
        assert!(!protocol.is_empty() && page.has(protocol) && page.has(">em vigor<"), "{}", page.html);

        let path = format!("{place}/desfazer-pagamento");
        let form = shop.page(&path).await;
        let empty = shop.browser.submit(&path, &form.filled(&path, &[("protocolo", "")])).await;
        assert!(empty.status == 422 && empty.has("id=\"protocolo-falha\""), "{}", empty.html);
        let unknown = shop.confirm(&path, &[("protocolo", "131000000000001")]).await;
        assert!(unknown.to.is_empty() && unknown.has("role=\"alert\"") && unknown.has("value=\"131000000000001\""), "{}", unknown.html);
        let undone = shop.confirm(&path, &[("protocolo", protocol)]).await;
        assert_eq!(undone.to, format!("{place}?feito=desfazer-pagamento"), "{}", undone.html);
        let page = shop.page(&undone.to).await;
        for text in ["Vínculo desfeito.", "class=\"selo\">desfeito<", "Falta vincular R$ 37,80 de R$ 37,80"] {
            assert!(page.has(text), "{text}: {}", page.html);
        }
        assert!(!offered(&page, &place).contains(&"desfazer-pagamento".to_owned()), "{}", page.html);
        let audit = shop.page("/painel/auditoria").await;
        assert_eq!(audit.html.matches("documento.pagamento_desfeito").count(), 1, "{}", audit.html);
        app.check_invariants().await;
    }
}
