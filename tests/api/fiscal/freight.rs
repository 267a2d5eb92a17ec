//! CT-e and MDF-e in the tools for documents of third parties: nfe/parse,
//! nfe/danfe-xml and fiscal/xml/validar.

use crate::common::{BELO_HORIZONTE, assert_refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prints::danfe::PrintOptions;
use prints::{dacte, damdfe};
use serde_json::{Value, json};
use tests::bodies::{cte, mdfe, mdfe_loaded_later, nfe};
use tests::{Answer, TestApp, on_sqlite};

const CNPJ: &str = "11222333000181";
const PARSE: &str = "/api/v1/nfe/parse";
const PRINT: &str = "/api/v1/nfe/danfe-xml";
const JUDGE: &str = "/api/v1/fiscal/xml/validar";
const CTE: &str = "/api/v1/cte/criar-e-emitir";
const MDFE: &str = "/api/v1/mdfe/criar-e-emitir";

async fn ask(app: &TestApp, path: &str, xml: &str) -> Answer {
    app.post(path, &json!({ "xml_base64": STANDARD.encode(xml) }))
        .await
}

fn charged(answer: &Answer) {
    let said = (answer.status, &answer.body["creditos"]["debitado"]);
    assert_eq!(said, (200, &json!(4)), "{}", answer.text);
}

/// A document that is issued: its id, its key, its XML.
async fn issued(app: &TestApp, path: &str, body: &Value) -> (String, String, String) {
    let answer = app.post(path, body).await;
    assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
    let id = answer.text_at("/nota_id").to_owned();
    let path = format!("/api/v1/documentos/{id}/xml?formato=binario");
    let xml = app.get(&path).await.text;
    (id, answer.text_at("/chave").to_owned(), xml)
}

/// Kind, model, layout and rules of a document in which nothing is wrong.
async fn right(app: &TestApp, xml: &str) -> [Value; 4] {
    let answer = ask(app, JUDGE, xml).await;
    charged(&answer);
    let said = (&answer.body["valido"], &answer.body["avisos"]);
    assert_eq!(said, (&json!(true), &json!([])), "{}\n{xml}", answer.text);
    ["documento", "modelo", "layout", "regras"].map(|name| answer.body[name].clone())
}

/// Codes of the rules that find something in a document.
fn codes(answer: &Answer, list: &str) -> Vec<String> {
    let all = answer.body[list].as_array().expect("a list").iter();
    let rules = all.filter(|one| one["tipo"] == "regra");
    let mut codes: Vec<String> = rules
        .filter_map(|one| one["codigo"].as_str().map(str::to_owned))
        .collect();
    codes.sort();
    codes.dedup();
    codes
}

/// The document on paper, as the crate draws it.
fn drawn(xml: &str, cancelled: bool) -> String {
    let options = PrintOptions {
        cancelled,
        ..PrintOptions::default()
    };
    let pdf = if xml.contains("<infCte ") {
        dacte::dacte(xml, &options).expect("a DACTE")
    } else {
        damdfe::damdfe(xml, &options).expect("a DAMDFE")
    };
    STANDARD.encode(pdf)
}

on_sqlite! {
    async fn what_the_hub_issues_is_read_judged_and_printed(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for (path, body, expected, cancel, protocol) in [
            (CTE, cte(), ["cte", "57", "cte-4.00", "moc-cte-4.00"], "/api/v1/cte/cancelar", "protCTe"),
            (MDFE, mdfe(), ["mdfe", "58", "mdfe-3.00", "moc-mdfe-3.00b"], "/api/v1/mdfe/cancelar", "protMDFe"),
        ] {
            let (id, chave, xml) = issued(&app, path, &body).await;
            let parsed = ask(&app, PARSE, &xml).await;
            charged(&parsed);
            assert_eq!((parsed.text_at("/chave"), parsed.text_at("/modelo")), (chave.as_str(), expected[1]), "{}", parsed.text);
            assert_eq!((&parsed.body["assinatura"]["valida"], parsed.text_at("/protocolo/status")), (&json!(true), "100"), "{}", parsed.text);
            assert_eq!((&parsed.body["outros"], &parsed.body["avisos"]), (&Value::Null, &Value::Null), "{}", parsed.text);
            assert_eq!(right(&app, &xml).await, expected.map(|word| json!(word)));
            let printed = ask(&app, PRINT, &xml).await;
            charged(&printed);
            assert!(printed.text_at("/pdf_base64") == drawn(&xml, false), "{path}");
            // Without its protocol it is read, judged and printed, too.
            let end = xml.find(&format!("<{protocol} ")).expect("a protocol");
            let begin = xml.find(if path == CTE { "<CTe" } else { "<MDFe" }).expect("a document");
            let bare = xml[begin..end].to_owned();
            let bare = if bare.starts_with("<CTe xmlns") || bare.starts_with("<MDFe xmlns") { bare } else {
                let space = if path == CTE { "cte" } else { "mdfe" };
                bare.replacen('>', &format!(" xmlns=\"http://www.portalfiscal.inf.br/{space}\">"), 1)
            };
            assert_eq!(right(&app, &bare).await[0], expected[0]);
            let printed = ask(&app, PRINT, &bare).await;
            assert!(printed.text_at("/pdf_base64") == drawn(&bare, false), "{path}");
            assert_ne!(drawn(&bare, false), drawn(&xml, false));
            // The account knows that it was cancelled, the file does not.
            let reason = json!({ "ref": id, "justificativa": "O transporte não foi contratado" });
            let cancelled = app.post(cancel, &reason).await;
            assert_eq!(cancelled.status, 200, "{}", cancelled.text);
            let printed = ask(&app, PRINT, &xml).await;
            assert!(printed.text_at("/pdf_base64") == drawn(&xml, true), "{path}");
            let event = app.get(cancelled.text_at("/evento/links/xml")).await.text;
            let [kind, model, layout, _] = right(&app, &event).await;
            let [wanted, name] = if path == CTE { ["evento_cte", "eventoCTe-110111"] } else { ["evento_mdfe", "eventoMDFe-110111"] };
            assert_eq!([kind, model, layout], [json!(wanted), json!(expected[1]), json!(name)]);
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_was_read_can_be_issued(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for (path, body) in [(CTE, cte()), (MDFE, mdfe())] {
            let (_, _, xml) = issued(&app, path, &body).await;
            let parsed = ask(&app, PARSE, &xml).await;
            let asked = body.as_object().expect("a body");
            // What a request of its kind has members for.
            let mut request: Value = parsed.body.clone();
            request.as_object_mut().expect("an object").retain(|name, _| asked.contains_key(name));
            if path == MDFE {
                request["veiculo"]["placa"] = json!(tests::bodies::plate());
            }
            let (_, _, again) = issued(&app, path, &request).await;
            let plain = |xml: &str| {
                let (_, rest) = xml.split_once("<emit>").expect("an emitter");
                let (content, _) = rest.split_once("<infRespTec>").or_else(|| rest.split_once("Supl>")).expect("an end");
                let plates = content.split("<placa>").map(|part| part.get(7..).unwrap_or_default());
                plates.collect::<String>()
            };
            assert_eq!(plain(&again), plain(&xml));
        }
    }
}

on_sqlite! {
    async fn events_are_judged_by_their_own_layout(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let (id, ..) = issued(&app, CTE, &cte()).await;
        let letter = json!({ "ref": id, "correcoes": [{ "grupo": "infCarga", "campo": "proPred", "valor": "Café moído" }] });
        let letter = app.post("/api/v1/cte/cce", &letter).await;
        let letter = app.get(letter.text_at("/evento/links/xml")).await.text;
        assert_eq!(right(&app, &letter).await[2], "eventoCTe-110110");
        let (id, ..) = issued(&app, MDFE, &mdfe()).await;
        let driver = json!({ "ref": id, "nome": "Outro Motorista", "cpf": "11144477735" });
        let driver = app.post("/api/v1/mdfe/incluir-condutor", &driver).await;
        let driver = app.get(driver.text_at("/evento/links/xml")).await.text;
        assert_eq!(right(&app, &driver).await[2], "eventoMDFe-110114");
        let closed = app.post("/api/v1/mdfe/encerrar", &json!({ "ref": id, "uf": "PR", "codigo_ibge": "4106902" })).await;
        let closed = app.get(closed.text_at("/evento/links/xml")).await.text;
        assert_eq!(right(&app, &closed).await, ["evento_mdfe", "58", "eventoMDFe-110112", "moc-mdfe-3.00b"].map(|word| json!(word)));
        let (later, ..) = issued(&app, MDFE, &mdfe_loaded_later()).await;
        let body = json!({
            "ref": later, "codigo_ibge_carregamento": BELO_HORIZONTE, "codigo_ibge_descarga": "3170206",
            "chaves": ["31261111222333000181550010000000071314159266"]
        });
        let added = app.post("/api/v1/mdfe/incluir-dfe", &body).await;
        let added = app.get(added.text_at("/evento/links/xml")).await.text;
        assert_eq!(right(&app, &added).await[2], "eventoMDFe-110115");
        // What the event says is judged by the layout of its kind.
        let other = ask(&app, JUDGE, &closed.replacen("<cMun>4106902", "<cMun>410690", 1)).await;
        let errors = other.body["erros"].as_array().expect("errors");
        assert!(errors.iter().any(|error| error["tipo"] == "schema" && error["caminho"].as_str().is_some_and(|path| path.contains("evEncMDFe/cMun"))), "{}", other.text);
        let other = ask(&app, JUDGE, &closed.replacen("<cUF>41", "<cUF>42", 1)).await;
        assert_eq!(codes(&other, "erros"), ["297", "614"], "{}", other.text);
        // An event is no document that is read or printed.
        for path in [PARSE, PRINT] {
            let refused = ask(&app, path, &closed).await;
            assert_refusal(&refused, "422 documento_nao_suportado");
            assert!(refused.text_at("/mensagem").contains("evento de MDF-e"), "{}", refused.text);
        }
    }
}

on_sqlite! {
    async fn a_modal_is_judged_by_its_own_layout(app: TestApp) {
        app.release(&app.account_id).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let (_, _, xml) = issued(&app, CTE, &cte()).await;
        let spoilt = xml.replacen("<RNTRC>12345678", "<RNTRC>1234", 1);
        assert_ne!(spoilt, xml);
        let judged = ask(&app, JUDGE, &spoilt).await;
        charged(&judged);
        let place = judged.text_at("/erros/0/caminho");
        assert!(place.ends_with("rodo/RNTRC") && judged.text_at("/erros/0/tipo") == "schema", "{}", judged.text);
        let spoilt = xml.replacen("<modal>01", "<modal>02", 1);
        let judged = ask(&app, JUDGE, &spoilt).await;
        assert_eq!(codes(&judged, "erros"), ["297", "580"], "{}", judged.text);
        // The rules that found it are in the list of rules.
        let listed = app.get("/api/v1/fiscal/regras?modelo=57&q=modal&limite=100").await;
        let rows = listed.body["itens"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["codigo"] == "580").expect("the rule");
        assert_eq!((&row["julga"], &row["documento"]), (&json!(["cte"]), &json!("MOC CT-e 4.00, anexo I")), "{row}");
    }
}

/// Something that is refused by all three, with what the message names.
const REFUSED: [(&str, &str, &str); 8] = [
    (
        "<CTeOS xmlns=\"http://www.portalfiscal.inf.br/cte\"/>",
        "422 documento_nao_suportado",
        "CT-e OS",
    ),
    (
        "<cteSimpProc xmlns=\"http://www.portalfiscal.inf.br/cte\"><CTeSimp/></cteSimpProc>",
        "422 documento_nao_suportado",
        "CT-e simplificado",
    ),
    (
        "<GTVe xmlns=\"http://www.portalfiscal.inf.br/cte\"/>",
        "422 documento_nao_suportado",
        "GTV-e",
    ),
    (
        "<consStatServCTe xmlns=\"http://www.portalfiscal.inf.br/cte\"/>",
        "422 documento_nao_suportado",
        "mensagem do CT-e",
    ),
    (
        "<CTe><infCte/></CTe>",
        "422 xml_malformado",
        "não tem espaço de nomes; o do CT-e é xmlns=\"http://www.portalfiscal.inf.br/cte\"",
    ),
    (
        "<MDFe xmlns=\"http://www.portalfiscal.inf.br/cte\"/>",
        "422 xml_malformado",
        "o do MDF-e é xmlns=\"http://www.portalfiscal.inf.br/mdfe\"",
    ),
    (
        "<a xmlns=\"http://www.portalfiscal.inf.br/cte\"><CTe><infCte/></CTe><CTe><infCte/></CTe></a>",
        "422 xml_malformado",
        "mais de um",
    ),
    (
        "<cteProc xmlns=\"http://www.portalfiscal.inf.br/cte\"><CTe><infCte>",
        "422 xml_malformado",
        "",
    ),
];

on_sqlite! {
    async fn what_is_not_one_document_is_refused_and_free(app: TestApp) {
        for (xml, refusal, named) in REFUSED {
            for path in [PARSE, PRINT, JUDGE] {
                let answer = ask(&app, path, xml).await;
                assert_refusal(&answer, refusal);
                assert!(answer.text_at("/mensagem").contains(named), "{path} {xml}: {}", answer.text);
            }
        }
        let both = "<a><CTe xmlns=\"http://www.portalfiscal.inf.br/cte\"/><MDFe xmlns=\"http://www.portalfiscal.inf.br/mdfe\"/></a>";
        for path in [PARSE, PRINT] {
            let answer = ask(&app, path, both).await;
            assert_refusal(&answer, "422 xml_malformado");
            assert!(answer.text_at("/mensagem").contains("mais de uma espécie"), "{}", answer.text);
            assert!(answer.text_at("/dica").contains("CTe ou cteProc"), "{}", answer.text);
        }
        // A layout whose rules are not here is not judged by those of another.
        let old = "<CTe xmlns=\"http://www.portalfiscal.inf.br/cte\"><infCte versao=\"3.00\"/></CTe>";
        let answer = ask(&app, JUDGE, old).await;
        assert_refusal(&answer, "422 documento_nao_suportado");
        assert!(answer.text_at("/mensagem").contains("leiaute 3.00"), "{}", answer.text);
        let huge = format!("<CTe xmlns=\"http://www.portalfiscal.inf.br/cte\"><!--{}--></CTe>", "a".repeat(9 * 1024 * 1024));
        for path in [PARSE, PRINT, JUDGE] {
            assert_refusal(&ask(&app, path, &huge).await, "422 xml_malformado");
        }
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_note_beside_a_manifest_is_two_documents(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let (.., note) = issued(&app, "/api/v1/nfe", &nfe()).await;
        let before = app.balance().await;
        let both = format!("<a>{note}<MDFe xmlns=\"http://www.portalfiscal.inf.br/mdfe\"/></a>");
        for path in [PARSE, PRINT] {
            assert_refusal(&ask(&app, path, &both).await, "422 xml_malformado");
        }
        assert_eq!(app.balance().await, before);
    }
}
