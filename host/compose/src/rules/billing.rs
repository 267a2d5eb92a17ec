//! Due dates of the instalments (NT 2016.002, Y09-10 and Y09-20). Their
//! numbers and amounts are told where the group is built.

use crate::context::{Contexto, Onde};
use time::Date;
use time::macros::format_description;

pub(super) fn vencimentos(ctx: &mut Contexto<'_>) {
    let Some(cobranca) = &ctx.pedido.cobranca else {
        return;
    };
    let raiz = Onde::raiz("cobranca");
    let mut anterior: Option<Date> = None;
    for (i, duplicata) in cobranca.duplicatas.iter().enumerate() {
        let onde = raiz.n("duplicatas", i);
        let onde = onde.em("vencimento");
        let Some(texto) = duplicata.vencimento.as_deref() else {
            ctx.falta(
                onde,
                "Informe o vencimento da parcela, como 2026-10-05 (rejeição 900).",
            );
            continue;
        };
        // A wrong shape was told already.
        let Ok(vencimento) = Date::parse(texto.trim(), format_description!("[year]-[month]-[day]"))
        else {
            continue;
        };
        if vencimento < ctx.dados.dh_emi.date() {
            ctx.erro(
                onde,
                "vencimento_anterior",
                "O vencimento da parcela é anterior à data de emissão (rejeição 900).",
                "Informe a data de emissão ou uma data posterior.",
            );
        } else if anterior.is_some_and(|anterior| vencimento < anterior) {
            ctx.erro(
                onde,
                "vencimento_fora_de_ordem",
                "O vencimento da parcela é anterior ao da parcela que vem antes dela (rejeição 850).",
                "Informe as parcelas na ordem dos vencimentos.",
            );
        }
        anterior = anterior.max(Some(vencimento));
    }
}
