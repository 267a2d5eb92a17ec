//! Operation "evento": one signed event.
//!
//! The authority knows an event by key, kind and number, so a second copy is
//! refused (573) and can be looked for.

use crate::Chamada;
use crate::answer::cstat::{Classe, Estado};
use crate::answer::event::{self, Evento};
use crate::answer::{self, Retorno};
use crate::content::{self, Evento as Pedido};
use crate::query::Consultada;
use crate::request::{documento, mensagem, tp_amb};
use crate::sending::Enviado;
use crate::service::Servico;
use sdk::{Conteudo, Failure, Flow, Outcome, Success};

/// cOrgao of the national environment.
const ORGAO_AN: u32 = 91;
/// EPEC.
const EPEC: &str = "110140";
/// Waits before each question after a lost answer, in units of the first
/// interval. Then the flow ends and the host runs the operation again.
const ESPERAS: [u64; 2] = [1, 4];

/// What an answer says about our event.
enum Leitura {
    Fim(Outcome),
    /// There is one already, or the document is cancelled already.
    JaExiste(Failure),
    Duvida(Failure),
}

/// What the authority has.
enum Busca {
    Achado(Outcome),
    /// It showed the document, and the event is not there.
    SemEvento,
    NaoSei,
}

pub async fn registrar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let pedido: Pedido = content::ler(conteudo, content::EVENTO)?;
    let chamada = Chamada::nova(flow)?;
    let evento = documento()?;
    let servico = chamada.servico_do_evento(&pedido);
    let lote = mensagem("envEvento", &pedido.versao, |w| {
        w.leaf("idLote", &pedido.id_lote);
        w.raw(&evento);
    });
    let envio = chamada.montar(servico, &lote)?;
    let leitura = match chamada.enviar(envio).await? {
        Enviado::Resposta(recebida) => match answer::abrir(&recebida, servico) {
            Ok(retorno) => ler(&retorno, &pedido, tp_amb(flow.ctx())),
            Err(falha) if answer::nao_olhada(&falha) => Leitura::Fim(Err(falha)),
            Err(falha) => Leitura::Duvida(falha),
        },
        Enviado::Perdido(falha) => Leitura::Duvida(falha),
    };
    match leitura {
        Leitura::Fim(fim) => fim,
        Leitura::JaExiste(recusa) => match chamada.procurar(&pedido).await {
            Busca::Achado(fim) => fim,
            Busca::SemEvento => Err(recusa),
            Busca::NaoSei => Err(recusa.maybe_exists()),
        },
        Leitura::Duvida(falha) => {
            for vezes in ESPERAS {
                let continua = chamada
                    .esperar(vezes, "resultado do evento desconhecido: consultar a chave")
                    .await;
                if let Busca::Achado(fim) = chamada.procurar(&pedido).await {
                    return fim;
                }
                if !continua {
                    break;
                }
            }
            Err(falha.maybe_exists())
        }
    }
}

impl Chamada<'_> {
    fn servico_do_evento(&self, pedido: &Pedido) -> Servico {
        let epec = self.flow.ctx().has_endpoint(Servico::Epec.endpoint());
        if pedido.tipo_evento == EPEC && epec {
            Servico::Epec
        } else if pedido.orgao == ORGAO_AN {
            Servico::EventoAn
        } else {
            Servico::Evento
        }
    }

    /// Looks for the event among those of its document.
    async fn procurar(&self, pedido: &Pedido) -> Busca {
        match self.query(&pedido.chave).await {
            Consultada::Achada(nota) => {
                match nota.evento(&pedido.chave, &pedido.tipo_evento, pedido.sequencia) {
                    Some(achado) if !achado.vale(tp_amb(self.flow.ctx())) => Busca::NaoSei,
                    Some(achado) => Busca::Achado(Ok(sucesso(achado, pedido))),
                    None => Busca::SemEvento,
                }
            }
            Consultada::Ausente(_) => Busca::SemEvento,
            Consultada::OutraChave(_) | Consultada::NaoSei(_) => Busca::NaoSei,
        }
    }
}

fn sucesso(achado: Evento, pedido: &Pedido) -> Success {
    let mensagem = achado.estado.mensagem();
    let protocolo = achado.documento.protocolo.clone();
    Success::new(event::situacao_apos(&pedido.tipo_evento))
        .documento(achado.documento)
        .protocolo(protocolo)
        .mensagens(vec![mensagem])
}

/// retEnvEvento.
fn ler(retorno: &Retorno, pedido: &Pedido, ambiente: &str) -> Leitura {
    let raiz = retorno.raiz();
    let duvida = |motivo| Leitura::Duvida(Failure::unexpected(motivo, retorno.texto()));
    let Some(elemento) = raiz.child("retEvento") else {
        return match Estado::de(raiz) {
            // The lot itself was refused, and the event with it.
            Some(estado) => julgar(retorno, &estado, pedido),
            None => duvida("retEnvEvento sem cStat"),
        };
    };
    let Some(lido) = Evento::ler(retorno, elemento) else {
        return duvida("retEvento sem cStat");
    };
    if !event::registrado(&lido.estado) {
        // A refusal may leave out what it could not read.
        let de_outro = lido
            .chave
            .as_deref()
            .is_some_and(|chave| chave != pedido.chave);
        return if de_outro {
            duvida("evento de outra chave")
        } else {
            julgar(retorno, &lido.estado, pedido)
        };
    }
    if !lido.e(&pedido.chave, &pedido.tipo_evento, pedido.sequencia) {
        return duvida("registro de outro evento");
    }
    if !lido.vale(ambiente) {
        return duvida("registro sem protocolo ou de outro ambiente");
    }
    Leitura::Fim(Ok(sucesso(lido, pedido)))
}

/// A state that is no yes.
fn julgar(retorno: &Retorno, estado: &Estado, pedido: &Pedido) -> Leitura {
    let falha = estado.falha(retorno);
    match estado.cstat.as_str() {
        // Duplicate event.
        "573" => Leitura::JaExiste(falha),
        // The document is cancelled already: by us, perhaps.
        "218" | "420" if event::cancela(&pedido.tipo_evento) => Leitura::JaExiste(falha),
        // Of a second copy a refusal may mean the first one. The national
        // environment has no query of events.
        _ if pedido.reenvio && pedido.orgao != ORGAO_AN && estado.classe() == Classe::Recusa => {
            Leitura::JaExiste(falha)
        }
        _ if estado.classe() == Classe::Incerto => Leitura::Duvida(falha),
        _ => Leitura::Fim(Err(falha)),
    }
}
