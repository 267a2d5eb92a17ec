use gate::error::suggest::meant;
use serde_json::{Value, json};

/// A schema as the document has them: references, alternatives, lists.
fn schema() -> Value {
    json!({
        "properties": {
            "emitente_id": {},
            "ref": {},
            "itens": { "type": "array", "items": { "$ref": "#/$defs/Item" } },
            "destinatario": { "anyOf": [{ "$ref": "#/$defs/Party" }, { "type": "null" }] }
        },
        "$defs": {
            "Item": {
                "allOf": [{ "$ref": "#/$defs/Prices" }],
                "properties": { "ncm": {}, "quantidade": {}, "lotes": { "items": { "properties": { "validade": {} } } } }
            },
            "Prices": { "properties": { "valor_unitario": {}, "desconto": {} } },
            "Party": { "properties": { "nome": {}, "documento": {}, "ie": {}, "outra": { "$ref": "#/$defs/Party" } } }
        }
    })
}

#[test]
fn a_slip_leads_to_the_member() {
    let schema = schema();
    for (sent, right) in [
        ("emitente", Some("emitente_id")),
        ("emitenteId", Some("emitente_id")),
        ("emitente-id", Some("emitente_id")),
        ("emitent_id", Some("emitente_id")),
        ("itens[0].quantidad", Some("quantidade")),
        ("itens[12].qauntidade", Some("quantidade")),
        ("itens[0].valorUnitario", Some("valor_unitario")),
        ("itens[0].nmc", Some("ncm")),
        ("itens[0].NCM", Some("ncm")),
        ("itens[0].lotes[1].validad", Some("validade")),
        ("destinatario.nomme", Some("nome")),
        ("destinatario.outra.documeto", Some("documento")),
        ("destinatario.qualquer", None),
        ("nada.nome", None),
        ("", None),
    ] {
        assert_eq!(meant(&schema, sent), right, "{sent}");
    }
}

#[test]
fn names_of_other_services_lead_to_ours() {
    let schema = schema();
    for (sent, right) in [
        ("nota_id", Some("ref")),
        ("cnpj_emitente", Some("emitente_id")),
        ("destinatario.cnpj", Some("documento")),
        ("destinatario.razao_social", Some("nome")),
        ("destinatario.inscricao_estadual", Some("ie")),
        ("itens[0].codigo_ncm", Some("ncm")),
        ("itens[0].quantidade_comercial", Some("quantidade")),
        ("produtos", Some("itens")),
        // The place has no member that is meant.
        ("itens[0].cnpj", None),
    ] {
        assert_eq!(meant(&schema, sent), right, "{sent}");
    }
}

#[test]
fn a_schema_that_refers_to_itself_ends() {
    let schema = json!({ "$ref": "#/$defs/A", "$defs": { "A": { "anyOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/A" }] } } });
    assert_eq!(meant(&schema, "nome"), None);
    assert_eq!(meant(&schema, &"a".repeat(100_000)), None);
}
