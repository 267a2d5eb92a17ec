//! What the adapter says about itself, and its options.

use sdk::{Algorithm, Context, Description, OptionKind, OptionSpec, nfse};

/// Base of the intervals between queries, in milliseconds.
const QUERY_INTERVAL_MS: u64 = 15_000;
/// Longest `verAplic` of the layout (TSVerAplic).
const MAX_APPLICATION: usize = 20;

pub fn describe() -> Description {
    Description::new("dps", env!("CARGO_PKG_VERSION"))
        .schema(nfse::SCHEMA_DPS)
        .schema(nfse::SCHEMA_RPS)
        .schema(nfse::SCHEMA_REF)
        .schema(nfse::SCHEMA_CANCELAMENTO)
        .operation("emitir", true, "POST /nfse with one signed DPS.")
        .operation("substituir", true, "A DPS with the group subst; the server cancels the old note by itself.")
        .operation("cancelar", true, "Event e101101, POST /nfse/{chave}/eventos.")
        .operation("consultar-rps", true, "GET /dps/{id}, then the note.")
        .operation("consultar-nota", true, "GET /nfse/{chave} and its events.")
        .endpoint("sefin", true, true, "Base URL of the Sefin Nacional or of a city that speaks its API.")
        .option(OptionSpec::choice(
            "algoritmo_assinatura",
            &["rsa-sha256", "rsa-sha1"],
            "Digest of the signature; both are accepted nationally.",
        ))
        .option(
            OptionSpec::new("intervalo_consulta_ms", OptionKind::Integer, "First interval before asking about a doubtful answer; the next are 4, 20 and 120 times as long.")
                .default_value(&QUERY_INTERVAL_MS.to_string()),
        )
        .option(OptionSpec::new("aplicativo", OptionKind::Text, "verAplic of the DPS, up to 20 characters.").default_value("hub"))
        .option(OptionSpec::choice(
            "aliquota",
            &["automatica", "sempre", "nunca"],
            "When pAliq is sent: automatica follows the rules for a municipality that is active in the national system (E0617, E0635); sempre also where only an inactive one asks for it (E0619, E0640).",
        ))
        .option(
            OptionSpec::new("inscricao_municipal", OptionKind::Flag, "Send the provider's IM; a municipality without a taxpayer register in the CNC refuses it (E0120).")
                .default_value("true"),
        )
        .option(OptionSpec::refuses_duplicates("E0014: the DPS by its id"))
        .maintainer("hub")
}

/// When `pAliq` is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aliquota {
    Automatic,
    Always,
    Never,
}

pub fn aliquota(ctx: &Context) -> Aliquota {
    match ctx.option("aliquota") {
        Some("sempre") => Aliquota::Always,
        Some("nunca") => Aliquota::Never,
        _ => Aliquota::Automatic,
    }
}

pub fn algorithm(ctx: &Context) -> Algorithm {
    match ctx.option("algoritmo_assinatura") {
        Some("rsa-sha1") => Algorithm::RsaSha1,
        _ => Algorithm::RsaSha256,
    }
}

/// Never zero: the waits grow from it.
pub fn interval_ms(ctx: &Context) -> u64 {
    ctx.option_u64("intervalo_consulta_ms", QUERY_INTERVAL_MS)
        .clamp(1, 3_600_000)
}

pub fn application(ctx: &Context) -> String {
    ctx.option("aplicativo")
        .unwrap_or("hub")
        .chars()
        .take(MAX_APPLICATION)
        .collect()
}
