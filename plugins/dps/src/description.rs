//! What the adapter says about itself, and its options.

use crate::assembly::{NAMESPACE, VERSION};
use crate::transport::EVENT_ORDER;
use sdk::{Algorithm, Canonicalization, Context, Description, OptionKind, OptionSpec, nfse};

/// Base of the intervals between queries, in milliseconds.
const QUERY_INTERVAL_MS: u64 = 15_000;
/// Longest `verAplic` of the layout (TSVerAplic).
const MAX_APPLICATION: usize = 20;

pub fn describe() -> Description {
    let description = Description::new("dps", env!("CARGO_PKG_VERSION"))
        .schema(nfse::SCHEMA_DPS)
        .schema(nfse::SCHEMA_RPS)
        .schema(nfse::SCHEMA_REF)
        .schema(nfse::SCHEMA_CANCELAMENTO)
        .operation("emitir", true, "POST /nfse with one signed DPS.")
        .operation(
            "substituir",
            true,
            "A DPS with the group subst; the server cancels the old note by itself.",
        )
        .operation(
            "cancelar",
            true,
            "Event e101101, POST /nfse/{chave}/eventos.",
        )
        .operation("consultar-rps", true, "GET /dps/{id}, then the note.")
        .operation("consultar-nota", true, "GET /nfse/{chave} and its events.")
        .endpoint(
            "sefin",
            true,
            true,
            "Base URL of the Sefin Nacional or of a city that takes the DPS at its own address.",
        )
        .endpoint(
            "nacional",
            false,
            true,
            "Base URL of the Sefin Nacional, for the calls in the option nacional.",
        )
        .endpoint("evento", false, true, "Address of its own for events.")
        .endpoint(
            "consulta_dps",
            false,
            true,
            "Address of its own for the key of a DPS.",
        )
        .endpoint(
            "consulta_nota",
            false,
            true,
            "Address of its own for notes.",
        )
        .endpoint(
            "consulta_eventos",
            false,
            true,
            "Address of its own for the events of a note.",
        )
        .endpoint(
            "consulta_protocolo",
            false,
            true,
            "Address of its own for what was received under a protocol.",
        );
    let all = content_options()
        .into_iter()
        .chain(transport_options())
        .chain(soap_options());
    all.fold(description, Description::option).maintainer("hub")
}

/// What goes into the documents, and how doubts are settled.
fn content_options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice(
            "algoritmo_assinatura",
            &["rsa-sha256", "rsa-sha1"],
            "Digest of the signature; both are accepted nationally.",
        ),
        OptionSpec::new("intervalo_consulta_ms", OptionKind::Integer, "First interval before asking about a doubtful answer; the next are 4, 20 and 120 times as long.")
            .default_value(&QUERY_INTERVAL_MS.to_string()),
        OptionSpec::new("aplicativo", OptionKind::Text, "verAplic of the DPS, up to 20 characters.").default_value("hub"),
        OptionSpec::choice(
            "aliquota",
            &["automatica", "sempre", "nunca"],
            "When pAliq is sent: automatica follows the rules for a municipality that is active in the national system (E0617, E0635); sempre also where only an inactive one asks for it (E0619, E0640).",
        ),
        OptionSpec::new("inscricao_municipal", OptionKind::Flag, "Send the provider's IM; a municipality without a taxpayer register in the CNC refuses it (E0120).")
            .default_value("true"),
        OptionSpec::refuses_duplicates("E0014: the DPS by its id"),
        OptionSpec::new("namespace", OptionKind::Text, "Namespace of the documents sent.").default_value(NAMESPACE),
        OptionSpec::new("versao", OptionKind::Text, "Version of the layout that the DPS names.").default_value(VERSION),
        OptionSpec::new("versao_evento", OptionKind::Text, "Version of the layout that an event names.").default_value(VERSION),
        OptionSpec::choice("documento", &["dps", "nfse"], "What is sent: the DPS, or a note that the provider fills in around it."),
        OptionSpec::choice("numero_nota", &["dps", "zero"], "Number of such a note: that of the DPS, or 0."),
        OptionSpec::new("ids_vazios", OptionKind::Flag, "Such a note and the DPS in it have empty ids.").default_value("false"),
        OptionSpec::new("namespace_inf", OptionKind::Text, "Namespace that infDPS and infPedReg declare themselves."),
        OptionSpec::new("namespace_evento", OptionKind::Text, "Namespace of events, where it is another than that of the DPS."),
        OptionSpec::choice("atributo_id", &["Id", "id"], "Attribute that signatures refer to."),
        list("assina", &["dps", "evento", "nenhum"], "What is signed; absent: both."),
        list("canonicalizacao_exclusiva", &["dps", "evento"], "What is signed in the form of exclusive C14N."),
        OptionSpec::choice(
            "evento_forma",
            &["pedido", "evento", "mensagem"],
            "An event is sent as the request for it, as the whole event, which the Sefin Nacional makes by itself, or as mensagem_evento says.",
        ),
        OptionSpec::new("pedido_numerado", OptionKind::Flag, "The request for an event has nPedRegEvento 001, also at the end of its Id.").default_value("false"),
        OptionSpec::new("evento_numerado", OptionKind::Flag, "The Id of a whole event ends in 001, and its number is that of the note.").default_value("false"),
        OptionSpec::new("codigos_ausente", OptionKind::Text, "Codes that say, of a DPS or a note asked about, that there is none; separated by commas."),
        list("ordem_evento", &EVENT_ORDER, "Order of the elements of a request for an event; autor is CNPJAutor or CPFAutor."),
        OptionSpec::choice("numero_evento", &["nDFSe", "nDFe"], "Element that numbers a whole event."),
    ]
}

/// How a city at its own address is spoken to.
fn transport_options() -> Vec<OptionSpec> {
    let text = |name, doc| OptionSpec::new(name, OptionKind::Text, doc);
    vec![
        OptionSpec::choice(
            "corpo",
            &["json", "json_lista", "xml", "soap"],
            "A document as field of a JSON object (gzip in base64), as the only item of a list there, as XML, or as XML in a SOAP operation.",
        ),
        text("campo_dps", "Field with the DPS.").default_value("dpsXmlGZipB64"),
        text("campo_evento", "Field with the event.").default_value("pedidoRegistroEventoXmlGZipB64"),
        text("caminho_dps", "Path the DPS is sent to; placeholders of all paths: {id}, {chave}, {documento}, {serie}, {numero}, {protocolo}, {ambiente}, {municipio}; nenhum: the address itself.").default_value("/nfse"),
        text("caminho_evento", "Path an event is sent to.").default_value("/nfse/{chave}/eventos"),
        text("caminho_consulta_dps", "Path of the key of a DPS.").default_value("/dps/{id}"),
        text("caminho_consulta_nota", "Path of a note.").default_value("/nfse/{chave}"),
        text("caminho_consulta_eventos", "Path of a note's events.").default_value("/nfse/{chave}/eventos"),
        text("caminho_consulta_protocolo", "Path of what was received under a protocol; absent: it is found by the id of the DPS alone."),
        list(
            "nacional",
            &["dps", "evento", "consulta_dps", "consulta_nota", "consulta_eventos", "consulta_protocolo"],
            "Calls that go to the national environment.",
        ),
        OptionSpec::choice(
            "credenciais",
            &["none", "usuario_senha_http", "token_http"],
            "How the customer says who it is, besides the certificate: HTTP basic authentication, or a bearer token.",
        ),
        OptionSpec::new("certificado_tls", OptionKind::Flag, "The certificate is offered in the TLS handshake.").default_value("true"),
    ]
}

/// What stands around a document in SOAP.
fn soap_options() -> Vec<OptionSpec> {
    let text = |name, doc| OptionSpec::new(name, OptionKind::Text, doc);
    vec![
        OptionSpec::choice("soap", &["1.1", "1.2"], "Version of the SOAP envelope."),
        text("soap_namespace", "Namespace of the prefix nfse in the envelope; {producao:TEXT} and {homologacao:TEXT} are TEXT in that environment.").default_value(NAMESPACE),
        text("parametros_namespace", "Namespace of the prefix par in the envelope, with the same placeholders."),
        text("soap_action", "SOAP action; {metodo} is the operation, {metodo:maiusculas} in capital letters, nenhum sends none.").default_value("{metodo}"),
        text("soap_action_dps", "SOAP action of the DPS, where it does not follow soap_action."),
        text("soap_action_evento", "SOAP action of an event, where it does not follow soap_action."),
        text("metodo_dps", "SOAP operation of the DPS."),
        text("metodo_evento", "SOAP operation of an event."),
        text("metodo_consulta_dps", "SOAP operation of the question for a DPS."),
        text("metodo_consulta_nota", "SOAP operation of the question for a note."),
        text("metodo_consulta_protocolo", "SOAP operation of the question for a protocol."),
        text("elemento", "Elements around the parameters in SOAP, outermost first: {metodo} is the operation, {metodo:capital} what follows its last dot, with one capital letter.").default_value("nfse:{metodo}"),
        text("parametro", "Parameter with the message; nenhum: it stands in the operation itself.").default_value("xml"),
        text("parametro_cabecalho", "Parameter before it, with the header.").default_value("cabecalho"),
        text("cabecalho", "The header, as XML; absent: there is none."),
        OptionSpec::choice("envelope", &["cdata", "esc", "raw"], "Message and header in SOAP as CDATA, as escaped text or as nodes."),
        text("mensagem_dps", "XML around the DPS, which is {xml} in it; besides the placeholders of the paths, {CNPJ} and {Cnpj} are the element with the provider's document, {IM} and {InscricaoMunicipal} that with its registration, where it has one."),
        text("mensagem_evento", "The same around an event; {numero_nota} is the number of the note, {motivo:word=code,...} the code of a reason."),
        text("mensagem_consulta_dps", "SOAP message that asks for a DPS; absent: it is asked for by its path."),
        text("mensagem_consulta_nota", "SOAP message that asks for a note by its key."),
        text("mensagem_consulta_protocolo", "SOAP message that asks what became of a protocol."),
    ]
}

/// A list as text, separated by commas.
fn list(name: &str, values: &[&str], doc: &str) -> OptionSpec {
    let mut spec = OptionSpec::new(name, OptionKind::Text, doc);
    spec.choices = values.iter().map(|&value| value.to_owned()).collect();
    spec
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

/// Something that is signed, by its word in the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signed {
    Dps,
    Event,
}

impl Signed {
    fn is_in(self, list: &str) -> bool {
        let word = match self {
            Signed::Dps => "dps",
            Signed::Event => "evento",
        };
        list.split(',').any(|listed| listed.trim() == word)
    }
}

pub fn signs(ctx: &Context, what: Signed) -> bool {
    ctx.option("assina").is_none_or(|list| what.is_in(list))
}

pub fn canonicalization(ctx: &Context, what: Signed) -> Canonicalization {
    match ctx.option("canonicalizacao_exclusiva") {
        Some(list) if what.is_in(list) => Canonicalization::ExclusiveC14n,
        _ => Canonicalization::C14n,
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
