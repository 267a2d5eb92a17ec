//! Patterns against a table of texts.

use markup::layout::pattern::Pattern;

#[test]
fn whole_texts_fit_or_not() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "[0-9]{2}|[0-9]{8}",
            &["12", "12345678"],
            &["", "1", "123", "1234567", "123456789", "1a"],
        ),
        (
            "0|0\\.[0-9]{2}|[1-9]{1}[0-9]{0,12}(\\.[0-9]{2})?",
            &["0", "0.10", "1", "1234567890123.45"],
            &[
                "",
                "00",
                "0.1",
                "0.100",
                "01",
                "12345678901234",
                "1.",
                "-1",
                "1,00",
            ],
        ),
        (
            "[!-ÿ]{1}[ -ÿ]{0,}[!-ÿ]{1}|[!-ÿ]{1}",
            &["a", "ab", "a b", "ÿ", "ação"],
            &["", " a", "a ", "a\nb", "€", "a€b", "😀"],
        ),
        (
            "[\\s\\S]*[^\\s][\\s\\S]*",
            &["a", " a ", "\n😀"],
            &["", " ", "\n\t"],
        ),
        (
            "SEM GTIN|[0-9]{0}|[0-9]{8}|[0-9]{12,14}",
            &["", "SEM GTIN", "12345678", "123456789012"],
            &["1", "SEM", "123456789012345"],
        ),
        (
            "([!-ÿ]{0}|[!-ÿ]{5,20})?",
            &["", "12345"],
            &["1234", "123456789012345678901"],
        ),
        ("[\\-,\\+]0", &["-0", ",0", "+0"], &["0", ".0"]),
        ("[+-/]", &["+", ",", "-", ".", "/"], &["0", "*"]),
        ("[0-1]\\d", &["09", "1٣"], &["29", "1x"]),
        ("a.c", &["abc", "a\u{2028}c"], &["a\nc", "a\rc", "ac"]),
        (
            "(ab|a)(c|bcd)",
            &["ac", "abc", "abcd", "abbcd"],
            &["ab", "abcdc"],
        ),
        ("x{2,}", &["xx", "xxxxxxxx"], &["", "x"]),
        ("(a?){3}b", &["b", "ab", "aaab"], &["aaaab"]),
        ("", &[""], &["a"]),
    ];
    for (pattern, sim, node) in cases {
        let automaton = Pattern::compile(pattern).unwrap_or_else(|e| panic!("{pattern}: {e}"));
        for text in *sim {
            assert!(automaton.matches(text), "{pattern} and {text:?}");
        }
        for text in *node {
            assert!(!automaton.matches(text), "{pattern} and {text:?}");
        }
    }
}

#[test]
fn what_is_not_understood_is_refused() {
    for pattern in [
        "(",
        "a)",
        "[",
        "[]",
        "a{",
        "a{2,1}",
        "\\p{L}",
        "a{9999}",
        "*",
        "[a-z-[b]]",
        "\\",
    ] {
        assert!(Pattern::compile(pattern).is_err(), "{pattern}");
    }
}

/// The classic trap of backtracking engines takes as long as any other text.
#[test]
fn time_is_linear() {
    let automaton = Pattern::compile("(a|a)*(a|aa)*b").unwrap_or_else(|e| panic!("{e}"));
    assert!(!automaton.matches(&"a".repeat(200_000)));
}
