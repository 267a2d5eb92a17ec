//! What a body may be: how large, of which form, and what stands in it.

use crate::common::{BELO_HORIZONTE, assert_refusal, cnpj};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tests::bodies::{nfe, nfse, with};
use tests::{Answer, TestApp, on_sqlite};

const NFE: &str = "/api/v1/nfe";
const MIB: usize = 1 << 20;

async fn send(app: &TestApp, path: &str, media: &str, body: Vec<u8>) -> Answer {
    let request = app
        .http()
        .post(format!("{}{path}", app.base_url))
        .bearer_auth(&app.live_key)
        .header("content-type", media)
        .body(body);
    app.send(request).await
}

on_sqlite! {
    async fn a_misspelt_member_leads_to_the_right_one(app: TestApp) {
        for (path, body, sent, right) in [
            (NFE, with(nfe(), "/itens/0/quantidad", json!(1)), "itens[0].quantidad", "quantidade"),
            (NFE, with(nfe(), "/emitenteId", json!("emi_1")), "emitenteId", "emitente_id"),
            ("/api/v1/nfse", with(nfse(), "/cnpj_prestador", json!("11222333000181")), "cnpj_prestador", "emitente_id"),
            ("/api/v1/nfse/cancelar", json!({ "nota_id": "nfse_1", "justificativa": "Erro na emissão" }), "nota_id", "ref"),
        ] {
            let answer = app.post(path, &body).await;
            assert_eq!(answer.status, 400, "{path}: {}", answer.text);
            let fields = answer.body["campos"].as_array().expect("errors");
            let field = fields.iter().find(|field| field["campo"] == sent);
            let field = field.unwrap_or_else(|| panic!("{sent}: {}", answer.text));
            assert_eq!(field["correcao"], format!("Você quis dizer {right}? Se não, retire o campo."), "{}", answer.text);
        }
    }
}

on_sqlite! {
    async fn a_file_may_be_larger_than_other_bodies(app: TestApp) {
        app.emitter(&cnpj("11222333"), BELO_HORIZONTE).await;
        let note = app.post(NFE, &nfe()).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let id = note.text_at("/nota_id");
        let file = app.get(&format!("/api/v1/documentos/{id}/xml")).await;
        let mut xml = STANDARD.decode(file.text_at("/base64")).expect("base64");
        // Space after the document is still the same document.
        xml.resize(xml.len() + 3 * MIB / 2, b'\n');
        for path in ["/api/v1/nfe/parse", "/api/v1/nfe/danfe-xml", "/api/v1/fiscal/xml/validar"] {
            let bare = send(&app, path, "application/xml", xml.clone()).await;
            assert_eq!(bare.status, 200, "{path}: {}", bare.text);
            let coded = app.post(path, &json!({ "xml_base64": STANDARD.encode(&xml) })).await;
            assert_eq!(coded.status, 200, "{path}: {}", coded.text);
        }
        let file = app.get(&format!("/api/v1/documentos/{id}/danfe")).await;
        let mut pdf = STANDARD.decode(file.text_at("/base64")).expect("base64");
        // A comment, before the end of the file that readers look for.
        let header = pdf.iter().position(|byte| *byte == b'\n').expect("a header line") + 1;
        let mut large = pdf[..header].to_vec();
        large.push(b'%');
        large.resize(large.len() + 3 * MIB / 2, b'x');
        large.push(b'\n');
        large.append(&mut pdf.split_off(header));
        for answer in [
            send(&app, "/api/v1/nfe/danfe/ler", "application/pdf", large.clone()).await,
            app.post("/api/v1/nfe/danfe/ler", &json!({ "pdf_base64": STANDARD.encode(&large) })).await,
        ] {
            assert_eq!(answer.text_at("/chave"), note.text_at("/chave"), "{}", answer.text);
        }
        // Beyond the file's own limit, in either form.
        let limit = app.get("/api/v1/conta").await.body["limites"]["arquivos_bytes"].as_u64().expect("a limit");
        xml.resize(usize::try_from(limit).expect("small") + 1, b'\n');
        let bare = send(&app, "/api/v1/nfe/parse", "application/xml", xml.clone()).await;
        assert_refusal(&bare, "413 corpo_grande_demais");
        let coded = app.post("/api/v1/nfe/parse", &json!({ "xml_base64": STANDARD.encode(&xml) })).await;
        assert_refusal(&coded, "413 corpo_grande_demais");
        // All others keep theirs.
        let body = with(nfe(), "/informacoes_complementares", "x".repeat(MIB));
        assert_refusal(&app.post(NFE, &body).await, "413 corpo_grande_demais");
    }
}

on_sqlite! {
    async fn compressed_bodies_are_refused_as_such(app: TestApp) {
        for path in [NFE, "/api/v1/nfe/parse"] {
            let request = app
                .http()
                .post(format!("{}{path}", app.base_url))
                .bearer_auth(&app.live_key)
                .header("content-type", "application/json")
                .header("content-encoding", "gzip")
                .body(vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            assert_refusal(&app.send(request).await, "415 midia_invalida");
        }
        let plain = app
            .http()
            .post(format!("{}{NFE}", app.base_url))
            .bearer_auth(&app.live_key)
            .header("content-type", "application/json")
            .header("content-encoding", "identity")
            .body("{}");
        assert_ne!(app.send(plain).await.status, 415);
    }
}

/// The one field an answer names.
fn field(answer: &Answer) -> (&str, &str) {
    (
        answer.text_at("/campos/0/campo"),
        answer.text_at("/campos/0/mensagem"),
    )
}

on_sqlite! {
    async fn a_list_is_no_object(app: TestApp) {
        app.emitter(&cnpj("11222333"), BELO_HORIZONTE).await;
        for (pointer, value, place) in [
            ("/transporte", json!([]), "transporte"),
            ("/destinatario/endereco", json!(["30140071", "Rua da Bahia", "1000"]), "destinatario.endereco"),
            ("/itens/0/impostos", json!([]), "itens[0].impostos"),
            ("/pagamentos/0/cartao", json!([null]), "pagamentos[0].cartao"),
            ("/itens/0", json!(["SKU1"]), "itens[0]"),
        ] {
            let mut body = nfe();
            if pointer == "/itens/0" {
                body["itens"][0] = value;
            } else {
                body = with(body, pointer, value);
            }
            let answer = app.post(NFE, &body).await;
            assert_refusal(&answer, "400 parametro_invalido");
            assert_eq!(field(&answer), (place, "Tipo inválido: lista, esperado objeto"), "{}", answer.text);
        }
        let answer = app.post("/api/v1/nfse", &with(nfse(), "/valores/iss", json!([2]))).await;
        assert_refusal(&answer, "400 parametro_invalido");
        assert_eq!(field(&answer).0, "valores.iss");
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn a_null_is_absent_only_where_the_member_is_known(app: TestApp) {
        app.emitter(&cnpj("11222333"), BELO_HORIZONTE).await;
        let answer = app.post("/api/v1/nfse", &with(with(nfse(), "/zz", Value::Null), "/servico/yy", Value::Null)).await;
        assert_refusal(&answer, "400 campo_desconhecido");
        let mut named: Vec<&str> = answer.body["campos"].as_array().expect("campos").iter().filter_map(|field| field["campo"].as_str()).collect();
        named.sort_unstable();
        assert_eq!(named, ["servico.yy", "zz"], "{}", answer.text);
        let answer = app.post(NFE, &with(with(nfe(), "/zz", Value::Null), "/itens/0/cfop", Value::Null)).await;
        assert_refusal(&answer, "400 campo_desconhecido");
        assert_eq!(field(&answer).0, "zz", "{}", answer.text);
        assert_eq!(answer.body["campos"].as_array().map(Vec::len), Some(1));
        let body = with(with(nfse(), "/referencia", Value::Null), "/tomador/email", Value::Null);
        let answer = app.post("/api/v1/nfse", &body).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn amounts_in_text_are_plain_digits(app: TestApp) {
        app.emitter(&cnpj("11222333"), BELO_HORIZONTE).await;
        for text in ["2_0", "1_8.9_0", "+1", "1e5", ".5", "1."] {
            let answer = app.post(NFE, &with(nfe(), "/itens/0/quantidade", text)).await;
            assert_refusal(&answer, "400 parametro_invalido");
            assert_eq!(field(&answer).0, "itens[0].quantidade", "{}", answer.text);
            let answer = app.post("/api/v1/nfse", &with(nfse(), "/valores/servico", text)).await;
            assert_refusal(&answer, "400 parametro_invalido");
            assert_eq!(field(&answer).0, "valores.servico", "{}", answer.text);
            let query = text.replace('+', "%2B");
            let answer = app.get(&format!("{NFE}?valor_min={query}")).await;
            assert_refusal(&answer, "400 parametro_invalido");
        }
        let answer = app.post(NFE, &with(nfe(), "/itens/0/quantidade", "2.00")).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
    }
}

on_sqlite! {
    async fn refusals_of_files_speak_portuguese(app: TestApp) {
        for (path, media, body, message) in [
            ("/api/v1/nfe/parse", "application/xml", "<?xml version=\"1.0\"?><!DOCTYPE a><a/>", "O XML não pode ter DTD nem declarações de marcação (byte 21)."),
            ("/api/v1/nfe/danfe-xml", "application/xml", "<?xml version=\"1.0\"?><!DOCTYPE a><a/>", "O XML não pode ter DTD nem declarações de marcação (byte 21)."),
            ("/api/v1/fiscal/xml/validar", "application/xml", "<a><b></a>", "O XML não está bem formado (byte 6)."),
            ("/api/v1/nfe/parse", "application/xml", "<a/>", "O documento não tem NFe no espaço de nomes da NF-e."),
            ("/api/v1/nfe/danfe-xml", "application/xml", "<a/>", "O XML não tem uma NF-e ou NFC-e."),
            ("/api/v1/nfe/danfe/ler", "application/pdf", "olá", "O arquivo não é um PDF que se possa ler."),
        ] {
            let answer = send(&app, path, media, body.as_bytes().to_vec()).await;
            assert_eq!((answer.status / 100, answer.text_at("/mensagem")), (4, message), "{path}: {}", answer.text);
        }
        let answer = app.post(NFE, &with(nfe(), "/natureza_operacao", 5.25)).await;
        assert_eq!(field(&answer).1, "Tipo inválido: número, esperado texto", "{}", answer.text);
    }
}

on_sqlite! {
    async fn an_operation_with_a_body_knows_its_query(app: TestApp) {
        let before = app.balance().await;
        let cpf = json!({ "numero": "52998224725" });
        for path in ["/api/v1/validate/cpf?zzz=1", "/api/v1/nfe?qrpng=1"] {
            assert_refusal(&app.post(path, &cpf).await, "400 campo_desconhecido");
        }
        assert_eq!(app.balance().await, before, "a refusal is free");
        let tolerant = app.post("/api/v1/validate/cpf?zzz=1&tolerante=1", &cpf).await;
        assert_eq!(tolerant.status, 200, "{}", tolerant.text);
    }
}
