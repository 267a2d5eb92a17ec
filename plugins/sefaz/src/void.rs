//! Operation "inutilizar": a range of numbers that will never be used.
//!
//! There is no query for it. The authority knows a request by its range: a
//! second copy is told that the same range is voided already (563), so after
//! a lost answer the same bytes are the question.

use crate::Chamada;
use crate::answer::cstat::{Classe, Estado};
use crate::answer::{self, Retorno, texto};
use crate::content::{self, Inutilizar};
use crate::ids;
use crate::request::{documento, tp_amb};
use crate::sending::Enviado;
use crate::service::Servico;
use sdk::{Conteudo, Documento, Failure, Flow, Outcome, Situacao, Success};

/// Waits before the same request leaves again, in units of the first interval.
const ESPERAS: [u64; 2] = [1, 4];

enum Leitura {
    Fim(Outcome),
    /// Not looked at: final for the first copy only.
    NaoOlhada(Failure),
    Duvida(Failure),
}

pub async fn inutilizar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let faixa: Inutilizar = content::ler(conteudo, content::INUTILIZAR)?;
    let chamada = Chamada::nova(flow)?;
    // The signed document is the whole message.
    let pedido = chamada.montar(Servico::Inutilizacao, &documento()?)?;
    let mut ultima = None;
    for copia in 0..=ESPERAS.len() {
        let enviado = match chamada.enviar(pedido.clone()).await {
            Ok(enviado) => enviado,
            Err(falha) => match ultima {
                None => return Err(falha),
                Some(_) => Enviado::Perdido(falha),
            },
        };
        let leitura = match enviado {
            Enviado::Perdido(falha) => Leitura::Duvida(falha),
            Enviado::Resposta(recebida) => match answer::abrir(&recebida, Servico::Inutilizacao) {
                Ok(retorno) => ler(&retorno, &faixa, tp_amb(flow.ctx())),
                Err(falha) if answer::nao_olhada(&falha) => Leitura::NaoOlhada(falha),
                Err(falha) => Leitura::Duvida(falha),
            },
        };
        ultima = Some(match leitura {
            Leitura::Fim(fim) => return fim,
            Leitura::NaoOlhada(falha) if ultima.is_none() => return Err(falha),
            Leitura::NaoOlhada(falha) | Leitura::Duvida(falha) => falha,
        });
        let Some(vezes) = ESPERAS.get(copia) else {
            break;
        };
        let motivo = "resultado da inutilizacao desconhecido: enviar o mesmo pedido";
        if !chamada.esperar(*vezes, motivo).await {
            break;
        }
    }
    let falha = ultima.unwrap_or_else(|| Failure::other("resultado desconhecido"));
    Err(falha.maybe_exists())
}

/// retInutNFe.
fn ler(retorno: &Retorno, faixa: &Inutilizar, ambiente: &str) -> Leitura {
    let raiz = retorno.raiz();
    let duvida = |motivo| Leitura::Duvida(Failure::unexpected(motivo, retorno.texto()));
    // A refused message may come without infInut.
    let inf = raiz.child("infInut").unwrap_or(raiz);
    let Some(estado) = Estado::de(inf) else {
        return duvida("retInutNFe sem cStat");
    };
    if !matches!(estado.cstat.as_str(), "102" | "563") {
        return match estado.classe() {
            Classe::Incerto => Leitura::Duvida(estado.falha(retorno)),
            Classe::Indisponivel(_) | Classe::Credencial => {
                Leitura::NaoOlhada(estado.falha(retorno))
            }
            Classe::Recusa => Leitura::Fim(Err(estado.falha(retorno))),
        };
    }
    let confere = |campo: &str, esperado: u32| {
        inf.text_at(campo)
            .is_none_or(|dito| dito.parse() == Ok(esperado))
    };
    let mesma = confere("nNFIni", faixa.inicio)
        && confere("nNFFin", faixa.fim)
        && confere("serie", faixa.serie)
        && confere("ano", faixa.ano)
        && confere("cUF", faixa.uf)
        && inf.text_at("mod").is_none_or(|dito| dito == faixa.modelo)
        && ["CNPJ", "CPF"]
            .iter()
            .all(|campo| inf.text_at(campo).is_none_or(|dito| dito == faixa.cnpj));
    if !mesma {
        return duvida("inutilizacao de outra faixa");
    }
    if inf.text_at("tpAmb").is_some_and(|dito| dito != ambiente) {
        return duvida("inutilizacao de outro ambiente");
    }
    let protocolo = inf
        .text_at("nProt")
        .filter(|protocolo| ids::protocolo(protocolo));
    if estado.cstat == "102" && protocolo.is_none() {
        return duvida("inutilizacao sem protocolo");
    }
    let mut documento = Documento::new("retInutNFe", Situacao::Inutilizado);
    documento.xml = Some(retorno.xml(raiz));
    documento.serie = Some(faixa.serie.to_string());
    documento.numero = Some(faixa.inicio.to_string());
    documento.protocolo = protocolo.map(str::to_owned);
    documento.emitido_em = texto(inf, "dhRecbto");
    documento.valor("cStat", Some(&estado.cstat));
    documento.valor("xMotivo", Some(&estado.motivo));
    let protocolo = documento.protocolo.clone();
    Leitura::Fim(Ok(Success::new(Situacao::Inutilizado)
        .documento(documento)
        .protocolo(protocolo)
        .mensagens(vec![estado.mensagem()])))
}
