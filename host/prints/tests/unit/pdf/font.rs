use prints::pdf::font::{Font, width, win_ansi, wrap};

fn lines(text: &str, limit: f32) -> Vec<String> {
    wrap(&win_ansi(text), Font::Normal, 10.0, limit)
        .into_iter()
        .map(|line| line.iter().map(|byte| char::from(*byte)).collect())
        .collect()
}

#[test]
fn accents_are_one_byte_each() {
    assert_eq!(win_ansi("Ação"), b"A\xE7\xE3o");
    assert_eq!(win_ansi("Ac\u{327}a\u{303}o"), b"A\xE7\xE3o");
    assert_eq!(win_ansi("“R$” – €…"), b"\x93R$\x94 \x96 \x80\x85");
    assert_eq!(win_ansi("a\tb\u{0}c\u{200b}d"), b"a b cd");
    assert_eq!(win_ansi("漢字\u{1F600}"), b"???");
    assert_eq!(win_ansi("\u{301}x"), b"x");
}

#[test]
fn lines_break_at_spaces_and_lose_nothing() {
    // Ten points a size: an "a" takes 5.56.
    assert_eq!(lines("", 50.0), [""]);
    assert_eq!(lines("aaa aaa", 50.0), ["aaa aaa"]);
    assert_eq!(lines("aaa aaa", 20.0), ["aaa", "aaa"]);
    assert_eq!(lines("aaa   aaa", 20.0), ["aaa", "aaa"]);
    assert_eq!(lines("aaaaaaa", 20.0), ["aaa", "aaa", "a"]);
    assert_eq!(lines("a aaaaaaa", 20.0), ["a", "aaa", "aaa", "a"]);
    // Narrower than a letter still ends.
    assert_eq!(lines("ab", 0.0), ["a", "b"]);
    let text = "Serviço de manutenção preventiva, corretiva e evolutiva ".repeat(20);
    for limit in [1.0, 17.0, 60.0, 300.0] {
        let found = lines(&text, limit);
        let together: String = found.concat().split_whitespace().collect();
        let expected: String = text.split_whitespace().collect();
        assert_eq!(together, expected);
    }
    for line in wrap(&win_ansi(&text), Font::Bold, 7.0, 200.0) {
        assert!(width(line, Font::Bold, 7.0) <= 200.0);
    }
}
