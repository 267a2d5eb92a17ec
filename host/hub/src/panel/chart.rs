//! Charts as SVG: they need no script and their numbers can be read.

use super::parts::whole;
use maud::{Markup, html};

const WIDTH: i64 = 640;
const HEIGHT: i64 = 180;
const FOOT: i64 = 22;
const HEAD: i64 = 16;

/// Bars of a series, one per label; the table below them is for who cannot
/// see them.
pub fn bars(title: &str, unit: &str, values: &[(String, i64)]) -> Markup {
    let count = i64::try_from(values.len()).unwrap_or(1).max(1);
    let most = values
        .iter()
        .map(|(_, value)| *value)
        .max()
        .unwrap_or(0)
        .max(1);
    let step = WIDTH / count;
    let width = (step * 7 / 10).max(2);
    let room = HEIGHT - FOOT - HEAD;
    let every = (count / 8).max(1);
    html! {
        svg class="barras" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(format!("{title}: máximo de {} {unit}", whole(most))) {
            line class="eixo" x1="0" x2=(WIDTH) y1=(HEIGHT - FOOT) y2=(HEIGHT - FOOT) {}
            text x="0" y="12" { (format!("{} {unit}", whole(most))) }
            @for (index, (label, value)) in (0_i64..).zip(values) {
                @let height = (value * room / most).max(i64::from(*value > 0) * 2);
                @let left = index * step + (step - width) / 2;
                rect class="barra" x=(left) y=(HEIGHT - FOOT - height) width=(width) height=(height) rx="3" {
                    title { (label) ": " (whole(*value)) " " (unit) }
                }
                @if index % every == 0 {
                    text x=(left) y=(HEIGHT - 6) { (label) }
                }
            }
        }
    }
}
