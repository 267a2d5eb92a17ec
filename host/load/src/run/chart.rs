//! A picture of a run: latency by the second above, rate below. It says its
//! colours itself, for light and dark pages, and needs no script.

use super::report::Report;
use super::tally::Second;
use std::fmt::Write as _;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 420.0;
/// Where the axes are.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 944.0;
const LATENCY: (f64, f64) = (48.0, 252.0);
const RATE: (f64, f64) = (292.0, 380.0);
/// Points of a line, at most: more would not be seen.
const POINTS: usize = 600;

const STYLE: &str = "svg{background:#fff;color:#222;font:12px system-ui,sans-serif}text{fill:currentColor}\
.grid{stroke:currentColor;stroke-opacity:.15}.line{fill:none;stroke-width:1.5}.p50{stroke:#0b6bcb;color:#0b6bcb}\
.p99{stroke:#c2410c;color:#c2410c}.rate{stroke:#15803d;color:#15803d}text.p50,text.p99,text.rate{stroke:none}\
@media(prefers-color-scheme:dark){svg{background:#16181d;color:#e6e6e6}.p50{stroke:#6cb4ff;color:#6cb4ff}\
.p99{stroke:#ff9d66;color:#ff9d66}.rate{stroke:#6fd08c;color:#6fd08c}}";

/// A round number that is not below another.
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.max(1e-3).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let step = steps.iter().find(|step| **step * power >= value);
    step.unwrap_or(&10.0) * power
}

/// A panel of the picture: from its top to its bottom, up to a value.
struct Panel {
    place: (f64, f64),
    most: f64,
    seconds: f64,
}

impl Panel {
    fn y(&self, value: f64) -> f64 {
        let (top, bottom) = self.place;
        bottom - (value / self.most).clamp(0.0, 1.0) * (bottom - top)
    }

    fn x(&self, second: f64) -> f64 {
        LEFT + second / self.seconds * (RIGHT - LEFT)
    }

    fn grid(&self, out: &mut String, unit: &str) -> std::fmt::Result {
        for part in 0..=4 {
            let value = self.most * f64::from(part) / 4.0;
            let y = self.y(value);
            write!(
                out,
                r#"<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:.1}" y2="{y:.1}"/>"#
            )?;
            let label = if self.most >= 8.0 {
                format!("{value:.0}")
            } else {
                format!("{value:.2}")
            };
            let (x, y) = (LEFT - 6.0, y + 4.0);
            write!(
                out,
                r#"<text x="{x}" y="{y:.1}" text-anchor="end">{label}</text>"#
            )?;
        }
        let y = self.place.0 - 10.0;
        write!(out, r#"<text x="8" y="{y}">{unit}</text>"#)
    }

    fn line(&self, out: &mut String, class: &str, points: &[(f64, f64)]) -> std::fmt::Result {
        write!(out, r#"<polyline class="line {class}" points=""#)?;
        for (second, value) in points {
            write!(out, "{:.1},{:.1} ", self.x(*second), self.y(*value))?;
        }
        out.push_str(r#""/>"#);
        Ok(())
    }
}

/// Points of a line. Where there are too many, several seconds share one: the worst of them.
fn points(seconds: &[Second], value: fn(&Second) -> f64) -> Vec<(f64, f64)> {
    let together = seconds.len().div_ceil(POINTS).max(1);
    let groups = seconds.chunks(together).map(|group| {
        let worst = group.iter().map(value).fold(0.0, f64::max);
        (group[0].at_s as f64, worst)
    });
    groups.collect()
}

/// The picture.
pub fn svg(report: &Report) -> String {
    let mut out = String::new();
    // Writing into a string does not fail.
    let _ = draw(&mut out, report);
    out
}

fn draw(out: &mut String, report: &Report) -> std::fmt::Result {
    let seconds = &report.by_second;
    let length = seconds.last().map_or(1.0, |last| last.at_s as f64 + 1.0);
    let most = |value: fn(&Second) -> f64| seconds.iter().map(value).fold(0.0, f64::max);
    let latency = Panel {
        place: LATENCY,
        most: round_up(most(|second| second.p99_ms)),
        seconds: length,
    };
    let per_s = most(|second| second.answered as f64).max(report.rate);
    let rate = Panel {
        place: RATE,
        most: round_up(per_s),
        seconds: length,
    };
    write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Latency and rate by the second"><style>{STYLE}</style>"#
    )?;
    let total = &report.total;
    write!(
        out,
        r#"<text x="{LEFT}" y="20">{:.0}/s for {} s: p50 {:.1} ms, p99 {:.1} ms, p99.9 {:.1} ms, {} errors</text>"#,
        report.rate, report.seconds, total.p50_ms, total.p99_ms, total.p999_ms, total.errors
    )?;
    latency.grid(out, "ms")?;
    rate.grid(out, "per s")?;
    for (x, class, name) in [
        (RIGHT - 120.0, "p50", "p50"),
        (RIGHT - 80.0, "p99", "p99"),
        (RIGHT - 40.0, "rate", "rate"),
    ] {
        write!(out, r#"<text class="{class}" x="{x}" y="20">{name}</text>"#)?;
    }
    latency.line(out, "p99", &points(seconds, |second| second.p99_ms))?;
    latency.line(out, "p50", &points(seconds, |second| second.p50_ms))?;
    rate.line(
        out,
        "rate",
        &points(seconds, |second| second.answered as f64),
    )?;
    for part in 0..=4 {
        let second = length * f64::from(part) / 4.0;
        let (x, y) = (rate.x(second), RATE.1 + 20.0);
        write!(
            out,
            r#"<text x="{x:.1}" y="{y}" text-anchor="middle">{second:.0} s</text>"#
        )?;
    }
    out.push_str("</svg>\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::report::tests::example;
    use quick_xml::events::Event;

    /// Elements of a text that is well formed.
    fn elements(svg: &str) -> Vec<String> {
        let mut reader = quick_xml::Reader::from_str(svg);
        let mut found = Vec::new();
        loop {
            match reader.read_event().expect("well formed") {
                Event::Start(element) | Event::Empty(element) => {
                    let name = element.name();
                    found.push(AsRef::<str>::as_ref(&name).to_owned());
                    for attribute in element.attributes() {
                        attribute.expect("an attribute");
                    }
                }
                Event::Eof => return found,
                _ => {}
            }
        }
    }

    #[test]
    fn the_picture_is_well_formed_and_has_three_lines() {
        for report in [example(), Report::default()] {
            let drawn = svg(&report);
            let found = elements(&drawn);
            assert_eq!(found.iter().filter(|name| *name == "polyline").count(), 3);
            assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        }
        let found = elements(&svg(&example()));
        assert_eq!(found[0], "svg");
    }

    #[test]
    fn long_runs_keep_their_worst_seconds() {
        let seconds: Vec<Second> = (0..3_600)
            .map(|at_s| Second {
                at_s,
                p99_ms: if at_s == 1_801 { 900.0 } else { 5.0 },
                ..Second::default()
            })
            .collect();
        let points = points(&seconds, |second| second.p99_ms);
        assert_eq!(points.len(), 600);
        assert!(points.contains(&(1_800.0, 900.0)));
    }

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, rounded) in [
            (0.0, 0.001),
            (3.0, 5.0),
            (5.0, 5.0),
            (180.0, 200.0),
            (201.0, 500.0),
            (900.0, 1_000.0),
        ] {
            assert!((round_up(value) - rounded).abs() < 1e-9, "{value}");
        }
    }
}
