//! `input.json`: operation and context of a case.

use crate::Case;
use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;

/// What the hub asks, and of whom.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub operation: Operation,
    pub context: Context,
    /// Whether the customer has a certificate.
    #[serde(default = "has_certificate")]
    pub certificate: bool,
}

fn has_certificate() -> bool {
    true
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    pub nome: String,
    pub schema: String,
    pub conteudo: serde_json::Value,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Context {
    pub flow: String,
    pub now: String,
    /// 32 bytes, written as 64 hex digits; absent or empty: zeros.
    #[serde(default = "zeros", deserialize_with = "entropy")]
    pub entropy: Vec<u8>,
    /// True: `producao`; false: `homologacao`.
    #[serde(rename = "ambiente", deserialize_with = "production")]
    pub producao: bool,
    pub uf: Option<String>,
    pub municipio: Option<Municipality>,
    pub emitente: Emitter,
    #[serde(default)]
    pub endpoints: Vec<String>,
    /// In the order of their names, as the contract gives them.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    #[serde(default)]
    pub secrets: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Municipality {
    pub codigo: u32,
    pub nome: String,
    pub uf: String,
    pub codigo_tom: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emitter {
    pub documento: String,
    pub inscricao_municipal: Option<String>,
    pub inscricao_estadual: Option<String>,
    pub razao_social: String,
    #[serde(default)]
    pub extras: BTreeMap<String, String>,
}

impl Case {
    /// # Errors
    /// `input.json` is missing, or has a field nobody knows.
    pub fn input(&self) -> Result<Input, String> {
        serde_json::from_slice(&self.read("input.json")?)
            .map_err(|error| format!("input.json: {error}"))
    }
}

fn zeros() -> Vec<u8> {
    vec![0; 32]
}

fn entropy<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() {
        return Ok(zeros());
    }
    let digit = |c: char| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let digits: Option<Vec<u8>> = text.chars().map(digit).collect();
    let digits = digits.filter(|digits| digits.len() == 64);
    let digits = digits.ok_or_else(|| de::Error::custom("entropy must be 64 hex digits"))?;
    let pairs = digits.as_chunks::<2>().0.iter();
    Ok(pairs.map(|[high, low]| high << 4 | low).collect())
}

fn production<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match String::deserialize(from)?.as_str() {
        "producao" => Ok(true),
        "homologacao" => Ok(false),
        other => Err(de::Error::custom(format!("ambiente {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::Input;
    use serde_json::{Value, json};

    fn input(context: &Value) -> Result<Input, serde_json::Error> {
        let mut whole = json!({
            "flow": "flw_1", "now": "2026-10-05T10:15:00-03:00", "ambiente": "homologacao",
            "emitente": { "documento": "11222333000181", "razao_social": "Exemplo" },
        });
        let (Some(whole), Some(more)) = (whole.as_object_mut(), context.as_object()) else {
            unreachable!("objects");
        };
        whole.extend(more.clone());
        serde_json::from_value(json!({
            "operation": { "nome": "emitir", "schema": "nfse.dps/1", "conteudo": {} },
            "context": whole,
        }))
    }

    #[test]
    fn what_is_left_out_has_the_values_of_the_format() {
        let read = input(&json!({})).expect("an input");
        assert!(read.certificate && !read.context.producao);
        assert_eq!(read.context.entropy, vec![0; 32]);
        assert!(read.context.municipio.is_none() && read.context.options.is_empty());
    }

    #[test]
    fn entropy_is_sixty_four_digits_or_none() {
        let read = input(&json!({ "entropy": "0f".repeat(32) })).expect("an input");
        assert_eq!(read.context.entropy, vec![15; 32]);
        for bad in ["0f", "zz", &"0".repeat(63), &"é".repeat(32)] {
            assert!(input(&json!({ "entropy": bad })).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_nobody_knows_is_refused() {
        for bad in [
            json!({ "ambiente": "teste" }),
            json!({ "cidade": "" }),
            json!({ "uf": 1 }),
        ] {
            assert!(input(&bad).is_err(), "{bad}");
        }
    }
}
