//! Charts as SVG: they need no script and their numbers can be read.

use crate::parts::{table, whole};
use maud::{Markup, html};

/// Units of a bar with the room beside it, and of the tallest bar. The drawing
/// is stretched to the page; words stand outside it, or they would be, too.
const STEP: i64 = 10;
const BAR: i64 = 6;
const TALL: i64 = 100;

/// Bars of a series of days, each with its label. `unit`: one of it, and
/// several.
pub fn bars(title: &str, unit: (&str, &str), values: &[(String, i64)]) -> Markup {
    let amount = |value: i64| {
        let word = if value == 1 { unit.0 } else { unit.1 };
        format!("{} {word}", whole(value))
    };
    drawn(title, values, &amount, &whole)
}

/// As [`bars`], of amounts that `say` writes in words and `scale` short, beside
/// the axis.
pub fn drawn(
    title: &str,
    values: &[(String, i64)],
    say: &dyn Fn(i64) -> String,
    scale: &dyn Fn(i64) -> String,
) -> Markup {
    let width = STEP * i64::try_from(values.len()).unwrap_or(1).max(1);
    let top = round(values.iter().map(|(_, value)| *value).max().unwrap_or(0));
    let most = values.iter().max_by_key(|(_, value)| *value);
    let told = most.map_or_else(String::new, |(label, value)| {
        format!("{title}: o maior dia foi {label}, com {}", say(*value))
    });
    let label = |index: usize| values.get(index).map_or("", |(label, _)| label.as_str());
    let last = values.len().saturating_sub(1);
    html! {
        div class="grafico" {
            div class="escala" aria-hidden="true" {
                span { (scale(top)) }
                @if top > 1 { span { (scale(top / 2)) } }
                span { (scale(0)) }
            }
            svg viewBox=(format!("0 0 {width} {TALL}")) preserveAspectRatio="none" role="img" aria-label=(told) {
                @for y in [0, TALL / 2, TALL] { line class="eixo" x1="0" x2=(width) y1=(y) y2=(y) {} }
                @for (index, (label, value)) in (0_i64..).zip(values) {
                    @let height = (value * TALL / top.max(1)).max(i64::from(*value > 0) * 2);
                    // The whole column answers to the pointer, not the bar alone.
                    g class="coluna" {
                        title { (label) ": " (say(*value)) }
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

/// The numbers of a chart, opened by whoever wants to read them.
pub fn numbers(title: &str, head: &[&str], rows: Markup) -> Markup {
    html! {
        details class="mais" {
            summary { "Ver os números" }
            (table(title, head, rows))
        }
    }
}

/// The end of an axis: the next of 1, 2, 4 or 10 times a power of ten that
/// is not below a value, so that its half is a round number, too.
pub fn round(value: i64) -> i64 {
    let mut power: i64 = 1;
    while power < value.max(0) {
        for factor in [1, 2, 4] {
            if power * factor >= value {
                return power * factor;
            }
        }
        let Some(next) = power.checked_mul(10) else {
            return value;
        };
        power = next;
    }
    power
}
