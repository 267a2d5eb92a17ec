//! Operations `emitir` and `substituir`: one note, at most once.

use crate::class::Class;
use crate::content::{Content, Nota, Sale};
use crate::flow::batch::{self, Fate};
use crate::flow::pace::{MAX_SEARCHES, MAX_SENDINGS, MAX_STEPS, NOT_FOUND_TIMES, wait_ms};
use crate::flow::search::{self, Found, Target};
use crate::flow::session::{Missing, Received, Session, WithoutContent, giving_up};
use crate::system::{Question, Rps, Service, System};
use sdk::nfse::{self, Dps, NotaRef};
use sdk::{Failure, Fault, Flow, Mensagem, Operacao, Outcome, Situacao, Success};

/// Issues one note.
///
/// # Errors
/// See [`Failure`]; may-exist is set unless it is certain that there is no
/// note.
pub async fn issue(flow: &Flow, op: &Operacao, system: &dyn System) -> Outcome {
    let session = Session::fresh(flow, system);
    let dps: Dps = nfse::read(&op.conteudo, nfse::SCHEMA_DPS)?;
    Issue::fresh(&session, &dps, Question::Issue(&dps))
        .run()
        .await
}

/// Replaces the note that `substitui` names.
///
/// # Errors
/// As [`issue`].
pub async fn replace(flow: &Flow, op: &Operacao, system: &dyn System) -> Outcome {
    let session = Session::fresh(flow, system);
    let dps: Dps = nfse::read(&op.conteudo, nfse::SCHEMA_DPS)?;
    if let Some(reason) = system.lacks(Service::Replace) {
        return Err(Failure::not_supported(reason));
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
    Issue::fresh(&session, &dps, Question::Replace(&dps, &old))
        .run()
        .await
}

/// What one answer to the emission says.
enum Verdict {
    Issued(Box<Content>),
    Protocol(String),
    Pending,
    /// The system has this RPS already, and perhaps names its note.
    Duplicated(Vec<Mensagem>, Option<Box<Nota>>),
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
    question: Question<'a>,
    rps: Rps,
}

impl<'a> Issue<'a> {
    fn fresh(session: &'a Session<'a>, dps: &'a Dps, question: Question<'a>) -> Self {
        let rps = Rps {
            serie: dps.identificacao.serie.trim().to_owned(),
            number: dps.identificacao.numero,
            emitted_at: Some(dps.data_emissao.clone()),
        };
        Issue {
            session,
            dps,
            question,
            rps,
        }
    }

    async fn run(&self) -> Outcome {
        let flow = self.session.flow;
        let message = self.session.message(&self.question).await?;
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
                Verdict::Duplicated(messages, known) => {
                    return self.duplicated(messages, known, repeated).await;
                }
                Verdict::Refused(failure) => return self.refused(failure, repeated).await,
                // The same bytes again are the question: a copy is refused.
                Verdict::Uncertain(failure) if self.asks_by_copies() => {
                    let wait = wait_ms(self.session.system.interval_ms(), sending - 1);
                    let reason = "confirmação do envio: mesmo RPS outra vez";
                    if sending < MAX_SENDINGS && self.session.wait(wait, reason).await.is_err() {
                        return Err(giving_up());
                    }
                    last = failure;
                }
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
        match self.session.send(&self.question, message).await {
            Ok(received) => Ok(self.judge(received)),
            Err(Missing::NoAnswer(Fault::Cancelled)) => Err(giving_up()),
            Err(Missing::NoAnswer(fault)) if fault.maybe_arrived() => {
                Ok(Verdict::Uncertain(fault.into()))
            }
            Err(Missing::NoAnswer(_)) => {
                let failure = Failure::unavailable(None, "a prefeitura nao atendeu");
                Err(maybe(failure, repeated))
            }
            Err(Missing::NotSent(failure) | Missing::NotOpened(failure)) => {
                Err(maybe(failure, repeated))
            }
        }
    }

    fn judge(&self, received: Received) -> Verdict {
        let (mut content, response) = match received.content(self.session.system) {
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
        if let Some(protocol) = content.protocol
            && self.session.system.protocol_decides()
        {
            return Verdict::Protocol(protocol);
        }
        match self.session.system.classify(&messages) {
            Class::Pending => Verdict::Pending,
            Class::Duplicate => {
                let Rps { serie, number, .. } = &self.rps;
                let mut known = content.known;
                known.retain(|nota| nota.of_rps(serie, *number));
                Verdict::Duplicated(messages, known.into_iter().next().map(Box::new))
            }
            Class::Credential => Verdict::Refused(Failure::credentials(messages)),
            Class::NotFound | Class::AlreadyCancelled | Class::Refusal => {
                Verdict::Refused(Failure::rejected(messages))
            }
        }
    }

    /// Follows a batch. None: nothing there after all, send again.
    async fn batch(&self, protocol: &str, repeated: bool) -> Result<Option<Success>, Failure> {
        let fate = batch::follow(self.session, protocol, &self.rps).await;
        let doubtful = matches!(fate, Fate::Doubtful(_));
        let alone = self.session.system.lacks(Service::ByRps).is_some();
        let with_protocol = Some(protocol.to_owned());
        let messages = match fate {
            Fate::Issued(content) => return Ok(Some(issued(*content, with_protocol))),
            Fate::Refused(messages) if !repeated => return Err(Failure::rejected(messages)),
            Fate::GivenUp => return Err(giving_up()),
            Fate::Undetermined(failure) => {
                return self.unfinished(with_protocol, failure, repeated);
            }
            Fate::Queued => return self.unfinished(with_protocol, queued(protocol), repeated),
            // No question by RPS confirms what the one by protocol says.
            Fate::Refused(_) | Fate::Doubtful(_) | Fate::NoResult if alone => {
                let failure = Failure::other(&format!("lote {protocol} sem confirmacao"));
                return self.unfinished(with_protocol, failure, repeated);
            }
            Fate::Refused(messages) | Fate::Doubtful(messages) => Some(messages),
            Fate::NoResult => None,
        };
        let classify = |messages: &Vec<Mensagem>| self.session.system.classify(messages);
        let duplicate = messages.as_ref().map(classify) == Some(Class::Duplicate);
        match self.look_for("pendente: consulta do RPS do lote").await {
            Search::Found(nota, alertas) => match self.sale(&nota) {
                // As in `duplicated`: the number was taken before this flow.
                Sale::Untold if duplicate && !repeated => {
                    let mut messages = messages.unwrap_or_default();
                    messages.push(said_taken());
                    Err(Failure::rejected(messages))
                }
                Sale::Ours | Sale::Untold => Ok(Some(found_nota(*nota, alertas, with_protocol))),
                // Other software issued it under this number.
                Sale::Another => {
                    let mut messages = messages.unwrap_or_default();
                    messages.push(of_other());
                    Err(Failure::rejected(messages))
                }
            },
            Search::NotThere => match messages {
                // The number is not to be given out again.
                Some(mut messages) if duplicate => {
                    messages.push(said_taken());
                    Err(maybe(Failure::rejected(messages), repeated))
                }
                Some(_) if doubtful => self.doubted(protocol, repeated).await,
                Some(messages) => Err(maybe(Failure::rejected(messages), repeated)),
                None => Ok(None),
            },
            Search::End(failure) => Err(failure),
        }
    }

    /// Messages about a batch whose situation the city does not say, and no note of
    /// its RPS. They may have been about the first question alone: the batch is asked
    /// for once more, and only if messages come again it was refused.
    async fn doubted(&self, protocol: &str, repeated: bool) -> Result<Option<Success>, Failure> {
        let with_protocol = Some(protocol.to_owned());
        match batch::ask(self.session, protocol, &self.rps).await {
            Fate::Issued(content) => Ok(Some(issued(*content, with_protocol))),
            Fate::Refused(mut messages) | Fate::Doubtful(mut messages) => {
                if self.session.system.classify(&messages) == Class::Duplicate {
                    messages.push(said_taken());
                }
                Err(maybe(Failure::rejected(messages), repeated))
            }
            Fate::Queued | Fate::NoResult => {
                self.unfinished(with_protocol, queued(protocol), repeated)
            }
            Fate::Undetermined(failure) => self.unfinished(with_protocol, failure, repeated),
            Fate::GivenUp => Err(giving_up()),
        }
    }

    /// The end of a flow whose batch the city has received and not decided. Where the
    /// system has no question by RPS, the protocol is what the hub asks by later; if
    /// more than one copy left, it is that of one of them only.
    fn unfinished(
        &self,
        protocol: Option<String>,
        failure: Failure,
        repeated: bool,
    ) -> Result<Option<Success>, Failure> {
        if repeated || self.session.system.lacks(Service::ByRps).is_none() {
            return Err(failure.maybe_exists());
        }
        Ok(Some(
            Success::new(Situacao::EmProcessamento).protocol(protocol),
        ))
    }

    /// The city has this RPS already: ours of an earlier sending, or one that
    /// other software issued with the same number.
    async fn duplicated(
        &self,
        mut messages: Vec<Mensagem>,
        known: Option<Box<Nota>>,
        repeated: bool,
    ) -> Outcome {
        if self.session.system.lacks(Service::ByRps).is_some() {
            return match known {
                Some(known) => self.named(*known, messages, repeated).await,
                // After a sending of ours it is most likely ours.
                None if repeated => Err(Failure::rejected(messages).maybe_exists()),
                None => {
                    messages.push(said_taken());
                    Err(Failure::rejected(messages))
                }
            };
        }
        match self
            .look_for("confirmação: RPS já informado à prefeitura")
            .await
        {
            Search::Found(nota, alertas) => match self.sale(&nota) {
                // Nothing in the note tells whose it is, and this flow had not sent
                // anything before. The hub knows whether another one had.
                Sale::Untold if !repeated => {
                    messages.push(said_taken());
                    Err(Failure::rejected(messages))
                }
                Sale::Ours | Sale::Untold => Ok(found_nota(*nota, alertas, None)),
                Sale::Another => {
                    messages.push(of_other());
                    Err(Failure::rejected(messages))
                }
            },
            // Known as a number but without a note: after a sending of ours
            // it may still be in a queue.
            Search::NotThere if repeated => Err(Failure::rejected(messages).maybe_exists()),
            Search::NotThere => {
                messages.push(said_taken());
                Err(Failure::rejected(messages))
            }
            Search::End(failure) => Err(failure),
        }
    }

    /// The refusal of a copy names the note; the note itself tells whether it
    /// is ours, where the system can be asked for it.
    async fn named(&self, known: Nota, mut messages: Vec<Mensagem>, repeated: bool) -> Outcome {
        let nota = if self.session.system.lacks(Service::ByNota).is_some() {
            known
        } else {
            self.fetched(known).await?
        };
        match self.sale(&nota) {
            Sale::Another => messages.push(of_other()),
            // Nobody can ask for this RPS later, so the price alone is enough.
            Sale::Untold if !repeated && nota.value.is_none() => messages.push(said_taken()),
            Sale::Ours | Sale::Untold => return Ok(found_nota(nota, Vec::new(), None)),
        }
        Err(Failure::rejected(messages))
    }

    /// The note that a refusal names, as the query by number gives it.
    async fn fetched(&self, known: Nota) -> Result<Nota, Failure> {
        let mut asked = NotaRef::default();
        asked.numero.clone_from(&known.documento.numero);
        asked
            .codigo_verificacao
            .clone_from(&known.documento.codigo_verificacao);
        asked.chave.clone_from(&known.documento.chave);
        let target = Target::Nota(asked);
        let mut unanswered = 0;
        loop {
            match search::ask(self.session, &target).await {
                Found::Nota(nota, _) => return Ok(*nota),
                Found::Refusal(failure) => return Err(failure.maybe_exists()),
                Found::GivenUp => return Err(giving_up()),
                Found::Undetermined(failure) if unanswered >= MAX_SEARCHES => {
                    return Err(failure.maybe_exists());
                }
                Found::Undetermined(_) | Found::Nothing | Found::Pending => {}
            }
            unanswered += 1;
            if unanswered > MAX_SEARCHES {
                let failure = Failure::other("a prefeitura nao mostra a NFS-e que nomeia");
                return Err(failure.maybe_exists());
            }
            let wait = wait_ms(self.session.system.interval_ms(), unanswered - 1);
            let reason = "confirmação: NFS-e que a prefeitura nomeia";
            if self.session.wait(wait, reason).await.is_err() {
                return Err(giving_up());
            }
        }
    }

    /// There is no query by RPS, and a copy is refused by its mark.
    fn asks_by_copies(&self) -> bool {
        let system = self.session.system;
        system.lacks(Service::ByRps).is_some() && system.refuses_copies()
    }

    /// An explicit no. After more than one sending it is about the last one
    /// only: a look tells whether an earlier one made a note. If there is none
    /// yet, the earlier one may wait in a queue, and the hub goes on asking.
    async fn refused(&self, failure: Failure, repeated: bool) -> Outcome {
        if !repeated {
            return Err(failure);
        }
        match search::ask(self.session, &Target::Rps(self.rps.clone())).await {
            Found::Nota(nota, alertas) => self.adopt(*nota, alertas),
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
            let wait = wait_ms(self.session.system.interval_ms(), n);
            n += 1;
            if self.session.wait(wait, reason).await.is_err() {
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
        match self.sale(&nota) {
            Sale::Ours | Sale::Untold => Ok(found_nota(nota, alertas, None)),
            // The number was taken before we sent anything: ours cannot exist.
            Sale::Another => Err(Failure::rejected(vec![of_other()])),
        }
    }

    /// Same price, before or after the discount, and same taker, as far as the city's
    /// note says.
    fn sale(&self, nota: &Nota) -> Sale {
        let taker = self.dps.tomador.as_ref();
        let taker = taker.and_then(|taker| taker.cpf_cnpj.as_deref());
        let values = &self.dps.valores;
        let discount = values.desconto_incondicionado.unwrap_or_default();
        nota.of_sale(&[values.servico, values.servico - discount], taker)
    }
}

fn queued(protocol: &str) -> Failure {
    Failure::other(&format!("lote {protocol} ainda na fila da prefeitura"))
}

/// The city says that the RPS is a note and shows none that could be compared
/// with ours. The hub does not give the number out again; if another flow of the
/// note has sent it before, the hub goes on asking (docs/ADAPTERS.md).
fn said_taken() -> Mensagem {
    Mensagem::new(
        "rps_ja_informado",
        "A prefeitura diz que o número deste RPS já foi informado.",
    )
}

/// The note under the number is of other software. The hub does not give a number
/// with this code out again.
pub fn of_other() -> Mensagem {
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
