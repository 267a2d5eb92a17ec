//! Adapters of this installation, and the systems they speak to.

use crate::Panel;
use crate::layout::page;
use crate::parts::{table, top, whole};
use crate::reply::Problem;
use crate::visitor::Visitor;
use axum::Router;
use axum::routing::get;
use maud::{Markup, html};
use std::collections::BTreeMap;

pub fn router() -> Router<Panel> {
    Router::new().route("/painel/adaptadores", get(list))
}

async fn list(visitor: Visitor) -> Result<Markup, Problem> {
    let app = &visitor.panel.app;
    let registry = app.registry.load();
    let today = base::when::utc(app.now_ms()).date();
    let mut cities: BTreeMap<String, i64> = BTreeMap::new();
    for city in registry.municipalities() {
        if let Some(name) = registry
            .cobertura(city.ibge, today)
            .and_then(|found| found.provedor)
        {
            *cities.entry(name).or_default() += 1;
        }
    }
    let mut cities: Vec<(String, i64)> = cities.into_iter().collect();
    cities.sort_by_key(|(name, count)| (-count, name.clone()));
    let components = app.catalog.all();
    Ok(page(
        &visitor,
        "/painel/adaptadores",
        "Adaptadores",
        html! {
            (top("Adaptadores", "Cada sistema de prefeitura e cada SEFAZ é um componente isolado, sem acesso a rede, arquivos ou chaves.", html! {}))
            section class="cartao" {
                h2 { "Componentes carregados" }
                (table("Componentes", &["Nome", "Versão", "Mundo", "SHA-256"], html! {
                    @for component in &components {
                        tr {
                            td { strong { (component.description.name) } }
                            td { (component.description.version) }
                            td { (component.world.interface()) }
                            td class="mono quebra" { (component.digest) }
                        }
                    }
                }))
            }
            section class="cartao" {
                h2 { "Sistemas e municípios" }
                p class="suave" { "Municípios que cada sistema atende, segundo o registro." }
                ul class="contagem" {
                    @for (name, count) in &cities { li { span { (name) } span class="num" { (whole(*count)) } } }
                }
            }
        },
    ))
}
