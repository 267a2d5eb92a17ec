//! Operation "cancelar": event e101101. Unique per note and type, so a lost
//! answer is settled by asking for the note's events.

use crate::api::{self, Queried};
use crate::assembly::{NAMESPACE, VERSION, ambiente_kind};
use crate::delivery::{Reading, Search, WITH_PAUSES, deliver};
use crate::description::application;
use crate::events::{evento, events};
use crate::ids;
use crate::query::{chave_of, invalid};
use crate::signature::sign;
use sdk::nfse::{self, Cancelamento, MotivoCancelamento};
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
            let xml = build(&chave, request.codigo_motivo, justification, flow.ctx())?;
            Ok(gzip::encode(xml.as_bytes()))
        })
        .await?;
    let sending = api::sending(
        "POST evento",
        &format!("/nfse/{chave}/eventos"),
        "pedidoRegistroEventoXmlGZipB64",
        &request,
    );
    let (evento, alertas) = deliver(
        flow,
        &WITH_PAUSES,
        sending.into(),
        |response| read(response, &chave),
        async || look_for(flow, &chave).await,
    )
    .await?;
    Ok(Success::new(evento.situacao)
        .documento(evento)
        .messages(alertas))
}

/// pedRegEvento, signed.
fn build(
    chave: &str,
    reason: MotivoCancelamento,
    justification: &str,
    ctx: &Context,
) -> Result<String, Failure> {
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
    w.group(
        "pedRegEvento",
        &[("xmlns", NAMESPACE), ("versao", VERSION)],
        |w| {
            w.group("infPedReg", &[("Id", &id)], |w| {
                w.leaf("tpAmb", ambiente_kind(ctx));
                w.leaf("verAplic", &application(ctx));
                w.leaf("dhEvento", &moment);
                w.leaf(author, &ctx.emitente.documento);
                w.leaf("chNFSe", chave);
                w.group("e101101", &[], |w| {
                    w.leaf("xDesc", "Cancelamento de NFS-e");
                    w.leaf("cMotivo", codigo);
                    w.leaf("xMotivo", justification);
                });
            });
        },
    );
    sign(&w.finish(), &id, ctx)
}

/// An answer to POST /nfse/{chave}/eventos.
fn read(response: &Response, chave: &str) -> Reading<(Documento, Vec<Mensagem>)> {
    if response.is_success() {
        let Some(json) = response.json() else {
            return Reading::Doubt("2xx sem JSON");
        };
        let evento = api::text(&json, "eventoXmlGZipB64")
            .and_then(api::documento)
            .and_then(|bytes| evento(bytes, chave));
        return match evento {
            Some(evento) => Reading::Done((evento, api::alertas(&json))),
            None => Reading::Doubt("2xx sem evento legivel"),
        };
    }
    Reading::unsuccessful(response, ALREADY_EXISTS)
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
