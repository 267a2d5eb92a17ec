use store::stored;

#[test]
fn what_cannot_be_read_is_named_and_not_repeated() {
    let read = stored::<Vec<String>>("[\"a\"]", "companies of a webhook", "wh_1");
    assert_eq!(read.expect("readable"), ["a"]);
    for damaged in ["", "[\"123.456.789-09\"", "{}", "[1]", "null"] {
        let read = stored::<Vec<String>>(damaged, "companies of a webhook", "wh_1");
        let error = read.expect_err(damaged).to_string();
        assert!(
            error.contains("companies of a webhook cannot be read: wh_1"),
            "{error}"
        );
        assert!(!error.contains("123"), "{error}");
    }
}
