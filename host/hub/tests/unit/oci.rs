use hub::releases::oci::{Challenge, Malformed, Place, challenge};

const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn an_address_names_a_registry_a_repository_and_an_artifact() {
    let place = Place::parse("oci://registry.example.com:5000/adapters/dps:1.0.0").expect("right");
    assert_eq!(
        place.registry.as_str(),
        "https://registry.example.com:5000/"
    );
    assert_eq!(place.host, "registry.example.com:5000");
    assert_eq!(place.repository, "adapters/dps");
    assert_eq!(place.reference(), "1.0.0");
    let manifest = place.api("manifests/1.0.0");
    assert_eq!(manifest.path(), "/v2/adapters/dps/manifests/1.0.0");
    let both = format!("oci://registry.example.com/dps:1.0.0@{DIGEST}");
    assert_eq!(Place::parse(&both).expect("right").reference(), DIGEST);
    // Only this machine itself is asked without TLS.
    for (host, scheme) in [
        ("127.0.0.1:5000", "http"),
        ("localhost:5000", "http"),
        ("[::1]:5000", "http"),
        ("10.0.0.1:5000", "https"),
    ] {
        let place = Place::parse(&format!("oci://{host}/dps:1")).expect(host);
        assert_eq!(place.registry.scheme(), scheme, "{host}");
    }
}

#[test]
fn what_is_no_address_of_an_artifact() {
    let short = format!("oci://a.example/dps@{}", &DIGEST[..60]);
    let capital = format!("oci://a.example/dps@{}", DIGEST.to_uppercase());
    for text in [
        "https://a.example/dps:1",
        "oci://a.example",
        "oci:///dps:1",
        "oci://user:password@a.example/dps:1",
        "oci://a.example/../dps:1",
        "oci://a.example/adapters/..:1",
        "oci://a.example/Adapters/dps:1",
        "oci://a.example/adapters//dps:1",
        "oci://a.example/dps?x=1:1",
        "oci://a.example/dps:1:2",
        "oci://a.example/dps:",
        "oci://a.example/dps:../1",
        "oci://a.example/dps:a/b",
        short.as_str(),
        capital.as_str(),
    ] {
        assert_eq!(Place::parse(text).err(), Some(Malformed::Form), "{text}");
    }
    let unnamed = Place::parse("oci://a.example/adapters/dps").err();
    assert_eq!(unnamed, Some(Malformed::Unnamed));
}

#[test]
fn a_challenge_is_read_however_it_is_written() {
    let token = |service: Option<&str>, scope: Option<&str>| {
        Some(Challenge::Bearer {
            realm: "https://auth.example/token".to_owned(),
            service: service.map(str::to_owned),
            scope: scope.map(str::to_owned),
        })
    };
    let whole = "Bearer realm=\"https://auth.example/token\",service=\"a \\\"b\\\"\",scope=\"repository:dps:pull,push\"";
    let expected = token(Some("a \"b\""), Some("repository:dps:pull,push"));
    assert_eq!(challenge(whole), expected);
    let both = "Basic realm=x, bearer Realm=https://auth.example/token";
    assert_eq!(challenge(both), token(None, None));
    assert_eq!(challenge("BASIC realm=\"x\""), Some(Challenge::Basic));
    for nothing in [
        "",
        "Bearer",
        "Bearer service=a",
        "Digest realm=\"x\"",
        "=\"",
        "a=b, , =",
    ] {
        assert_eq!(challenge(nothing), None, "{nothing}");
    }
}
