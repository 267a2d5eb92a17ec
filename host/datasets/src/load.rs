//! The second pass: writes editions and makes them the active ones.

use crate::ImportError;
use crate::check::{Admission, Admitted, Checked, Seen};
use crate::files::Files;
use crate::formats::{self, Item, Label, Options, Sink};
use crate::progress::{Progress, Stage};
use crate::similar::index::{Finished, Index};
use crate::similar::postings::Postings;
use base::faultpoint;
use base::when::Clock;
use std::mem;
use std::sync::Arc;

use store::tables::catalog::{self, GtinRow, PostingRow, ProductRow, TermKind, WordRow};
use store::tables::editions::{self, CodeRow, EditionRow, EditionStatus};
use store::{Conn, Db, DbError, DbResult, TxError};
use tokio::sync::mpsc;

/// Rows of a transaction: on SQLite a hub that runs waits some ten milliseconds
/// for it.
const BATCH: usize = 2_000;
/// Batches that are read before they are written.
const AHEAD: usize = 4;

/// Rows of one transaction, and of which edition.
struct Batch {
    part: usize,
    rows: Rows,
}

/// Rows of one table.
enum Rows {
    Codes(Vec<CodeRow>),
    Products(Vec<ProductRow>),
    Gtins(Vec<GtinRow>),
    Words(Vec<WordRow>),
    Postings(Vec<PostingRow>),
}

/// An import that writes.
pub struct Load<'a> {
    pub db: &'a Db,
    pub clock: &'a Clock,
    pub files: &'a Files,
    pub options: &'a Options,
    pub progress: &'a Arc<Progress>,
}

impl Load<'_> {
    /// Writes what was judged; the active editions afterwards. If it fails, the
    /// editions of before stay active.
    ///
    /// # Errors
    /// The files changed since they were judged, or the database fails.
    pub async fn run(&self, checked: Checked) -> Result<Vec<EditionRow>, ImportError> {
        let begun = self.begin(&checked).await?;
        let loaded = self.write(&begun, checked).await;
        if loaded.is_err() {
            let ids: Vec<i64> = begun.iter().map(|edition| edition.id).collect();
            let retired = retire(self.db, ids, (self.clock)()).await;
            if let Err(error) = retired {
                tracing::warn!(%error, "rows of an import that failed stay until the next one");
            }
        }
        loaded.map(|()| begun)
    }

    async fn begin(&self, checked: &Checked) -> Result<Vec<EditionRow>, ImportError> {
        let now_ms = (self.clock)();
        let rows = checked.parts.iter().map(|part| EditionRow {
            id: 0,
            kind: checked.kind,
            scope: part.label.scope.clone(),
            status: EditionStatus::Loading,
            version: part.label.version.clone(),
            source: self.files.names(),
            sha256: self.files.sha256.clone(),
            row_count: i64::try_from(part.seen.rows()).unwrap_or(i64::MAX),
            valid_until: part.label.valid_until.clone(),
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
        });
        begin(self.db, rows.collect()).await
    }

    async fn write(&self, begun: &[EditionRow], checked: Checked) -> Result<(), ImportError> {
        self.progress.begin(Stage::Writing, self.files.bytes);
        let (sender, mut batches) = mpsc::channel(AHEAD);
        let reading = {
            let (files, options) = (self.files.clone(), self.options.clone());
            let (kind, progress) = (checked.kind, self.progress.clone());
            let mut writer = Writer::new(Admission::new(kind), sender);
            tokio::task::spawn_blocking(move || {
                formats::read(kind, &files, &options, &progress, &mut writer)?;
                writer.flush()?;
                // Without the sender: its end is the end of the batches.
                Ok::<_, ImportError>((writer.admission, writer.index))
            })
        };
        while let Some(batch) = batches.recv().await {
            self.batch(begun, batch).await?;
        }
        let read = reading
            .await
            .map_err(|error| ImportError::Refused(format!("reading ended: {error}")))??;
        let (admission, index) = read;
        let again = admission.checked(checked.report.clone());
        let same = |(old, new): (&crate::check::Part, &crate::check::Part)| {
            old.label == new.label && old.seen.rows() == new.seen.rows()
        };
        if again.parts.len() != checked.parts.len()
            || !checked.parts.iter().zip(&again.parts).all(same)
        {
            return Err(ImportError::Refused(
                "a file changed while it was read".to_owned(),
            ));
        }
        self.catalogue(begun, again, index).await?;
        unchanged(self.files).await?;
        faultpoint::hit("datasets.switch");
        switch(self.db, begun, (self.clock)()).await
    }

    /// Writes what finds products: their GTIN, and the words of their names.
    async fn catalogue(
        &self,
        begun: &[EditionRow],
        checked: Checked,
        index: Index,
    ) -> Result<(), ImportError> {
        let mut parts = checked.parts.into_iter();
        let Some(Seen::Products(gtins)) = parts.next().map(|part| part.seen) else {
            return Ok(());
        };
        let finished = tokio::task::spawn_blocking(|| index.finish()).await;
        let Finished { words, trigrams } =
            finished.map_err(|error| ImportError::Refused(format!("indexing ended: {error}")))?;
        let total = gtins.len() + 2 * words.len() + trigrams.len();
        self.progress.begin(Stage::Indexing, total as u64);
        for some in gtins.chunks(BATCH) {
            self.indexed(begun, Rows::Gtins(some.to_vec()), some.len())
                .await?;
        }
        let mut rows = Vec::with_capacity(BATCH);
        for ((word, _), place) in words.iter().zip(0_i64..) {
            rows.push(WordRow {
                place,
                word: word.clone(),
            });
            if rows.len() == BATCH {
                self.indexed(begun, Rows::Words(mem::take(&mut rows)), BATCH)
                    .await?;
            }
        }
        let count = rows.len();
        self.indexed(begun, Rows::Words(rows), count).await?;
        self.postings(begun, TermKind::Word, words).await?;
        self.postings(begun, TermKind::Trigram, trigrams).await
    }

    async fn postings(
        &self,
        begun: &[EditionRow],
        kind: TermKind,
        terms: Vec<(String, Postings)>,
    ) -> Result<(), ImportError> {
        let (mut rows, mut counted, mut bytes) = (Vec::new(), 0, 0);
        for (term, postings) in terms {
            counted += 1;
            let total = i64::from(postings.total());
            for (entries, part) in postings.into_parts().into_iter().zip(0_i64..) {
                bytes += entries.len();
                let term = term.clone();
                rows.push(PostingRow {
                    kind,
                    term,
                    part,
                    total,
                    entries,
                });
            }
            if rows.len() >= BATCH || bytes > 1 << 20 {
                self.indexed(begun, Rows::Postings(mem::take(&mut rows)), counted)
                    .await?;
                (counted, bytes) = (0, 0);
            }
        }
        self.indexed(begun, Rows::Postings(rows), counted).await
    }

    async fn indexed(
        &self,
        begun: &[EditionRow],
        rows: Rows,
        count: usize,
    ) -> Result<(), ImportError> {
        self.batch(begun, Batch { part: 0, rows }).await?;
        self.progress.add(count as u64);
        Ok(())
    }

    /// Writes rows in one transaction.
    async fn batch(&self, begun: &[EditionRow], batch: Batch) -> Result<(), ImportError> {
        let Some(edition) = begun.get(batch.part) else {
            return Err(ImportError::Refused(
                "a file changed while it was read".to_owned(),
            ));
        };
        let input = (edition.id, (self.clock)(), batch.rows);
        let written = self.db.write(input, |(edition, now_ms, rows), conn| {
            Box::pin(async move {
                insert(conn, *edition, rows).await?;
                Ok::<_, TxError<DbError>>(editions::touch(conn, *edition, *now_ms).await?)
            })
        });
        let alive = written.await.map_err(plain)?;
        faultpoint::hit("datasets.batch");
        if alive {
            Ok(())
        } else {
            Err(ImportError::Refused(
                "another process gave this import up".to_owned(),
            ))
        }
    }
}

/// As [`Files::unchanged`], off the threads that serve.
///
/// # Errors
/// As there.
pub(crate) async fn unchanged(files: &Files) -> Result<(), ImportError> {
    let files = files.clone();
    let looked = tokio::task::spawn_blocking(move || files.unchanged());
    let ended =
        |error: tokio::task::JoinError| ImportError::Refused(format!("reading ended: {error}"));
    looked.await.map_err(ended)?
}

/// Writes the rows of editions that begin; they with their numbers.
///
/// # Errors
/// The database fails.
pub(crate) async fn begin(db: &Db, rows: Vec<EditionRow>) -> Result<Vec<EditionRow>, ImportError> {
    let begun = db.write(rows, |rows, conn| {
        Box::pin(async move {
            let mut begun = Vec::with_capacity(rows.len());
            for row in rows {
                let id = editions::begin(conn, row).await?;
                begun.push(EditionRow { id, ..row.clone() });
            }
            Ok::<_, TxError<DbError>>(begun)
        })
    });
    begun.await.map_err(plain)
}

/// All editions of an import become the active ones, or none. The database looks at
/// their rows first, so that the first answer made of them is planned with them.
///
/// # Errors
/// The database fails, or another process gave the import up.
pub(crate) async fn switch(db: &Db, begun: &[EditionRow], now_ms: i64) -> Result<(), ImportError> {
    let looked = db.write((), |(), conn| {
        Box::pin(async move { Ok::<_, TxError<DbError>>(editions::analyze(conn).await?) })
    });
    looked.await.map_err(plain)?;
    let switched = db.write((begun.to_vec(), now_ms), |(begun, now_ms), conn| {
        Box::pin(async move {
            for edition in begun {
                editions::count_rows(conn, edition.id, edition.row_count).await?;
                if !editions::activate(conn, edition, *now_ms).await? {
                    return Err(TxError::Abort("another process gave this import up"));
                }
            }
            Ok(())
        })
    });
    switched.await.map_err(|error| match error {
        TxError::Abort(why) => ImportError::Refused(why.to_owned()),
        TxError::Db(error) => ImportError::Db(error),
    })
}

/// Gives editions up; their rows may be deleted.
///
/// # Errors
/// The database fails.
pub(crate) async fn retire(db: &Db, ids: Vec<i64>, now_ms: i64) -> Result<(), ImportError> {
    let retired = db.write((ids, now_ms), |(ids, now_ms), conn| {
        Box::pin(async move {
            for id in ids {
                editions::retire(conn, *id, *now_ms).await?;
            }
            Ok::<_, TxError<DbError>>(())
        })
    });
    retired.await.map_err(plain)
}

async fn insert(conn: &mut Conn, edition: i64, rows: &Rows) -> DbResult<()> {
    match rows {
        Rows::Codes(rows) => editions::insert_rows(conn, edition, rows).await,
        Rows::Products(rows) => catalog::insert_products(conn, edition, rows).await,
        Rows::Gtins(rows) => catalog::insert_gtins(conn, edition, rows).await,
        Rows::Words(rows) => catalog::insert_words(conn, edition, rows).await,
        Rows::Postings(rows) => catalog::insert_postings(conn, edition, rows).await,
    }
}

/// The body of these transactions never says no by itself.
pub(crate) fn plain(error: TxError<DbError>) -> ImportError {
    match error {
        TxError::Abort(error) | TxError::Db(error) => ImportError::Db(error),
    }
}

/// Hands what is let in to whoever writes it.
struct Writer {
    admission: Admission,
    index: Index,
    codes: Vec<CodeRow>,
    products: Vec<ProductRow>,
    batches: mpsc::Sender<Batch>,
    /// Whoever wrote has stopped.
    stopped: bool,
}

impl Writer {
    fn new(admission: Admission, batches: mpsc::Sender<Batch>) -> Writer {
        Writer {
            admission,
            index: Index::default(),
            codes: Vec::new(),
            products: Vec::new(),
            batches,
            stopped: false,
        }
    }

    fn send(&mut self, rows: Rows) {
        let batch = Batch {
            part: self.admission.part(),
            rows,
        };
        self.stopped |= self.batches.blocking_send(batch).is_err();
    }

    fn flush(&mut self) -> Result<(), ImportError> {
        if !self.codes.is_empty() {
            let rows = mem::take(&mut self.codes);
            self.send(Rows::Codes(rows));
        }
        if !self.products.is_empty() {
            let rows = mem::take(&mut self.products);
            self.send(Rows::Products(rows));
        }
        if self.stopped {
            return Err(ImportError::Refused("writing stopped".to_owned()));
        }
        Ok(())
    }
}

impl Sink for Writer {
    fn begin(&mut self, file: &str, scope: &str) -> Result<(), ImportError> {
        self.flush()?;
        self.admission.begin(file, scope)
    }

    fn item(&mut self, item: Item) -> Result<(), String> {
        match self.admission.admit(item)? {
            Admitted::Code { code, content } => self.codes.push(CodeRow { code, content }),
            Admitted::Product {
                place,
                product,
                content,
            } => {
                self.index
                    .add(place, &format!("{} {}", product.name, product.brand));
                self.products.push(ProductRow {
                    place: i64::from(place),
                    content,
                });
            }
        }
        if self.codes.len() >= BATCH || self.products.len() >= BATCH {
            self.flush().map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn end(&mut self, label: Label) -> Result<(), ImportError> {
        self.flush()?;
        self.admission.end(label)
    }
}
