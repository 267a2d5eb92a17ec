//! An event of a note (`evento`, `procEventoNFe`): its id, its key, its author,
//! its day. What must be known of the note itself is not here. What the events of
//! all families have in common takes their names and codes ([`EventForm`]).
//!
//! Sources: MOC 7.0, tables 5-35 to 5-42; the catalogue of events.

use time::{Date, Duration};

use super::nota::{A_NOTE, Called, moment, text};
use super::{Findings, Opinion};
use crate::nfe::event::{Author, Family, Kind, Receiver, search};
use crate::nfe::reading::ReadingError;
use crate::nfe::reading::check::signature;
use crate::nfe::reading::check::validity::Regras;
use crate::nfe::reading::nota::{child, child_of, only_child};
use markup::ids::chave::Chave;
use markup::ids::{CpfCnpj, IdError};
use markup::xml::{Document, Element};
use markup::xmldsig::SignatureParts;

/// What the events of a family are called, and what is answered to those that
/// are not right.
#[derive(Debug)]
pub struct EventForm {
    pub family: Family,
    /// The document an event is of.
    pub called: Called,
    /// Digits of the sequence in the `Id`, as they are accepted.
    pub sequence_digits: &'static [usize],
    /// `cStat` of a registration.
    pub registered: &'static [&'static str],
    pub codes: EventCodes,
}

/// The answers to an event that is not right.
#[derive(Debug)]
pub struct EventCodes {
    pub id: &'static str,
    /// The sequence is beyond what the event allows.
    pub sequence: &'static str,
    /// The check digit of the key, and whatever else of it does not exist.
    pub key: (&'static str, &'static str),
    pub cnpj: &'static str,
    pub cpf: &'static str,
    /// The author is not the emitter, and only the emitter registers it.
    pub author: &'static str,
    pub future: &'static str,
}

const OF_A_NOTE: EventForm = EventForm {
    family: Family::Nfe,
    called: A_NOTE,
    sequence_digits: &[2],
    registered: &["135", "136", "155"],
    codes: EventCodes {
        id: "572",
        sequence: "594",
        key: ("236", "chave_invalida"),
        cnpj: "489",
        cpf: "490",
        author: "574",
        future: "578",
    },
};

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
    let form = &OF_A_NOTE;
    identity(inf, form, &mut findings);
    let kind = kind(inf, &mut findings);
    if let Some(kind) = kind {
        sequence(inf, kind, form, &mut findings);
    }
    let nota = document(inf, form, &mut findings);
    author(inf, kind, nota.as_ref(), form, &mut findings);
    if let (Some(kind), Some(nota)) = (kind, &nota) {
        location(inf, kind, nota, &mut findings);
    }
    future(inf, today, form, &mut findings);
    answer(evento, inf, form, &mut findings);
    signature::check(
        doc.text(),
        (evento, inf),
        &signature::OF_SEFAZ,
        rsa,
        &mut findings,
    );
    let homologacao = text(inf, &["tpAmb"]).as_deref() == Some("2");
    let at = text(inf, &["dhEvento"]).and_then(|at| moment(&at));
    Ok(Opinion {
        regras: Regras::at(at.map_or(today, |at| at.date()), homologacao),
        findings: findings.in_order(),
    })
}

/// The `Id` is made of the event's fields.
pub fn identity(inf: Element<'_>, form: &EventForm, findings: &mut Findings) {
    let kind = text(inf, &["tpEvento"]).unwrap_or_default();
    let key = form.family.key();
    let chave = text(inf, &[key]).unwrap_or_default();
    let sequence = text(inf, &["nSeqEvento"]).unwrap_or_default();
    let id = inf.attribute("Id").unwrap_or("");
    let mut accepted = form
        .sequence_digits
        .iter()
        .map(|digits| format!("ID{kind}{chave}{sequence:0>digits$}", digits = *digits));
    if !accepted.any(|accepted| accepted == id) {
        let digits = match form.sequence_digits {
            [2] => "dois",
            _ => "três",
        };
        findings
            .error(
                "infEvento/@Id",
                form.codes.id,
                format!(
                    "O Id do evento não é feito de ID, tpEvento, {key} e nSeqEvento com {digits} algarismos."
                ),
                "Monte o Id com os campos do evento e assine outra vez.",
            )
            .value(id);
    }
}

/// The date has come.
pub fn future(inf: Element<'_>, today: Date, form: &EventForm, findings: &mut Findings) {
    let at = text(inf, &["dhEvento"]).and_then(|at| moment(&at));
    if let Some(at) = at
        && at.date() > today.saturating_add(Duration::days(1))
    {
        findings
            .error(
                "infEvento/dhEvento",
                form.codes.future,
                "O evento é do futuro.",
                "Acerte o relógio e a data do evento.",
            )
            .value(&at.date().to_string());
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
    Some(kind)
}

/// How often the event may be registered.
pub fn sequence(inf: Element<'_>, kind: &Kind, form: &EventForm, findings: &mut Findings) {
    let sequence = text(inf, &["nSeqEvento"]).unwrap_or_default();
    let maximum = kind.sequencia_maxima;
    if sequence
        .parse::<u32>()
        .is_ok_and(|number| !(1..=u32::from(maximum)).contains(&number))
    {
        findings
            .error(
                "infEvento/nSeqEvento",
                form.codes.sequence,
                format!("A sequência vai de 1 a {maximum} neste evento."),
                format!(
                    "Use a próxima sequência do mesmo tipo de evento {}.",
                    form.called.of
                ),
            )
            .value(&sequence);
    }
}

/// The key of the document; its shape is the layout's to judge.
pub fn document(inf: Element<'_>, form: &EventForm, findings: &mut Findings) -> Option<Chave> {
    let key = form.family.key();
    let chave = text(inf, &[key]).unwrap_or_default();
    let of = form.called.of;
    let (code, message) = match Chave::parse(&chave) {
        Ok(chave) => return Some(chave),
        Err(IdError::CheckDigits) => (
            form.codes.key.0,
            format!("O dígito verificador da chave {of} não confere."),
        ),
        Err(IdError::NotAssigned) => (
            form.codes.key.1,
            format!("A chave {of} tem UF, mês, modelo ou emitente que não existem."),
        ),
        Err(_) => return None,
    };
    findings
        .error(
            format!("infEvento/{key}"),
            code,
            message,
            "Copie a chave do documento autorizado.",
        )
        .value(&chave);
    None
}

/// Who registers it: the document, and that it is the emitter where nobody else
/// may.
pub fn author(
    inf: Element<'_>,
    kind: Option<&Kind>,
    chave: Option<&Chave>,
    form: &EventForm,
    findings: &mut Findings,
) {
    let codes = &form.codes;
    let Some((field, code, documento)) = [("CNPJ", codes.cnpj), ("CPF", codes.cpf)]
        .into_iter()
        .find_map(|(field, code)| Some((field, code, text(inf, &[field])?)))
    else {
        return;
    };
    let Ok(documento) = CpfCnpj::parse(&documento) else {
        findings.error(
            format!("infEvento/{field}"),
            code,
            format!("O {field} do autor do evento tem dígito verificador errado."),
            "Confira o documento do autor.",
        );
        return;
    };
    let issuer_only = kind.is_some_and(|kind| kind.autores == [Author::Emitente]);
    let issuer = chave.and_then(Chave::emitter);
    if issuer_only && issuer.is_some_and(|issuer| issuer != documento) {
        let of = form.called.of;
        findings.error(
            format!("infEvento/{field}"),
            codes.author,
            format!(
                "Só o emitente {of} registra este evento, e o autor não é o emitente da chave."
            ),
            format!("Use o emitente {of}, ou confira a chave."),
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

/// The authority's answer beside the event, where both are joined
/// (`procEventoNFe`).
pub fn answer(event: Element<'_>, inf: Element<'_>, form: &EventForm, findings: &mut Findings) {
    let family = form.family;
    let Some(answer) = event
        .parent()
        .filter(|parent| parent.name() == family.joined_event())
        .and_then(|parent| child_of(family, parent, family.answer()))
        .and_then(|answer| answer.child("infEvento"))
    else {
        return;
    };
    let at = |field: &str| format!("{}/infEvento/{field}", family.answer());
    for field in [family.key(), "tpEvento", "nSeqEvento"] {
        let (request, said) = (text(inf, &[field]), text(answer, &[field]));
        if said.is_some() && said != request {
            findings
                .error(
                    at(field),
                    "retorno_de_outro_evento",
                    format!("O retorno é de outro evento: {field} difere."),
                    "Junte o retorno deste evento.",
                )
                .value(&said.unwrap_or_default());
        }
    }
    let status = text(answer, &["cStat"]).unwrap_or_default();
    if !form.registered.contains(&&*status) {
        findings
            .aviso(
                at("cStat"),
                "nao_registrado",
                "O retorno não é de registro: o evento não vale.",
                "Veja o motivo em xMotivo.",
            )
            .value(&status);
    }
}
