//! Which operation an address that does not exist stands for.

use api::astray::hint;

#[test]
fn near_addresses_are_told() {
    for (method, path, told) in [
        ("POST", "/api/v1/nfe/", "Você quis dizer POST /api/v1/nfe?"),
        ("POST", "/v1/nfe", "Você quis dizer POST /api/v1/nfe?"),
        ("POST", "/nfse", "Você quis dizer POST /api/v1/nfse?"),
        ("POST", "/api/v1/NFe", "Você quis dizer POST /api/v1/nfe?"),
        (
            "GET",
            "/api/v1/webhoks",
            "Você quis dizer GET /api/v1/webhooks?",
        ),
        (
            "GET",
            "/api/v1/emitentes/emi_1",
            "Você quis dizer GET /api/v1/emitters/{id}?",
        ),
        (
            "GET",
            "/api/v1/cep/30140071",
            "Você quis dizer GET /api/v1/geo/cep/{cep}?",
        ),
        (
            "DELETE",
            "/api/v1/nfe/cancelar",
            "/api/v1/nfe/cancelar aceita POST.",
        ),
        ("PUT", "/api/v1/emitters", "/api/v1/emitters aceita "),
    ] {
        let hint = hint(method, path).unwrap_or_default();
        assert!(hint.starts_with(told), "{method} {path}: {hint}");
    }
}

#[test]
fn what_is_near_to_nothing_stays_without_a_hint() {
    for path in [
        "/",
        "/api/v1",
        "/api/v1/xyz",
        "/wp-login.php",
        "/api/v1/nfe/a/b/c/d",
    ] {
        assert_eq!(hint("GET", path), None, "{path}");
    }
    assert_eq!(hint("GET", &"/nfe".repeat(100)), None);
}
