use inbound::pause::{self, End, HOUR_MS, Kind, SINGLES, TURN_MS, Turn, WAIT_MS, close};
use store::tables::distribuicao::PauseRow;
use store::words::Ambiente;

/// As the row of a company begins.
fn fresh() -> PauseRow {
    PauseRow {
        pontuais: "[]".to_owned(),
        ..PauseRow::default()
    }
}

fn open(pause: &mut PauseRow, turn: &Turn, now_ms: i64) -> Result<(), i64> {
    let shut = pause::open(pause, turn, now_ms).expect("a row that can be read");
    shut.map_or(Ok(()), Err)
}

#[test]
fn questions_of_the_last_hour_that_cannot_be_read_open_no_turn() {
    for damaged in ["", "[1,", "{}", "[\"1\"]"] {
        let mut pause = PauseRow {
            pontuais: damaged.to_owned(),
            ..PauseRow::default()
        };
        let before = pause.clone();
        let opened = pause::open(&mut pause, &turn(Kind::Single, 0), 0);
        assert!(opened.is_err(), "{damaged}");
        assert_eq!(pause, before, "{damaged}");
    }
}

fn turn(kind: Kind, now_ms: i64) -> Turn {
    Turn {
        documento: "11222333000181".to_owned(),
        ambiente: Ambiente::Production,
        kind,
        until_ms: now_ms + TURN_MS,
    }
}

/// A simulated national environment: what trips 656.
#[derive(Default)]
struct Authority {
    wait_until: i64,
    singles: Vec<i64>,
}

impl Authority {
    fn asked(&mut self, kind: Kind, at: i64, nothing: bool) {
        match kind {
            Kind::New => {
                assert!(at >= self.wait_until, "656 at {at}");
                if nothing {
                    self.wait_until = at + HOUR_MS;
                }
            }
            Kind::Single => {
                self.singles.retain(|before| at - before < HOUR_MS);
                assert!(self.singles.len() < SINGLES, "656 at {at}");
                self.singles.push(at);
            }
        }
    }
}

#[test]
fn no_order_of_questions_trips_the_authority() {
    let mut pause = fresh();
    let mut authority = Authority::default();
    let (mut now, mut seed, mut asked) = (1_000_000_i64, 12_345_u64, 0);
    for _ in 0..20_000 {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let draw = |of: u64, shift: u32| (seed >> shift) % of;
        now += i64::try_from(draw(240_000, 33)).expect("small");
        let kind = if draw(2, 20) == 0 {
            Kind::New
        } else {
            Kind::Single
        };
        let mut mine = turn(kind, now);
        match open(&mut pause, &mine, now) {
            Err(until) => assert!(until > now),
            Ok(()) => {
                asked += 1;
                let nothing = draw(3, 10) == 0;
                authority.asked(kind, now, nothing);
                now += i64::try_from(draw(100_000, 40)).expect("small");
                // A process may also die with the turn in hand.
                if draw(10, 50) != 0 {
                    let end = if nothing {
                        End::Wait(WAIT_MS)
                    } else {
                        End::Free
                    };
                    close(&mut pause, &mut mine, end, now);
                }
            }
        }
    }
    assert!(asked > 1_000, "{asked}");
}

#[test]
fn one_turn_at_a_time_and_a_lost_one_costs_an_hour() {
    let mut pause = fresh();
    assert_eq!(open(&mut pause, &turn(Kind::New, 0), 0), Ok(()));
    assert_eq!(open(&mut pause, &turn(Kind::Single, 1), 1), Err(TURN_MS));
    assert_eq!(
        open(&mut pause, &turn(Kind::Single, TURN_MS), TURN_MS),
        Ok(())
    );
    let late = 3 * TURN_MS;
    assert_eq!(open(&mut pause, &turn(Kind::New, late), late), Err(WAIT_MS));
}

#[test]
fn a_turn_that_ran_out_takes_nothing_from_the_next_one() {
    let mut pause = fresh();
    let mut old = turn(Kind::New, 0);
    open(&mut pause, &old, 0).expect("free");
    let now = WAIT_MS;
    let next = turn(Kind::New, now);
    open(&mut pause, &next, now).expect("free again");
    let before = pause.clone();
    close(&mut pause, &mut old, End::Free, now + 1);
    assert_eq!(pause, before);
    close(&mut pause, &mut old, End::Blocked, now + 1);
    assert_eq!(pause.bloqueada_ate_ms, now + 1 + WAIT_MS);
    assert_eq!(pause.ocupada_ate_ms, next.until_ms);
}

#[test]
fn a_clock_that_was_set_back_shuts_for_the_longest_wait_at_most() {
    const DAY_MS: i64 = 86_400_000;
    let mut news = fresh();
    let mut mine = turn(Kind::New, DAY_MS);
    open(&mut news, &mine, DAY_MS).expect("free");
    close(&mut news, &mut mine, End::Blocked, DAY_MS);
    let mut singles = fresh();
    for _ in 0..SINGLES {
        let mut mine = turn(Kind::Single, DAY_MS);
        open(&mut singles, &mine, DAY_MS).expect("free");
        close(&mut singles, &mut mine, End::Free, DAY_MS);
    }
    for (mut pause, kind) in [(news, Kind::New), (singles, Kind::Single)] {
        for now_ms in [0, 1] {
            let shut = open(&mut pause, &turn(kind, now_ms), now_ms);
            assert_eq!(shut, Err(WAIT_MS), "the end does not move on");
        }
        assert_eq!(
            open(&mut pause, &turn(kind, WAIT_MS), WAIT_MS),
            Ok(()),
            "{kind:?}"
        );
    }
}
