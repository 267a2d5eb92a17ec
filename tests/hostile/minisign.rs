//! Signatures as `minisign` makes them, with OpenSSL's Ed25519 and BLAKE2b: what
//! verifies them shares no code with this.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openssl::hash::{MessageDigest, hash};
use openssl::pkey::{PKey, Private};
use openssl::sign::Signer;

/// Bytes of a key's number.
const ID: &[u8; 8] = b"HUBTESTS";

/// A key pair of a maintainer.
pub struct Key(PKey<Private>);

impl Key {
    pub fn generate() -> Key {
        Key(PKey::generate_ed25519().expect("key"))
    }

    /// The second line of a `.pub` file.
    pub fn public(&self) -> String {
        let raw = self.0.raw_public_key().expect("public key");
        STANDARD.encode([b"Ed".as_slice(), ID, &raw].concat())
    }

    /// A `.minisig` file of these bytes.
    pub fn sign(&self, bytes: &[u8]) -> String {
        let digest = hash(
            MessageDigest::from_name("blake2b512").expect("BLAKE2b"),
            bytes,
        );
        let signature = self.ed25519(&digest.expect("digest"));
        let comment = "timestamp:1760000000";
        let whole = self.ed25519(&[signature.as_slice(), comment.as_bytes()].concat());
        let signature = STANDARD.encode([b"ED".as_slice(), ID, &signature].concat());
        let whole = STANDARD.encode(whole);
        format!("untrusted comment: tests\n{signature}\ntrusted comment: {comment}\n{whole}\n")
    }

    fn ed25519(&self, bytes: &[u8]) -> Vec<u8> {
        let mut signer = Signer::new_without_digest(&self.0).expect("signer");
        signer.sign_oneshot_to_vec(bytes).expect("signature")
    }
}
