//! MDF-e 3.00: authorization, events, manifests nobody closed, query, status
//! and faults.

use sim::SimAnswer;

use crate::common::freight::*;
use crate::common::sefaz::{cstat, tag};
use crate::common::*;

/// With a vehicle of its own: an open manifest blocks others of its vehicle.
fn mdfe(number: u32) -> Freight {
    Freight::mdfe(number).swap("ABC1D23", &format!("ABC{number:04}"))
}

/// A journey whose notes come later.
fn loaded_later(number: u32) -> Freight {
    let document = format!("<infNFe><chNFe>{}</chNFe></infNFe>", nfe(1));
    mdfe(number)
        .swap("<UFFim>RJ", "<UFFim>SP")
        .swap(
            "</infMunCarrega>",
            "</infMunCarrega><indCarregaPosterior>1</indCarregaPosterior>",
        )
        .swap("3304557", "3550308")
        .swap(&document, "")
        .swap("<qNFe>1</qNFe>", "")
}

fn closing(document: &Freight, protocol: &str, day: &str, state: &str, town: &str) -> Said {
    Said::new(
        document,
        "110112",
        &format!(
            "<evEncMDFe><descEvento>Encerramento</descEvento><nProt>{protocol}</nProt><dtEnc>{day}</dtEnc><cUF>{state}</cUF><cMun>{town}</cMun></evEncMDFe>"
        ),
    )
}

fn closed_at_rio(document: &Freight, protocol: &str) -> Said {
    closing(document, protocol, "2026-11-20", "33", "3304557")
}

fn driver(document: &Freight, sequence: u32, cpf: &str) -> Said {
    let detail = format!(
        "<evIncCondutorMDFe><descEvento>Inclusao Condutor</descEvento><condutor><xNome>OUTRO MOTORISTA</xNome><CPF>{cpf}</CPF></condutor></evIncCondutorMDFe>"
    );
    Said {
        sequence,
        ..Said::new(document, "110114", &detail)
    }
}

fn included(document: &Freight, sequence: u32, protocol: &str, key: &str) -> Said {
    let detail = format!(
        "<evIncDFeMDFe><descEvento>Inclusao DF-e</descEvento><nProt>{protocol}</nProt><cMunCarrega>3550308</cMunCarrega><xMunCarrega>SAO PAULO</xMunCarrega>\
         <infDoc><cMunDescarga>3550308</cMunDescarga><xMunDescarga>SAO PAULO</xMunDescarga><chNFe>{key}</chNFe></infDoc></evIncDFeMDFe>"
    );
    Said {
        sequence,
        ..Said::new(document, "110115", &detail)
    }
}

async fn service_status(world: &World) -> SimAnswer {
    let message = format!(
        "<consStatServMDFe xmlns=\"{}\" versao=\"3.00\"><tpAmb>2</tpAmb><xServ>STATUS</xServ></consStatServMDFe>",
        MDFE.space()
    );
    world
        .freight(&MDFE, MDFE_SVRS, "MDFeStatusServico", &message)
        .await
}

/// Manifests of a company that are open: code, and their keys.
async fn open(world: &World, cnpj: &str) -> (String, Vec<String>) {
    let message = format!(
        "<consMDFeNaoEnc xmlns=\"{}\" versao=\"3.00\"><tpAmb>2</tpAmb><xServ>CONSULTAR NÃO ENCERRADOS</xServ><CNPJ>{cnpj}</CNPJ></consMDFeNaoEnc>",
        MDFE.space()
    );
    let answer = world
        .freight(&MDFE, MDFE_SVRS, "MDFeConsNaoEnc", &message)
        .await;
    let answer = MDFE.returned(&answer);
    let keys = answer
        .split("<infMDFe>")
        .skip(1)
        .map(|one| tag(one, "chMDFe"));
    (cstat(&answer, ""), keys.collect())
}

#[tokio::test]
async fn status_of_the_service() {
    let world = World::new();
    let answer = MDFE.returned(&service_status(&world).await);
    assert_eq!(cstat(&answer, ""), "107");
    world.fault(fault_on("status", "pausado")).await;
    let answer = MDFE.returned(&service_status(&world).await);
    assert_eq!(cstat(&answer, ""), "108");
}

#[tokio::test]
async fn authorized_asked_for_and_sent_again() {
    let world = World::new();
    let one = mdfe(1);
    assert_eq!(world.ask(&MDFE, MDFE_SVRS, &one.key()).await.0, "217");
    let (code, answer) = world.send(&one).await;
    assert_eq!(code, "100", "{answer}");
    assert_eq!(tag(&answer, "chMDFe"), one.key());
    let from = answer.find("<protMDFe").expect("protocol");
    let to = answer.find("</retMDFe>").expect("end");
    let joined = format!(
        "<mdfeProc xmlns=\"{}\" versao=\"3.00\">{}{}</mdfeProc>",
        MDFE.space(),
        one.signed(&COMPANY_A1),
        &answer[from..to]
    );
    MDFE.valid("procMDFe", &joined);
    let (code, asked) = world.ask(&MDFE, MDFE_SVRS, &one.key()).await;
    assert_eq!(
        (code.as_str(), tag(&asked, "nProt")),
        ("100", tag(&answer, "nProt"))
    );
    assert_eq!(world.send(&one).await.0, "204");
    let other = Freight {
        code: "48213958",
        ..one.clone()
    };
    let (code, taken) = world.send(&other).await;
    assert_eq!(code, "539");
    assert!(
        taken.contains(&format!("[chMDFe:{}]", one.key())),
        "{taken}"
    );
    assert_eq!(world.ask(&MDFE, MDFE_SVRS, &other.key()).await.0, "216");
}

#[tokio::test]
async fn each_rule_refuses() {
    let world = World::new();
    let key = nfe(1);
    let document = format!("<infNFe><chNFe>{key}</chNFe></infNFe>");
    let carried = format!("<infCTe><chCTe>{}</chCTe></infCTe>", Freight::cte(1).key());
    let driver = "<condutor><xNome>MOTORISTA</xNome><CPF>52998224725</CPF></condutor>";
    let town = "<infMunCarrega><cMunCarrega>3550308</cMunCarrega><xMunCarrega>CAPITAL</xMunCarrega></infMunCarrega>";
    let mut number = 0;
    let mut wrong = Vec::new();
    for (from, to, code) in [
        ("<tpAmb>2<", "<tpAmb>1<", "252"),
        ("<nMDF>", "<nMDF>9", "227"),
        ("<tpEmit>2</tpEmit>", "", "215"),
        ("<dhEmi>2026-11-20T11:59", "<dhEmi>2026-11-20T12:59", "212"),
        ("<dhEmi>2026-11-20", "<dhEmi>2026-11-19", "228"),
        ("<IE>110042490114", "<IE>110042490115", "209"),
        ("<cMun>3550308", "<cMun>3304557", "407"),
        ("<cMunCarrega>3550308", "<cMunCarrega>3304557", "456"),
        ("<cMunCarrega>3550308", "<cMunCarrega>9950308", "405"),
        ("<cMunDescarga>3304557", "<cMunDescarga>3550308", "612"),
        (town, &town.repeat(2), "685"),
        ("<tpEmit>2<", "<tpEmit>1<", "638"),
        (&document, &carried, "639"),
        (&key, &key.replace("55001", "65001"), "604"),
        (&document, &document.repeat(2), "669"),
        (&document, "", "616"),
        ("<qNFe>1<", "<qNFe>2<", "667"),
        ("52998224725", "52998224726", "645"),
        (driver, &driver.repeat(2), "577"),
        (
            "</infMunCarrega>",
            "</infMunCarrega><indCarregaPosterior>1</indCarregaPosterior>",
            "704",
        ),
    ] {
        number += 1;
        let one = mdfe(number).swap(from, to);
        let (refused, answer) = world.send(&one).await;
        if refused != code {
            let reason = tag(&answer, "xMotivo");
            wrong.push(format!("{from} -> {to}: {refused}, not {code}: {reason}"));
        }
        let absent = world.ask(&MDFE, MDFE_SVRS, &one.key()).await.0;
        assert_eq!(absent, "217", "{from}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let one = mdfe(90);
    for (one, code) in [
        (
            Freight {
                qr: "https://example.com/qrCode".to_owned(),
                ..one.clone()
            },
            "479",
        ),
        (
            Freight {
                qr: format!("{}?chMDFe={}&amp;tpAmb=2", one.qr, mdfe(91).key()),
                ..one.clone()
            },
            "481",
        ),
        (
            Freight {
                tp_emis: "2",
                ..one.clone()
            },
            "482",
        ),
    ] {
        let (refused, answer) = world.send(&one).await;
        assert_eq!(refused, code, "{answer}");
    }
    let mut offline = Freight {
        tp_emis: "2",
        ..one
    };
    let sign = rsa_sha1(&offline.key(), &COMPANY_A1);
    offline.qr = format!(
        "{}?chMDFe={}&amp;tpAmb=2&amp;sign={sign}",
        offline.qr,
        offline.key()
    );
    world.protocol_of(&offline).await;
}

#[tokio::test]
async fn the_header_names_state_and_version() {
    let world = World::new();
    let space = format!("{}/wsdl/MDFeRecepcaoSinc", MDFE.space());
    let packed = gzip64(&mdfe(1).signed(&COMPANY_A1));
    for (header, code) in [
        (String::new(), "242"),
        (
            format!(
                "<mdfeCabecMsg xmlns=\"{space}\"><versaoDados>3.00</versaoDados></mdfeCabecMsg>"
            ),
            "409",
        ),
        (
            format!(
                "<mdfeCabecMsg xmlns=\"{space}\"><cUF>99</cUF><versaoDados>3.00</versaoDados></mdfeCabecMsg>"
            ),
            "410",
        ),
        (
            format!("<mdfeCabecMsg xmlns=\"{space}\"><cUF>35</cUF></mdfeCabecMsg>"),
            "411",
        ),
        (
            format!(
                "<mdfeCabecMsg xmlns=\"{space}\"><cUF>35</cUF><versaoDados>1.00</versaoDados></mdfeCabecMsg>"
            ),
            "239",
        ),
    ] {
        let envelope = format!(
            "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Header>{header}</e:Header>\
             <e:Body><mdfeDadosMsg xmlns=\"{space}\">{packed}</mdfeDadosMsg></e:Body></e:Envelope>"
        );
        let headers = vec![("content-type".to_owned(), "application/soap+xml".to_owned())];
        let path = "/ws/MDFeRecepcaoSinc/MDFeRecepcaoSinc.asmx";
        let answer = world
            .request(
                MDFE_SVRS.0,
                "POST",
                path,
                headers,
                envelope.into_bytes(),
                Some(&COMPANY_A1),
            )
            .await;
        assert_eq!(cstat(&MDFE.returned(&answer), ""), code, "{header}");
    }
}

#[tokio::test]
async fn cancelled_within_a_day() {
    let world = World::new();
    let one = mdfe(1);
    let protocol = world.protocol_of(&one).await;
    assert_eq!(
        world.say(&cancelling(&one, "935260000000001")).await.0,
        "222"
    );
    let cancel = cancelling(&one, &protocol);
    let (code, answer) = world.say(&cancel).await;
    assert_eq!(code, "135", "{answer}");
    assert_eq!(world.say(&cancel).await.0, "631");
    let (code, asked) = world.ask(&MDFE, MDFE_SVRS, &one.key()).await;
    assert_eq!(code, "101");
    assert!(asked.contains("<procEventoMDFe"), "{asked}");
    assert_eq!(world.send(&one).await.0, "218");
    assert_eq!(world.say(&closed_at_rio(&one, &protocol)).await.0, "218");
    let old = mdfe(2);
    let protocol = world.protocol_of(&old).await;
    world.advance(DAY + 1_000);
    assert_eq!(world.say(&cancelling(&old, &protocol)).await.0, "220");
}

#[tokio::test]
async fn open_until_it_is_closed() {
    let world = World::new();
    assert_eq!(open(&world, COMPANY).await, ("112".to_owned(), vec![]));
    let (one, two) = (mdfe(1), mdfe(2));
    let first = world.protocol_of(&one).await;
    world.protocol_of(&two).await;
    assert_eq!(
        open(&world, COMPANY).await,
        ("111".to_owned(), vec![one.key(), two.key()])
    );
    assert_eq!(open(&world, OTHER).await.0, "213");
    for (day, state, town, code) in [
        ("2026-11-20", "33", "3550308", "614"),
        ("2026-11-20", "33", "9904557", "714"),
        ("2026-11-20", "99", "3304557", "689"),
        ("2026-11-19", "33", "3304557", "615"),
    ] {
        let (refused, answer) = world.say(&closing(&one, &first, day, state, town)).await;
        assert_eq!(refused, code, "{answer}");
    }
    let (code, answer) = world.say(&closed_at_rio(&one, &first)).await;
    assert_eq!(code, "135", "{answer}");
    assert_eq!(tag(&answer, "xEvento"), "Encerramento");
    assert_eq!(world.say(&closed_at_rio(&one, &first)).await.0, "631");
    let (code, asked) = world.ask(&MDFE, MDFE_SVRS, &one.key()).await;
    assert_eq!(code, "132");
    assert!(asked.contains("<procEventoMDFe"), "{asked}");
    assert_eq!(open(&world, COMPANY).await.1, [two.key()]);
    assert_eq!(world.say(&cancelling(&one, &first)).await.0, "609");
    assert_eq!(world.say(&driver(&one, 1, "11144477735")).await.0, "609");
    assert_eq!(world.send(&one).await.0, "609");
}

#[tokio::test]
async fn an_open_one_blocks_its_vehicle_and_in_time_all() {
    let world = World::new();
    let same = |number: u32| Freight::mdfe(number);
    let first = world.protocol_of(&same(1)).await;
    let (code, answer) = world.send(&same(2)).await;
    assert_eq!(code, "611");
    assert!(
        answer.contains(&format!("[chMDFe:{}][nProt:{first}]", same(1).key())),
        "{answer}"
    );
    let later = |number: u32, days: i64| Freight {
        issued_ms: NOW + days * DAY - 60_000,
        ..mdfe(number)
    };
    world.advance(29 * DAY);
    world.protocol_of(&later(3, 29)).await;
    world.advance(2 * DAY);
    assert_eq!(world.send(&later(4, 31)).await.0, "686");
}

#[tokio::test]
async fn drivers_and_documents_are_added() {
    let world = World::new();
    let one = mdfe(1);
    let protocol = world.protocol_of(&one).await;
    world
        .answers([
            (driver(&one, 1, "52998224726"), "645"),
            (driver(&one, 1, "52998224725"), "577"),
            (driver(&one, 1, "11144477735"), "135"),
            (driver(&one, 2, "11144477735"), "577"),
            (included(&one, 1, &protocol, &nfe(2)), "708"),
        ])
        .await;
    let later = loaded_later(2);
    let protocol = world.protocol_of(&later).await;
    let day = |protocol: &str| closing(&later, protocol, "2026-11-20", "35", "3550308");
    assert_eq!(world.say(&day(&protocol)).await.0, "715");
    world
        .answers([
            (
                included(&later, 1, &protocol, &Freight::cte(1).key()),
                "709",
            ),
            (included(&later, 1, &protocol, &nfe(2)), "135"),
            (included(&later, 2, &protocol, &nfe(2)), "711"),
            (included(&later, 2, &protocol, &nfe(3)), "135"),
            (cancelling(&later, &protocol), "710"),
            (day(&protocol), "135"),
        ])
        .await;
    let (code, asked) = world.ask(&MDFE, MDFE_SVRS, &later.key()).await;
    assert_eq!(code, "132");
    assert_eq!(asked.matches("<procEventoMDFe").count(), 3);
}

#[tokio::test]
async fn a_carried_cte_is_not_cancelled() {
    let world = World::new();
    let cte = Freight::cte(1);
    let protocol = world.protocol_of(&cte).await;
    let document = format!("<infNFe><chNFe>{}</chNFe></infNFe>", nfe(1));
    let carried = format!("<infCTe><chCTe>{}</chCTe></infCTe>", cte.key());
    let one = mdfe(1)
        .swap("<tpEmit>2<", "<tpEmit>1<")
        .swap(&document, &carried)
        .swap("<qNFe>1</qNFe>", "<qCTe>1</qCTe>");
    let own = world.protocol_of(&one).await;
    assert_eq!(world.say(&cancelling(&cte, &protocol)).await.0, "528");
    assert_eq!(world.say(&cancelling(&one, &own)).await.0, "135");
    assert_eq!(world.say(&cancelling(&cte, &protocol)).await.0, "135");
}

#[tokio::test]
async fn faults_work_as_at_the_others() {
    let world = World::new();
    for (number, (kind, processed, code)) in (1u32..).zip([
        ("duplicada", true, "204"),
        ("consumo_indevido", false, "678"),
        ("recusar", false, "999"),
    ]) {
        world.fault(fault_on("autorizar", kind)).await;
        let one = mdfe(number);
        let (answered, answer) = world.send(&one).await;
        assert_eq!(answered, code, "{kind}: {answer}");
        let there = if processed { "100" } else { "217" };
        assert_eq!(
            world.ask(&MDFE, MDFE_SVRS, &one.key()).await.0,
            there,
            "{kind}"
        );
    }
    world.fault(fault_on("nao_encerrados", "pausado")).await;
    assert_eq!(open(&world, COMPANY).await.0, "108");
    let (one, protocol) = (mdfe(1), "935260000000001");
    world.fault(fault_on("encerrar", "pausado")).await;
    assert_eq!(world.say(&closed_at_rio(&one, protocol)).await.0, "108");
}

#[tokio::test]
async fn the_file_keeps_them() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    let (closed, left) = (mdfe(1), mdfe(2));
    {
        let world = World::with(Some(file.clone()));
        let protocol = world.protocol_of(&closed).await;
        world.protocol_of(&left).await;
        assert_eq!(world.say(&closed_at_rio(&closed, &protocol)).await.0, "135");
    }
    let world = World::with(Some(file));
    assert_eq!(world.ask(&MDFE, MDFE_SVRS, &closed.key()).await.0, "132");
    assert_eq!(
        open(&world, COMPANY).await,
        ("111".to_owned(), vec![left.key()])
    );
}
