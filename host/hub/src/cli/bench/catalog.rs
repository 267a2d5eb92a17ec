//! `hub bench --products N`: generated products imported in one go, and how long
//! look-ups in them take beside a bare SELECT by key.

use super::Target;
use anyhow::Context as _;
use base::when;
use datasets::catalog::{self, search};
use datasets::formats::Options;
use datasets::import::{self, Order};
use datasets::progress::Progress;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Db;
use store::tables::catalog as tables;
use store::tables::editions::DatasetKind;
use tools::barcode::{Barcode, check_digit};

/// Look-ups of each kind.
const ASKED: u32 = 2_000;
/// Kinds of words of a name, as many as names in shops have.
const GOODS: u32 = 600;
const DETAILS: u32 = 6_000;
const BRANDS: u32 = 60_000;
const SIZES: u32 = 120;

/// Imports `count` products into `url` (an empty database; absent: a SQLite file
/// in `scratch`) and prints times and ratios.
///
/// # Errors
/// The import fails.
pub(super) async fn bench(
    scratch: &Path,
    url: Option<String>,
    count: u32,
) -> anyhow::Result<ExitCode> {
    let file = scratch.join("produtos.csv");
    generate(&file, count).context("the list cannot be written")?;
    let url = url.unwrap_or_else(|| format!("sqlite:{}", scratch.join("hub.db").display()));
    let db = Db::open(&url, 4).await?;
    let clock = when::system_clock();
    let order = Order {
        kind: DatasetKind::Products,
        paths: vec![file],
        options: Options {
            today: when::today(clock(), "DF").to_string(),
            ..Options::default()
        },
        dry_run: false,
    };
    let progress = Arc::new(Progress::default());
    let shown = crate::cli::datasets::show(progress.clone());
    let began = Instant::now();
    let imported = import::run(&db, &clock, &order, &progress).await;
    shown.abort();
    let imported = imported?;
    let rows: usize = imported.editions.iter().map(|edition| edition.rows).sum();
    say!(
        "{rows} products imported in {:.1} s",
        began.elapsed().as_secs_f64()
    );
    let mut conn = db.read().await?;
    let editions = catalog::loaded(&mut conn).await?;
    let edition = editions.first().context("no edition is active")?.id;
    let (mut bare, mut by_code, mut by_name) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = Random(7);
    for turn in 0..ASKED {
        let number = random.below(count);
        let code = Barcode::parse(&ean(number))?;
        let place = [i64::from(number)];
        let began = Instant::now();
        let row = tables::products(&mut conn, edition, &place).await?;
        bare.push(began.elapsed());
        anyhow::ensure!(row.len() == 1, "product {number} is missing");
        let began = Instant::now();
        let known = catalog::get(&mut conn, None, &code).await?;
        by_code.push(began.elapsed());
        anyhow::ensure!(known.is_some(), "product {number} is not found by its code");
        if turn % 4 == 0 {
            let query = query(&mut random, number, turn / 4);
            let began = Instant::now();
            let hits = search::search(&mut conn, None, &query).await?;
            by_name.push(began.elapsed());
            anyhow::ensure!(!hits.is_empty(), "{query:?} finds nothing");
        }
    }
    drop(conn);
    let bare = (percentile(&mut bare, 50), percentile(&mut bare, 99));
    say!("bare SELECT by key: p50 {}, p99 {}", ms(bare.0), ms(bare.1));
    told("product by its bar code", &mut by_code, bare.0, 5.0);
    told("products by name", &mut by_name, bare.0, 50.0);
    Ok(ExitCode::SUCCESS)
}

fn told(what: &str, times: &mut [Duration], bare: Duration, most_ms: f64) {
    let (middle, late) = (percentile(times, 50), percentile(times, 99));
    let target = Target::AtMost(most_ms);
    let late_ms = late.as_secs_f64() * 1_000.0;
    say!(
        "{what}: p50 {}, p99 {} (target {} ms) {}; p50 / bare SELECT {:.1}, p99 / bare SELECT {:.1}",
        ms(middle),
        ms(late),
        target.text(),
        target.verdict(late_ms.into()),
        middle.as_secs_f64() / bare.as_secs_f64(),
        late.as_secs_f64() / bare.as_secs_f64()
    );
}

fn ms(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1_000.0)
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    let place = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(place).copied().unwrap_or_default()
}

/// Numbers that are the same at every run (Marsaglia, xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 >> 32).unwrap_or_default()
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.next() % bound.max(1)
    }

    /// Small numbers more often than large ones, as words in names are.
    fn skewed(&mut self, bound: u32) -> u32 {
        let (a, b) = (self.below(bound), self.below(bound));
        u32::try_from(u64::from(a) * u64::from(b) / u64::from(bound.max(1))).unwrap_or_default()
    }
}

/// A word that can be spoken, made of a number.
fn word(kind: u32, number: u32) -> String {
    const BEGIN: [&str; 16] = [
        "b", "c", "d", "f", "g", "j", "l", "m", "n", "p", "r", "s", "t", "v", "br", "tr",
    ];
    const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];
    let mut rest = number
        .wrapping_mul(2_654_435_761)
        .wrapping_add(kind.wrapping_mul(97));
    let mut word = String::new();
    for _ in 0..3 {
        let (begin, vowel) = (rest % 16, rest / 16 % 5);
        word.push_str(BEGIN.get(begin as usize).copied().unwrap_or_default());
        word.push_str(VOWELS.get(vowel as usize).copied().unwrap_or_default());
        rest /= 80;
    }
    // The number itself keeps words apart.
    word + VOWELS.get((kind % 5) as usize).copied().unwrap_or_default()
}

/// The words of a product's name, the same for the same number.
fn name(number: u32) -> [String; 5] {
    let mut random = Random(u64::from(number) << 20 | 0x9e37_79b9);
    for _ in 0..4 {
        random.next();
    }
    [
        word(1, random.skewed(GOODS)),
        word(2, random.skewed(DETAILS)),
        word(3, random.skewed(DETAILS)),
        word(4, random.skewed(BRANDS)),
        format!("{}g", (random.skewed(SIZES) + 1) * 10),
    ]
}

fn ean(number: u32) -> String {
    // Not in the order of the file.
    let payload = format!("789{:09}", u64::from(number) * 7_919 % 1_000_000_000);
    let check = check_digit(&payload).unwrap_or('0');
    format!("{payload}{check}")
}

/// What somebody may look for: two words of a name, four, one word and the size, or
/// one that is misspelled.
fn query(random: &mut Random, number: u32, turn: u32) -> String {
    let [good, first, second, brand, size] = name(number);
    match turn % 4 {
        0 => format!("{good} {brand}"),
        1 => format!("{good} {first} {second} {size}"),
        2 => format!("{good} {size}"),
        _ => {
            let cut = 1 + random.below(4) as usize;
            let misspelled: String = brand
                .chars()
                .enumerate()
                .filter(|(at, _)| *at != cut)
                .map(|(_, c)| c)
                .collect();
            format!("{first} {misspelled}x")
        }
    }
}

fn generate(file: &Path, count: u32) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    writeln!(out, "gtin;nome;marca;ncm;unidade")?;
    for number in 0..count {
        let [good, first, second, brand, size] = name(number);
        writeln!(
            out,
            "{};{good} {first} {second} {brand} {size};{brand};17019900;UN",
            ean(number)
        )?;
    }
    out.flush()
}
