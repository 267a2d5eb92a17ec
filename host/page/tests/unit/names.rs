use page::names::{change, fault, operation, request};
use page::parts::{status_of_document, took};
use page::reply::refused_for;
use serde_json::json;

#[test]
fn requests_to_authorities_say_what_they_ask_for() {
    for (name, title) in [
        ("nfeAutorizacaoLote", "Autorização de nota"),
        ("nfeRetAutorizacaoLote", "Resultado da autorização"),
        ("nfeConsultaNF", "Consulta de nota"),
        ("nfeStatusServicoNF", "Situação do autorizador"),
        ("nfeRecepcaoEvento", "Registro de evento"),
        ("nfeInutilizacaoNF", "Inutilização de números"),
        ("nfeDistDFeInteresse", "Busca de notas recebidas"),
        ("cteRecepcao", "Autorização de CT-e"),
        ("cteRecepcaoEvento", "Registro de evento"),
        ("mdfeConsultaMDF", "Consulta de MDF-e"),
        ("mdfeConsNaoEnc", "Consulta de MDF-e não encerrados"),
        ("POST nfse", "Envio de nota"),
        ("GET nfse", "Consulta de nota"),
        ("HEAD dps", "Consulta de nota"),
        ("GET eventos", "Consulta de eventos"),
        ("POST evento", "Registro de evento"),
        ("RecepcionarLoteRps", "Envio de nota"),
        ("ConsultarLoteRps", "Consulta do lote de notas"),
        ("ConsultarNfsePorRps", "Consulta de nota"),
        ("CancelarNfse", "Cancelamento de nota"),
        ("AbrirSessao", "Entrada no sistema da prefeitura"),
    ] {
        assert_eq!(request(name), Some(title), "{name}");
    }
    assert_eq!(request("xyz"), None);
    assert!(fault("timeout").is_some() && fault("nada").is_none());
}

#[test]
fn operations_and_changes_have_names() {
    let named = |id: &str| operation(id).expect(id);
    assert_eq!(named("nfe.create"), "Emite uma NF-e");
    assert_eq!(named("nfe.cce"), "Registra uma carta de correção");
    assert_eq!(named("creditos.compras.create"), "Compra créditos");
    for built in api::built() {
        let name = named(built.operation);
        assert!(
            name.starts_with(char::is_uppercase) && !name.ends_with('.') && !name.contains(": "),
            "{}: {name}",
            built.operation
        );
    }
    assert_eq!(
        change("documento.emitido").as_deref(),
        Some("Documento emitido")
    );
    assert_eq!(
        change("documentos.delete").as_deref(),
        Some("Exclui um rascunho")
    );
    assert_eq!((change("x.y"), operation("x.y")), (None, None));
}

#[test]
fn states_and_times_are_said_for_people() {
    for (model, said) in [("55", ">autorizada<"), ("58", ">autorizado<")] {
        let badge = status_of_document(model, "autorizada").0;
        assert!(
            badge.contains(said) && badge.contains("selo ok"),
            "{model}: {badge}"
        );
    }
    let queue = status_of_document("57", "em_transmissao").0;
    assert!(queue.contains(">em transmissão<"), "{queue}");
    assert_eq!(
        [320, 1_250, 25_000].map(took),
        ["320 ms", "1,2 s", "25 s"].map(str::to_owned)
    );
    let bare = refused_for(&json!({ "codigo": "E0822", "motivo": "" }));
    assert!(bare.is_some_and(|why| why.contains("o código E0822, sem dizer o motivo")));
    let whole = refused_for(&json!({ "codigo": "539", "motivo": "Duplicidade." }));
    assert_eq!(whole.as_deref(), Some("539 Duplicidade."));
    assert_eq!(refused_for(&json!(null)), None);
    // What the authority ends without a period, and what it does not explain, are sentences.
    for (reason, remedy, said) in [
        (
            "Rejeição: NCM inexistente [nItem: 2]",
            "Confira o NCM.",
            "778 Rejeição: NCM inexistente [nItem: 2]. Confira o NCM.",
        ),
        (
            "NCM inexistente.",
            "Confira.",
            "778 NCM inexistente. Confira.",
        ),
        ("NCM inexistente", "", "778 NCM inexistente"),
    ] {
        let refused = json!({ "codigo": "778", "motivo": reason, "correcao": remedy });
        assert_eq!(refused_for(&refused).as_deref(), Some(said));
    }
}
