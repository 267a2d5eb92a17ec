//! Whether a release that took a component's place fails so often that the hub
//! takes it back by itself. What is judged is what ended in this process.

use flow::Loaded;
use flow::component::Tally;

/// Flows of this time are judged: what broke last week is no verdict on today.
const WINDOW_MS: i64 = 15 * 60_000;
/// The component before is measured over a longer time: it may have been idle.
const BEFORE_MS: i64 = 24 * 3_600_000;

/// Broken flows below which nothing is said: one input that no component can handle
/// is no verdict.
const LEAST_BROKEN: usize = 3;
/// A release is taken back when so many in a hundred of its flows broke.
const BROKEN_PERCENT: usize = 5;

/// Flows on each side without which rates are not compared.
const LEAST_COMPARED: usize = 20;
/// Points of a hundred by which the rate of refused and not understood flows may be
/// above that of the component before. Cities refuse many notes for good reasons,
/// and not the same part of them every hour.
const REFUSED_POINTS: usize = 30;
/// The same for answers that were not understood: these are never the note's fault.
const UNEXPECTED_POINTS: usize = 10;

/// Why a release is taken back; `None`: it stays.
pub(super) fn failing(release: &Loaded, before: Option<&Loaded>, now_ms: i64) -> Option<String> {
    let now = release.health.since(now_ms - WINDOW_MS);
    broken(&now).or_else(|| {
        let before = before?.health.since(now_ms - BEFORE_MS);
        worse(&now, &before)
    })
}

/// What breaks for one emitter only, while other flows end well, may be the fault of
/// what that emitter sends.
fn broken(now: &Tally) -> Option<String> {
    let of_several = now.emitters_broke > 1 || now.broke == now.flows;
    let often = now.broke >= LEAST_BROKEN && now.broke * 100 >= now.flows * BROKEN_PERCENT;
    (often && of_several).then(|| format!("{} of {} flows broke", now.broke, now.flows))
}

fn worse(now: &Tally, before: &Tally) -> Option<String> {
    if now.flows.min(before.flows) < LEAST_COMPARED || now.emitters < 2 {
        return None;
    }
    let not_understood = (now.unexpected, before.unexpected);
    let neither = (
        now.refused + now.unexpected,
        before.refused + before.unexpected,
    );
    let kinds = [
        ("were not understood", not_understood, UNEXPECTED_POINTS),
        ("were refused or not understood", neither, REFUSED_POINTS),
    ];
    let (what, (of_now, of_before), _) =
        kinds.into_iter().find(|(_, (of_now, of_before), points)| {
            of_now * 100 / now.flows >= of_before * 100 / before.flows + points
        })?;
    Some(format!(
        "{of_now} of {} flows {what}; of the component before, {of_before} of {}",
        now.flows, before.flows
    ))
}
