//! Which fiscal document an XML is, by which layout and rules it is judged, and
//! what these rules find.

mod transport;

use base::errors::{Code, Failure, Refusal};
use fiscal::nfe::event::NAMESPACE;
use fiscal::nfe::reading::{Finding, check, check_event, check_void};
use fiscal::nfse;
use freight::document::kind::kind;
use gate::request::other_document;
use markup::layout::Layout;
use markup::xml::{Document, Element};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Display;
use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime};
use vault::signing::verify::verify;

/// O documento que um XML é.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DocumentoDoXml")]
pub(super) enum Documento {
    Nfe,
    Nfce,
    /// Evento de NF-e ou NFC-e.
    Evento,
    Inutilizacao,
    Dps,
    Nfse,
    PedidoEventoNfse,
    EventoNfse,
    Cte,
    Mdfe,
    /// Evento de CT-e.
    EventoCte,
    /// Evento de MDF-e.
    EventoMdfe,
}

pub(super) struct Judgement {
    pub kind: Documento,
    /// 55, 65, 57 or 58; nothing for what has no model.
    pub model: Option<String>,
    pub layout: &'static Layout,
    /// The dated set of rules, `nfe-2021-09-01`.
    pub rules: &'static str,
    pub found: Vec<Finding>,
}

/// What a document is and what the rules of its day say of it.
///
/// # Errors
/// It is none of those that can be judged: the refusal says what it is.
pub(super) fn judge(doc: &Document<'_>, today: Date) -> Result<Judgement, Failure> {
    let of_sefaz = |name: &str| {
        doc.elements()
            .find(|element| element.name() == name && element.namespace() == NAMESPACE)
    };
    if of_sefaz("NFe").is_some() {
        note(doc, today)
    } else if let Some(event) = of_sefaz("evento") {
        of_event(doc, event, today)
    } else if let Some(range) = of_sefaz("inutNFe") {
        voided(doc, range, today)
    } else if let Some(root) = nfse::root(doc) {
        service(doc, root, today)
    } else if let Some((kind, element)) = kind(doc) {
        transport::judge(doc, kind, element, today)
    } else {
        Err(other_document::refusal(doc).into())
    }
}

fn note(doc: &Document<'_>, today: Date) -> Result<Judgement, Failure> {
    let opinion = check(doc, today, |parts| verify(parts).0).map_err(|error| unread(&error))?;
    let ide = doc.elements().find(|element| element.name() == "ide");
    let said = |name: &str| text(ide, name);
    let emitted = OffsetDateTime::parse(&said("dhEmi"), &Rfc3339).map_or(today, |at| at.date());
    let layout = if said("tpAmb") == "2" {
        Layout::nfe_homologacao(emitted)
    } else {
        Layout::nfe(emitted)
    };
    let model = said("mod");
    Ok(Judgement {
        kind: if model == "65" {
            Documento::Nfce
        } else {
            Documento::Nfe
        },
        model: Some(model),
        layout,
        rules: opinion.regras.name(),
        found: opinion.findings,
    })
}

fn of_event(doc: &Document<'_>, event: Element<'_>, today: Date) -> Result<Judgement, Failure> {
    let opinion =
        check_event(doc, today, |parts| verify(parts).0).map_err(|error| unread(&error))?;
    let inf = event.child("infEvento");
    let of_its_type = Layout::get(&format!("evento-{}", text(inf, "tpEvento")));
    Ok(Judgement {
        kind: Documento::Evento,
        model: text(inf, "chNFe").get(20..22).map(str::to_owned),
        layout: of_its_type.map_or_else(|| table("evento"), Ok)?,
        rules: opinion.regras.name(),
        found: opinion.findings,
    })
}

fn voided(doc: &Document<'_>, range: Element<'_>, today: Date) -> Result<Judgement, Failure> {
    let opinion =
        check_void(doc, today, |parts| verify(parts).0).map_err(|error| unread(&error))?;
    let inf = range.child("infInut");
    // Mato Grosso has a schema of its own, for the request alone.
    let alone = range.parent().is_none();
    let layout = if alone && text(inf, "cUF") == "51" {
        "inutNFe-4.00-MT"
    } else {
        "inutNFe-4.00"
    };
    Ok(Judgement {
        kind: Documento::Inutilizacao,
        model: Some(text(inf, "mod")),
        layout: table(layout)?,
        rules: opinion.regras.name(),
        found: opinion.findings,
    })
}

fn service(doc: &Document<'_>, root: Element<'_>, today: Date) -> Result<Judgement, Failure> {
    let found = nfse::check(doc, root, today, |parts| verify(parts).0);
    Ok(Judgement {
        kind: match root.name() {
            "DPS" => Documento::Dps,
            "NFSe" => Documento::Nfse,
            "pedRegEvento" => Documento::PedidoEventoNfse,
            _ => Documento::EventoNfse,
        },
        model: None,
        layout: table("nfse-1.01")?,
        rules: nfse::REGRAS,
        found,
    })
}

fn text(element: Option<Element<'_>>, name: &str) -> String {
    element
        .and_then(|element| element.text_at(&[name]))
        .unwrap_or_default()
        .into_owned()
}

/// A layout that is compiled in.
fn table(name: &str) -> Result<&'static Layout, Failure> {
    Ok(Layout::get(name).ok_or_else(|| anyhow::anyhow!("layout {name} is not compiled in"))?)
}

fn unread(error: &dyn Display) -> Failure {
    Refusal::new(Code::XmlMalformado)
        .message(error.to_string())
        .hint("Envie um documento por vez, inteiro.")
        .into()
}
