use base::config::{Config, Webhooks};
use events::attempt::guard::{Guard, Reach, Refused};

fn verdict(url: &str) -> Option<Refused> {
    Guard::default().read(url).err()
}

#[test]
fn every_form_of_a_private_address_is_refused() {
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "0x7f000001",
        "127.0.0.1.",
        "0.0.0.0",
        "0",
        "10.1.2.3",
        "100.64.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "１２７.0.0.1",
        "[::]",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:10.0.0.1]",
        "[0:0:0:0:0:ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::1]",
        "[100::1]",
        "[2001::1]",
        "[2001:db8::1]",
        "[2002:7f00:1::]",
        "[3fff::1]",
        "[5f00::1]",
        "[fc00::1]",
        "[fd12:3456::1]",
        "[fe80::1]",
        "[fec0::1]",
        "[ff02::1]",
    ] {
        assert_eq!(
            verdict(&format!("https://{host}/x")),
            Some(Refused::Private),
            "{host}"
        );
    }
}

#[test]
fn public_addresses_and_names_may_be_registered() {
    for host in [
        "8.8.8.8",
        "1.1.1.1",
        "172.32.0.1",
        "[2606:4700::1111]",
        "exemplo.com.br",
        "exemplo.com.br:8443",
    ] {
        assert_eq!(verdict(&format!("https://{host}/x?y=1")), None, "{host}");
    }
}

#[test]
fn other_schemes_ports_and_forms_are_refused() {
    for (url, why) in [
        ("http://exemplo.com.br", Refused::Scheme),
        ("ftp://exemplo.com.br", Refused::Scheme),
        ("file:///etc/passwd", Refused::Scheme),
        ("https://a:b@exemplo.com.br", Refused::Credentials),
        ("https://exemplo.com.br@127.0.0.1/", Refused::Credentials),
        ("https://exemplo.com.br:22", Refused::Port),
        ("https://exemplo.com.br:6379", Refused::Port),
        ("https://", Refused::Malformed),
        ("//exemplo.com.br", Refused::Malformed),
        ("https://[fe80::1%25eth0]/", Refused::Malformed),
    ] {
        assert_eq!(verdict(url), Some(why), "{url}");
    }
}

#[test]
fn what_the_operator_opens_is_open_and_nothing_else() {
    let config = Config::load(None, |_| None, &[]).expect("defaults");
    let guard = Guard::new(&Webhooks {
        allow_http: true,
        allow_nets: vec!["10.20.0.0/16".to_owned(), "::1".to_owned()],
        ..config.webhooks
    });
    for url in [
        "http://10.20.3.4:9000/x",
        "https://[::1]:9000/",
        "http://[::ffff:10.20.0.1]/",
    ] {
        assert!(guard.read(url).is_ok(), "{url}");
    }
    for url in ["http://10.21.0.1/", "http://127.0.0.1/", "http://[::2]/"] {
        assert_eq!(guard.read(url).err(), Some(Refused::Private), "{url}");
    }
    // Its ports are open there, not everywhere.
    let elsewhere = guard.read("https://8.8.8.8:22/").err();
    assert_eq!(elsewhere, Some(Refused::Port));
    let named = guard
        .read("https://exemplo.com.br:22/")
        .expect("may be inside");
    assert_eq!(guard.reach(&named), Reach::Opened);
    let address = "8.8.8.8".parse().expect("an address");
    assert!(guard.allows(address, Reach::All) && !guard.allows(address, Reach::Opened));
}
