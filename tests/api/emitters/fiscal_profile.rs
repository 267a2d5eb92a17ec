//! PUT /api/v1/emitters/{id}/fiscal-profile

use crate::common::{BELO_HORIZONTE, ask, assert_refusal, cnpj, profile};
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::{nfse, with};
use tests::{TestApp, both, on_sqlite};

both! {
    async fn a_profile_is_stored_and_its_secrets_never_return(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        let body = json!({
            "razao_social": "Nova Razão Social Ltda", "regime": "simples_nacional", "im": "998877",
            "endereco": { "codigo_ibge": BELO_HORIZONTE, "cep": "30130010", "complemento": null },
            "padroes": { "cfop_interno": "5102" }, "simples": { "rbt12": null, "anexo": "III" },
            "nfce": { "serie": 1, "csc_id": "000001", "csc": "csc-secreto" },
            "nfse": {
                "serie_rps": "7", "proximo_numero": 10, "via": "auto", "aliquota_iss": 2.5,
                "credenciais": { "usuario": "usuario-secreto", "senha": "senha-secreta", "token": null, "chave_autorizacao": "chave-secreta" },
            },
            "logo_base64": null,
        });
        let answer = ask(&app, Method::PUT, &path, Some(&body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.header("etag"), "\"2\"");
        assert_eq!(answer.text_at("/razao_social"), "Nova Razão Social Ltda");
        assert_eq!(answer.body["perfil_fiscal"]["nfse"]["proximo_numero"], 10);
        assert_eq!(answer.body["credenciais_informadas"], json!(["chave_autorizacao", "csc", "senha", "usuario"]));
        for secret in ["csc-secreto", "usuario-secreto", "senha-secreta", "chave-secreta"] {
            assert!(!answer.text.contains(secret), "{}", answer.text);
        }
        let shown = app.get(&format!("/api/v1/emitters/{id}")).await;
        assert!(!shown.text.contains("secret"), "{}", shown.text);
        // What is shown can be sent back; stored secrets stay.
        let mut back = shown.body["perfil_fiscal"].clone();
        back["nome_fantasia"] = json!("Loja");
        let again = ask(&app, Method::PUT, &path, Some(&back)).await;
        assert_eq!(again.status, 200, "{}", again.text);
        assert_eq!(again.body["credenciais_informadas"], json!(["chave_autorizacao", "csc", "senha", "usuario"]));
        assert_eq!(again.text_at("/perfil_fiscal/nome_fantasia"), "Loja");
    }
}

both! {
    async fn a_number_never_goes_down(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        let with_number = |number: u64| with(profile(BELO_HORIZONTE), "/nfse/proximo_numero", number);
        let raised = ask(&app, Method::PUT, &path, Some(&with_number(100))).await;
        assert_eq!(raised.status, 200, "{}", raised.text);
        let note = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(note.body["rps"]["numero"], 100, "{}", note.text);
        for lower in [1, 99, 100] {
            let answer = ask(&app, Method::PUT, &path, Some(&with_number(lower))).await;
            assert_refusal(&answer, "409 estado_invalido");
            assert_eq!(answer.body["proximo_numero"], 101, "{}", answer.text);
        }
        let same = ask(&app, Method::PUT, &path, Some(&with_number(101))).await;
        assert_eq!(same.status, 200, "{}", same.text);
        app.check_invariants().await;
    }
}

both! {
    async fn a_series_is_the_same_with_and_without_zeros(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        let profile = with(profile(BELO_HORIZONTE), "/nfse/serie_rps", "08");
        let stored = ask(&app, Method::PUT, &path, Some(&with(profile, "/nfse/proximo_numero", 50))).await;
        assert_eq!(stored.status, 200, "{}", stored.text);
        let note = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!((note.text_at("/rps/serie"), &note.body["rps"]["numero"]), ("8", &json!(50)), "{}", note.text);
        let shown = app.get(&format!("/api/v1/emitters/{id}")).await;
        assert_eq!(shown.body["perfil_fiscal"]["nfse"]["proximo_numero"], 51, "{}", shown.text);
    }
}

on_sqlite! {
    async fn a_wrong_profile_changes_nothing(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        let before = app.get(&format!("/api/v1/emitters/{id}")).await;
        let cases: Vec<(Value, &str, &str)> = vec![
            (json!({ "regime": "lucro" }), "400 parametro_invalido", "regime"),
            (json!({ "regimen": "normal" }), "400 campo_desconhecido", "regimen"),
            (json!({ "nfse": { "proximo": 1 } }), "400 campo_desconhecido", "nfse.proximo"),
            (json!({ "nfse": { "proximo_numero": -1 } }), "400 parametro_invalido", "nfse.proximo_numero"),
            (json!({ "nfse": { "proximo_numero": 0 } }), "422 validacao_previa", "nfse.proximo_numero"),
            (json!({ "endereco": { "codigo_ibge": "9999999" } }), "422 validacao_previa", "endereco.codigo_ibge"),
            (json!({ "im": "1".repeat(16) }), "422 validacao_previa", "im"),
            (json!({ "padroes": { "icms": { "aliquota": 150 } } }), "422 validacao_previa", "padroes.icms.aliquota"),
            (json!({ "padroes": { "pis": { "aliquota": "100.01" } } }), "422 validacao_previa", "padroes.pis.aliquota"),
            (json!({ "padroes": { "cofins": { "aliquota": -1 } } }), "422 validacao_previa", "padroes.cofins.aliquota"),
            (json!({ "padroes": { "ipi": { "aliquota": 301 } } }), "422 validacao_previa", "padroes.ipi.aliquota"),
            (json!({ "simples": { "aliquota_nominal": 600 } }), "422 validacao_previa", "simples.aliquota_nominal"),
            (json!({ "nfse": { "aliquota_iss": "-2.5" } }), "422 validacao_previa", "nfse.aliquota_iss"),
            (json!({ "nfse": { "credenciais": { "senha": "a\u{1}" } } }), "422 validacao_previa", "nfse.credenciais.senha"),
            (json!({ "email": "contato" }), "422 validacao_previa", "email"),
            (json!({ "email": "contato@empresa.test\r\nBcc: x" }), "422 validacao_previa", "email"),
            (json!({ "email": format!("{}@empresa.test", "a".repeat(80)) }), "422 validacao_previa", "email"),
            (json!({ "endereco": { "cep": "3013001" } }), "422 validacao_previa", "endereco.cep"),
            (json!({ "endereco": { "cep": "3013001O" } }), "422 validacao_previa", "endereco.cep"),
        ];
        for (body, summary, field) in cases {
            let answer = ask(&app, Method::PUT, &path, Some(&body)).await;
            assert_refusal(&answer, summary);
            assert_eq!(answer.text_at("/campos/0/campo"), field, "{}", answer.text);
            if summary.starts_with("422") {
                assert_eq!(answer.body["campos"].as_array().map(Vec::len), Some(1), "told once: {}", answer.text);
            }
        }
        let stale = app.http().put(format!("{}{path}", app.base_url)).bearer_auth(&app.live_key).header("if-match", "\"7\"");
        let stale = stale.header("content-type", "application/json").body(profile(BELO_HORIZONTE).to_string());
        assert_refusal(&app.send(stale).await, "412 versao_desatualizada");
        let after = app.get(&format!("/api/v1/emitters/{id}")).await;
        assert_eq!(after.body["perfil_fiscal"], before.body["perfil_fiscal"]);
        assert_eq!(after.header("etag"), before.header("etag"));
    }
}

on_sqlite! {
    async fn logins_of_a_city_have_a_length(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        for (name, most) in [("usuario", 200), ("senha", 200), ("token", 2_000), ("chave_autorizacao", 200), ("frase_secreta", 200)] {
            // Characters count, not bytes.
            for (length, status) in [(most, 200), (most + 1, 422)] {
                let body = with(profile(BELO_HORIZONTE), &format!("/nfse/credenciais/{name}"), "ç".repeat(length));
                let answer = ask(&app, Method::PUT, &path, Some(&body)).await;
                assert_eq!(answer.status, status, "{name} {length}: {}", answer.text);
                if status == 422 {
                    assert_refusal(&answer, "422 validacao_previa");
                    assert_eq!(answer.body["campos"][0]["campo"], format!("nfse.credenciais.{name}"), "{}", answer.text);
                    assert_eq!(answer.body["campos"][0]["codigo"], "tamanho_invalido", "{}", answer.text);
                    assert!(!answer.text.contains("çç"), "a login is never told: {}", answer.text);
                }
            }
        }
        let new = json!({ "cnpj": cnpj("11222333"), "perfil_fiscal": { "nfse": { "credenciais": { "usuario": "a".repeat(201) } } } });
        assert_refusal(&app.post("/api/v1/emitters", &new).await, "422 validacao_previa");
    }
}

on_sqlite! {
    async fn email_and_cep_of_a_company_are_taken_in_their_forms(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        let forms = [
            ("contato@empresa.test", "30130010"), ("nome.sobrenome+nota@empresa.com.br", "30.130-010"),
            ("contato@empresa.test", "30130-010"), (" contato@empresa.test\n", "30130 010"),
        ];
        let taken = |shown: &Value, email: &str| {
            let stored = &shown["perfil_fiscal"];
            assert_eq!((&stored["email"], &stored["endereco"]["cep"]), (&json!(email.trim()), &json!("30130010")), "{shown}");
        };
        for (email, cep) in forms {
            let body = with(profile(BELO_HORIZONTE), "/email", email);
            let body = with(body, "/endereco/cep", cep);
            let answer = ask(&app, Method::PUT, &path, Some(&body)).await;
            assert_eq!(answer.status, 200, "{email} {cep}: {}", answer.text);
            taken(&answer.body, email);
        }
        let (email, cep) = forms[3];
        let body = with(with(profile(BELO_HORIZONTE), "/email", email), "/endereco/cep", cep);
        let new = app.post("/api/v1/emitters", &json!({ "cnpj": cnpj("11222333"), "perfil_fiscal": body })).await;
        assert_eq!(new.status, 201, "{}", new.text);
        let shown = app.get(&format!("/api/v1/emitters/{}", new.text_at("/id"))).await;
        taken(&shown.body, email);
    }
}

on_sqlite! {
    async fn a_stored_email_or_cep_of_another_form_keeps_nothing_from_being_changed(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let (emitter, path) = (format!("/api/v1/emitters/{id}"), format!("/api/v1/emitters/{id}/fiscal-profile"));
        for (place, stored, other) in [("/email", "contato", "outro"), ("/endereco/cep", "3013001", "3013002")] {
            store_in_profile(&app, &id, place, stored).await;
            let shown = app.get(&emitter).await;
            let kept = with(shown.body["perfil_fiscal"].clone(), "/nome_fantasia", format!("Loja {stored}"));
            let kept = ask(&app, Method::PUT, &path, Some(&kept)).await;
            assert_eq!(kept.status, 200, "{place}: {}", kept.text);
            assert_eq!(kept.body["perfil_fiscal"].pointer(place), Some(&json!(stored)), "{}", kept.text);
            let changed = with(kept.body["perfil_fiscal"].clone(), place, other);
            let refused = ask(&app, Method::PUT, &path, Some(&changed)).await;
            assert_refusal(&refused, "422 validacao_previa");
            let field = place.trim_start_matches('/').replace('/', ".");
            assert_eq!(refused.text_at("/campos/0/campo"), field, "{}", refused.text);
        }
    }
}

on_sqlite! {
    async fn a_logo_that_is_no_picture_is_refused(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        for logo in ["não é Base64", "ZXN0ZSB0ZXh0bw=="] {
            let body = with(profile(BELO_HORIZONTE), "/logo_base64", logo);
            let refused = ask(&app, Method::PUT, &path, Some(&body)).await;
            assert_refusal(&refused, "422 validacao_previa");
            assert_eq!(refused.body["campos"][0]["campo"], "logo_base64", "{}", refused.text);
        }
    }
}

/// How a PNG begins, of 2000 by 1999, 1001 by 1000 and 1000 by 1000 pixels.
const HEADS: [&str; 3] = [
    "iVBORw0KGgoAAAANSUhEUgAAB9AAAAfPCAYAAABouHQ3",
    "iVBORw0KGgoAAAANSUhEUgAAA+kAAAPoCAYAAACiYb/a",
    "iVBORw0KGgoAAAANSUhEUgAAA+gAAAPoCAYAAABNo9Tk",
];

on_sqlite! {
    async fn a_logo_of_too_many_pixels_is_refused_unless_it_is_stored(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        let body = |logo: &str| with(profile(BELO_HORIZONTE), "/logo_base64", logo);
        let [large, above, most] = HEADS;
        for logo in [large, above] {
            let refused = ask(&app, Method::PUT, &path, Some(&body(logo))).await;
            assert_refusal(&refused, "422 validacao_previa");
            assert!(refused.body["campos"][0]["campo"] == "logo_base64" && refused.text.contains("mais de 1 milhão de pontos"), "{}", refused.text);
        }
        let taken = ask(&app, Method::PUT, &path, Some(&body(most))).await;
        assert_eq!(taken.status, 200, "{}", taken.text);
        // One of before the limit does not keep the rest of the profile from being changed.
        store_logo(&app, &id, large).await;
        let kept = with(body(large), "/nome_fantasia", "Loja");
        let kept = ask(&app, Method::PUT, &path, Some(&kept)).await;
        assert_eq!(kept.status, 200, "{}", kept.text);
        let other = ask(&app, Method::PUT, &path, Some(&body(above))).await;
        assert_refusal(&other, "422 validacao_previa");
    }
}

/// Stores a logo without the checks of the API.
async fn store_logo(app: &TestApp, id: &str, logo: &'static str) {
    store_in_profile(app, id, "/logo_base64", logo).await;
}

/// Stores a text of a profile without the checks of the API.
async fn store_in_profile(app: &TestApp, id: &str, place: &'static str, text: &'static str) {
    let (account, emitter) = (app.account_id.clone(), store::ids::EmitterId::from(id));
    let stored = app.app.db.write(
        (account, emitter, place, text),
        |(account, emitter, place, text), conn| {
            Box::pin(async move {
                let row = store::tables::emitters::get(conn, account, emitter).await?;
                let mut row = row.expect("the company");
                let perfil: Value = serde_json::from_str(&row.perfil).expect("a profile");
                row.perfil = with(perfil, place, *text).to_string();
                let changed =
                    store::tables::emitters::update(conn, &row, row.updated_at_ms).await?;
                Ok::<bool, store::TxError<std::convert::Infallible>>(changed)
            })
        },
    );
    assert!(stored.await.expect("the database works"));
}

on_sqlite! {
    async fn a_stored_logo_that_is_no_picture_is_left_out(app: TestApp) {
        let id = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        store_logo(&app, &id, "iVBORw0KGgo=").await;
        let note = app.post("/api/v1/nfe", &tests::bodies::nfe()).await;
        assert_eq!(note.status, 201, "{}", note.text);
        let path = format!("/api/v1/documentos/{}/danfe", note.text_at("/nota_id"));
        let printed = app.get(&path).await;
        assert_eq!(printed.status, 200, "{}", printed.text);
    }
}
