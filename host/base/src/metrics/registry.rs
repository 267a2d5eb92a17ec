//! Counters and histograms, and the text Prometheus reads (format 0.0.4).

use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most series of one metric. Labels come from short lists; if that is ever
/// wrong, further values are counted together as `other`.
pub const SERIES: usize = 2_000;
const REST: &str = "other";

type Labels<const N: usize> = [String; N];
/// Values by their labels, in the order of these. One is found without a copy of its labels, which
/// a map would ask for.
type Series<const N: usize, T> = Vec<(Labels<N>, T)>;

/// Counts of what happened, by labels.
pub struct Counters<const N: usize> {
    name: &'static str,
    help: &'static str,
    labels: [&'static str; N],
    series: Mutex<Series<N, u64>>,
}

/// Values in buckets, by labels.
pub struct Histograms<const N: usize> {
    name: &'static str,
    help: &'static str,
    labels: [&'static str; N],
    /// Upper bounds, in growing order; values above the last one are counted
    /// too.
    bounds: &'static [f64],
    series: Mutex<Series<N, Buckets>>,
}

#[derive(Clone, Default)]
struct Buckets {
    counts: Vec<u64>,
    count: u64,
    sum: f64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The value of these labels, or that of the rest when there are too many.
fn of<'s, const N: usize, T: Default>(
    series: &'s mut Series<N, T>,
    labels: [&str; N],
) -> &'s mut T {
    let found = series.binary_search_by(|(known, _)| {
        let known = known.iter().map(String::as_str);
        known.cmp(labels)
    });
    let place = match found {
        Ok(place) => place,
        Err(_) if N > 0 && series.len() >= SERIES && labels != [REST; N] => {
            return of(series, [REST; N]);
        }
        Err(place) => {
            series.insert(place, (labels.map(str::to_owned), T::default()));
            place
        }
    };
    &mut series[place].1
}

impl<const N: usize> Counters<N> {
    /// Nothing counted yet, under a name, with the names of the labels and a
    /// sentence about it.
    pub const fn new(
        name: &'static str,
        labels: [&'static str; N],
        help: &'static str,
    ) -> Counters<N> {
        Counters {
            name,
            help,
            labels,
            series: Mutex::new(Vec::new()),
        }
    }

    /// One more.
    pub fn count(&self, labels: [&str; N]) {
        *of(&mut lock(&self.series), labels) += 1;
    }

    /// Says that nothing was counted yet under these labels: Prometheus sees no increase
    /// in the first value of a series, so one that may alarm begins with 0.
    pub fn begin(&self, labels: [&str; N]) {
        let mut series = lock(&self.series);
        if N > 0 && series.len() >= SERIES {
            return;
        }
        of(&mut series, labels);
    }

    /// Adds what was counted so far to a text, as Prometheus reads it.
    pub fn write(&self, text: &mut String) {
        head(text, self.name, self.help, "counter");
        for (labels, count) in lock(&self.series).iter() {
            line(text, self.name, &pairs(&self.labels, labels), *count);
        }
    }
}

impl<const N: usize> Histograms<N> {
    /// No values yet, under a name, with the names of the labels, the upper
    /// bounds of the buckets in growing order, and a sentence about it.
    pub const fn new(
        name: &'static str,
        labels: [&'static str; N],
        bounds: &'static [f64],
        help: &'static str,
    ) -> Histograms<N> {
        Histograms {
            name,
            help,
            labels,
            bounds,
            series: Mutex::new(Vec::new()),
        }
    }

    /// A value.
    pub fn observe(&self, labels: [&str; N], value: f64) {
        let mut series = lock(&self.series);
        let buckets = of(&mut series, labels);
        buckets.counts.resize(self.bounds.len(), 0);
        if let Some(first) = self.bounds.iter().position(|bound| value <= *bound) {
            buckets.counts[first] += 1;
        }
        buckets.count += 1;
        buckets.sum += value;
    }

    /// A time, in seconds.
    pub fn took(&self, labels: [&str; N], time: Duration) {
        self.observe(labels, time.as_secs_f64());
    }

    /// Adds what was counted so far to a text, as Prometheus reads it.
    pub fn write(&self, text: &mut String) {
        head(text, self.name, self.help, "histogram");
        for (labels, buckets) in lock(&self.series).iter() {
            let own = pairs(&self.labels, labels);
            let mut below = 0;
            let named = format!("{}_bucket", self.name);
            let bounds = self.bounds.iter().map(ToString::to_string);
            for (bound, count) in bounds.zip(&buckets.counts) {
                below += count;
                let labels = [own.clone(), vec![("le", bound)]].concat();
                line(text, &named, &labels, below);
            }
            let labels = [own.clone(), vec![("le", "+Inf".to_owned())]].concat();
            line(text, &named, &labels, buckets.count);
            line(text, &format!("{}_sum", self.name), &own, buckets.sum);
            line(text, &format!("{}_count", self.name), &own, buckets.count);
        }
    }
}

/// Labels and value of one line.
pub type Value = (Vec<(&'static str, String)>, f64);

/// A sum that something else counts.
pub fn counter(text: &mut String, name: &str, help: &str, value: f64) {
    head(text, name, help, "counter");
    line(text, name, &[], value);
}

/// Values of this moment.
pub fn gauge(text: &mut String, name: &str, help: &str, values: Vec<Value>) {
    head(text, name, help, "gauge");
    for (labels, value) in values {
        line(text, name, &labels, value);
    }
}

fn pairs<const N: usize>(
    names: &[&'static str; N],
    values: &Labels<N>,
) -> Vec<(&'static str, String)> {
    names.iter().copied().zip(values.iter().cloned()).collect()
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    let help = help.replace('\\', "\\\\").replace('\n', "\\n");
    put(
        text,
        format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"),
    );
}

fn line(
    text: &mut String,
    name: &str,
    labels: &[(&'static str, String)],
    value: impl std::fmt::Display,
) {
    let labels: Vec<String> = labels
        .iter()
        .map(|(name, value)| {
            let value = value
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            format!("{name}=\"{value}\"")
        })
        .collect();
    let labels = if labels.is_empty() {
        String::new()
    } else {
        format!("{{{}}}", labels.join(","))
    };
    put(text, format_args!("{name}{labels} {value}\n"));
}

/// A text takes what is written into it.
fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    if text.write_fmt(what).is_err() {
        tracing::error!("a metric cannot be written");
    }
}
