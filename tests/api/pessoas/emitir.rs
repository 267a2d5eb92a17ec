//! `pessoa_id` where a note is issued.

use super::{PATH, address, emitter, person, points, registered};
use crate::common::{ask, ask_as, assert_refusal, cnpj, stranger};
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::{nfce, nfe, nfse, with};
use tests::{TestApp, both, on_sqlite};

const EMITTER: &str = "11222333000181";

/// The XML of a note that was issued.
async fn xml(app: &TestApp, body: &Value, path: &str) -> String {
    let note = app.post(path, body).await;
    assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
    let file = app
        .get(&format!(
            "/api/v1/documentos/{}/xml?formato=binario",
            note.text_at("/nota_id")
        ))
        .await;
    assert_eq!(file.status, 200, "{}", file.text);
    file.text
}

on_sqlite! {
    async fn a_product_note_takes_the_registered_person(app: TestApp) {
        app.emitter(EMITTER, "3106200").await;
        let id = registered(&app, &person("11444777")).await;
        // Production of the simulated authority: names are names.
        let body = with(nfe(), "/destinatario", json!({ "pessoa_id": id }));
        let text = xml(&app, &body, "/api/v1/nfe").await;
        let number = cnpj("11444777");
        for piece in [
            format!("<dest><CNPJ>{number}</CNPJ><xNome>Padaria São João Ltda</xNome>").as_str(),
            "<xLgr>Rua da Bahia</xLgr><nro>1000</nro><xBairro>Centro</xBairro><cMun>3106200</cMun><xMun>Belo Horizonte</xMun><UF>MG</UF><CEP>30140071</CEP>",
            "<fone>31998765432</fone>",
            "<indIEDest>1</indIEDest><IE>0623079040081</IE><IM>998877</IM><email>compras@padaria.example.com</email>",
        ] {
            assert!(text.contains(piece), "{piece}: {text}");
        }

        // What the request says stays, and an address is one thing.
        let own = json!({ "pessoa_id": id, "nome": "Padaria (filial)", "email": "outro@padaria.example.com", "indicador_ie": "9",
            "endereco": with(with(address(), "/logradouro", "Rua Nova"), "/numero", "7") });
        let text = xml(&app, &with(nfe(), "/destinatario", own), "/api/v1/nfe").await;
        for piece in ["<xNome>Padaria (filial)</xNome>", "<xLgr>Rua Nova</xLgr><nro>7</nro>", "<indIEDest>9</indIEDest>", "<email>outro@padaria.example.com</email>"] {
            assert!(text.contains(piece), "{piece}: {text}");
        }
        let dest = text.split("<dest>").nth(1).and_then(|rest| rest.split("</dest>").next()).expect("dest");
        assert!(!dest.contains("<IE>"), "no taxpayer, no number: {dest}");
        let partial = with(nfe(), "/destinatario", json!({ "pessoa_id": id, "endereco": { "logradouro": "Rua Nova" } }));
        let answer = app.post("/api/v1/nfe", &partial).await;
        assert_refusal(&answer, "422 validacao_previa");
        assert!(points(&answer).contains(&"destinatario.endereco.bairro obrigatorio".to_owned()), "{}", answer.text);

        // At the counter it is a name.
        let coupon = with(nfce(), "/consumidor", json!({ "pessoa_id": id }));
        let note = app.post_as(&app.test_key, "/api/v1/nfce/criar", &coupon, None).await;
        assert_eq!(note.status, 201, "{}", note.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_service_note_takes_the_registered_person(app: TestApp) {
        app.emitter(EMITTER, "3106200").await;
        let id = registered(&app, &person("11444777")).await;
        let text = xml(&app, &with(nfse(), "/tomador", json!({ "pessoa_id": id })), "/api/v1/nfse").await;
        let taker = text.split("<toma>").nth(1).and_then(|rest| rest.split("</toma>").next()).expect("toma");
        for piece in [cnpj("11444777").as_str(), "<xNome>Padaria São João Ltda</xNome>", "<IM>998877</IM>", "<cMun>3106200</cMun>", "<CEP>30140071</CEP>", "<xLgr>Rua da Bahia</xLgr>", "<fone>31998765432</fone>", "<email>compras@padaria.example.com</email>"] {
            assert!(taker.contains(piece), "{piece}: {taker}");
        }
        let ibs_cbs = json!({ "cst": "000", "cclass_trib": "000001", "codigo_indicador_operacao": "100301", "destinatario": { "pessoa_id": id } });
        let body = with(with(nfse(), "/ibs_cbs", ibs_cbs), "/servico/codigo_nbs", "115090000");
        let text = xml(&app, &body, "/api/v1/nfse").await;
        let recipient = text.split("<dest>").nth(1).and_then(|rest| rest.split("</dest>").next()).expect("dest");
        for piece in [cnpj("11444777").as_str(), "<xNome>Padaria São João Ltda</xNome>", "<cMun>3106200</cMun>"] {
            assert!(recipient.contains(piece), "{piece}: {recipient}");
        }
        let own = json!({ "pessoa_id": id, "nome": "Outro nome" });
        let text = xml(&app, &with(nfse(), "/tomador", own), "/api/v1/nfse").await;
        assert!(text.contains("<xNome>Outro nome</xNome>"), "{text}");
        let foreign = json!({ "pessoa_id": id, "tipo": "exterior", "nome": "Acme Inc" });
        let answer = app.post("/api/v1/nfse", &with(nfse(), "/tomador", foreign)).await;
        assert!(points(&answer).contains(&"tomador.pessoa_id grupos_excludentes".to_owned()), "{}", answer.text);
        app.check_invariants().await;
    }
}

both! {
    async fn a_draft_takes_the_person_of_the_day_it_is_issued(app: TestApp) {
        app.emitter(EMITTER, "3106200").await;
        let id = registered(&app, &person("11444777")).await;
        let draft = app.post("/api/v1/nfe/criar", &with(nfe(), "/destinatario", json!({ "pessoa_id": id }))).await;
        assert_eq!(draft.status, 201, "{}", draft.text);
        let moved = ask(&app, Method::PATCH, &format!("{PATH}/{id}"), Some(&json!({ "nome": "Nome Novo Ltda" }))).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        let note = app.post("/api/v1/nfe/emitir", &json!({ "nota_id": draft.text_at("/nota_id") })).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let file = app.get(&format!("/api/v1/documentos/{}/xml?formato=binario", note.text_at("/nota_id"))).await;
        assert!(file.text.contains("<xNome>Nome Novo Ltda</xNome>"), "{}", file.text);
    }
}

on_sqlite! {
    async fn a_person_that_is_not_there_is_told(app: TestApp) {
        let emitter = emitter(&app).await;
        let other = app.emitter_without_certificate(&cnpj("22333444"), "3106200").await;
        let elsewhere = registered(&app, &with(person("11444777"), "/emitente_id", emitter.as_str())).await;
        let stranger = stranger(&app).await;
        // Nobody's, another company's, another account's.
        for (key, id) in [(&app.test_key, "pes_nada"), (&app.test_key, elsewhere.as_str()), (&app.test_key, ""), (&stranger.test_key, elsewhere.as_str())] {
            for (path, member, body) in [("/api/v1/nfe", "destinatario", nfe()), ("/api/v1/nfse", "tomador", nfse()), ("/api/v1/nfce", "consumidor", nfce())] {
                let body = with(body, &format!("/{member}"), json!({ "pessoa_id": id }));
                let answer = ask_as(&app, key, Method::POST, path, Some(&body)).await;
                if key == &stranger.test_key {
                    assert_refusal(&answer, "400 parametro_ausente");
                    continue;
                }
                assert_refusal(&answer, "422 validacao_previa");
                assert_eq!(points(&answer), [format!("{member}.pessoa_id pessoa_inexistente")], "{path} {id}: {}", answer.text);
            }
        }
        let mine = registered(&app, &with(person("11444777"), "/emitente_id", other.as_str())).await;
        for (id, code) in [(json!("pes_nada"), "422 validacao_previa"), (json!(7), "400 parametro_invalido")] {
            let ibs_cbs = json!({ "cst": "000", "cclass_trib": "000001", "codigo_indicador_operacao": "100301", "destinatario": { "pessoa_id": id } });
            let answer = ask_as(&app, &app.test_key, Method::POST, "/api/v1/nfse", Some(&with(nfse(), "/ibs_cbs", ibs_cbs))).await;
            assert_refusal(&answer, code);
            assert!(answer.text.contains("\"ibs_cbs.destinatario.pessoa_id\""), "{}", answer.text);
        }
        let two = with(nfe(), "/destinatario", json!({ "pessoa_id": mine, "cpf_cnpj": cnpj("55444777") }));
        let answer = ask_as(&app, &app.test_key, Method::POST, "/api/v1/nfe", Some(&two)).await;
        assert_eq!(points(&answer), ["destinatario.cpf_cnpj pessoa_divergente"], "{}", answer.text);
        for id in [json!(1), json!({}), json!(["x"])] {
            let body = with(nfe(), "/destinatario", json!({ "pessoa_id": id }));
            assert_refusal(&app.post("/api/v1/nfe", &body).await, "400 parametro_invalido");
        }
        let unknown = with(nfe(), "/transporte", json!({ "transportador": { "pessoa_id": mine } }));
        assert_refusal(&app.post("/api/v1/nfe", &unknown).await, "400 campo_desconhecido");
        assert_eq!(app.balance().await, (200, 0));
    }
}
