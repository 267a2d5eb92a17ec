//! Mistakes in what is asked for: filters, pages, events.

use super::{Mistake, asked, posted};
use reqwest::Method;
use serde_json::json;

/// Requests that read, and one that registers a webhook.
pub fn questions() -> Vec<Mistake> {
    vec![
        asked(
            "limit no lugar de limite",
            Method::GET,
            "/api/v1/nfe?limit=10",
            "400 campo_desconhecido",
            "limit",
            ["desconhecido", "Você quis dizer limite?"],
        ),
        asked(
            "página pelo número",
            Method::GET,
            "/api/v1/nfe?page=2",
            "400 campo_desconhecido",
            "page",
            ["desconhecido", "Você quis dizer cursor?"],
        ),
        asked(
            "período com outro nome",
            Method::GET,
            "/api/v1/nfe?desde=2026-11-01",
            "400 campo_desconhecido",
            "desde",
            ["desconhecido", "Você quis dizer de?"],
        ),
        asked(
            "página longa demais",
            Method::GET,
            "/api/v1/nfe?limite=100000",
            "400 parametro_invalido",
            "limite",
            ["de 1 a 100", "como limite=50"],
        ),
        asked(
            "status que não existe",
            Method::GET,
            "/api/v1/nfe?status=autorizado",
            "400 parametro_invalido",
            "status",
            ["Estado desconhecido", "autorizada"],
        ),
        asked(
            "cursor inventado",
            Method::GET,
            "/api/v1/nfe?cursor=2",
            "400 parametro_invalido",
            "cursor",
            ["Cursor inválido", "proximo_cursor"],
        ),
        asked(
            "consulta de CEP sem um dígito",
            Method::GET,
            "/api/v1/geo/cep/3014007",
            "400 parametro_invalido",
            "cep",
            ["8 dígitos", "oito dígitos"],
        ),
        posted(
            "evento que não existe",
            "/api/v1/webhooks",
            &json!({ "url": "https://example.com", "eventos": ["nfe.autorizado"] }),
            "400 parametro_invalido",
            "eventos[0]",
            ["não existe", "tipos-evento"],
        ),
    ]
}
