//! Operation "cancelar": event e101101. Unique per note and type, so a lost
//! answer is settled by asking for the note's events.

use crate::api::{self, Queried};
use crate::assembly::{ambiente_kind, sign};
use crate::delivery::{Reading, Search, WITH_PAUSES, deliver};
use crate::description::application;
use crate::events::{evento, events};
use crate::ids;
use crate::query::{chave_of, invalid};
use crate::transport::{self, EventForm, Transport, protocol};
use sdk::nfse::{self, Cancelamento, MotivoCancelamento};
use sdk::soap::without_declaration;
use sdk::xml::Writer;
use sdk::{
    Conteudo, Context, Documento, Failure, Flow, Mensagem, Outcome, Response, Success, gzip,
};

/// Type of the event.
const KIND: &str = "101101";
/// "The note already has a cancellation" (E0840).
const ALREADY_EXISTS: &str = "E0840";

pub async fn cancel(flow: &Flow, content: &Conteudo) -> Outcome {
    let request: Cancelamento = nfse::read(content, nfse::SCHEMA_CANCELAMENTO)?;
    let transport = Transport::read(flow.ctx())?;
    let justification = request.justificativa.trim();
    if !(15..=255).contains(&justification.chars().count()) {
        return Err(invalid(
            "justificativa",
            "tamanho",
            "A justificativa tem de 15 a 255 caracteres.",
        ));
    }
    let Queried::Found(chave) = chave_of(flow, &request.documento).await? else {
        return Err(invalid(
            "documento",
            "nao_encontrado",
            "A autoridade não tem nota desta série e número.",
        ));
    };
    let request = flow
        .keep("evento", || {
            let ctx = flow.ctx();
            let (xml, id) = build(&chave, request.codigo_motivo, justification, ctx)?;
            let (xml, id) = match transport.event_form {
                EventForm::Request => (xml, id),
                EventForm::Whole => whole(&xml, &chave, ctx)?,
            };
            Ok(gzip::encode(sign(&xml, &id, ctx)?.as_bytes()))
        })
        .await?;
    let sending = transport.event(flow.ctx(), &chave, &request)?;
    let (evento, alertas) = deliver(
        flow,
        &WITH_PAUSES,
        sending.into(),
        |response| read(response, transport.refuses_with_success(), &chave),
        async |_| look_for(flow, &chave).await,
    )
    .await?;
    Ok(Success::new(evento.situacao)
        .documento(evento)
        .messages(alertas))
}

/// pedRegEvento and the id of what is signed in it.
fn build(
    chave: &str,
    reason: MotivoCancelamento,
    justification: &str,
    ctx: &Context,
) -> Result<(String, String), Failure> {
    let moment =
        ids::date_time(&ctx.now).ok_or_else(|| Failure::other("relogio do fluxo ilegivel"))?;
    let author = if ctx.emitente.documento.len() == 11 {
        "CPFAutor"
    } else {
        "CNPJAutor"
    };
    // The national table has no code for a duplicate note.
    let codigo = match reason {
        MotivoCancelamento::ErroEmissao => "1",
        MotivoCancelamento::ServicoNaoPrestado => "2",
        MotivoCancelamento::Duplicidade | MotivoCancelamento::Outros => "9",
    };
    let id = format!("PRE{chave}{KIND}");
    let mut w = Writer::with_declaration();
    w.group("pedRegEvento", &root(ctx), |w| {
        w.group("infPedReg", &[(transport::id_attribute(ctx), &id)], |w| {
            for element in transport::event_order(ctx) {
                match element {
                    "tpAmb" => w.leaf("tpAmb", ambiente_kind(ctx)),
                    "verAplic" => w.leaf("verAplic", &application(ctx)),
                    "dhEvento" => w.leaf("dhEvento", &moment),
                    "autor" => w.leaf(author, &ctx.emitente.documento),
                    "chNFSe" => w.leaf("chNFSe", chave),
                    _ => w,
                };
            }
            w.group("e101101", &[], |w| {
                w.leaf("xDesc", "Cancelamento de NFS-e");
                w.leaf("cMotivo", codigo);
                w.leaf("xMotivo", justification);
            });
        });
    });
    Ok((w.finish(), id))
}

/// Namespace and version of a document's root.
fn root(ctx: &Context) -> [(&'static str, &str); 2] {
    [
        ("xmlns", transport::namespace(ctx)),
        ("versao", transport::event_version(ctx)),
    ]
}

/// The request as a city wants it that leaves to its customers what the Sefin
/// Nacional makes itself: the event, with the moment of the request as that of
/// its registration and without a number.
fn whole(request: &str, chave: &str, ctx: &Context) -> Result<(String, String), Failure> {
    let moment =
        ids::date_time(&ctx.now).ok_or_else(|| Failure::other("relogio do fluxo ilegivel"))?;
    let id = format!("EVT{chave}{KIND}");
    let mut w = Writer::with_declaration();
    w.group("evento", &root(ctx), |w| {
        w.group("infEvento", &[(transport::id_attribute(ctx), &id)], |w| {
            w.leaf("verAplic", &application(ctx));
            // 1: the city's own system.
            w.leaf("ambGer", "1");
            w.leaf("nSeqEvento", "001");
            w.leaf("dhProc", &moment);
            w.leaf(transport::event_number(ctx), "0");
            w.raw(without_declaration(request));
        });
    });
    Ok((w.finish(), id))
}

/// An answer to POST /nfse/{chave}/eventos.
fn read(response: &Response, lenient: bool, chave: &str) -> Reading<(Documento, Vec<Mensagem>)> {
    if !response.is_success() {
        return Reading::unsuccessful(response, ALREADY_EXISTS);
    }
    let Some(answer) = api::read(response) else {
        return Reading::Doubt("2xx sem JSON");
    };
    if answer.refuses(lenient, ALREADY_EXISTS) {
        return Reading::no(answer.errors, ALREADY_EXISTS);
    }
    if answer.documento.is_none()
        && answer.errors.is_empty()
        && let Some(protocol) = answer.protocol.as_deref().and_then(protocol)
    {
        return Reading::Received(protocol);
    }
    match answer.documento.and_then(|bytes| evento(bytes, chave)) {
        Some(evento) => Reading::Done((evento, answer.alerts)),
        None => Reading::Doubt("2xx sem evento legivel"),
    }
}

async fn look_for(flow: &Flow, chave: &str) -> Search<(Documento, Vec<Mensagem>)> {
    match events(flow, chave).await {
        Ok(Queried::Found(findings)) => match findings.documentos.into_iter().next() {
            Some(evento) => Search::Found((evento, Vec::new())),
            None => Search::Absent,
        },
        Ok(Queried::Absent) => Search::Absent,
        Err(_) => Search::Unknown,
    }
}
