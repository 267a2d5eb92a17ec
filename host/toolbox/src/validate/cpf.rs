//! POST /api/v1/validate/cpf: its check digits, without asking anybody.

use super::{NumberIn, Reason};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use markup::ids::Cpf;
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Built {
    Built {
        operation: "validate.cpf",
        route: |method| on(method, cpf),
        docs: Docs::new(
            "Confere os dígitos verificadores de um CPF; não consulta cadastro nenhum.",
        )
        .body::<NumberIn>()
        .success::<Charged<CpfOut>>(),
    }
}

/// O CPF pelos seus dígitos.
#[derive(Serialize, JsonSchema)]
struct CpfOut {
    valido: bool,
    /// Com máscara; `null` se não é válido.
    formatado: Option<String>,
    /// Sempre `cpf`.
    tipo: &'static str,
    /// `null` se é válido.
    motivo: Option<Reason>,
}

async fn cpf(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<CpfOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: NumberIn = body::read(value, call.tolerant)?;
    let found = Cpf::parse(body.numero.trim());
    let answer = CpfOut {
        valido: found.is_ok(),
        motivo: found.err().map(Reason::from),
        formatado: found.ok().map(|cpf| cpf.masked()),
        tipo: "cpf",
    };
    charge::paid(&call, answer).await
}
