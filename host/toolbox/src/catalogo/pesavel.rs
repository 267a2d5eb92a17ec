//! POST /api/v1/catalogo/ean/pesavel: a label of a scale, taken apart.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::answer::Reais;
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::barcode::BarcodeError;
use tools::scale::{self, Label, Reading, ScaleError};

pub fn built() -> Built {
    Built {
        operation: "catalogo.ean.pesavel",
        route: |method| on(method, pesavel),
        docs: Docs::new("Lê a etiqueta de uma balança (EAN-13 de prefixo 2): o código interno do produto e o peso ou o preço, com a interpretação alternativa.")
            .body::<PesavelIn>()
            .success::<Charged<PesavelOut>>(),
    }
}

/// A etiqueta, e como a balança da loja está configurada.
#[derive(Deserialize, JsonSchema)]
struct PesavelIn {
    /// Os 13 dígitos, com o verificador.
    #[schemars(length(min = 13, max = 20))]
    ean: String,
    /// Quantos dígitos são o código do produto: 4, 5 ou 6. Ausente: 5.
    #[serde(default)]
    #[schemars(range(min = 4, max = 6))]
    digitos_codigo: Option<u8>,
    /// O que os outros dígitos são. Ausente: peso.
    #[serde(default)]
    modo: Option<Meaning>,
}

/// O que o valor de uma etiqueta é.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "ValorDaEtiqueta")]
#[serde(rename_all = "snake_case")]
enum Meaning {
    Peso,
    Preco,
}

/// A etiqueta, separada. As duas leituras vêm sempre: nada na etiqueta diz qual
/// vale.
#[derive(Serialize, JsonSchema)]
struct PesavelOut {
    ean: String,
    /// Com os zeros à esquerda.
    codigo_interno: String,
    /// Os dígitos do valor, como estão na etiqueta.
    valor_campo: String,
    /// A leitura de `modo`.
    interpretacao: Meaning,
    /// Os dígitos lidos como peso, em quilos com três casas.
    peso_kg: Exact,
    /// Os dígitos lidos como preço.
    valor_reais: Reais,
    /// A outra leitura.
    alternativa: Alternative,
}

/// A leitura que não é a de `modo`.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LeituraAlternativa")]
struct Alternative {
    interpretacao: Meaning,
    /// Quilos ou reais.
    valor: Exact,
}

async fn pesavel(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<PesavelOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: PesavelIn = body::read(value, call.tolerant)?;
    let reading = match body.modo {
        None | Some(Meaning::Peso) => Reading::Weight,
        Some(Meaning::Preco) => Reading::Price,
    };
    let ean: String = body.ean.chars().filter(char::is_ascii_digit).collect();
    let label = scale::split(&body.ean, body.digitos_codigo.unwrap_or(5), reading);
    let label = label.map_err(|error| refused(&error))?;
    charge::paid(&call, answer(ean, label)).await
}

fn answer(ean: String, label: Label) -> PesavelOut {
    let meaning = |reading: Reading| match reading {
        Reading::Weight => Meaning::Peso,
        Reading::Price => Meaning::Preco,
    };
    PesavelOut {
        ean,
        interpretacao: meaning(label.reading),
        peso_kg: Exact(label.weight_kg),
        valor_reais: Reais(label.price),
        alternativa: Alternative {
            interpretacao: meaning(label.reading.other()),
            valor: Exact(label.alternative()),
        },
        codigo_interno: label.code,
        valor_campo: label.value,
    }
}

fn refused(error: &ScaleError) -> Refusal {
    let (field, message, correction) = match error {
        ScaleError::CodeLength(_) => (
            "digitos_codigo",
            "O código do produto tem 4, 5 ou 6 dígitos.",
            "Veja na balança quantos são.",
        ),
        ScaleError::NotOfScale => (
            "ean",
            "Não é uma etiqueta de balança: são 13 dígitos, e o primeiro é 2.",
            "Leia a etiqueta que a balança imprimiu.",
        ),
        ScaleError::Barcode(BarcodeError::CheckDigit { .. }) => (
            "ean",
            "O dígito verificador não confere.",
            "Leia a etiqueta de novo.",
        ),
        ScaleError::Barcode(_) => ("ean", "Não é um código de barras.", "São 13 dígitos."),
    };
    Refusal::field(Code::ParametroInvalido, field, message, correction)
}
