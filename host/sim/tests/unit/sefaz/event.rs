//! The kinds of events.

use sim::sefaz::event::KINDS;

#[test]
fn names_fit_the_layout() {
    for t in &KINDS {
        assert!((5..=60).contains(&t.name.chars().count()), "{}", t.code);
    }
}
