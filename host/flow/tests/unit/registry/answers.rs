//! Coverage, provider, cancellation and look-up by name.

use flow::registry::{Answer, Caminho, Cobertura, Regime, Registry, Via};
use time::macros::date;

use super::{SMALL, shipped, small_with};

const TODAY: time::Date = date!(2026 - 11 - 20);

fn cobertura(ibge: u32) -> Cobertura {
    shipped().cobertura(ibge, TODAY).expect("a municipality")
}

fn says(c: &Cobertura, words: &str) -> bool {
    c.caveats.iter().any(|line| line.contains(words))
}

#[test]
fn sao_paulo_is_partial_two_ways_are_known() {
    let c = cobertura(3_550_308);
    assert_eq!(
        (c.answer, c.via),
        (Answer::Partial, Some(Caminho::Municipal))
    );
    assert_eq!(c.system.as_deref(), Some("isssaopaulo-100"));
    assert_eq!(c.evidence.source_id, "acbr");
    assert!(says(&c, "dois caminhos"), "{c:?}");
    let by_regime: Vec<Answer> = c.regimes.iter().map(|r| r.answer).collect();
    assert_eq!(by_regime, [Answer::Partial, Answer::Sim, Answer::Sim]);
}

#[test]
fn belo_horizonte_and_curitiba_are_national_since_different_days() {
    let (bh, curitiba) = (cobertura(3_106_200), cobertura(4_106_902));
    for c in [&bh, &curitiba] {
        assert_eq!((c.answer, c.via), (Answer::Sim, Some(Caminho::Nacional)));
        assert_eq!(c.standard.as_deref(), Some("DPS 1.01"));
        assert!(c.caveats.is_empty(), "{c:?}");
        assert!(c.regimes.iter().all(|r| r.answer == Answer::Sim));
    }
    assert!(bh.caminho.contains("desde 01/02/2026"), "{}", bh.caminho);
    assert!(
        curitiba.caminho.contains("desde 01/01/2026"),
        "{}",
        curitiba.caminho
    );
}

#[test]
fn blumenau_is_a_gateway_with_two_ways() {
    let c = cobertura(4_202_404);
    assert_eq!((c.answer, c.via), (Answer::Partial, Some(Caminho::Gateway)));
    assert_eq!(c.provedor.as_deref(), Some("SimplISS"));
    assert!(c.caminho.contains("leiaute nacional"), "{}", c.caminho);
}

#[test]
fn goiania_refuses_to_cancel() {
    let c = cobertura(5_208_707);
    assert_eq!((c.answer, c.via), (Answer::Partial, Some(Caminho::Gateway)));
    assert!(says(&c, "Cancelamento não disponível"), "{c:?}");
    assert!(says(&c, "ISSNet foi desligado"), "{c:?}");
    let e = shipped()
        .exigencias(5_208_707, TODAY)
        .expect("a municipality");
    assert_eq!(e.cancels_by_api, Answer::Nao);
    assert_eq!(e.evidence.source_id, "especificacao");
    assert!(e.exigencias[0].contains("não permite cancelar"), "{e:?}");
    let route = shipped()
        .route(5_208_707, Regime::SimplesMeEpp, TODAY, Via::Auto)
        .expect("by rule");
    assert!(route.refusals.contains_key("cancelar"), "whichever the way");
}

#[test]
fn not_measured_is_not_no() {
    let c = cobertura(2_303_709);
    assert_eq!((c.answer, c.via), (Answer::NotMeasured, None));
    assert_eq!(
        (c.answer.as_str(), c.answer.codigo()),
        ("não medido", "nao_medido")
    );
    assert!(says(&c, "Não significa que não emita"), "{c:?}");
    assert!(shipped().provedor(2_303_709, TODAY).is_none());
    let e = shipped()
        .exigencias(2_303_709, TODAY)
        .expect("a municipality");
    assert_eq!(e.cancels_by_api, Answer::NotMeasured);
    assert!(
        shipped().cobertura(1_234_567, TODAY).is_none(),
        "not a municipality at all"
    );
}

#[test]
fn webiss_alone_is_yes_and_says_where_simples_goes() {
    let c = cobertura(1_100_015);
    assert_eq!((c.answer, c.via), (Answer::Sim, Some(Caminho::Municipal)));
    assert!(says(&c, "CGSN 191/2026"), "{c:?}");
    let before = shipped()
        .cobertura(1_100_015, date!(2026 - 10 - 31))
        .expect("a municipality");
    assert!(!says(&before, "CGSN 191/2026"), "{before:?}");
}

#[test]
fn the_four_answers_follow_from_the_entry() {
    let answer = |text: &str, ibge| {
        let registry = Registry::parse(text).unwrap_or_else(|e| panic!("{e:?}"));
        registry
            .cobertura(ibge, TODAY)
            .expect("a municipality")
            .answer
    };
    assert_eq!(answer(SMALL, 1_100_015), Answer::Sim);
    assert_eq!(answer(SMALL, 1_100_023), Answer::Partial);
    assert_eq!(answer(SMALL, 1_100_031), Answer::NotMeasured);
    let unlisted = small_with(" emissor_nacional = true, conflito = \"dois\",", "");
    assert_eq!(answer(&unlisted, 1_100_023), Answer::Nao);
    let registry = Registry::parse(&unlisted).expect("right");
    let no = registry
        .cobertura(1_100_023, TODAY)
        .expect("a municipality");
    let normal = &no.regimes[0];
    assert_eq!(
        (normal.regime, normal.answer),
        (Regime::Normal, Answer::Nao)
    );
    assert!(
        normal.reason.ends_with("ainda não há adaptador para ele."),
        "{}",
        normal.reason
    );
    let refusing = small_with(
        r#"producao = "https://alta.example/ws" },"#,
        r#"producao = "https://alta.example/ws" }, recusas = { cancelar = { motivo = "m", fonte = "lei" } },"#,
    );
    assert_eq!(answer(&refusing, 1_100_015), Answer::Partial);
    let disputed = small_with(
        r#"producao = "https://alta.example/ws" },"#,
        r#"producao = "https://alta.example/ws" }, conflito = "dois","#,
    );
    assert_eq!(answer(&disputed, 1_100_015), Answer::Partial);
    let plain = small_with("https://alta.example/ws", "http://alta.example/ws");
    let registry = Registry::parse(&plain).expect("right");
    let c = registry
        .cobertura(1_100_015, TODAY)
        .expect("a municipality");
    assert!(says(&c, "sem criptografia"), "{c:?}");
}

#[test]
fn coverage_agrees_with_the_entries_in_all_of_brazil() {
    let mut seen = [0usize; 4];
    for m in shipped().municipalities() {
        let c = cobertura(m.ibge);
        match c.answer {
            Answer::Sim => {
                assert!(
                    m.conflicts.is_empty() && m.refusals.is_empty(),
                    "{}",
                    m.ibge
                );
                seen[0] += 1;
            }
            Answer::Partial => {
                assert!(!c.caveats.is_empty(), "{}", m.ibge);
                seen[1] += 1;
            }
            Answer::Nao => {
                assert!(!m.national_issuer && !m.routes.is_empty(), "{}", m.ibge);
                seen[2] += 1;
            }
            Answer::NotMeasured => {
                assert!(m.routes.is_empty(), "{}", m.ibge);
                seen[3] += 1;
            }
        }
        assert!(!c.caminho.is_empty() && !c.evidence.cited.is_empty());
    }
    assert_eq!(seen[3], 663);
    // Few cities have a known system without an adapter.
    assert!(seen[0] > 3_000 && seen[1] > 100 && seen[2] > 0, "{seen:?}");
}

#[test]
fn provider_of_a_city() {
    let p = shipped().provedor(1_100_015, TODAY).expect("known");
    assert_eq!(
        (p.provedor.as_str(), p.standard.as_str()),
        ("WebISS", "ABRASF 2.02")
    );
    assert!(p.issue_by_api);
    assert!(
        p.production_url
            .is_some_and(|url| url.starts_with("https://alta"))
    );
    let p = shipped().provedor(3_106_200, TODAY).expect("known");
    assert_eq!(
        p.production_url.as_deref(),
        Some("https://sefin.nfse.gov.br/SefinNacional")
    );
    let p = shipped().provedor(3_550_308, TODAY).expect("known");
    assert!(p.issue_by_api);
    assert_eq!(p.url_homologacao, None, "the city has none");
    let other = shipped().provedor(3_505_708, TODAY).expect("known");
    assert!(!other.issue_by_api, "no adapter reads its files");
}

#[test]
fn providers_of_brazil_add_up() {
    let all = shipped().provedores(TODAY);
    assert_eq!((all.municipalities, all.not_measured), (5571, 663));
    let first = &all.provedores[0];
    assert_eq!(
        (first.system.as_str(), first.municipalities),
        ("nacional", 2376)
    );
    let in_systems: u32 = all.provedores.iter().map(|p| p.municipalities).sum();
    assert_eq!(in_systems + all.not_measured, all.municipalities);
    let covered: u32 = all
        .provedores
        .iter()
        .filter(|p| p.issue_by_api)
        .map(|p| p.municipalities)
        .sum();
    assert_eq!(covered, all.covered);
    assert_eq!(all.brazil_thousandths, all.covered * 1000 / 5571);
    assert_eq!(all.by_uf.len(), 27);
    assert_eq!(
        all.by_uf.values().map(|uf| uf.covered).sum::<u32>(),
        all.covered
    );
    assert_eq!(all.by_uf["DF"].municipalities, 1);
    assert_eq!(all.by_uf["MG"].municipalities, 853);
}

#[test]
fn national_cancellation_has_reasons_and_a_source() {
    let e = shipped()
        .exigencias(3_106_200, TODAY)
        .expect("a municipality");
    assert_eq!(e.cancels_by_api, Answer::Sim);
    assert_eq!(
        e.accepted_reasons,
        ["erro_emissao", "servico_nao_prestado", "outros"]
    );
    assert!(e.exigencias.iter().any(|line| line.contains("15 a 255")));
    assert_eq!(e.evidence.source_id, "sefin");
}

#[test]
fn names_are_found_as_people_type_them() {
    let find = |name: &str, uf: Option<&str>| -> Vec<u32> {
        shipped()
            .locate(name, uf)
            .into_iter()
            .map(|m| m.ibge)
            .collect()
    };
    assert_eq!(find("sao paulo", Some("sp")), [3_550_308]);
    assert_eq!(find("SÃO PAULO", None), [3_550_308]);
    assert_eq!(
        find("Sa\u{303}o Paulo", None),
        [3_550_308],
        "decomposed accents"
    );
    assert_eq!(find(" alta floresta d oeste ", Some("RO")), [1_100_015]);
    assert_eq!(find("embu guacu", None), [3_515_103]);
    assert!(find("São Paulo", Some("RJ")).is_empty());
    assert!(find("", None).is_empty());
    assert!(find("!!!", None).is_empty());
    let many = find("Bom Jesus", None);
    assert!(many.len() >= 4, "ambiguous names give the list: {many:?}");
    assert_eq!(find("Bom Jesus", Some("PI")).len(), 1);
}

/// Of a hub that sends nothing without TLS.
#[test]
fn an_address_without_tls_takes_no_note_unless_the_national_issuer_does() {
    let registry = shipped();
    let plain = |url: &str| url.starts_with("http://");
    let (mut no, mut part, mut same) = (0, 0, 0);
    for city in registry.municipalities() {
        let whole = registry.cobertura(city.ibge, TODAY).expect("known");
        let open = registry.cobertura_without(city.ibge, TODAY, |_| false);
        assert_eq!(format!("{whole:?}"), format!("{:?}", open.expect("known")));
        let closed = registry.cobertura_without(city.ibge, TODAY, plain);
        let closed = closed.expect("known");
        let addresses = registry.addresses_of(city.ibge, Regime::Normal, TODAY);
        if !addresses.iter().any(|url| plain(url)) {
            assert_eq!(closed.answer, whole.answer, "{closed:?}");
            same += 1;
            continue;
        }
        assert!(says(&closed, "sem_tls"), "{closed:?}");
        let normal = &closed.regimes[0];
        assert_eq!(normal.answer, Answer::Nao, "{closed:?}");
        assert!(normal.reason.contains("sem_tls"), "{closed:?}");
        assert_eq!(
            says(&closed, "Emissão somente pelo emissor nacional"),
            city.national_issuer,
            "{closed:?}"
        );
        if city.national_issuer {
            assert_eq!(closed.answer, Answer::Partial, "{closed:?}");
            part += 1;
        } else {
            assert_eq!(closed.answer, Answer::Nao, "{closed:?}");
            no += 1;
        }
    }
    assert!(no > 100 && part > 100 && same > 4_000, "{no} {part} {same}");
}
