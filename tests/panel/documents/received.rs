//! Notes that others issued: fetched, read, and answered by the company.

use super::{Shop, key};
use crate::registered;
use crate::worlds::{live_company, turn};
use serde_json::json;
use tests::both;

const CNPJ: &str = "11222333000181";

both! {
    async fn a_received_note_is_fetched_and_manifested(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        turn(&mut browser, "producao").await;
        let key = key(&mut browser).await;
        let mut shop = Shop { browser, emitter, key };
        let empty = shop.page("/painel/recebidas").await;
        assert!(empty.has("Nenhuma nota recebida ainda") && empty.has("Buscar novas"), "{}", empty.html);
        let order = json!({ "cnpj": CNPJ, "ambiente": "producao", "uf": "MG", "quantidade": 1, "valor_centavos": 12_345 });
        let order: sim::DepositOrder = serde_json::from_value(order).expect("order");
        let chave = app.app.simulator.sim.deposit(&order).expect("deposit").remove(0);
        let path = "/painel/recebidas/consultar";
        let form = shop.page(path).await;
        assert!(form.has("4 créditos"), "{}", form.html);
        let form = form.filled(path, &[("empresa", &shop.emitter)]);
        let found = shop.browser.submit(path, &form).await;
        assert_eq!(found.to, "/painel/recebidas?novas=1", "{}", found.html);
        assert_eq!(shop.browser.submit(path, &form).await.to, found.to, "asked once");
        let list = shop.page(&found.to).await;
        assert!(list.has("Chegou 1 documento novo") && list.has("FORNECEDOR SIMULADO LTDA") && list.has("99.888.777/0001-00") && list.has("R$ 123,45") && list.has("resumo"), "{}", list.html);
        assert!(shop.page("/painel/recebidas?manifestacao=confirmacao").await.has("com estes filtros"));
        let again = shop.page(path).await.filled(path, &[("empresa", &shop.emitter)]);
        let paused = shop.browser.submit(path, &again).await;
        assert!(paused.has("role=\"alert\"") && paused.to.is_empty(), "the hour of the authority: {}", paused.html);

        // The page, and what the company says.
        let note = format!("/painel/recebidas/{chave}");
        let page = shop.page(&note).await;
        assert!(page.id("chave-recebida") == chave && page.has("Só o resumo chegou"), "{}", page.html);
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
        assert!(shop.page(&format!("/painel/busca?q={chave}")).await.has(&format!("/painel/recebidas/{chave}?")), "the search knows it");

        let mut other = Shop::new(&app, "joao@exemplo.com.br").await;
        for path in [note.clone(), format!("{note}/xml")] {
            assert_eq!(other.browser.get(&path).await.status, 404, "{path}");
        }
        app.check_invariants().await;
    }
}
