//! An event of a note (`evento`, `procEventoNFe`): its id, its key, its author,
//! its day. What must be known of the note itself is not here.
//!
//! Sources: MOC 7.0, tables 5-35 to 5-42; the catalogue of events.

use time::{Date, Duration};

use super::nota::{moment, text};
use super::{Findings, Opinion};
use crate::nfe::event::{Author, Kind, Receiver, search};
use crate::nfe::reading::ReadingError;
use crate::nfe::reading::check::signature;
use crate::nfe::reading::check::validity::Regras;
use crate::nfe::reading::nota::{child, only_child};
use markup::ids::chave::Chave;
use markup::ids::{CpfCnpj, IdError};
use markup::xml::{Document, Element};
use markup::xmldsig::SignatureParts;

/// As [`super::check`], of an event.
///
/// # Errors
/// There is no single `evento/infEvento` in the document.
pub fn check_event(
    doc: &Document<'_>,
    today: Date,
    rsa: impl FnOnce(&SignatureParts) -> bool,
) -> Result<Opinion, ReadingError> {
    let evento = only_child(doc, "evento")?;
    let inf = child(evento, "infEvento").ok_or(ReadingError::Absent("infEvento"))?;
    let chave = text(inf, &["chNFe"]).unwrap_or_default();
    let mut findings = Findings::new(if chave.get(20..22) == Some("65") {
        65
    } else {
        55
    });
    identity(inf, &chave, &mut findings);
    let kind = kind(inf, &mut findings);
    let nota = of_nota(&chave, &mut findings);
    author(inf, kind, nota.as_ref(), &mut findings);
    if let (Some(kind), Some(nota)) = (kind, &nota) {
        location(inf, kind, nota, &mut findings);
    }
    let at = text(inf, &["dhEvento"]).and_then(|at| moment(&at));
    if let Some(at) = at
        && at.date() > today.saturating_add(Duration::days(1))
    {
        findings
            .error(
                "infEvento/dhEvento",
                "578",
                "O evento é do futuro.",
                "Acerte o relógio e a data do evento.",
            )
            .value(&at.date().to_string());
    }
    answer(evento, inf, &mut findings);
    signature::check(
        doc.text(),
        (evento, inf),
        &signature::OF_SEFAZ,
        rsa,
        &mut findings,
    );
    let homologacao = text(inf, &["tpAmb"]).as_deref() == Some("2");
    Ok(Opinion {
        regras: Regras::at(at.map_or(today, |at| at.date()), homologacao),
        findings: findings.in_order(),
    })
}

fn identity(inf: Element<'_>, chave: &str, findings: &mut Findings) {
    let kind = text(inf, &["tpEvento"]).unwrap_or_default();
    let sequence = text(inf, &["nSeqEvento"]).unwrap_or_default();
    let id = inf.attribute("Id").unwrap_or("");
    if id != format!("ID{kind}{chave}{sequence:0>2}") {
        findings
            .error(
                "infEvento/@Id",
                "572",
                "O Id do evento não é feito de ID, tpEvento, chNFe e nSeqEvento com dois algarismos.",
                "Monte o Id com os campos do evento e assine outra vez.",
            )
            .value(id);
    }
}

/// The event in the catalogue.
fn kind(inf: Element<'_>, findings: &mut Findings) -> Option<&'static Kind> {
    let codigo = text(inf, &["tpEvento"]).unwrap_or_default();
    let Some(kind) = search(&codigo) else {
        findings
            .error(
                "infEvento/tpEvento",
                "491",
                "Este tipo de evento não existe.",
                "Veja os tipos em GET /api/v1/reforma/eventos/catalogo.",
            )
            .value(&codigo);
        return None;
    };
    let sequence = text(inf, &["nSeqEvento"]).unwrap_or_default();
    let maximum = kind.sequencia_maxima;
    if sequence
        .parse::<u32>()
        .is_ok_and(|number| !(1..=u32::from(maximum)).contains(&number))
    {
        findings
            .error(
                "infEvento/nSeqEvento",
                "594",
                format!("A sequência vai de 1 a {maximum} neste evento."),
                "Use a próxima sequência do mesmo tipo de evento da nota.",
            )
            .value(&sequence);
    }
    Some(kind)
}

/// The key of the note; its shape is the layout's to judge.
fn of_nota(chave: &str, findings: &mut Findings) -> Option<Chave> {
    let (codigo, message) = match Chave::parse(chave) {
        Ok(chave) => return Some(chave),
        Err(IdError::CheckDigits) => ("236", "O dígito verificador da chave da nota não confere."),
        Err(IdError::NotAssigned) => (
            "chave_invalida",
            "A chave da nota tem UF, mês, modelo ou emitente que não existem.",
        ),
        Err(_) => return None,
    };
    findings
        .error(
            "infEvento/chNFe",
            codigo,
            message,
            "Copie a chave da nota autorizada.",
        )
        .value(chave);
    None
}

fn author(inf: Element<'_>, kind: Option<&Kind>, nota: Option<&Chave>, findings: &mut Findings) {
    let Some((field, codigo, documento)) = [("CNPJ", "489"), ("CPF", "490")]
        .into_iter()
        .find_map(|(field, codigo)| Some((field, codigo, text(inf, &[field])?)))
    else {
        return;
    };
    let Ok(documento) = CpfCnpj::parse(&documento) else {
        findings.error(
            format!("infEvento/{field}"),
            codigo,
            format!("O {field} do autor do evento tem dígito verificador errado."),
            "Confira o documento do autor.",
        );
        return;
    };
    let issuer_only = kind.is_some_and(|kind| kind.autores == [Author::Emitente]);
    let issuer = nota.and_then(Chave::emitter);
    if issuer_only && issuer.is_some_and(|issuer| issuer != documento) {
        findings.error(
            format!("infEvento/{field}"),
            "574",
            "Só o emitente da nota registra este evento, e o autor não é o emitente da chave.",
            "Use o emitente da nota, ou confira a chave.",
        );
    }
}

/// The model of the note and who registers.
fn location(inf: Element<'_>, kind: &Kind, nota: &Chave, findings: &mut Findings) {
    let model = nota.model().to_string();
    if !kind.modelos.contains(&model.as_str()) {
        let codigo = if kind.codigo == "110110" {
            "784"
        } else {
            "450"
        };
        findings
            .error(
                "infEvento/chNFe",
                codigo,
                format!(
                    "{} só existe para o modelo {}; a nota é do modelo {model}.",
                    kind.nome,
                    kind.modelos.join(" e ")
                ),
                "Confira a nota indicada.",
            )
            .value(nota.as_str());
    }
    let agency = text(inf, &["cOrgao"]).unwrap_or_default();
    if kind.receptor == Receiver::AmbienteNacional && agency != "91" {
        findings
            .error(
                "infEvento/cOrgao",
                "250",
                "Este evento é registrado no Ambiente Nacional: cOrgao é 91.",
                "Informe cOrgao 91 e envie ao Ambiente Nacional.",
            )
            .value(&agency);
    }
}

/// The authority's answer beside the event, in a `procEventoNFe`.
fn answer(evento: Element<'_>, inf: Element<'_>, findings: &mut Findings) {
    let Some(answer) = evento
        .parent()
        .filter(|parent| parent.name() == "procEventoNFe")
        .and_then(|parent| child(parent, "retEvento"))
        .and_then(|answer| answer.child("infEvento"))
    else {
        return;
    };
    for field in ["chNFe", "tpEvento", "nSeqEvento"] {
        let (request, said) = (text(inf, &[field]), text(answer, &[field]));
        if said.is_some() && said != request {
            findings
                .error(
                    format!("retEvento/infEvento/{field}"),
                    "retorno_de_outro_evento",
                    format!("O retorno é de outro evento: {field} difere."),
                    "Junte o retorno deste evento.",
                )
                .value(&said.unwrap_or_default());
        }
    }
    let status = text(answer, &["cStat"]).unwrap_or_default();
    if !matches!(&*status, "135" | "136" | "155") {
        findings
            .aviso(
                "retEvento/infEvento/cStat",
                "nao_registrado",
                "O retorno não é de registro: o evento não vale.",
                "Veja o motivo em xMotivo.",
            )
            .value(&status);
    }
}
