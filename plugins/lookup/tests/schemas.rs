//! What the adapter reads and answers is what `wit/schemas` publishes.

use sdk::{Context, FailureReason, Operacao, Step, cassette};

#[test]
fn contents_are_published() {
    cassette::published(
        env!("CARGO_MANIFEST_DIR"),
        adapter_lookup::adapter(),
        "consulta.",
    );
}

/// The question of a case.
fn question(name: &str) -> (Operacao, Context) {
    let cases = cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases");
    let case = cases.iter().find(|case| case.ends_with(name));
    cassette::input(case.expect("the case")).expect("input")
}

/// How a question is refused before anyone is asked.
fn refused(operation: Operacao, context: Context) -> FailureReason {
    match (adapter_lookup::adapter().start)(operation, context) {
        Step::Done(Err(failure)) => failure.reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nobody_is_asked_without_a_token_or_a_map() {
    // This case has no token.
    let (operation, mut context) = question("viacep-achado");
    let mine = &mut context.options[0];
    "fonte".clone_into(&mut mine.name);
    "hub".clone_into(&mut mine.value);
    let reason = refused(operation, context);
    assert!(
        matches!(reason, FailureReason::Credentials(_)),
        "{reason:?}"
    );
    let (operation, context) = question("hub-placa");
    for (name, value) in [
        ("fonte", "ninguem"),
        ("mapa", "{"),
        ("mapa", r#"{"queries":{"consulta.placa":{"paths":"/"}}}"#),
    ] {
        let mut options = context.options.clone();
        options.truncate(1);
        name.clone_into(&mut options[0].name);
        value.clone_into(&mut options[0].value);
        let changed = Context {
            options,
            ..context.clone()
        };
        let reason = refused(operation.clone(), changed);
        assert!(
            matches!(reason, FailureReason::Other(_)),
            "{value}: {reason:?}"
        );
    }
    // A source that is not asked this.
    let (mut operation, context) = question("viacep-achado");
    operation.nome = "consulta.placa".to_owned();
    operation.conteudo.schema = "consulta.placa/1".to_owned();
    let reason = refused(operation, context);
    assert!(
        matches!(reason, FailureReason::NotSupported(_)),
        "{reason:?}"
    );
}

#[test]
fn values_are_encoded_in_addresses() {
    let (mut operation, context) = question("nominatim-coordenadas");
    operation.conteudo.json = r#"{"endereco":"a/b?c=d&e#f%2e ção"}"#.to_owned();
    let Step::Send(sent) = (adapter_lookup::adapter().start)(operation, context) else {
        panic!("it was not asked");
    };
    let target = format!("{:?}", sent.request.target);
    assert!(
        target.contains("q=a%2Fb%3Fc%3Dd%26e%23f%252e%20%C3%A7%C3%A3o&format"),
        "{target}"
    );
}
