//! Whether a release that took a component's place fails so often that the hub
//! takes it back by itself.

use flow::Loaded;

/// Broken steps below which nothing is said of a release: one input that no
/// adapter can handle is no verdict.
const LEAST: u64 = 3;
/// A release is taken back when so many in a hundred of its steps broke.
const PERCENT: u64 = 5;

/// Why a release is taken back; `None`: it stays.
pub(super) fn failing(component: &Loaded) -> Option<String> {
    let (steps, broken) = (component.health.steps(), component.health.broken());
    (broken >= LEAST && broken * 100 >= steps * PERCENT)
        .then(|| format!("{broken} of {steps} steps broke"))
}
