//! `/operador/disco`: room on the disks, and what fills them.

use super::frame::{DISK, page as framed};
use super::{Operator, Pages, down};
use crate::admin::disk::{Disk, Folder, found};
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use maud::{Markup, html};
use page::parts::{empty, stat, table, top};
use page::reply::Problem;

pub(super) fn routes() -> Router<Pages> {
    Router::new().route(DISK, get(page))
}

async fn page(State(pages): State<Pages>, operator: Operator) -> Result<Markup, Problem> {
    let disk = found(&pages.desk).await.map_err(down)?;
    let content = html! {
        (top("Disco", "O espaço livre nos discos deste hub e o que mais ocupa espaço.", html! {}))
        div class="grade" {
            @for folder in &disk.pastas { (room(folder)) }
            (stat("Banco de dados", &bytes(disk.banco_bytes), html! {
                div class="suave" { (if disk.banco == "sqlite" { "SQLite, em arquivo" } else { "PostgreSQL: o disco é o do servidor dele" }) }
            }))
            (stat("Objetos de clientes", &bytes(disk.objetos_bytes), html! {
                div class="suave" { (if disk.objetos_em_s3 { "em um bucket" } else { "na pasta de dados" }) }
            }))
        }
        (tables(&disk))
    };
    Ok(framed(&operator, DISK, "Disco", content))
}

fn room(folder: &Folder) -> Markup {
    let word = match folder.pasta {
        "data" => "Livre na pasta de dados",
        _ => "Livre na pasta do banco",
    };
    let (Some(free), Some(total)) = (folder.livre_bytes, folder.total_bytes) else {
        return stat(
            word,
            "–",
            html! { div class="suave mono pequeno" { (folder.caminho) } },
        );
    };
    let signed = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    // Of a disk without any room there is no share.
    let share = free.saturating_mul(100).checked_div(total).unwrap_or(0);
    stat(
        word,
        &bytes(signed(free)),
        html! {
            div class="suave" { (share) " % de " (bytes(signed(total))) }
            div class="suave mono pequeno" { (folder.caminho) }
            @if share < 10 { div { span class="selo erro" { "pouco espaço" } } }
        },
    )
}

fn tables(disk: &Disk) -> Markup {
    html! {
        section class="cartao" {
            h2 { "Tabelas" }
            @match &disk.tabelas {
                None => (empty("barras", "O banco é grande demais, ou lento demais agora, para dizer o tamanho de cada tabela.", html! {})),
                Some(tables) => {
                    p class="suave" { "Cada uma com os seus índices, a maior primeiro." }
                    (table("Tabelas", &["Tabela", "Tamanho"], html! {
                        @for one in tables {
                            tr { td class="mono" { (one.tabela) } td class="num" { (bytes(one.bytes)) } }
                        }
                    }))
                },
            }
        }
    }
}

/// An amount of bytes with one decimal, as `1,5 GiB`.
fn bytes(count: i64) -> String {
    const KIB: i64 = 1_024;
    let units = [(KIB * KIB * KIB, "GiB"), (KIB * KIB, "MiB"), (KIB, "KiB")];
    match units.into_iter().find(|(unit, _)| count >= *unit) {
        Some((unit, word)) => {
            let tenths = i128::from(count) * 10 / i128::from(unit);
            format!("{},{} {word}", tenths / 10, tenths % 10)
        }
        None => format!("{count} bytes"),
    }
}
