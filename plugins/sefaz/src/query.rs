//! Operation "consultar", and the question that settles doubts.

use crate::Chamada;
use crate::answer::cstat::Estado;
use crate::answer::event::{self, Evento};
use crate::answer::protocol::{self, Achado};
use crate::answer::{Retorno, texto};
use crate::content::{self, Consultar};
use crate::ids;
use crate::request::{mensagem, tp_amb};
use crate::service::Servico;
use sdk::{Conteudo, Documento, Failure, Flow, Mensagem, Outcome, Situacao, Success};
use serde_json::{Value, json};

/// Schema of the answer.
const SITUACAO: &str = "sefaz.situacao/1";
/// Version of consSitNFe.
const VERSAO: &str = "4.00";
/// Most events read from one answer: a note has at most 20 corrections and a
/// few dozen others.
const MAX_EVENTOS: usize = 200;
/// Most events given as documents; the host takes 64 documents, and one is
/// the protocol. The content lists all that are read.
const MAX_DOCUMENTOS: usize = 63;
/// Most earlier keys asked about when the authority names none.
const MAX_ANTERIORES: usize = 8;
/// Code by which adapters tell the hub that a number is not free.
const NUMERO_JA_USADO: &str = "numero_ja_usado";

/// A document the authority has.
pub struct Nota {
    situacao: Situacao,
    protocolo: Option<Documento>,
    eventos: Vec<Evento>,
    avisos: Vec<Mensagem>,
    conteudo: Value,
}

/// What the authority says about a key.
pub enum Consultada {
    Achada(Box<Nota>),
    /// 217.
    Ausente(Estado),
    /// The number belongs to a document with another key, which may be named.
    OutraChave(Estado),
    /// An explicit no to the question, or no answer at all.
    NaoSei(Failure),
}

/// "consultar": the state of a key, or of an earlier one of the same number.
pub async fn consultar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let pedido: Consultar = content::ler(conteudo, content::CONSULTAR)?;
    let chamada = Chamada::nova(flow)?;
    match chamada.query(&pedido.chave).await {
        Consultada::Achada(nota) => Ok((*nota).sucesso()),
        Consultada::Ausente(estado) => Ok(ausente(&pedido.chave, &estado)),
        Consultada::OutraChave(estado) => chamada
            .outra_chave(&pedido.chave, &pedido.chaves_anteriores, &estado)
            .await
            .map_err(em_aberto),
        Consultada::NaoSei(falha) => Err(falha),
    }
}

impl Chamada<'_> {
    /// consSitNFe.
    pub async fn query(&self, chave: &str) -> Consultada {
        let ambiente = tp_amb(self.flow.ctx());
        let pedido = mensagem("consSitNFe", VERSAO, |w| {
            w.leaf("tpAmb", ambiente);
            w.leaf("xServ", "CONSULTAR");
            w.leaf("chNFe", chave);
        });
        match self.perguntar(Servico::Consulta, &pedido).await {
            Ok(retorno) => ler(&retorno, chave, ambiente),
            Err(falha) => Consultada::NaoSei(falha),
        }
    }

    /// The number belongs to another key: adopted when it is one of ours,
    /// otherwise another system uses the series.
    ///
    /// # Errors
    /// Refused for that reason, or not known.
    pub async fn outra_chave(
        &self,
        chave: &str,
        anteriores: &[String],
        estado: &Estado,
    ) -> Outcome {
        let citada = ids::chave_citada(&estado.motivo);
        let nossas: Vec<&String> = match &citada {
            Some(citada) => anteriores.iter().filter(|nossa| *nossa == citada).collect(),
            None => anteriores.iter().rev().take(MAX_ANTERIORES).collect(),
        };
        let mut certo = citada.as_deref() != Some(chave);
        for nossa in nossas {
            match self.query(nossa).await {
                Consultada::Achada(nota) => return Ok((*nota).sucesso()),
                // Named, and not there: the authority contradicts itself.
                Consultada::Ausente(_) => certo = certo && citada.is_none(),
                Consultada::OutraChave(_) => {}
                Consultada::NaoSei(_) => certo = false,
            }
        }
        let recusa = numero_usado(
            estado,
            "A SEFAZ já tem outro documento com esta série e este número: outro sistema usa a mesma série.",
        );
        Err(if certo { recusa } else { recusa.maybe_exists() })
    }
}

/// The refusal of a number that is not free any more.
pub fn numero_usado(estado: &Estado, texto: &str) -> Failure {
    let mensagens = vec![estado.mensagem(), Mensagem::new(NUMERO_JA_USADO, texto)];
    let mut falha = Failure::rejected(mensagens);
    falha.detail = texto.to_owned();
    falha
}

/// Success `nao-encontrado`: only the authority's own 217 is one.
pub fn ausente(chave: &str, estado: &Estado) -> Success {
    let mut sucesso = Success::new(Situacao::NaoEncontrado);
    sucesso.conteudo = Some(conteudo_de(&situacao(estado, chave, None, &[])));
    sucesso
}

/// A refusal of the number is certain; a question that stays open says
/// nothing about the document.
fn em_aberto(falha: Failure) -> Failure {
    if falha.may_exist {
        return Failure::other("a SEFAZ aponta outra chave, que não se confirma");
    }
    falha
}

/// An answer to consSitNFe.
fn ler(retorno: &Retorno, chave: &str, ambiente: &str) -> Consultada {
    let raiz = retorno.raiz();
    let duvida = |motivo| Consultada::NaoSei(Failure::unexpected(motivo, retorno.texto()));
    let Some(estado) = Estado::de(raiz) else {
        return duvida("retConsSitNFe sem cStat");
    };
    if raiz.text_at("chNFe").is_some_and(|outra| outra != chave) {
        return duvida("situacao de outra chave");
    }
    let (prevista, exige_protocolo) = match estado.cstat.as_str() {
        "100" | "150" => (Situacao::Autorizado, true),
        "101" | "151" | "155" => (Situacao::Cancelado, false),
        "110" | "301" | "302" | "303" => (Situacao::Denegado, false),
        "217" => return Consultada::Ausente(estado),
        "539" | "561" | "562" | "613" => return Consultada::OutraChave(estado),
        _ => return Consultada::NaoSei(estado.falha(retorno)),
    };
    let eventos: Vec<Evento> = raiz
        .children_named("procEventoNFe")
        .take(MAX_EVENTOS)
        .filter_map(|elemento| Evento::ler(retorno, elemento))
        .filter(|lido| lido.chave.as_deref() == Some(chave))
        .collect();
    // Some authorizers answer 100 and show the cancellation as an event only.
    let cancelada = eventos
        .iter()
        .any(|lido| event::cancela(&lido.tipo) && event::registrado(&lido.estado));
    let situacao_final = if cancelada {
        Situacao::Cancelado
    } else {
        prevista
    };
    let (protocolo, avisos) = match protocol::achar(raiz, chave) {
        Achado::Protocolo(achado) if !achado.do_ambiente(ambiente) => {
            return duvida("protocolo de outro ambiente");
        }
        Achado::Protocolo(achado) if achado.situacao().is_some() => {
            if exige_protocolo && achado.numero().is_none() {
                return duvida("autorizada sem protocolo");
            }
            let documento = achado.documento(retorno, chave, situacao_final);
            (Some(documento), achado.avisos())
        }
        _ if exige_protocolo => return duvida("autorizada sem protNFe"),
        _ => (None, Vec::new()),
    };
    let conteudo = situacao(&estado, chave, texto(raiz, "dhRecbto"), &eventos);
    Consultada::Achada(Box::new(Nota {
        situacao: situacao_final,
        protocolo,
        eventos,
        avisos,
        conteudo,
    }))
}

/// `sefaz.situacao/1`.
fn situacao(
    estado: &Estado,
    chave: &str,
    recebido_em: Option<String>,
    eventos: &[Evento],
) -> Value {
    json!({
        "cstat": estado.cstat,
        "motivo": estado.motivo,
        "chave": chave,
        "recebido_em": recebido_em,
        "eventos": eventos.iter().map(Evento::resumo).collect::<Vec<_>>(),
    })
}

fn conteudo_de(situacao: &Value) -> Conteudo {
    Conteudo {
        schema: SITUACAO.into(),
        json: situacao.to_string(),
    }
}

impl Nota {
    pub fn sucesso(self) -> Success {
        let conteudo = conteudo_de(&self.conteudo);
        let protocolo = self
            .protocolo
            .as_ref()
            .and_then(|documento| documento.protocolo.clone());
        let mut sucesso = Success::new(self.situacao)
            .protocolo(protocolo)
            .mensagens(self.avisos);
        sucesso.conteudo = Some(conteudo);
        let (finais, outros): (Vec<Evento>, Vec<Evento>) = self
            .eventos
            .into_iter()
            .partition(|lido| event::cancela(&lido.tipo));
        let eventos = finais.into_iter().chain(outros).take(MAX_DOCUMENTOS);
        let eventos = eventos.map(|evento| evento.documento);
        self.protocolo
            .into_iter()
            .chain(eventos)
            .fold(sucesso, Success::documento)
    }

    /// The registered event of this kind and number, if there is one.
    pub fn evento(self, chave: &str, tipo: &str, sequencia: u32) -> Option<Evento> {
        self.eventos
            .into_iter()
            .find(|lido| lido.e(chave, tipo, sequencia) && event::registrado(&lido.estado))
    }
}
