//! Fields of forms, each with what is wrong with it beside it.

use super::wrong::Wrongs;
use crate::parts::{self, MUST};
use maud::{Markup, html};

/// A field with its label, what is wrong with it, and its hint. `input`: the input itself,
/// whose id is `name`.
pub fn framed(
    wrong: &Wrongs,
    class: &str,
    name: &str,
    label: &str,
    hint: &str,
    input: Markup,
) -> Markup {
    let label = parts::label(name, label, None);
    framed_by(wrong, class, (name, label), hint, input)
}

/// As [`framed`], of a field that must be filled in.
pub fn needed(
    wrong: &Wrongs,
    class: &str,
    name: &str,
    label: &str,
    hint: &str,
    input: Markup,
) -> Markup {
    let label = parts::label(name, label, MUST);
    framed_by(wrong, class, (name, label), hint, input)
}

fn framed_by(
    wrong: &Wrongs,
    class: &str,
    (name, label): (&str, Markup),
    hint: &str,
    input: Markup,
) -> Markup {
    html! {
        div class=(format!("campo {class}").trim_end()) {
            (label)
            div class="caixa" {
                (input)
                (wrong.beside(name))
                @if !hint.is_empty() { span class="dica" id=(format!("{name}-dica")) { (hint) } }
            }
        }
    }
}

/// A choice of one that may be wrong.
pub fn choice(
    wrong: &Wrongs,
    name: &str,
    hint: &str,
    options: &[(&str, &str)],
    chosen: &str,
) -> Markup {
    html! {
        select id=(name) name=(name) aria-invalid=[wrong.invalid(name)] aria-describedby=[wrong.described(name, hint)] autofocus[wrong.focus(name)] {
            @for (value, word) in options { option value=(value) selected[*value == chosen] { (word) } }
        }
    }
}
