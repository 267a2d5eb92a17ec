//! What a payment says of the machine that took it.

use crate::context::{Contexto, Onde};

/// Integrated with the machine: its operator and its answer are known
/// (YA04a; rejection 392).
pub(super) fn cartoes(ctx: &mut Contexto<'_>) {
    for (i, pagamento) in ctx.pedido.pagamentos.iter().enumerate() {
        let Some(cartao) = &pagamento.cartao else {
            continue;
        };
        if cartao.integrado != Some(true) {
            continue;
        }
        let onde = Onde::lista("pagamentos", i);
        let onde = onde.em("cartao");
        for (nome, valor) in [
            ("cnpj_credenciadora", &cartao.cnpj_credenciadora),
            ("autorizacao", &cartao.autorizacao),
        ] {
            if valor.as_deref().is_none_or(|texto| texto.trim().is_empty()) {
                ctx.falta(
                    onde.em(nome),
                    "Informe os dados da operação integrada, ou integrado false (rejeição 392).",
                );
            }
        }
    }
}
