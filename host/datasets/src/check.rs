//! The first pass over the files of an import: what is in them.

use crate::ImportError;
use crate::catalog::product::Product;
use crate::files::Files;
use crate::formats::{self, Item, Label, Options, Sink};
use crate::progress::{Progress, Stage};
use crate::report::Report;
use base::when;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::tables::catalog::GtinRow;
use store::tables::editions::DatasetKind;
use time::Duration;

/// How far the day of a table may be ahead: some are published before they hold.
const AHEAD: Duration = Duration::days(31);
/// Largest number of products of an edition: their places and the index are kept
/// in memory while it is imported (about 150 bytes a product).
const MOST_PRODUCTS: usize = 20_000_000;

/// The files, judged.
#[derive(Debug)]
pub struct Checked {
    pub kind: DatasetKind,
    pub report: Report,
    pub parts: Vec<Part>,
}

/// What will be one edition.
#[derive(Debug)]
pub struct Part {
    pub label: Label,
    pub seen: Seen,
}

/// Rows of an edition, by key, with the digest of each.
#[derive(Debug)]
pub enum Seen {
    /// Code, digest.
    Codes(HashMap<String, i64>),
    /// Sorted by GTIN once all lines were read.
    Products(Vec<GtinRow>),
}

impl Seen {
    /// How many rows.
    pub fn rows(&self) -> usize {
        match self {
            Seen::Codes(codes) => codes.len(),
            Seen::Products(gtins) => gtins.len(),
        }
    }
}

/// Reads and judges the files; writes nothing.
///
/// # Errors
/// A file is not what the kind takes, is cut short, or has too many wrong lines.
pub fn check(
    kind: DatasetKind,
    files: &Files,
    options: &Options,
    progress: &Arc<Progress>,
) -> Result<Checked, ImportError> {
    progress.begin(Stage::Checking, files.bytes);
    let mut admission = Admission::new(kind);
    let report = formats::read(kind, files, options, progress, &mut admission)?;
    let checked = admission.checked(report);
    if checked.parts.iter().all(|part| part.seen.rows() == 0) && !checked.report.too_many() {
        return Err(checked.report.no_rows());
    }
    for part in &checked.parts {
        in_time(&part.label.version, &options.today)?;
    }
    Ok(checked)
}

/// Whether the day of a table is not too far ahead.
///
/// # Errors
/// It is: the table would answer at once, and keep those
/// of the days between from being imported. What is no day is a name of its own.
fn in_time(version: &str, today: &str) -> Result<(), ImportError> {
    let day = |text| when::parse_date(text);
    let Some((version, today)) = day(version).zip(day(today)) else {
        return Ok(());
    };
    if version <= today + AHEAD {
        return Ok(());
    }
    Err(ImportError::Refused(format!(
        "the table is of {version}, more than a month ahead of today"
    )))
}

/// Lets each key into its edition once. Both passes use it, so that they agree.
#[derive(Debug)]
pub(crate) struct Admission {
    kind: DatasetKind,
    parts: Vec<Part>,
    /// GTIN of the products so far.
    gtins: HashSet<i64>,
}

/// A row that was let in.
#[derive(Debug)]
pub(crate) enum Admitted {
    Code {
        code: String,
        content: String,
    },
    Product {
        place: u32,
        product: Box<Product>,
        content: String,
    },
}

impl Admission {
    pub(crate) fn new(kind: DatasetKind) -> Admission {
        Admission {
            kind,
            parts: Vec::new(),
            gtins: HashSet::new(),
        }
    }

    /// The place of the edition that is being read.
    pub(crate) fn part(&self) -> usize {
        self.parts.len().saturating_sub(1)
    }

    /// Lets a row in, unless its key was there.
    ///
    /// # Errors
    /// The sentence why it does not count.
    pub(crate) fn admit(&mut self, item: Item) -> Result<Admitted, String> {
        let part = self.parts.last_mut().ok_or("a row before its file")?;
        match (item, &mut part.seen) {
            (Item::Code { code, content }, Seen::Codes(codes)) => {
                if codes.contains_key(&code) {
                    return Err(format!("{code} is there already; the first one counts"));
                }
                codes.insert(code.clone(), digest(&content));
                Ok(Admitted::Code { code, content })
            }
            (Item::Product { gtin, product }, Seen::Products(rows)) => {
                if rows.len() >= MOST_PRODUCTS {
                    return Err(format!("more than {MOST_PRODUCTS} products"));
                }
                if !self.gtins.insert(gtin) {
                    return Err(format!(
                        "gtin {} is there already; the first one counts",
                        product.gtin
                    ));
                }
                let content = serde_json::to_string(&product).map_err(|error| error.to_string())?;
                let place = u32::try_from(rows.len()).map_err(|error| error.to_string())?;
                rows.push(GtinRow {
                    gtin,
                    place: i64::from(place),
                    digest: digest(&content),
                });
                Ok(Admitted::Product {
                    place,
                    product,
                    content,
                })
            }
            _ => Err("a row of another kind".to_owned()),
        }
    }

    pub(crate) fn checked(mut self, report: Report) -> Checked {
        for part in &mut self.parts {
            if let Seen::Products(rows) = &mut part.seen {
                rows.sort_unstable_by_key(|row| row.gtin);
            }
        }
        Checked {
            kind: self.kind,
            report,
            parts: self.parts,
        }
    }
}

impl Sink for Admission {
    fn begin(&mut self, file: &str, scope: &str) -> Result<(), ImportError> {
        let products = matches!(
            self.kind,
            DatasetKind::Products | DatasetKind::OpenFoodFacts
        );
        if self.parts.iter().any(|part| part.label.scope == scope) {
            if products {
                return Ok(());
            }
            let what = if scope.is_empty() { "this kind" } else { scope };
            return Err(ImportError::of(file, format!("a second file of {what}")));
        }
        self.parts.push(Part {
            label: Label {
                scope: scope.to_owned(),
                ..Label::default()
            },
            seen: if products {
                Seen::Products(Vec::new())
            } else {
                Seen::Codes(HashMap::new())
            },
        });
        Ok(())
    }

    fn item(&mut self, item: Item) -> Result<(), String> {
        self.admit(item).map(drop)
    }

    fn end(&mut self, label: Label) -> Result<(), ImportError> {
        if let Some(part) = self.parts.last_mut() {
            part.label = label;
        }
        Ok(())
    }
}

/// FNV-1a, 64 bits: whether a content changed, of files an operator trusts.
pub(crate) fn digest(text: &str) -> i64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    i64::from_ne_bytes(hash.to_ne_bytes())
}
