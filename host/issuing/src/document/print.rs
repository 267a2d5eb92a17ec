//! Documents on paper: the PDF of a note, drawn from the authority's XML.

use crate::emitters::profile::Perfil;
use crate::model::{self, Model};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flow::registry::Registry;
use prints::dacte;
use prints::damdfe;
use prints::danfe::{self, PrintOptions};
use prints::danfse::{self, Ambiente, Danfse, Status};
use std::fmt::Display;
use store::tables::emitters::EmitterRow;
use store::tables::notas::{NotaRow, NotaStatus};
use store::{DbResult, stored};

/// The logo of a company's profile; None where it has none. One that is no Base64
/// is left out, as [`pdf`] leaves out one that is no picture: a note is printed
/// without it rather than not at all.
///
/// # Errors
/// The profile cannot be read.
pub fn logo(emitter: &EmitterRow) -> DbResult<Option<Vec<u8>>> {
    let perfil: Perfil = stored(&emitter.perfil, "profile of a company", &emitter.id)?;
    let logo = perfil.logo_base64;
    let decoded = logo.map(|logo| STANDARD.decode(logo)).transpose();
    Ok(decoded.unwrap_or_else(|error| {
        tracing::error!(emitter.id = %emitter.id, %error, "the logo of a company is not printed");
        None
    }))
}

/// The PDF of a document: DANFE, DANFE NFC-e, DACTE, DAMDFE or DANFSe. Hundreds of pages take
/// tens of milliseconds: not for a thread that serves others.
///
/// # Errors
/// The XML is not what the note says it is.
pub fn pdf(
    registry: &Registry,
    nota: &NotaRow,
    xml: &[u8],
    logo: Option<&[u8]>,
) -> anyhow::Result<Vec<u8>> {
    match nota.modelo {
        Model::Nfse => danfse(registry, nota, xml),
        Model::Cte => {
            let text = std::str::from_utf8(xml)?;
            drawn(logo, |logo| dacte::dacte(text, &options(nota, logo)))
        }
        Model::Mdfe => {
            let text = std::str::from_utf8(xml)?;
            drawn(logo, |logo| damdfe::damdfe(text, &options(nota, logo)))
        }
        model => danfe(model, nota, xml, logo),
    }
}

/// The DANFE of a note somebody issued against the company.
///
/// # Errors
/// The XML is no NF-e.
pub fn received(xml: &[u8], cancelled: bool, simulated: bool) -> anyhow::Result<Vec<u8>> {
    let options = PrintOptions {
        cancelled,
        mark: simulated.then_some("SIMULADA"),
        ..PrintOptions::default()
    };
    danfe::print(std::str::from_utf8(xml)?, &options).map_err(|error| anyhow::anyhow!("{error}"))
}

/// The printout of a correction letter, with the parties of its note.
///
/// # Errors
/// The XML is not that of a letter.
pub fn letter(
    nota: &NotaRow,
    evento: &[u8],
    xml: &[u8],
    logo: Option<&[u8]>,
) -> anyhow::Result<Vec<u8>> {
    let mark = (nota.simulada == 1).then_some("SIMULADA");
    let (evento, nota) = (std::str::from_utf8(evento)?, std::str::from_utf8(xml)?);
    drawn(logo, |logo| {
        let options = PrintOptions {
            logo,
            mark,
            ..PrintOptions::default()
        };
        danfe::cce(evento, Some(nota), &options)
    })
}

/// What `print` draws with the logo; without it where that fails, so that a logo that
/// is no picture keeps no document from being printed.
fn drawn<E: Display>(
    logo: Option<&[u8]>,
    print: impl Fn(Option<&[u8]>) -> Result<Vec<u8>, E>,
) -> anyhow::Result<Vec<u8>> {
    let pdf = match print(logo) {
        Err(_) if logo.is_some() => print(None),
        pdf => pdf,
    };
    pdf.map_err(|error| anyhow::anyhow!("{error}"))
}

fn danfe(model: Model, nota: &NotaRow, xml: &[u8], logo: Option<&[u8]>) -> anyhow::Result<Vec<u8>> {
    let text = std::str::from_utf8(xml)?;
    drawn(logo, |logo| match model {
        Model::Nfce => danfe::nfce(text, &options(nota, logo)),
        _ => danfe::danfe(text, &options(nota, logo)),
    })
}

/// How a document of a SEFAZ is marked.
fn options<'a>(nota: &NotaRow, logo: Option<&'a [u8]>) -> PrintOptions<'a> {
    PrintOptions {
        logo,
        cancelled: nota.status == NotaStatus::Cancelled,
        mark: match nota.status {
            NotaStatus::Draft if nota.chave.is_empty() => Some("RASCUNHO"),
            _ => (nota.simulada == 1).then_some("SIMULADA"),
        },
        ..PrintOptions::default()
    }
}

fn danfse(registry: &Registry, nota: &NotaRow, xml: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut danfse = Danfse::from_nfse_xml(std::str::from_utf8(xml)?)
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    danfse.name_municipalities(|ibge| {
        registry
            .municipality(ibge)
            .map(|municipality| municipality.name.clone())
    });
    if nota.ambiente != model::Ambiente::Production {
        danfse.ambiente = Ambiente::Homologacao;
    }
    danfse.simulated = nota.simulada == 1;
    danfse.status = match nota.status {
        NotaStatus::Cancelled if nota.substituida_por.is_some() => Status::Replaced,
        NotaStatus::Cancelled => Status::Cancelled,
        _ => Status::Normal,
    };
    Ok(danfse::render(&danfse))
}
