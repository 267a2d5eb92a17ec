//! What goes into an export, one document at a time.

use super::{ExportOrder, selection};
use crate::sheet;
use crate::zip::write::{Done, Zip};
use authority::gateway::Gateway;
use base::{files, when};
use issuing::answer::RequestedRange;
use issuing::document::print;
use issuing::model::Model;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::convert::Infallible;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::Ordering;
use store::tables::eventos::{EventKind, EventoRow, EventoStatus};
use store::tables::exportacoes::{self, ExportRow, Place, Selection};
use store::tables::notas::NotaRow;
use store::tables::recebidas::{ReceivedNotaRow, ReceivedNotaStatus};
use store::tables::{artifacts, emitters, eventos};
use store::{TxError, stored};

/// Rows read at a time.
const PAGE: i64 = 50;
/// Missing documents an export names.
const NAMED: usize = 1_000;
const MANIFEST: &str = "manifesto.csv";

/// How a making ended that did not fail.
pub enum Built {
    Ready,
    /// Another node has taken the export.
    Fenced,
    /// The node stops.
    Stopped,
}

/// There is no room in one ZIP: trying again does not help.
#[derive(Debug, thiserror::Error)]
#[error("the documents do not fit into one ZIP")]
pub struct Full;

/// Writes the file of an export this node has claimed, and says it is ready.
///
/// # Errors
/// Database or disk failed; nothing was said.
pub async fn build(app: &Gateway, row: ExportRow, path: &Path) -> anyhow::Result<Built> {
    let request: ExportOrder = serde_json::from_str(&row.pedido)?;
    if let Some(folder) = path.parent() {
        files::folder(folder)?;
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    let titles = ["chave", "arquivo", "sha256", "situacao"].map(str::to_owned);
    let manifest = sheet::written(&[titles.to_vec()]);
    let builder = Builder {
        app,
        selection: selection(&row, &request),
        request,
        renewed_ms: app.now_ms(),
        row,
        zip: Some(Zip::new(BufWriter::new(file))),
        manifest,
        absent: Vec::new(),
    };
    builder.all().await
}

struct Builder<'a> {
    app: &'a Gateway,
    row: ExportRow,
    request: ExportOrder,
    selection: Selection,
    /// None only while another thread writes to it.
    zip: Option<Zip<BufWriter<File>>>,
    manifest: Vec<u8>,
    absent: Vec<Value>,
    renewed_ms: i64,
}

/// One file: what the manifest says of it, and where it goes.
struct Piece<'p> {
    chave: &'p str,
    status: &'p str,
    /// Id of the row, should two documents have one name.
    id: &'p str,
    /// `nfe/2026-11`.
    folder: &'p str,
    /// `3526…-procNFe.xml`.
    name: String,
    at_ms: i64,
}

impl Builder<'_> {
    async fn all(mut self) -> anyhow::Result<Built> {
        let mut notas_after = None;
        loop {
            let mut conn = self.app.db.walk_on(&self.row.account_id).await?;
            let page = exportacoes::notas(&mut conn, &self.selection, notas_after, PAGE).await?;
            drop(conn);
            for nota in page.rows {
                self.nota(nota).await?;
                if let Some(end) = self.beat().await? {
                    return Ok(end);
                }
            }
            notas_after = page.next;
            if notas_after.is_none() {
                break;
            }
            // None of a page may be of the period.
            if let Some(end) = self.renewed().await? {
                return Ok(end);
            }
        }
        let mut after = Place::default();
        // What is received is NF-e.
        while self.request.modelos[0] {
            let mut conn = self.app.db.walk_on(&self.row.account_id).await?;
            let page = exportacoes::recebidas(&mut conn, &self.selection, &after, PAGE).await?;
            drop(conn);
            let Some(last) = page.last() else { break };
            after = (last.created_at_ms, last.id.to_string());
            for received in page {
                self.received(&received).await?;
                if let Some(end) = self.beat().await? {
                    return Ok(end);
                }
            }
        }
        after = Place::default();
        loop {
            let mut conn = self.app.db.walk_on(&self.row.account_id).await?;
            let page = exportacoes::ranges(&mut conn, &self.selection, &after, PAGE).await?;
            drop(conn);
            let Some(last) = page.last() else { break };
            after = (last.created_at_ms, last.id.to_string());
            for range in page {
                self.range(&range).await?;
                if let Some(end) = self.beat().await? {
                    return Ok(end);
                }
            }
        }
        self.end().await
    }

    /// A note of ours, with its events and its PDF, and those of its correction letters.
    async fn nota(&mut self, nota: NotaRow) -> anyhow::Result<()> {
        let model = nota.modelo;
        let chave = clean([&nota.chave, &nota.numero_nfse, &nota.id]);
        let folder = format!("{}/{}", model.name(), month(&chave, nota.created_at_ms));
        let (xml_name, pdf_name) = match model {
            Model::Nfse => ("nfse.xml", "danfse.pdf"),
            Model::Nfe | Model::Nfce => ("procNFe.xml", "danfe.pdf"),
            Model::Cte => ("procCTe.xml", "dacte.pdf"),
            Model::Mdfe => ("procMDFe.xml", "damdfe.pdf"),
        };
        let piece = |name: String| Piece {
            chave: &nota.chave,
            status: nota.status.as_str(),
            id: &nota.id,
            folder: &folder,
            name,
            at_ms: nota.created_at_ms,
        };
        let xml = piece(format!("{chave}-{xml_name}"));
        let Some(bytes) = self.kept(&xml, nota.modelo.as_str()).await? else {
            return Ok(());
        };
        self.row.documentos += 1;
        let mut conn = self.app.db.read().await?;
        let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
        drop(conn);
        if self.request.xml {
            self.put(xml, bytes.clone()).await?;
            self.eventos(&events, &chave, &folder, model).await?;
        }
        if self.request.pdf {
            let mut conn = self.app.db.read().await?;
            let emitter = emitters::get(&mut conn, &nota.account_id, &nota.emitter_id).await?;
            drop(conn);
            let registry = self.app.registry.load();
            let (of, text, company) = (nota.clone(), bytes.clone(), emitter.clone());
            let drawn = tokio::task::spawn_blocking(move || {
                let logo = company.as_ref().map(print::logo).transpose()?.flatten();
                print::pdf(&registry, &of, &text, logo.as_deref())
            });
            self.put_pdf(piece(format!("{chave}-{pdf_name}")), drawn)
                .await?;
            let letters = events.iter().filter(|evento| {
                evento.tipo == EventKind::Cce && evento.status == EventoStatus::Registered
            });
            for evento in letters {
                let letter = Piece {
                    status: evento.status.as_str(),
                    id: &evento.id,
                    at_ms: evento.created_at_ms,
                    ..piece(format!("{chave}-cce-{:02}.pdf", evento.sequencia))
                };
                let Some(registered) = self.kept(&letter, "evento").await? else {
                    continue;
                };
                let (of, text, company) = (nota.clone(), bytes.clone(), emitter.clone());
                let drawn = tokio::task::spawn_blocking(move || {
                    let logo = company.as_ref().map(print::logo).transpose()?.flatten();
                    print::letter(&of, &registered, &text, logo.as_deref())
                });
                self.put_pdf(letter, drawn).await?;
            }
        }
        Ok(())
    }

    /// A note somebody issued against a company of ours.
    async fn received(&mut self, nota: &ReceivedNotaRow) -> anyhow::Result<()> {
        let chave = clean([&nota.chave, &nota.id]);
        let folder = format!("recebidas/{}", month(&chave, nota.created_at_ms));
        let (kind, suffix) = if nota.completa == 1 {
            ("completa", "procNFe")
        } else {
            ("resumo", "resNFe")
        };
        let piece = |name: String| Piece {
            chave: &nota.chave,
            status: nota.situacao.as_str(),
            id: &nota.id,
            folder: &folder,
            name,
            at_ms: nota.created_at_ms,
        };
        let xml = piece(format!("{chave}-{suffix}.xml"));
        let Some(bytes) = self.kept(&xml, kind).await? else {
            return Ok(());
        };
        self.row.documentos += 1;
        if self.request.xml {
            self.put(xml, bytes.clone()).await?;
            let mut conn = self.app.db.read().await?;
            let own = exportacoes::manifestations(&mut conn, nota).await?;
            let told = exportacoes::distributed(&mut conn, nota).await?;
            drop(conn);
            self.eventos(&own, &chave, &folder, Model::Nfe).await?;
            for evento in told {
                let piece = Piece {
                    chave: &evento.chave,
                    status: EventoStatus::Registered.as_str(),
                    id: &evento.id,
                    folder: &folder,
                    name: format!(
                        "{chave}-{}-{:02}-distribuido.xml",
                        clean([&evento.codigo]),
                        evento.sequencia
                    ),
                    at_ms: evento.created_at_ms,
                };
                if let Some(bytes) = self.kept(&piece, "evento").await? {
                    self.put(piece, bytes).await?;
                }
            }
        }
        // A summary has nothing to draw.
        if self.request.pdf && nota.completa == 1 {
            let (cancelled, simulated) = (
                nota.situacao == ReceivedNotaStatus::Cancelled,
                nota.simulada == 1,
            );
            let drawn =
                tokio::task::spawn_blocking(move || print::received(&bytes, cancelled, simulated));
            self.put_pdf(piece(format!("{chave}-danfe.pdf")), drawn)
                .await?;
        }
        Ok(())
    }

    /// A range of numbers that was voided: the request with the answer.
    async fn range(&mut self, evento: &EventoRow) -> anyhow::Result<()> {
        let range: RequestedRange = stored(&evento.detalhes, "details of an event", &evento.id)?;
        let piece = Piece {
            chave: &evento.chave,
            status: "inutilizada",
            id: &evento.id,
            folder: &format!("inutilizacoes/{}", month("", evento.created_at_ms)),
            name: format!(
                "{}-{}-{}-{}-procInutNFe.xml",
                range.modelo, range.serie, range.numero_inicial, range.numero_final
            ),
            at_ms: evento.created_at_ms,
        };
        let Some(bytes) = self.kept(&piece, "evento").await? else {
            return Ok(());
        };
        self.row.documentos += 1;
        if self.request.xml {
            self.put(piece, bytes).await?;
        }
        Ok(())
    }

    /// The registered ones of these events.
    async fn eventos(
        &mut self,
        events: &[EventoRow],
        chave: &str,
        folder: &str,
        model: Model,
    ) -> anyhow::Result<()> {
        let events = events
            .iter()
            .filter(|evento| evento.status == EventoStatus::Registered);
        for evento in events {
            let what = [evento.codigo.as_str(), evento.tipo.as_str()];
            let suffix = if model.is_product() {
                "procEventoNFe"
            } else {
                "evento"
            };
            let piece = Piece {
                chave: if evento.chave.is_empty() {
                    chave
                } else {
                    &evento.chave
                },
                status: evento.status.as_str(),
                id: &evento.id,
                folder,
                name: format!(
                    "{chave}-{}-{:02}-{suffix}.xml",
                    clean(what),
                    evento.sequencia
                ),
                at_ms: evento.created_at_ms,
            };
            if let Some(bytes) = self.kept(&piece, "evento").await? {
                self.put(piece, bytes).await?;
            }
        }
        Ok(())
    }

    /// The authority's bytes, if they are there and still the same.
    async fn kept(&mut self, piece: &Piece<'_>, kind: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let mut conn = self.app.db.read().await?;
        let kept = artifacts::get(&mut conn, &self.row.account_id, piece.id, kind).await?;
        let why = match kept {
            None => "sem_xml",
            Some(kept) if flow::hex(&Sha256::digest(&kept.bytes)) == kept.sha256 => {
                return Ok(Some(kept.bytes));
            }
            Some(_) => "hash_divergente",
        };
        self.miss(piece, why);
        Ok(None)
    }

    fn miss(&mut self, piece: &Piece<'_>, why: &str) {
        let one = json!({ "chave": piece.chave, "id": piece.id, "motivo": why });
        // A letter is looked for twice: for its XML and for its PDF.
        if self.absent.len() < NAMED && !self.absent.contains(&one) {
            self.absent.push(one);
        }
    }

    async fn put_pdf(
        &mut self,
        piece: Piece<'_>,
        drawn: tokio::task::JoinHandle<anyhow::Result<Vec<u8>>>,
    ) -> anyhow::Result<()> {
        match drawn.await.map_err(Into::into).flatten() {
            Ok(pdf) => self.put(piece, pdf).await,
            Err(error) => {
                tracing::error!(id = piece.id, error = %format!("{error:#}"), "PDF of an export cannot be drawn");
                self.miss(&piece, "pdf_nao_gerado");
                Ok(())
            }
        }
    }

    async fn put(&mut self, piece: Piece<'_>, bytes: Vec<u8>) -> anyhow::Result<()> {
        let mut name = format!("{}/{}", piece.folder, piece.name);
        if self.zip.as_ref().is_some_and(|zip| zip.has(&name)) {
            name = format!("{}/{}-{}", piece.folder, piece.id, piece.name);
        }
        let sha256 = flow::hex(&Sha256::digest(&bytes));
        let line = sheet::cells(&[piece.chave, &name, &sha256, piece.status]);
        self.manifest.extend_from_slice(line.as_bytes());
        self.pack(name, bytes, piece.at_ms).await
    }

    async fn pack(&mut self, name: String, bytes: Vec<u8>, at_ms: i64) -> anyhow::Result<()> {
        let mut zip = self.whole()?;
        let packed = tokio::task::spawn_blocking(move || {
            let added = zip.add(&name, &bytes, when::utc(at_ms));
            (zip, added)
        });
        let (zip, added) = packed.await?;
        self.zip = Some(zip);
        added.map_err(failed)
    }

    fn whole(&mut self) -> anyhow::Result<Zip<BufWriter<File>>> {
        let zip = self.zip.take();
        zip.ok_or_else(|| anyhow::anyhow!("the ZIP was lost in a panic"))
    }

    /// One document is done: says so now and then, and hears whether to go on.
    async fn beat(&mut self) -> anyhow::Result<Option<Built>> {
        self.row.feitos += 1;
        self.renewed().await
    }

    /// Keeps the export ours; how it ended where it is not or the hub stops.
    async fn renewed(&mut self) -> anyhow::Result<Option<Built>> {
        if self.app.draining.load(Ordering::Relaxed) {
            return Ok(Some(Built::Stopped));
        }
        let now_ms = self.app.now_ms();
        let lease_ms = self.app.config.flow.lease_ms;
        // The wall clock may be set back, too.
        if (0..lease_ms / 4).contains(&(now_ms - self.renewed_ms)) {
            return Ok(None);
        }
        self.renewed_ms = now_ms;
        let input = (self.row.clone(), now_ms + lease_ms, now_ms);
        let ours = self.app.db.write(input, |(row, until_ms, now_ms), conn| {
            Box::pin(async move {
                let ours = exportacoes::progress(conn, row, *until_ms, *now_ms).await?;
                Ok::<_, TxError<Infallible>>(ours)
            })
        });
        Ok((!ours.await?).then_some(Built::Fenced))
    }

    /// Closes the file, then says that it is there.
    async fn end(mut self) -> anyhow::Result<Built> {
        let manifest = std::mem::take(&mut self.manifest);
        self.pack(MANIFEST.to_owned(), manifest, self.row.created_at_ms)
            .await?;
        let zip = self.whole()?;
        let finished = tokio::task::spawn_blocking(move || {
            let Done { to, bytes, sha256 } = zip.finish()?;
            let file = to.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            Ok((bytes, sha256))
        });
        let (bytes, sha256) = finished.await?.map_err(failed)?;
        let now_ms = self.app.now_ms();
        let exports = &self.app.config.exports;
        let row = ExportRow {
            bytes: bytes.into(),
            sha256,
            ausentes: Value::from(self.absent).to_string(),
            expira_ms: now_ms + exports.link_hours * 3_600_000,
            ..self.row
        };
        let ready = self
            .app
            .db
            .write((row, now_ms, exports.kept), |(row, now_ms, kept), conn| {
                Box::pin(async move {
                    let ours = exportacoes::ready(conn, row, *now_ms).await?;
                    if ours {
                        exportacoes::expire_old(conn, &row.account_id, *now_ms, *kept).await?;
                    }
                    Ok::<_, TxError<Infallible>>(ours)
                })
            });
        Ok(if ready.await? {
            Built::Ready
        } else {
            Built::Fenced
        })
    }
}

fn failed(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::FileTooLarge => Full.into(),
        _ => error.into(),
    }
}

/// The first of these texts that says something, as part of a file's name.
fn clean<const N: usize>(texts: [&str; N]) -> String {
    let text = texts.into_iter().find(|text| !text.is_empty());
    let letters = text.into_iter().flat_map(|text| text.chars()).take(80);
    letters
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || letter == '_' {
                letter
            } else {
                '-'
            }
        })
        .collect()
}

/// Folder of a document: the month in the key of an NF-e, that in which the
/// hub got to know it for the others.
fn month(chave: &str, at_ms: i64) -> String {
    if chave.len() == 44 && chave.is_ascii() {
        return format!("20{}-{}", &chave[2..4], &chave[4..6]);
    }
    // The month its period is asked for with.
    let day = when::today(at_ms, "DF").to_string();
    day.chars().take(7).collect()
}
