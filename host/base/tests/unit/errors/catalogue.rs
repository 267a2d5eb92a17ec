use base::errors::Code;
use std::collections::HashSet;

#[test]
fn codes_are_unique_snake_case_with_a_sentence_and_a_hint() {
    let mut seen = HashSet::new();
    for code in Code::ALL {
        let entry = code.entry();
        assert!(seen.insert(entry.codigo), "{} twice", entry.codigo);
        assert!(
            entry
                .codigo
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
            "{}",
            entry.codigo
        );
        assert!((400..600).contains(&entry.status), "{}", entry.codigo);
        assert!(
            entry.message.ends_with('.') && entry.hint.ends_with('.'),
            "{}",
            entry.codigo
        );
    }
}
