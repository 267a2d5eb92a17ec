//! `/operador/filas`: what waits in this hub.

use super::frame::{DELIVERIES, NOTES, QUEUES, page as framed};
use super::{Operator, Pages, down};
use crate::admin::queues::{Queues, Resting, Waiting, found};
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use maud::{Markup, html};
use page::parts::{empty, encoded, moment, stat, table, top, whole};
use page::reply::Problem;

pub(super) fn routes() -> Router<Pages> {
    Router::new().route(QUEUES, get(page))
}

async fn page(State(pages): State<Pages>, operator: Operator) -> Result<Markup, Problem> {
    let queues = found(&pages.desk).await.map_err(down)?;
    let sentence = "O que espera neste hub, de todas as contas. Quando tudo vai bem, pouco espera, e por pouco tempo.";
    let content = html! {
        (top("Filas", sentence, html! {}))
        div class="grade" {
            (stat("Notas sem resultado", &whole(queues.notas.quantas), html! {
                (since(&queues.notas))
                div { a href=(NOTES) { "Ver as notas" } }
            }))
            (stat("Eventos de notas a caminho", &whole(queues.eventos.quantas), since(&queues.eventos)))
            (stat("Eventos sem lugar na ordem", &whole(queues.saida.quantas), since(&queues.saida)))
            (stat("Fluxos atrasados", &whole(queues.fluxos.vencidos.quantas), html! {
                (since(&queues.fluxos.vencidos))
                div class="suave" { "A hora deles chegou, e nenhum processo os executa." }
            }))
            (stat("Fluxos em execução", &whole(queues.fluxos.em_execucao), html! {
                div class="suave" { (queues.fluxos.em_execucao_aqui) " neste processo" }
            }))
            (stat("Fluxos à espera", &whole(queues.fluxos.esperando), html! {
                div class="suave" { "O adaptador pediu que continuem mais tarde." }
            }))
            (sending(&queues))
        }
        section class="cartao" {
            h2 { "Webhooks em pausa" }
            p class="suave" { "Falharam várias vezes seguidas. O hub espera antes de tentar de novo." }
            (resting(&queues.webhooks_em_pausa))
        }
    };
    Ok(framed(&operator, QUEUES, "Filas", content))
}

/// What waits to be sent.
fn sending(queues: &Queues) -> Markup {
    let (deliveries, mails) = (&queues.entregas, &queues.emails);
    html! {
        (stat("Entregas pendentes", &whole(deliveries.pendentes), html! {
            div class="suave" { (whole(deliveries.vencidas.quantas)) " na hora de enviar" }
            (since(&deliveries.vencidas))
        }))
        (stat("Entregas que falharam", &whole(deliveries.falharam), html! {
            div { a href=(DELIVERIES) { "Ver as entregas" } }
        }))
        (stat("E-mails na fila", &whole(mails.na_fila), html! {
            div class="suave" { (whole(mails.vencidos.quantas)) " na hora de enviar, " (whole(mails.tentados)) " já tentados" }
            (since(&mails.vencidos))
            @if !mails.servidor { div class="suave" { "Nenhum servidor de e-mail está configurado." } }
        }))
    }
}

/// Since when the oldest waits.
fn since(waiting: &Waiting) -> Markup {
    html! {
        @if let Some(since) = &waiting.desde {
            div class="suave" { "desde " (moment(since)) }
        }
    }
}

fn resting(rows: &[Resting]) -> Markup {
    if rows.is_empty() {
        return empty("sino", "Nenhum webhook está em pausa agora.", html! {});
    }
    table(
        "Webhooks em pausa",
        &["Webhook", "Conta", "Falhas seguidas", "Até"],
        html! {
            @for row in rows {
                tr {
                    td class="quebra" { (row.host) div class="suave pequeno mono" { (row.webhook_id) } }
                    td class="quebra" { a href=(format!("/operador/contas/{}", encoded(&row.conta.id))) { (row.conta.nome) } }
                    td { (whole(row.falhas)) }
                    td { (moment(&row.ate)) }
                }
            }
        },
    )
}
