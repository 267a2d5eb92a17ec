//! Operation "autorizar": one signed document, one synchronous lot.

use crate::Chamada;
use crate::answer::cstat::{Classe, Estado};
use crate::answer::protocol::{self, Achado};
use crate::answer::{self, Retorno};
use crate::content::{self, Autorizar};
use crate::ids;
use crate::query::{Consultada, ausente, numero_usado};
use crate::request::{documento, mensagem, tp_amb};
use crate::sending::Enviado;
use crate::service::Servico;
use sdk::{Conteudo, Failure, Flow, Outcome, Situacao, Success};

/// Version of consReciNFe.
const VERSAO_RETORNO: &str = "4.00";
/// Waits before each look at a receipt, in units of the first interval
/// (15 s: 15 s, 15 s, 30 s, 1 min, 2 min, 5 min).
const ESPERAS_RECIBO: [u64; 6] = [1, 1, 2, 4, 8, 20];
/// Waits before each question after a lost answer. Then the flow ends and
/// the host goes on asking by `consultar`.
const ESPERAS_DUVIDA: [u64; 2] = [1, 4];
/// The same where the authority says that it has the document.
const ESPERAS_DUPLICIDADE: [u64; 4] = [1, 2, 4, 8];

/// What an answer says about our document.
enum Leitura {
    Fim(Outcome),
    /// 103: in the queue, under this receipt.
    Recibo(String),
    /// 105.
    NaFila,
    /// 204, 205, 218: the key is there, in some state.
    JaExiste(Estado),
    /// 539 and kin: the number belongs to another key.
    OutraChave(Estado),
    Duvida(Failure),
}

pub async fn autorizar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let pedido: Autorizar = content::ler(conteudo, content::AUTORIZAR)?;
    let chamada = Chamada::nova(flow)?;
    let nota = documento()?;
    // indSinc=1: mandatory for a lot of one note (NT 2025.001, rejection 452;
    // second-hand).
    let lote = mensagem("enviNFe", &pedido.versao, |w| {
        w.leaf("idLote", &pedido.id_lote);
        w.leaf("indSinc", "1");
        w.raw(&nota);
    });
    let envio = chamada.montar(Servico::Autorizacao, &lote)?;
    let leitura = match chamada.enviar(envio).await? {
        Enviado::Resposta(recebida) => match answer::abrir(&recebida, Servico::Autorizacao) {
            Ok(retorno) => ler(&retorno, &pedido.chave, tp_amb(flow.ctx())),
            Err(falha) => sem_mensagem(falha),
        },
        Enviado::Perdido(falha) => Leitura::Duvida(falha),
    };
    match leitura {
        Leitura::Recibo(recibo) => chamada.receber(&pedido, &recibo).await,
        Leitura::Duvida(falha) => chamada.esclarecer(&pedido, falha).await,
        outra => chamada.concluir(&pedido, outra).await,
    }
}

impl Chamada<'_> {
    async fn concluir(&self, pedido: &Autorizar, leitura: Leitura) -> Outcome {
        match leitura {
            Leitura::Fim(fim) => fim,
            Leitura::JaExiste(estado) => {
                let recusa = Failure::rejected(vec![estado.mensagem()]);
                if let Some(fim) = self.olhar(pedido).await {
                    return fim;
                }
                self.apurar(pedido, &ESPERAS_DUPLICIDADE, recusa).await
            }
            Leitura::OutraChave(estado) => {
                self.outra_chave(&pedido.chave, &pedido.chaves_anteriores, &estado)
                    .await
            }
            Leitura::Duvida(falha) => self.apurar(pedido, &ESPERAS_DUVIDA, falha).await,
            Leitura::Recibo(_) | Leitura::NaFila => {
                let falha = Failure::other("lote em processamento");
                self.apurar(pedido, &ESPERAS_DUVIDA, falha).await
            }
        }
    }

    /// Asks for the receipt until the lot was processed.
    async fn receber(&self, pedido: &Autorizar, recibo: &str) -> Outcome {
        let ambiente = tp_amb(self.flow.ctx());
        let pergunta = mensagem("consReciNFe", VERSAO_RETORNO, |w| {
            w.leaf("tpAmb", ambiente);
            w.leaf("nRec", recibo);
        });
        let mut ultima = Failure::other("lote em processamento");
        if self.flow.ctx().has_endpoint(Servico::Retorno.endpoint()) {
            for vezes in ESPERAS_RECIBO {
                if !self.esperar(vezes, "lote em processamento na SEFAZ").await {
                    break;
                }
                let retorno = match self.perguntar(Servico::Retorno, &pergunta).await {
                    Ok(retorno) => retorno,
                    Err(falha) => {
                        ultima = falha;
                        continue;
                    }
                };
                match ler_recibo(&retorno, &pedido.chave, ambiente) {
                    Leitura::NaFila | Leitura::Recibo(_) => {}
                    leitura => return self.concluir(pedido, leitura).await,
                }
            }
        }
        self.apurar(pedido, &ESPERAS_DUVIDA, ultima).await
    }

    /// After a sending whose answer says nothing. Where the authority refuses
    /// a second copy by itself, it is asked at once, and that it has none ends
    /// the flow: the host sends the same bytes again.
    async fn esclarecer(&self, pedido: &Autorizar, ultima: Failure) -> Outcome {
        if !self.opcoes.recusa_duplicata {
            return self.apurar(pedido, &ESPERAS_DUVIDA, ultima).await;
        }
        let mut esperas = ESPERAS_DUVIDA.iter();
        loop {
            match self.query(&pedido.chave).await {
                Consultada::Ausente(estado) => return Ok(ausente(&pedido.chave, &estado)),
                // Refused again: only people can change that.
                Consultada::NaoSei(falha)
                    if answer::proibida(&falha) && answer::proibida(&ultima) =>
                {
                    break;
                }
                outra => {
                    if let Some(fim) = self.certeza(pedido, outra).await {
                        return fim;
                    }
                }
            }
            let motivo = "resultado do envio desconhecido: consultar a chave";
            let Some(vezes) = esperas.next() else { break };
            if !self.esperar(*vezes, motivo).await {
                break;
            }
        }
        Err(ultima.maybe_exists())
    }

    /// Asks for the key until something is certain, or ends not knowing.
    async fn apurar(&self, pedido: &Autorizar, esperas: &[u64], ultima: Failure) -> Outcome {
        for vezes in esperas {
            let continua = self
                .esperar(*vezes, "resultado do envio desconhecido: consultar a chave")
                .await;
            if let Some(fim) = self.olhar(pedido).await {
                return fim;
            }
            if !continua {
                break;
            }
        }
        Err(ultima.maybe_exists())
    }

    /// One look. None: nothing is certain. What was just sent may still be
    /// on its way, so "not there" is not a no.
    async fn olhar(&self, pedido: &Autorizar) -> Option<Outcome> {
        let consultada = self.query(&pedido.chave).await;
        self.certeza(pedido, consultada).await
    }

    /// What an answer to the question makes certain.
    async fn certeza(&self, pedido: &Autorizar, consultada: Consultada) -> Option<Outcome> {
        match consultada {
            Consultada::Achada(nota) => Some(Ok((*nota).sucesso())),
            Consultada::OutraChave(estado) => Some(
                self.outra_chave(&pedido.chave, &pedido.chaves_anteriores, &estado)
                    .await,
            ),
            Consultada::Ausente(_) | Consultada::NaoSei(_) => None,
        }
    }
}

/// An answer without the message: a no only where the connection itself was
/// refused or throttled.
fn sem_mensagem(falha: Failure) -> Leitura {
    if answer::nao_olhada(&falha) {
        Leitura::Fim(Err(falha))
    } else {
        Leitura::Duvida(falha)
    }
}

/// retEnviNFe.
fn ler(retorno: &Retorno, chave: &str, ambiente: &str) -> Leitura {
    let raiz = retorno.raiz();
    if let Some(leitura) = ler_protocolo(retorno, chave, ambiente) {
        return leitura;
    }
    let Some(estado) = Estado::de(raiz) else {
        return Leitura::Duvida(Failure::unexpected("retEnviNFe sem cStat", retorno.texto()));
    };
    if estado.cstat == "103" {
        let recibo = raiz
            .text_at("infRec/nRec")
            .filter(|recibo| ids::protocolo(recibo));
        return recibo.map_or(Leitura::NaFila, |recibo| Leitura::Recibo(recibo.to_owned()));
    }
    // No protocol: the lot itself was refused, and the note with it.
    julgar(retorno, estado)
}

/// retConsReciNFe: without a protocol its state is one of the receipt, never
/// of the document.
fn ler_recibo(retorno: &Retorno, chave: &str, ambiente: &str) -> Leitura {
    if let Some(leitura) = ler_protocolo(retorno, chave, ambiente) {
        return leitura;
    }
    match Estado::de(retorno.raiz()) {
        Some(estado) if estado.cstat == "105" => Leitura::NaFila,
        // Not looked at: the receipt is asked about again.
        Some(estado) if matches!(estado.classe(), Classe::Indisponivel(_)) => Leitura::NaFila,
        // The schema of the lot, which an asynchronous authorizer reads late.
        Some(estado) if estado.cstat == "225" => Leitura::Fim(Err(estado.falha(retorno))),
        Some(estado) => {
            let motivo = format!("recibo com cStat {}", estado.cstat);
            Leitura::Duvida(Failure::unexpected(&motivo, retorno.texto()))
        }
        None => Leitura::Duvida(Failure::unexpected(
            "retConsReciNFe sem cStat",
            retorno.texto(),
        )),
    }
}

/// What protNFe says; None: there is none.
fn ler_protocolo(retorno: &Retorno, chave: &str, ambiente: &str) -> Option<Leitura> {
    let duvida = |motivo| Leitura::Duvida(Failure::unexpected(motivo, retorno.texto()));
    let achado = match protocol::achar(retorno.raiz(), chave) {
        Achado::Protocolo(achado) => achado,
        Achado::DeOutro => return Some(duvida("protocolo de outra chave")),
        Achado::Nenhum => return None,
    };
    let Some(situacao) = achado.situacao() else {
        return Some(julgar(retorno, achado.estado));
    };
    if !achado.do_ambiente(ambiente) {
        return Some(duvida("protocolo de outro ambiente"));
    }
    if situacao == Situacao::Autorizado && achado.numero().is_none() {
        return Some(duvida("autorizada sem protocolo"));
    }
    let sucesso = Success::new(situacao)
        .documento(achado.documento(retorno, chave, situacao))
        .protocolo(achado.numero().map(str::to_owned))
        .mensagens(achado.avisos());
    Some(Leitura::Fim(Ok(sucesso)))
}

/// A state that is no yes.
fn julgar(retorno: &Retorno, estado: Estado) -> Leitura {
    match estado.cstat.as_str() {
        "105" => Leitura::NaFila,
        "204" | "205" | "218" => Leitura::JaExiste(estado),
        "539" | "561" | "562" | "613" => Leitura::OutraChave(estado),
        "206" => Leitura::Fim(Err(numero_usado(
            &estado,
            "O número já foi inutilizado: use o próximo.",
        ))),
        _ if estado.classe() == Classe::Incerto => Leitura::Duvida(estado.falha(retorno)),
        _ => Leitura::Fim(Err(estado.falha(retorno))),
    }
}
