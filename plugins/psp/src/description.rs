//! What the adapter says about itself.

use crate::content;
use sdk::Description;

/// Makes a charge, or finds the one that was made for the same purchase.
pub const CRIAR: &str = "pagamento.criar";
/// The state of a charge.
pub const CONSULTAR: &str = "pagamento.consultar";
/// Gives money back.
pub const REEMBOLSAR: &str = "pagamento.reembolsar";

/// Name of the one endpoint.
pub const API: &str = "api";
/// Name of the secret the PSP knows the hub by.
pub const TOKEN: &str = "token";

pub fn describe() -> Description {
    Description::new("psp", env!("CARGO_PKG_VERSION"))
        .schema(content::CRIAR)
        .schema(content::CONSULTAR)
        .schema(content::REEMBOLSAR)
        .operation(CRIAR, true, "POST /v1/cobrancas")
        .operation(CONSULTAR, true, "GET /v1/cobrancas/{compra_id}")
        .operation(
            REEMBOLSAR,
            true,
            "POST /v1/cobrancas/{compra_id}/reembolsos",
        )
        .endpoint(API, true, false, "Base address of the PSP's API")
}
