//! GET /api/v1/nfse/{ref}/documento and /api/v1/documentos/{ref}/xml

use crate::common::{BELO_HORIZONTE, assert_refusal, cnpj};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tests::bodies::nfse;
use tests::on_sqlite;

on_sqlite! {
    async fn the_xml_is_the_authoritys_own(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let (id, chave) = (note.text_at("/nota_id"), note.text_at("/chave"));
        let issued = app.app.simulator.sim.notas().pop().expect("a note");
        assert_eq!(issued.chave.as_deref(), Some(chave));
        for path in [
            format!("/api/v1/nfse/{id}/documento?formato=xml"),
            format!("/api/v1/nfse/{chave}/documento?formato=xml"),
            format!("/api/v1/documentos/{id}/xml"),
            format!("/api/v1/documentos/{chave}/xml?formato=base64"),
        ] {
            let answer = app.get(&path).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            assert_eq!(answer.text_at("/tipo"), "application/xml");
            assert_eq!(answer.text_at("/sha256").len(), 64);
            assert!(answer.text_at("/nome_arquivo").ends_with(".xml"));
            let bytes = STANDARD.decode(answer.text_at("/base64")).expect("base64");
            assert!(bytes == issued.xml.as_bytes(), "{path}: not the same bytes");
        }
        for path in [format!("/api/v1/nfse/{id}/documento?formato=xml&binario=1"), format!("/api/v1/documentos/{id}/xml?formato=binario")] {
            let answer = app.get(&path).await;
            assert_eq!(answer.header("content-type"), "application/xml");
            assert!(answer.text == issued.xml, "{path}: not the same bytes");
        }
    }
}

on_sqlite! {
    async fn the_pdf_is_a_pdf(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let id = note.text_at("/nota_id");
        for query in ["", "?formato=pdf"] {
            let answer = app.get(&format!("/api/v1/nfse/{id}/documento{query}")).await;
            assert_eq!(answer.text_at("/tipo"), "application/pdf", "{}", answer.text);
            let bytes = STANDARD.decode(answer.text_at("/base64")).expect("base64");
            assert!(bytes.starts_with(b"%PDF"), "{query}");
        }
        let binary = app.get(&format!("/api/v1/nfse/{id}/documento?binario=1")).await;
        assert_eq!(binary.header("content-type"), "application/pdf");
        assert!(binary.text.starts_with("%PDF"));
    }
}

on_sqlite! {
    async fn there_is_no_document_before_authorization(app: TestApp) {
        app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        let id = draft.text_at("/nota_id");
        for path in [format!("/api/v1/nfse/{id}/documento"), format!("/api/v1/documentos/{id}/xml")] {
            assert_refusal(&app.get(&path).await, "409 estado_invalido");
            assert_refusal(&app.get(&format!("{path}?formato=docx")).await, "400 parametro_invalido");
            assert_refusal(&app.get(&format!("{path}?tamanho=1")).await, "400 campo_desconhecido");
        }
        assert_refusal(&app.get("/api/v1/nfse/nada/documento").await, "404 nao_encontrado");
    }
}
