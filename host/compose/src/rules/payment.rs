//! What a payment says of the machine that took it.

use crate::context::{Context, Place};

/// Integrated with the machine: its operator and its answer are known
/// (YA04a; rejection 392).
pub(super) fn cards(ctx: &mut Context<'_>) {
    for (i, payment) in ctx.request.pagamentos.iter().enumerate() {
        let Some(card_data) = &payment.cartao else {
            continue;
        };
        if card_data.integrado != Some(true) {
            continue;
        }
        let place = Place::list("pagamentos", i);
        let place = place.at("cartao");
        for (name, value) in [
            ("cnpj_credenciadora", &card_data.cnpj_credenciadora),
            ("autorizacao", &card_data.autorizacao),
        ] {
            if value.as_deref().is_none_or(|text| text.trim().is_empty()) {
                ctx.missing(
                    place.at(name),
                    "Informe os dados da operação integrada, ou integrado false (rejeição 392).",
                );
            }
        }
    }
}
