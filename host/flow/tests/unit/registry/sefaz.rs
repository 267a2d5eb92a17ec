//! State authorities: answers, mistakes, and the facts behind the shipped file.

use std::collections::{BTreeMap, BTreeSet};

use flow::contract::Ambiente;
use flow::registry::{Model, OptionValue, Registry, Root, TlsEvidence};
use time::UtcOffset;
use time::macros::date;

use super::facts::rows;
use super::mistakes::refused;
use super::{SMALL, shipped, small_with};

fn small() -> Registry {
    Registry::parse(SMALL).expect("right")
}

/// Rejections 204 and 539 (MOC) are of every authorizer: without the option a
/// note whose answer was lost waits for pauses it does not need.
#[test]
fn every_authorizer_is_known_to_refuse_a_second_copy() {
    let registry = shipped();
    let mut ways = 0;
    for uf in registry.ufs() {
        for model in Model::ALL {
            for rota in [
                registry.autorizador(&uf.abbreviation, model),
                registry.contingency(&uf.abbreviation, model),
            ]
            .into_iter()
            .flatten()
            {
                let option = rota.options.get("recusa_duplicata");
                assert_eq!(option, Some(&OptionValue::Flag(true)), "{rota:?}");
                ways += 1;
            }
        }
    }
    // Four models, and contingency for two of them.
    assert_eq!(ways, 27 * 6);
}

#[test]
fn the_ordinary_authorizer_of_a_state() {
    let registry = small();
    let rota = registry.autorizador("AC", Model::Nfe).expect("a way");
    assert_eq!(
        (rota.autorizador.as_str(), rota.tp_emis, rota.agency),
        ("SVX", 1, None)
    );
    assert_eq!(rota.adapter, "sefaz");
    let production = rota.endpoints(Ambiente::Producao);
    assert_eq!(
        production["autorizacao"],
        "https://nfe.svx.example/ws/a/Aut4.asmx"
    );
    assert_eq!(production["cadastro"], "https://cad.svx.example/cad.asmx");
    assert_eq!(production["evento_an"], "https://an.example/evento");
    assert_eq!(production["distribuicao"], "https://an.example/dist");
    let homologacao = rota.endpoints(Ambiente::Homologacao);
    assert_eq!(
        homologacao["consulta"],
        "https://hom.svx.example/ws/Cons4.asmx"
    );
    assert!(!homologacao.contains_key("cadastro") && !homologacao.contains_key("evento_an"));
    assert_eq!(rota.options["metodo"], OptionValue::Text("dois".to_owned()));
    assert!(!rota.options.contains_key("soap"));
    let hosts: Vec<&str> = rota.hosts.iter().map(String::as_str).collect();
    assert_eq!(
        hosts,
        [
            "an.example",
            "cad.svx.example",
            "hom-an.example",
            "hom.svx.example",
            "nfe.svx.example"
        ]
    );
    assert_eq!(rota.evidence.verified, date!(2026 - 06 - 23));
    let uf = rota.uf.expect("a state");
    assert_eq!((uf.abbreviation.as_str(), uf.ibge), ("AC", 12));
    assert_eq!(Ok(uf.zone), UtcOffset::from_hms(-5, 0, 0));
}

#[test]
fn a_model_has_its_own_services_and_options() {
    let rota = small().autorizador("AL", Model::Nfce).expect("a way");
    let names: Vec<&str> = rota.production.keys().map(String::as_str).collect();
    assert_eq!(names, ["autorizacao", "consulta", "evento_an"]);
    assert_eq!(rota.options["soap"], OptionValue::Text("1.1".to_owned()));
    assert_eq!(rota.options["metodo"], OptionValue::Text("dois".to_owned()));
    assert!(rota.homologacao.is_empty());
}

#[test]
fn freight_has_its_own_services_and_nothing_of_the_national_environment() {
    let registry = small();
    let names = |model| -> Vec<String> {
        let rota = registry.autorizador("AC", model).expect("a way");
        assert_eq!((rota.tp_emis, rota.agency), (1, None));
        rota.production.keys().cloned().collect()
    };
    assert_eq!(names(Model::Cte), ["autorizacao", "consulta"]);
    assert_eq!(
        names(Model::Mdfe),
        ["autorizacao", "consulta", "nao_encerrados"]
    );
    let rota = registry.autorizador("AC", Model::Mdfe).expect("a way");
    let hosts: Vec<&str> = rota.hosts.iter().map(String::as_str).collect();
    assert_eq!(hosts, ["mdfe.svx.example"]);
}

#[test]
fn the_register_belongs_to_some_states_only() {
    let registry = small();
    let rota = registry.autorizador("AL", Model::Nfe).expect("a way");
    assert!(!rota.production.contains_key("cadastro"));
    assert!(registry.registration("AL").is_none());
    let registration = registry.registration("AC").expect("a register");
    assert_eq!(
        registration.production["cadastro"],
        "https://cad.svx.example/cad.asmx"
    );
}

#[test]
fn contingency_and_the_national_environment() {
    let registry = small();
    let svc = registry.contingency("AL", Model::Nfe).expect("a way");
    assert_eq!((svc.autorizador.as_str(), svc.tp_emis), ("SVC-AN", 6));
    assert_eq!(
        svc.production["autorizacao"],
        "https://svc.example/ws/aut.asmx"
    );
    let svc = registry.contingency("AL", Model::Cte).expect("a way");
    assert_eq!((svc.autorizador.as_str(), svc.tp_emis), ("SVC-SP", 8));
    for offline in [Model::Nfce, Model::Mdfe] {
        assert!(registry.contingency("AL", offline).is_none());
    }
    let an = registry.ambiente_nacional().expect("a way");
    assert_eq!((an.autorizador.as_str(), an.agency), ("AN", Some(91)));
    assert!(an.uf.is_none() && !an.production.contains_key("autorizacao"));
    for uf in ["", "XX", "al", "SP"] {
        assert!(registry.autorizador(uf, Model::Nfe).is_none(), "{uf}");
    }
}

#[test]
fn profiles_of_hosts() {
    let registry = small();
    let registrations = registry.tls("CAD.svx.example").expect("a profile");
    assert!(registrations.renegotiation);
    assert_eq!(
        (registrations.security_level, registrations.root),
        (1, Root::Public)
    );
    assert_eq!(registrations.ciphers, ["DHE-RSA-AES128-GCM-SHA256"]);
    assert_eq!(registrations.evidence, TlsEvidence::Likely);
    assert_eq!(registrations.verified, date!(2026 - 09 - 28));
    let nfe = registry.tls("nfe.svx.example").expect("a profile");
    assert!(!nfe.renegotiation && nfe.ciphers.is_empty());
    assert_eq!((nfe.security_level, nfe.root), (2, Root::IcpBrasil));
    assert!(registry.tls("nfe.outra.example").is_none());
}

#[test]
fn models_have_codes() {
    assert_eq!(Model::from_codigo("65"), Some(Model::Nfce));
    assert_eq!(Model::from_codigo("57"), Some(Model::Cte));
    assert_eq!(Model::from_codigo("58"), Some(Model::Mdfe));
    assert_eq!(Model::from_codigo("67"), None);
}

#[test]
fn a_wrong_entry_names_its_line() {
    let cases: [(&str, &str, &str, &[&str]); 25] = [
        ("orgao = 91", "orgao = 9", "orgao = 9", &["90 to 99"]),
        ("tp_emis = 6", "tp_emis = 9", "tp_emis = 9", &["6 to 8"]),
        (
            "nome = \"SEFAZ Virtual\"",
            "titulo = \"SEFAZ Virtual\"\nnome = \"x\"",
            "titulo",
            &["\"titulo\"", "tp_emis"],
        ),
        (
            "metodo = \"dois\"",
            "metodo = \"tres\"",
            "options = { metodo = \"tres\"",
            &["um, dois"],
        ),
        (
            "options = { soap = \"1.1\" }",
            "options = { sabao = \"1.1\" }",
            "options = { sabao",
            &["\"sabao\"", "soap"],
        ),
        (
            "\"https://hom.svx.example/ws\"",
            "\"http://hom.svx.example/ws\"",
            "homologacao = \"http:",
            &["https://"],
        ),
        (
            "\"https://nfce.svx.example/ws\"",
            "\"https://nfce.svx.example/ws/\"",
            "producao = \"https://nfce",
            &["does not end in /"],
        ),
        (
            "consulta = \"Cons4.asmx\"",
            "consultas = \"Cons4.asmx\"",
            "servicos = { autorizacao = \"a/",
            &["\"consultas\"", "inutilizacao"],
        ),
        (
            "\"a/Aut4.asmx\"",
            "\"/a/Aut4.asmx\"",
            "servicos = { autorizacao = \"/a",
            &["a path"],
        ),
        (
            "\"a/Aut4.asmx\"",
            "\"../Aut4.asmx\"",
            "servicos = { autorizacao = \"../",
            &["a path"],
        ),
        (
            "\"a/Aut4.asmx\"",
            "3",
            "servicos = { autorizacao = 3",
            &["text between quotes"],
        ),
        (
            "cadastro = { producao =",
            "cadastro = { teste =",
            "servicos = { autorizacao = \"a/",
            &["\"teste\"", "producao, homologacao"],
        ),
        (
            "producao = \"https://svc.example/ws\"\n",
            "",
            "servicos = { autorizacao = \"aut.asmx\"",
            &["no base"],
        ),
        ("AL = { ibge = 27", "AL = { ibge = 12", "AL = {", &["27"]),
        ("AL = { ibge", "ZZ = { ibge", "ZZ = {", &["\"ZZ\"", "SP"]),
        (
            "AL = { ibge = 27, nfe = \"SVX\"",
            "AL = { ibge = 27, nfe = \"SVY\"",
            "AL = {",
            &["\"SVY\"", "SVC-AN, SVC-SP, SVX"],
        ),
        (
            "AL = { ibge = 27, nfe = \"SVX\"",
            "AL = { ibge = 27, nfe = \"SVC-AN\"",
            "AL = {",
            &["contingency only"],
        ),
        (
            "AL = { ibge = 27, nfe = \"SVX\"",
            "AL = { ibge = 27, nfe = \"AN\"",
            "AL = {",
            &["lacks autorizacao, consulta"],
        ),
        (
            "AL = { ibge = 27, nfe = \"SVX\", nfce = \"SVX\", cte = \"SVX\"",
            "AL = { ibge = 27, nfe = \"SVX\", nfce = \"SVX\", cte = \"SVC-SP\"",
            "AL = {",
            &["cte is SVC-SP", "contingency only"],
        ),
        (
            "contingencia_cte = \"SVC-SP\", mdfe = \"SVX\", contingencia",
            "contingencia_cte = \"SVC-AN\", mdfe = \"SVX\", contingencia",
            "AL = {",
            &["contingencia_cte is SVC-AN", "lacks autorizacao, consulta"],
        ),
        (
            "mdfe = \"SVX\", contingencia",
            "contingencia",
            "AL = {",
            &["lacks \"mdfe\""],
        ),
        (
            "fuso = \"-03:00\"",
            "fuso = \"03:00\"",
            "AL = {",
            &["-05:00"],
        ),
        ("fuso = \"-03:00\", ", "", "AL = {", &["lacks \"fuso\""]),
        (
            "raiz = \"icp_brasil\"",
            "raiz = \"brasil\"",
            "\"nfe.svx.example\" =",
            &["icp_brasil, publica"],
        ),
        (
            "[\"DHE-RSA-AES128-GCM-SHA256\"]",
            "[\"ALL:!x\"]",
            "\"cad.svx.example\" =",
            &["OpenSSL"],
        ),
    ];
    for (old, new, needle, words) in cases {
        refused(&small_with(old, new), needle, words);
    }
    let text = small_with(
        "contingencia = \"SVC-AN\", fuso = \"-03:00\"",
        "contingencia = \"SVX\", fuso = \"-03:00\"",
    );
    refused(&text, "AL = {", &["no tp_emis"]);
    let text = small_with("\"nfe.svx.example\" =", "\"NFE.svx.example:443\" =");
    refused(&text, "\"NFE", &["lower case"]);
    let text = small_with(
        "contingencia = \"SVC-AN\", fuso = \"-03:00\"",
        "contingencia = \"SVC-AN\", cadastro = \"SVC-AN\", fuso = \"-03:00\"",
    );
    refused(&text, "AL = {", &["lacks cadastro"]);
}

#[test]
fn a_wrong_authorizer_is_not_held_against_its_states() {
    let text = small_with("nome = \"SEFAZ Virtual\"\n", "");
    refused(
        &text,
        "[autorizadores.SVX]",
        &["authorizer \"SVX\"", "\"nome\""],
    );
}

/// Services every state has for a model.
fn services(model: Model) -> &'static [&'static str] {
    match model {
        Model::Nfe | Model::Nfce => &[
            "autorizacao",
            "consulta",
            "evento",
            "inutilizacao",
            "retorno",
            "status",
            "evento_an",
        ],
        Model::Cte => &["autorizacao", "consulta", "evento", "status"],
        Model::Mdfe => &[
            "autorizacao",
            "consulta",
            "evento",
            "status",
            "nao_encerrados",
        ],
    }
}

#[test]
fn every_state_issues_all_models() {
    let registry = shipped();
    assert_eq!(registry.ufs().count(), 27);
    for uf in registry.ufs() {
        for model in Model::ALL {
            let rota = registry
                .autorizador(&uf.abbreviation, model)
                .expect("a way");
            for ambiente in [Ambiente::Producao, Ambiente::Homologacao] {
                for service in services(model) {
                    assert!(
                        rota.endpoints(ambiente).contains_key(*service),
                        "{} {model:?} {service}",
                        uf.abbreviation
                    );
                }
            }
        }
        let svc = registry
            .contingency(&uf.abbreviation, Model::Nfe)
            .expect("a way");
        assert!(matches!(svc.tp_emis, 6 | 7));
        assert_ne!(svc.autorizador, uf.nfe.id);
        let svc = registry
            .contingency(&uf.abbreviation, Model::Cte)
            .expect("a way");
        assert!(matches!(svc.tp_emis, 7 | 8));
        let ordinary = registry
            .autorizador(&uf.abbreviation, Model::Cte)
            .expect("a way");
        assert_ne!(svc.production, ordinary.production, "{}", uf.abbreviation);
    }
    assert_eq!(
        registry
            .ufs()
            .filter(|uf| uf.registration.is_some())
            .count(),
        14
    );
}

/// Keys of the sources' table and the endpoints they are.
const SERVICES: [(&str, &str); 18] = [
    ("CteConsultaProtocolo", "consulta"),
    ("CteRecepcao", "autorizacao"),
    ("CteRecepcaoEvento", "evento"),
    ("CteStatusServico", "status"),
    ("MDFeConsNaoEnc", "nao_encerrados"),
    ("MDFeConsulta", "consulta"),
    ("MDFeRecepcaoEvento", "evento"),
    ("MDFeRecepcaoSinc", "autorizacao"),
    ("MDFeStatusServico", "status"),
    ("NfeAutorizacao", "autorizacao"),
    ("NfeConsultaCadastro", "cadastro"),
    ("NfeConsultaProtocolo", "consulta"),
    ("NfeDistribuicaoDFe", "distribuicao"),
    ("NfeInutilizacao", "inutilizacao"),
    ("NfeRetAutorizacao", "retorno"),
    ("NfeStatusServico", "status"),
    ("RecepcaoEPEC", "epec"),
    ("RecepcaoEvento", "evento"),
];

/// Services no operation uses.
const LEFT_OUT: [&str; 10] = [
    "CTeDistribuicaoDFe",
    "CscNFCe",
    "CteRecepcaoSimp",
    "EPECStatusServico",
    "MDFeDistribuicaoDFe",
    "MDFeRecepcao",
    "MDFeRetRecepcao",
    "NfeConsultaDest",
    "NfeDownloadNF",
    // An address people open, not a service.
    "QRCode",
];

#[test]
fn every_address_of_the_sources() {
    let Some(folder) = judges::shared("") else {
        return;
    };
    let registry = shipped();
    let authorizers: BTreeMap<&str, _> = registry
        .authorizers()
        .map(|autorizador| (autorizador.id.as_str(), autorizador))
        .collect();
    let mut seen = 0;
    for row in rows(&folder, "sefaz-services.csv") {
        let Some(model) = Model::from_codigo(&row["model"]) else {
            continue;
        };
        if LEFT_OUT.contains(&row["service_key"].as_str()) {
            continue;
        }
        let endpoint = SERVICES
            .iter()
            .find(|(key, _)| *key == row["service_key"])
            .map(|(_, endpoint)| *endpoint)
            .unwrap_or_else(|| panic!("{row:?}"));
        let national = row["authorizer"] == "AN" && endpoint == "evento";
        let endpoint = if national { "evento_an" } else { endpoint };
        let services = authorizers[row["authorizer"].as_str()]
            .services(model)
            .unwrap_or_else(|| panic!("{row:?}"));
        let addresses = match row["environment"].as_str() {
            "producao" => &services.production,
            _ => &services.homologacao,
        };
        assert_eq!(addresses.get(endpoint), Some(&row["url"]), "{row:?}");
        let option = |name: &str| services.options.get(name).map(OptionValue::to_wire);
        match endpoint {
            "cadastro" => assert_eq!(
                option("metodo_cadastro").unwrap_or("consultaCadastro".to_owned()),
                row["operation_method"],
                "{row:?}"
            ),
            // What the source alone calls otherwise in two states is called
            // as everywhere else.
            "evento" => assert_eq!(option("servico_evento"), None, "{row:?}"),
            // The one place where the two environments are said to differ.
            "retorno" if row["authorizer"] == "PR" && row["model"] == "65" => {}
            "retorno" => assert_eq!(
                option("metodo_retorno").unwrap_or("nfeRetAutorizacaoLote".to_owned()),
                row["operation_method"],
                "{row:?}"
            ),
            _ => {}
        }
        seen += 1;
    }
    let written: usize = registry
        .authorizers()
        .flat_map(|autorizador| Model::ALL.map(|model| autorizador.services(model)))
        .flatten()
        .map(|services| services.production.len() + services.homologacao.len())
        .sum();
    // SVC-RS and SVC-SP of CT-e stand at the addresses of SVRS and SVSP, which
    // the sources name once: four services in two environments each.
    assert_eq!((seen, written), (379, 379 + 16));
}

#[test]
fn every_state_of_the_sources() {
    let Some(folder) = judges::shared("") else {
        return;
    };
    let mut seen = 0;
    for row in rows(&folder, "sefaz-uf.csv") {
        let Some(model) = Model::from_codigo(&row["model"]) else {
            continue;
        };
        let uf = shipped().uf(&row["uf"]).expect("a state");
        assert_eq!(uf.ibge.to_string(), row["ibge_uf"]);
        assert_eq!(uf.autorizador(model).id, row["authorizer_normal"]);
        let (hours, _, _) = uf.zone.as_hms();
        assert_eq!(format!("-{:02}:00", -hours), row["utc_offset"]);
        match model {
            Model::Nfe => {
                assert_eq!(uf.contingency.id, row["authorizer_contingency"]);
                assert_eq!(
                    uf.contingency.tp_emis.map(|kind| kind.to_string()),
                    Some(row["tpEmis_contingency"].clone())
                );
            }
            Model::Cte => {
                // The sources call the contingency by who runs it.
                let name = match row["authorizer_contingency"].as_str() {
                    "SVRS" => "SVC-RS",
                    "SVSP" => "SVC-SP",
                    other => panic!("{other}"),
                };
                assert_eq!(uf.contingency_cte.id, name);
                assert_eq!(
                    uf.contingency_cte.tp_emis.map(|kind| kind.to_string()),
                    Some(row["tpEmis_contingency"].clone())
                );
            }
            Model::Nfce | Model::Mdfe => assert_eq!(row["authorizer_contingency"], "OFFLINE"),
        }
        seen += 1;
    }
    assert_eq!(seen, 108);
}

#[test]
fn every_host_of_the_probe() {
    let Some(folder) = judges::shared("") else {
        return;
    };
    let rows = rows(&folder, "sefaz-tls.csv");
    let mut hosts = BTreeSet::new();
    for row in &rows {
        let perfil = shipped()
            .tls(&row["host"])
            .unwrap_or_else(|| panic!("{row:?}"));
        assert_eq!(
            perfil.renegotiation,
            row["client_cert_phase"] == "renegotiation",
            "{row:?}"
        );
        assert_eq!(
            perfil.root == Root::IcpBrasil,
            row["server_root"].starts_with("ICP-Brasil")
        );
        let usual = row["ecdhe_aead"] == "yes";
        assert_eq!(perfil.security_level == 2, usual, "{row:?}");
        let short: Vec<String> = perfil
            .ciphers
            .iter()
            .map(|name| name.replace("-RSA", ""))
            .collect();
        assert_eq!(
            short,
            if usual {
                vec![]
            } else {
                vec![row["cipher"].clone()]
            }
        );
        let evidence = match row["evidence"].as_str() {
            "probe" => TlsEvidence::Probe,
            "likely" => TlsEvidence::Likely,
            _ => TlsEvidence::Verified,
        };
        assert_eq!(perfil.evidence, evidence);
        hosts.insert(perfil.host);
    }
    assert_eq!(hosts.len(), rows.len());
    assert_eq!(shipped().tls_profiles().count(), rows.len());
}
