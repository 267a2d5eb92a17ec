use tools::profile::{Company, Confidence, suggest};

/// The value suggested for a field, or `?` where it is named as missing.
fn of(company: &Company<'_>, field: &str) -> String {
    let (suggested, missing) = suggest(company);
    if let Some(one) = suggested.iter().find(|one| one.field == field) {
        assert!(!one.reason.is_empty());
        return one.value.clone();
    }
    let missed = missing.iter().any(|one| one.field == field);
    if missed { "?" } else { "" }.to_owned()
}

#[test]
fn the_regime_is_what_the_registry_says() {
    let of_regime = |mei, simples, size| {
        let company = Company {
            activity: Some("4711302"),
            simples,
            mei,
            size,
        };
        of(&company, "regime")
    };
    assert_eq!(of_regime(Some(true), Some(true), None), "mei");
    assert_eq!(of_regime(Some(false), Some(true), None), "simples_nacional");
    assert_eq!(
        of_regime(None, Some(false), Some("MICRO EMPRESA")),
        "normal"
    );
    assert_eq!(of_regime(None, None, Some("Demais")), "normal");
    assert_eq!(of_regime(None, None, Some("MICRO EMPRESA")), "?");
}

#[test]
fn the_activity_decides_the_sale_and_the_annex() {
    let company = |activity| Company {
        activity: Some(activity),
        simples: Some(true),
        ..Company::default()
    };
    let commerce = company("4711302");
    assert_eq!(of(&commerce, "padroes.cfop_interno"), "5102");
    assert_eq!(of(&commerce, "padroes.icms.csosn"), "102");
    assert_eq!(of(&commerce, "simples.anexo"), "I");
    let bakery = company("1091101");
    assert_eq!(of(&bakery, "padroes.cfop_interestadual"), "6101");
    assert_eq!(of(&bakery, "simples.anexo"), "II");
    // Software: the annex is of the factor R, and there is no sale of goods.
    let software = company("6201501");
    assert_eq!(of(&software, "simples.anexo"), "?");
    assert_eq!(of(&software, "padroes.cfop_interno"), "?");
    assert_eq!(of(&software, "padroes.icms.csosn"), "");
}

#[test]
fn outside_of_the_simples_no_tax_is_guessed() {
    let company = Company {
        activity: Some("4711302"),
        simples: Some(false),
        ..Company::default()
    };
    for field in ["padroes.icms", "padroes.pis", "padroes.cofins"] {
        assert_eq!(of(&company, field), "?");
    }
    assert_eq!(of(&company, "simples.anexo"), "");
    let (suggested, _) = suggest(&company);
    let sure = suggested
        .iter()
        .filter(|one| one.confidence == Confidence::High);
    assert_eq!(sure.count(), 1);
    assert_eq!(of(&Company::default(), "cnae"), "?");
    assert_eq!(of(&company, "x"), "");
}
