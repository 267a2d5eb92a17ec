//! Something that may be done only once, over a line that may break.
//!
//! After the first byte left, "no answer" means "not known". Then the
//! authority is asked, and the very same bytes are sent again only after it
//! said that it has nothing: three times, spread over time; or once, at once,
//! where the authority refuses a second copy by itself ([`Ritmo`]).

use crate::api::{self, Negativa};
use crate::description::intervalo_ms;
use sdk::{Failure, Fault, Flow, HttpRequest, Mensagem, Response, TransportFault, TransportKind};

/// Queries after one sending.
const MAX_CONSULTAS: u32 = 6;
/// Questions of one flow; the host stops at 64, a query asks up to three.
const MAX_PASSOS: u32 = 36;
/// Intervals before each query, in units of the option's base (15 s: 15 s,
/// 60 s, 5 min, 30 min, 30 min, 30 min).
const INTERVALOS: [u64; 4] = [1, 4, 20, 120];

/// How a doubt is settled.
pub struct Ritmo {
    /// How often the same document is sent.
    envios: u32,
    /// Times the authority must say "not here" before it is sent again.
    ausencias: u32,
    /// Intervals before the first query after each sending, in fifteenths of
    /// the option's base; empty: that of every first query.
    primeiras: &'static [u64],
}

/// A copy was refused because there is one: no other is sent.
const JA_EXISTE: Ritmo = Ritmo {
    envios: 4,
    ausencias: u32::MAX,
    primeiras: &[],
};

impl Ritmo {
    /// The authority says that it has the document: that it does not show it
    /// yet is no reason to send another copy.
    fn se(&self, ja_existe: bool) -> &Self {
        if ja_existe && !self.primeiras.is_empty() {
            &JA_EXISTE
        } else {
            self
        }
    }
}

/// A late first copy might become a second document.
pub const COM_PAUSAS: Ritmo = Ritmo {
    envios: 3,
    ausencias: 3,
    primeiras: &[],
};

/// A late first copy makes the second refused: E0014 of the DPS's id.
pub const SEM_PAUSAS: Ritmo = Ritmo {
    envios: 4,
    ausencias: 1,
    primeiras: &[0, 1, 3, 9],
};

/// What an answer to the sending says.
pub enum Leitura<T> {
    Feito(T),
    /// An explicit no.
    Recusado(Vec<Mensagem>),
    /// "There is one already": ours, perhaps.
    JaExiste(Vec<Mensagem>),
    /// Refused before it was looked at.
    Limitado(Option<u64>),
    Credencial(Vec<Mensagem>),
    /// Not known; why, for the trace.
    Duvida(&'static str),
}

impl<T> Leitura<T> {
    /// An answer that is not a success; `ja_existe` is the code of "there is
    /// one already".
    pub fn sem_sucesso(resposta: &Response, ja_existe: &str) -> Self {
        match api::negativa(resposta) {
            Negativa::Recusa(mensagens) | Negativa::Proibido(mensagens) => {
                if mensagens
                    .iter()
                    .any(|mensagem| mensagem.codigo == ja_existe)
                {
                    Leitura::JaExiste(mensagens)
                } else {
                    Leitura::Recusado(mensagens)
                }
            }
            Negativa::Credencial(mensagens) => Leitura::Credencial(mensagens),
            Negativa::Limite => Leitura::Limitado(resposta.retry_after_ms()),
            Negativa::Erro5xx => Leitura::Duvida("erro 5xx"),
            Negativa::Desconhecida => Leitura::Duvida("resposta desconhecida"),
        }
    }
}

/// What the authority has.
pub enum Busca<T> {
    Achado(T),
    Ausente,
    /// The place is taken by another document: ours does not exist.
    Conflito,
    NaoSei,
}

/// What came of a round of queries.
enum Rodada<T> {
    Achado(T),
    Conflito,
    /// Said to be absent often enough.
    Ausente,
    Esgotada,
}

/// Sends `pedido` until it is known what became of it.
///
/// # Errors
/// Refused, not connected, or not known within the flow's bounds (then with
/// may-exist).
pub async fn entregar<T>(
    flow: &Flow,
    ritmo: &Ritmo,
    pedido: HttpRequest,
    ler: impl Fn(&Response) -> Leitura<T>,
    buscar: impl AsyncFn() -> Busca<T>,
) -> Result<T, Failure> {
    let mut ultima = Failure::other("resultado desconhecido");
    for envio in 1..=ritmo.envios {
        let primeiro = envio == 1;
        let mut espera_minima = 0;
        let mut recusa = None;
        let mut ja_existe = false;
        match flow.send(pedido.clone()).await {
            Ok(resposta) => match ler(&resposta) {
                Leitura::Feito(feito) => return Ok(feito),
                Leitura::Recusado(mensagens) if primeiro => {
                    return Err(Failure::rejected(mensagens));
                }
                Leitura::Credencial(mensagens) if primeiro => {
                    return Err(Failure::credentials(mensagens));
                }
                Leitura::Limitado(apos) if primeiro => {
                    return Err(Failure::unavailable(apos, "autoridade limitou os envios"));
                }
                Leitura::Limitado(apos) => espera_minima = apos.unwrap_or_default(),
                Leitura::Recusado(mensagens) => recusa = Some(mensagens),
                Leitura::JaExiste(mensagens) => {
                    ja_existe = true;
                    recusa = Some(mensagens);
                }
                Leitura::Credencial(mensagens) => ultima = Failure::credentials(mensagens),
                Leitura::Duvida(motivo) => {
                    espera_minima = resposta.retry_after_ms().unwrap_or_default();
                    ultima = Failure::unexpected(motivo, &resposta.body);
                }
            },
            Err(Fault::NoResponse(falha)) if primeiro && !falha.maybe_arrived => {
                return Err(nao_conectado(falha));
            }
            Err(falha) => {
                let desistiu = falha == Fault::Cancelled;
                ultima = falha.into();
                if desistiu {
                    return ultima_palavra(buscar().await, ultima);
                }
            }
        }
        // A refusal after a doubtful copy, or "there is one already": one
        // look at once tells whether the other copy made it.
        if let Some(mut mensagens) = recusa {
            match buscar().await {
                Busca::Achado(achado) => return Ok(achado),
                Busca::Conflito => {
                    mensagens.push(conflito());
                    return Err(Failure::rejected(mensagens));
                }
                // Known to be there but not to be seen yet: in a queue.
                Busca::Ausente if !primeiro && !ja_existe => {
                    return Err(Failure::rejected(mensagens));
                }
                Busca::Ausente | Busca::NaoSei => {
                    ultima = Failure::other("recusado, mas talvez ja exista")
                }
            }
        }
        if flow.cancelled() {
            return Err(ultima.maybe_exists());
        }
        match perguntar(flow, ritmo.se(ja_existe), envio, espera_minima, &buscar).await {
            Ok(Rodada::Achado(achado)) => return Ok(achado),
            Ok(Rodada::Conflito) => return Err(Failure::rejected(vec![conflito()])),
            Ok(Rodada::Ausente) => {}
            Ok(Rodada::Esgotada) => break,
            Err(falha) => return ultima_palavra(buscar().await, falha.into()),
        }
    }
    Err(ultima.maybe_exists())
}

/// Asks with growing intervals until something is certain.
async fn perguntar<T>(
    flow: &Flow,
    ritmo: &Ritmo,
    envio: u32,
    espera_minima: u64,
    buscar: &impl AsyncFn() -> Busca<T>,
) -> Result<Rodada<T>, Fault> {
    let base = intervalo_ms(flow.ctx());
    let mut ausencias = 0;
    for consulta in 0..MAX_CONSULTAS {
        if flow.asks() >= MAX_PASSOS {
            break;
        }
        let espera = match ritmo.primeiras.get(envio as usize - 1) {
            Some(quinze_avos) if consulta == 0 => base.saturating_mul(*quinze_avos) / 15,
            _ => {
                // The first query without a pause comes before the others.
                let feitas = consulta.saturating_sub(u32::from(!ritmo.primeiras.is_empty()));
                let unidades = INTERVALOS.get(feitas as usize).or(INTERVALOS.last());
                base.saturating_mul(unidades.copied().unwrap_or(1))
            }
        };
        let espera = espera.max(if consulta == 0 { espera_minima } else { 0 });
        if espera > 0 {
            flow.wait(
                espera,
                "resultado do envio desconhecido: consultar antes de reenviar",
            )
            .await?;
        }
        match buscar().await {
            Busca::Achado(achado) => return Ok(Rodada::Achado(achado)),
            Busca::Conflito => return Ok(Rodada::Conflito),
            Busca::Ausente => ausencias += 1,
            Busca::NaoSei if flow.cancelled() => return Err(Fault::Cancelled),
            Busca::NaoSei => {}
        }
        if ausencias >= ritmo.ausencias {
            return Ok(Rodada::Ausente);
        }
    }
    Ok(Rodada::Esgotada)
}

/// The end of a flow that was given up: with what the last query found.
fn ultima_palavra<T>(busca: Busca<T>, falha: Failure) -> Result<T, Failure> {
    match busca {
        Busca::Achado(achado) => Ok(achado),
        Busca::Conflito => Err(Failure::rejected(vec![conflito()])),
        Busca::Ausente | Busca::NaoSei => Err(falha.maybe_exists()),
    }
}

fn conflito() -> Mensagem {
    Mensagem::new(
        "numero_ja_usado",
        "A autoridade já tem outro documento com esta série e este número.",
    )
}

/// The request did not leave: nothing can exist.
fn nao_conectado(falha: TransportFault) -> Failure {
    if falha.kind == TransportKind::ClientCertificateRefused {
        return Failure::credentials(vec![Mensagem::new(
            "certificado",
            "A autoridade recusou o certificado na conexão.",
        )]);
    }
    Failure::unavailable(None, &format!("sem conexao: {}", falha.detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::FailureReason;

    #[test]
    fn only_403_depends_on_the_question() {
        let coded = r#"{"erros":[{"codigo":"E1","descricao":"d"}]}"#;
        for (status, body, sending, query) in [
            (400, coded, "refused", "refused"),
            (409, coded, "refused", "refused"),
            (422, coded, "refused", "refused"),
            (401, coded, "credentials", "credentials"),
            (403, coded, "refused", "credentials"),
            (403, r#"{"message":"forbidden"}"#, "unknown", "unknown"),
            (400, "<html>", "unknown", "unknown"),
            (418, coded, "unknown", "unknown"),
            (495, "", "credentials", "credentials"),
            (496, "", "credentials", "credentials"),
            (429, coded, "throttled", "unavailable"),
            (500, coded, "unknown", "unavailable"),
            (503, "", "unknown", "unavailable"),
        ] {
            let resposta = Response {
                status,
                headers: Vec::new(),
                body: body.as_bytes().to_vec(),
            };
            let sent = match Leitura::<()>::sem_sucesso(&resposta, "E0") {
                Leitura::Recusado(_) => "refused",
                Leitura::Credencial(_) => "credentials",
                Leitura::Limitado(_) => "throttled",
                Leitura::Duvida(_) => "unknown",
                Leitura::Feito(()) | Leitura::JaExiste(_) => "yes",
            };
            let asked = match api::sem_resposta(&resposta).reason {
                FailureReason::Rejected(_) => "refused",
                FailureReason::Credentials(_) => "credentials",
                FailureReason::Unavailable(_) => "unavailable",
                _ => "unknown",
            };
            assert_eq!((sent, asked), (sending, query), "{status} {body}");
        }
    }
}
