//! The certificates in the binary, each told apart by its fingerprint.

use super::{Known, Origin, Purpose};
use crate::certificate::Certificate;
use openssl::x509::X509;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;

pub(super) const BUNDLES: [(&str, &str); 4] = [
    ("icp-brasil.pem", include_str!("../../roots/icp-brasil.pem")),
    ("publicas.pem", include_str!("../../roots/publicas.pem")),
    (
        "intermediarias-servidor.pem",
        include_str!("../../roots/intermediarias-servidor.pem"),
    ),
    (
        "intermediarias-assinatura.pem",
        include_str!("../../roots/intermediarias-assinatura.pem"),
    ),
];
pub(super) const INDEX: &str = include_str!("../../roots/index.csv");

/// A line of the index.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Line {
    pub arquivo: String,
    pub para: String,
    pub tipo: String,
    pub titular: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers and the test"))]
    pub valido_ate: String,
    pub sha256: String,
    pub fonte: String,
    pub lido_em: String,
}

static ALL: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let known = read(&BUNDLES, INDEX);
    if let Err(reason) = &known {
        tracing::error!(%reason, "embedded certificates cannot be used");
    }
    known.unwrap_or_default()
});

/// Roots and intermediates of the binary.
pub(super) fn all() -> &'static [Known] {
    &ALL
}

pub(super) fn lines(index: &str) -> Result<Vec<Line>, String> {
    let lines: Result<_, _> = csv::Reader::from_reader(index.as_bytes())
        .into_deserialize()
        .collect();
    lines.map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Each certificate of the bundles, which the index must know under the
/// bundle's name: a changed byte is a different fingerprint.
pub(super) fn read(bundles: &[(&str, &str)], index: &str) -> Result<Vec<Known>, String> {
    let lines: HashMap<String, Line> = lines(index)?
        .into_iter()
        .map(|line| (line.sha256.clone(), line))
        .collect();
    let mut found = Vec::new();
    for (name, pem) in bundles {
        for x509 in X509::stack_from_pem(pem.as_bytes()).map_err(text)? {
            let facts = Certificate::from_x509(&x509).map_err(text)?;
            let line = lines
                .get(&facts.fingerprint)
                .filter(|line| line.arquivo == *name)
                .ok_or_else(|| format!("{name}: {} is not in the index", facts.holder))?;
            found.push(Known {
                purpose: Purpose::parse(&line.para).ok_or_else(|| format!("para {}", line.para))?,
                root: line.tipo == "raiz",
                facts: Certificate {
                    holder: line.titular.clone(),
                    ..facts
                },
                origin: Origin::Embedded {
                    source: line.fonte.clone(),
                    read_on: line.lido_em.clone(),
                },
                x509,
            });
        }
    }
    Ok(found)
}
