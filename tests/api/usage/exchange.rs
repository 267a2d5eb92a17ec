//! The exchange of a call with the authority: it tells what is technical, and
//! nothing of the note.

use super::call;
use crate::common::{BELO_HORIZONTE, ask_as, assert_refusal, cnpj, stranger};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use sim::{Fault, FaultKind, When};
use tests::bodies::{nfe, nfse, with};
use tests::{Answer, TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
/// Generated, like all of these.
const CPF: &str = "52998224725";
const NAME: &str = "Zuleica Quaresma Modelo";
const STREET: &str = "Travessa das Palmeiras Imaginárias";
const EMAIL: &str = "zuleica@modelo.example";

/// Elements that are shown, or whose value may stand there for another reason.
const SHOWN: &[&str] = &[
    "cStat",
    "xMotivo",
    "verAplic",
    "nProt",
    "dhRecbto",
    "dhProc",
    "dhEmi",
    "dhEvento",
    "dhRegEvento",
    "dhSaiEnt",
    // The day of the test itself.
    "dCompet",
    "descEvento",
    "xEvento",
    "tpEvento",
];

fn people(body: Value, party: &str) -> Value {
    let body = with(body, &format!("/{party}/cpf_cnpj"), CPF);
    let body = with(body, &format!("/{party}/nome"), NAME);
    let body = with(body, &format!("/{party}/email"), EMAIL);
    with(body, &format!("/{party}/endereco/logradouro"), STREET)
}

/// No text of the document, nor of the note's parts, is anywhere in the answer.
fn assert_hidden(told: &Answer, xml: &str) {
    let exchange = told.body["troca"].to_string();
    let mut values: Vec<String> = [
        CPF,
        CNPJ,
        NAME,
        "Zuleica",
        STREET,
        "Palmeiras",
        EMAIL,
        "Avenida Central",
        "0623079040081",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut certificates = 0;
    for part in xml.split('<') {
        let Some((tag, text)) = part.split_once('>') else {
            continue;
        };
        let name = tag.split([' ', ':']).next().unwrap_or_default();
        if text.trim().chars().count() >= 5 && !SHOWN.contains(&name) {
            certificates += usize::from(name == "X509Certificate");
            values.push(text.trim().to_owned());
        }
    }
    assert!(values.len() > 30, "the document was read: {xml}");
    assert!(certificates > 0, "and its signature: {xml}");
    for value in values {
        let escaped = value.replace('"', "\\\"");
        assert!(
            !exchange.contains(&value) && !exchange.contains(&escaped),
            "{value} in {exchange}"
        );
        assert!(
            value.len() < 8
                || !told.text.contains(&value)
                || told.text_at("/nota_id").contains(&value),
            "{value} in {}",
            told.text
        );
    }
    for word in ["@@hub", "senha", "authorization", "Bearer", "svc_"] {
        assert!(!exchange.contains(word), "{word} in {exchange}");
    }
}

fn order(app: &TestApp, operation: &str, failure: Fault) {
    let when = When {
        operacao: Some(operation.to_owned()),
        vezes: Some(1),
        ..When::default()
    };
    assert!(app.app.simulator.sim.add_fault(Fault {
        quando: when,
        ..failure
    }));
}

both! {
    async fn a_product_note_shows_its_exchange_and_nothing_of_itself(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfe", &people(nfe(), "destinatario")).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let told = call(&app, note.text_at("/request_id")).await;
        let exchange = &told.body["troca"];
        assert_eq!((exchange["situacao"].as_str(), exchange["omitidas"].as_i64()), (Some("registrada"), Some(0)), "{exchange}");
        let items = exchange["itens"].as_array().expect("exchanges");
        assert_eq!(items.len(), 1, "{exchange}");
        assert_eq!((&items[0]["metodo"], &items[0]["status"], &items[0]["simulada"]), (&json!("POST"), &json!(200), &json!(true)));
        assert!(told.text_at("/troca/itens/0/host").ends_with(".gov.br"), "{exchange}");
        assert!(items[0]["duracao_ms"].as_i64().is_some_and(|took| took >= 0), "{exchange}");
        for side in ["requisicao", "resposta"] {
            let pointer = exchange[format!("{side}_link")].as_str().and_then(|link| link.split_once('#')).expect("a link").1;
            assert_eq!(told.body.pointer(pointer), Some(&items[0][side]["corpo"]));
            assert!(told.text_at(&format!("/troca/itens/0/{side}/tipo")).contains("xml"), "{exchange}");
            assert!(items[0][side]["bytes"].as_i64().is_some_and(|bytes| bytes > 100), "{exchange}");
        }
        let (sent, came) = (told.text_at("/troca/itens/0/requisicao/corpo"), told.text_at("/troca/itens/0/resposta/corpo"));
        for part in ["<enviNFe", "<indSinc>1</indSinc>", "<infNFe", "<CPF>•••</CPF>", "<xNome>•••</xNome>", "<vNF>•••</vNF>", "<mod>55</mod>"] {
            assert!(sent.contains(part), "{part}: {sent}");
        }
        for part in ["<cStat>100</cStat>", "<xMotivo>Autorizado o uso da NF-e</xMotivo>", "<digVal>•••</digVal>", "<tpAmb>"] {
            assert!(came.contains(part), "{part}: {came}");
        }
        let xml = app.get(&format!("/api/v1/documentos/{}/xml?formato=binario", note.text_at("/nota_id"))).await;
        assert_hidden(&told, &xml.text);

        // An authority that repeats what it was told.
        let sentence = format!("Rejeicao: {} (CPF 529.982.247-25) mora na {}", NAME.to_uppercase(), STREET.to_uppercase());
        order(&app, "autorizar", Fault { falha: FaultKind::Recusar, codigo: Some("778".to_owned()), mensagem: Some(sentence), ..Fault::default() });
        let refused = app.post("/api/v1/nfe", &people(nfe(), "destinatario")).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        let told = call(&app, refused.text_at("/request_id")).await;
        let came = told.text_at("/troca/itens/0/resposta/corpo");
        assert!(came.contains("<cStat>778</cStat>") && came.contains("Rejeicao: ••• (CPF •••) mora na •••"), "{came}");

        let body = json!({ "ref": note.text_at("/nota_id"), "justificativa": format!("{NAME} desistiu da compra") });
        let cancelled = app.post("/api/v1/nfe/cancelar", &body).await;
        assert_eq!(cancelled.status, 200, "{}", cancelled.text);
        let told = call(&app, cancelled.text_at("/request_id")).await;
        let (sent, came) = (told.text_at("/troca/itens/0/requisicao/corpo"), told.text_at("/troca/itens/0/resposta/corpo"));
        assert!(sent.contains("<xJust>•••</xJust>") && sent.contains("<tpEvento>110111</tpEvento>"), "{sent}");
        assert!(came.contains("<cStat>135</cStat>"), "{came}");
        let xml = app.get(&format!("/api/v1/documentos/{}/xml?formato=binario", note.text_at("/nota_id"))).await;
        assert_hidden(&told, &xml.text);
        // Its own exchanges, not the note's.
        assert_eq!(told.body["troca"]["itens"].as_array().map(Vec::len), Some(1), "{}", told.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_service_note_shows_its_exchange_and_nothing_of_itself(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &people(nfse(), "tomador")).await;
        assert_eq!(note.status, 201, "{}", note.text);
        let told = call(&app, note.text_at("/request_id")).await;
        let (sent, came) = (told.text_at("/troca/itens/0/requisicao/corpo"), told.text_at("/troca/itens/0/resposta/corpo"));
        assert_eq!((told.text_at("/troca/itens/0/requisicao/tipo"), &told.body["troca"]["itens"][0]["status"]), ("application/json", &json!(201)));
        for part in ["\"dpsXmlGZipB64\": \"[XML 1]\"", "<infDPS", "<CPF>•••</CPF>", "<xNome>•••</xNome>", "<vServ>•••</vServ>", "<Signature>[assinatura]</Signature>"] {
            assert!(sent.contains(part), "{part}: {sent}");
        }
        for part in ["\"nfseXmlGZipB64\": \"[XML 1]\"", "\"chaveAcesso\": \"310620•••", "<infNFSe", "<cStat>100</cStat>", "<xDescServ>•••</xDescServ>"] {
            assert!(came.contains(part), "{part}: {came}");
        }
        let file = app.get(&format!("/api/v1/nfse/{}/documento?formato=xml", note.text_at("/nota_id"))).await;
        let xml = STANDARD.decode(file.text_at("/base64")).expect("base64");
        assert_hidden(&told, &String::from_utf8(xml).expect("text"));

        let refused = with(people(nfse(), "tomador"), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        let refused = app.post("/api/v1/nfse", &refused).await;
        let told = call(&app, refused.text_at("/request_id")).await;
        let came = told.text_at("/troca/itens/0/resposta/corpo");
        assert!(came.contains("\"E0713\"") && came.contains("pTotTribSN não cabe"), "{came}");
        assert_eq!(told.body["troca"]["itens"][0]["status"], 400);
        app.check_invariants().await;
    }
}

both! {
    async fn what_was_lost_or_not_kept_is_told_plainly(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        order(&app, "autorizar", Fault { falha: FaultKind::CortarDepois, ..Fault::default() });
        let note = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let told = call(&app, note.text_at("/request_id")).await;
        let items = told.body["troca"]["itens"].as_array().expect("exchanges");
        assert_eq!((&items[0]["falha"], &items[0]["pode_ter_chegado"], &items[0]["resposta"]), (&json!("conexao_encerrada"), &json!(true), &Value::Null));
        assert!(items.len() >= 2 && items[1]["status"] == 200, "the question: {}", told.text);
        assert!(told.text_at("/troca/resposta_link").contains("/itens/1/"), "{}", told.text);

        let draft = app.post("/api/v1/nfe/criar", &nfe()).await;
        assert_eq!(call(&app, draft.text_at("/request_id")).await.body["troca"], Value::Null);
        let status = app.get("/api/v1/nfe/autorizador/status?uf=MG").await;
        assert_eq!(call(&app, status.text_at("/request_id")).await.text_at("/troca/situacao"), "nao_registrada");
        // A page of a front end is not shown, whatever is in it.
        order(&app, "autorizar", Fault { falha: FaultKind::Html, ..Fault::default() });
        let refused = app.post("/api/v1/nfe", &nfe()).await;
        let told = call(&app, refused.text_at("/request_id")).await;
        let page = &told.body["troca"]["itens"][0]["resposta"];
        assert!(page["tipo"].as_str().is_some_and(|kind| kind.starts_with("text/html")), "{page}");
        assert!(page["bytes"].as_i64().is_some_and(|bytes| bytes > 0) && page["corpo"].is_null(), "{page}");
    }
}

on_sqlite! {
    async fn only_who_sees_the_note_sees_its_exchange(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfe", &nfe()).await;
        let path = format!("/api/v1/usage/chamadas/{}", note.text_at("/request_id"));
        call(&app, note.text_at("/request_id")).await;
        let other = stranger(&app).await;
        assert_refusal(&ask_as(&app, &other.live_key, Method::GET, &path, None).await, "404 nao_encontrado");
        // The world of tests does not see production, nor the other way round.
        let told = ask_as(&app, &app.test_key, Method::GET, &path, None).await;
        assert_eq!((told.text_at("/troca/situacao"), &told.body["troca"]["itens"]), ("outro_ambiente", &json!([])));
        let simulated = app.post_as(&app.test_key, "/api/v1/nfse", &nfse(), None).await;
        let path = format!("/api/v1/usage/chamadas/{}", simulated.text_at("/request_id"));
        let told = ask_as(&app, &app.test_key, Method::GET, &path, None).await;
        assert_eq!(told.text_at("/troca/situacao"), "registrada", "{}", told.text);
        assert_eq!(app.get(&path).await.text_at("/troca/situacao"), "outro_ambiente");
    }
}
