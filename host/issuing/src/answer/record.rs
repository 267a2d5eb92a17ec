//! What the records of all notes have.

use crate::model::{Ambiente, Model};
use base::when;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use store::DbResult;
use store::ids::{EmitterId, NotaId};
use store::tables::notas::{NotaRow, NotaStatus};

/// The record of a note of one model, as far as its state does not matter.
pub trait Record: Serialize + JsonSchema + Sized {
    /// What is shown while nobody knows what becomes of it.
    type Wait: Serialize + JsonSchema;
    /// What is shown of its state, whatever it is.
    type State: Serialize + JsonSchema;
    /// Addresses of the files of a note that exists.
    type Arquivos: Serialize + JsonSchema;

    /// # Errors
    /// What is stored cannot be read.
    fn of(nota: &NotaRow) -> DbResult<Self>;

    /// # Errors
    /// What is stored cannot be read.
    fn wait(nota: &NotaRow) -> DbResult<Self::Wait>;

    /// # Errors
    /// What is stored cannot be read.
    fn state(nota: &NotaRow) -> DbResult<Self::State>;

    fn arquivos(id: &NotaId) -> Self::Arquivos;
}

// The record of a note: described as its model is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(
    rename = "Nota{D}",
    bound = "D: JsonSchema, E: JsonSchema, A: JsonSchema"
)]
pub struct Nota<D, E, A> {
    #[serde(flatten)]
    pub(super) dados: D,
    #[serde(flatten)]
    estado: E,
    links: Links<A>,
}

/// A note in any state.
pub type Registered<D> = Nota<D, <D as Record>::State, Option<<D as Record>::Arquivos>>;
/// A note that exists.
pub type Existing<D> = Nota<D, Nothing, <D as Record>::Arquivos>;
/// A note of which nobody knows yet.
pub type Pending<D> = Nota<D, <D as Record>::Wait, Nothing>;

/// Onde se lê o documento.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct Links<A> {
    documento: String,
    historico: String,
    #[serde(flatten)]
    arquivos: A,
}

impl<A> Links<A> {
    fn new(id: &NotaId, arquivos: A) -> Links<A> {
        Links {
            documento: format!("/api/v1/documentos/{id}"),
            historico: format!("/api/v1/documentos/{id}/historico"),
            arquivos,
        }
    }
}

// No members.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Nada")]
pub struct Nothing {}

/// Whether there are files of the note.
pub fn exists(nota: &NotaRow) -> bool {
    matches!(
        nota.status,
        NotaStatus::Authorized | NotaStatus::Validated | NotaStatus::Cancelled
    )
}

/// A note in whatever state it is.
///
/// # Errors
/// What is stored cannot be read.
pub fn registered<D: Record>(nota: &NotaRow) -> DbResult<Registered<D>> {
    Ok(Nota {
        dados: D::of(nota)?,
        estado: D::state(nota)?,
        links: Links::new(&nota.id, exists(nota).then(|| D::arquivos(&nota.id))),
    })
}

/// A note that exists.
///
/// # Errors
/// What is stored cannot be read.
pub fn existing<D: Record>(nota: &NotaRow) -> DbResult<Existing<D>> {
    Ok(Nota {
        dados: D::of(nota)?,
        estado: Nothing {},
        links: Links::new(&nota.id, D::arquivos(&nota.id)),
    })
}

/// A note of which nobody knows yet.
///
/// # Errors
/// What is stored cannot be read.
pub fn pending<D: Record>(nota: &NotaRow) -> DbResult<Pending<D>> {
    Ok(Nota {
        dados: D::of(nota)?,
        estado: D::wait(nota)?,
        links: Links::new(&nota.id, Nothing {}),
    })
}

// What every record begins with.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Cabecalho")]
pub(super) struct Header {
    /// O id do documento.
    id: NotaId,
    /// O mesmo que `id`.
    nota_id: NotaId,
    /// O identificador dado por quem emitiu.
    referencia: Option<String>,
    modelo: Model,
    status: NotaStatus,
    ambiente: NotaAmbiente,
    /// Nenhuma autoridade de verdade a recebeu.
    simulada: bool,
    emitente_id: EmitterId,
    /// Quando chegou ao hub (RFC 3339, UTC).
    criada_em: String,
}

impl From<&NotaRow> for Header {
    fn from(nota: &NotaRow) -> Header {
        Header {
            id: nota.id.clone(),
            nota_id: nota.id.clone(),
            referencia: filled(&nota.referencia),
            modelo: nota.modelo,
            status: nota.status,
            ambiente: NotaAmbiente::of(nota.ambiente),
            simulada: nota.simulada == 1,
            emitente_id: nota.emitter_id.clone(),
            criada_em: when::rfc3339(nota.created_at_ms),
        }
    }
}

/// Ambiente da autoridade; o que é só simulado aparece como homologação.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AmbienteDaNota")]
#[serde(rename_all = "snake_case")]
pub enum NotaAmbiente {
    Homologacao,
    Producao,
}

impl NotaAmbiente {
    /// As a customer is told of an environment.
    pub fn of(ambiente: Ambiente) -> NotaAmbiente {
        match ambiente {
            Ambiente::Production => NotaAmbiente::Producao,
            Ambiente::Homologacao | Ambiente::Simulated => NotaAmbiente::Homologacao,
        }
    }
}

/// A outra parte da nota.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OutraParte")]
pub struct OtherParty {
    cpf_cnpj: Option<String>,
    nome: Option<String>,
}

impl From<&NotaRow> for OtherParty {
    fn from(nota: &NotaRow) -> OtherParty {
        OtherParty {
            cpf_cnpj: filled(&nota.tomador_documento),
            nome: filled(&nota.tomador_nome),
        }
    }
}

/// O que a autoridade disse, como veio.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Rejeicao")]
pub struct Rejection {
    origem: String,
    codigo: String,
    motivo: String,
    correcao: String,
}

impl From<base::errors::Rejection> for Rejection {
    fn from(rejection: base::errors::Rejection) -> Rejection {
        Rejection {
            origem: rejection.origem,
            codigo: rejection.codigo,
            motivo: rejection.motivo,
            correcao: rejection.correcao,
        }
    }
}

/// Why a refused note was refused; none of any other.
pub(super) fn rejection(nota: &NotaRow) -> DbResult<Option<Option<Rejection>>> {
    if nota.status != NotaStatus::Rejected || nota.rejeicao.is_empty() {
        return Ok(None);
    }
    read(&nota.rejeicao).map(Some)
}

/// Text, or none where there is no text.
pub fn filled(value: &str) -> Option<String> {
    Some(value.to_owned()).filter(|value| !value.is_empty())
}

/// A decimal text as a number with the same digits; none where there is no
/// text.
///
/// # Errors
/// The text is no decimal.
pub fn amount(text: &str) -> DbResult<Option<Number>> {
    if text.is_empty() {
        return Ok(None);
    }
    read(text).map(Some)
}

/// Reads a column that is JSON.
///
/// # Errors
/// It is not what it should be.
pub fn read<'a, T: Deserialize<'a>>(column: &'a str) -> DbResult<T> {
    serde_json::from_str(column).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Writes a column that is JSON.
///
/// # Errors
/// None in practice: it is plain JSON.
pub fn written<T: Serialize>(value: &T) -> DbResult<String> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}
