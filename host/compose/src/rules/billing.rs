//! Due dates of the instalments (NT 2016.002, Y09-10 and Y09-20). Their
//! numbers and amounts are told where the group is built.

use crate::context::{Context, Place};
use time::Date;
use time::macros::format_description;

pub(super) fn due_dates(ctx: &mut Context<'_>) {
    let Some(billing) = &ctx.request.cobranca else {
        return;
    };
    let root = Place::root("cobranca");
    let mut previous: Option<Date> = None;
    for (i, installment) in billing.duplicatas.iter().enumerate() {
        let place = root.n("duplicatas", i);
        let place = place.at("vencimento");
        let Some(text) = installment.vencimento.as_deref() else {
            ctx.missing(
                place,
                "Informe o vencimento da parcela, como 2026-10-05 (rejeição 900).",
            );
            continue;
        };
        // A wrong shape was told already.
        let Ok(due_date) = Date::parse(text.trim(), format_description!("[year]-[month]-[day]"))
        else {
            continue;
        };
        if due_date < ctx.given.dh_emi.date() {
            ctx.error(
                place,
                "vencimento_anterior",
                "O vencimento da parcela é anterior à data de emissão (rejeição 900).",
                "Informe a data de emissão ou uma data posterior.",
            );
        } else if previous.is_some_and(|previous| due_date < previous) {
            ctx.error(
                place,
                "vencimento_fora_de_ordem",
                "O vencimento da parcela é anterior ao da parcela que vem antes dela (rejeição 850).",
                "Informe as parcelas na ordem dos vencimentos.",
            );
        }
        previous = previous.max(Some(due_date));
    }
}
