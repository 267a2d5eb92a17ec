//! The frame of a page, and pages for somebody who is not logged in.

use super::assets;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Where the mark of a page of customers leads: the overview.
pub const PANEL: &str = "/painel";

/// The box above a form that says what is wrong. `focus`: the person goes on there and not in
/// a field; a browser without a script looks for it, too.
pub fn error_box(focus: bool, content: Markup) -> Markup {
    html! { div class="aviso-caixa erro" role="alert" tabindex="-1" autofocus[focus] { (content) } }
}

/// A page of somebody who is not logged in.
pub fn door(title: &str, theme: &str, content: Markup) -> Markup {
    door_of(PANEL, title, theme, content)
}

/// As [`door`], with a mark that leads to `home`.
pub fn door_of(home: &str, title: &str, theme: &str, content: Markup) -> Markup {
    document(
        title,
        theme,
        html! {
            div class="porta" {
                main {
                    (brand(home))
                    div class="cartao" {
                        h1 { (title) }
                        (content)
                    }
                }
            }
        },
    )
}

/// A page anybody may read, logged in or not.
pub fn open(title: &str, content: Markup) -> Markup {
    document(
        title,
        "",
        html! {
            a class="pular" href="#conteudo" { "Ir para o conteúdo" }
            div class="aberta" {
                header { (brand(PANEL)) }
                main id="conteudo" tabindex="-1" { (content) }
            }
        },
    )
}

/// A whole document around a body.
fn document(title: &str, theme: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="pt-BR" data-tema=[Some(theme).filter(|chosen| !chosen.is_empty())] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · hub" }
                link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230b6b5e'/%3E%3Cpath d='M9 8v16M23 8v16M9 16h14' stroke='white' stroke-width='3' stroke-linecap='round'/%3E%3C/svg%3E";
                link rel="stylesheet" href=(assets::style());
                script src=(assets::script()) defer {}
            }
            body { (body) }
        }
    }
}

/// A page of somebody who is logged in: menu and content.
pub fn framed(home: &str, title: &str, theme: &str, menu: &Markup, content: Markup) -> Markup {
    document(
        title,
        theme,
        html! {
            a class="pular" href="#conteudo" { "Ir para o conteúdo" }
            div class="moldura" {
                header class="lado" {
                    (brand(home))
                    (menu)
                }
                header class="barra" {
                    (brand(home))
                    details {
                        summary { "Menu" }
                        div class="lado" { (menu) }
                    }
                }
                main id="conteudo" class="conteudo" tabindex="-1" { (content) }
            }
        },
    )
}

/// The mark, with the way to the first page.
fn brand(home: &str) -> Markup {
    html! {
        a class="marca" href=(home) {
            (PreEscaped("<svg viewBox='0 0 32 32' aria-hidden='true'><rect width='32' height='32' rx='8' fill='#0b6b5e'/><path d='M9 8v16M23 8v16M9 16h14' stroke='#fff' stroke-width='3' stroke-linecap='round' fill='none'/></svg>"))
            "hub"
        }
    }
}
