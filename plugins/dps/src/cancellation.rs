//! Operation "cancelar": event e101101. Unique per note and type, so a lost
//! answer is settled by asking for the note's events.

use crate::api::Queried;
use crate::assembly::{ambiente_kind, sign};
use crate::delivery::{Delivery, FROM_AFAR, Reading, Search, WITH_PAUSES, deliver};
use crate::description::{Signed, application};
use crate::events::{confirmed, evento, events};
use crate::ids;
use crate::query::{chave_of, invalid};
use crate::receipt::received;
use crate::transport::{self, Call, EventForm, Names, Transport, number_of_chave};
use sdk::nfse::{self, Cancelamento, MotivoCancelamento};
use sdk::soap::without_declaration;
use sdk::xml::Writer;
use sdk::{
    Conteudo, Context, Documento, Failure, Flow, Mensagem, Outcome, Response, Success, gzip,
};

/// Type of the event.
const KIND: &str = "101101";
/// Number of the event: a note is cancelled once.
const NUMBER: &str = "001";
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
            let (xml, id) = match transport.event_form {
                EventForm::Request => build(&chave, request.codigo_motivo, justification, ctx)?,
                EventForm::Whole => {
                    let (xml, _) = build(&chave, request.codigo_motivo, justification, ctx)?;
                    whole(&xml, &chave, ctx)?
                }
                EventForm::Message => own(&transport, &chave, request.codigo_motivo, ctx)?,
            };
            Ok(gzip::encode(
                sign(&xml, &id, Signed::Event, ctx)?.as_bytes(),
            ))
        })
        .await?;
    let sending = transport.event(flow.ctx(), &chave, &request)?;
    let pace = if transport.is_afar(Call::Events) {
        FROM_AFAR
    } else {
        WITH_PAUSES
    };
    let delivery = deliver(
        flow,
        &pace,
        sending.into(),
        |response| read(response, transport.refuses_with_success(), &chave),
        async |_| look_for(flow, &chave).await,
    )
    .await?;
    Ok(match delivery {
        Delivery::Done((evento, alertas)) => Success::new(evento.situacao)
            .documento(evento)
            .messages(alertas),
        Delivery::Received(protocol) => received(protocol),
    })
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
    let numbered = ctx.option_flag("pedido_numerado", false);
    let id = request_id(chave, numbered);
    let mut w = Writer::with_declaration();
    w.group("pedRegEvento", &root(ctx), |w| {
        let mut attributes = vec![(transport::id_attribute(ctx), id.as_str())];
        attributes.extend(transport::inner_namespace(ctx).map(|uri| ("xmlns", uri)));
        w.group("infPedReg", &attributes, |w| {
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
            if numbered {
                w.leaf("nPedRegEvento", NUMBER);
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

/// Id of the request for the event; its number at the end, as layout 1.00 has
/// it and some cities go on to.
fn request_id(chave: &str, numbered: bool) -> String {
    let number = if numbered { NUMBER } else { "" };
    format!("PRE{chave}{KIND}{number}")
}

/// The cancellation in the city's own form, and the id of what is signed in it.
fn own(
    transport: &Transport,
    chave: &str,
    reason: MotivoCancelamento,
    ctx: &Context,
) -> Result<(String, String), Failure> {
    let id = request_id(chave, false);
    let names = Names {
        event: id.clone(),
        reason: reason.word(),
        ..Names::of_chave(chave)
    };
    let message = transport.own_event(&names, ctx);
    let xml =
        message.ok_or_else(|| Failure::other("opcao mensagem_evento invalida no cadastro"))?;
    Ok((xml, id))
}

/// Namespace and version of a document's root.
fn root(ctx: &Context) -> [(&'static str, &str); 2] {
    [
        ("xmlns", transport::event_namespace(ctx)),
        ("versao", transport::event_version(ctx)),
    ]
}

/// The request as a city wants it that leaves to its customers what the Sefin
/// Nacional makes itself: the event, with the moment of the request as that of
/// its registration; without a number, or with that of the note.
fn whole(request: &str, chave: &str, ctx: &Context) -> Result<(String, String), Failure> {
    let moment =
        ids::date_time(&ctx.now).ok_or_else(|| Failure::other("relogio do fluxo ilegivel"))?;
    let numbered = ctx.option_flag("evento_numerado", false);
    let id = match numbered {
        true => format!("EVT{chave}{KIND}{NUMBER}"),
        false => format!("EVT{chave}{KIND}"),
    };
    let number = match numbered {
        true => number_of_chave(chave),
        false => "0".to_owned(),
    };
    let mut w = Writer::with_declaration();
    w.group("evento", &root(ctx), |w| {
        w.group("infEvento", &[(transport::id_attribute(ctx), &id)], |w| {
            w.leaf("verAplic", &application(ctx));
            // 1: the city's own system.
            w.leaf("ambGer", "1");
            w.leaf("nSeqEvento", NUMBER);
            w.leaf("dhProc", &moment);
            w.leaf(transport::event_number(ctx), &number);
            w.raw(without_declaration(request));
        });
    });
    Ok((w.finish(), id))
}

/// An answer to POST /nfse/{chave}/eventos.
fn read(response: &Response, lenient: bool, chave: &str) -> Reading<(Documento, Vec<Mensagem>)> {
    let answer = match Reading::of(response, lenient, None, ALREADY_EXISTS) {
        Ok(answer) => answer,
        Err(reading) => return reading,
    };
    let evento = match (answer.documento, answer.confirmation) {
        (Some(bytes), _) => evento(bytes, chave),
        (None, Some(bytes)) if answer.errors.is_empty() => Some(confirmed(bytes, chave)),
        (None, _) => None,
    };
    match evento {
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
