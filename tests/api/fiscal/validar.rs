//! POST /api/v1/fiscal/xml/validar: which documents it judges, by which rules.

use crate::common::{BELO_HORIZONTE, assert_refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use store::tables::artifacts;
use tests::bodies::{nfe, nfse};
use tests::{Answer, TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";

async fn judged(app: &TestApp, xml: &str) -> Answer {
    let body = json!({ "xml_base64": STANDARD.encode(xml) });
    app.post("/api/v1/fiscal/xml/validar", &body).await
}

/// What is said of a document without a mistake: kind, model, layout, rules.
async fn right(app: &TestApp, xml: &str) -> [Value; 4] {
    let answer = judged(app, xml).await;
    let said = (
        answer.status,
        &answer.body["valido"],
        &answer.body["avisos"],
    );
    assert_eq!(
        said,
        (200, &json!(true), &json!([])),
        "{}\n{xml}",
        answer.text
    );
    ["documento", "modelo", "layout", "regras"].map(|name| answer.body[name].clone())
}

/// The first thing that is wrong: path, code.
async fn wrong(app: &TestApp, xml: &str, before: &str, after: &str) -> (String, String) {
    let spoilt = xml.replacen(before, after, 1);
    assert_ne!(spoilt, xml, "{before}");
    let answer = judged(app, &spoilt).await;
    assert_eq!(
        (answer.status, &answer.body["valido"]),
        (200, &json!(false)),
        "{}",
        answer.text
    );
    (
        answer.text_at("/erros/0/caminho").to_owned(),
        answer.text_at("/erros/0/codigo").to_owned(),
    )
}

/// The XML of an event, as the authority registered it.
async fn kept_event(app: &TestApp, id: &str) -> String {
    let mut conn = app.app.db.read().await.expect("connection");
    let kept = artifacts::get(&mut conn, &app.account_id, id, "evento").await;
    let kept = kept.expect("database").expect("an event with its XML");
    String::from_utf8(kept.bytes).expect("text")
}

both! {
    async fn what_the_hub_sends_to_sefaz_is_judged(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfe", &nfe()).await;
        let (id, key) = (note.text_at("/nota_id"), note.text_at("/chave"));
        let body = json!({ "ref": id, "correcao": "Onde se lê volume 1, leia-se volume 2" });
        let letter = app.post("/api/v1/nfe/cce", &body).await;
        let event = app.get(letter.text_at("/evento/links/xml")).await.text;
        assert_eq!(right(&app, &event).await, [json!("evento"), json!("55"), json!("evento-110110"), json!("nfe-2026-01-01")]);
        let spoilt = wrong(&app, &event, "leia-se volume 2", "leia-se volume 3").await;
        assert_eq!(spoilt, ("Signature/SignedInfo/Reference/DigestValue".to_owned(), "297".to_owned()));
        let spoilt = wrong(&app, &event, &format!("<chNFe>{key}"), &format!("<chNFe>{}", "9".repeat(44))).await;
        assert_eq!(spoilt, ("infEvento/@Id".to_owned(), "572".to_owned()));
        let range = json!({ "emitente_id": note.text_at("/emitente_id"), "serie": 1, "numero_inicial": 2, "numero_final": 3, "justificativa": "Falha no sistema pulou a numeração" });
        let range = app.post("/api/v1/nfe/inutilizar", &range).await;
        let voided = kept_event(&app, range.text_at("/evento_id")).await;
        assert_eq!(right(&app, &voided).await, [json!("inutilizacao"), json!("55"), json!("inutNFe-4.00"), json!("nfe-2026-01-01")]);
        let spoilt = wrong(&app, &voided, "<nNFFin>3", "<nNFFin>4").await;
        assert_eq!(spoilt, ("infInut/@Id".to_owned(), "502".to_owned()));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_national_service_note_is_judged(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let file = app.get(&format!("/api/v1/documentos/{}/xml?formato=binario", note.text_at("/nota_id"))).await.text;
        assert_eq!(right(&app, &file).await, [json!("nfse"), Value::Null, json!("nfse-1.01"), json!("nfse-2026-02-09")]);
        let spoilt = wrong(&app, &file, "<xDescServ>", "<xDescServ>Outro ").await;
        assert_eq!(spoilt.1, "E0714");
        // The declaration inside of it.
        let (from, to) = (file.find("<DPS").expect("DPS"), file.find("</DPS>").expect("DPS"));
        let declaration = file[from..to + 6].to_owned();
        let declaration = if declaration.starts_with("<DPS xmlns=") { declaration } else {
            declaration.replacen("<DPS", "<DPS xmlns=\"http://www.sped.fazenda.gov.br/nfse\"", 1)
        };
        assert_eq!(right(&app, &declaration).await[0], "dps");
        assert_eq!(wrong(&app, &declaration, "<nDPS>", "<nDPS>9").await, ("infDPS/@Id".to_owned(), "E0004".to_owned()));
        let customer = declaration.find("<toma>").expect("toma");
        let (head, tail) = declaration.split_at(customer);
        let from = tail.find("<CNPJ>").expect("CNPJ") + 6;
        let itself = format!("{head}{}{CNPJ}{}", &tail[..from], &tail[from + 14..]);
        let answer = judged(&app, &itself).await;
        let codes = answer.body["erros"].as_array().expect("errors").iter().map(|error| &error["codigo"]);
        assert!(codes.into_iter().any(|code| code == "E0202"), "{}", answer.text);
        // The event that cancels it, as it was registered.
        let cancel = json!({ "ref": note.text_at("/nota_id"), "codigo_motivo": "erro_emissao", "justificativa": "Serviço não foi prestado." });
        let cancelled = app.post("/api/v1/nfse/cancelar", &cancel).await;
        assert_eq!(cancelled.summary(), "200 cancelada", "{}", cancelled.text);
        let history = app.get(&format!("/api/v1/documentos/{}/historico", note.text_at("/nota_id"))).await;
        let mut moments = history.body["itens"].as_array().expect("items").iter();
        let asked = moments.find(|item| item["tipo"] == "cancelamento").expect("a cancellation");
        let id = asked["evento_id"].as_str().expect("its id");
        let event = kept_event(&app, id).await;
        assert_eq!(right(&app, &event).await, [json!("evento_nfse"), Value::Null, json!("nfse-1.01"), json!("nfse-2026-02-09")]);
        let other = wrong(&app, &event, "<cMotivo>1", "<cMotivo>2").await;
        assert_eq!(other.1, "E0714");
        let from = event.find("<chNFSe>").expect("chNFSe") + 8;
        let chave = &event[from..from + 50];
        let other = event.replacen(&format!("<chNFSe>{chave}"), &format!("<chNFSe>{}", "9".repeat(50)), 1);
        let answer = judged(&app, &other).await;
        let mut errors = answer.body["erros"].as_array().expect("errors").iter();
        assert!(errors.any(|error| error["codigo"] == "E0004" && error["caminho"] == "infPedReg/@Id"), "{}", answer.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn an_old_note_is_judged_by_the_rules_of_its_day(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfe", &nfe()).await;
        let file = app.get(&format!("/api/v1/documentos/{}/xml?formato=binario", note.text_at("/nota_id"))).await.text;
        let from = file.find("<dhEmi>").expect("dhEmi") + 7;
        let paid = file.find("<tPag>").expect("tPag") + 6;
        // A payment of kind 99 says in xPag what it is, since 2021-09-01.
        for (day, rules, demanded) in [("2018-08-07", "nfe-2017-12-04", false), ("2021-12-15", "nfe-2021-09-01", true)] {
            let other = format!("{}{day}{}99{}", &file[..from], &file[from + 10..paid], &file[paid + 2..]);
            let answer = judged(&app, &other).await;
            assert_eq!(answer.text_at("/regras"), rules, "{}", answer.text);
            let mut errors = answer.body["erros"].as_array().expect("errors").iter();
            assert_eq!(errors.any(|error| error["codigo"] == "441"), demanded, "{day}: {}", answer.text);
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_is_not_judged_is_named(app: TestApp) {
        for (xml, name) in [
            ("<BPe xmlns=\"http://www.portalfiscal.inf.br/bpe\"/>", "BP-e"),
            ("<soap:Envelope xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\"><consMDFeNaoEnc xmlns=\"http://www.portalfiscal.inf.br/mdfe\"/></soap:Envelope>", "mensagem do MDF-e"),
            ("<CompNfse xmlns=\"http://www.abrasf.org.br/nfse.xsd\"/>", "ABRASF"),
            ("<consStatServ xmlns=\"http://www.portalfiscal.inf.br/nfe\"/>", "consStatServ"),
            ("<a/>", "não é de um documento fiscal"),
        ] {
            let answer = judged(&app, xml).await;
            assert_refusal(&answer, "422 documento_nao_suportado");
            assert!(answer.text_at("/mensagem").contains(name), "{name}: {}", answer.text);
        }
        assert_eq!(app.balance().await, (200, 0));
    }
}
