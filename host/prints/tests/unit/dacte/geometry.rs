//! Where things stand.

use super::generator::all;
use crate::geometry::{assert_frames_inside, assert_texts_apart};
use prints::dacte::sheets;
use prints::danfe::PrintOptions;

#[test]
fn no_text_is_over_another_or_leaves_the_page() {
    for (name, cte) in all() {
        let sheets = sheets(&cte.xml(), &PrintOptions::default()).expect(name);
        assert_texts_apart(name, &sheets);
    }
}

#[test]
fn frames_stay_on_the_page() {
    for (name, cte) in all() {
        let sheets = sheets(&cte.xml(), &PrintOptions::default()).expect(name);
        assert_frames_inside(name, &sheets);
    }
}
