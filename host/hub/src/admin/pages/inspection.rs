//! `/operador/adaptadores/{nome}`: what `hub adapter inspect` says of a component.

use super::frame::{LIST, page as framed};
use super::{HOME, Operator, Pages, absent, failed};
use crate::adapter::inspection::Inspection;
use crate::admin::asked::{Asked, Name};
use crate::admin::inspect::{self, Which};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base::errors::{Code, Failure};
use gate::error::ApiError;
use maud::{Markup, html};
use page::parts::{alert, size, table, top};

pub(super) async fn page(
    State(pages): State<Pages>,
    operator: Operator,
    name: Result<Name, ApiError>,
    which: Result<Asked<Which>, ApiError>,
) -> Result<Markup, Response> {
    let (Ok(Name(name)), Ok(Asked(which))) = (name, which) else {
        return Err(absent().into_response());
    };
    let inspected = inspect::of(&pages.desk, &name, which.digest.as_deref()).await;
    let inspected = inspected.map_err(|error| match error.0 {
        Failure::Refused(refusal) if refusal.code != Code::Manutencao => absent().into_response(),
        failure => failed(failure).into_response(),
    })?;
    let title = format!("{} {}", inspected.nome, inspected.versao);
    Ok(framed(&operator, LIST, &title, content(&title, &inspected)))
}

fn content(title: &str, inspected: &Inspection) -> Markup {
    let used = if inspected.em_uso == Some(true) {
        "As notas novas usam este componente."
    } else {
        "As notas novas não usam este componente."
    };
    html! {
        (top(title, used, html! { a class="botao secundario" href=(HOME) { "Voltar" } }))
        @for sentence in &inspected.discordancias { (alert(sentence)) }
        section class="cartao" {
            h2 { "O componente" }
            dl class="fatos" {
                dt { "SHA-256" } dd class="mono quebra" { (inspected.digest) }
                dt { "Tamanho" } dd { (size(i64::try_from(inspected.tamanho_bytes).unwrap_or(i64::MAX))) }
                dt { "Fala com" } dd { (inspected.interface) }
                dt { "Mantido por" } dd { (inspected.mantenedores.join(", ")) }
                dt { "Layouts" } dd { (inspected.schemas.join(", ")) }
            }
        }
        section class="cartao" {
            h2 { "O que pode fazer" }
            @match &inspected.permissoes {
                Some(lines) => ul { @for line in lines { li { (line) } } },
                None => p { "Não declara nada: as notas novas não o usam." },
            }
        }
        section class="cartao" {
            h2 { "Operações" }
            (table("Operações", &["Nome", "Resposta", "Observações"], html! {
                @for operation in &inspected.operacoes {
                    tr {
                        td { strong { (operation.nome) } }
                        td { @if operation.sincrona { "na hora" } @else { "depois" } }
                        td { (operation.notas) }
                    }
                }
            }))
        }
        section class="cartao" {
            h2 { "Endereços" }
            (table("Endereços", &["Nome", "Obrigatório", "Certificado do emitente", "Descrição"], html! {
                @for endpoint in &inspected.endpoints {
                    tr {
                        td { strong { (endpoint.nome) } }
                        td { @if endpoint.obrigatorio { "sim" } @else { "não" } }
                        td { @if endpoint.certificado { "sim" } @else { "não" } }
                        td { (endpoint.descricao) }
                    }
                }
            }))
        }
        section class="cartao" {
            h2 { "Opções" }
            (table("Opções", &["Nome", "Tipo", "Padrão", "Descrição"], html! {
                @for option in &inspected.opcoes {
                    tr {
                        td { strong { (option.nome) } }
                        td { (option.tipo) @if !option.valores.is_empty() { ": " (option.valores.join(", ")) } }
                        td { (option.padrao.as_deref().unwrap_or_default()) }
                        td { (option.descricao) }
                    }
                }
            }))
        }
    }
}
