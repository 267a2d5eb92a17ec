//! The frame of a page of an operator who is logged in.

use super::{HOME, Operator};
use accounts::operator::TEXT_CHARS;
use maud::{Markup, html};
use page::frame::framed;
use page::parts::{field, icon};

/// An entry of the menu: address, word, icon.
type Entry = (&'static str, &'static str, &'static str);

pub(super) const LIST: &str = HOME;
pub(super) const ACCOUNTS: &str = "/operador/contas";
pub(super) const NOTES: &str = "/operador/notas";
pub(super) const QUEUES: &str = "/operador/filas";
pub(super) const DELIVERIES: &str = "/operador/entregas";
pub(super) const AUTHORIZERS: &str = "/operador/autorizadores";
pub(super) const DISK: &str = "/operador/disco";
pub(super) const ACTIONS: &str = "/operador/acoes";
pub(super) const HISTORY: &str = "/operador/historico";
const MENU: &[Entry] = &[
    (LIST, "Adaptadores", "peca"),
    (ACCOUNTS, "Contas", "gente"),
    (NOTES, "Notas sem resultado", "folha"),
    (QUEUES, "Filas", "ajuste"),
    (DELIVERIES, "Entregas", "sino"),
    (AUTHORIZERS, "Autorizadores", "mapa"),
    (DISK, "Disco", "barras"),
    (ACTIONS, "Ações", "certo"),
    (HISTORY, "Histórico de versões", "lista"),
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

/// A form of one action with its reason, folded away until it is wanted. `id` makes the
/// field's own id.
pub(super) fn action(
    operator: &Operator,
    (to, id): (&str, &str),
    word: &str,
    fields: Markup,
) -> Markup {
    let name = format!("motivo-{id}");
    let hint = format!("{name}-dica");
    let input = html! {
        input id=(name) name="motivo" type="text" required maxlength=(TEXT_CHARS) aria-describedby=(hint);
    };
    html! {
        details {
            summary { (word) }
            form class="campos" method="post" action=(to) {
                (hidden(operator))
                (fields)
                (field(&name, "Motivo", "Fica gravado, com a hora e quem fez.", input))
                div class="acoes" { button class="botao mini" { (word) } }
            }
        }
    }
}

/// Why nothing was done: a page of this session shows it above its list.
pub(super) const NO_REASON: &str = "Diga o motivo em uma linha de até 200 caracteres.";

/// The hidden field of every form that changes something: that it is a page of this
/// session.
pub(super) fn hidden(operator: &Operator) -> Markup {
    html! { input type="hidden" name="csrf" value=(operator.csrf); }
}
