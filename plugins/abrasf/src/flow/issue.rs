//! Operations `emitir` and `substituir`: one note, at most once.

use crate::answer::{Class, Content, Nota, classify};
use crate::flow::batch::{self, Fate};
use crate::flow::pace::{MAX_SEARCHES, MAX_SENDINGS, MAX_STEPS, NOT_FOUND_TIMES, wait_ms};
use crate::flow::search::{self, Found, Target};
use crate::flow::session::{Missing, Received, Session, WithoutContent, giving_up};
use crate::message::query::Rps;
use crate::message::sending;
use crate::service::Service;
use sdk::nfse::{self, Dps, NotaRef};
use sdk::{Failure, Fault, Flow, Mensagem, Operacao, Outcome, Situacao, Success};

/// Issues by the system's mode.
///
/// # Errors
/// See [`Failure`]; may-exist is set unless it is certain that there is no
/// note.
pub async fn issue(flow: &Flow, op: &Operacao) -> Outcome {
    let session = Session::fresh(flow, op)?;
    let dps: Dps = nfse::read(&op.conteudo, nfse::SCHEMA_DPS)?;
    let service = Service::of_issue(session.options.mode);
    Issue::fresh(&session, &dps, service).run(None).await
}

/// Replaces the note that `substitui` names.
///
/// # Errors
/// As [`issue`].
pub async fn substituir(flow: &Flow, op: &Operacao) -> Outcome {
    let session = Session::fresh(flow, op)?;
    let dps: Dps = nfse::read(&op.conteudo, nfse::SCHEMA_DPS)?;
    if session.options.version.first() {
        return Err(Failure::not_supported(
            "A versão 1.00 do leiaute não tem substituição.",
        ));
    }
    if !session.options.has(Service::Substituir) {
        return Err(Failure::not_supported(
            "O webservice da prefeitura não substitui NFS-e: cancele a nota e emita outra.",
        ));
    }
    let number = dps.substitui.as_ref().and_then(|s| s.numero_nfse.clone());
    let Some(number) = number.filter(|number| !number.trim().is_empty()) else {
        return Err(Failure::invalid_input(vec![sdk::FieldError::new(
            "substitui.numero_nfse",
            "obrigatorio",
            "A prefeitura exige o número da NFS-e substituída.",
        )]));
    };
    let mut old = NotaRef::default();
    old.numero = Some(number);
    Issue::fresh(&session, &dps, Service::Substituir)
        .run(Some(&old))
        .await
}

/// What one answer to the emission says.
enum Verdict {
    Issued(Box<Content>),
    Protocol(String),
    Pending,
    Duplicated(Vec<Mensagem>),
    /// An explicit no.
    Refused(Failure),
    /// Not known.
    Uncertain(Failure),
}

/// What looking for the note by its RPS gave.
enum Search {
    Found(Box<Nota>, Vec<Mensagem>),
    /// Clearly not there, several times.
    NotThere,
    /// The end of the flow.
    End(Failure),
}

struct Issue<'a> {
    session: &'a Session<'a>,
    dps: &'a Dps,
    service: Service,
    rps: Rps,
}

impl<'a> Issue<'a> {
    fn fresh(session: &'a Session<'a>, dps: &'a Dps, service: Service) -> Self {
        let rps = Rps {
            serie: dps.identificacao.serie.trim().to_owned(),
            number: dps.identificacao.numero,
        };
        Issue {
            session,
            dps,
            service,
            rps,
        }
    }

    async fn run(&self, replaced: Option<&NotaRef>) -> Outcome {
        let flow = self.session.flow;
        let options = &self.session.options;
        let message = flow
            .keep("mensagem", || {
                sending::build(options, flow.ctx(), self.dps, self.service, replaced)
            })
            .await?;
        // The same bytes each time: the city knows an RPS by its number.
        let mut last = Failure::other("sem envio");
        for sending in 1..=MAX_SENDINGS {
            let repeated = sending > 1;
            match self.send(&message, repeated).await? {
                Verdict::Issued(content) => return Ok(issued(*content, None)),
                Verdict::Protocol(protocol) => match self.batch(&protocol, repeated).await? {
                    Some(success) => return Ok(success),
                    None => last = Failure::other("lote sem resultado"),
                },
                Verdict::Pending => {
                    match self.look_for("pendente: RPS na fila da prefeitura").await {
                        Search::Found(nota, alertas) => return self.adopt(*nota, alertas),
                        Search::NotThere => last = Failure::other("RPS pendente que sumiu"),
                        Search::End(failure) => return Err(failure),
                    }
                }
                Verdict::Duplicated(messages) => {
                    return self.duplicated(messages, repeated).await;
                }
                Verdict::Refused(failure) => return self.refused(failure, repeated).await,
                Verdict::Uncertain(failure) => {
                    match self.look_for("confirmação do envio: consulta do RPS").await {
                        Search::Found(nota, alertas) => return self.adopt(*nota, alertas),
                        Search::NotThere => last = failure,
                        Search::End(failure) => return Err(failure),
                    }
                }
            }
            if flow.asks() >= MAX_STEPS {
                break;
            }
        }
        // Each time the city said it has none, and each time the answer to
        // the sending got lost: the last one may still have arrived.
        Err(last.maybe_exists())
    }

    /// Sends once and judges the answer.
    async fn send(&self, message: &str, repeated: bool) -> Result<Verdict, Failure> {
        match self.session.send(self.service, message).await {
            Ok(received) => Ok(self.judge(received)),
            Err(Missing::NoAnswer(Fault::Cancelled)) => Err(giving_up()),
            Err(Missing::NoAnswer(fault)) if fault.maybe_arrived() => {
                Ok(Verdict::Uncertain(fault.into()))
            }
            Err(Missing::NoAnswer(_)) => {
                let failure = Failure::unavailable(None, "a prefeitura nao atendeu");
                Err(maybe(failure, repeated))
            }
            Err(Missing::NotSent(failure)) => Err(maybe(failure, repeated)),
        }
    }

    fn judge(&self, received: Received) -> Verdict {
        let (mut content, response) = match received.content() {
            Ok(read) => read,
            Err(WithoutContent::Refused(failure)) => return Verdict::Refused(failure),
            Err(WithoutContent::Uncertain(failure)) => return Verdict::Uncertain(failure),
        };
        let uncertain =
            |reason: &str| Verdict::Uncertain(Failure::unexpected(reason, &response.body));
        if !content.notas.is_empty() {
            let Rps { serie, number, .. } = &self.rps;
            content.notas.retain(|nota| nota.of_rps(serie, *number));
            if content.notas.is_empty() {
                return uncertain("a resposta traz outra nota");
            }
            return Verdict::Issued(content);
        }
        let messages = content.messages;
        if messages.is_empty() {
            return match content.protocol {
                Some(protocol) => Verdict::Protocol(protocol),
                None => uncertain("resposta sem nota, protocolo nem mensagem"),
            };
        }
        match classify(&messages) {
            Class::Pending => Verdict::Pending,
            Class::Duplicate => Verdict::Duplicated(messages),
            Class::Credential => Verdict::Refused(Failure::credentials(messages)),
            Class::NotFound | Class::AlreadyCancelled | Class::Refusal => {
                Verdict::Refused(Failure::rejected(messages))
            }
        }
    }

    /// Follows a batch. None: nothing there after all, send again.
    async fn batch(&self, protocol: &str, repeated: bool) -> Result<Option<Success>, Failure> {
        let fate = batch::follow(self.session, protocol, &self.rps).await;
        let with_protocol = Some(protocol.to_owned());
        let messages = match fate {
            Fate::Issued(content) => return Ok(Some(issued(*content, with_protocol))),
            Fate::Refused(messages) if !repeated => return Err(Failure::rejected(messages)),
            Fate::Refused(messages) | Fate::Doubtful(messages) => Some(messages),
            Fate::NoResult => None,
            Fate::Queued => {
                let detail = format!("lote {protocol} ainda na fila da prefeitura");
                return Err(Failure::other(&detail).maybe_exists());
            }
            Fate::Undetermined(failure) => return Err(failure.maybe_exists()),
            Fate::GivenUp => return Err(giving_up()),
        };
        match self.look_for("pendente: consulta do RPS do lote").await {
            Search::Found(nota, alertas) if self.mine(&nota) => {
                Ok(Some(found_nota(*nota, alertas, with_protocol)))
            }
            // A note of ours with other content is somebody else's RPS: the
            // city's no about this batch stands.
            Search::Found(..) | Search::NotThere => match messages {
                Some(messages) => Err(maybe(Failure::rejected(messages), repeated)),
                None => Ok(None),
            },
            Search::End(failure) => Err(failure),
        }
    }

    /// The city has this RPS already: ours of an earlier sending, or one that
    /// other software issued with the same number.
    async fn duplicated(&self, mut messages: Vec<Mensagem>, repeated: bool) -> Outcome {
        match self
            .look_for("confirmação: RPS já informado à prefeitura")
            .await
        {
            Search::Found(nota, alertas) if self.mine(&nota) => {
                Ok(found_nota(*nota, alertas, None))
            }
            Search::Found(..) => {
                messages.push(of_other());
                Err(Failure::rejected(messages))
            }
            // Known as a number but without a note: after a sending of ours
            // it may still be in a queue.
            Search::NotThere => Err(maybe(Failure::rejected(messages), repeated)),
            Search::End(failure) => Err(failure),
        }
    }

    /// An explicit no. After more than one sending it is about the last one
    /// only, so the city is asked whether an earlier one made a note.
    async fn refused(&self, failure: Failure, repeated: bool) -> Outcome {
        if !repeated {
            return Err(failure);
        }
        match search::ask(self.session, &Target::Rps(self.rps.clone())).await {
            Found::Nota(nota, alertas) if self.mine(&nota) => Ok(found_nota(*nota, alertas, None)),
            Found::Nothing => Err(failure),
            _ => Err(failure.maybe_exists()),
        }
    }

    /// Asks for the note by its RPS until the city gives it or has said often
    /// enough that there is none.
    async fn look_for(&self, reason: &str) -> Search {
        let flow = self.session.flow;
        let target = Target::Rps(self.rps.clone());
        let mut absences = 0;
        let mut unanswered = 0;
        let mut reason = reason;
        let mut n = 0;
        loop {
            if flow.asks() >= MAX_STEPS {
                return Search::End(
                    Failure::other("consultas demais sem resultado").maybe_exists(),
                );
            }
            let wait = wait_ms(self.session.options.interval_ms, n);
            n += 1;
            if flow.wait(wait, reason).await.is_err() {
                return Search::End(giving_up());
            }
            match search::ask(self.session, &target).await {
                Found::Nota(nota, alertas) => return Search::Found(nota, alertas),
                Found::Nothing => {
                    absences += 1;
                    if absences >= NOT_FOUND_TIMES {
                        return Search::NotThere;
                    }
                }
                Found::Pending => {
                    // In the queue: as long as the steps last.
                    absences = 0;
                    reason = "pendente: RPS na fila da prefeitura";
                }
                Found::Undetermined(failure) => {
                    unanswered += 1;
                    if unanswered >= MAX_SEARCHES {
                        return Search::End(failure.maybe_exists());
                    }
                }
                Found::Refusal(failure) => return Search::End(failure.maybe_exists()),
                Found::GivenUp => return Search::End(giving_up()),
            }
        }
    }

    /// A note found after a sending without answer.
    fn adopt(&self, nota: Nota, alertas: Vec<Mensagem>) -> Outcome {
        if self.mine(&nota) {
            return Ok(found_nota(nota, alertas, None));
        }
        // The number was taken before we sent anything: ours cannot exist.
        Err(Failure::rejected(vec![of_other()]))
    }

    /// Same price and same taker, as far as the city's note says.
    fn mine(&self, nota: &Nota) -> bool {
        let value = nota.value.is_none_or(|v| v == self.dps.valores.servico);
        let declared = self
            .dps
            .tomador
            .as_ref()
            .and_then(|tomador| tomador.cpf_cnpj.as_deref());
        let tomador = match (&nota.tomador, declared) {
            (Some(of_nota), Some(ours)) => of_nota.eq_ignore_ascii_case(ours.trim()),
            _ => true,
        };
        value && tomador
    }
}

/// The hub does not give a number with this code out again.
fn of_other() -> Mensagem {
    Mensagem::new(
        "numero_ja_usado",
        "O número deste RPS já foi usado por outra NFS-e na prefeitura.",
    )
}

/// May-exist, when an earlier sending may have arrived.
fn maybe(failure: Failure, repeated: bool) -> Failure {
    if repeated {
        failure.maybe_exists()
    } else {
        failure
    }
}

/// The end of an emission whose answer has the note.
fn issued(content: Content, protocol: Option<String>) -> Success {
    let mut alertas = content.alertas;
    // Messages beside a note did not prevent it: they are warnings.
    alertas.extend(content.messages);
    let protocol = protocol.or(content.protocol);
    let mut notas = content.notas.into_iter();
    let mut success = match notas.next() {
        Some(nota) => found_nota(nota, alertas, protocol),
        None => return Success::new(Situacao::EmProcessamento).protocol(protocol),
    };
    if let Some(old) = content.replaced {
        let mut documento = old.documento;
        documento.situacao = Situacao::Substituido;
        success = success.documento(documento);
    }
    success
}

/// The end of a look-up that has the note.
pub fn found_nota(nota: Nota, alertas: Vec<Mensagem>, protocol: Option<String>) -> Success {
    Success::new(nota.documento.situacao)
        .documento(nota.documento)
        .messages(alertas)
        .protocol(protocol)
}
