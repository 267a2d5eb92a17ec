//! Whose turn it is to ask for a CNPJ, and when it may be asked again: one
//! row for all accounts and nodes of the hub.
//!
//! Limits: NT 2014.002 (second-hand): an hour after 137 or at the end of the
//! queue, an hour after 656, twenty questions by key or NSU in an hour.

use base::errors::{Code, Failure, Refusal};
use base::when;
use issuing::Issuing;
use store::tables::distribuicao::{self, PausaRow};
use store::words::Ambiente;
use store::{Conn, DbResult, TxError, stored};

const HORA_MS: i64 = 3_600_000;
/// The wait, with a minute for clocks that differ.
pub const ESPERA_MS: i64 = HORA_MS + 60_000;
/// How long one question may take: `pergunta` gives up after 60 s.
const VEZ_MS: i64 = 90_000;
/// Questions by key or NSU within an hour.
const PONTUAIS: usize = 20;

/// What is about to be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tipo {
    /// New documents, from an NSU on.
    #[default]
    Novas,
    /// One document, by key or NSU.
    Pontual,
}

/// The right to ask one question; no other one is asked for this CNPJ until
/// it is given back or runs out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vez {
    pub documento: String,
    pub ambiente: Ambiente,
    pub tipo: Tipo,
    /// When the turn runs out. The moment also distinguishes this turn from a
    /// later one.
    ate_ms: i64,
}

/// What a question led to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fim {
    /// More documents are waiting: the caller goes on with the same turn.
    Continua,
    /// It may be asked again at once.
    #[default]
    Livre,
    /// Not before this many milliseconds.
    Espera(i64),
    /// 656: nothing at all for an hour.
    Bloqueada,
}

/// Takes the turn of a CNPJ.
///
/// # Errors
/// 423 with `Retry-After`: somebody asks at this moment, or it is too early.
pub async fn tomar(
    app: &Issuing,
    documento: &str,
    ambiente: Ambiente,
    tipo: Tipo,
) -> Result<Vez, Failure> {
    let wanted = Vez {
        documento: documento.to_owned(),
        ambiente,
        tipo,
        ate_ms: app.now_ms() + VEZ_MS,
    };
    let taken = app.db.write((wanted, app.now_ms()), |(vez, now_ms), conn| {
        Box::pin(async move {
            let mut pausa = distribuicao::pausa(conn, &vez.documento, vez.ambiente).await?;
            if let Some(ate_ms) = abrir(&mut pausa, vez, *now_ms)? {
                return Err(TxError::Abort(cedo(ate_ms, *now_ms)));
            }
            distribuicao::save_pausa(conn, &vez.documento, vez.ambiente, &pausa).await?;
            Ok(vez.clone())
        })
    });
    Ok(taken.await?)
}

/// Writes what a question led to, in the caller's transaction. Returns when
/// new documents may be asked for.
///
/// # Errors
/// The database failed.
pub async fn devolver(conn: &mut Conn, vez: &mut Vez, fim: Fim, now_ms: i64) -> DbResult<i64> {
    let mut pausa = distribuicao::pausa(conn, &vez.documento, vez.ambiente).await?;
    fechar(&mut pausa, vez, fim, now_ms);
    distribuicao::save_pausa(conn, &vez.documento, vez.ambiente, &pausa).await?;
    Ok(pausa.livre_ms.max(pausa.bloqueada_ate_ms))
}

/// 423: not before this moment.
pub fn cedo(ate_ms: i64, now_ms: i64) -> Refusal {
    let seconds = u64::try_from((ate_ms - now_ms).max(1_000)).unwrap_or(1_000);
    Refusal::new(Code::ConsumoIndevidoBloqueado)
        .retry_after(seconds.div_ceil(1_000))
        .with("proxima_consulta_em", when::rfc3339(ate_ms + 999))
}

/// Opens the turn, or returns until when it is shut. If the questions of the
/// last hour cannot be read, this is an error, not "none". The wait after a
/// question about new documents is written now, before it is asked: if the
/// process dies with the turn, nobody asks before the wait is over.
fn abrir(pausa: &mut PausaRow, vez: &Vez, now_ms: i64) -> DbResult<Option<i64>> {
    let mut ate_ms = pausa.bloqueada_ate_ms.max(pausa.ocupada_ate_ms);
    if vez.tipo == Tipo::Novas {
        ate_ms = ate_ms.max(pausa.livre_ms);
    }
    if ate_ms > now_ms {
        return Ok(Some(ate_ms));
    }
    match vez.tipo {
        Tipo::Novas => pausa.livre_ms = now_ms + ESPERA_MS,
        Tipo::Pontual => {
            let what = "questions of the last hour";
            let mut asked: Vec<i64> = stored(&pausa.pontuais, what, &vez.documento)?;
            asked.retain(|at_ms| now_ms - at_ms < ESPERA_MS);
            if asked.len() >= PONTUAIS {
                let first = asked.iter().min().copied().unwrap_or(now_ms);
                return Ok(Some(first + ESPERA_MS));
            }
            asked.push(now_ms);
            pausa.pontuais = serde_json::json!(asked).to_string();
        }
    }
    pausa.ocupada_ate_ms = vez.ate_ms;
    Ok(None)
}

fn fechar(pausa: &mut PausaRow, vez: &mut Vez, fim: Fim, now_ms: i64) {
    // Somebody else has the turn: what was learned may only lengthen a wait.
    let mine = pausa.ocupada_ate_ms == vez.ate_ms;
    if mine {
        pausa.ocupada_ate_ms = 0;
    }
    match fim {
        Fim::Continua if mine => {
            vez.ate_ms = now_ms + VEZ_MS;
            pausa.ocupada_ate_ms = vez.ate_ms;
            pausa.livre_ms = now_ms + ESPERA_MS;
        }
        Fim::Continua => {}
        Fim::Bloqueada => {
            pausa.bloqueada_ate_ms = pausa.bloqueada_ate_ms.max(now_ms + ESPERA_MS);
        }
        Fim::Livre | Fim::Espera(_) if vez.tipo == Tipo::Pontual => {}
        Fim::Livre if mine => pausa.livre_ms = now_ms,
        Fim::Livre => {}
        Fim::Espera(ms) if mine => pausa.livre_ms = now_ms + ms,
        Fim::Espera(ms) => pausa.livre_ms = pausa.livre_ms.max(now_ms + ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the row of a company begins.
    fn nova() -> PausaRow {
        PausaRow {
            pontuais: "[]".to_owned(),
            ..PausaRow::default()
        }
    }

    fn abrir(pausa: &mut PausaRow, vez: &Vez, now_ms: i64) -> Result<(), i64> {
        let shut = super::abrir(pausa, vez, now_ms).expect("a row that can be read");
        shut.map_or(Ok(()), Err)
    }

    #[test]
    fn questions_of_the_last_hour_that_cannot_be_read_open_no_turn() {
        for damaged in ["", "[1,", "{}", "[\"1\"]"] {
            let mut pausa = PausaRow {
                pontuais: damaged.to_owned(),
                ..PausaRow::default()
            };
            let before = pausa.clone();
            let opened = super::abrir(&mut pausa, &vez(Tipo::Pontual, 0), 0);
            assert!(opened.is_err(), "{damaged}");
            assert_eq!(pausa, before, "{damaged}");
        }
    }

    fn vez(tipo: Tipo, now_ms: i64) -> Vez {
        Vez {
            documento: "11222333000181".to_owned(),
            ambiente: Ambiente::Producao,
            tipo,
            ate_ms: now_ms + VEZ_MS,
        }
    }

    /// A simulated national environment: what trips 656.
    #[derive(Default)]
    struct Autoridade {
        espera_ate: i64,
        pontuais: Vec<i64>,
    }

    impl Autoridade {
        fn asked(&mut self, tipo: Tipo, at: i64, nothing: bool) {
            match tipo {
                Tipo::Novas => {
                    assert!(at >= self.espera_ate, "656 at {at}");
                    if nothing {
                        self.espera_ate = at + HORA_MS;
                    }
                }
                Tipo::Pontual => {
                    self.pontuais.retain(|before| at - before < HORA_MS);
                    assert!(self.pontuais.len() < PONTUAIS, "656 at {at}");
                    self.pontuais.push(at);
                }
            }
        }
    }

    #[test]
    fn no_order_of_questions_trips_the_authority() {
        let mut pausa = nova();
        let mut autoridade = Autoridade::default();
        let (mut now, mut seed, mut asked) = (1_000_000_i64, 12_345_u64, 0);
        for _ in 0..20_000 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let draw = |of: u64, shift: u32| (seed >> shift) % of;
            now += i64::try_from(draw(240_000, 33)).expect("small");
            let tipo = if draw(2, 20) == 0 {
                Tipo::Novas
            } else {
                Tipo::Pontual
            };
            let mut mine = vez(tipo, now);
            match abrir(&mut pausa, &mine, now) {
                Err(until) => assert!(until > now),
                Ok(()) => {
                    asked += 1;
                    let nothing = draw(3, 10) == 0;
                    autoridade.asked(tipo, now, nothing);
                    now += i64::try_from(draw(100_000, 40)).expect("small");
                    // A process may also die with the turn in hand.
                    if draw(10, 50) != 0 {
                        let fim = if nothing {
                            Fim::Espera(ESPERA_MS)
                        } else {
                            Fim::Livre
                        };
                        fechar(&mut pausa, &mut mine, fim, now);
                    }
                }
            }
        }
        assert!(asked > 1_000, "{asked}");
    }

    #[test]
    fn one_turn_at_a_time_and_a_lost_one_costs_an_hour() {
        let mut pausa = nova();
        assert_eq!(abrir(&mut pausa, &vez(Tipo::Novas, 0), 0), Ok(()));
        assert_eq!(abrir(&mut pausa, &vez(Tipo::Pontual, 1), 1), Err(VEZ_MS));
        assert_eq!(
            abrir(&mut pausa, &vez(Tipo::Pontual, VEZ_MS), VEZ_MS),
            Ok(())
        );
        let late = 3 * VEZ_MS;
        assert_eq!(
            abrir(&mut pausa, &vez(Tipo::Novas, late), late),
            Err(ESPERA_MS)
        );
    }

    #[test]
    fn a_turn_that_ran_out_takes_nothing_from_the_next_one() {
        let mut pausa = nova();
        let mut old = vez(Tipo::Novas, 0);
        abrir(&mut pausa, &old, 0).expect("free");
        let now = ESPERA_MS;
        let next = vez(Tipo::Novas, now);
        abrir(&mut pausa, &next, now).expect("free again");
        let before = pausa.clone();
        fechar(&mut pausa, &mut old, Fim::Livre, now + 1);
        assert_eq!(pausa, before);
        fechar(&mut pausa, &mut old, Fim::Bloqueada, now + 1);
        assert_eq!(pausa.bloqueada_ate_ms, now + 1 + ESPERA_MS);
        assert_eq!(pausa.ocupada_ate_ms, next.ate_ms);
    }
}
