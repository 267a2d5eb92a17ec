//! The customer's side of a flow: signatures and secrets, never shown to the
//! adapter.

pub mod audit;
mod permitted;

use crate::gateway::Gateway;
use crate::tls::TlsIdentity;
use crate::way::{Mode, Way};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use flow::contract::{SignError, signer};
use flow::{Allow, Signing};
use markup::xml::C14n;
use markup::xmldsig::{self, Placement, SignSpec, SignXmlError};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use store::ids::{AccountId, CertificateId, EmitterId};
use vault::certificate::Certificate;
use vault::envelope::Aad;
use vault::signing::signers::Opened;
use vault::signing::{Algorithm, Signer};
use zeroize::Zeroizing;

/// Name by which an adapter refers to the document in a placeholder.
pub const DOCUMENTO: &str = "documento";
/// The same document compressed, gzip in base64: how CT-e and MDF-e are sent.
pub const DOCUMENTO_GZIP: &str = "documento_gzip";

/// Largest document an adapter may have signed.
const SIGNED_BYTES: usize = 2 << 20;
// What the pre-flight of a product note lets through can be signed.
const _: () = assert!(markup::xmldsig::MAX_DOCUMENTO < SIGNED_BYTES);

pub struct IssuingCustomer {
    signer: Option<Arc<Signer>>,
    valid_until_ms: i64,
    now_ms: i64,
    secrets: BTreeMap<String, Zeroizing<String>>,
    /// The signed document, which fills placeholders of its own.
    documento: Option<Arc<[u8]>>,
}

/// What sealed data belongs to; changing a word here makes old data unreadable.
pub fn certificate_aad<'a>(account: &'a AccountId, certificate: &'a CertificateId) -> Aad<'a> {
    Aad {
        account,
        owner: certificate,
        purpose: "certificate-key",
        version: 1,
    }
}

pub fn secret_aad<'a>(account: &'a AccountId, emitter: &'a EmitterId) -> Aad<'a> {
    Aad {
        account,
        owner: emitter,
        purpose: "emitter-secret",
        version: 1,
    }
}

impl IssuingCustomer {
    /// Opens certificate and secrets of a flow.
    ///
    /// # Errors
    /// The database failed, or a sealed value cannot be opened.
    pub async fn open(
        app: &Gateway,
        account: &AccountId,
        cnpj: &str,
        way: &Way,
    ) -> anyhow::Result<IssuingCustomer> {
        let mut secrets = BTreeMap::new();
        let mut conn = app.db.read().await?;
        for row in store::tables::secrets::of_emitter(&mut conn, account, &way.emitter_id).await? {
            let plain = app
                .keyring
                .open(&row.blob, &secret_aad(account, &row.emitter_id))?;
            secrets.insert(row.nome, Zeroizing::new(String::from_utf8(plain.to_vec())?));
        }
        drop(conn);
        let customer = IssuingCustomer::without_secrets(app, account, cnpj, way).await?;
        Ok(IssuingCustomer {
            secrets,
            ..customer
        })
    }

    /// Opens the certificate of a flow whose emitter has no secrets.
    ///
    /// # Errors
    /// As [`IssuingCustomer::open`].
    pub async fn without_secrets(
        app: &Gateway,
        account: &AccountId,
        cnpj: &str,
        way: &Way,
    ) -> anyhow::Result<IssuingCustomer> {
        let now_ms = app.now_ms();
        let opened = match (way.certificate_id.as_ref(), way.mode) {
            (None, Mode::InProcess) => Some(simulated(app, cnpj, now_ms).await?),
            (None, _) => None,
            (Some(id), _) => Some(own(app, account, id, now_ms).await?),
        };
        Ok(IssuingCustomer {
            valid_until_ms: opened
                .as_ref()
                .map_or(i64::MAX, |opened| opened.valid_until_ms),
            signer: opened.map(|opened| opened.signer.clone()),
            now_ms,
            secrets: BTreeMap::new(),
            documento: None,
        })
    }

    /// The same customer with the document its requests carry.
    #[must_use]
    pub fn with_document(mut self, bytes: Arc<[u8]>) -> IssuingCustomer {
        self.documento = Some(bytes);
        self
    }

    /// Signs what stands ready to be sent: the first child of the root, which
    /// has the id; the signature becomes the root's last child. SHA-1 and
    /// C14N are fixed in the layouts of NF-e (xmldsig-core-schema_v1.01).
    ///
    /// # Errors
    /// No certificate, or the document is not one of ours.
    pub fn sign_document(&self, xml: &str) -> Result<String, SignError> {
        let id = xml
            .split_once(" Id=\"")
            .and_then(|(_, rest)| rest.split_once('"'))
            .map(|(id, _)| id)
            .ok_or_else(|| SignError::MalformedXml("no Id".to_owned()))?;
        self.sign(
            xml,
            id,
            &signer::Options {
                algorithm: signer::Algorithm::RsaSha1,
                canonicalization: signer::Canonicalization::C14n,
                placement: signer::Placement::LastChildOfRoot,
                id_attribute: "Id".to_owned(),
                include_chain: false,
                empty_uri: false,
            },
        )
    }

    /// Signs an element of a document that the hub wrote.
    ///
    /// # Errors
    /// No certificate, or the document cannot be signed so.
    pub fn sign(
        &self,
        xml: &str,
        reference: &str,
        options: &signer::Options,
    ) -> Result<String, SignError> {
        self.signed(xml, reference, options, |_| Ok(()))
    }

    /// A customer without certificate and secrets: signing fails.
    pub fn empty() -> IssuingCustomer {
        IssuingCustomer {
            signer: None,
            valid_until_ms: i64::MAX,
            now_ms: 0,
            secrets: BTreeMap::new(),
            documento: None,
        }
    }

    /// The hub itself, towards a service that knows the hub by these secrets.
    pub fn with_secrets(secrets: BTreeMap<String, Zeroizing<String>>) -> IssuingCustomer {
        IssuingCustomer {
            secrets,
            ..IssuingCustomer::empty()
        }
    }

    /// A login in plain text or the signed document, for the request that is
    /// leaving.
    pub fn secret(&self, name: &str) -> Option<String> {
        if name == DOCUMENTO_GZIP {
            return self.documento.as_deref().and_then(packed);
        }
        if name == DOCUMENTO {
            let bytes = self.documento.as_deref()?;
            let text = String::from_utf8(bytes.to_vec());
            return text
                .inspect_err(|error| tracing::error!(%error, "a signed document is no text"))
                .ok();
        }
        self.secrets.get(name).map(|secret| secret.to_string())
    }

    /// The values of the customer's logins: what no answer may show to an adapter.
    /// The signed document is none of them.
    pub fn secrets(&self) -> impl Iterator<Item = (&str, &str)> {
        let secrets = self.secrets.iter();
        secrets.map(|(name, secret)| (name.as_str(), secret.as_str()))
    }

    /// Certificate chain and key for the TLS client.
    ///
    /// # Errors
    /// The key cannot be written as PEM.
    pub fn tls_identity(&self) -> anyhow::Result<Option<TlsIdentity>> {
        self.signer
            .as_ref()
            .map(|signer| Ok(signer.tls_identity_pem()?))
            .transpose()
    }

    pub fn certificate_der(&self) -> Option<&[u8]> {
        self.signer.as_ref().map(|signer| signer.certificate_der())
    }

    /// `allow` sees what is about to be signed.
    fn signed(
        &self,
        xml: &str,
        reference: &str,
        options: &signer::Options,
        allow: impl FnOnce(&xmldsig::Prepared) -> Result<(), SignError>,
    ) -> Result<String, SignError> {
        let signer = self.signer()?;
        if xml.len() > SIGNED_BYTES {
            return Err(SignError::Unsupported(
                "document too large to sign".to_owned(),
            ));
        }
        let algorithm = algorithm(options.algorithm);
        let spec = SignSpec {
            algorithm: match algorithm {
                Algorithm::RsaSha1 => xmldsig::Algorithm::RsaSha1,
                Algorithm::RsaSha256 => xmldsig::Algorithm::RsaSha256,
            },
            canonicalization: match options.canonicalization {
                signer::Canonicalization::C14n => C14n::Inclusive,
                signer::Canonicalization::ExclusiveC14n => C14n::Exclusive,
            },
            placement: match options.placement {
                signer::Placement::AfterReference => Placement::AfterReference,
                signer::Placement::InsideReference => Placement::InsideReference,
                signer::Placement::LastChildOfRoot => Placement::LastChildOfRoot,
            },
            id_attribute: options.id_attribute.clone(),
            empty_uri: options.empty_uri,
        };
        let prepared = xmldsig::prepare(xml, reference, &spec).map_err(|error| match error {
            SignXmlError::ReferenceNotFound(_) => {
                SignError::ReferenceNotFound(reference.to_owned())
            }
            SignXmlError::AmbiguousId(_) => {
                SignError::MalformedXml("the id is not unique".to_owned())
            }
            SignXmlError::Malformed(error) => SignError::MalformedXml(error.to_string()),
            SignXmlError::Unsupported(what) => SignError::Unsupported(what),
        })?;
        allow(&prepared)?;
        let signature = signer
            .sign(prepared.to_sign(), algorithm)
            .map_err(|error| SignError::Other(error.to_string()))?;
        let chain = if options.include_chain {
            signer.chain_der()
        } else {
            &signer.chain_der()[..1]
        };
        Ok(prepared.finish(&signature, chain))
    }

    fn signer(&self) -> Result<&Signer, SignError> {
        if self.now_ms > self.valid_until_ms {
            return Err(SignError::Expired);
        }
        self.signer.as_deref().ok_or(SignError::NoCertificate)
    }
}

impl flow::Customer for IssuingCustomer {
    fn sign_xml(
        &self,
        xml: &str,
        reference: &str,
        options: &signer::Options,
        allow: Allow<'_>,
    ) -> Result<String, SignError> {
        self.signed(xml, reference, options, |prepared| {
            let unread = || SignError::Other("the signed element is not known".to_owned());
            let (name, namespace) = prepared.signed().ok_or_else(unread)?;
            allow(&Signing {
                name,
                namespace,
                bytes: prepared.to_sign(),
            })?;
            permitted::element(name, namespace)
        })
    }

    fn sign_bytes(&self, data: &[u8], algorithm: signer::Algorithm) -> Result<Vec<u8>, SignError> {
        permitted::text(data)?;
        self.signer()?
            .sign(data, self::algorithm(algorithm))
            .map_err(|error| SignError::Other(error.to_string()))
    }

    fn certificate(&self) -> Option<signer::Certificate> {
        let der = self.certificate_der()?;
        let facts = Certificate::from_der(der)
            .inspect_err(|error| tracing::error!(%error, "a certificate cannot be read"))
            .ok()?;
        Some(signer::Certificate {
            subject: facts.holder,
            documento: facts
                .documento
                .map(|documento| documento.to_string())
                .unwrap_or_default(),
            not_after: base::when::rfc3339(facts.valid_until_ms),
            der: der.to_vec(),
        })
    }

    fn has_secret(&self, name: &str) -> bool {
        let document = matches!(name, DOCUMENTO | DOCUMENTO_GZIP);
        document && self.documento.is_some() || self.secrets.contains_key(name)
    }
}

/// Gzip in base64. The same bytes give the same text: no name and no time.
fn packed(document: &[u8]) -> Option<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(document)
        .and_then(|()| encoder.finish())
        .inspect_err(|error| tracing::error!(%error, "a signed document is not compressed"))
        .ok()
        .map(|bytes| STANDARD.encode(bytes))
}

fn algorithm(algorithm: signer::Algorithm) -> Algorithm {
    match algorithm {
        signer::Algorithm::RsaSha1 => Algorithm::RsaSha1,
        signer::Algorithm::RsaSha256 => Algorithm::RsaSha256,
    }
}

/// The simulated authority's certificate for a company of a test key.
async fn simulated(app: &Gateway, cnpj: &str, now_ms: i64) -> anyhow::Result<Arc<Opened>> {
    let name = format!("simulado/{cnpj}");
    if let Some(known) = app.signers.get(&name, now_ms) {
        return Ok(known);
    }
    // Making a key takes a tenth of a second.
    let (hub, cnpj) = (app.clone(), cnpj.to_owned());
    let made = tokio::task::spawn_blocking(move || hub.simulator.test_certificate(&cnpj, now_ms));
    let files = made.await??;
    let mut chain = vec![files.cert_der.clone()];
    chain.extend(files.chain_der.iter().cloned());
    let signer = Signer::new(&files.key_pkcs8_der, &chain)?;
    Ok(app.signers.put(&name, signer, i64::MAX, now_ms))
}

/// Forgets what this node has open of certificates that were removed. On other
/// nodes it ends by its age, and nothing new is begun with it.
pub fn forget(app: &Gateway, account: &AccountId, certificates: &[CertificateId]) {
    for id in certificates {
        app.signers.forget(&name(account, id));
        app.clients.forget(id);
    }
}

/// The name of a customer's key among those that are open.
fn name(account: &AccountId, id: &CertificateId) -> String {
    format!("{account}/{id}")
}

/// The customer's certificate.
async fn own(
    app: &Gateway,
    account: &AccountId,
    id: &CertificateId,
    now_ms: i64,
) -> anyhow::Result<Arc<Opened>> {
    let name = name(account, id);
    if let Some(known) = app.signers.get(&name, now_ms) {
        return Ok(known);
    }
    let mut conn = app.db.read().await?;
    let row = store::tables::certificates::get(&mut conn, account, id)
        .await?
        .ok_or_else(|| anyhow::anyhow!("certificate {id} is gone"))?;
    drop(conn);
    let key = app
        .keyring
        .open(&row.key_blob, &certificate_aad(account, &row.id))?;
    let signer = Signer::new(&key, &split_chain(&row.chain_der))?;
    Ok(app.signers.put(&name, signer, row.valido_ate_ms, now_ms))
}

/// Joins certificates as the database keeps them.
pub fn join_chain(chain: &[Vec<u8>]) -> Vec<u8> {
    let mut joined = Vec::new();
    for der in chain {
        let length = u32::try_from(der.len()).unwrap_or(0);
        joined.extend_from_slice(&length.to_be_bytes());
        joined.extend_from_slice(der);
    }
    joined
}

/// The certificates [`join_chain`] joined.
pub fn split_chain(mut joined: &[u8]) -> Vec<Vec<u8>> {
    let mut chain = Vec::new();
    while let Some((length, rest)) = joined.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let Some((der, rest)) = rest.split_at_checked(length) else {
            break;
        };
        chain.push(der.to_vec());
        joined = rest;
    }
    chain
}
