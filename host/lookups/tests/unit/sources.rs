use base::config::{AuthoritiesMode, Config};
use lookups::Kind;
use lookups::sources::Sources;

/// The defaults of a hub of the operator.
fn config() -> Config {
    let mut config = Config::load(None, |_| None, &[]).expect("defaults");
    config.authorities.mode = AuthoritiesMode::Official;
    config
}

fn names(config: &Config, kind: Kind) -> Vec<String> {
    let sources = Sources::read(config).expect("sources");
    let found = sources.of(kind, config).into_iter();
    found.map(|source| source.name).collect()
}

fn refused(config: &Config) -> String {
    let error = Sources::read(config).expect_err("a mistake");
    format!("{error:#}")
}

#[test]
fn the_lists_name_who_is_asked_in_order() {
    let mut config = config();
    assert!(names(&config, Kind::Cep).is_empty());
    config.lookups.cep = vec!["viacep".to_owned(), "brasilapi".to_owned()];
    assert_eq!(names(&config, Kind::Streets), ["viacep", "brasilapi"]);
    assert!(names(&config, Kind::Company).is_empty());
    config.authorities.mode = AuthoritiesMode::Simulator;
    assert_eq!(names(&config, Kind::Company), ["simulado"]);
    config.lookups.route = vec!["x".to_owned()];
    assert!(refused(&config).contains("nobody knows the source \"x\""));
}

#[test]
fn the_operator_adds_sources() {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("sources.toml");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    let mut config = config();
    config.lookups.sources_file = file;
    config.lookups.vehicle = vec!["placas".to_owned()];
    assert!(refused(&config).contains("sources.toml"));
    for (text, said) in [
        (
            "[placas]\nbase_url = \"http://a\"\nmap = \"hub\"",
            "https://",
        ),
        (
            "[placas]\nbase_url = \"https://a\"",
            "one of map and map_file",
        ),
        (
            "[placas]\nbase_url = \"https://a\"\nmap = \"y\"",
            "map is one of",
        ),
        (
            "[placas]\nbase_url = \"https://a\"\nmap_file = \"none.json\"",
            "[placas]",
        ),
        (
            "[placas]\nbase_url = \"https://a\"\nmap_file = \"bad.json\"",
            "[placas]",
        ),
        (
            "[placas]\nbase_url = \"https://a\"\nmap = \"hub\"\ntoken_file = \"none\"",
            "[placas]",
        ),
        ("[placas]\nbase = 1", "base"),
    ] {
        write("sources.toml", text);
        write("bad.json", "{");
        assert!(refused(&config).contains(said), "{text}");
    }
    write("map.json", r#"{"queries":{}}"#);
    write("token", " segredo \n");
    write(
        "sources.toml",
        "[placas]\nbase_url = \"https://a\"\nmap_file = \"map.json\"\ntoken_file = \"token\"\n",
    );
    assert_eq!(names(&config, Kind::Vehicle), ["placas"]);
}
