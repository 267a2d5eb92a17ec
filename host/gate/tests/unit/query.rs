use base::errors::Failure;
use gate::query::{Query, only};

#[test]
fn an_answer_names_a_hundred_unknown_parameters_at_most() {
    let query: Query = (0..500)
        .map(|number| (format!("p{number}"), String::new()))
        .collect();
    let Err(Failure::Refused(refusal)) = only(&query, &["limite"]) else {
        panic!("refused");
    };
    assert_eq!(refusal.fields.len(), 100);
}
