//! Charts as SVG: they need no script and their numbers can be read.

use crate::parts::whole;
use maud::{Markup, html};

/// Units of a bar with the room beside it, and of the tallest bar. The drawing
/// is stretched to the page; words stand outside it, or they would be, too.
const STEP: i64 = 10;
const BAR: i64 = 6;
const TALL: i64 = 100;

/// Bars of a series of days, each with its label. `unit`: one of it, and
/// several.
pub fn bars(title: &str, unit: (&str, &str), values: &[(String, i64)]) -> Markup {
    let width = STEP * i64::try_from(values.len()).unwrap_or(1).max(1);
    let most = values.iter().map(|(_, value)| *value).max().unwrap_or(0);
    let amount = |value: i64| {
        let word = if value == 1 { unit.0 } else { unit.1 };
        format!("{} {word}", whole(value))
    };
    let label = |index: usize| values.get(index).map_or("", |(label, _)| label.as_str());
    let last = values.len().saturating_sub(1);
    html! {
        div class="grafico" {
            div class="teto" aria-hidden="true" { (amount(most)) }
            svg viewBox=(format!("0 0 {width} {TALL}")) preserveAspectRatio="none" role="img" aria-label=(format!("{title}: no máximo {} em um dia", amount(most))) {
                @for y in [0, TALL / 2, TALL] { line class="eixo" x1="0" x2=(width) y1=(y) y2=(y) {} }
                @for (index, (label, value)) in (0_i64..).zip(values) {
                    @let height = (value * TALL / most.max(1)).max(i64::from(*value > 0) * 2);
                    // The whole column answers to the pointer, not the bar alone.
                    g class="coluna" {
                        title { (label) ": " (amount(*value)) }
                        rect class="fundo" x=(index * STEP) y="0" width=(STEP) height=(TALL) {}
                        rect class="valor" x=(index * STEP + (STEP - BAR) / 2) y=(TALL - height) width=(BAR) height=(height) {}
                    }
                }
            }
            div class="datas" aria-hidden="true" {
                span { (label(0)) }
                @if last > 1 { span { (label(last / 2)) } }
                @if last > 0 { span { (label(last)) } }
            }
        }
    }
}
