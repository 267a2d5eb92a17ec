//! The content of a service note as an adapter reads it.

use fiscal::nfse::dps::Dps;
use serde_json::json;

#[test]
fn a_number_changes_nothing_else_of_a_content() {
    let content = json!({
        "identificacao": { "serie": "900", "numero": 0 },
        "data_emissao": "2026-11-20T10:15:00-03:00",
        "data_competencia": "2026-11-20",
        "codigo_municipio_emissor": "3106200",
        "servico": { "descricao": "Curso de \"ofício\"" },
        "valores": { "servico": 1000.5, "iss": { "aliquota": 2.5 } },
    });
    let mut dps: Dps = serde_json::from_value(content).expect("a content");
    let numbered = dps.numbered(17).expect("JSON");
    assert!(numbered.contains("\"numero\":17"), "{numbered}");
    dps.identificacao.numero = 17;
    assert_eq!(numbered, serde_json::to_string(&dps).expect("JSON"));
}
