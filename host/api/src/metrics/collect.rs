//! Metrics that are not counted but read when somebody asks: from the database,
//! the breaker, the disk and the process.

use super::levels::{Slow, number, of_certificates, of_database, of_tables, seconds};
use authority::breaker;
use base::metrics::{self, Value, begin_adapter, gauge, process};
use issuing::Issuing;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::DbResult;
use store::ids::AccountId;
use store::tables::metrics::{self as table, Levels};
use store::tables::releases::ReleaseStatus;
use store::tables::sizes::{self, TableLevel};
use tokio::sync::Mutex;
use vault::roots::Purpose;

/// A database slower than this is not waited for.
const DATABASE: Duration = Duration::from_secs(3);
/// How long numbers hold that cost the database more, milliseconds: they change in days.
const SLOW_MS: i64 = 300_000;
/// The same of the sizes of tables, which take the database longer still.
const TABLES_MS: i64 = 6 * 3_600_000;
/// What becomes of releases that is counted.
const CHANGES: [ReleaseStatus; 3] = [
    ReleaseStatus::Active,
    ReleaseStatus::Canary,
    ReleaseStatus::Quarantined,
];

/// What the database said, and when (epoch milliseconds).
type Said<T> = Mutex<Option<(i64, T)>>;

/// The sizes of tables: gathered apart, and told as they were until that ends.
#[derive(Default)]
struct Tables {
    said: Said<Vec<TableLevel>>,
    gathering: AtomicBool,
}

/// Answers with the numbers of a hub.
pub struct Collector {
    app: Issuing,
    last: Said<Levels>,
    slow: Said<Slow>,
    tables: Arc<Tables>,
}

impl Collector {
    pub fn new(app: Issuing) -> Collector {
        Collector {
            app,
            last: Mutex::default(),
            slow: Mutex::default(),
            tables: Arc::default(),
        }
    }

    /// The text of all metrics. What the database does not answer is left out:
    /// `hub_database_up` says so.
    pub async fn text(&self) -> String {
        let app = &self.app;
        let statuses = CHANGES.map(ReleaseStatus::as_str);
        for component in app.catalog.all() {
            begin_adapter(&component.description.name, &statuses);
        }
        let mut text = metrics::counted();
        process::write(&mut text);
        let now_ms = app.now_ms();
        let levels = self.levels(now_ms).await;
        let slow = self.slow(now_ms).await;
        let tables = self.tables(now_ms).await;
        let mut put = |name: &str, help: &str, values| gauge(&mut text, name, help, values);
        let one = |value: f64| vec![(Vec::new(), value)];
        put(
            "hub_database_up",
            "1 when the database answered this question.",
            one(f64::from(u8::from(levels.is_some()))),
        );
        if let Some(levels) = levels {
            for (name, help, value) in of_database(&levels, now_ms) {
                put(name, help, one(value));
            }
        }
        if let Some(slow) = slow {
            of_certificates(&slow.certificates, now_ms, &mut put);
            put(
                "hub_database_bytes",
                "Size of the database, its indexes included.",
                one(number(slow.database_bytes)),
            );
        }
        of_tables(&tables, &mut put);
        self.left_alone(now_ms, &mut put);
        self.disks(&mut put);
        self.trust(now_ms, &mut put);
        self.node(&mut put);
        text
    }

    /// Who is left alone or must wait.
    fn left_alone(&self, now_ms: i64, put: &mut impl FnMut(&str, &str, Vec<Value>)) {
        let app = &self.app;
        let (authorizers, companies) = app.breaker.open(now_ms);
        let of = |who: &str, count: usize| {
            let labels = vec![("who", who.to_owned())];
            (labels, number(i64::try_from(count).unwrap_or(i64::MAX)))
        };
        put(
            "hub_breaker_open",
            "Authorizers that are left alone, and companies that must wait.",
            vec![of("authorizer", authorizers), of("company", companies)],
        );
        let each = breaker::all(&app.registry.load(), &app.breaker, now_ms);
        let each = each.into_iter().map(|one| {
            let open = f64::from(u8::from(one.pause.is_some()));
            let ambiente = one.ambiente.as_str().to_owned();
            (vec![("authorizer", one.id), ("ambiente", ambiente)], open)
        });
        put(
            "hub_breaker_authorizer_open",
            "1 while this authorizer is left alone.",
            each.collect(),
        );
    }

    /// Room on the disks that this hub fills.
    fn disks(&self, put: &mut impl FnMut(&str, &str, Vec<Value>)) {
        let spaces: Vec<_> = self.app.room.spaces().collect();
        let bytes = |bytes: u64| number(i64::try_from(bytes).unwrap_or(i64::MAX));
        let of = |word: &str| vec![("folder", word.to_owned())];
        let free = spaces
            .iter()
            .map(|(word, space)| (of(word), bytes(space.free)));
        put(
            "hub_disk_free_bytes",
            "Room that is left on the disk of a folder: data, or database where SQLite is elsewhere.",
            free.collect(),
        );
        let total = spaces
            .iter()
            .map(|(word, space)| (of(word), bytes(space.total)));
        put("hub_disk_size_bytes", "Size of that disk.", total.collect());
        let each = self.app.room.each();
        let states = each.map(|(word, left)| (of(word), f64::from(left as u8)));
        put(
            "hub_disk_state",
            "0: enough room; 1: less than storage.free_space_warning; 2: less than storage.free_space_floor, nothing is issued.",
            states.collect(),
        );
    }

    /// When the next root ends that the hub itself brings or was given.
    fn trust(&self, now_ms: i64, put: &mut impl FnMut(&str, &str, Vec<Value>)) {
        let next = |purpose: Purpose| {
            let roots = self.app.roots.all().filter(|known| known.root);
            roots
                .filter(|known| known.purpose == purpose)
                .map(|known| known.facts.valid_until_ms)
                .filter(|until_ms| *until_ms > now_ms)
                .min()
        };
        let purposes = [Purpose::Server, Purpose::Signature].into_iter();
        let values = purposes.filter_map(|purpose| {
            let labels = vec![("purpose", purpose.as_str().to_owned())];
            Some((labels, seconds(next(purpose)? - now_ms)))
        });
        put(
            "hub_root_next_end_seconds",
            "Time until the next root certificate ends that the hub trusts, without those of the system.",
            values.collect(),
        );
    }

    /// The process itself.
    fn node(&self, put: &mut impl FnMut(&str, &str, Vec<Value>)) {
        let app = &self.app;
        let one = |value: f64| vec![(Vec::new(), value)];
        put(
            "hub_flows_running",
            "Flows this process is running.",
            one(number(i64::try_from(app.running.len()).unwrap_or(0))),
        );
        let leaving = app.leaving.load(Ordering::Relaxed);
        put(
            "hub_draining",
            "1 when the process was told to stop.",
            one(f64::from(u8::from(leaving))),
        );
        put(
            "hub_start_time_seconds",
            "When the process began, seconds since 1970.",
            one(seconds(app.started_ms)),
        );
        let version = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
        put("hub_build_info", "The program.", vec![(version, 1.0)]);
    }

    async fn levels(&self, now_ms: i64) -> Option<Levels> {
        let mut last = self.last.lock().await;
        let held = i64::try_from(self.app.config.metrics.collect_s).unwrap_or(i64::MAX);
        if let Some(levels) = fresh(&last, held.saturating_mul(1_000), now_ms) {
            return Some(levels);
        }
        let levels = in_time(async {
            let mut conn = self.app.db.walk(&AccountId::default()).await?;
            table::levels(&mut conn, now_ms).await
        });
        let levels = levels.await?;
        *last = Some((now_ms, levels.clone()));
        Some(levels)
    }

    async fn tables(&self, now_ms: i64) -> Vec<TableLevel> {
        let tables = &self.tables;
        if let Some(levels) = fresh(&*tables.said.lock().await, TABLES_MS, now_ms) {
            return levels;
        }
        if !tables.gathering.swap(true, Ordering::Relaxed) {
            let gathered = tokio::spawn(gather(self.app.clone(), tables.clone(), now_ms));
            // Of a small database they are there at once; others go on by themselves.
            let _in_time = tokio::time::timeout(DATABASE, gathered).await;
        }
        let said = tables.said.lock().await;
        said.as_ref().map(|said| said.1.clone()).unwrap_or_default()
    }

    async fn slow(&self, now_ms: i64) -> Option<Slow> {
        let mut last = self.slow.lock().await;
        if let Some(slow) = fresh(&last, SLOW_MS, now_ms) {
            return Some(slow);
        }
        let slow = in_time(async {
            let mut conn = self.app.db.walk(&AccountId::default()).await?;
            Ok(Slow {
                certificates: table::certificates(&mut conn, now_ms).await?,
                database_bytes: sizes::whole(&mut conn).await?,
            })
        });
        let slow = slow.await?;
        *last = Some((now_ms, slow.clone()));
        Some(slow)
    }
}

async fn gather(app: Issuing, tables: Arc<Tables>, now_ms: i64) {
    let found = async {
        let walk = app.db.walk(&AccountId::default()).await?;
        sizes::levels(walk).await
    };
    match found.await {
        Ok(levels) => *tables.said.lock().await = Some((now_ms, levels)),
        Err(error) => tracing::warn!(%error, "the database does not say the sizes of its tables"),
    }
    tables.gathering.store(false, Ordering::Relaxed);
}

/// What was said, if that is at most so long ago.
fn fresh<T: Clone>(said: &Option<(i64, T)>, held_ms: i64, now_ms: i64) -> Option<T> {
    let (at_ms, said) = said.as_ref()?;
    (0..held_ms)
        .contains(&(now_ms - at_ms))
        .then(|| said.clone())
}

/// What the database answers; None: it fails, or is too slow.
async fn in_time<T>(asked: impl Future<Output = DbResult<T>>) -> Option<T> {
    match tokio::time::timeout(DATABASE, asked).await {
        Ok(Ok(said)) => Some(said),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the database does not say its numbers");
            None
        }
        Err(_) => {
            tracing::warn!("the database is too slow to say its numbers");
            None
        }
    }
}
