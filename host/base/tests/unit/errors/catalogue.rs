use base::errors::{Code, Failure};
use std::collections::HashSet;
use std::io::ErrorKind;

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

#[test]
fn a_full_disk_is_told_from_a_database_that_is_busy() {
    let refused = |error: std::io::Error| match Failure::from(sqlx::Error::Io(error)) {
        Failure::Refused(refusal) => (refusal.code.as_str(), refusal.retry_after_s),
        Failure::Internal(error) => panic!("{error}"),
    };
    let full = std::io::Error::new(ErrorKind::StorageFull, "not committed");
    assert_eq!(refused(full), ("espaco_esgotado", Some(60)));
    let other = std::io::Error::other("not committed");
    assert_eq!(refused(other), ("manutencao", Some(5)));
}
