use accounts::scopes::{Access, Scope, Scopes, access};
use base::operations::{self, Operation};

#[test]
fn every_operation_says_what_it_asks_of_a_key() {
    for row in operations::all() {
        let access = access(row);
        assert!(access.is_some(), "{}: no scope", row.operation);
        assert_eq!(
            access == Some(Access::Public),
            row.auth == "none",
            "{}",
            row.operation
        );
        if access == Some(Access::Scope(Scope::Emissao)) {
            assert_ne!(row.method, "GET", "{} only looks", row.operation);
        }
    }
    for scope in Scope::ALL {
        let has_one = |row: &Operation| access(row) == Some(Access::Scope(scope));
        assert!(
            operations::all().iter().any(has_one),
            "{} opens nothing",
            scope.as_str()
        );
    }
}

#[test]
fn what_is_asked_of_a_key() {
    for (operation, scope) in [
        ("nfe.create", "emissao"),
        ("nfse.cancelar", "emissao"),
        ("documentos.delete", "emissao"),
        ("nfse.status", "consulta"),
        ("nfse.roteamento", "consulta"),
        ("documentos.xml", "consulta"),
        ("nfe-entrada.manifestar", "entrada"),
        ("documentos.exportar", "cofre"),
        ("documentos.exportacoes.get", "cofre"),
        ("nfe.parse", "fiscal"),
        ("fiscal.regras", "fiscal"),
        ("pix.brcode", "dados"),
        ("pessoas.create", "emitentes"),
        ("eventos.list", "webhooks"),
        ("creditos.extrato", "creditos"),
        ("chaves.delete", "chaves"),
    ] {
        let row = operations::get(operation).expect(operation);
        assert_eq!(
            access(row).and_then(Access::scope),
            Some(scope),
            "{operation}"
        );
    }
    for operation in ["conta", "usage", "usage.chamadas.get"] {
        let row = operations::get(operation).expect(operation);
        assert_eq!(access(row), Some(Access::AnyKey), "{operation}");
    }
    let new = Operation {
        family: "nobody_knows".to_owned(),
        ..operations::get("conta").expect("a row").clone()
    };
    assert_eq!(access(&new), None);
}

#[test]
fn scopes_are_written_as_they_are_read() {
    let some: Scopes = [Scope::Chaves, Scope::Dados, Scope::Dados]
        .into_iter()
        .collect();
    assert_eq!(some.text(), "dados chaves");
    assert_eq!(Scopes::read(&some.text()), some);
    assert_eq!(Scopes::read("tudo"), Scopes::default());
    assert_eq!(Scopes::all().beyond(some).names().len(), 9);
    assert!(some.beyond(Scopes::all()).is_empty());
}
