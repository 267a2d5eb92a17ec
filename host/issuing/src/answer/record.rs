//! What the records of all notes have.

use crate::model::{Ambiente, Modelo};
use base::when;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use store::DbResult;
use store::ids::{EmitterId, NotaId};
use store::tables::notas::{NotaRow, NotaStatus};

/// The record of a note of one model, as far as its state does not matter.
pub trait Registro: Serialize + JsonSchema + Sized {
    /// What is shown while nobody knows what becomes of it.
    type Espera: Serialize + JsonSchema;
    /// What is shown of its state, whatever it is.
    type Estado: Serialize + JsonSchema;
    /// Addresses of the files of a note that exists.
    type Arquivos: Serialize + JsonSchema;

    /// # Errors
    /// What is stored cannot be read.
    fn of(nota: &NotaRow) -> DbResult<Self>;

    /// # Errors
    /// What is stored cannot be read.
    fn espera(nota: &NotaRow) -> DbResult<Self::Espera>;

    /// # Errors
    /// What is stored cannot be read.
    fn estado(nota: &NotaRow) -> DbResult<Self::Estado>;

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
pub type Registrada<D> = Nota<D, <D as Registro>::Estado, Option<<D as Registro>::Arquivos>>;
/// A note that exists.
pub type Existente<D> = Nota<D, Nada, <D as Registro>::Arquivos>;
/// A note of which nobody knows yet.
pub type Pendente<D> = Nota<D, <D as Registro>::Espera, Nada>;

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
pub struct Nada {}

/// Whether there are files of the note.
pub fn exists(nota: &NotaRow) -> bool {
    matches!(
        nota.status,
        NotaStatus::Autorizada | NotaStatus::Validada | NotaStatus::Cancelada
    )
}

/// A note in whatever state it is.
///
/// # Errors
/// What is stored cannot be read.
pub fn registrada<D: Registro>(nota: &NotaRow) -> DbResult<Registrada<D>> {
    Ok(Nota {
        dados: D::of(nota)?,
        estado: D::estado(nota)?,
        links: Links::new(&nota.id, exists(nota).then(|| D::arquivos(&nota.id))),
    })
}

/// A note that exists.
///
/// # Errors
/// What is stored cannot be read.
pub fn existente<D: Registro>(nota: &NotaRow) -> DbResult<Existente<D>> {
    Ok(Nota {
        dados: D::of(nota)?,
        estado: Nada {},
        links: Links::new(&nota.id, D::arquivos(&nota.id)),
    })
}

/// A note of which nobody knows yet.
///
/// # Errors
/// What is stored cannot be read.
pub fn pendente<D: Registro>(nota: &NotaRow) -> DbResult<Pendente<D>> {
    Ok(Nota {
        dados: D::of(nota)?,
        estado: D::espera(nota)?,
        links: Links::new(&nota.id, Nada {}),
    })
}

// What every record begins with.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Cabecalho {
    nota_id: NotaId,
    /// O identificador dado por quem emitiu.
    referencia: Option<String>,
    modelo: Modelo,
    status: NotaStatus,
    ambiente: AmbienteDaNota,
    /// Nenhuma autoridade de verdade a recebeu.
    simulada: bool,
    emitente_id: EmitterId,
    /// Quando chegou ao hub (RFC 3339, UTC).
    criada_em: String,
}

impl From<&NotaRow> for Cabecalho {
    fn from(nota: &NotaRow) -> Cabecalho {
        Cabecalho {
            nota_id: nota.id.clone(),
            referencia: filled(&nota.referencia),
            modelo: nota.modelo,
            status: nota.status,
            ambiente: AmbienteDaNota::of(nota.ambiente),
            simulada: nota.simulada == 1,
            emitente_id: nota.emitter_id.clone(),
            criada_em: when::rfc3339(nota.created_at_ms),
        }
    }
}

/// Ambiente da autoridade; o que é só simulado aparece como homologação.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AmbienteDaNota {
    Homologacao,
    Producao,
}

impl AmbienteDaNota {
    /// As a customer is told of an environment.
    pub fn of(ambiente: Ambiente) -> AmbienteDaNota {
        match ambiente {
            Ambiente::Producao => AmbienteDaNota::Producao,
            Ambiente::Homologacao | Ambiente::Simulado => AmbienteDaNota::Homologacao,
        }
    }
}

/// A outra parte da nota.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutraParte {
    cpf_cnpj: Option<String>,
    nome: Option<String>,
}

impl From<&NotaRow> for OutraParte {
    fn from(nota: &NotaRow) -> OutraParte {
        OutraParte {
            cpf_cnpj: filled(&nota.tomador_documento),
            nome: filled(&nota.tomador_nome),
        }
    }
}

/// O que a autoridade disse, como veio.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Rejeicao {
    origem: String,
    codigo: String,
    motivo: String,
    correcao: String,
}

impl From<base::errors::Rejeicao> for Rejeicao {
    fn from(rejeicao: base::errors::Rejeicao) -> Rejeicao {
        Rejeicao {
            origem: rejeicao.origem,
            codigo: rejeicao.codigo,
            motivo: rejeicao.motivo,
            correcao: rejeicao.correcao,
        }
    }
}

/// Why a refused note was refused; none of any other.
pub(super) fn rejeicao(nota: &NotaRow) -> DbResult<Option<Option<Rejeicao>>> {
    if nota.status != NotaStatus::Rejeitada || nota.rejeicao.is_empty() {
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
