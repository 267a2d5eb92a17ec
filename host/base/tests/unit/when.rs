use base::when::{http_date_ms, rfc3339};

#[test]
fn the_date_of_an_answer_is_read() {
    let moment = http_date_ms("Sun, 06 Nov 1994 08:49:37 GMT");
    assert_eq!(moment, Some(784_111_777_000));
    assert!(rfc3339(784_111_777_000).starts_with("1994-11-06T"));
    for wrong in ["", "now", "1994-11-06T08:49:37Z"] {
        assert_eq!(http_date_ms(wrong), None, "{wrong}");
    }
}
