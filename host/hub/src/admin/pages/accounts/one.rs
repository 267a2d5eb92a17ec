//! The page of an account.

use super::{absent, shown, state, way};
use crate::admin::accounts::shown::{Block, Whole};
use crate::admin::asked::{InPath, named};
use crate::admin::pages::frame::{ACCOUNTS, hidden, page as framed};
use crate::admin::pages::{Operator, Pages, down, unclear};
use accounts::operator::TEXT_CHARS;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use maud::{Markup, html};
use page::names::change_named;
use page::parts::{ambiente, cnpj, done, empty, field, moment, stat, status, table, top, whole};
use page::reply::Problem;
use serde::Deserialize;
use store::ids::AccountId;
use store::words::KeyKind;

/// What was done before, told above the page.
#[derive(Deserialize)]
pub(super) struct Before {
    #[serde(default)]
    feito: String,
}

pub(super) async fn page(
    State(pages): State<Pages>,
    operator: Operator,
    path: InPath<AccountId>,
    before: Result<Query<Before>, QueryRejection>,
) -> Result<Markup, Problem> {
    let Some(id) = named(path) else {
        return Err(absent());
    };
    let Ok(Query(before)) = before else {
        return Err(unclear());
    };
    let told = match before.feito.as_str() {
        "bloquear" => {
            Some("A conta está bloqueada. As chaves são recusadas em até cinco segundos.")
        }
        "desbloquear" => Some("A conta não está mais bloqueada."),
        "conceder" => Some("Os créditos foram concedidos."),
        "limitar" => Some("O limite vale em até cinco segundos."),
        "liberar" => Some("A liberação foi gravada."),
        "nada" => Some("Nada mudou: já era assim, ou o formulário já tinha sido enviado."),
        _ => None,
    };
    let notice = html! { @if let Some(told) = told { (done(told)) } };
    shown_with(&pages, &operator, &id, notice).await
}

/// The page below a notice.
pub(super) async fn shown_with(
    pages: &Pages,
    operator: &Operator,
    id: &AccountId,
    notice: Markup,
) -> Result<Markup, Problem> {
    let mut conn = pages.desk.app.db.read().await.map_err(down)?;
    let account = shown::one(&mut conn, id).await.map_err(down)?;
    drop(conn);
    let account = account.ok_or_else(absent)?;
    let line = &account.line;
    // A grant that is sent twice has one reference, and is made once.
    let reference = base::ids::new("conc", pages.desk.app.now_ms());
    let content = html! {
        (top(&line.nome, line.id.as_str(), state(line)))
        (notice)
        div class="grade" {
            (stat("Saldo", &whole(line.saldo), html! { div class="suave" { (whole(line.reservado)) " reservados" } }))
            (stat("Por minuto", &whole(line.requisicoes_por_minuto), html! { div class="suave" { "requisições" } }))
            (stat("Liberações", &released(&line.liberacoes), html! { div class="suave" { "aberta em " (moment(&line.criada_em)) } }))
        }
        (changes(operator, &account, &reference))
        (parts(&account))
    };
    Ok(framed(operator, ACCOUNTS, &line.nome, content))
}

fn released(documents: &[&str]) -> String {
    if documents.is_empty() {
        "nenhuma".to_owned()
    } else {
        documents.join(", ")
    }
}

/// A form of the page.
fn form(operator: &Operator, id: &str, fields: Markup) -> Markup {
    html! {
        form class="campos" method="post" action=(way(id)) {
            (hidden(operator))
            (fields)
        }
    }
}

fn text(name: &str) -> Markup {
    html! {
        input id=(name) name=(name) type="text" required maxlength=(TEXT_CHARS) aria-describedby=(format!("{name}-dica"));
    }
}

fn number(name: &str, value: Option<i64>) -> Markup {
    html! {
        input id=(name) name=(name) type="text" inputmode="numeric" required value=[value] aria-describedby=(format!("{name}-dica"));
    }
}

/// A reason that may be left out. `id`: of the field, where the page has several.
fn reason(id: &str) -> Markup {
    let hint = "Se houver; as pessoas da conta o leem na auditoria.";
    field(
        id,
        "Motivo",
        hint,
        html! {
            input id=(id) name="motivo" type="text" maxlength=(TEXT_CHARS) aria-describedby=(format!("{id}-dica"));
        },
    )
}

fn changes(operator: &Operator, account: &Whole, reference: &str) -> Markup {
    let id = account.line.id.as_str();
    let per_minute = Some(account.line.requisicoes_por_minuto);
    let free = |title: &str| account.line.liberacoes.contains(&title);
    html! {
        section class="cartao" {
            h2 { "Bloqueio" }
            (blocking(operator, id, account.line.bloqueio.as_ref()))
        }
        section class="cartao" {
            h2 { "Conceder créditos" }
            (form(operator, id, html! {
                input type="hidden" name="referencia" value=(reference);
                (field("creditos", "Créditos", "1 crédito vale R$ 0,01.", number("creditos", None)))
                (field("motivo-do-credito", "Motivo", "As pessoas da conta o leem na auditoria.", text("motivo-do-credito")))
                button class="botao" name="acao" value="conceder" { "Conceder" }
            }))
        }
        section class="cartao" {
            h2 { "Limite" }
            (form(operator, id, html! {
                (field("requisicoes_por_minuto", "Requisições por minuto", "Vale para todas as chaves da conta, juntas.", number("requisicoes_por_minuto", per_minute)))
                (reason("motivo-do-limite"))
                button class="botao" name="acao" value="limitar" { "Mudar o limite" }
            }))
        }
        section class="cartao" {
            h2 { "Documentos liberados" }
            p class="suave" { "CT-e em fase de teste e MDF-e: só contas liberadas os transmitem." }
            div class="acoes" {
                @for (word, title) in [("cte", "CT-e"), ("mdfe", "MDF-e")] {
                    (form(operator, id, html! {
                        input type="hidden" name="documento" value=(word);
                        input type="hidden" name="liberado" value=(if free(title) { "0" } else { "1" });
                        (reason(&format!("motivo-{word}")))
                        button class="botao secundario" name="acao" value="liberar" {
                            (if free(title) { "Retirar a liberação de " } else { "Liberar " }) (title)
                        }
                    }))
                }
            }
        }
    }
}

fn blocking(operator: &Operator, id: &str, block: Option<&Block>) -> Markup {
    let Some(block) = block else {
        let hint = "As pessoas da conta o leem, e quem usa uma chave o recebe na resposta.";
        return html! {
            p class="suave" { "Bloqueada, a conta tem todas as chaves recusadas, e as suas pessoas só leem e revogam chaves. O que já foi transmitido segue até o fim." }
            (form(operator, id, html! {
                (field("motivo", "Motivo", hint, text("motivo")))
                button class="botao perigo" name="acao" value="bloquear" { "Bloquear a conta" }
            }))
        };
    };
    html! {
        p { "Bloqueada desde " (moment(&block.desde)) ": " (block.motivo) }
        (form(operator, id, html! {
            (reason("motivo"))
            button class="botao" name="acao" value="desbloquear" { "Desbloquear a conta" }
        }))
    }
}

/// What belongs to the account.
fn parts(account: &Whole) -> Markup {
    html! {
        (part("Pessoas", "gente", "Ninguém entra no painel desta conta.", account.equipe.is_empty(), &["E-mail", "Nome", "Papel"], html! {
            @for person in &account.equipe {
                tr { td class="quebra" { (person.email) } td { (person.nome) } td { (person.papel) } }
            }
        }))
        (part("Empresas", "loja", "Nenhuma empresa foi cadastrada.", account.emitentes.is_empty(), &["Empresa", "CNPJ", "Ambiente", "Certificado"], html! {
            @for company in &account.emitentes {
                tr {
                    td class="quebra" { (company.razao_social) div class="suave pequeno mono" { (company.id) } }
                    td class="mono" { (cnpj(&company.cnpj)) }
                    td { (ambiente(company.ambiente.as_str())) }
                    td { (status(if company.tem_certificado { "sim" } else { "não" })) }
                }
            }
        }))
        (part("Chaves de API", "chave", "A conta não tem chaves.", account.chaves.is_empty(), &["Nome", "Final", "Tipo", "Criada em", "Situação"], html! {
            @for key in &account.chaves {
                tr {
                    td class="quebra" { (key.nome) }
                    td class="mono" { "…" (key.termina_em) }
                    td { (if key.tipo == KeyKind::Live { "produção" } else { "teste" }) }
                    td { (moment(&key.criada_em)) }
                    td { (status(if key.revogada_em.is_some() { "revogada" } else { "ativa" })) }
                }
            }
        }))
        (part("Auditoria", "lista", "Nada ainda.", account.auditoria.is_empty(), &["Quando", "Ação", "Quem", "Detalhe"], html! {
            @for row in &account.auditoria {
                tr {
                    td { (moment(&row.em)) }
                    td { (change_named(&row.acao)) }
                    td class="quebra" { (row.quem) }
                    td class="quebra" { (row.detalhe) }
                }
            }
        }))
    }
}

fn part(
    title: &str,
    sign: &str,
    none: &str,
    is_empty: bool,
    head: &[&str],
    rows: Markup,
) -> Markup {
    html! {
        section class="cartao" {
            h2 { (title) }
            @if is_empty { (empty(sign, none, html! {})) } @else { (table(title, head, rows)) }
        }
    }
}
