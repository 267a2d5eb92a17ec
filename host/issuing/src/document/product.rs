//! What the hub keeps of a product note beside the columns every note has,
//! and how such a note is named to an adapter.

use compose::assembly::Totals;
use compose::context::Aviso;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::tables::flows::FlowRow;
use store::tables::notas::NotaRow;
use store::words::Model;
use store::{DbResult, stored};

/// Version of the layout of a document of a SEFAZ.
fn version(model: Model) -> &'static str {
    match model {
        Model::Mdfe => "3.00",
        Model::Nfse | Model::Nfe | Model::Nfce | Model::Cte => "4.00",
    }
}

/// Column `detalhes` of a product note.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    pub natureza_operacao: String,
    /// `dhEmi`.
    pub data_emissao: String,
    pub uf: String,
    /// Official totals by their names in the API.
    pub totais: Option<Totals>,
    /// What the customer should know although nothing is wrong.
    pub avisos: Option<Vec<Aviso>>,
    /// NFC-e: text of the QR code and address of the query by key.
    pub qr_code: String,
    pub url_consulta: String,
    /// What the note itself says was paid, reais.
    pub pago: String,
    /// `devolucao`, `complementar` ...; empty for a normal note.
    pub finalidade: String,
    /// What is kept of a transport document alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transporte: Option<TransportDetails>,
    /// Keys of the notes it refers to.
    pub referencias: Vec<String>,
    /// Keys of earlier attempts under the same number.
    pub chaves_anteriores: Vec<String>,
    /// `cStat` and `xMotivo` of the last answer about the note.
    pub status_sefaz: String,
    pub mensagem_sefaz: String,
    /// While nobody knows what became of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impedimento: Option<Impediment>,
}

/// What is kept of a transport document beside what every document has, as its
/// elements say it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransportDetails {
    /// `modal`; `tpCTe`, or `tpEmit` of an MDF-e; `CFOP`.
    pub modal: String,
    pub tipo: String,
    pub cfop: String,
    /// `cMunIni`, `cMunFim`.
    pub municipio_inicio: String,
    pub municipio_fim: String,
    /// `vRec`, and the ICMS of the service, reais.
    pub receber: String,
    pub icms: String,
    /// MDF-e: states of start and end, plate, documents, and when it was closed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uf_inicio: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uf_fim: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub placa: String,
    pub documentos: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub encerrado_em: String,
    /// CT-e: its announcement at the contingency authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epec: Option<Announcement>,
}

/// The registered announcement of a CT-e (EPEC).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announcement {
    pub protocolo: String,
    /// RFC 3339.
    pub registrado_em: String,
    /// When its transmission was tried last; 0: it was not.
    #[serde(default)]
    pub attempt_ms: i64,
}

/// Why the authority cannot be asked about a note, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Impedimento")]
#[schemars(
    description = "Por que a autoridade não pode ser consultada sobre a nota, e o que fazer."
)]
pub struct Impediment {
    pub codigo: String,
    pub mensagem: String,
    pub dica: String,
}

impl Details {
    /// Those of a note; empty for a service note.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn of(nota: &NotaRow) -> DbResult<Details> {
        if nota.detalhes.is_empty() {
            return Ok(Details::default());
        }
        stored(&nota.detalhes, "details of a note", &nota.id)
    }

    /// The announcement of a CT-e in contingency, once it was registered.
    pub fn announcement(&self) -> Option<&Announcement> {
        self.transporte.as_ref()?.epec.as_ref()
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
/// The earlier ones cannot be read.
pub fn is_ours(nota: &NotaRow, chave: &str) -> DbResult<bool> {
    if chave.is_empty() || nota.chave == chave {
        return Ok(!chave.is_empty());
    }
    let before = Details::of(nota)?.chaves_anteriores;
    Ok(before.iter().any(|own| own == chave))
}

/// Content of `autorizar` (wit/schemas/sefaz.autorizar.json).
///
/// # Errors
/// The note's earlier keys cannot be read.
pub fn authorization_content(nota: &NotaRow) -> DbResult<Value> {
    Ok(json!({
        "modelo": nota.modelo, "chave": nota.chave, "versao": version(nota.modelo), "id_lote": id_lote(nota.created_at_ms),
        "chaves_anteriores": Details::of(nota)?.chaves_anteriores,
    }))
}

/// Content of `consultar` (wit/schemas/sefaz.consultar.json).
///
/// # Errors
/// The note's earlier keys cannot be read.
pub fn query(nota: &NotaRow) -> DbResult<Value> {
    let before = Details::of(nota)?.chaves_anteriores;
    Ok(json!({ "chave": nota.chave, "chaves_anteriores": before }))
}

/// Content of `evento` for sending it again, when the authority may already
/// have the first copy: the adapter then believes a refusal only after it has
/// looked at the note.
///
/// # Errors
/// The content of the flow cannot be read.
pub fn resending(flow: &FlowRow) -> DbResult<String> {
    let mut members: serde_json::Map<String, Value> =
        stored(&flow.conteudo, "content of a flow", &flow.id)?;
    members.insert("reenvio".to_owned(), Value::Bool(true));
    Ok(Value::Object(members).to_string())
}

/// Number of a lot of one document: 1 to 15 digits, chosen by the sender.
pub fn id_lote(at_ms: i64) -> String {
    at_ms.max(1).to_string()
}
