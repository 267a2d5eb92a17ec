//! GET and PUT /api/v1/emitters/{id}/certificado

use crate::common::{
    DAY_MS, PASSWORD, ask, assert_refusal, certificado, cnpj, emitter_in, multipart, pfx, raw,
};
use base::config::AuthoritiesMode;
use reqwest::Method;
use serde_json::json;
use sim::pki::PfxFormat;
use std::sync::atomic::Ordering;
use tests::app::{Backend, TestApp};
use tests::on_sqlite;

on_sqlite! {
    async fn a_certificate_is_shown_and_replaced(app: TestApp) {
        let own = cnpj("11444777");
        let bare = app.post("/api/v1/emitters", &json!({ "cnpj": own })).await;
        assert_eq!(bare.status, 201, "{}", bare.text);
        assert_eq!(bare.body["pendencias"][0], "certificado_ausente");
        let path = format!("/api/v1/emitters/{}/certificado", bare.text_at("/id"));
        assert_refusal(&app.get(&path).await, "404 nao_encontrado");

        let first = pfx(&app, &own, PfxFormat::Legacy, (-1, 10));
        let put = ask(&app, Method::PUT, &path, Some(&certificado(&first, PASSWORD))).await;
        assert_eq!(put.status, 200, "{}", put.text);
        assert_eq!(put.text_at("/situacao"), "vence_em_breve");
        assert_eq!(put.header("etag"), "\"2\"");
        let shown = app.get(&path).await;
        assert_eq!(shown.text_at("/impressao_digital"), put.text_at("/impressao_digital"));
        assert_eq!(shown.body["dias_restantes"], 9, "whole days");

        let second = pfx(&app, &own, PfxFormat::Modern, (-1, 365));
        let (media, form) = multipart(&[("certificado", Some("a1.p12"), &second), ("senha", None, PASSWORD.as_bytes())]);
        let by_form = raw(&app, Method::PUT, &path, &media, form).await;
        assert_eq!(by_form.text_at("/situacao"), "valido", "{}", by_form.text);
        assert_ne!(by_form.text_at("/impressao_digital"), put.text_at("/impressao_digital"));

        app.ahead_ms.store(366 * DAY_MS, Ordering::Relaxed);
        let old = app.get(&path).await;
        assert_eq!(old.text_at("/situacao"), "vencido", "{}", old.text);
        assert_eq!(old.body["dias_restantes"], 0);
    }
}

on_sqlite! {
    async fn a_refused_certificate_leaves_the_old_one(app: TestApp) {
        let own = cnpj("11444777");
        let created = app.post("/api/v1/emitters", &emitter_in(&app, &own)).await;
        let path = format!("/api/v1/emitters/{}/certificado", created.text_at("/id"));
        let foreign = pfx(&app, &cnpj("22444777"), PfxFormat::Modern, (-1, 365));
        let good = pfx(&app, &own, PfxFormat::Modern, (-1, 365));
        for (body, summary) in [
            (certificado(&foreign, PASSWORD), "422 certificado_de_outra_empresa"),
            (certificado(&good, "errada"), "422 certificado_senha_incorreta"),
            (json!({ "pfx_base64": "AA==" }), "400 parametro_ausente"),
            (json!({ "pfx_base64": "AA==", "senha": PASSWORD, "cnpj": own }), "400 campo_desconhecido"),
            (json!({ "pfx_base64": 1, "senha": PASSWORD }), "400 parametro_invalido"),
        ] {
            assert_refusal(&ask(&app, Method::PUT, &path, Some(&body)).await, summary);
        }
        // Companies of one family have names alike: the numbers say which is which.
        let refused = ask(&app, Method::PUT, &path, Some(&certificado(&foreign, PASSWORD))).await;
        assert_eq!(refused.text_at("/mensagem"), "O certificado é de EMPRESA DE TESTE LTDA (CNPJ 22.444.777/0001-88) e a empresa é 11.444.777/0001-61.");
        let extra = multipart(&[("certificado", None, &good), ("senha", None, PASSWORD.as_bytes()), ("dados", None, b"{\"cnpj\":\"1\"}")]);
        assert_refusal(&raw(&app, Method::PUT, &path, &extra.0, extra.1).await, "400 campo_desconhecido");
        let stale = app.http().put(format!("{}{path}", app.base_url)).bearer_auth(&app.live_key).header("if-match", "\"9\"");
        let stale = stale.header("content-type", "application/json").body(certificado(&good, PASSWORD).to_string());
        assert_refusal(&app.send(stale).await, "412 versao_desatualizada");
        let shown = app.get(&path).await;
        assert_eq!(shown.text_at("/impressao_digital"), created.text_at("/certificado/impressao_digital"));
    }
}

/// The simulated authority is of no ICP: real authorities would refuse its
/// certificates, the simulator takes them.
#[tokio::test]
async fn a_chain_that_leads_nowhere_is_said_and_refused_only_on_demand() {
    let own = cnpj("11444777");
    for (mode, require, pending) in [
        (AuthoritiesMode::Simulator, true, false),
        (AuthoritiesMode::Official, false, true),
    ] {
        let app = TestApp::start_with(Backend::Sqlite, |config| {
            config.authorities.mode = mode;
            config.vault.require_icp_brasil = require;
        });
        let app = app.await.expect("sqlite");
        for (own, ambiente) in [(&own, "producao"), (&cnpj("22444777"), "homologacao")] {
            let mut body = emitter_in(&app, own);
            body["ambiente"] = ambiente.into();
            let created = app.post("/api/v1/emitters", &body).await;
            assert_eq!(created.status, 201, "{}", created.text);
            assert_eq!(created.text_at("/certificado/cadeia"), "desconhecida");
            let codes = created.body["pendencias"].as_array().expect("list");
            let said = codes.contains(&json!("certificado_invalido"));
            assert_eq!(said, pending, "{ambiente}: {}", created.text);
        }
    }
    let app = TestApp::start_with(Backend::Sqlite, |config| {
        config.authorities.mode = AuthoritiesMode::Official;
        config.vault.require_icp_brasil = true;
    });
    let app = app.await.expect("sqlite");
    let refused = app.post("/api/v1/emitters", &emitter_in(&app, &own)).await;
    assert_refusal(&refused, "422 certificado_invalido");
}
