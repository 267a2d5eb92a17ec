//! CT-e, MDF-e and their events under judgement: by which layout and rules, and
//! what these rules find.

use super::{Documento, Judgement, table, text, unread};
use base::errors::{Code, Failure, Refusal};
use fiscal::nfe::event::Family;
use fiscal::nfe::reading::Finding;
use freight::document::kind::Kind;
use freight::document::reading::ReadingError;
use freight::{cte, event, mdfe};
use markup::layout::Layout;
use markup::xml::{Document, Element};
use time::Date;
use vault::signing::verify::verify;

/// What the rules say of a transport document or of an event of one. `element` is
/// the document: `CTe`.
///
/// # Errors
/// It is not one document of its namespace, or of a layout that is not judged.
pub(super) fn judge(
    doc: &Document<'_>,
    kind: Kind,
    element: Element<'_>,
    today: Date,
) -> Result<Judgement, Failure> {
    let rsa = |parts: &_| verify(parts).0;
    match kind {
        Kind::Cte => {
            let found = told(cte::check::check(doc, today, rsa))?;
            only_version(Family::Cte, element.child("infCte"))?;
            Ok(document(Documento::Cte, "57", table("cte-4.00")?, found))
        }
        Kind::Mdfe => {
            let found = told(mdfe::check::check(doc, today, rsa))?;
            only_version(Family::Mdfe, element.child("infMDFe"))?;
            Ok(document(Documento::Mdfe, "58", table("mdfe-3.00")?, found))
        }
        Kind::CteEvent => of_event(doc, (Family::Cte, element), today),
        Kind::MdfeEvent => of_event(doc, (Family::Mdfe, element), today),
    }
}

fn document(
    kind: Documento,
    model: &str,
    layout: &'static Layout,
    found: Vec<Finding>,
) -> Judgement {
    Judgement {
        kind,
        model: Some(model.to_owned()),
        layout,
        rules: match kind {
            Documento::Mdfe | Documento::EventoMdfe => mdfe::check::RULES,
            _ => cte::check::RULES,
        },
        found,
    }
}

fn of_event(
    doc: &Document<'_>,
    (family, element): (Family, Element<'_>),
    today: Date,
) -> Result<Judgement, Failure> {
    let found = event::check::check(family, doc, today, |parts| verify(parts).0);
    let found = told(found)?;
    only_version(family, Some(element))?;
    let inf = element.child("infEvento");
    let of_its_type = format!("{}-{}", family.event(), text(inf, "tpEvento"));
    let layout = Layout::get(&of_its_type).map_or_else(|| table(family.event()), Ok)?;
    let kind = match family {
        Family::Mdfe => Documento::EventoMdfe,
        _ => Documento::EventoCte,
    };
    let key = text(inf, family.key());
    let model = key.get(20..22).unwrap_or_default();
    Ok(document(kind, model, layout, found))
}

fn told(found: Result<Vec<Finding>, ReadingError>) -> Result<Vec<Finding>, Failure> {
    found.map_err(|error| unread(&error))
}

/// Documents of an older layout were right by rules that are not here.
fn only_version(family: Family, versioned: Option<Element<'_>>) -> Result<(), Failure> {
    let expected = family.document_version();
    let given = versioned.and_then(|element| element.attribute("versao"));
    match given {
        Some(given) if given != expected => {
            let given: String = given.chars().take(10).collect();
            let refusal = Refusal::new(Code::DocumentoNaoSuportado)
                .message(format!(
                    "O documento é do leiaute {given}; julga-se aqui o leiaute {expected}."
                ))
                .hint("Envie um documento do leiaute em vigor. POST /api/v1/nfe/parse lê também os anteriores.");
            Err(refusal.into())
        }
        _ => Ok(()),
    }
}
