//! Finding the municipality a query is about: by IBGE code or by name and UF.

use base::errors::{Code, Failure, Refusal};
use flow::registry::Registry;
use gate::Call;
use gate::docs::Docs;
use gate::request::list::{Query, only};
use serde_json::json;
use std::sync::Arc;

/// What a query about a municipality takes.
pub fn docs(summary: &'static str) -> Docs {
    Docs::new(summary)
        .query(
            "codigo_ibge",
            "Código IBGE de 7 dígitos.",
            json!({ "type": "string", "pattern": "^[0-9]{7}$" }),
        )
        .query(
            "cidade",
            "Nome do município, com uf.",
            json!({ "type": "string" }),
        )
        .query(
            "uf",
            "Sigla da UF.",
            json!({ "type": "string", "pattern": "^[A-Z]{2}$" }),
        )
}

/// The registry in use and the municipality the query names.
///
/// # Errors
/// As `find`, 400 for an unknown parameter, 404 when there is no such city.
pub fn asked(call: &Call, query: &Query) -> Result<(Arc<Registry>, u32), Failure> {
    only(query, &["codigo_ibge", "cidade", "uf"])?;
    let text = |name: &str| query.get(name).map(String::as_str);
    let registry = call.app.registry.load();
    let ibge = find(&registry, text("codigo_ibge"), text("cidade"), text("uf"))?;
    Ok((registry, ibge.ok_or_else(unknown)?))
}

/// An IBGE code as the API writes it: seven digits.
pub fn code(ibge: u32) -> String {
    format!("{ibge:07}")
}

/// There is no such municipality.
pub fn unknown() -> Refusal {
    Refusal::new(Code::NaoEncontrado)
        .message("Este município não existe.")
        .hint("Confira o código IBGE ou o nome e a UF.")
}

/// The IBGE code meant, or None when no municipality has it.
///
/// # Errors
/// 400 without enough to search by, or when several cities have the name.
pub fn find(
    registry: &Registry,
    codigo: Option<&str>,
    city: Option<&str>,
    uf: Option<&str>,
) -> Result<Option<u32>, Failure> {
    if let Some(codigo) = codigo {
        let parsed = Some(codigo)
            .filter(|codigo| codigo.len() == 7 && codigo.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|codigo| codigo.parse().ok());
        return parsed.map(Some).ok_or_else(|| {
            Refusal::field(
                Code::ParametroInvalido,
                "codigo_ibge",
                "O código IBGE tem 7 dígitos.",
                "Informe o código do município, como 4106902.",
            )
            .into()
        });
    }
    let Some(city) = city.filter(|city| !city.trim().is_empty()) else {
        return Err(Refusal::field(
            Code::ParametroAusente,
            "codigo_ibge",
            "Falta o município.",
            "Informe codigo_ibge, ou cidade e uf.",
        )
        .into());
    };
    let found = registry.locate(city, uf);
    match found.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.ibge)),
        several => {
            let options: Vec<_> = several
                .iter()
                .take(30)
                .map(|m| json!({ "codigo_ibge": code(m.ibge), "cidade": m.name, "uf": m.uf }))
                .collect();
            Err(Refusal::field(
                Code::ParametroInvalido,
                "uf",
                "Há mais de um município com este nome.",
                "Informe a UF ou o codigo_ibge.",
            )
            .with("municipios", options)
            .into())
        }
    }
}
