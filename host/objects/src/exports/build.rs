//! What goes into an export, one document at a time.

use super::zip::{Done, Zip};
use super::{ExportOrder, escolha};
use authority::gateway::Gateway;
use base::{files, when};
use issuing::answer::FaixaPedida;
use issuing::document::print;
use issuing::model::Modelo;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::convert::Infallible;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::Ordering;
use store::tables::eventos::{EventoRow, EventoStatus};
use store::tables::exportacoes::{self, Escolha, ExportacaoRow, Place};
use store::tables::notas::NotaRow;
use store::tables::recebidas::{RecebidaRow, RecebidaSituacao};
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
pub async fn build(app: &Gateway, row: ExportacaoRow, path: &Path) -> anyhow::Result<Built> {
    let pedido: ExportOrder = serde_json::from_str(&row.pedido)?;
    if let Some(folder) = path.parent() {
        files::folder(folder)?;
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    let mut manifest = csv::Writer::from_writer(Vec::new());
    manifest.write_record(["chave", "arquivo", "sha256", "situacao"])?;
    let builder = Builder {
        app,
        escolha: escolha(&row, &pedido),
        pedido,
        renewed_ms: app.now_ms(),
        row,
        zip: Some(Zip::new(BufWriter::new(file))),
        manifest,
        ausentes: Vec::new(),
    };
    builder.all().await
}

struct Builder<'a> {
    app: &'a Gateway,
    row: ExportacaoRow,
    pedido: ExportOrder,
    escolha: Escolha,
    /// None only while another thread writes to it.
    zip: Option<Zip<BufWriter<File>>>,
    manifest: csv::Writer<Vec<u8>>,
    ausentes: Vec<Value>,
    renewed_ms: i64,
}

/// One file: what the manifest says of it, and where it goes.
struct Peca<'p> {
    chave: &'p str,
    situacao: &'p str,
    /// Id of the row, should two documents have one name.
    id: &'p str,
    /// `nfe/2026-11`.
    pasta: &'p str,
    /// `3526…-procNFe.xml`.
    nome: String,
    at_ms: i64,
}

impl Builder<'_> {
    async fn all(mut self) -> anyhow::Result<Built> {
        let mut after = Place::default();
        loop {
            let mut conn = self.app.db.walk(&self.row.account_id).await?;
            let page = exportacoes::notas(&mut conn, &self.escolha, &after, PAGE).await?;
            drop(conn);
            let Some(last) = page.last() else { break };
            after = (last.created_at_ms, last.id.to_string());
            for nota in page {
                self.nota(nota).await?;
                if let Some(end) = self.beat().await? {
                    return Ok(end);
                }
            }
        }
        after = Place::default();
        // What is received is NF-e.
        while self.pedido.modelos[0] {
            let mut conn = self.app.db.walk(&self.row.account_id).await?;
            let page = exportacoes::recebidas(&mut conn, &self.escolha, &after, PAGE).await?;
            drop(conn);
            let Some(last) = page.last() else { break };
            after = (last.created_at_ms, last.id.to_string());
            for recebida in page {
                self.recebida(&recebida).await?;
                if let Some(end) = self.beat().await? {
                    return Ok(end);
                }
            }
        }
        after = Place::default();
        loop {
            let mut conn = self.app.db.walk(&self.row.account_id).await?;
            let page = exportacoes::faixas(&mut conn, &self.escolha, &after, PAGE).await?;
            drop(conn);
            let Some(last) = page.last() else { break };
            after = (last.created_at_ms, last.id.to_string());
            for faixa in page {
                self.faixa(&faixa).await?;
                if let Some(end) = self.beat().await? {
                    return Ok(end);
                }
            }
        }
        self.end().await
    }

    /// A note of ours, with its events and its PDF.
    async fn nota(&mut self, nota: NotaRow) -> anyhow::Result<()> {
        let modelo = nota.modelo;
        let chave = clean([&nota.chave, &nota.numero_nfse, &nota.id]);
        let pasta = format!("{}/{}", modelo.nome(), month(&chave, nota.created_at_ms));
        let (xml_name, pdf_name) = match modelo {
            Modelo::Nfse => ("nfse.xml", "danfse.pdf"),
            Modelo::Nfe | Modelo::Nfce => ("procNFe.xml", "danfe.pdf"),
        };
        let peca = |nome: String| Peca {
            chave: &nota.chave,
            situacao: nota.status.as_str(),
            id: &nota.id,
            pasta: &pasta,
            nome,
            at_ms: nota.created_at_ms,
        };
        let xml = peca(format!("{chave}-{xml_name}"));
        let Some(bytes) = self.kept(&xml, nota.modelo.as_str()).await? else {
            return Ok(());
        };
        self.row.documentos += 1;
        if self.pedido.xml {
            self.put(xml, bytes.clone()).await?;
            let mut conn = self.app.db.read().await?;
            let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
            drop(conn);
            self.eventos(&events, &chave, &pasta, modelo).await?;
        }
        if self.pedido.pdf {
            let mut conn = self.app.db.read().await?;
            let emitter = emitters::get(&mut conn, &nota.account_id, &nota.emitter_id).await?;
            drop(conn);
            let registry = self.app.registry.load();
            let of = nota.clone();
            let drawn = tokio::task::spawn_blocking(move || {
                let logo = emitter.as_ref().map(print::logo).transpose()?.flatten();
                print::pdf(&registry, &of, &bytes, logo.as_deref())
            });
            self.put_pdf(peca(format!("{chave}-{pdf_name}")), drawn)
                .await?;
        }
        Ok(())
    }

    /// A note somebody issued against a company of ours.
    async fn recebida(&mut self, nota: &RecebidaRow) -> anyhow::Result<()> {
        let chave = clean([&nota.chave, &nota.id]);
        let pasta = format!("recebidas/{}", month(&chave, nota.created_at_ms));
        let (tipo, suffix) = if nota.completa == 1 {
            ("completa", "procNFe")
        } else {
            ("resumo", "resNFe")
        };
        let peca = |nome: String| Peca {
            chave: &nota.chave,
            situacao: nota.situacao.as_str(),
            id: &nota.id,
            pasta: &pasta,
            nome,
            at_ms: nota.created_at_ms,
        };
        let xml = peca(format!("{chave}-{suffix}.xml"));
        let Some(bytes) = self.kept(&xml, tipo).await? else {
            return Ok(());
        };
        self.row.documentos += 1;
        if self.pedido.xml {
            self.put(xml, bytes.clone()).await?;
            let mut conn = self.app.db.read().await?;
            let own = exportacoes::manifestacoes(&mut conn, nota).await?;
            let told = exportacoes::distribuidos(&mut conn, nota).await?;
            drop(conn);
            self.eventos(&own, &chave, &pasta, Modelo::Nfe).await?;
            for evento in told {
                let peca = Peca {
                    chave: &evento.chave,
                    situacao: EventoStatus::Registrado.as_str(),
                    id: &evento.id,
                    pasta: &pasta,
                    nome: format!(
                        "{chave}-{}-{:02}-distribuido.xml",
                        clean([&evento.codigo]),
                        evento.sequencia
                    ),
                    at_ms: evento.created_at_ms,
                };
                if let Some(bytes) = self.kept(&peca, "evento").await? {
                    self.put(peca, bytes).await?;
                }
            }
        }
        // A summary has nothing to draw.
        if self.pedido.pdf && nota.completa == 1 {
            let (cancelada, simulada) = (
                nota.situacao == RecebidaSituacao::Cancelada,
                nota.simulada == 1,
            );
            let drawn =
                tokio::task::spawn_blocking(move || print::recebida(&bytes, cancelada, simulada));
            self.put_pdf(peca(format!("{chave}-danfe.pdf")), drawn)
                .await?;
        }
        Ok(())
    }

    /// A range of numbers that was voided: the request with the answer.
    async fn faixa(&mut self, evento: &EventoRow) -> anyhow::Result<()> {
        let faixa: FaixaPedida = stored(&evento.detalhes, "details of an event", &evento.id)?;
        let peca = Peca {
            chave: &evento.chave,
            situacao: "inutilizada",
            id: &evento.id,
            pasta: &format!("inutilizacoes/{}", month("", evento.created_at_ms)),
            nome: format!(
                "{}-{}-{}-{}-procInutNFe.xml",
                faixa.modelo, faixa.serie, faixa.numero_inicial, faixa.numero_final
            ),
            at_ms: evento.created_at_ms,
        };
        let Some(bytes) = self.kept(&peca, "evento").await? else {
            return Ok(());
        };
        self.row.documentos += 1;
        if self.pedido.xml {
            self.put(peca, bytes).await?;
        }
        Ok(())
    }

    /// The registered ones of these events.
    async fn eventos(
        &mut self,
        events: &[EventoRow],
        chave: &str,
        pasta: &str,
        modelo: Modelo,
    ) -> anyhow::Result<()> {
        let events = events
            .iter()
            .filter(|evento| evento.status == EventoStatus::Registrado);
        for evento in events {
            let what = [evento.codigo.as_str(), evento.tipo.as_str()];
            let suffix = if modelo.is_produto() {
                "procEventoNFe"
            } else {
                "evento"
            };
            let peca = Peca {
                chave: if evento.chave.is_empty() {
                    chave
                } else {
                    &evento.chave
                },
                situacao: evento.status.as_str(),
                id: &evento.id,
                pasta,
                nome: format!(
                    "{chave}-{}-{:02}-{suffix}.xml",
                    clean(what),
                    evento.sequencia
                ),
                at_ms: evento.created_at_ms,
            };
            if let Some(bytes) = self.kept(&peca, "evento").await? {
                self.put(peca, bytes).await?;
            }
        }
        Ok(())
    }

    /// The authority's bytes, if they are there and still the same.
    async fn kept(&mut self, peca: &Peca<'_>, tipo: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let mut conn = self.app.db.read().await?;
        let kept = artifacts::get(&mut conn, &self.row.account_id, peca.id, tipo).await?;
        let why = match kept {
            None => "sem_xml",
            Some(kept) if flow::hex(&Sha256::digest(&kept.bytes)) == kept.sha256 => {
                return Ok(Some(kept.bytes));
            }
            Some(_) => "hash_divergente",
        };
        self.miss(peca, why);
        Ok(None)
    }

    fn miss(&mut self, peca: &Peca<'_>, why: &str) {
        if self.ausentes.len() < NAMED {
            self.ausentes
                .push(json!({ "chave": peca.chave, "id": peca.id, "motivo": why }));
        }
    }

    async fn put_pdf(
        &mut self,
        peca: Peca<'_>,
        drawn: tokio::task::JoinHandle<anyhow::Result<Vec<u8>>>,
    ) -> anyhow::Result<()> {
        match drawn.await.map_err(Into::into).flatten() {
            Ok(pdf) => self.put(peca, pdf).await,
            Err(error) => {
                tracing::error!(id = peca.id, error = %format!("{error:#}"), "PDF of an export cannot be drawn");
                self.miss(&peca, "pdf_nao_gerado");
                Ok(())
            }
        }
    }

    async fn put(&mut self, peca: Peca<'_>, bytes: Vec<u8>) -> anyhow::Result<()> {
        let mut name = format!("{}/{}", peca.pasta, peca.nome);
        if self.zip.as_ref().is_some_and(|zip| zip.has(&name)) {
            name = format!("{}/{}-{}", peca.pasta, peca.id, peca.nome);
        }
        let sha256 = flow::hex(&Sha256::digest(&bytes));
        self.manifest
            .write_record([peca.chave, &name, &sha256, peca.situacao])?;
        self.pack(name, bytes, peca.at_ms).await
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
        if self.app.draining.load(Ordering::Relaxed) {
            return Ok(Some(Built::Stopped));
        }
        let now_ms = self.app.now_ms();
        let lease_ms = self.app.config.flow.lease_ms;
        if now_ms - self.renewed_ms < lease_ms / 4 {
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
        let manifest = std::mem::replace(&mut self.manifest, csv::Writer::from_writer(Vec::new()));
        let manifest = manifest
            .into_inner()
            .map_err(|error| anyhow::anyhow!("{error}"))?;
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
        let row = ExportacaoRow {
            bytes: bytes.into(),
            sha256,
            ausentes: Value::from(self.ausentes).to_string(),
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
