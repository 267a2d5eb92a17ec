use authority::tls::profile::{Profile, USUAL};

#[test]
fn only_names_of_ciphers_are_added_and_no_level_falls_below_one() {
    let words = [
        "AES128-SHA",
        "ALL",
        "@SECLEVEL=0",
        "-AES128-SHA",
        "aNULL",
        "A-B:ALL",
    ];
    let profile = Profile::new(0, &words.map(str::to_owned), false);
    assert_eq!(profile.ciphers(), format!("{USUAL}:AES128-SHA"));
    assert_eq!(profile.level(), 1);
    assert_eq!(Profile::default(), Profile::new(2, &[], false));
    assert_ne!(Profile::default(), Profile::new(2, &[], true));
}

#[test]
fn the_registrys_profiles_are_known_to_openssl() {
    let registry = flow::registry::Registry::parse(flow::registry::BUILT_IN).expect("registry");
    let mut seen = 0;
    for known in registry.tls_profiles() {
        for name in &known.ciphers {
            let mut context =
                openssl::ssl::SslContextBuilder::new(openssl::ssl::SslMethod::tls()).unwrap();
            assert!(
                context.set_cipher_list(name).is_ok(),
                "{}: {name}",
                known.host
            );
            let profile = Profile::from(known.clone());
            assert!(
                profile.ciphers().ends_with(name.as_str()),
                "{}: {name}",
                known.host
            );
            seen += 1;
        }
    }
    assert!(seen > 0);
}
