//! What proves to a receiver that a delivery is ours, recent and unchanged.
//!
//! Two forms of the same, both HMAC-SHA256 made anew for each attempt:
//! `X-Webhook-Signature-256: t=<s>,v1=<hex>` over `t.id.body`, keyed with the
//! secret as it was shown; and the headers of Standard Webhooks
//! (`webhook-signature: v1,<base64>`) over `id.t.body`, keyed with the bytes
//! its base64 part stands for. While a rotation overlaps, both secrets sign.

use base::random::{Random, RandomError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

/// How a receiver checks a delivery: what customers read of this file, in
/// Markdown. The last line lets them test their code before a delivery comes.
pub const HOW_TO_CHECK: &str = "\
Cada entrega é um POST com o evento em JSON e duas assinaturas HMAC-SHA256, feitas de novo a cada tentativa; confira uma delas. \
`corpo` são os bytes como chegaram, antes de ler o JSON; `+` junta bytes, `\".\"` é um ponto.\n\n\
- `X-Webhook-Signature-256: t=<segundos>,v1=<hex>[,v1=<hex>]`. A chave é o segredo inteiro como foi mostrado, `whsec_` incluído, em UTF-8, \
sem decodificar. Assinado: `t + \".\" + X-Webhook-Id + \".\" + corpo`. O resultado vai em hexadecimal minúsculo.\n\
- [Standard Webhooks](https://www.standardwebhooks.com): `webhook-id`, `webhook-timestamp` e `webhook-signature: v1,<base64>[ v1,<base64>]`. \
A chave são os bytes que a parte depois de `whsec_` representa em base64. \
Assinado: `webhook-id + \".\" + webhook-timestamp + \".\" + corpo`. O resultado vai em base64.\n\n\
Recuse se |agora - t| > 300 s (`t` e `webhook-timestamp` são segundos Unix), compare em tempo constante e despreze um `X-Webhook-Id` \
repetido: é o `id` do evento, o mesmo em toda tentativa. Nas 24 h depois de uma troca de segredo há duas assinaturas: basta uma conferir.\n\n\
Responda 2xx em até 10 s. Outra resposta, redirecionamento incluído, é falha, e a entrega é repetida depois de 60 s, 5 min, 30 min, 2 h e 6 h, se o operador não mudou os intervalos; \
410 desativa o webhook.\n\n\
Para testar: o segredo `whsec_c2VncmVkbw==`, o id `evt_1`, o momento 1791206103 e o corpo `{}` dão \
`t=1791206103,v1=226ddf25e242c95bbbfd927a80f89e1dd03429282113f07300c7648202627234` e \
`v1,VU1DyuXJmkHEpW0L+GXlN6OT3Xmx3bshSWvgWNqLkmM=`.";

/// What every secret begins with.
const PREFIX: &str = "whsec_";
const SECRET_BYTES: usize = 32;

/// A fresh secret: `whsec_` and 32 random bytes in base64.
///
/// # Errors
/// The source of randomness failed.
pub fn new_secret(random: &dyn Random) -> Result<Zeroizing<String>, RandomError> {
    let mut bytes = Zeroizing::new([0_u8; SECRET_BYTES]);
    random.fill(bytes.as_mut_slice())?;
    Ok(Zeroizing::new(format!(
        "{PREFIX}{}",
        BASE64.encode(bytes.as_slice())
    )))
}

/// A secret, ready to sign in both forms: what an HMAC makes of its key is made once.
pub struct Key {
    hub: Hmac<Sha256>,
    standard: Hmac<Sha256>,
}

impl Key {
    /// # Errors
    /// The secret is no base64: nothing is signed with less of a key.
    pub fn of(secret: &str) -> anyhow::Result<Key> {
        let bytes = Zeroizing::new(BASE64.decode(secret.strip_prefix(PREFIX).unwrap_or(secret))?);
        Ok(Key {
            hub: Hmac::new_from_slice(secret.as_bytes())?,
            standard: Hmac::new_from_slice(&bytes)?,
        })
    }
}

/// Adds `X-Webhook-Signature-256` to a text; `seconds` are those of the attempt, in digits.
pub fn hub(out: &mut String, keys: &[&Key], id: &str, seconds: &str, body: &[u8]) {
    out.push_str("t=");
    out.push_str(seconds);
    for key in keys {
        out.push_str(",v1=");
        out.push_str(&flow::hex(mac(&key.hub, seconds, id, body).as_ref()));
    }
}

/// Adds `webhook-signature` of Standard Webhooks to a text.
pub fn standard(out: &mut String, keys: &[&Key], id: &str, seconds: &str, body: &[u8]) {
    for (place, key) in keys.iter().enumerate() {
        out.push_str(if place == 0 { "v1," } else { " v1," });
        BASE64.encode_string(mac(&key.standard, id, seconds, body), out);
    }
}

/// Over `first.second.body`.
fn mac(key: &Hmac<Sha256>, first: &str, second: &str, body: &[u8]) -> impl AsRef<[u8]> {
    let mut mac = key.clone();
    for part in [first.as_bytes(), b".", second.as_bytes(), b".", body] {
        mac.update(part);
    }
    mac.finalize().into_bytes()
}
