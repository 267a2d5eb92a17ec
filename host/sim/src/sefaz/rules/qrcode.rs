//! Group ZX: the QR code of the NFC-e (and of the NF-e with tpImp 6).
//!
//! Source: NT 2016.002 (version 2), NT 2025.001 and NT 2026.002 (version 3),
//! second-hand.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openssl::hash::{MessageDigest, hash};
use openssl::sign::Verifier;
use openssl::x509::X509;

use super::{Context, refuse, require};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::memory::{Call, csc};

pub(super) fn check(call: &Call<'_>, ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let wanted = nfe.nfce() || nfe.t("ide/tpImp") == "6";
    let given = nfe.root.text_at("infNFeSupl/qrCode");
    if !wanted {
        return require(given.is_none(), "393");
    }
    let Some(code) = given.filter(|c| !c.is_empty()) else {
        return refuse("394");
    };
    let Some((address, parameters)) = code.split_once("?p=") else {
        return refuse("395");
    };
    require(expected(ctx, "qr", address), "395")?;
    let parts: Vec<&str> = parameters.split('|').collect();
    let part = |n: usize| parts.get(n).copied().unwrap_or_default();
    let differs = |name: &str| Err(Refusal::with("397", format!(" [Param: {name}]")));
    if part(0).is_empty() {
        return Err(Refusal::with("396", " [Param: chNFe]"));
    }
    if part(0) != nfe.chave() {
        return differs("chNFe");
    }
    let version = part(1);
    require(matches!(version, "2" | "3"), "398")?;
    require(nfe.nfce() || version == "3", "398")?;
    require(!(version == "2" && nfe.has("emit/CPF")), "444")?;
    if part(2) != nfe.t("ide/tpAmb") {
        return differs("tpAmb");
    }
    let offline = nfe.t("ide/tpEmis") == "9";
    if offline {
        if part(3) != nfe.t("ide/dhEmi").get(8..10).unwrap_or_default() {
            return differs("dhEmi");
        }
        if part(4).parse().ok() != Some(nfe.n("total/ICMSTot/vNF")) {
            return differs("vNF");
        }
    }
    if version == "2" {
        second(call, ctx, parameters, &parts, offline)?;
    } else {
        third(ctx, parameters, &parts, offline)?;
    }
    let by_key = nfe.root.text_at("infNFeSupl/urlChave").unwrap_or_default();
    require(expected(ctx, "chave", &by_key), "878")
}

static ADDRESSES: &str = include_str!("../tabelas/qrcode.txt");

/// One of the addresses known for the state and the environment; the scheme
/// and the case do not matter.
fn expected(ctx: &Context<'_>, kind: &str, address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let plain = lower
        .trim_start_matches("https://")
        .trim_start_matches("http://")
        .trim_end_matches('/');
    let wanted = format!("{} {} {kind} ", ctx.nfe.uf(), ctx.place.tp_amb());
    let mut known = ADDRESSES
        .lines()
        .filter_map(|l| l.strip_prefix(&wanted))
        .peekable();
    known.peek().is_none() || known.any(|k| k == plain)
}

/// Version 2: hash with the company's security code.
fn second(
    call: &Call<'_>,
    ctx: &Context<'_>,
    parameters: &str,
    parts: &[&str],
    offline: bool,
) -> Result<(), Refusal> {
    let expected = if offline { 8 } else { 5 };
    require(parts.len() == expected, "396")?;
    let digest = ctx
        .nfe
        .root
        .text_at("Signature/SignedInfo/Reference/DigestValue")
        .unwrap_or_default();
    if offline {
        let hex: String = digest.bytes().map(|b| format!("{b:02x}")).collect();
        if !parts.get(5).is_some_and(|p| p.eq_ignore_ascii_case(&hex)) {
            return Err(Refusal::with("397", " [Param: digVal]"));
        }
    }
    let (Some(id), Some(given)) = (parts.get(expected - 2), parts.get(expected - 1)) else {
        return refuse("396");
    };
    require(
        given.len() == 40 && given.bytes().all(|b| b.is_ascii_hexdigit()),
        "400",
    )?;
    let plain_id = id.trim_start_matches('0');
    let known = csc(
        call.store(),
        ctx.place.local(),
        &ctx.nfe.emitter(),
        plain_id,
    );
    let csc = match known {
        // Nothing registered for the company: only the form is looked at.
        Err(()) => return Ok(()),
        Ok(None) => return refuse("462"),
        Ok(Some(csc)) => csc,
    };
    let signed = parameters.rsplit_once('|').map_or("", |(s, _)| s);
    let found = hash(MessageDigest::sha1(), format!("{signed}{csc}").as_bytes())
        .map(|h| h.iter().map(|b| format!("{b:02X}")).collect::<String>())
        .unwrap_or_default();
    require(given.eq_ignore_ascii_case(&found), "464")
}

/// Version 3: off line it carries the customer and a signature.
fn third(
    ctx: &Context<'_>,
    parameters: &str,
    parts: &[&str],
    offline: bool,
) -> Result<(), Refusal> {
    if !offline {
        return require(parts.len() == 3, "445");
    }
    let nfe = ctx.nfe;
    let (kind, id) = if nfe.has("dest/CNPJ") {
        ("1", nfe.t("dest/CNPJ"))
    } else if nfe.has("dest/CPF") {
        ("2", nfe.t("dest/CPF"))
    } else if nfe.has("dest/idEstrangeiro") {
        ("3", String::new())
    } else {
        ("", String::new())
    };
    if parts.get(5) != Some(&kind) || parts.get(6) != Some(&id.as_str()) {
        return Err(Refusal::with("397", " [Param: idDest]"));
    }
    let Some(signature) = parts.get(7).filter(|s| !s.is_empty()) else {
        return refuse("474");
    };
    let signed = parameters.rsplit_once('|').map_or("", |(s, _)| s);
    let certificate = nfe
        .root
        .text_at("Signature/KeyInfo/X509Data/X509Certificate")
        .and_then(|c| STANDARD.decode(c).ok());
    let holds = certificate
        .and_then(|der| X509::from_der(&der).ok())
        .and_then(|c| c.public_key().ok())
        .zip(STANDARD.decode(signature).ok())
        .is_some_and(|(key, value)| {
            Verifier::new(MessageDigest::sha1(), &key)
                .and_then(|mut v| v.verify_oneshot(&value, signed.as_bytes()))
                .unwrap_or(false)
        });
    require(holds, "583")
}
