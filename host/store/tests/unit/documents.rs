use store::tables::documents::Asked;
use store::tables::documents::lanes::{Lane, Place, Run};
use store::tables::documents::page::take;
use store::tables::notas::NotaStatus;
use store::words::{Ambiente, Model};

fn run(over: bool, moments: &[i64]) -> Run {
    let places = moments.iter().map(|at| Place {
        created_at_ms: *at,
        id: format!("nfe_{at}"),
        valor_centavos: *at,
    });
    Run {
        read: places.collect(),
        over,
        ..Run::new(Lane::Known)
    }
}

fn moments(places: &[Place]) -> Vec<i64> {
    places.iter().map(|place| place.created_at_ms).collect()
}

#[test]
fn runs_are_joined_in_the_order_of_the_list_and_no_document_comes_twice() {
    let mut runs = [run(true, &[9, 5, 1]), run(true, &[8, 5, 2])];
    let (taken, last) = take(&mut runs, 10, |_| true, false);
    assert_eq!(moments(&taken), [9, 8, 5, 2, 1]);
    assert_eq!(last.map(|last| last.created_at_ms), Some(1));
    let mut runs = [run(true, &[1, 5]), run(true, &[2])];
    let (taken, _) = take(&mut runs, 2, |_| true, true);
    assert_eq!(moments(&taken), [1, 2]);
}

#[test]
fn nothing_is_taken_beyond_the_end_of_a_run_that_goes_on() {
    let mut runs = [run(false, &[9]), run(true, &[8, 7])];
    let (taken, last) = take(&mut runs, 10, |_| true, false);
    assert_eq!(
        (moments(&taken), last.map(|last| last.created_at_ms)),
        (vec![9], Some(9))
    );
}

#[test]
fn what_does_not_fit_is_passed_and_remembered_as_looked_at() {
    let mut runs = [run(true, &[9, 8, 7])];
    let (taken, last) = take(&mut runs, 10, |place| place.valor_centavos == 8, false);
    assert_eq!(
        (moments(&taken), last.map(|last| last.created_at_ms)),
        (vec![8], Some(7))
    );
}

#[test]
fn a_list_reads_the_runs_it_asks_for() {
    let all = Asked {
        left_out: "simulado",
        ..Asked::default()
    };
    // Two environments, five models, every state but that of what was not sent.
    assert_eq!(all.runs(None).len(), 2 * 5 * 7);
    let some = Asked {
        modelos: "nfse".to_owned(),
        status: "rejeitada,nao_enviada".to_owned(),
        left_out: "producao,homologacao",
        ..Asked::default()
    };
    let lanes: Vec<Lane> = some.runs(None).into_iter().map(|run| run.lane).collect();
    let lane = |status| Lane::Account(Ambiente::Simulated, Model::Nfse, status);
    assert_eq!(
        lanes,
        [lane(NotaStatus::Rejected), lane(NotaStatus::NotSent)]
    );
}
