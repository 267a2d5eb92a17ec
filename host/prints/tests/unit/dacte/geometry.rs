//! Where things stand.

use super::generator::{Generator, all};
use crate::geometry::{assert_frames_inside, assert_texts_apart};
use prints::dacte::sheets;
use prints::danfe::PrintOptions;
use prints::pdf::sheet::Item;

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

#[test]
fn long_addresses_are_never_tiny() {
    let cte = Generator {
        long: true,
        everybody: true,
        ..Generator::default()
    };
    let sheets = sheets(&cte.xml(), &PrintOptions::default()).expect("a DACTE");
    let mut streets = 0;
    for item in sheets.pages.iter().flatten() {
        if let Item::Text { size, text, .. } = item
            && text.starts_with(b"Rua da Bahia")
        {
            assert!(*size >= 5.0, "{size}");
            streets += 1;
        }
    }
    assert!(streets >= 4, "{streets}");
}
