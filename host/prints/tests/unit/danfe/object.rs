use prints::danfe::read::object::{Object, Reader, Symbol};

#[test]
fn objects_are_read_as_written() {
    let text =
        b"<< /A [1 -2.5 (a\\(b\\)\\101(c)) <4142 3>] /B#20C 7 0 R % x\n /D << /E true >> >> stream";
    let mut reader = Reader::new(text, 0);
    let object = reader.object().expect("a dictionary");
    let dictionary = object.dictionary().expect("a dictionary");
    assert_eq!(
        dictionary.get(b"A"),
        Some(&Object::List(vec![
            Object::Number(1.0),
            Object::Number(-2.5),
            Object::Text(b"a(b)A(c)".to_vec()),
            Object::Text(b"AB0".to_vec()),
        ]))
    );
    assert_eq!(dictionary.get(b"B C"), Some(&Object::Reference(7)));
    assert_eq!(reader.symbol(), Some(Symbol::Word(b"stream")));
}

#[test]
fn nesting_and_junk_end() {
    for text in [
        &b"[".repeat(100_000)[..],
        &b"<<".repeat(100_000)[..],
        b"(((((",
        b"<41",
        b"[1 2",
        b"<< /A",
    ] {
        assert_eq!(Reader::new(text, 0).object(), None);
    }
}
