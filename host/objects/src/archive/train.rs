//! Dictionaries of the documents a store has.

use super::BATCH;
use packing::{Dictionaries, Layout, Record, TrainError};
use std::collections::BTreeMap;
use store::Db;
use store::tables::{packed, packs};

/// Documents of a layout that a dictionary learns from, and most bytes of their texts.
const SAMPLES: usize = 1_000;
const BYTES: usize = 64 << 20;
/// Documents that are looked at.
const LOOKS: usize = 50_000;

/// A dictionary that was made.
pub struct Trained {
    pub layout: Layout,
    /// Above every one that was shipped.
    pub id: u32,
    pub bytes: Vec<u8>,
    /// Documents it learned from.
    pub samples: usize,
}

/// The documents of each layout.
#[derive(Default)]
struct Samples(BTreeMap<Layout, Vec<Record>>);

impl Samples {
    fn add(&mut self, layout: Layout, record: Record) {
        let all = self.0.entry(layout).or_default();
        let bytes: usize = all.iter().map(Record::len).sum();
        if all.len() < SAMPLES && bytes < BYTES {
            all.push(record);
        }
    }
}

/// Makes a dictionary of each layout that the store has enough documents of.
///
/// # Errors
/// The database failed, or holds what cannot be read.
pub async fn train(db: &Db) -> anyhow::Result<Vec<Trained>> {
    let mut samples = Samples::default();
    let mut after = (0, String::new());
    for _ in 0..LOOKS.div_ceil(BATCH.unsigned_abs() as usize) {
        let mut conn = db.read().await?;
        let flows = packs::settled(&mut conn, i64::MAX, (after.0, &after.1), BATCH).await?;
        let Some(last) = flows.last() else { break };
        after = (last.updated_at_ms, last.id.to_string());
        for flow in flows {
            if let Some((layout, record)) = packs::sample(&mut conn, &flow.subject_id).await? {
                samples.add(layout, record);
            }
        }
    }
    let mut after = String::new();
    for _ in 0..LOOKS.div_ceil(BATCH.unsigned_abs() as usize) {
        let mut conn = db.read().await?;
        let rows = packed::after(&mut conn, &after, BATCH).await?;
        let Some(last) = rows.last() else { break };
        after.clone_from(&last.subject_id);
        for row in rows {
            if let Some((layout, record)) = packs::sample(&mut conn, &row.subject_id).await? {
                samples.add(layout, record);
            }
        }
    }
    let ids = Dictionaries::shipped().all().iter().map(|one| one.id);
    let mut id = ids.max().unwrap_or(0);
    let mut trained = Vec::new();
    for (layout, records) in samples.0 {
        match packing::train(&records, packed::is_aside) {
            Ok(bytes) => {
                id += 1;
                trained.push(Trained {
                    layout,
                    id,
                    bytes,
                    samples: records.len(),
                });
            }
            Err(TrainError::TooFew(_)) => {}
            // zstd refuses samples that have nothing in common.
            Err(error) => tracing::warn!(layout = layout.name(), %error, "no dictionary"),
        }
    }
    Ok(trained)
}
