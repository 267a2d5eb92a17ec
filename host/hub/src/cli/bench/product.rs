//! What an NF-e costs by itself: building, judging, signing, printing and
//! reading, on one thread, without the service around it.

use super::turns::{self, Rounds};
use anyhow::{Context as _, bail};
use compose::assembly::validate;
use compose::emitter::Emitter;
use compose::frame::{Ambiente, Data, Model, layout_of};
use fiscal::nfe::order::Pedido;
use fiscal::nfe::reading;
use markup::layout::Written;
use markup::xml::Document;
use markup::xmldsig::Algorithm;
use openssl::asn1::Asn1Time;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::sign::Signer;
use openssl::x509::{X509, X509Builder, X509NameBuilder};
use prints::danfe::{self, PrintOptions};
use serde_json::json;
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use time::OffsetDateTime;

/// Shortest measurement, and how many are made: the best one counts, because
/// everything else on the machine only adds.
const ROUND: Duration = Duration::from_millis(300);
const ROUNDS: usize = 5;
/// Rounds beside libxml2: each reads its schema twice.
const LIBXML2_ROUNDS: usize = 15;
/// Names the official schema libxml2 is asked to judge by.
pub const XSD: &str = "HUB_BENCH_XSD";
/// Items of the note that is measured.
const ITEMS: usize = 10;

pub struct Measured {
    /// Notes built, judged and signed per second.
    pub notes_per_s: f64,
    /// The same over RSA-2048 signatures per second.
    pub of_rsa_limit: Rounds,
    /// Each step by itself, per second: rules, taxes and text; the signature
    /// of a finished text; the verdict.
    pub built_per_s: f64,
    pub signed_per_s: f64,
    pub judged_per_s: f64,
    pub parsed_mb_per_s: f64,
    pub danfe_ms_per_page: f64,
    /// Time of our verdict over libxml2's, reading included in both.
    pub validation_over_libxml2: anyhow::Result<Rounds>,
    /// The note that was measured, and who signed it.
    pub xml: String,
    pub key: PKey<Private>,
    pub certificate: X509,
}

/// Measures everything.
///
/// # Errors
/// The note cannot be built: a mistake of ours.
pub fn measure(folder: &Path) -> anyhow::Result<Measured> {
    let key = PKey::from_rsa(Rsa::generate(2048)?)?;
    let certificate = self_signed(&key)?;
    let note = Note::new(certificate.to_der()?)?;
    let signature = || sign(&key, b"infNFe").map(|_| ());
    let issued = turns::in_turns(signature, || note.signed(&key).map(|_| ()))?;
    let xml = note.signed(&key)?;
    let build = best(|| note.written().map(|_| ()))?;
    let written = note.written()?;
    let seal = best(|| note.seal(written.clone(), &key).map(|_| ()))?;
    let parse = best(|| {
        let doc = Document::parse(&xml)?;
        std::hint::black_box(reading::read(&doc)?);
        Ok(())
    })?;
    let pages = pages(&danfe::danfe(&xml, &PrintOptions::default())?);
    let print = best(|| {
        std::hint::black_box(danfe::danfe(&xml, &PrintOptions::default())?);
        Ok(())
    })?;
    let judge = || {
        std::hint::black_box(layout_of(&note.data).validate(&xml));
        Ok(())
    };
    let verdict = best(judge)?;
    Ok(Measured {
        notes_per_s: 1.0 / turns::quickest(issued.iter().map(|(_, issue)| *issue))?,
        of_rsa_limit: turns::ratio(&issued)?,
        built_per_s: 1.0 / build,
        signed_per_s: 1.0 / seal,
        judged_per_s: 1.0 / verdict,
        parsed_mb_per_s: xml.len() as f64 / 1e6 / parse,
        danfe_ms_per_page: print * 1e3 / pages,
        validation_over_libxml2: libxml2(&xml, folder, judge),
        xml,
        key,
        certificate,
    })
}

/// Seconds of one call, of the best round.
fn best(mut call: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let (began, mut calls) = (Instant::now(), 0_u32);
        while began.elapsed() < ROUND {
            call()?;
            calls += 1;
        }
        best = best.min(began.elapsed().as_secs_f64() / f64::from(calls));
    }
    Ok(best)
}

/// A request and what the hub adds to it.
struct Note {
    /// Masks come off when it is first read; the service has a request of its own for each note,
    /// and copies none.
    request: RefCell<Pedido>,
    emitter: Emitter,
    data: Data,
    /// DER of the signer's certificate.
    certificate: Vec<u8>,
}

impl Note {
    fn new(certificate: Vec<u8>) -> anyhow::Result<Note> {
        let item = json!({ "codigo": "SKU1", "descricao": "Café torrado e moído em pacote", "ncm": "09012100", "quantidade": 2, "valor_unitario": 18.90 });
        let total = format!("{}.{:02}", 3780 * ITEMS / 100, 3780 * ITEMS % 100);
        let body = json!({
            "destinatario": {
                "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda", "indicador_ie": "9",
                "endereco": { "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": "3106200", "uf": "MG" }
            },
            "itens": vec![item; ITEMS], "pagamentos": [{ "forma": "pix", "valor": total }]
        });
        let emitter = json!({
            "cpf_cnpj": "11222333000181", "razao_social": "Empresa Exemplo Ltda", "ie": "0623079040081", "regime": "normal",
            "endereco": { "cep": "30130010", "logradouro": "Avenida Central", "numero": "100", "bairro": "Centro", "codigo_ibge": "3106200", "uf": "MG" },
            "padroes": {
                "cfop_interno": "5102", "origem": "0", "unidade": "UN", "icms": { "cst": "00", "aliquota": 18 },
                "pis": { "cst": "01", "aliquota": 1.65 }, "cofins": { "cst": "01", "aliquota": 7.6 },
                "ibs_cbs": { "cst": "000", "cclass_trib": "000001" }
            }
        });
        Ok(Note {
            request: RefCell::new(serde_json::from_value(body)?),
            emitter: serde_json::from_value(emitter)?,
            data: Data {
                modelo: Model::Nfe,
                ambiente: Ambiente::Producao,
                serie: 1,
                numero: 1,
                c_nf: 12_345_679,
                dh_emi: OffsetDateTime::now_utc().replace_nanosecond(0)?,
                tp_emis: 1,
                ver_proc: "hub bench".to_owned(),
            },
            certificate,
        })
    }

    /// All that happens to a note before it is sent: rules, taxes, layout,
    /// canonical text, signature.
    fn signed(&self, key: &PKey<Private>) -> anyhow::Result<String> {
        self.seal(self.written()?, key)
    }

    fn written(&self) -> anyhow::Result<Written> {
        let mut request = self.request.borrow_mut();
        let mut nota = validate(&mut request, &self.emitter, &self.data, self.data.dh_emi)
            .map_err(|wrong| anyhow::anyhow!("the note of the benchmark: {wrong:?}"))?;
        nota.take_document(&self.data)
            .map_err(|wrong| anyhow::anyhow!("the note of the benchmark: {wrong:?}"))
    }

    fn seal(&self, written: Written, key: &PKey<Private>) -> anyhow::Result<String> {
        let prepared = written.prepare(Algorithm::RsaSha1)?;
        let signature = sign(key, prepared.to_sign())?;
        Ok(prepared.finish(&signature, std::slice::from_ref(&self.certificate)))
    }
}

/// A certificate that says nothing but who signs.
fn self_signed(key: &PKey<Private>) -> anyhow::Result<X509> {
    let mut name = X509NameBuilder::new()?;
    name.append_entry_by_text("CN", "EMPRESA EXEMPLO LTDA:11222333000181")?;
    let name = name.build();
    let mut builder = X509Builder::new()?;
    builder.set_version(2)?;
    builder.set_subject_name(&name)?;
    builder.set_issuer_name(&name)?;
    builder.set_pubkey(key)?;
    builder.set_not_before(Asn1Time::days_from_now(0)?.as_ref())?;
    builder.set_not_after(Asn1Time::days_from_now(365)?.as_ref())?;
    builder.sign(key, MessageDigest::sha256())?;
    Ok(builder.build())
}

fn sign(key: &PKey<Private>, data: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut signer = Signer::new(MessageDigest::sha1(), key)?;
    signer.update(data)?;
    Ok(signer.sign_to_vec()?)
}

fn pages(pdf: &[u8]) -> f64 {
    let pages = String::from_utf8_lossy(pdf)
        .matches("/Type /Page\n")
        .count();
    f64::from(u32::try_from(pages.max(1)).unwrap_or(1))
}

/// Our verdict over that of `xmllint` against the official XSD, each for one more document.
fn libxml2(
    xml: &str,
    folder: &Path,
    judge: impl Fn() -> anyhow::Result<()>,
) -> anyhow::Result<Rounds> {
    const MORE: usize = 200;
    let schema = schema(std::env::var_os(XSD))?;
    let files: Vec<_> = (0..=MORE)
        .map(|n| folder.join(format!("{n}.xml")))
        .collect();
    for file in &files {
        std::fs::write(file, xml)?;
    }
    let run = |files: &[std::path::PathBuf]| -> anyhow::Result<f64> {
        let began = Instant::now();
        let done = Command::new("xmllint")
            .args(["--noout", "--nonet", "--schema"])
            .arg(&schema)
            .args(files)
            .output()
            .context("xmllint")?;
        if !done.status.success() {
            bail!(no_verdict(done.status.code(), &schema, &done.stderr));
        }
        Ok(began.elapsed().as_secs_f64())
    };
    let mut rounds = Vec::new();
    for _ in 0..LIBXML2_ROUNDS {
        let began = Instant::now();
        for _ in 0..MORE {
            judge()?;
        }
        let ours = began.elapsed().as_secs_f64();
        rounds.push((ours, run(&files)? - run(&files[..1])?));
    }
    turns::ratio(&rounds)
}

/// The file [`XSD`] names.
///
/// # Errors
/// It is not set, names a folder, or a file that is not there.
pub fn schema(given: Option<OsString>) -> anyhow::Result<PathBuf> {
    const FILE: &str = "nfe_v4.00.xsd";
    let Some(schema) = given.map(PathBuf::from) else {
        bail!("set {XSD} to the official {FILE}");
    };
    let shown = schema.display();
    if schema.is_dir() {
        bail!("{XSD} = {shown}: a folder; name the schema's file in it, as {shown}/{FILE}");
    }
    if !schema.is_file() {
        bail!("{XSD} = {shown}: there is no such file");
    }
    Ok(schema)
}

/// Why `xmllint` accepted nothing. Its exit codes 3 and 4 are about the
/// document; every other one is about the schema or about itself.
pub fn no_verdict(code: Option<i32>, schema: &Path, said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let first = said.lines().next().unwrap_or("it says nothing");
    match code {
        Some(3 | 4) => format!("the official XSD refuses the note: {first}"),
        _ => format!("xmllint cannot use {}: {first}", schema.display()),
    }
}
