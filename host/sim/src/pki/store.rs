//! Keys on disk, so that a local environment keeps its chain.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use openssl::pkey::{PKey, Private};
use openssl::x509::X509;

use super::issue::new_key;
use super::{Inner, Pair, PkiError};

const NAMES: [&str; 4] = ["raiz", "intermediaria", "servidor", "autoridade"];

pub(super) fn load(dir: &Path) -> Result<Option<Inner>, PkiError> {
    let mut pairs = Vec::with_capacity(NAMES.len());
    for name in NAMES {
        let (key, cert) = (
            dir.join(format!("{name}.key.pem")),
            dir.join(format!("{name}.pem")),
        );
        // All files or none: a half-written directory is made again.
        if !key.exists() || !cert.exists() {
            return Ok(None);
        }
        pairs.push(Pair {
            key: PKey::private_key_from_pem(&fs::read(key)?)?,
            cert: X509::from_pem(&fs::read(cert)?)?,
        });
    }
    let mut pairs = pairs.into_iter();
    Ok(
        match (pairs.next(), pairs.next(), pairs.next(), pairs.next()) {
            (Some(root), Some(intermediate), Some(server), Some(authority)) => Some(Inner {
                root,
                intermediate,
                server,
                authority,
                dir: Some(dir.to_owned()),
                test_companies: Mutex::default(),
            }),
            _ => None,
        },
    )
}

pub(super) fn save(dir: &Path, inner: &Inner) -> Result<(), PkiError> {
    fs::create_dir_all(dir)?;
    let pairs = [
        &inner.root,
        &inner.intermediate,
        &inner.server,
        &inner.authority,
    ];
    for (name, pair) in NAMES.iter().zip(pairs) {
        private_file(
            &dir.join(format!("{name}.key.pem")),
            &pair.key.private_key_to_pem_pkcs8()?,
        )?;
        fs::write(dir.join(format!("{name}.pem")), pair.cert.to_pem()?)?;
    }
    Ok(())
}

/// The key of [`Pki::issue_test_a1`](super::Pki::issue_test_a1): read from the
/// directory, or made and kept there.
pub(super) fn test_companies(dir: &Path) -> Result<PKey<Private>, PkiError> {
    let path = dir.join("empresas.key.pem");
    if path.exists() {
        return Ok(PKey::private_key_from_pem(&fs::read(path)?)?);
    }
    let key = new_key()?;
    // Whole or not there: a process may die while it writes.
    let begun = path.with_extension("tmp");
    private_file(&begun, &key.private_key_to_pem_pkcs8()?)?;
    fs::rename(begun, path)?;
    Ok(key)
}

/// Writes a file that only its owner reads.
pub(crate) fn private_file(path: &Path, bytes: &[u8]) -> Result<(), PkiError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)?.write_all(bytes)?;
    Ok(())
}
