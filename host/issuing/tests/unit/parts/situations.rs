use issuing::model::{Ambiente, Model};
use issuing::parts::situations::{AuthorizerState, AuthorizerStates, AuthorizerStatus, CACHE_MS};

#[test]
fn an_answer_is_told_again_for_a_while_and_not_for_a_jump_of_the_clock() {
    const DAY_MS: i64 = 86_400_000;
    let states = AuthorizerStates::default();
    let which = ("MG".to_owned(), Model::Nfe, Ambiente::Production);
    let state = AuthorizerState {
        autorizador: "MG".to_owned(),
        status: AuthorizerStatus::Paralisado,
        codigo: "109".to_owned(),
        reason: String::new(),
        average_time_s: None,
        queried_ms: DAY_MS,
    };
    states.put(which.clone(), state);
    assert!(states.get(&which, DAY_MS).is_some());
    assert!(states.get(&which, DAY_MS + CACHE_MS).is_none());
    assert!(states.get(&which, 0).is_none(), "the clock was set back");
}
