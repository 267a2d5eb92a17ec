//! NF-e and NFC-e at the authorizers: every service once, envelopes, batches,
//! voided numbers, register.

use crate::common::sefaz::*;
use crate::common::*;

#[tokio::test]
async fn the_notes_of_these_tests_are_valid() {
    for nota in [Nota::nfe(1), Nota::nfce(1)] {
        xmllint(
            "schemas/nfe/nfelib-3.2.0/nfe_v4.00.xsd",
            &nota.signed(&COMPANY_A1),
        );
    }
}

#[tokio::test]
async fn status_authorize_ask_cancel() {
    let world = World::new();
    let document = service_status("35");
    let answer = world.sefaz("NFeStatusServico4", &document).await;
    assert_eq!(cstat(&answer, ""), "107");

    let nota = Nota::nfe(1);
    let key = nota.chave();
    let before = world.sefaz("NFeConsultaProtocolo4", &query(&key)).await;
    assert_eq!(cstat(&before, ""), "217");

    let protocol = world.authorized(&nota).await;
    let after = world.sefaz("NFeConsultaProtocolo4", &query(&key)).await;
    assert_eq!(cstat(&after, ""), "100");
    assert_eq!(tag(&after, "nProt"), protocol);

    let again = world.authorize(&nota).await;
    assert_eq!(cstat(&again, "infProt"), "204", "{again}");
    assert!(tag(&again, "xMotivo").contains("processado"));
    assert!(again.contains("[nRec:"));
    let mut other = nota.clone();
    other.cnf = "48213958";
    let other = world.authorize(&other).await;
    assert_eq!(cstat(&other, "infProt"), "539");
    assert!(other.contains(&key), "{other}");

    world.advance(3_600_000);
    let event = cancellation(&key, &protocol, NOW + 3_500_000).signed(&COMPANY_A1);
    let cancelled = world
        .sefaz("NFeRecepcaoEvento4", &sending(std::slice::from_ref(&event)))
        .await;
    assert_eq!(cstat(&cancelled, ""), "128");
    assert_eq!(cstat(&cancelled, "retEvento"), "135", "{cancelled}");
    let twice = world.sefaz("NFeRecepcaoEvento4", &sending(&[event])).await;
    assert_eq!(cstat(&twice, "retEvento"), "573");
    let after = world.sefaz("NFeConsultaProtocolo4", &query(&key)).await;
    assert_eq!(cstat(&after, ""), "101");
    assert!(after.contains("<procEventoNFe"));
    assert_eq!(cstat(&world.authorize(&nota).await, "infProt"), "218");
}

#[tokio::test]
async fn the_envelope_is_judged_before_the_document() {
    let world = World::new();
    let document = service_status("35");
    let path = sp("NFeStatusServico4");
    // No certificate: a page. A foreign one: a page. An expired one: 281.
    let without = world
        .soap(SP, &path, "NFeStatusServico4", &document, None)
        .await;
    assert_eq!(status(&without), 403);
    assert!(text(&without).contains("<html"));
    let foreign = sim::Pki::generate(NOW).expect("keys");
    let foreign = a1(&foreign, COMPANY, NOW - DAY, NOW + DAY);
    let answer = world
        .soap(SP, &path, "NFeStatusServico4", &document, Some(&foreign))
        .await;
    assert_eq!(status(&answer), 403);
    let old = a1(&PKI, COMPANY, NOW - 10 * DAY, NOW - DAY);
    let answer = world
        .at(SP, &path, "NFeStatusServico4", &document, &old)
        .await;
    assert_eq!(cstat(&answer, ""), "281");
    // Namespace of another service, another address, another method.
    let answer = world
        .soap(SP, &path, "NFeAutorizacao4", &document, Some(&COMPANY_A1))
        .await;
    assert_eq!(status(&answer), 500);
    assert!(text(&answer).contains("Fault"));
    let answer = world
        .soap(
            SP,
            "/ws/outro.asmx",
            "NFeStatusServico4",
            &document,
            Some(&COMPANY_A1),
        )
        .await;
    assert_eq!(status(&answer), 404);
    let answer = world
        .call(SP, "GET", &path, Vec::new(), Some(&COMPANY_A1))
        .await;
    assert_eq!(status(&answer), 405);
    for (from, to, code) in [
        ("<tpAmb>2", " <tpAmb>2", "588"),
        ("versao=\"4.00\"", "versao=\"3.10\"", "239"),
        (" versao=\"4.00\"", "", "517"),
        ("consStatServ", "consSitNFe", "516"),
        ("<tpAmb>2", "<tpAmb>1", "252"),
        ("<cUF>35", "<cUF>31", "289"),
    ] {
        let changed = document.replace(from, to);
        let answer = world.sefaz("NFeStatusServico4", &changed).await;
        assert_eq!(cstat(&answer, ""), code, "{to}");
    }
    let prefixed = document
        .replace("<consStatServ xmlns", "<n:consStatServ xmlns:n")
        .replace("</consStatServ", "</n:consStatServ");
    let answer = world.sefaz("NFeStatusServico4", &prefixed).await;
    assert_eq!(cstat(&answer, ""), "404");
    // SOAP 1.1 is answered in SOAP 1.1.
    let space = "http://www.portalfiscal.inf.br/nfe/wsdl/NFeStatusServico4";
    let old = format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body><nfeDadosMsg xmlns=\"{space}\">{document}</nfeDadosMsg></s:Body></s:Envelope>"
    );
    let headers = vec![(
        "Content-Type".to_owned(),
        "text/xml; charset=utf-8".to_owned(),
    )];
    let answer = world
        .request(
            SP,
            "POST",
            &path,
            headers,
            old.into_bytes(),
            Some(&COMPANY_A1),
        )
        .await;
    assert!(text(&answer).contains("schemas.xmlsoap.org/soap/envelope"));
    assert_eq!(cstat(&returned(&answer), ""), "107");
}

#[tokio::test]
async fn hostile_bodies_do_no_harm() {
    let world = World::new();
    let headers = vec![("content-type".to_owned(), "application/soap+xml".to_owned())];
    let deep = format!("{}{}", "<a>".repeat(5_000), "</a>".repeat(5_000));
    for body in [
        Vec::new(),
        b"\xff\xfe".to_vec(),
        b"<a".to_vec(),
        b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>".to_vec(),
        deep.into_bytes(),
        "<Envelope xmlns=\"http://www.w3.org/2003/05/soap-envelope\"/>"
            .as_bytes()
            .to_vec(),
    ] {
        for service in ["NFeAutorizacao4", "NFeRecepcaoEvento4", "NFeInutilizacao4"] {
            let answer = world
                .request(
                    SP,
                    "POST",
                    &sp(service),
                    headers.clone(),
                    body.clone(),
                    Some(&COMPANY_A1),
                )
                .await;
            assert!(matches!(status(&answer), 200 | 500), "{answer:?}");
        }
    }
    // Documents with nothing or nonsense inside.
    for (service, root, version) in [
        ("NFeAutorizacao4", "enviNFe", "4.00"),
        ("NFeRetAutorizacao4", "consReciNFe", "4.00"),
        ("NFeConsultaProtocolo4", "consSitNFe", "4.00"),
        ("NFeRecepcaoEvento4", "envEvento", "1.00"),
        ("NFeInutilizacao4", "inutNFe", "4.00"),
        ("CadConsultaCadastro4", "ConsCad", "2.00"),
    ] {
        for inside in [
            "",
            "<NFe/>",
            "<NFe><infNFe/></NFe>",
            "<evento><infEvento/></evento>",
            "<infInut/>",
            "<infCons/>",
        ] {
            let document =
                format!("<{root} xmlns=\"{NFE}\" versao=\"{version}\">{inside}</{root}>");
            let answer = world.sefaz(service, &document).await;
            let code: u16 = cstat(&answer, "").parse().expect("code");
            assert!((104..=999).contains(&code) && code != 107, "{answer}");
        }
    }
}

#[tokio::test]
async fn batches_are_answered_by_receipt() {
    let world = World::new();
    let notas = [Nota::nfe(1), Nota::nfe(2)];
    let signed: Vec<String> = notas.iter().map(|n| n.signed(&COMPANY_A1)).collect();
    let send = |sync, list: Vec<String>| batch(sync, &list);
    let answer = world
        .sefaz("NFeAutorizacao4", &send(true, signed.clone()))
        .await;
    assert_eq!(cstat(&answer, ""), "764");
    let answer = world
        .sefaz("NFeAutorizacao4", &send(false, signed[..1].to_vec()))
        .await;
    assert_eq!(cstat(&answer, ""), "452");

    let answer = world
        .sefaz("NFeAutorizacao4", &send(false, signed.clone()))
        .await;
    assert_eq!(cstat(&answer, ""), "103");
    let number = tag(&answer, "nRec");
    let waiting = world.sefaz("NFeRetAutorizacao4", &receipt(&number)).await;
    assert_eq!(cstat(&waiting, ""), "105");
    let unseen = world
        .sefaz("NFeConsultaProtocolo4", &query(&notas[0].chave()))
        .await;
    assert_eq!(cstat(&unseen, ""), "217");
    assert_eq!(cstat(&world.authorize(&notas[0]).await, "infProt"), "635");
    world.advance(1_000);
    let ready = world.sefaz("NFeRetAutorizacao4", &receipt(&number)).await;
    assert_eq!(cstat(&ready, ""), "104");
    assert_eq!(ready.matches("<cStat>100</cStat>").count(), 2, "{ready}");
    let seen = world
        .sefaz("NFeConsultaProtocolo4", &query(&notas[0].chave()))
        .await;
    assert_eq!(cstat(&seen, ""), "100");
    let unknown = world
        .sefaz("NFeRetAutorizacao4", &receipt("351000000000000"))
        .await;
    assert_eq!(cstat(&unknown, ""), "106");
    let (host, path) = (SP, sp("NFeRetAutorizacao4"));
    let foreign = world
        .at(
            host,
            &path,
            "NFeRetAutorizacao4",
            &receipt(&number),
            &OTHER_A1,
        )
        .await;
    assert_eq!(cstat(&foreign, ""), "223");

    let mixed = [
        Nota::nfe(3).signed(&COMPANY_A1),
        Nota::nfce(3).signed(&COMPANY_A1),
    ];
    let answer = world
        .sefaz("NFeAutorizacao4", &send(false, mixed.to_vec()))
        .await;
    assert_eq!(cstat(&answer, ""), "765");
}

#[tokio::test]
async fn numbers_are_voided_once() {
    let world = World::new();
    let void = async |model, from, to| {
        world
            .sefaz("NFeInutilizacao4", &voiding(model, 1, from, to))
            .await
    };
    let document = voiding("55", 1, 10, 19);
    xmllint(
        "schemas/nfe/eventos-sped-nfe-PL_010_V1.30/inutNFe_v4.00.xsd",
        &document,
    );
    let done = void("55", 10, 19).await;
    assert_eq!(cstat(&done, ""), "102", "{done}");
    let protocol = tag(&done, "nProt");
    assert_eq!(protocol.len(), 15);
    let again = void("55", 10, 19).await;
    assert_eq!(
        (cstat(&again, ""), tag(&again, "nProt")),
        ("563".to_owned(), protocol)
    );
    assert_eq!(cstat(&void("55", 15, 25).await, ""), "256");
    assert_eq!(cstat(&void("55", 30, 29).await, ""), "224");
    assert_eq!(cstat(&void("55", 1_000, 20_000).await, ""), "201");
    world.authorized(&Nota::nfe(40)).await;
    assert_eq!(cstat(&void("55", 38, 42).await, ""), "241");
    assert_eq!(
        cstat(&world.authorize(&Nota::nfe(12)).await, "infProt"),
        "206"
    );
    // The other model has its own numbers.
    let path = "/ws/NFeInutilizacao4.asmx";
    let answer = world
        .at(
            SP_NFCE,
            path,
            "NFeInutilizacao4",
            &voiding("65", 1, 10, 19),
            &COMPANY_A1,
        )
        .await;
    assert_eq!(cstat(&answer, ""), "102");
    world.authorized(&Nota::nfce(40)).await;
    let answer = world
        .at(
            SP_NFCE,
            path,
            "NFeInutilizacao4",
            &voiding("65", 1, 40, 40),
            &COMPANY_A1,
        )
        .await;
    assert_eq!(cstat(&answer, ""), "241");
    // A changed request, another company's certificate.
    let changed = document.replace("<nNFFin>19", "<nNFFin>18");
    let answer = world.sefaz("NFeInutilizacao4", &changed).await;
    assert_eq!(cstat(&answer, ""), "297");
    let answer = world
        .at(
            SP,
            &sp("NFeInutilizacao4"),
            "NFeInutilizacao4",
            &document,
            &OTHER_A1,
        )
        .await;
    assert_eq!(cstat(&answer, ""), "213");
    let state = world.sim.overview();
    assert_eq!(state.inutilizacoes.len(), 2);
    assert_eq!(state.sefaz.inutilizacoes, 2);
}

#[tokio::test]
async fn the_register_knows_every_valid_taxpayer() {
    let world = World::new();
    let ask = |uf: &str, who: &str| {
        format!(
            "<ConsCad xmlns=\"{NFE}\" versao=\"2.00\"><infCons><xServ>CONS-CAD</xServ><UF>{uf}</UF>{who}</infCons></ConsCad>"
        )
    };
    world.authorized(&Nota::nfe(1)).await;
    let who = format!("<CNPJ>{COMPANY}</CNPJ>");
    let found = world.sefaz("CadConsultaCadastro4", &ask("SP", &who)).await;
    assert_eq!(
        (cstat(&found, ""), tag(&found, "IE")),
        ("111".to_owned(), "110042490114".to_owned())
    );
    for (uf, who, code) in [
        ("SP", format!("<CNPJ>{OTHER}</CNPJ>"), "111"),
        ("SP", "<CPF>11144477735</CPF>".to_owned(), "111"),
        ("SP", "<IE>110042490114</IE>".to_owned(), "111"),
        ("SP", "<IE>110042490115</IE>".to_owned(), "260"),
        ("SP", "<CNPJ>11222333000182</CNPJ>".to_owned(), "258"),
        ("MG", who, "265"),
    ] {
        let answer = world.sefaz("CadConsultaCadastro4", &ask(uf, &who)).await;
        assert_eq!(cstat(&answer, ""), code, "{who}");
    }
    // MT puts the message inside the operation.
    let document = ask("MT", &format!("<CNPJ>{COMPANY}</CNPJ>"));
    let (host, path) = (
        "homologacao.sefaz.mt.gov.br",
        "/nfews/v2/services/CadConsultaCadastro4",
    );
    let plain = world
        .soap(
            host,
            path,
            "CadConsultaCadastro4",
            &document,
            Some(&COMPANY_A1),
        )
        .await;
    assert_eq!(status(&plain), 500);
    let space = "http://www.portalfiscal.inf.br/nfe/wsdl/CadConsultaCadastro4";
    let wrapped = format!(
        "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\"><s:Body><consultaCadastro xmlns=\"{space}\"><nfeDadosMsg>{document}</nfeDadosMsg></consultaCadastro></s:Body></s:Envelope>"
    );
    let headers = vec![("content-type".to_owned(), "application/soap+xml".to_owned())];
    let answer = world
        .request(
            host,
            "POST",
            path,
            headers,
            wrapped.into_bytes(),
            Some(&COMPANY_A1),
        )
        .await;
    assert_eq!(cstat(&returned(&answer), ""), "111");
}

#[tokio::test]
async fn every_state_is_served_where_it_should_be() {
    let world = World::new();
    for (host, path, cuf) in [
        (
            "nfe-homologacao.svrs.rs.gov.br",
            "/ws/NfeStatusServico/NfeStatusServico4.asmx",
            "33",
        ),
        (
            "nfe-homologacao.svrs.rs.gov.br",
            "/ws/NfeStatusServico/NfeStatusServico4.asmx",
            "41",
        ),
        (
            "hom.sefazvirtual.fazenda.gov.br",
            "/NFeStatusServico4/NFeStatusServico4.asmx",
            "21",
        ),
        (
            "hom.sefazvirtual.fazenda.gov.br",
            "/NFeStatusServico4/NFeStatusServico4.asmx",
            "35",
        ),
        (
            "homnfe.sefaz.am.gov.br",
            "/services2/services/NfeStatusServico4",
            "13",
        ),
        (
            "homologacao.nfce.sefa.pr.gov.br",
            "/nfce/NFeStatusServico4",
            "41",
        ),
    ] {
        let answer = world
            .at(
                host,
                path,
                "NFeStatusServico4",
                &service_status(cuf),
                &COMPANY_A1,
            )
            .await;
        assert_eq!(cstat(&answer, ""), "107", "{host} {cuf}");
    }
    // The time of the state.
    let answer = world
        .at(
            "homnfe.sefaz.am.gov.br",
            "/services2/services/NfeStatusServico4",
            "NFeStatusServico4",
            &service_status("13"),
            &COMPANY_A1,
        )
        .await;
    assert_eq!(tag(&answer, "dhRecbto"), "2026-11-20T11:00:00-04:00");
    // A note of RJ at SVRS, of SP at the contingency of SVC-AN.
    let rj = Nota {
        cuf: "33",
        uf: "RJ",
        cmun: "3304557",
        ie: "80000000",
        ..Nota::nfe(1)
    };
    let rj = Nota {
        ie: valid_rj(),
        ..rj
    };
    let document = batch(true, &[rj.signed(&COMPANY_A1)]);
    let (host, path) = (
        "nfe-homologacao.svrs.rs.gov.br",
        "/ws/NfeAutorizacao/NFeAutorizacao4.asmx",
    );
    let answer = world
        .at(host, path, "NFeAutorizacao4", &document, &COMPANY_A1)
        .await;
    assert_eq!(cstat(&answer, "infProt"), "100", "{answer}");
    assert_eq!(
        cstat(&world.sefaz("NFeAutorizacao4", &document).await, "infProt"),
        "226"
    );
    let svc = Nota {
        tp_emis: "6",
        ..Nota::nfe(5)
    };
    let document = batch(true, &[svc.signed(&COMPANY_A1)]);
    let (host, path) = (
        "hom.sefazvirtual.fazenda.gov.br",
        "/NFeAutorizacao4/NFeAutorizacao4.asmx",
    );
    let answer = world
        .at(host, path, "NFeAutorizacao4", &document, &COMPANY_A1)
        .await;
    assert_eq!(cstat(&answer, "infProt"), "100", "{answer}");
    let normal = batch(true, &[Nota::nfe(2).signed(&COMPANY_A1)]);
    let answer = world
        .at(host, path, "NFeAutorizacao4", &normal, &COMPANY_A1)
        .await;
    assert_eq!(cstat(&answer, "infProt"), "713");
    assert_eq!(
        cstat(
            &world
                .sefaz(
                    "NFeAutorizacao4",
                    &batch(true, &[Nota { number: 3, ..svc }.signed(&COMPANY_A1)])
                )
                .await,
            "infProt"
        ),
        "570"
    );
}

/// Weights 2, 7, 6, 5, 4, 3, 2: 8*2 = 16; 16 mod 11 = 5; 11 - 5 = 6.
fn valid_rj() -> &'static str {
    "80000006"
}
