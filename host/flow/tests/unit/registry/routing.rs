//! Which way, for whom, and since when.

use flow::registry::{Caminho, NoRoute, OptionValue, Regime, Registry, Via};
use time::macros::date;

use super::{SMALL, shipped};

const TODAY: time::Date = date!(2026 - 11 - 20);
const SAO_PAULO: u32 = 3_550_308;
const BELO_HORIZONTE: u32 = 3_106_200;
const CURITIBA: u32 = 4_106_902;
const BLUMENAU: u32 = 4_202_404;
const GOIANIA: u32 = 5_208_707;
const DOURADOS: u32 = 5_003_702;
const CAUCAIA: u32 = 2_303_709;
const ALTA_FLORESTA: u32 = 1_100_015;
const ARIQUEMES: u32 = 1_100_023;
const MACEIO: u32 = 2_704_302;

fn system(ibge: u32, regime: Regime, period: time::Date, via: Via) -> String {
    match shipped().route(ibge, regime, period, via) {
        Ok(route) => route.system,
        Err(none) => panic!("{none}"),
    }
}

#[test]
fn simples_goes_national_everywhere_on_the_first_of_november() {
    for ibge in [SAO_PAULO, BLUMENAU, GOIANIA, ALTA_FLORESTA, CAUCAIA] {
        let after = shipped()
            .route(ibge, Regime::SimplesMeEpp, date!(2026 - 11 - 01), Via::Auto)
            .expect("the rule holds everywhere");
        assert_eq!(after.via, Caminho::Nacional, "{ibge}");
        assert_eq!(after.adapter.as_deref(), Some("dps"));
        assert!(after.reason.contains("CGSN 191/2026"), "{}", after.reason);
        assert_eq!(after.evidence.source_id, "cgsn-191");
    }
    let before = date!(2026 - 10 - 31);
    assert_eq!(
        system(SAO_PAULO, Regime::SimplesMeEpp, before, Via::Auto),
        "isssaopaulo-100"
    );
    assert_eq!(
        system(ALTA_FLORESTA, Regime::SimplesMeEpp, before, Via::Auto),
        "webiss-202"
    );
    let none = shipped().route(CAUCAIA, Regime::SimplesMeEpp, before, Via::Auto);
    assert!(matches!(none, Err(NoRoute::NotMeasured { .. })));
    // The general regime does not move.
    assert_eq!(
        system(SAO_PAULO, Regime::Normal, TODAY, Via::Auto),
        "isssaopaulo-100"
    );
}

#[test]
fn the_rule_warns_where_the_list_lacks_the_city() {
    let route = |ibge| {
        shipped()
            .route(ibge, Regime::SimplesMeEpp, TODAY, Via::Auto)
            .expect("rule")
    };
    assert!(
        route(GOIANIA).reason.contains("E0037"),
        "{}",
        route(GOIANIA).reason
    );
    assert!(
        !route(SAO_PAULO).reason.contains("E0037"),
        "{}",
        route(SAO_PAULO).reason
    );
}

#[test]
fn one_city_moved_simples_earlier() {
    let at = |day| system(DOURADOS, Regime::SimplesMeEpp, day, Via::Auto);
    assert_eq!(at(date!(2026 - 08 - 31)), "betha-dps");
    assert_eq!(at(date!(2026 - 09 - 01)), "nacional");
    assert_eq!(
        system(DOURADOS, Regime::Normal, date!(2026 - 09 - 01), Via::Auto),
        "betha-dps"
    );
}

#[test]
fn mei_since_september_2023_with_the_city_on_request() {
    let at = |day, via| system(ALTA_FLORESTA, Regime::Mei, day, via);
    assert_eq!(at(date!(2023 - 08 - 31), Via::Auto), "webiss-202");
    assert_eq!(at(date!(2023 - 09 - 01), Via::Auto), "nacional");
    // Mandatory for company customers only: the city stays open on request.
    assert_eq!(at(TODAY, Via::Municipal), "webiss-202");
}

#[test]
fn the_city_way_is_closed_where_a_rule_demands_the_national_one() {
    let day = date!(2026 - 11 - 01);
    let refused = shipped().route(ALTA_FLORESTA, Regime::SimplesMeEpp, day, Via::Municipal);
    let Err(NoRoute::NationalMandatory { reason }) = refused else {
        panic!("{refused:?}")
    };
    assert!(reason.contains("Resolução CGSN 191/2026"));
    assert_eq!(
        system(
            ALTA_FLORESTA,
            Regime::SimplesMeEpp,
            date!(2026 - 10 - 31),
            Via::Municipal
        ),
        "webiss-202"
    );
}

#[test]
fn the_national_way_on_request_follows_the_official_list() {
    let route = shipped()
        .route(SAO_PAULO, Regime::Normal, TODAY, Via::Nacional)
        .expect("listed");
    assert_eq!(
        (route.system.as_str(), route.evidence.source_id.as_str()),
        ("nacional", "rfb")
    );
    assert!(route.reason.contains("28/09/2026"), "{}", route.reason);
    let refused = shipped().route(ALTA_FLORESTA, Regime::Normal, TODAY, Via::Nacional);
    assert!(
        matches!(refused, Err(NoRoute::NoNationalRoute { .. })),
        "{refused:?}"
    );
    let refused = shipped().route(CURITIBA, Regime::Normal, TODAY, Via::Municipal);
    assert!(
        matches!(refused, Err(NoRoute::NoMunicipalRoute { .. })),
        "{refused:?}"
    );
}

#[test]
fn old_notes_keep_their_way() {
    let known = [
        (CURITIBA, date!(2025 - 12 - 31), "isscuritiba-100"),
        (CURITIBA, date!(2026 - 01 - 01), "nacional"),
        (BELO_HORIZONTE, date!(2026 - 01 - 31), "bhiss-100"),
        (BELO_HORIZONTE, date!(2026 - 02 - 01), "nacional"),
        (GOIANIA, date!(2025 - 11 - 30), "issgoiania-200"),
        (GOIANIA, date!(2025 - 12 - 01), "issnet-204"),
        (GOIANIA, date!(2026 - 08 - 02), "issnet-204"),
        (GOIANIA, date!(2026 - 08 - 03), "issnet-dps"),
    ];
    for (ibge, day, expected) in known {
        assert_eq!(
            system(ibge, Regime::Normal, day, Via::Auto),
            expected,
            "{ibge} {day}"
        );
    }
    let old = shipped()
        .route(CURITIBA, Regime::Normal, date!(2025 - 12 - 31), Via::Auto)
        .expect("a previous route");
    assert!(old.previous);
    assert!(old.production["nfse"].contains("isscuritiba"));
    assert!(old.reason.contains("até 31/12/2025"), "{}", old.reason);
}

#[test]
fn a_change_of_unknown_day_says_so() {
    let registry = Registry::parse(SMALL).expect("right");
    let at = |day| {
        registry
            .route(1_100_049, Regime::Normal, day, Via::Auto)
            .expect("a route")
    };
    let old = at(date!(2025 - 12 - 31));
    assert_eq!((old.system.as_str(), old.previous), ("filho", true));
    assert!(old.reason.contains("16/06/2025"), "{}", old.reason);
    assert!(old.reason.contains("não é conhecido"), "{}", old.reason);
    let new = at(date!(2026 - 01 - 01));
    assert_eq!((new.system.as_str(), new.previous), ("nacional", false));
}

#[test]
fn every_previous_route_answers_for_its_time() {
    let seen = date!(2025 - 06 - 16);
    for m in shipped().municipalities() {
        for leg in &m.earlier {
            let route = shipped()
                .route(m.ibge, Regime::Normal, seen, Via::Auto)
                .expect("then");
            assert_eq!(route.system, leg.system.id, "{}", m.ibge);
            assert!(route.previous);
        }
    }
}

#[test]
fn unknown_codes_and_unmeasured_cities_are_different_refusals() {
    let unknown = shipped().route(9_999_999, Regime::Normal, TODAY, Via::Auto);
    assert_eq!(
        unknown.expect_err("no city"),
        NoRoute::UnknownMunicipality { ibge: 9_999_999 }
    );
    let none = shipped()
        .route(CAUCAIA, Regime::Normal, TODAY, Via::Auto)
        .expect_err("not measured");
    assert!(
        none.message().contains("não significa que não emita"),
        "{none}"
    );
}

#[test]
fn options_and_addresses_are_merged() {
    let registry = Registry::parse(SMALL).expect("right");
    let route = registry
        .route(1_100_015, Regime::Normal, TODAY, Via::Auto)
        .expect("a route");
    let text = |name: &str| route.options.get(name).map(OptionValue::to_wire);
    assert_eq!(
        text("aliquota").as_deref(),
        Some("percentual"),
        "the child has the last word"
    );
    assert_eq!(
        text("namespace").as_deref(),
        Some("urn:base"),
        "the rest is inherited"
    );
    assert_eq!(text("assina").as_deref(), Some("rps,lote"));
    assert_eq!(route.production["nfse"], "https://alta.example/ws");
    assert_eq!(route.name, "Base");
    assert_eq!(route.demanded_credentials, ["usuario"]);
    assert!(route.hosts.contains("alta.example"));
}

#[test]
fn the_three_abrasf_systems() {
    let route = |ibge| {
        shipped()
            .route(ibge, Regime::Normal, TODAY, Via::Auto)
            .expect("a route")
    };
    let option = |ibge, name: &str| route(ibge).options[name].to_wire();

    let webiss = route(ALTA_FLORESTA);
    assert_eq!(
        (webiss.adapter.as_deref(), webiss.standard.as_str()),
        (Some("abrasf"), "ABRASF 2.02")
    );
    assert_eq!(
        webiss.homologacao["nfse"],
        "https://homologacao.webiss.com.br/ws/nfse.asmx"
    );
    assert_eq!(
        webiss.query.as_deref(),
        Some(
            "https://altaflorestadoestero.webiss.com.br/externo/nfse/visualizar/{cnpj}/{codigo_verificacao}/{numero}"
        )
    );
    assert!(webiss.hosts.contains("altaflorestadoestero.webiss.com.br"));
    assert_eq!(option(ALTA_FLORESTA, "envelope"), "cdata");
    assert_eq!(
        option(ALTA_FLORESTA, "soap_action"),
        "http://nfse.abrasf.org.br/{metodo}"
    );

    let fiorilli = route(ARIQUEMES);
    assert_eq!(fiorilli.demanded_credentials, ["usuario", "senha"]);
    assert!(fiorilli.certificado_tls);
    assert_eq!(option(ARIQUEMES, "credenciais"), "usuario_senha_nos");
    assert_eq!(
        option(ARIQUEMES, "soap_namespace"),
        "http://ws.issweb.fiorilli.com.br/"
    );

    assert_eq!(option(MACEIO, "aliquota"), "fracao");
    assert_eq!(option(MACEIO, "modo"), "lote");
    assert_eq!(option(MACEIO, "assina"), "cancelamento,consulta,lote,rps");
}

#[test]
fn every_route_with_an_adapter_can_be_called() {
    let adapters: Vec<_> = shipped().adapters().collect();
    let mut routes = 0;
    for m in shipped().municipalities() {
        for regime in Regime::ALL {
            let Ok(route) = shipped().route(m.ibge, regime, TODAY, Via::Auto) else {
                continue;
            };
            let Some(name) = &route.adapter else { continue };
            let adapter = adapters.iter().find(|a| a.name == *name).expect("declared");
            for endpoint in &adapter.endpoints {
                assert!(route.production.contains_key(endpoint), "{}", m.ibge);
            }
            for option in route.options.keys() {
                assert!(adapter.options.contains_key(option), "{}: {option}", m.ibge);
            }
            assert!(!route.hosts.is_empty() && !route.reason.is_empty());
            routes += 1;
        }
    }
    assert!(routes > 10_000, "{routes}");
}
