use compose::qrcode::Supplement;
use issuing::document::text::{Stretch, splice, with_supplement};

#[test]
fn values_take_the_next_place_of_their_name() {
    let stretch = |open, value| Stretch {
        open,
        close: "<",
        value,
    };
    let xml = "<a>1</a><b>22</b><a>3</a>";
    let spliced = splice(xml, &[stretch("<b>", "x"), stretch("<a>", "long")]);
    assert_eq!(spliced.as_deref(), Some("<a>1</a><b>x</b><a>long</a>"));
    assert_eq!(
        splice(xml, &[stretch("<b>", "x"), stretch("<b>", "y")]),
        None
    );
}

#[test]
fn the_group_is_written_once_and_escaped() {
    let of = |qr: &str| Supplement {
        qr_code: qr.to_owned(),
        url_chave: "u".to_owned(),
    };
    let once = with_supplement("<NFe><infNFe/></NFe>", &of("?p=1&q"));
    let once = once.expect("an end");
    assert_eq!(
        once,
        "<NFe><infNFe/><infNFeSupl><qrCode>?p=1&amp;q</qrCode><urlChave>u</urlChave></infNFeSupl></NFe>"
    );
    assert_eq!(with_supplement(&once, &of("?p=1&q")), Some(once));
    assert_eq!(with_supplement("<NFe>", &of("")), None);
}
