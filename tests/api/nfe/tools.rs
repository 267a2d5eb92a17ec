//! The tools on notes: what the hub itself issued goes through all of them.

use crate::common::{BELO_HORIZONTE, assert_refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prints::danfe::{self, PrintOptions};
use serde_json::json;
use tests::bodies::{nfce, nfe};
use tests::{Answer, TestApp, on_sqlite};

const CNPJ: &str = "11222333000181";
const CTE_OS: &str =
    r#"<cteOSProc xmlns="http://www.portalfiscal.inf.br/cte"><CTeOS/></cteOSProc>"#;
const TICKET: &str = r#"<BPe xmlns="http://www.portalfiscal.inf.br/bpe"/>"#;
const EVENT: &str =
    r#"<procEventoNFe xmlns="http://www.portalfiscal.inf.br/nfe"><evento/></procEventoNFe>"#;

/// A note's key, XML and DANFE, as they are downloaded.
async fn issued(app: &TestApp, path: &str, body: &serde_json::Value) -> (String, String, String) {
    let note = app.post(path, body).await;
    assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
    let id = note.text_at("/nota_id");
    let xml = app.get(&format!("/api/v1/documentos/{id}/xml")).await;
    let danfe = app.get(&format!("/api/v1/documentos/{id}/danfe")).await;
    assert_eq!(
        (xml.status, danfe.status),
        (200, 200),
        "{} {}",
        xml.text,
        danfe.text
    );
    (
        note.text_at("/chave").to_owned(),
        xml.text_at("/base64").to_owned(),
        danfe.text_at("/base64").to_owned(),
    )
}

fn charged(answer: &Answer) {
    assert_eq!(
        (answer.status, &answer.body["creditos"]["debitado"]),
        (200, &json!(4)),
        "{}",
        answer.text
    );
}

on_sqlite! {
    async fn a_note_of_ours_is_read_judged_and_printed(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for (path, body, model) in [("/api/v1/nfe", nfe(), "55"), ("/api/v1/nfce", nfce(), "65")] {
            let (chave, xml, danfe) = issued(&app, path, &body).await;
            let parsed = app.post("/api/v1/nfe/parse", &json!({ "xml_base64": xml })).await;
            charged(&parsed);
            assert_eq!((parsed.text_at("/chave"), parsed.text_at("/modelo")), (chave.as_str(), model), "{}", parsed.text);
            assert_eq!(parsed.body["assinatura"]["valida"], true, "{}", parsed.text);
            let judged = app.post("/api/v1/fiscal/xml/validar", &json!({ "xml_base64": xml })).await;
            charged(&judged);
            assert_eq!((&judged.body["valido"], judged.text_at("/modelo")), (&json!(true), model), "{}", judged.text);
            assert_eq!(judged.text_at("/regras"), "nfe-2026-01-01", "{}", judged.text);
            let printed = app.post("/api/v1/nfe/danfe-xml", &json!({ "xml_base64": xml })).await;
            charged(&printed);
            for pdf in [danfe.as_str(), printed.text_at("/pdf_base64")] {
                let read = app.post("/api/v1/nfe/danfe/ler", &json!({ "pdf_base64": pdf })).await;
                charged(&read);
                assert_eq!((read.text_at("/chave"), read.text_at("/uf"), &read.body["dv_confere"]), (chave.as_str(), "MG", &json!(true)));
            }
        }
        app.check_invariants().await;
    }
}

/// Members of the answer of `nfe/parse` that no request takes, besides those of
/// every answer.
const APART: [&str; 9] = [
    "chave",
    "fora_do_pedido",
    "protocolo",
    "assinatura",
    "avisos",
    "request_id",
    "sucesso",
    "creditos",
    "consumiu_credito",
];

on_sqlite! {
    async fn what_was_read_of_a_note_can_be_issued(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let mut invoice = nfe();
        invoice["transporte"] = json!({ "volumes": [{ "quantidade": 1, "especie": "Caixa", "peso_bruto": "10.000" }] });
        invoice["compra"] = json!({ "pedido": "4711" });
        let mut receipt = nfce();
        receipt["troco"] = json!("2.75");
        for (path, mut body, paid, begins, digits) in [
            ("/api/v1/nfe", invoice, "47.25", "<dest>", [r#""peso_bruto":10.000"#, r#""valor":47.25"#]),
            ("/api/v1/nfce", receipt, "50.00", "<det nItem", [r#""troco":2.75"#, r#""valor":50.00"#]),
        ] {
            body["itens"][0]["quantidade"] = json!("2.5000");
            body["itens"][0]["valor_unitario"] = json!("18.9012345678");
            body["pagamentos"][0]["valor"] = json!(paid);
            let (_, xml, _) = issued(&app, path, &body).await;
            let first = String::from_utf8(STANDARD.decode(xml).expect("base64")).expect("XML");
            // As another program would have written it.
            let others = first.replace("<qCom>2.5</qCom>", "<qCom>2.5000</qCom>");
            assert_ne!(others, first);
            let parsed = app.post("/api/v1/nfe/parse", &json!({ "xml_base64": STANDARD.encode(others) })).await;
            charged(&parsed);
            // The digits of the document, on the wire.
            for digits in [r#""quantidade":2.5000,"#, r#""valor_unitario":18.9012345678"#].into_iter().chain(digits) {
                assert!(parsed.text.contains(digits), "{digits}: {}", parsed.text);
            }
            let mut request = parsed.body.clone();
            let alone = fiscal::nfe::fields::of_the_note_alone();
            let members = request.as_object_mut().expect("an object");
            members.retain(|name, _| !alone.contains(&name.as_str()) && !APART.contains(&name.as_str()));
            let (_, xml, _) = issued(&app, path, &request).await;
            let second = String::from_utf8(STANDARD.decode(xml).expect("base64")).expect("XML");
            let content = |xml: &str| {
                let (_, rest) = xml.split_once(begins).expect("a beginning");
                let (content, _) = rest.split_once("<infRespTec>").or_else(|| rest.split_once("</infNFe>")).expect("an end");
                content.to_owned()
            };
            assert_eq!(content(&second), content(&first));
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_changed_note_is_told_in_plain_words(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let (_, xml, _) = issued(&app, "/api/v1/nfe", &nfe()).await;
        let text = String::from_utf8(STANDARD.decode(xml).expect("base64")).expect("XML");
        let spoilt = text.replace("<NCM>09012100</NCM>", "<NCM>0901</NCM>").replace("<vNF>37.80</vNF>", "<vNF>37.90</vNF>");
        assert_ne!(spoilt, text);
        let judged = app.send(
            app.http().post(format!("{}/api/v1/fiscal/xml/validar", app.base_url)).bearer_auth(&app.live_key)
                .header("content-type", "application/xml").body(spoilt.clone()),
        ).await;
        assert_eq!((judged.status, &judged.body["valido"]), (200, &json!(false)), "{}", judged.text);
        let errors = judged.body["erros"].as_array().expect("errors");
        let at = |path: &str| errors.iter().any(|error| error["caminho"].as_str().is_some_and(|found| found.ends_with(path)));
        assert!(at("prod/NCM") && at("ICMSTot/vNF"), "{}", judged.text);
        // Nothing else wrong with it than that it is not what was signed.
        let retold = text.replace("<natOp>Venda de mercadoria", "<natOp>Venda de outra coisa");
        assert_ne!(retold, text);
        let judged = app.post("/api/v1/fiscal/xml/validar", &json!({ "xml_base64": STANDARD.encode(retold) })).await;
        assert_eq!((&judged.body["valido"], judged.text_at("/erros/0/codigo")), (&json!(false), "297"), "{}", judged.text);
        let parsed = app.post("/api/v1/nfe/parse", &json!({ "xml_base64": STANDARD.encode(spoilt) })).await;
        assert_eq!(parsed.body["assinatura"]["valida"], false, "{}", parsed.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_is_no_note_is_refused_and_free(app: TestApp) {
        for (path, member, file, refusal) in [
            ("/api/v1/nfe/parse", "xml_base64", "<a/>", "422 xml_malformado"),
            ("/api/v1/fiscal/xml/validar", "xml_base64", "<!DOCTYPE a><a/>", "422 xml_malformado"),
            ("/api/v1/nfe/danfe-xml", "xml_base64", "<nfeProc", "422 xml_malformado"),
            ("/api/v1/nfe/danfe/ler", "pdf_base64", "nada", "400 parametro_invalido"),
            // Other fiscal documents are called by their names.
            ("/api/v1/nfe/danfe-xml", "xml_base64", CTE_OS, "422 documento_nao_suportado"),
            ("/api/v1/nfe/parse", "xml_base64", CTE_OS, "422 documento_nao_suportado"),
            ("/api/v1/nfe/danfe-xml", "xml_base64", TICKET, "422 documento_nao_suportado"),
            ("/api/v1/nfe/danfe-xml", "xml_base64", EVENT, "422 documento_nao_suportado"),
        ] {
            let answer = app.post(path, &json!({ member: STANDARD.encode(file) })).await;
            assert_refusal(&answer, refusal);
            let name = [(CTE_OS, "de CT-e OS"), (TICKET, "de BP-e"), (EVENT, "de evento da NF-e")].into_iter().find(|(xml, _)| *xml == file);
            assert!(name.is_none_or(|(_, name)| answer.text_at("/mensagem").contains(name)), "{}", answer.text);
        }
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

/// A PDF of one page with these lines.
fn paper(lines: &[&str]) -> String {
    let text: String = (0_usize..)
        .zip(lines)
        .map(|(n, line)| format!("BT /F1 9 Tf 50 {} Td ({line}) Tj ET\n", 800 - 50 * n))
        .collect();
    let pdf = format!(
        "%PDF-1.5\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n\
         3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj\n\
         5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj\n\
         4 0 obj <</Length {}>>\nstream\n{text}\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF",
        text.len()
    );
    STANDARD.encode(pdf)
}

on_sqlite! {
    async fn a_paper_whose_own_key_is_no_notes_is_refused_and_free(app: TestApp) {
        let key = |model: &str, number: &str| {
            let base = format!("35261011222333000181{model}001{number}112345678");
            format!("{base}{}", markup::ids::chave::digit(base.as_bytes()))
        };
        let (own, other, cte) = (key("55", "000001523"), key("55", "000000077"), key("57", "000000077"));
        let lost = format!("{}{}", &own[..30], &own[31..]);
        let caption = |key: &str| format!("CHAVE DE ACESSO {key}");
        for (title, shown, refusal) in [
            ("DACTE", caption(&cte), "422 modelo_recusado"),
            ("DACTE", "sem chave".to_owned(), "422 modelo_recusado"),
            ("DAMDFE", caption(&key("58", "000000077")), "422 modelo_recusado"),
            ("DANFE", caption(&own.replacen("5678", "5679", 1)), "422 chave_dv_invalido"),
            ("DANFE", caption(&lost), "422 chave_dv_invalido"),
            ("DANFE", caption(&own.replacen("8155001", "8165001", 1)), "422 chave_dv_invalido"),
        ] {
            let pdf = paper(&[title, &shown, &format!("Nota de origem {other}")]);
            let read = app.post("/api/v1/nfe/danfe/ler", &json!({ "pdf_base64": pdf })).await;
            assert_refusal(&read, refusal);
        }
        assert_eq!(app.balance().await, (200, 0));
        let whole = paper(&["DANFE", &caption(&own), &format!("Nota de origem {other}")]);
        let read = app.post("/api/v1/nfe/danfe/ler", &json!({ "pdf_base64": whole })).await;
        charged(&read);
        assert_eq!(read.text_at("/chave"), own);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_note_the_account_knows_as_cancelled_is_marked(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let (chave, xml, _) = issued(&app, "/api/v1/nfe", &nfe()).await;
        let text = String::from_utf8(STANDARD.decode(&xml).expect("base64")).expect("XML");
        let drawn = |is_cancelled| {
            let options = PrintOptions { cancelled: is_cancelled, ..PrintOptions::default() };
            STANDARD.encode(danfe::danfe(&text, &options).expect("a printout"))
        };
        let printed = async || {
            let printed = app.post("/api/v1/nfe/danfe-xml", &json!({ "xml_base64": xml })).await;
            charged(&printed);
            printed.text_at("/pdf_base64").to_owned()
        };
        assert!(printed().await == drawn(false));
        let cancel = json!({ "ref": chave, "justificativa": "Pedido em duplicidade do cliente" });
        let cancelled = app.post("/api/v1/nfe/cancelar", &cancel).await;
        assert_eq!(cancelled.status, 200, "{}", cancelled.text);
        assert!(printed().await == drawn(true));
    }
}
