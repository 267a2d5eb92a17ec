//! Numbers that are voided.

use super::{Shop, place};
use crate::registered;
use crate::worlds::{live_company, turn};
use serde_json::json;
use std::convert::Infallible;
use store::TxError;
use store::tables::numbers::{self, Series};
use store::words::{Ambiente, Model};
use tests::bodies::nfe;
use tests::{both, on_sqlite};

both! {
    async fn numbers_are_voided_once(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let none = shop.page("/painel/numeracao").await;
        assert!(none.has("Nenhum número ficou sem nota") && none.has("Nenhuma faixa foi inutilizada"), "{}", none.html);
        let path = "/painel/numeracao/inutilizar";
        let filled = shop.page(&format!("{path}?modelo=55&serie=7&numero_inicial=1&numero_final=2")).await;
        assert!(filled.has("value=\"2\"") && filled.has("value=\"7\""), "{}", filled.html);
        for (first, last, field, says) in [
            ("x", "901", "numero_inicial", "de 1 a"),
            ("901", "900", "numero_final", "vem depois"),
            ("1", "5000", "numero_final", "1.000"),
        ] {
            let form = filled.filled(path, &[("emitente", &shop.emitter), ("modelo", "55"), ("numero_inicial", first), ("numero_final", last), ("justificativa", "Números pulados por engano.")]);
            let wrong = shop.browser.submit(path, &form).await;
            assert!(wrong.status == 422 && wrong.id(&format!("{field}-falha")).is_empty(), "the sentence is in a span of its own: {}", wrong.html);
            assert!(wrong.has(&format!("id=\"{field}-falha\"")) && wrong.has(says), "{first} {last}: {}", wrong.html);
        }
        let emitter = shop.emitter.clone();
        let fields = [("emitente", emitter.as_str()), ("modelo", "55"), ("serie", "7"), ("numero_inicial", "1"), ("numero_final", "2"), ("justificativa", "Números pulados por engano.")];
        let done = shop.confirm(path, &fields).await;
        assert_eq!(done.to, "/painel/numeracao?feito=1", "{}", done.html);
        let list = shop.page(&done.to).await;
        assert!(list.has("Faixa inutilizada") && list.has("1 a 2") && list.has("Números pulados por engano."), "{}", list.html);
        let again = shop.confirm(path, &fields).await;
        assert!(again.to.is_empty() && again.has("role=\"alert\"") && again.has("value=\"2\""), "{}", again.html);
        let mut other = Shop::new(&app, "joao@exemplo.com.br").await;
        assert!(!other.page("/painel/numeracao").await.has("1 a 2"));
        let theirs = other.confirm(path, &fields).await;
        assert!(theirs.to.is_empty() && theirs.has("não encontrado"), "a company of another account: {}", theirs.html);
        app.check_invariants().await;
    }
}

both! {
    async fn numbers_that_notes_have_are_named_before_anything_is_sent(app: TestApp) {
        let mut shop = Shop::new(&app, "maria@exemplo.com.br").await;
        let first = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        let second = shop.issue(&app, "/api/v1/nfe", nfe()).await;
        assert_eq!((&first.body["serie"], &first.body["numero"], &second.body["numero"]), (&json!(1), &json!(1), &json!(2)), "{}", second.text);
        let (path, emitter) = ("/painel/numeracao/inutilizar", shop.emitter.clone());
        let page = shop.page(path).await;
        for (model, series, range, named) in [
            ("55", "1", ("1", "3"), true),
            ("55", "001", ("2", "2"), true),
            ("55", "1", ("3", "4"), false),
            ("55", "2", ("1", "3"), false),
            ("65", "1", ("1", "3"), false),
        ] {
            let fields = [("emitente", emitter.as_str()), ("modelo", model), ("serie", series), ("numero_inicial", range.0), ("numero_final", range.1), ("justificativa", "Números pulados por engano.")];
            let asking = shop.browser.submit(path, &page.filled(path, &fields)).await;
            assert!(asking.status == 200 && asking.has("Nada foi enviado ainda") && asking.has("name=\"corrigir\""), "{model} {series} {range:?}: {}", asking.html);
            let told = asking.has("Nesta faixa já são de notas") && asking.has(&format!("{}?ambiente=teste\">2</a> (autorizada)", place(&second)));
            assert_eq!((told, asking.has("name=\"confirmado\"")), (named, !named), "{model} {series} {range:?}: {}", asking.html);
            assert_eq!(asking.has(&place(&first)), range.0 == "1" && named, "{model} {series} {range:?}: {}", asking.html);
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_gap_of_another_environment_is_not_voided_in_this_one(app: TestApp) {
        let mut browser = registered(&app, "maria@exemplo.com.br").await;
        let emitter = live_company(&app, &mut browser).await;
        turn(&mut browser, "producao").await;
        let gaps = [(Ambiente::Homologacao, 7_i64), (Ambiente::Production, 70)];
        let gaps = gaps.map(|(ambiente, number)| (Series::new(&emitter.as_str().into(), ambiente, Model::Nfe, "1"), number));
        let written = app.app.db.write((gaps, app.app.now_ms()), |(gaps, now_ms), conn| {
            Box::pin(async move {
                for (series, number) in gaps {
                    numbers::free(conn, series, *number, *now_ms).await?;
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
        written.await.expect("written");
        let list = browser.get("/painel/numeracao").await;
        assert!(list.has("numero_inicial=70&amp;") && !list.has("numero_inicial=7&amp;") && list.has("agora emite em outro ambiente"), "{}", list.html);
        let path = "/painel/numeracao/inutilizar";
        let fields = [("emitente", emitter.as_str()), ("modelo", "55"), ("serie", "1"), ("numero_inicial", "70"), ("numero_final", "70"), ("justificativa", "Números pulados por engano.")];
        let form = browser.get(path).await.filled(path, &fields);
        let asking = browser.submit(path, &form).await;
        assert!(asking.has("<dt>Ambiente</dt><dd>produção</dd>"), "{}", asking.html);
    }
}
