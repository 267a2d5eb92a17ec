//! `/operador`: what is installed, in which state, and what can be done with it.

use super::frame::{LIST, hidden, page as framed};
use super::{Operator, Pages, down, unclear};
use crate::releases::change::{as_now, fingerprint};
use crate::releases::{LISTED, SHORT, short};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use base::when;
use flow::Loaded;
use maud::{Markup, html};
use page::parts::{done, empty, encoded, field, moment, table, top};
use page::reply::Problem;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::tables::releases::{self, ReleaseRow, ReleaseStatus};

/// The button of a rollback after which the adapter has nothing in use.
const NOTHING: &str = "Parar de usar: nada ficará em uso";

/// What was done before, told above the list.
#[derive(Deserialize)]
pub(super) struct Before {
    #[serde(default)]
    feito: String,
}

pub(super) async fn page(
    State(pages): State<Pages>,
    operator: Operator,
    before: Result<Query<Before>, QueryRejection>,
) -> Result<Markup, Problem> {
    let Ok(Query(before)) = before else {
        return Err(unclear());
    };
    let told = match before.feito.as_str() {
        "canario" => Some("Uma parte dos emitentes usa a versão em canário."),
        "ativar" | "promover" => Some("As notas novas usam a versão escolhida."),
        "desfazer" => Some("A mudança foi desfeita."),
        "instalar" => Some("O componente foi instalado. Nada o usa enquanto não for ativado."),
        _ => None,
    };
    let notice = html! { @if let Some(told) = told { (done(told)) } };
    listed(&pages, &operator, notice).await
}

/// An adapter as it is listed.
#[derive(Default)]
struct Listed {
    rows: Vec<ReleaseRow>,
    /// The [`fingerprint`] of all its releases, also of those that are not listed.
    seen: String,
    /// The adapters folder has a component of this name.
    in_folder: bool,
}

/// The releases, by adapter.
async fn all(pages: &Pages) -> Result<BTreeMap<String, Listed>, Problem> {
    let db = &pages.desk.app.db;
    let mut conn = db.read().await.map_err(down)?;
    let rows = releases::listed(&mut conn, LISTED).await.map_err(down)?;
    let mut all: BTreeMap<String, Listed> = BTreeMap::new();
    for row in rows {
        all.entry(row.name.clone()).or_default().rows.push(row);
    }
    for (name, listed) in &mut all {
        let own = releases::of(&mut conn, name).await.map_err(down)?;
        listed.seen = fingerprint(&own);
        // What is shown is what the fingerprint is of.
        listed.rows = as_now(std::mem::take(&mut listed.rows), &own);
        listed.in_folder = pages.desk.app.catalog.in_folder(name).is_some();
    }
    Ok(all)
}

/// The list below a notice.
pub(super) async fn listed(
    pages: &Pages,
    operator: &Operator,
    notice: Markup,
) -> Result<Markup, Problem> {
    let all = all(pages).await?;
    let in_use = pages.desk.app.catalog.all();
    let asked = pages.desk.app.config.adapters.require_signature;
    let content = html! {
        (top("Adaptadores", "As versões instaladas neste hub, e a que as notas novas usam.", html! {}))
        (notice)
        @if all.is_empty() {
            (empty("peca", "Nenhuma versão está instalada: o hub usa os componentes da pasta.", html! {}))
        }
        @for (name, listed) in &all { (adapter(operator, name, listed)) }
        section class="cartao" {
            h2 { "Instalar" }
            (install(operator, asked))
        }
        section class="cartao" {
            h2 { "Em uso" }
            p class="suave" { "Com o que uma nota nova começa agora, da pasta de adaptadores ou de uma versão instalada." }
            (used(&in_use))
        }
    };
    Ok(framed(operator, LIST, "Adaptadores", content))
}

fn used(in_use: &[Arc<Loaded>]) -> Markup {
    table(
        "Em uso",
        &["Nome", "Versão", "Fala com", "SHA-256"],
        html! {
            @for component in in_use {
                @let name = &component.description.name;
                tr {
                    td { a href=(way(name, None)) { strong { (name) } } }
                    td { (component.description.version) }
                    td { (component.world.interface()) }
                    td class="mono" { (short(&component.digest)) }
                }
            }
        },
    )
}

fn adapter(operator: &Operator, name: &str, listed: &Listed) -> Markup {
    let Listed {
        rows,
        seen,
        in_folder,
    } = listed;
    let has = |status| rows.iter().any(|row| row.status == status);
    let canary = has(ReleaseStatus::Canary);
    let back = match (canary, has(ReleaseStatus::Previous), *in_folder) {
        (true, ..) => "Desistir do canário",
        (false, true, _) => "Voltar à anterior",
        (false, false, true) => "Voltar ao componente da pasta",
        (false, false, false) => NOTHING,
    };
    html! {
        section class="cartao" {
            h2 { (name) }
            (table(name, &["Versão", "SHA-256", "Situação", "Assinada por", "Mudou em", "Ações"], html! {
                @for row in rows {
                    tr {
                        td { a href=(way(name, Some(&row.digest))) { (row.version) } }
                        td class="mono" { (short(&row.digest)) }
                        td { (state(row)) }
                        td class="mono" { @if row.signed_by.is_empty() { "sem assinatura" } @else { (tail(&row.signed_by)) } }
                        td { (moment(&when::format(when::utc(row.changed_at_ms)))) }
                        td { (choices(operator, name, row, seen)) }
                    }
                }
            }))
            div class="acoes" {
                @if canary {
                    form class="acoes" method="post" action=(way(name, None)) {
                        (carried(operator, seen))
                        label { input type="checkbox" name="permitir_mais" value="1"; " permitir o que ela pede a mais" }
                        button class="botao mini" name="acao" value="promover" { "Promover o canário" }
                    }
                }
                @if canary || has(ReleaseStatus::Active) {
                    form class="acoes" method="post" action=(way(name, None)) {
                        (carried(operator, seen))
                        @if back == NOTHING { input type="hidden" name="nada" value="1"; }
                        button class="botao perigo mini" name="acao" value="desfazer" { (back) }
                    }
                }
            }
        }
    }
}

/// What can be done with a release.
fn choices(operator: &Operator, name: &str, row: &ReleaseRow, seen: &str) -> Markup {
    use ReleaseStatus::{Active, Canary, Previous, Quarantined, Retired, Staged};
    let percent_id = format!("percentual-{}", short(&row.digest));
    html! {
        @match row.status {
            Active | Quarantined => {},
            Staged | Canary | Previous | Retired => {
                details {
                    summary { "Usar" }
                    form class="campos" method="post" action=(way(name, None)) {
                        (carried(operator, seen))
                        input type="hidden" name="digest" value=(row.digest);
                        @if row.status != Previous {
                            (field(&percent_id, "Emitentes, em %", "De 1 a 99.", html! {
                                input id=(percent_id) name="percentual" type="number" min="1" max="99" value="10" aria-describedby=(format!("{percent_id}-dica"));
                            }))
                        }
                        label { input type="checkbox" name="permitir_mais" value="1"; " permitir o que ela pede a mais" }
                        div class="acoes" {
                            @if row.status != Previous {
                                button class="botao secundario mini" name="acao" value="canario" { "Pôr em canário" }
                            }
                            button class="botao mini" name="acao" value="ativar" { "Ativar para todos" }
                        }
                    }
                }
            },
        }
    }
}

fn install(operator: &Operator, signed: bool) -> Markup {
    let place = html! {
        input id="url" name="url" type="text" placeholder="https:// ou oci://" aria-describedby="url-dica";
    };
    let component = html! { input id="componente" name="componente" type="file" accept=".wasm"; };
    let signature =
        html! { input id="assinatura" name="assinatura" type="file" accept=".minisig"; };
    html! {
        p class="suave" {
            "O hub confere a assinatura, o que o componente importa e declara, e os casos que todo adaptador deve tratar. Isso leva alguns segundos."
        }
        form class="campos" method="post" action="/operador/instalar" enctype="multipart/form-data" {
            (hidden(operator))
            (field("url", "Endereço", "A assinatura é buscada ao lado.", place))
            p class="suave" { "Ou um arquivo deste computador:" }
            (field("componente", "Componente (.wasm)", "", component))
            @if signed { (field("assinatura", "Assinatura (.minisig)", "", signature)) }
            div class="acoes" { button class="botao" { "Instalar" } }
        }
    }
}

fn carried(operator: &Operator, seen: &str) -> Markup {
    html! {
        (hidden(operator))
        input type="hidden" name="visto" value=(seen);
    }
}

/// The page of an adapter or of one of its releases.
fn way(name: &str, digest: Option<&str>) -> String {
    let page = format!("/operador/adaptadores/{}", encoded(name));
    match digest {
        Some(digest) => format!("{page}?digest={digest}"),
        None => page,
    }
}

/// The end of a key, by which people tell keys apart.
fn tail(key: &str) -> String {
    match key.char_indices().rev().nth(SHORT - 1) {
        Some((at, _)) if at > 0 => format!("…{}", &key[at..]),
        _ => key.to_owned(),
    }
}

fn state(row: &ReleaseRow) -> Markup {
    let (class, word) = match row.status {
        ReleaseStatus::Staged => ("selo", "instalada".to_owned()),
        ReleaseStatus::Canary => ("selo aviso", format!("canário, {} %", row.percent)),
        ReleaseStatus::Active => ("selo ok", "em uso".to_owned()),
        ReleaseStatus::Previous => ("selo", "anterior".to_owned()),
        ReleaseStatus::Retired => ("selo", "aposentada".to_owned()),
        ReleaseStatus::Quarantined => ("selo erro", "em quarentena".to_owned()),
    };
    html! { span class=(class) { (word) } }
}
