//! Operation "cancelar": event e101101. Unique per note and type, so a lost
//! answer is settled by asking for the note's events.

use crate::api::{self, Consultada};
use crate::assembly::{NAMESPACE, VERSAO, tipo_ambiente};
use crate::delivery::{Busca, COM_PAUSAS, Leitura, entregar};
use crate::description::aplicativo;
use crate::events::{evento, events};
use crate::ids;
use crate::query::{chave_de, invalido};
use crate::signature::assinar;
use sdk::nfse::{self, Cancelamento, MotivoCancelamento};
use sdk::xml::Writer;
use sdk::{
    Conteudo, Context, Documento, Failure, Flow, Mensagem, Outcome, Response, Success, gzip,
};

/// Type of the event.
const TIPO: &str = "101101";
/// "The note already has a cancellation" (E0840).
const JA_EXISTE: &str = "E0840";

pub async fn cancelar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let pedido: Cancelamento = nfse::read(conteudo, nfse::SCHEMA_CANCELAMENTO)?;
    let justificativa = pedido.justificativa.trim();
    if !(15..=255).contains(&justificativa.chars().count()) {
        return Err(invalido(
            "justificativa",
            "tamanho",
            "A justificativa tem de 15 a 255 caracteres.",
        ));
    }
    let Consultada::Achada(chave) = chave_de(flow, &pedido.documento).await? else {
        return Err(invalido(
            "documento",
            "nao_encontrado",
            "A autoridade não tem nota desta série e número.",
        ));
    };
    let pedido = flow
        .keep("evento", || {
            let xml = montar(&chave, pedido.codigo_motivo, justificativa, flow.ctx())?;
            Ok(gzip::encode(xml.as_bytes()))
        })
        .await?;
    let envio = api::envio(
        "POST evento",
        &format!("/nfse/{chave}/eventos"),
        "pedidoRegistroEventoXmlGZipB64",
        &pedido,
    );
    let (evento, alertas) = entregar(
        flow,
        &COM_PAUSAS,
        envio.into(),
        |resposta| ler(resposta, &chave),
        async || procurar(flow, &chave).await,
    )
    .await?;
    Ok(Success::new(evento.situacao)
        .documento(evento)
        .mensagens(alertas))
}

/// pedRegEvento, signed.
fn montar(
    chave: &str,
    motivo: MotivoCancelamento,
    justificativa: &str,
    ctx: &Context,
) -> Result<String, Failure> {
    let momento =
        ids::data_hora(&ctx.now).ok_or_else(|| Failure::other("relogio do fluxo ilegivel"))?;
    let autor = if ctx.emitente.documento.len() == 11 {
        "CPFAutor"
    } else {
        "CNPJAutor"
    };
    // The national table has no code for a duplicate note.
    let codigo = match motivo {
        MotivoCancelamento::ErroEmissao => "1",
        MotivoCancelamento::ServicoNaoPrestado => "2",
        MotivoCancelamento::Duplicidade | MotivoCancelamento::Outros => "9",
    };
    let id = format!("PRE{chave}{TIPO}");
    let mut w = Writer::with_declaration();
    w.group(
        "pedRegEvento",
        &[("xmlns", NAMESPACE), ("versao", VERSAO)],
        |w| {
            w.group("infPedReg", &[("Id", &id)], |w| {
                w.leaf("tpAmb", tipo_ambiente(ctx));
                w.leaf("verAplic", &aplicativo(ctx));
                w.leaf("dhEvento", &momento);
                w.leaf(autor, &ctx.emitente.documento);
                w.leaf("chNFSe", chave);
                w.group("e101101", &[], |w| {
                    w.leaf("xDesc", "Cancelamento de NFS-e");
                    w.leaf("cMotivo", codigo);
                    w.leaf("xMotivo", justificativa);
                });
            });
        },
    );
    assinar(&w.finish(), &id, ctx)
}

/// An answer to POST /nfse/{chave}/eventos.
fn ler(resposta: &Response, chave: &str) -> Leitura<(Documento, Vec<Mensagem>)> {
    if resposta.is_success() {
        let Some(json) = resposta.json() else {
            return Leitura::Duvida("2xx sem JSON");
        };
        let evento = api::texto(&json, "eventoXmlGZipB64")
            .and_then(api::documento)
            .and_then(|bytes| evento(bytes, chave));
        return match evento {
            Some(evento) => Leitura::Feito((evento, api::alertas(&json))),
            None => Leitura::Duvida("2xx sem evento legivel"),
        };
    }
    Leitura::sem_sucesso(resposta, JA_EXISTE)
}

async fn procurar(flow: &Flow, chave: &str) -> Busca<(Documento, Vec<Mensagem>)> {
    match events(flow, chave).await {
        Ok(Consultada::Achada(achados)) => match achados.documentos.into_iter().next() {
            Some(evento) => Busca::Achado((evento, Vec::new())),
            None => Busca::Ausente,
        },
        Ok(Consultada::Ausente) => Busca::Ausente,
        Err(_) => Busca::NaoSei,
    }
}
