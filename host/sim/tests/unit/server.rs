//! What is read of `openssl s_server`: the request and the certificate.

use sim::renegotiation::{complete, shown};

#[test]
fn a_request_is_complete_with_its_body() {
    let head = b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n";
    assert!(complete(head).is_none());
    let request = complete(&[head.as_slice(), b"abc"].concat()).expect("request");
    assert_eq!(
        (request.host.as_str(), request.body.as_slice()),
        ("x", b"abc".as_slice())
    );
}

#[test]
fn the_record_shows_the_certificate() {
    let record = ">>> TLS 1.2, Handshake [length 4], X\n    00\n<<< TLS 1.2, Handshake [length 0c], Certificate\n    0b 00 00 08 00 00 05 00 00 02 30\n    31\n<<< next\n";
    assert_eq!(shown(record), Some(vec![0x30, 0x31]));
    let empty = "<<< TLS 1.2, Handshake [length 07], Certificate\n    0b 00 00 03 00 00 00\n";
    assert_eq!(shown(empty), None);
}
