//! The pages, one file each.

mod adaptadores;
mod auditoria;
mod chart;
mod chaves;
mod cobertura;
mod configuracoes;
mod creditos;
mod documentos;
mod emitente;
mod emitentes;
mod emitir;
mod equipe;
mod inicio;
mod listing;
mod uso;
mod webhooks;

use super::Panel;
use axum::Router;

pub fn router() -> Router<Panel> {
    Router::new()
        .merge(inicio::router())
        .merge(documentos::router())
        .merge(emitir::router())
        .merge(emitentes::router())
        .merge(emitente::router())
        .merge(chaves::router())
        .merge(webhooks::router())
        .merge(uso::router())
        .merge(cobertura::router())
        .merge(adaptadores::router())
        .merge(creditos::router())
        .merge(equipe::router())
        .merge(auditoria::router())
        .merge(configuracoes::router())
}
