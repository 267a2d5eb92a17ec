//! Documents of the store, from all of its time: values that questions can find.

use crate::client::{Client, escaped};
use crate::seeded::Seeded;
use anyhow::Context as _;
use base::when;
use serde_json::Value;

/// Moments at which documents are looked for, and documents of each.
const MOMENTS: u32 = 20;
const EACH: u32 = 10;

/// What a document says; empty: nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    pub id: String,
    pub model: String,
    pub status: String,
    /// Id of its company.
    pub company: String,
    pub chave: String,
    pub serie: String,
    pub number: String,
    pub documento: String,
    pub name: String,
    pub value: String,
    pub reference: String,
    /// When it arrived, epoch milliseconds.
    pub at_ms: i64,
}

/// The first member of one of these names, wherever it stands.
fn found<'v>(value: &'v Value, names: &[&str]) -> Option<&'v Value> {
    let own = value.as_object()?;
    let direct = names
        .iter()
        .find_map(|name| own.get(*name).filter(|found| !found.is_null()));
    direct.or_else(|| own.values().find_map(|inner| found(inner, names)))
}

fn text(value: &Value, names: &[&str]) -> String {
    match found(value, names) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

impl Sample {
    /// Of an item of `GET /documentos`.
    fn of(item: &Value) -> Option<Sample> {
        let party = found(item, &["tomador", "destinatario"]).unwrap_or(&Value::Null);
        let numbered = item
            .get("rps")
            .filter(|rps| rps.is_object())
            .unwrap_or(item);
        Some(Sample {
            id: text(item, &["id"]),
            model: text(item, &["modelo"]),
            status: text(item, &["status"]),
            company: text(item, &["emitente_id"]),
            chave: text(item, &["chave"]),
            serie: text(numbered, &["serie"]),
            number: text(numbered, &["numero"]),
            documento: text(party, &["cpf_cnpj"]),
            name: text(party, &["nome"]),
            value: text(item, &["valor_total", "valor", "servico"]),
            reference: text(item, &["referencia"]),
            at_ms: when::ms(when::parse(item.get("criada_em")?.as_str()?)?),
        })
    }
}

async fn listed(client: &Client, query: &str) -> anyhow::Result<Vec<Sample>> {
    let answer = client.get(&format!("/documentos?{query}")).await?;
    anyhow::ensure!(
        answer.is_good(),
        "GET /documentos?{query}: {}",
        answer.word()
    );
    let body = answer.json();
    let items = body["itens"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    Ok(items.iter().filter_map(Sample::of).collect())
}

/// Documents of moments spread over all of the account's time.
///
/// # Errors
/// The server does not answer, or there are no documents.
pub async fn taken(client: &Client, seeded: &mut Seeded) -> anyhow::Result<Vec<Sample>> {
    let end = async |order: &str| {
        let first = listed(client, &format!("limite=1&ordem={order}")).await?;
        first
            .into_iter()
            .next()
            .context("the account has no documents")
    };
    let (oldest, newest) = (end("criada_em").await?, end("-criada_em").await?);
    let span = u64::try_from(newest.at_ms - oldest.at_ms).unwrap_or_default();
    let mut samples = vec![oldest.clone(), newest];
    for _ in 0..MOMENTS {
        let at_ms = oldest.at_ms + i64::try_from(seeded.below(span + 1)).unwrap_or_default();
        let until = escaped(&when::rfc3339(at_ms));
        samples.extend(listed(client, &format!("limite={EACH}&ate={until}")).await?);
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_says_what_can_be_asked() {
        let item = json!({
            "id": "nfse_1", "modelo": "nfse", "status": "autorizada", "emitente_id": "emi_1", "chave": null,
            "criada_em": "2026-11-30T12:00:00Z", "rps": { "serie": "1", "numero": 7 }, "numero": "2026000000000001",
            "tomador": { "cpf_cnpj": "12345678000195", "nome": "Pão" }, "valor": 15.5, "referencia": "a-1"
        });
        let sample = Sample::of(&item).expect("a sample");
        assert_eq!((sample.serie.as_str(), sample.number.as_str()), ("1", "7"));
        assert_eq!(
            (
                sample.name.as_str(),
                sample.value.as_str(),
                sample.chave.as_str()
            ),
            ("Pão", "15.5", "")
        );
        assert_eq!(sample.at_ms, 1_796_040_000_000);
        assert_eq!(Sample::of(&json!({ "id": "x" })), None);
    }
}
