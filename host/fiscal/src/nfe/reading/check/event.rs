//! An event of a note (`evento`, `procEventoNFe`): its id, its key, its author,
//! its day. What must be known of the note itself is not here.
//!
//! Sources: MOC 7.0, tables 5-35 to 5-42; the catalogue of events.

use time::{Date, Duration};

use super::nota::{momento, texto};
use super::{Achados, Parecer};
use crate::nfe::event::{Autor, Receptor, Tipo, busca};
use crate::nfe::reading::LeituraError;
use crate::nfe::reading::check::signature;
use crate::nfe::reading::check::validity::Regras;
use crate::nfe::reading::nota::{filho, unico};
use markup::ids::chave::Chave;
use markup::ids::{CpfCnpj, IdError};
use markup::xml::{Document, Element};
use markup::xmldsig::SignatureParts;

/// As [`super::conferir`], of an event.
///
/// # Errors
/// There is no single `evento/infEvento` in the document.
pub fn conferir_evento(
    doc: &Document<'_>,
    hoje: Date,
    rsa: impl FnOnce(&SignatureParts) -> bool,
) -> Result<Parecer, LeituraError> {
    let evento = unico(doc, "evento")?;
    let inf = filho(evento, "infEvento").ok_or(LeituraError::Ausente("infEvento"))?;
    let chave = texto(inf, &["chNFe"]).unwrap_or_default();
    let mut achados = Achados::novo(if chave.get(20..22) == Some("65") {
        65
    } else {
        55
    });
    identidade(inf, &chave, &mut achados);
    let tipo = tipo(inf, &mut achados);
    let nota = da_nota(&chave, &mut achados);
    autor(inf, tipo, nota.as_ref(), &mut achados);
    if let (Some(tipo), Some(nota)) = (tipo, &nota) {
        lugar(inf, tipo, nota, &mut achados);
    }
    let em = texto(inf, &["dhEvento"]).and_then(|em| momento(&em));
    if let Some(em) = em
        && em.date() > hoje.saturating_add(Duration::days(1))
    {
        achados
            .erro(
                "infEvento/dhEvento",
                "578",
                "O evento é do futuro.",
                "Acerte o relógio e a data do evento.",
            )
            .valor(&em.date().to_string());
    }
    retorno(evento, inf, &mut achados);
    signature::confere(
        doc.text(),
        (evento, inf),
        &signature::DA_SEFAZ,
        rsa,
        &mut achados,
    );
    let homologacao = texto(inf, &["tpAmb"]).as_deref() == Some("2");
    Ok(Parecer {
        regras: Regras::em(em.map_or(hoje, |em| em.date()), homologacao),
        achados: achados.em_ordem(),
    })
}

fn identidade(inf: Element<'_>, chave: &str, achados: &mut Achados) {
    let tipo = texto(inf, &["tpEvento"]).unwrap_or_default();
    let sequencia = texto(inf, &["nSeqEvento"]).unwrap_or_default();
    let id = inf.attribute("Id").unwrap_or("");
    if id != format!("ID{tipo}{chave}{sequencia:0>2}") {
        achados
            .erro(
                "infEvento/@Id",
                "572",
                "O Id do evento não é feito de ID, tpEvento, chNFe e nSeqEvento com dois algarismos.",
                "Monte o Id com os campos do evento e assine outra vez.",
            )
            .valor(id);
    }
}

/// The event in the catalogue.
fn tipo(inf: Element<'_>, achados: &mut Achados) -> Option<&'static Tipo> {
    let codigo = texto(inf, &["tpEvento"]).unwrap_or_default();
    let Some(tipo) = busca(&codigo) else {
        achados
            .erro(
                "infEvento/tpEvento",
                "491",
                "Este tipo de evento não existe.",
                "Veja os tipos em GET /api/v1/reforma/eventos/catalogo.",
            )
            .valor(&codigo);
        return None;
    };
    let sequencia = texto(inf, &["nSeqEvento"]).unwrap_or_default();
    let maxima = tipo.sequencia_maxima;
    if sequencia
        .parse::<u32>()
        .is_ok_and(|numero| !(1..=u32::from(maxima)).contains(&numero))
    {
        achados
            .erro(
                "infEvento/nSeqEvento",
                "594",
                format!("A sequência vai de 1 a {maxima} neste evento."),
                "Use a próxima sequência do mesmo tipo de evento da nota.",
            )
            .valor(&sequencia);
    }
    Some(tipo)
}

/// The key of the note; its shape is the layout's to judge.
fn da_nota(chave: &str, achados: &mut Achados) -> Option<Chave> {
    let (codigo, mensagem) = match Chave::parse(chave) {
        Ok(chave) => return Some(chave),
        Err(IdError::CheckDigits) => ("236", "O dígito verificador da chave da nota não confere."),
        Err(IdError::NotAssigned) => (
            "chave_invalida",
            "A chave da nota tem UF, mês, modelo ou emitente que não existem.",
        ),
        Err(_) => return None,
    };
    achados
        .erro(
            "infEvento/chNFe",
            codigo,
            mensagem,
            "Copie a chave da nota autorizada.",
        )
        .valor(chave);
    None
}

fn autor(inf: Element<'_>, tipo: Option<&Tipo>, nota: Option<&Chave>, achados: &mut Achados) {
    let Some((campo, codigo, documento)) = [("CNPJ", "489"), ("CPF", "490")]
        .into_iter()
        .find_map(|(campo, codigo)| Some((campo, codigo, texto(inf, &[campo])?)))
    else {
        return;
    };
    let Ok(documento) = CpfCnpj::parse(&documento) else {
        achados.erro(
            format!("infEvento/{campo}"),
            codigo,
            format!("O {campo} do autor do evento tem dígito verificador errado."),
            "Confira o documento do autor.",
        );
        return;
    };
    let so_emitente = tipo.is_some_and(|tipo| tipo.autores == [Autor::Emitente]);
    let emitente = nota.and_then(Chave::emitente);
    if so_emitente && emitente.is_some_and(|emitente| emitente != documento) {
        achados.erro(
            format!("infEvento/{campo}"),
            "574",
            "Só o emitente da nota registra este evento, e o autor não é o emitente da chave.",
            "Use o emitente da nota, ou confira a chave.",
        );
    }
}

/// The model of the note and who registers.
fn lugar(inf: Element<'_>, tipo: &Tipo, nota: &Chave, achados: &mut Achados) {
    let modelo = nota.modelo().to_string();
    if !tipo.modelos.contains(&modelo.as_str()) {
        let codigo = if tipo.codigo == "110110" {
            "784"
        } else {
            "450"
        };
        achados
            .erro(
                "infEvento/chNFe",
                codigo,
                format!(
                    "{} só existe para o modelo {}; a nota é do modelo {modelo}.",
                    tipo.nome,
                    tipo.modelos.join(" e ")
                ),
                "Confira a nota indicada.",
            )
            .valor(nota.as_str());
    }
    let orgao = texto(inf, &["cOrgao"]).unwrap_or_default();
    if tipo.receptor == Receptor::AmbienteNacional && orgao != "91" {
        achados
            .erro(
                "infEvento/cOrgao",
                "250",
                "Este evento é registrado no Ambiente Nacional: cOrgao é 91.",
                "Informe cOrgao 91 e envie ao Ambiente Nacional.",
            )
            .valor(&orgao);
    }
}

/// The authority's answer beside the event, in a `procEventoNFe`.
fn retorno(evento: Element<'_>, inf: Element<'_>, achados: &mut Achados) {
    let Some(retorno) = evento
        .parent()
        .filter(|pai| pai.name() == "procEventoNFe")
        .and_then(|pai| filho(pai, "retEvento"))
        .and_then(|retorno| retorno.child("infEvento"))
    else {
        return;
    };
    for campo in ["chNFe", "tpEvento", "nSeqEvento"] {
        let (pedido, dito) = (texto(inf, &[campo]), texto(retorno, &[campo]));
        if dito.is_some() && dito != pedido {
            achados
                .erro(
                    format!("retEvento/infEvento/{campo}"),
                    "retorno_de_outro_evento",
                    format!("O retorno é de outro evento: {campo} difere."),
                    "Junte o retorno deste evento.",
                )
                .valor(&dito.unwrap_or_default());
        }
    }
    let status = texto(retorno, &["cStat"]).unwrap_or_default();
    if !matches!(&*status, "135" | "136" | "155") {
        achados
            .aviso(
                "retEvento/infEvento/cStat",
                "nao_registrado",
                "O retorno não é de registro: o evento não vale.",
                "Veja o motivo em xMotivo.",
            )
            .valor(&status);
    }
}
