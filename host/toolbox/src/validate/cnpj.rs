//! POST /api/v1/validate/cnpj: its check digits, with letters or without.

use super::{NumberIn, Reason};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use markup::ids::Cnpj;
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Built {
    Built {
        operation: "validate.cnpj",
        route: |method| on(method, cnpj),
        docs: Docs::new("Confere os dígitos verificadores de um CNPJ, também do alfanumérico (IN RFB 2.229/2024); não consulta cadastro nenhum.")
            .body::<NumberIn>()
            .success::<Charged<CnpjOut>>(),
    }
}

/// O CNPJ pelas suas posições.
#[derive(Serialize, JsonSchema)]
struct CnpjOut {
    valido: bool,
    /// Com máscara; `null` se não é válido.
    formatado: Option<String>,
    /// Sempre `cnpj`.
    tipo: &'static str,
    /// As oito posições da empresa; `null` se não é válido.
    raiz: Option<String>,
    /// Tem letras.
    alfanumerico: bool,
    /// `null` se é válido.
    motivo: Option<Reason>,
}

async fn cnpj(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<CnpjOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: NumberIn = body::read(value, call.tolerant)?;
    let found = Cnpj::parse(body.numero.trim());
    let answer = CnpjOut {
        valido: found.is_ok(),
        motivo: found.err().map(Reason::from),
        formatado: found.ok().map(|cnpj| cnpj.masked()),
        tipo: "cnpj",
        raiz: found.ok().map(|cnpj| cnpj.root().to_owned()),
        alfanumerico: found.is_ok_and(|cnpj| cnpj.is_alphanumeric()),
    };
    charge::paid(&call, answer).await
}
