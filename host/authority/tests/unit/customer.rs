//! What fills a placeholder of the signed document.

use authority::customer::{DOCUMENTO, DOCUMENTO_GZIP, IssuingCustomer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flow::Customer as _;
use std::io::Read as _;
use std::sync::Arc;

#[test]
fn the_signed_document_is_there_as_it_is_and_compressed() {
    let xml = "<CTe><infCte Id=\"CTe1\">ção</infCte></CTe>";
    let without = IssuingCustomer::empty();
    for name in [DOCUMENTO, DOCUMENTO_GZIP] {
        assert!(!without.has_secret(name));
        assert_eq!(without.secret(name), None);
    }
    let customer = IssuingCustomer::empty().with_document(Arc::from(xml.as_bytes()));
    for name in [DOCUMENTO, DOCUMENTO_GZIP] {
        assert!(customer.has_secret(name));
    }
    assert_eq!(customer.secret(DOCUMENTO).as_deref(), Some(xml));
    let packed = customer.secret(DOCUMENTO_GZIP).expect("a document");
    let bytes = STANDARD.decode(&packed).expect("base64");
    let mut plain = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice())
        .read_to_string(&mut plain)
        .expect("gzip");
    assert_eq!(plain, xml);
    // What is sent again is the same bytes.
    assert_eq!(customer.secret(DOCUMENTO_GZIP), Some(packed));
}
