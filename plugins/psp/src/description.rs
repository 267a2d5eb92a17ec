//! What the adapter says about itself.

use crate::content;
use sdk::{Description, Permissions};

/// Makes a charge, or finds the one that was made for the same purchase.
pub const CRIAR: &str = "pagamento.criar";
/// The state of a charge.
pub const CONSULTAR: &str = "pagamento.consultar";
/// Gives money back.
pub const REFUND_REQUEST: &str = "pagamento.reembolsar";

/// Name of the one endpoint.
pub const API: &str = "api";
/// Name of the secret the PSP knows the hub by.
pub const TOKEN: &str = "token";

pub fn describe() -> Description {
    Description::new("psp", env!("CARGO_PKG_VERSION"))
        .schema(content::CRIAR)
        .schema(content::CONSULTAR)
        .schema(content::REFUND_REQUEST)
        .operation(CRIAR, true, "POST /v1/cobrancas")
        .operation(CONSULTAR, true, "GET /v1/cobrancas/{compra_id}")
        .operation(
            REFUND_REQUEST,
            true,
            "POST /v1/cobrancas/{compra_id}/reembolsos",
        )
        .endpoint(API, true, false, "Base address of the PSP's API")
}

pub fn permissions() -> Permissions {
    Permissions::none().secret(TOKEN, &[API], "The PSP knows the hub by it")
}
