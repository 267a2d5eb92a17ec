//! What an adapter says about itself is checked.

use crate::context;
use flow::component::description::{check, goes_on};
use flow::contract::{Ambiente, Context};
use flow::contract::{Description, EndpointSpec, OperationInfo, OptionKind, OptionSpec};

fn good() -> Description {
    Description {
        name: "dps".to_owned(),
        version: "1.0.0".to_owned(),
        schemas: vec!["nfse.dps/1".to_owned()],
        operations: vec![OperationInfo {
            name: "emitir".to_owned(),
            synchronous: true,
            notes: "linha\noutra".to_owned(),
        }],
        options: vec![OptionSpec {
            name: "aliquota".to_owned(),
            kind: OptionKind::Choice,
            choices: vec!["sempre".to_owned(), "nunca".to_owned()],
            default: Some("nunca".to_owned()),
            required: false,
            doc: String::new(),
        }],
        endpoints: vec![EndpointSpec {
            name: "sefin".to_owned(),
            required: true,
            client_certificate: true,
            doc: String::new(),
        }],
        state_version: 1,
        resumes: Vec::new(),
        maintainers: Vec::new(),
    }
}

#[test]
fn a_good_description_passes_and_each_mistake_is_named() {
    assert_eq!(check(&good()), Ok(()));
    type Mistake = fn(&mut Description);
    let mistakes: [(Mistake, &str); 16] = [
        (|d| d.name = "../dps".to_owned(), "name"),
        (|d| d.name = "..".to_owned(), "name"),
        (|d| d.version = String::new(), "version"),
        (|d| d.schemas.clear(), "schemas is empty"),
        (|d| d.operations.clear(), "operations is empty"),
        (
            |d| d.operations = vec![d.operations[0].clone(); 65],
            "65 entries",
        ),
        (
            |d| d.operations = vec![d.operations[0].clone(); 2],
            "emitir is there twice",
        ),
        (
            |d| d.operations[0].name = "emitir\n".to_owned(),
            "operations: a name",
        ),
        (
            |d| d.operations[0].notes = "x".repeat(2_001),
            "2001 characters",
        ),
        (
            |d| d.maintainers.push("\u{1b}[2J".to_owned()),
            "control characters",
        ),
        (
            |d| d.endpoints[0].doc = "a\u{202e}b".to_owned(),
            "change the order",
        ),
        (
            |d| d.options[0].choices = vec!["a".to_owned(); 65],
            "65 choices",
        ),
        (|d| d.options[0].choices.clear(), "without choices"),
        (|d| d.options[0].default = Some("outra".to_owned()), "outra"),
        (
            |d| d.options[0].default = Some("x".repeat(201)),
            "longer than 200",
        ),
        (|d| d.resumes = vec![1; 65], "resumes"),
    ];
    for (mistake, words) in mistakes {
        let mut description = good();
        mistake(&mut description);
        let error = check(&description).expect_err(words);
        assert!(error.contains(words), "{error}");
    }
}

/// What a note was sent with: one option and one endpoint.
fn sent() -> Context {
    Context {
        endpoints: vec!["sefin".to_owned()],
        ..context(Ambiente::Homologacao, &[("aliquota", "nunca")])
    }
}

#[test]
fn a_note_stays_with_its_version_where_the_new_one_lacks_or_needs_something() {
    assert!(goes_on(&good(), &["emitir"], &sent()));
    assert!(!goes_on(&good(), &["emitir", "cancelar"], &sent()));
    type Change = fn(&mut Description);
    let changes: [(Change, bool); 7] = [
        (|d| d.options[0].required = true, true),
        (|d| d.options.push(another(false, None)), true),
        (|d| d.options.push(another(true, Some("nunca"))), true),
        (|d| d.options.push(another(true, None)), false),
        // The value that the note was sent with means nothing to it.
        (|d| d.options[0] = another(false, None), false),
        (|d| d.options[0].choices = vec!["sempre".to_owned()], false),
        (|d| d.endpoints[0].name = "adn".to_owned(), false),
    ];
    for (number, (change, goes)) in changes.into_iter().enumerate() {
        let mut description = good();
        change(&mut description);
        assert_eq!(
            goes_on(&description, &["emitir"], &sent()),
            goes,
            "{number}"
        );
    }
}

/// An option that the note was not sent with.
fn another(required: bool, default: Option<&str>) -> OptionSpec {
    OptionSpec {
        name: "lote".to_owned(),
        default: default.map(str::to_owned),
        required,
        ..good().options.remove(0)
    }
}
