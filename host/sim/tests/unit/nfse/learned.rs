//! The cases that are built into the program.

use sim::Cities;

#[test]
fn all_that_the_cases_show_is_learned() {
    let cities = Cities::default();
    let problems = cities.problems();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    println!("learned: {}", cities.names().join(", "));
}
