use super::*;
use sdk::{Ambiente, Emitente};

const MESSAGE: &str = "<E xmlns=\"urn:e\"><A Id=\"1\"><B>x &amp; y</B><C></C><D>z</D></A></E>";

const CONTENT: &str = r#"{"a":{"b":"1 < 2","blank":" "},"n":7}"#;

fn context() -> Context {
    Context {
        flow: "flw_1".into(),
        step: 0,
        now: "2026-10-05T10:15:00-03:00".into(),
        entropy: vec![0; 32],
        ambiente: Ambiente::Homologacao,
        municipio: None,
        uf: None,
        emitente: Emitente {
            documento: "90011001000124".into(),
            inscricao_municipal: None,
            inscricao_estadual: None,
            razao_social: "EMPRESA DE TESTE LTDA".into(),
            extras: Vec::new(),
        },
        endpoints: Vec::new(),
        options: Vec::new(),
        secrets: Vec::new(),
    }
}

fn applied(omitted: &str, renamed: &str, ordered: &str, added: &str) -> String {
    let texts = Texts {
        omitted,
        renamed,
        ordered,
        added,
        ..Texts::default()
    };
    Dialect::read(texts)
        .expect("dialect")
        .of_call(&context(), CONTENT)
        .expect("filled")
        .apply(MESSAGE.to_owned())
        .expect("written")
}

#[test]
fn without_changes_the_message_stays_as_it_is() {
    assert_eq!(applied("", "", "", ""), MESSAGE);
}

#[test]
fn elements_are_left_out_renamed_and_ordered() {
    assert_eq!(
        applied("A/C", "A/B=Beta", "A=D B", ""),
        "<E xmlns=\"urn:e\"><A Id=\"1\"><D>z</D><Beta>x &amp; y</Beta></A></E>"
    );
}

#[test]
fn what_the_order_does_not_name_follows() {
    assert_eq!(
        applied("", "", "A=D", ""),
        "<E xmlns=\"urn:e\"><A Id=\"1\"><D>z</D><B>x &amp; y</B><C></C></A></E>"
    );
}

#[test]
fn elements_are_added_with_fields_of_the_content() {
    assert_eq!(
        applied(
            "A/B,A/C",
            "",
            "A=F D",
            "A/F={a.b}-{n}; A/G=k; A/H={a.blank}; A/D=no"
        ),
        "<E xmlns=\"urn:e\"><A Id=\"1\"><F>1 &lt; 2-7</F><D>z</D><G>k</G></A></E>"
    );
}

#[test]
fn an_added_element_may_be_markup_with_codes_of_words() {
    let login = "A/L=<L><D>{emitente.documento}</D><T>{homologacao}</T></L>; A/M={k:x=1,y=2}";
    assert_eq!(
        applied("A", "", "", "E/Z={a.b:1 < 2=9}"),
        "<E xmlns=\"urn:e\"><Z>9</Z></E>"
    );
    assert_eq!(
        applied("A/B,A/C,A/D", "", "", login),
        "<E xmlns=\"urn:e\"><A Id=\"1\"><L><D>90011001000124</D><T>true</T></L></A></E>"
    );
}

#[test]
fn a_missing_secret_is_a_missing_credential() {
    let added = "A/S={segredo.senha}";
    let dialect = Dialect::read(Texts {
        added,
        ..Texts::default()
    })
    .expect("dialect");
    assert!(dialect.of_call(&context(), CONTENT).is_err());
}

/// The fields a message with this addition lacks.
fn lacking(added: &str) -> Vec<(String, String)> {
    let texts = Texts {
        added,
        ..Texts::default()
    };
    let dialect = Dialect::read(texts).expect("dialect");
    let dialect = dialect.of_call(&context(), CONTENT).expect("filled");
    match dialect.apply(MESSAGE.to_owned()) {
        Err(Failure {
            reason: sdk::FailureReason::InvalidInput(fields),
            ..
        }) => fields.into_iter().map(|f| (f.campo, f.regra)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_demanded_field_that_is_missing_is_named() {
    assert_eq!(
        lacking("A/F={!a.x}; A/G=<G>{!n:1=2}</G>; Other/H={!z}; A/I={!=B:y=1}"),
        [
            ("a.x".to_owned(), "obrigatorio".to_owned()),
            ("n".to_owned(), "sem_equivalente".to_owned()),
            ("B".to_owned(), "sem_equivalente".to_owned())
        ]
    );
    assert_eq!(
        applied("A/B,A/C,A/D", "", "", "A/F={!n:7=2}; Other/H={!z}"),
        "<E xmlns=\"urn:e\"><A Id=\"1\"><F>2</F></A></E>"
    );
}

#[test]
fn what_the_system_cannot_take_is_refused() {
    let refusing = |refused| {
        let texts = Texts {
            refused,
            omitted: "A/D",
            ..Texts::default()
        };
        let dialect = Dialect::read(texts).expect("dialect");
        dialect.apply(MESSAGE.to_owned())
    };
    assert!(refusing("A/D=z, A/C, E/X").is_ok());
    for refused in ["A/D=y", "A/D", "A", "B"] {
        assert!(refusing(refused).is_err(), "{refused}");
    }
}

#[test]
fn an_added_element_may_take_an_attribute_of_the_note() {
    let texts = Texts {
        added: "A/F={@Inf/Id}",
        omitted: "A/B,A/C,A/D",
        ..Texts::default()
    };
    let dialect = Dialect::read(texts).expect("dialect");
    assert!(dialect.wants_nota());
    // Without a note the element is left out.
    let bare = dialect.apply(MESSAGE.to_owned()).expect("written");
    assert_eq!(bare, "<E xmlns=\"urn:e\"><A Id=\"1\"></A></E>");
    assert!(dialect.clone().of_nota(b"<N><Inf/></N>").is_err());
    let filled = dialect.of_nota(b"<N><Inf Id=\"x-1\"/></N>").expect("note");
    assert_eq!(
        filled.apply(MESSAGE.to_owned()).expect("written"),
        "<E xmlns=\"urn:e\"><A Id=\"1\"><F>x-1</F></A></E>"
    );
}

#[test]
fn an_added_element_may_take_a_text_of_the_message() {
    assert_eq!(
        applied("A/B,A/C,A/D", "", "", "A/F=<F><G>{=B}</G></F>; A/H={=Z}"),
        "<E xmlns=\"urn:e\"><A Id=\"1\"><F><G>x &amp; y</G></F></A></E>"
    );
}

#[test]
fn the_content_of_an_element_may_stand_in_one_more() {
    let texts = Texts {
        wrapped: "E=P",
        omitted: "A",
        ..Texts::default()
    };
    let dialect = Dialect::read(texts).expect("dialect");
    assert_eq!(
        dialect.apply(MESSAGE.to_owned()).expect("written"),
        "<E xmlns=\"urn:e\"><P></P></E>"
    );
}

#[test]
fn another_form_is_no_dialect() {
    let none = Texts::default();
    for texts in [
        Texts {
            omitted: "A//B",
            ..none
        },
        Texts {
            renamed: "A",
            ..none
        },
        Texts {
            ordered: "A",
            ..none
        },
        Texts {
            added: "A=x",
            ..none
        },
        Texts {
            wrapped: "A",
            ..none
        },
    ] {
        assert_eq!(Dialect::read(texts), None);
    }
}

#[test]
fn braces_of_the_content_are_no_fields() {
    let dialect = Dialect::read(Texts {
        added: "A/F={a.b}",
        omitted: "A/B,A/C,A/D",
        ..Texts::default()
    });
    let content = r#"{"a":{"b":"{=D} {@A/Id}"}}"#;
    let dialect = dialect
        .expect("dialect")
        .of_call(&context(), content)
        .expect("filled");
    assert!(!dialect.wants_nota());
    assert_eq!(
        dialect.apply(MESSAGE.to_owned()).expect("written"),
        "<E xmlns=\"urn:e\"><A Id=\"1\"><F>&#123;=D} &#123;@A/Id}</F></A></E>"
    );
}
