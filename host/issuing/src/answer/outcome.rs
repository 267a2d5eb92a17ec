//! Column `resultado` of what is registered at an authority.

use super::record::read;
use base::errors::Rejection;
use serde::{Deserialize, Serialize};
use store::DbResult;
use store::tables::eventos::EventoRow;

/// What the authority said of an event: its registration, or why not.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EventResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registrado_em: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_sefaz: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mensagem_sefaz: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejeicao: Option<Rejection>,
}

impl EventResult {
    /// That of an event that is over; empty where nothing was said.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn of(evento: &EventoRow) -> DbResult<EventResult> {
        if evento.resultado.is_empty() {
            return Ok(EventResult::default());
        }
        read(&evento.resultado)
    }

    /// A refusal, by its first reason.
    pub fn refused(reasons: &[Rejection]) -> EventResult {
        EventResult {
            rejeicao: reasons.first().cloned(),
            ..EventResult::default()
        }
    }

    /// Writes it into the row.
    ///
    /// # Errors
    /// None in practice: it is plain JSON.
    pub fn keep(&self, evento: &mut EventoRow) -> DbResult<()> {
        evento.resultado = super::record::written(self)?;
        Ok(())
    }
}
