//! Rotation.

use super::{conta, delete_as, key, listed, provedor, rotate};
use crate::common::{ask, assert_refusal};
use reqwest::Method;
use serde_json::json;
use std::sync::atomic::Ordering;
use tests::{both, on_sqlite};

on_sqlite! {
    async fn the_old_key_goes_on_for_a_while(app: TestApp) {
        let old = key(&app, json!({ "nome": "Loja 7", "escopos": ["dados", "consulta"], "ips": ["127.0.0.1"] })).await;
        let (id, chave) = (old.text_at("/id"), old.text_at("/chave"));
        assert_eq!(conta(&app, chave).await.status, 200);
        let asked_ms = app.app.now_ms();
        let new = ask(&app, Method::POST, &format!("/api/v1/chaves/{id}/rotacionar"), None).await;
        assert_eq!(new.status, 201, "{}", new.text);
        for member in ["nome", "tipo", "escopos", "ips", "limite_diario", "expira_em"] {
            assert_eq!(new.body[member], old.body[member], "{member}");
        }
        for member in ["/id", "/chave", "/segredo"] {
            assert_ne!(new.text_at(member), old.text_at(member), "{member}");
        }
        assert_eq!(new.body["anterior"]["id"], old.body["id"]);
        let shown = listed(&app, id).await;
        assert_eq!((&shown["substituida_por"], &shown["expira_em"]), (&new.body["id"], &new.body["anterior"]["expira_em"]));
        for key in [chave, new.text_at("/chave")] {
            assert_eq!(conta(&app, key).await.status, 200);
        }
        let again = rotate(&app, id, &json!({})).await;
        assert_refusal(&again, "409 estado_invalido");
        assert_eq!(again.body["substituida_por"], new.body["id"]);

        // A day later, to the moment: what a node remembers does not matter.
        app.ahead_ms.store(24 * 3_600_000 - 60_000, Ordering::Relaxed);
        assert_eq!(conta(&app, chave).await.status, 200);
        let passed = app.app.now_ms() - asked_ms;
        app.ahead_ms.fetch_add(24 * 3_600_000 - passed + 1_000, Ordering::Relaxed);
        assert_refusal(&conta(&app, chave).await, "401 chave_expirada");
        assert_eq!(conta(&app, new.text_at("/chave")).await.status, 200);
        assert_eq!(listed(&app, id).await["status"], "expirada");
    }
}

both! {
    async fn what_cannot_be_rotated_is_said(app: TestApp) {
        let made = key(&app, json!({})).await;
        let id = made.text_at("/id");
        for (body, summary) in [
            (json!({ "sobreposicao_horas": 169 }), "400 parametro_invalido"),
            (json!({ "sobreposicao_horas": -1 }), "400 parametro_invalido"),
            (json!({ "sobreposicao_horas": "um dia" }), "400 parametro_invalido"),
            (json!({ "horas": 1 }), "400 campo_desconhecido"),
        ] {
            assert_refusal(&rotate(&app, id, &body).await, summary);
        }
        assert_refusal(&rotate(&app, "key_nada", &json!({})).await, "404 nao_encontrado");
        let new = rotate(&app, id, &json!({ "sobreposicao_horas": 0 })).await;
        assert_eq!(new.status, 201, "{}", new.text);
        assert_refusal(&conta(&app, made.text_at("/chave")).await, "401 chave_expirada");
        assert_eq!(delete_as(&app, &app.live_key, new.text_at("/id")).await.status, 204);
        assert_refusal(&rotate(&app, new.text_at("/id"), &json!({})).await, "409 estado_invalido");
        let expiring = base::when::rfc3339(app.app.now_ms() + 3_600_000);
        let short = key(&app, json!({ "expira_em": expiring })).await;
        let heir = rotate(&app, short.text_at("/id"), &json!({ "sobreposicao_horas": 168 })).await;
        for answer in [&heir.body, &heir.body["anterior"]] {
            assert_eq!(answer["expira_em"], short.body["expira_em"], "rotation makes no key live longer");
        }
        app.ahead_ms.store(3_700_000, Ordering::Relaxed);
        assert_refusal(&rotate(&app, heir.text_at("/id"), &json!({})).await, "409 estado_invalido");
    }
}

both! {
    async fn two_rotations_at_once_make_one_key(app: TestApp) {
        let made = key(&app, json!({})).await;
        let body = json!({});
        let both = futures::future::join_all((0..8).map(|_| rotate(&app, made.text_at("/id"), &body))).await;
        let mut summaries: Vec<u16> = both.iter().map(|answer| answer.status).collect();
        summaries.sort_unstable();
        assert_eq!(summaries, [201, 409, 409, 409, 409, 409, 409, 409]);
    }
}

both! {
    async fn rotation_brings_no_new_allowance(app: TestApp) {
        let old = key(&app, json!({ "limite_diario": 8 })).await;
        assert_eq!(provedor(&app, old.text_at("/chave")).await.status, 200);
        let new = rotate(&app, old.text_at("/id"), &json!({})).await;
        assert_eq!((&new.body["limite_diario"], &new.body["gasto_no_dia"]), (&json!(8), &json!(4)));
        assert_eq!(provedor(&app, new.text_at("/chave")).await.status, 200);
        for key in [&old, &new] {
            assert_refusal(&provedor(&app, key.text_at("/chave")).await, "402 limite_da_chave");
        }
        assert_eq!(listed(&app, old.text_at("/id")).await["gasto_no_dia"], 8);
        app.check_invariants().await;
    }
}
