//! Cities that answer in SOAP with the note itself: what they are asked, and
//! their answers. Which city it is does not matter: a message is known by its
//! elements.

use serde_json::Value;

use super::codes::Refusal;
use super::dps::{Dps, NS};
use super::signed::{Signed, read, signer_of};
use super::{Ambiente, SYSTEM, package};
use crate::clock;
use crate::engine::Call;
use crate::notes::Nota;
use crate::pki::Holder;
use crate::request::Answer;
use crate::xml::{Element, escape, parse};

/// Parts of a body one of which says that it is answered with the note.
const AT_ONCE: [&str; 7] = [
    "GerarNfse",
    "GERARNFSE",
    "CancelarNfse",
    "ConsultarNfse",
    "NotaFiscalNacional",
    "nfse-nacional",
    "<NFSe ",
];

/// Whether a message in SOAP is answered with what came of it.
pub(super) fn answers_at_once(body: &str) -> bool {
    AT_ONCE.iter().any(|part| body.contains(part))
}

/// A question about a note, by the elements that name it.
pub(super) enum Question {
    /// The id of a DPS, or its end: provider, series and number.
    Dps(String),
    Note(String),
    /// A cancellation in the manner of ABRASF.
    Cancel(String),
}

/// What a message of such a city asks; None for a document of the layout.
pub(super) fn question(root: &Element, source: &str) -> Option<Question> {
    let text = |name: &str| root.find(name).map(Element::text).filter(|t| !t.is_empty());
    if let Some(id) = text("IdDPS").or_else(|| text("IdentificacaoDPS")) {
        return Some(Question::Dps(id));
    }
    if let Some(chave) = text("ChaveNFSe") {
        return Some(Question::Note(chave));
    }
    let series = text("SerieDPS");
    let number = text("NumDPS").or_else(|| text("NumeroDPS"));
    if let (Some(series), Some(number)) = (series, number) {
        let provider = text("CNPJ").or_else(|| text("CPF"))?;
        let end = format!("{provider:0>14}{series:0>5}{number:0>15}");
        return Some(Question::Dps(end));
    }
    let order = root.find("InfPedidoCancelamento")?;
    (order.ns == NS).then(|| Question::Cancel(source.to_owned()))
}

/// The DPS inside a note that the caller filled in, with the id that its
/// fields form where it came without one.
pub(super) fn inner_dps(call: &Call<'_>, xml: &str, caller: &Holder) -> Result<Signed, Refusal> {
    let broken = || Refusal::from("E1235");
    let root = read(xml)?;
    let target = root.child("infNFSe").ok_or_else(broken)?;
    let signer = signer_of(call, &root, &root, target, caller)?;
    let dps = target.child("DPS").ok_or_else(broken)?;
    let id = Dps::of(dps).ok_or_else(broken)?.expected_id();
    let mut source = dps
        .source(xml)
        .replacen("Id=\"\"", &format!("Id=\"{id}\""), 1);
    if !source.starts_with("<DPS xmlns") {
        source = source.replacen("<DPS", &format!("<DPS xmlns=\"{NS}\""), 1);
    }
    Ok(Signed {
        xml: source,
        signer,
    })
}

/// The note that a cancellation in the manner of ABRASF is about.
pub(super) fn ordered(call: &Call<'_>, xml: &str) -> Option<Nota> {
    let root = parse(xml).ok()?;
    let order = root.find("InfPedidoCancelamento")?;
    let number: u64 = order.text_at("IdentificacaoNfse/Numero")?.parse().ok()?;
    let provider = ["Cnpj", "Cpf"]
        .iter()
        .find_map(|name| order.text_at(&format!("IdentificacaoNfse/CpfCnpj/{name}")))?;
    [Ambiente::Production, Ambiente::Homologacao]
        .into_iter()
        .filter_map(|place| {
            let issuer = (SYSTEM, place.name(), provider.as_str());
            call.notes.last_by_number(issuer, number)
        })
        .max_by_key(|(seq, _)| *seq)
        .map(|(_, nota)| nota)
}

/// Such a cancellation as a request of the national layout, and its key.
pub(super) fn national_order(
    call: &Call<'_>,
    ambiente: Ambiente,
    xml: &str,
    caller: &Holder,
) -> Result<(String, Signed), Refusal> {
    let root = read(xml)?;
    let broken = || Refusal::from("E1235");
    let holder = root.find("Pedido").ok_or_else(broken)?;
    let target = holder.child("InfPedidoCancelamento").ok_or_else(broken)?;
    let signer = signer_of(call, &root, holder, target, caller)?;
    let nota = ordered(call, xml).ok_or_else(|| Refusal::from("E0802"))?;
    let chave = nota.chave.clone().unwrap_or_default();
    let author = match nota.prestador.len() {
        11 => "CPFAutor",
        _ => "CNPJAutor",
    };
    let request = format!(
        "<pedRegEvento xmlns=\"{NS}\" versao=\"1.01\"><infPedReg Id=\"PRE{chave}101101\"><tpAmb>{}</tpAmb>\
         <verAplic>Simulador_1.0</verAplic><dhEvento>{}</dhEvento><{author}>{}</{author}><chNFSe>{chave}</chNFSe>\
         <e101101><xDesc>Cancelamento de NFS-e</xDesc><cMotivo>1</cMotivo><xMotivo>Pedido ao sistema do município</xMotivo></e101101>\
         </infPedReg></pedRegEvento>",
        ambiente.code(),
        clock::date_time(call.now_ms),
        nota.prestador,
    );
    let signed = Signed {
        xml: request,
        signer,
    };
    Ok((chave, signed))
}

/// What such a city answers.
pub(super) enum Said<'a> {
    Errors(&'a [Value]),
    /// Found, or issued.
    Note(&'a str),
    Event(&'a str),
    /// Cancelled in the manner of ABRASF.
    Cancelled,
    Nothing,
}

pub(super) fn answer(call: &Call<'_>, said: &Said<'_>) -> Answer {
    let bare = |xml: &str| match xml.split_once("?>") {
        Some((_, body)) => body.to_owned(),
        None => xml.to_owned(),
    };
    let content = match said {
        Said::Errors(errors) => {
            let messages: String = errors.iter().map(message).collect();
            format!("<ListaMensagemRetorno>{messages}</ListaMensagemRetorno>")
        }
        Said::Note(chave) => {
            let nota = call.notes.note_by_key(chave);
            let nota = nota.map(|nota| bare(&nota.xml)).unwrap_or_default();
            format!("<ListaNfse><CompNfse>{nota}</CompNfse></ListaNfse>")
        }
        Said::Event(packed) => bare(&package::unpack(packed).unwrap_or_default()),
        Said::Cancelled => format!(
            "<RetCancelamento><NfseCancelamento><Confirmacao><DataHora>{}</DataHora></Confirmacao></NfseCancelamento></RetCancelamento>",
            clock::date_time(call.now_ms)
        ),
        Said::Nothing => "<ListaNfse></ListaNfse>".to_owned(),
    };
    Answer::new(
        200,
        "text/xml; charset=utf-8",
        format!(
            "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body><Resposta>{content}</Resposta></soap:Body></soap:Envelope>"
        ),
    )
}

fn message(error: &Value) -> String {
    let text = |camel: &str, pascal: &str| {
        let found = error[camel].as_str().or_else(|| error[pascal].as_str());
        escape(found.unwrap_or_default())
    };
    format!(
        "<MensagemRetorno><Codigo>{}</Codigo><Mensagem>{}</Mensagem></MensagemRetorno>",
        text("codigo", "Codigo"),
        text("descricao", "Descricao")
    )
}
