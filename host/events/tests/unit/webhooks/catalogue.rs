use events::webhooks::catalogue::{TIPOS, exists, wanted};

fn names(patterns: &[&str]) -> Vec<&'static str> {
    let patterns: Vec<String> = patterns.iter().map(|&p| p.to_owned()).collect();
    wanted(&patterns).iter().map(|kind| kind.name).collect()
}

#[test]
fn patterns_name_kinds_and_families() {
    assert_eq!(names(&["nfe.cce", "dfe.*"]), ["nfe.cce", "dfe.recebida"]);
    assert_eq!(names(&["nfe.*"]).len(), 5);
    assert_eq!(names(&["*"]).len(), TIPOS.len());
    assert_eq!(names(&[]).len(), 14);
    for bad in ["nfe*", "n.*", "", "nfe.", "nfe.autorizada.*", ".*", "**"] {
        assert!(!exists(bad), "{bad}");
    }
}

#[test]
fn names_can_stand_in_a_pattern_of_sql() {
    for kind in TIPOS {
        assert!(
            kind.name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b == b'.'),
            "{}",
            kind.name
        );
    }
}
