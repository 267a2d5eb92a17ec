//! The frame of a page of an operator who is logged in.

use super::{HOME, Operator};
use maud::{Markup, html};
use panel::frame::framed;
use panel::parts::icon;

/// An entry of the menu: address, word, icon.
type Entry = (&'static str, &'static str, &'static str);

pub(super) const LIST: &str = HOME;
pub(super) const ACCOUNTS: &str = "/operador/contas";
pub(super) const HISTORY: &str = "/operador/historico";
const MENU: &[Entry] = &[
    (LIST, "Adaptadores", "peca"),
    (ACCOUNTS, "Contas", "gente"),
    (HISTORY, "Histórico", "lista"),
];

/// A page. `active`: the entry of the menu.
pub(super) fn page(operator: &Operator, active: &str, title: &str, content: Markup) -> Markup {
    framed(HOME, title, "", &menu(operator, active), content)
}

fn menu(operator: &Operator, active: &str) -> Markup {
    html! {
        nav aria-label="Principal" {
            ul {
                @for (href, word, sign) in MENU {
                    li { a href=(href) aria-current=[(*href == active).then_some("page")] { (icon(sign)) (word) } }
                }
            }
        }
        div class="pe" {
            div { strong { "Operador" } div class="suave" { "Páginas deste hub, sem acesso a documentos." } }
            form method="post" action="/operador/sair" {
                (hidden(operator))
                button class="botao secundario mini" { "Sair" }
            }
        }
    }
}

/// The hidden field of every form that changes something: that it is a page of this
/// session.
pub(super) fn hidden(operator: &Operator) -> Markup {
    html! { input type="hidden" name="csrf" value=(operator.csrf); }
}
