//! Callbacks of the PSP: a genuine one is a hint, any other one is nothing.

use super::shared::*;
use crate::common::assert_refusal;
use futures::future::join_all;
use serde_json::json;
use std::sync::atomic::Ordering;
use tests::both;

both! {
    async fn a_forged_or_late_callback_is_refused(app: TestApp) {
        app.stop_clock();
        let id = bought(&app, &pix(120.0)).await;
        assert_eq!(app.app.simulator.sim.pay(&id, None, false).await, Ok(None));
        let secret = payments::offered(&app.app).expect("a PSP").secret;
        let body = json!({ "evento": "cobranca.paga", "compra_id": id }).to_string();
        let now_s = app.app.now_ms() / 1_000;
        let good = signature(&secret, now_s, &body);
        for forged in [
            None,
            Some(String::new()),
            Some(signature("outro-segredo-qualquer", now_s, &body)),
            Some(signature(&secret, now_s, &body.replace(&id, "cmp_outra"))),
            Some(signature(&secret, now_s - 310, &body)),
            Some(signature(&secret, now_s + 310, &body)),
            Some(good.replace(&now_s.to_string(), &(now_s + 1).to_string())),
            Some(good[..good.len() - 2].to_owned()),
        ] {
            assert_refusal(&notice(&app, &body, forged.as_deref()).await, "401 assinatura_invalida");
        }
        let spaced = body.replace(':', ": ");
        assert_refusal(&notice(&app, &spaced, Some(&good)).await, "401 assinatura_invalida");
        assert_eq!(app.balance().await, (200, 0));
        let answer = notice(&app, &body, Some(&good)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(app.balance().await, (12_200, 0));
        // The same one again, within its time and after it.
        assert_eq!(notice(&app, &body, Some(&good)).await.status, 200);
        app.ahead_ms.fetch_add(310_000, Ordering::Relaxed);
        assert_refusal(&notice(&app, &body, Some(&good)).await, "401 assinatura_invalida");
        assert_eq!(app.balance().await, (12_200, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_signature_does_not_make_junk_a_callback(app: TestApp) {
        let offer = payments::offered(&app.app).expect("a PSP");
        for junk in ["", "{", "7", "null", "[]", r#"{"compra_id":"a","compra_id":"b"}"#, r#"{"\u0024serde_json::private::RawValue":"{}"}"#] {
            let header = signature(&offer.secret, app.app.now_ms() / 1_000, junk);
            assert_refusal(&notice(&app, junk, Some(&header)).await, "400 json_invalido");
        }
    }
}

both! {
    async fn a_callback_is_believed_only_as_far_as_the_psp_is_asked(app: TestApp) {
        app.stop_clock();
        let id = bought(&app, &pix(120.0)).await;
        let lie = json!({ "evento": "cobranca.paga", "compra_id": id, "situacao": "paga", "pago_centavos": 12_000 });
        assert_eq!(genuine(&app, &lie).await.status, 200);
        assert_eq!(shown(&app, &id).await.summary(), "200 aguardando");
        assert_eq!(app.balance().await, (200, 0));
        assert_refusal(&genuine(&app, &json!({ "compra_id": "cmp_nada" })).await, "404 nao_encontrado");
        assert_refusal(&genuine(&app, &json!({})).await, "404 nao_encontrado");
        // The PSP does not answer: the hint is not lost.
        assert_eq!(app.app.simulator.sim.pay(&id, None, false).await, Ok(None));
        fault(&app, "consultar", "html", 1);
        assert_eq!(genuine(&app, &lie).await.status, 200);
        assert_eq!(shown(&app, &id).await.summary(), "200 aguardando");
        app.ahead_ms.fetch_add(20_000, Ordering::Relaxed);
        until(&app, &id, "paga").await;
        assert_eq!(app.balance().await, (12_200, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn another_amount_is_never_credited(app: TestApp) {
        for cents in [1, 11_999, 12_001] {
            let id = bought(&app, &pix(120.0)).await;
            assert_eq!(app.app.simulator.sim.pay(&id, Some(cents), true).await, Ok(Some(200)));
            let answer = shown(&app, &id).await;
            assert_eq!(answer.summary(), "200 divergente", "{}", answer.text);
            assert!(answer.text.contains(&format!("\"valor_pago\":{}.{:02}", cents / 100, cents % 100)), "{}", answer.text);
            assert_eq!(genuine(&app, &json!({ "compra_id": id })).await.status, 200);
            assert_refusal(&refund(&app, &id).await, "409 estado_invalido");
        }
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_hundred_callbacks_credit_once(app: TestApp) {
        let ids = [bought(&app, &pix(120.0)).await, bought(&app, &pix(500.0)).await];
        for id in &ids {
            assert_eq!(app.app.simulator.sim.pay(id, None, false).await, Ok(None));
        }
        let bodies: Vec<_> = (0..100).map(|turn| json!({ "compra_id": ids[turn % 2], "turno": turn })).collect();
        let answers = join_all(bodies.iter().map(|body| genuine(&app, body))).await;
        for answer in answers {
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        assert_eq!(app.balance().await, (62_200, 0));
        let statement = app.get("/api/v1/creditos/extrato").await;
        let bought = statement.body["itens"].as_array().expect("items").iter().filter(|item| item["tipo"] == "compra").count();
        assert_eq!(bought, 2, "{}", statement.text);
        app.check_invariants().await;
    }
}
