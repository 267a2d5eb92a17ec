//! Operation "cancelar": event e101101. Unique per note and type, so a lost
//! answer is settled by asking for the note's events.

use crate::api;
use crate::consulta::{Consultada, chave_de, invalido, sem_resposta};
use crate::descricao::aplicativo;
use crate::emissao::{assinar, negativa};
use crate::entrega::{Busca, Leitura, entregar};
use crate::ids;
use crate::montagem::{NAMESPACE, VERSAO, tipo_ambiente};
use sdk::nfse::{self, Cancelamento, MotivoCancelamento};
use sdk::xml::{self, Element, Writer};
use sdk::{
    Conteudo, Context, Documento, Failure, Flow, Mensagem, Outcome, Response, Situacao, Success,
    gzip,
};
use serde_json::Value;

/// Type of the event.
const TIPO: &str = "101101";
/// "The note already has a cancellation" (E0840).
const JA_EXISTE: &str = "E0840";
/// Events that end a note, as elements of the request inside them: by the
/// emitter, granted after fiscal analysis, ex officio; and by substitution.
const CANCELAM: [&str; 3] = ["e101101", "e105104", "e305101"];
const SUBSTITUI: &str = "e105102";
/// Most events of one answer read.
const MAX_EVENTOS: usize = 200;

/// Events that ended a note.
pub struct Eventos {
    pub situacao: Situacao,
    pub documentos: Vec<Documento>,
}

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
    negativa(resposta, JA_EXISTE)
}

async fn procurar(flow: &Flow, chave: &str) -> Busca<(Documento, Vec<Mensagem>)> {
    match eventos(flow, chave).await {
        Ok(Consultada::Achada(achados)) => match achados.documentos.into_iter().next() {
            Some(evento) => Busca::Achado((evento, Vec::new())),
            None => Busca::Ausente,
        },
        Ok(Consultada::Ausente) => Busca::Ausente,
        Err(_) => Busca::NaoSei,
    }
}

/// GET /nfse/{chave}/eventos: the events that ended the note; absent when it
/// has none of those.
///
/// # Errors
/// No clear answer.
pub async fn eventos(flow: &Flow, chave: &str) -> Result<Consultada<Eventos>, Failure> {
    let resposta = flow
        .send(api::consulta(
            "GET eventos",
            "GET",
            &format!("/nfse/{chave}/eventos"),
        ))
        .await?;
    if api::nao_encontrado(&resposta) {
        return Ok(Consultada::Ausente);
    }
    let json = resposta.json().filter(|_| resposta.status == 200);
    let Some(Value::Array(lista)) = json.as_ref().and_then(|json| api::campo(json, "eventos"))
    else {
        return Err(sem_resposta(&resposta));
    };
    // The same list may hold the note itself and other events.
    let documentos: Vec<Documento> = lista
        .iter()
        .take(MAX_EVENTOS)
        .filter_map(|item| {
            ["arquivoXml", "eventoXmlGZipB64"]
                .iter()
                .find_map(|nome| api::texto(item, nome))
        })
        .filter_map(api::documento)
        .filter_map(|bytes| evento(bytes, chave))
        .collect();
    match documentos.first() {
        Some(primeiro) => Ok(Consultada::Achada(Eventos {
            situacao: primeiro.situacao,
            documentos,
        })),
        None => Ok(Consultada::Ausente),
    }
}

/// An event that ended the note of this key; None for anything else.
fn evento(bytes: Vec<u8>, chave: &str) -> Option<Documento> {
    let document = xml::parse(&bytes).ok()?;
    let inf = document.root().descendant("infEvento")?;
    let pedido = inf.descendant("infPedReg")?;
    if pedido.text_at("chNFSe") != Some(chave) {
        return None;
    }
    let tem = |nome: &str| pedido.children().iter().any(|filho| filho.name() == nome);
    let situacao = if tem(SUBSTITUI) {
        Situacao::Substituido
    } else if CANCELAM.iter().any(|nome| tem(nome)) {
        Situacao::Cancelado
    } else {
        return None;
    };
    let mut documento = Documento::new("evento", situacao);
    documento.chave = Some(chave.to_owned());
    documento.numero = texto(inf, "nSeqEvento");
    documento.protocolo = texto(inf, "nDFSe");
    documento.emitido_em = texto(inf, "dhProc");
    drop(document);
    documento.xml = Some(bytes);
    Some(documento)
}

fn texto(elemento: &Element, caminho: &str) -> Option<String> {
    elemento.text_at(caminho).map(str::to_owned)
}
