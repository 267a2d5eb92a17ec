//! The record of an NF-e or NFC-e.

use super::{json_or_null, number, text};
use crate::document::product::Detalhes;
use crate::model::Modelo;
use markup::decimal;
use serde_json::{Map, Value, json};
use store::tables::notas::NotaRow;

/// What the API shows of a product note (api §5.1).
pub fn nota(nota: &NotaRow) -> Map<String, Value> {
    let id = &nota.id;
    // A record is shown without what cannot be read of it; whoever decides by
    // it gets the error.
    let detalhes = Detalhes::of(nota).unwrap_or_else(|error| {
        tracing::error!(nota.id = %nota.id, %error, "a note is shown without its details");
        Detalhes::default()
    });
    let modelo = Modelo::of(nota);
    let exists = matches!(nota.status.as_str(), "autorizada" | "cancelada");
    let numbered = |value: Value| if nota.numero > 0 { value } else { Value::Null };
    let mut record = super::head(nota);
    let mut set = |key: &str, value: Value| {
        record.insert(key.to_owned(), value);
    };
    set(
        "serie",
        nota.serie.parse::<i64>().map_or(Value::Null, Value::from),
    );
    set("numero", numbered(json!(nota.numero)));
    set("chave", text(&nota.chave));
    set("natureza_operacao", text(&detalhes.natureza_operacao));
    set("data_emissao", text(&detalhes.data_emissao));
    set("valor_total", number(&nota.valor));
    set("destinatario", super::outra_parte(nota));
    set("autorizador", text(&nota.sistema));
    set("protocolo", text(&nota.protocolo));
    set("autorizada_em", text(&nota.autorizada_em));
    set("status_sefaz", text(&detalhes.status_sefaz));
    set("mensagem_sefaz", text(&detalhes.mensagem_sefaz));
    set("totais", totais(detalhes.totais));
    set(
        "avisos",
        if detalhes.avisos.is_array() {
            detalhes.avisos
        } else {
            json!([])
        },
    );
    if modelo == Modelo::Nfce {
        set("qr_code", text(&detalhes.qr_code));
        set("url_consulta", text(&detalhes.url_consulta));
    }
    if let Some(impedimento) = detalhes.impedimento.filter(|_| nota.is_open()) {
        set("impedimento", json!(impedimento));
    }
    if nota.status == "rejeitada" && !nota.rejeicao.is_empty() {
        set("rejeicao", json_or_null(&nota.rejeicao));
    }
    let mut links = super::links(id);
    if exists {
        for kind in ["xml", "danfe"] {
            links.insert(
                kind.to_owned(),
                json!(format!("/api/v1/documentos/{id}/{kind}")),
            );
        }
    }
    set("links", Value::Object(links));
    super::dated(&mut record, nota);
    record
}

/// Numbers with cents, as `valor_total` is one; they are kept as texts.
fn totais(mut totais: Value) -> Value {
    for valor in totais.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Some(lido) = valor.as_str().and_then(decimal::ler) {
            *valor = number(&format!("{lido:.2}"));
        }
    }
    totais
}
