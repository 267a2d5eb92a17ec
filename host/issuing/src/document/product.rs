//! What the hub keeps of a product note beside the columns every note has,
//! and how such a note is named to an adapter.

use compose::assembly::Totais;
use compose::context::Aviso;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::DbResult;
use store::tables::notas::NotaRow;

/// Version of the layout of NF-e and NFC-e.
const VERSAO: &str = "4.00";

/// Column `detalhes` of a product note.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Detalhes {
    pub natureza_operacao: String,
    /// `dhEmi`.
    pub data_emissao: String,
    pub uf: String,
    /// Official totals by their names in the API.
    pub totais: Option<Totais>,
    /// What the customer should know although nothing is wrong.
    pub avisos: Option<Vec<Aviso>>,
    /// NFC-e: text of the QR code and address of the query by key.
    pub qr_code: String,
    pub url_consulta: String,
    /// What the note itself says was paid, reais.
    pub pago: String,
    /// `devolucao`, `complementar` ...; empty for a normal note.
    pub finalidade: String,
    /// Keys of the notes it refers to.
    pub referencias: Vec<String>,
    /// Keys of earlier attempts under the same number.
    pub chaves_anteriores: Vec<String>,
    /// `cStat` and `xMotivo` of the last answer about the note.
    pub status_sefaz: String,
    pub mensagem_sefaz: String,
    /// While nobody knows what became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impedimento: Option<Impedimento>,
}

/// Why the authority cannot be asked about a note, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(
    description = "Por que a autoridade não pode ser consultada sobre a nota, e o que fazer."
)]
pub struct Impedimento {
    pub codigo: String,
    pub mensagem: String,
    pub dica: String,
}

impl Detalhes {
    /// Those of a note; empty for a service note, which has none.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn of(nota: &NotaRow) -> DbResult<Detalhes> {
        if nota.detalhes.is_empty() {
            return Ok(Detalhes::default());
        }
        serde_json::from_str(&nota.detalhes).map_err(|error| sqlx::Error::Decode(error.into()))
    }

    /// As the column keeps them.
    ///
    /// # Errors
    /// None in practice: it is plain JSON.
    pub fn to_json(&self) -> DbResult<String> {
        serde_json::to_string(self).map_err(|error| sqlx::Error::Encode(error.into()))
    }
}

/// Whether a key is the note's own, of this or an earlier attempt.
///
/// # Errors
/// What is stored cannot be read.
pub fn is_ours(nota: &NotaRow, chave: &str) -> DbResult<bool> {
    if chave.is_empty() || nota.chave == chave {
        return Ok(!chave.is_empty());
    }
    let earlier = Detalhes::of(nota)?.chaves_anteriores;
    Ok(earlier.iter().any(|own| own == chave))
}

/// Content of `autorizar` (wit/schemas/sefaz.autorizar.json).
///
/// # Errors
/// What is stored cannot be read.
pub fn autorizar(nota: &NotaRow) -> DbResult<Value> {
    Ok(json!({
        "modelo": nota.modelo, "chave": nota.chave, "versao": VERSAO, "id_lote": id_lote(nota.created_at_ms),
        "chaves_anteriores": Detalhes::of(nota)?.chaves_anteriores,
    }))
}

/// Content of `consultar` (wit/schemas/sefaz.consultar.json).
///
/// # Errors
/// What is stored cannot be read.
pub fn consultar(nota: &NotaRow) -> DbResult<Value> {
    Ok(json!({ "chave": nota.chave, "chaves_anteriores": Detalhes::of(nota)?.chaves_anteriores }))
}

/// Content of `evento` when a copy of it may be at the authority already: a
/// refusal of this one is believed only after a look.
pub fn reenvio(conteudo: &str) -> String {
    let parsed = serde_json::from_str::<serde_json::Map<String, Value>>(conteudo);
    let Ok(mut members) = parsed else {
        return conteudo.to_owned();
    };
    members.insert("reenvio".to_owned(), Value::Bool(true));
    Value::Object(members).to_string()
}

/// Number of a lot of one document: 1 to 15 digits, chosen by the sender.
pub fn id_lote(at_ms: i64) -> String {
    at_ms.max(1).to_string()
}
