//! Refunds: what was bought and not used, in time, once.

use super::shared::*;
use crate::common::{DAY_MS, assert_refusal};
use futures::future::join_all;
use serde_json::json;
use std::sync::atomic::Ordering;
use tests::{Answer, both};

fn amount(answer: &Answer) -> (u16, i64) {
    let credits = answer.body["creditos_reembolsados"].as_i64();
    (answer.status, credits.unwrap_or(-1))
}

both! {
    async fn what_was_not_used_goes_back(app: TestApp) {
        let id = paid(&app, &pix(120.0)).await;
        let answer = refund(&app, &id).await;
        assert_eq!(amount(&answer), (200, 12_000), "{}", answer.text);
        assert_eq!((answer.text_at("/status"), answer.text_at("/fundamento"), &answer.body["saldo"]), ("concluido", "CDC art. 49", &json!(200)));
        assert!(answer.text.contains("\"valor\":120.00"), "{}", answer.text);
        assert_eq!(app.balance().await, (200, 0), "the gift stays");
        let charge = app.app.simulator.sim.charge(&id).expect("the charge");
        assert_eq!(charge.reembolsos.iter().map(|one| one.valor_centavos).collect::<Vec<_>>(), [12_000]);
        let after = shown(&app, &id).await;
        assert_eq!(after.summary(), "200 reembolsada", "{}", after.text);
        assert_eq!(after.text_at("/reembolsos/0/status"), "concluido");
        assert_refusal(&refund(&app, &id).await, "409 sem_credito_a_reembolsar");
        let origin = app.get("/api/v1/creditos").await;
        assert_eq!((&origin.body["presente"], &origin.body["comprado"]), (&json!(200), &json!(0)), "{}", origin.text);
        let statement = app.get("/api/v1/creditos/extrato").await;
        assert_eq!((statement.text_at("/itens/0/tipo"), &statement.body["itens"][0]["creditos"]), ("reembolso", &json!(-12_000)), "{}", statement.text);
        assert_eq!(statement.text_at("/itens/0/compra_id"), id);
        app.check_invariants().await;
    }
}

both! {
    async fn the_gift_is_spent_first_and_never_refunded(app: TestApp) {
        let id = paid(&app, &pix(120.0)).await;
        spend(&app, 150).await;
        let path = format!("{COMPRAS}/{id}/reembolso");
        let body = json!({ "motivo": "Desistência" });
        let first = app.post_as(&app.live_key, &path, &body, Some("reembolso-1")).await;
        assert_eq!(amount(&first), (200, 12_000), "the gift paid for what was spent: {}", first.text);
        assert_eq!(app.balance().await, (50, 0));
        let again = app.post_as(&app.live_key, &path, &body, Some("reembolso-1")).await;
        assert_eq!((amount(&again), again.header("idempotent-replayed")), ((200, 12_000), "true"), "{}", again.text);
        let other = app.post_as(&app.live_key, &path, &json!({ "motivo": "Outro" }), Some("reembolso-1")).await;
        assert_refusal(&other, "422 chave_idempotencia_reutilizada");

        let id = paid(&app, &pix(120.0)).await;
        spend(&app, 50 + 1_000).await;
        let part = refund(&app, &id).await;
        assert_eq!(amount(&part), (200, 11_000), "{}", part.text);
        assert_eq!((app.balance().await, shown(&app, &id).await.summary().as_str()), ((0, 0), "200 paga"), "a part was had");

        let id = paid(&app, &pix(120.0)).await;
        spend(&app, 12_000).await;
        assert_refusal(&refund(&app, &id).await, "409 sem_credito_a_reembolsar");
        app.check_invariants().await;
    }
}

both! {
    async fn what_was_bought_first_is_spent_first(app: TestApp) {
        let older = paid(&app, &pix(120.0)).await;
        app.ahead_ms.fetch_add(1_000, Ordering::Relaxed);
        let newer = paid(&app, &pix(300.0)).await;
        spend(&app, 200 + 5_000).await;
        let answer = refund(&app, &newer).await;
        assert_eq!(amount(&answer), (200, 30_000), "{}", answer.text);
        let answer = refund(&app, &older).await;
        assert_eq!(amount(&answer), (200, 7_000), "{}", answer.text);
        assert_eq!(app.balance().await, (0, 0));
        let older = paid(&app, &pix(120.0)).await;
        app.ahead_ms.fetch_add(1_000, Ordering::Relaxed);
        paid(&app, &pix(120.0)).await;
        spend(&app, 13_000).await;
        assert_refusal(&refund(&app, &older).await, "409 sem_credito_a_reembolsar");
        app.check_invariants().await;
    }
}

both! {
    async fn only_paid_purchases_and_only_for_seven_days(app: TestApp) {
        let open = bought(&app, &pix(120.0)).await;
        assert_refusal(&refund(&app, &open).await, "409 estado_invalido");
        assert_refusal(&refund(&app, "cmp_nada").await, "404 nao_encontrado");
        let path = format!("{COMPRAS}/{open}/reembolso");
        assert_refusal(&app.post(&path, &json!({ "motivo": "  " })).await, "400 parametro_invalido");
        assert_refusal(&app.post(&path, &json!({})).await, "400 parametro_ausente");
        assert_refusal(&app.post(&path, &json!({ "motivo": "x", "compra_id": open })).await, "400 campo_desconhecido");
        let (id, later) = (paid(&app, &pix(120.0)).await, paid(&app, &pix(120.0)).await);
        let path = format!("{COMPRAS}/{id}/reembolso");
        assert_refusal(&app.post_as(&app.test_key, &path, &json!({ "motivo": "x" }), None).await, "403 chave_de_teste");
        let until = base::when::parse(shown(&app, &id).await.text_at("/reembolso_ate")).expect("a moment");
        let left_ms = base::when::ms(until) - app.app.now_ms();
        assert!((7 * DAY_MS..=8 * DAY_MS).contains(&left_ms), "the end of the seventh day: {left_ms}");
        app.ahead_ms.fetch_add(left_ms - 60_000, Ordering::Relaxed);
        assert_eq!(amount(&refund(&app, &id).await), (200, 12_000), "the last minute");
        app.ahead_ms.fetch_add(120_000, Ordering::Relaxed);
        assert_refusal(&refund(&app, &later).await, "422 fora_do_prazo_de_reembolso");
        app.check_invariants().await;
    }
}

both! {
    async fn credits_come_back_when_the_psp_refuses_for_good(app: TestApp) {
        let id = paid(&app, &pix(120.0)).await;
        fault(&app, "reembolsar", "recusar", 1);
        let refused = refund(&app, &id).await;
        assert_refusal(&refused, "422 reembolso_recusado");
        assert!(refused.text_at("/recusa/mensagem").contains("Recusado pelo PSP"), "{}", refused.text);
        assert_eq!(app.balance().await, (12_200, 0));
        let statement = app.get("/api/v1/creditos/extrato").await;
        let kinds: Vec<&str> = (0..2).map(|at| statement.body["itens"][at]["tipo"].as_str().expect("a kind")).collect();
        assert_eq!(kinds, ["ajuste", "reembolso"], "{}", statement.text);
        let origin = app.get("/api/v1/creditos").await;
        assert_eq!((&origin.body["presente"], &origin.body["comprado"]), (&json!(200), &json!(12_000)), "{}", origin.text);
        assert_eq!(shown(&app, &id).await.text_at("/reembolsos/0/status"), "recusado");
        assert_eq!(amount(&refund(&app, &id).await), (200, 12_000), "asked anew");
        app.check_invariants().await;
    }
}

both! {
    async fn credits_of_a_refund_on_its_way_cannot_be_spent(app: TestApp) {
        let id = paid(&app, &pix(120.0)).await;
        // The PSP gives the money back, and nobody hears of it.
        fault(&app, "reembolsar", "cortar_depois", 1);
        let answer = refund(&app, &id).await;
        assert_eq!((amount(&answer), answer.text_at("/status")), ((202, 12_000), "processando"), "{}", answer.text);
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
        assert_refusal(&refund(&app, &id).await, "409 sem_credito_a_reembolsar");
        app.ahead_ms.fetch_add(60_000, Ordering::Relaxed);
        until(&app, &id, "reembolsada").await;
        let charge = app.app.simulator.sim.charge(&id).expect("the charge");
        assert_eq!(charge.reembolsos.len(), 1, "once");
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn many_at_once_refund_once(app: TestApp) {
        let id = paid(&app, &pix(120.0)).await;
        let spending = join_all((0..10).map(|_| spend(&app, 20)));
        let refunding = join_all((0..10).map(|_| refund(&app, &id)));
        let (_, answers) = futures::join!(spending, refunding);
        let done: Vec<(u16, i64)> = answers.iter().map(amount).filter(|(status, _)| *status != 409).collect();
        assert_eq!(done, [(200, 12_000)], "{:?}", answers.iter().map(Answer::summary).collect::<Vec<_>>());
        assert_eq!(app.balance().await, (0, 0));
        app.check_invariants().await;
    }
}
