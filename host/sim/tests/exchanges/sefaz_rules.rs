//! The rules of authorization: one change, one refusal.

use crate::common::sefaz::*;
use crate::common::*;
use openssl::hash::{MessageDigest, hash};
use serde_json::json;

/// Verdict on a note changed before it was signed: of the note, or of the
/// batch when its structure is refused.
async fn judged(world: &World, nota: Nota) -> String {
    code(&world.authorize(&nota).await)
}

fn code(answer: &str) -> String {
    if answer.contains("<infProt") {
        cstat(answer, "infProt")
    } else {
        cstat(answer, "")
    }
}

#[tokio::test]
async fn each_rule_of_the_note_refuses_with_its_code() {
    let world = World::new();
    let total = "<vNF>125.50</vNF>";
    for (n, (from, to, code)) in (100u32..).zip([
        ("<cNF>48213957</cNF>", "<cNF>48213958</cNF>", "502"),
        ("<serie>1</serie>", "<serie>2</serie>", "502"),
        ("<tpAmb>2</tpAmb>", "<tpAmb>1</tpAmb>", "252"),
        ("<cMunFG>3550308", "<cMunFG>3106200", "271"),
        ("<tpImp>1", "<tpImp>4", "710"),
        ("<indPres>1", "<indPres>4", "794"),
        ("<indPres>1", "<indPres>2", "434"),
        ("<finNFe>1", "<finNFe>4", "321"),
        (
            "<IE>110042490114</IE><CRT>",
            "<IE>110042490115</IE><CRT>",
            "209",
        ),
        (
            "<cMun>3550308</cMun><xMun>CIDADE</xMun><UF>SP</UF><CEP>",
            "<cMun>3106200</cMun><xMun>CIDADE</xMun><UF>SP</UF><CEP>",
            "273",
        ),
        (
            "<CNPJ>44555666000181</CNPJ>",
            "<CNPJ>44555666000182</CNPJ>",
            "208",
        ),
        (HOMOLOGACAO, "CLIENTE", "598"),
        (
            "<indIEDest>1</indIEDest><IE>110042490114</IE>",
            "<indIEDest>1</indIEDest>",
            "728",
        ),
        (
            "<indIEDest>1</indIEDest>",
            "<indIEDest>2</indIEDest>",
            "791",
        ),
        (
            "<indIEDest>1</indIEDest><IE>110042490114</IE>",
            "<indIEDest>9</indIEDest>",
            "696",
        ),
        ("<det nItem=\"2\">", "<det nItem=\"3\">", "927"),
        ("<cEAN>SEM GTIN</cEAN>", "<cEAN>7891000315508</cEAN>", "611"),
        ("<NCM>84713012", "<NCM>84713099", "778"),
        ("<CFOP>5102", "<CFOP>5999", "770"),
        ("<CFOP>5102", "<CFOP>1102", "518"),
        ("<CFOP>5102", "<CFOP>6102", "732"),
        ("<CFOP>5102", "<CFOP>5202", "328"),
        ("<vUnCom>50.00", "<vUnCom>50.10", "629"),
        ("<vUnTrib>50.00", "<vUnTrib>50.10", "630"),
        ("<CRT>3", "<CRT>1", "590"),
        ("<vICMS>18.00</vICMS>", "<vICMS>18.10</vICMS>", "528"),
        ("<pIBSUF>0.1000", "<pIBSUF>0.2000", "1026"),
        ("<pIBSMun>0.0000", "<pIBSMun>0.0500", "1042"),
        ("<vIBSUF>0.10</vIBSUF>", "<vIBSUF>0.20</vIBSUF>", "1041"),
        ("<vCBS>0.90</vCBS>", "<vCBS>0.80</vCBS>", "1069"),
        ("<cClassTrib>000001", "<cClassTrib>000999", "1023"),
        ("<cClassTrib>000001", "<cClassTrib>200001", "1024"),
        ("<vBCIBSCBS>125.50", "<vBCIBSCBS>125.51", "1076"),
        (
            "<vIBSUF>0.13</vIBSUF></gIBSUF>",
            "<vIBSUF>0.14</vIBSUF></gIBSUF>",
            "1080",
        ),
        ("<vIBS>0.13</vIBS>", "<vIBS>0.14</vIBS>", "1085"),
        ("<vCBS>1.13</vCBS>", "<vCBS>1.14</vCBS>", "1091"),
        ("<ICMSTot><vBC>125.50", "<ICMSTot><vBC>125.51", "531"),
        ("<vICMS>22.59", "<vICMS>22.60", "532"),
        ("<vProd>125.50", "<vProd>125.51", "564"),
        ("<vFrete>0.00", "<vFrete>0.01", "535"),
        ("<vPIS>2.07", "<vPIS>2.08", "602"),
        ("<vCOFINS>9.54", "<vCOFINS>9.55", "603"),
        (total, "<vNF>125.51</vNF>", "610"),
        ("<vPag>125.50", "<vPag>130.00", "866"),
        ("<tPag>01</tPag>", "<tPag>99</tPag>", "441"),
        ("<tPag>01</tPag>", "<tPag>90</tPag>", "904"),
    ]) {
        assert_eq!(
            judged(&world, Nota::nfe(n).swap(from, to)).await,
            code,
            "{from} -> {to}"
        );
    }
    // Groups that go or come as a whole.
    let nota = Nota::nfe(1);
    let signed = nota.signed(&COMPANY_A1);
    let from = signed.find("<IBSCBSTot>").expect("total");
    let to = signed.find("</IBSCBSTot>").expect("total") + "</IBSCBSTot>".len();
    let totals = signed[from..to].to_owned();
    assert_eq!(judged(&world, nota.clone().swap(&totals, "")).await, "1119");
    let mut without = nota.clone();
    for n in 0..2 {
        let part = signed.split("<IBSCBS>").nth(n + 1).expect("group");
        let group = format!(
            "<IBSCBS>{}</IBSCBS>",
            part.split("</IBSCBS>").next().expect("end")
        );
        without = without.swap(&group, "");
    }
    assert_eq!(judged(&world, without.clone()).await, "1118");
    // Without any of it a note passes: the rule that asks for it is suspended.
    assert_eq!(judged(&world, without.swap(&totals, "")).await, "100");
}

/// B25-80: notes of debit and credit and what the government pays later, but
/// for returns, reductions and losses.
#[tokio::test]
async fn some_notes_carry_ibs_and_cbs_alone() {
    let world = World::new();
    let purpose = |n, to: &str| Nota::nfe(n).swap("<finNFe>1</finNFe>", to);
    for (n, (to, code)) in (1u32..).zip([
        ("<finNFe>6</finNFe><tpNFDebito>04</tpNFDebito>", "1001"),
        ("<finNFe>6</finNFe><tpNFDebito>06</tpNFDebito>", "1001"),
        ("<finNFe>6</finNFe><tpNFDebito>07</tpNFDebito>", "100"),
        ("<finNFe>5</finNFe><tpNFCredito>01</tpNFCredito>", "1001"),
        ("<finNFe>5</finNFe><tpNFCredito>03</tpNFCredito>", "100"),
        ("<finNFe>5</finNFe><tpNFCredito>04</tpNFCredito>", "100"),
        ("<finNFe>5</finNFe><tpNFCredito>06</tpNFCredito>", "100"),
    ]) {
        assert_eq!(judged(&world, purpose(n, to)).await, code, "{to}");
    }
    let purchase = |kind: &str| {
        format!(
            "<verProc>teste</verProc><gCompraGov><tpEnteGov>1</tpEnteGov><pRedutor>0.0000</pRedutor>\
             <tpOperGov>{kind}</tpOperGov></gCompraGov>"
        )
    };
    for (n, (kind, code)) in (20u32..).zip([("2", "1001"), ("1", "100")]) {
        let nota = Nota::nfe(n).swap("<verProc>teste</verProc>", &purchase(kind));
        assert_eq!(judged(&world, nota).await, code, "{kind}");
    }
}

#[tokio::test]
async fn base_times_rate_is_a_rule_of_normal_notes() {
    let world = World::new();
    let taxed = |nota: Nota, value: &str, total: &str| {
        nota.swap("<vICMS>18.00</vICMS>", &format!("<vICMS>{value}</vICMS>"))
            .swap("<vICMS>22.59</vICMS>", &format!("<vICMS>{total}</vICMS>"))
    };
    assert_eq!(
        judged(&world, taxed(Nota::nfe(1), "28.00", "32.59")).await,
        "528"
    );
    let reference = format!(
        "<verProc>teste</verProc><NFref><refNFe>{}</refNFe></NFref>",
        Nota::nfe(9).chave()
    );
    let complement = Nota::nfe(1)
        .swap("<finNFe>1", "<finNFe>2")
        .swap("<verProc>teste</verProc>", &reference);
    assert_eq!(
        judged(&world, taxed(complement, "28.00", "32.59")).await,
        "100"
    );
    // The fund of ICMS00 is charged on the base of the tax.
    let fund = |nota: Nota, value: &str| {
        let group = format!("<vICMS>18.00</vICMS><pFCP>2.0000</pFCP><vFCP>{value}</vFCP>");
        nota.swap("<vICMS>18.00</vICMS>", &group).swap(
            "<vFCP>0.00</vFCP><vBCST>",
            &format!("<vFCP>{value}</vFCP><vBCST>"),
        )
    };
    assert_eq!(judged(&world, fund(Nota::nfe(2), "2.02")).await, "860");
    assert_eq!(judged(&world, fund(Nota::nfe(2), "2.00")).await, "100");
}

#[tokio::test]
async fn keys_dates_and_number_codes() {
    let world = World::new();
    let late = |days: i64| Nota {
        issued_ms: NOW - days * DAY,
        ..Nota::nfe(u32::try_from(days).expect("small") + 10)
    };
    assert_eq!(judged(&world, late(6)).await, "100");
    assert_eq!(judged(&world, late(8)).await, "150");
    assert_eq!(judged(&world, late(31)).await, "228");
    assert_eq!(
        judged(
            &world,
            Nota {
                issued_ms: NOW + 6 * 60_000,
                ..Nota::nfe(1)
            }
        )
        .await,
        "703"
    );
    assert_eq!(
        judged(
            &world,
            Nota {
                issued_ms: NOW + 4 * 60_000,
                ..Nota::nfe(1)
            }
        )
        .await,
        "100"
    );
    for cnf in ["11111111", "12345678", "00000002"] {
        assert_eq!(
            judged(
                &world,
                Nota {
                    cnf,
                    ..Nota::nfe(2)
                }
            )
            .await,
            "897",
            "{cnf}"
        );
    }
    let nota = Nota::nfe(3);
    let digit = nota.chave()[43..].to_owned();
    let wrong = if digit == "5" { "6" } else { "5" };
    let nota = nota.swap(&format!("<cDV>{digit}"), &format!("<cDV>{wrong}"));
    assert_eq!(judged(&world, nota).await, "253");
    // The consultation tells a key under which the number is.
    let there = Nota::nfe(4);
    world.authorized(&there).await;
    let other = Nota {
        cnf: "48213959",
        ..there.clone()
    };
    let answer = world
        .sefaz("NFeConsultaProtocolo4", &query(&other.chave()))
        .await;
    assert_eq!(cstat(&answer, ""), "562");
    assert!(answer.contains(&there.chave()));
    for (key, code) in [
        ("0".repeat(44), "614"),
        (format!("{}0", &there.chave()[..43]), "236"),
    ] {
        let answer = world.sefaz("NFeConsultaProtocolo4", &query(&key)).await;
        let digit_is_zero = there.chave().ends_with('0') && code == "236";
        assert!(cstat(&answer, "") == code || digit_is_zero, "{answer}");
    }
}

#[tokio::test]
async fn signatures_and_certificates() {
    let world = World::new();
    let nota = Nota::nfe(1);
    let send = async |note: String, a1| {
        let answer = world
            .at(
                SP,
                &sp("NFeAutorizacao4"),
                "NFeAutorizacao4",
                &batch(true, &[note]),
                a1,
            )
            .await;
        code(&answer)
    };
    let signed = nota.signed(&COMPANY_A1);
    assert_eq!(
        send(signed.replace("PRODUTO B", "PRODUTO C"), &COMPANY_A1).await,
        "297"
    );
    let cut = |text: &str| tag(text, "SignatureValue");
    let other = Nota::nfe(2).signed(&COMPANY_A1);
    assert_eq!(
        send(signed.replace(&cut(&signed), &cut(&other)), &COMPANY_A1).await,
        "297"
    );
    assert_eq!(
        send(signed.replace("rsa-sha1", "rsa-sha256"), &COMPANY_A1).await,
        "225"
    );
    let from = signed.find("<Signature ").expect("signature");
    assert_eq!(
        send(format!("{}</NFe>", &signed[..from]), &COMPANY_A1).await,
        "225"
    );
    let old = a1(&PKI, COMPANY, NOW - 10 * DAY, NOW - DAY);
    assert_eq!(send(nota.signed(&old), &COMPANY_A1).await, "291");
    let foreign = sim::Pki::generate(NOW).expect("keys");
    let foreign = a1(&foreign, COMPANY, NOW - DAY, NOW + DAY);
    assert_eq!(send(nota.signed(&foreign), &COMPANY_A1).await, "293");
    assert_eq!(send(nota.signed(&OTHER_A1), &COMPANY_A1).await, "213");
    assert_eq!(send(signed.clone(), &OTHER_A1).await, "213");
    // Another establishment's certificate of the same company is good.
    let branch = a1(&PKI, "11222333000262", NOW - DAY, NOW + DAY);
    assert_eq!(send(nota.signed(&branch), &branch).await, "100");
}

#[tokio::test]
async fn consumer_notes() {
    let world = World::new();
    assert_eq!(judged(&world, Nota::nfce(1)).await, "100");
    assert_eq!(
        judged(
            &world,
            Nota {
                issued_ms: NOW - 6 * 60_000,
                ..Nota::nfce(2)
            }
        )
        .await,
        "704"
    );
    for (n, (from, to, code)) in (10u32..).zip([
        ("<idDest>1", "<idDest>2", "707"),
        ("<tpImp>4", "<tpImp>1", "709"),
        ("<indFinal>1", "<indFinal>0", "716"),
        ("<indPres>1", "<indPres>3", "717"),
        ("NOTA FISCAL EMITIDA", "NOTA EMITIDA", "373"),
        ("<CFOP>5102", "<CFOP>5109", "725"),
        ("<modFrete>9", "<modFrete>0", "753"),
        ("<vPag>125.50", "<vPag>100.00", "865"),
        ("<tPag>01</tPag>", "<tPag>03</tPag>", "391"),
    ]) {
        assert_eq!(
            judged(&world, Nota::nfce(n).swap(from, to)).await,
            code,
            "{from} -> {to}"
        );
    }
    // At the address of the other model.
    let wrong = batch(true, &[Nota::nfce(3).signed(&COMPANY_A1)]);
    assert_eq!(
        cstat(&world.sefaz("NFeAutorizacao4", &wrong).await, "infProt"),
        "450"
    );
    // Off line: within a day, late after it.
    let offline = |n, ms| {
        let nota = Nota {
            tp_emis: "9",
            issued_ms: ms,
            ..Nota::nfce(n)
        };
        let parameters = format!("{}|3|2|{}|125.50||", nota.chave(), &date(ms)[8..10]);
        let key =
            openssl::pkey::PKey::private_key_from_pkcs8(&COMPANY_A1.key_pkcs8_der).expect("key");
        let mut signer = openssl::sign::Signer::new(MessageDigest::sha1(), &key).expect("signer");
        let value = signer
            .sign_oneshot_to_vec(parameters.as_bytes())
            .expect("signature");
        use base64::Engine;
        let value = base64::engine::general_purpose::STANDARD.encode(value);
        Nota {
            qr: Some(format!("{QR}?p={parameters}|{value}")),
            ..nota
        }
    };
    assert_eq!(judged(&world, offline(30, NOW - 3_600_000)).await, "100");
    assert_eq!(judged(&world, offline(31, NOW - 2 * DAY)).await, "150");
    let forged = offline(32, NOW - 3_600_000);
    let qr = forged
        .qr
        .clone()
        .expect("code")
        .replace("|125.50|", "|125.51|");
    assert_eq!(
        judged(
            &world,
            Nota {
                qr: Some(qr),
                ..forged
            }
        )
        .await,
        "397"
    );
}

#[tokio::test]
async fn qr_codes_of_version_two_need_the_security_code() {
    let world = World::new();
    let code = |nota: &Nota, id: &str, csc: &str| {
        let signed = format!("{}|2|2|{id}", nota.chave());
        let sum = hash(MessageDigest::sha1(), format!("{signed}{csc}").as_bytes()).expect("hash");
        let hex: String = sum.iter().map(|b| format!("{b:02X}")).collect();
        Some(format!("{QR}?p={signed}|{hex}"))
    };
    let nota = Nota::nfce(1);
    // Nothing is registered yet: any hash is taken.
    let unknown = Nota {
        qr: code(&nota, "1", "QUALQUER"),
        ..nota
    };
    assert_eq!(judged(&world, unknown).await, "100");
    let order = json!({"cnpj": COMPANY, "id": "000001", "csc": "SEGREDO"});
    assert_eq!(status(&world.control("PUT", "sefaz/csc", order).await), 200);
    for (n, (id, csc, expected)) in (2u32..).zip([
        ("1", "SEGREDO", "100"),
        ("1", "OUTRO", "464"),
        ("2", "SEGREDO", "462"),
    ]) {
        let nota = Nota::nfce(n);
        assert_eq!(
            judged(
                &world,
                Nota {
                    qr: code(&nota, id, csc),
                    ..nota
                }
            )
            .await,
            expected
        );
    }
    let nota = Nota::nfce(9);
    for (qr, expected) in [
        (format!("{QR}?p=|3|2"), "225"),
        (format!("{QR}?p={}|3|2", Nota::nfce(8).chave()), "397"),
        (format!("{QR}?p={}|3|1", nota.chave()), "397"),
        (format!("{QR}?p={}|1|2", nota.chave()), "225"),
        (
            format!("https://exemplo.invalid/qrcode?p={}|3|2", nota.chave()),
            "395",
        ),
        (
            format!("{}?p={}|3|2", QR.replace("homologacao.", ""), nota.chave()),
            "395",
        ),
        (String::new(), "225"),
    ] {
        assert_eq!(
            judged(
                &world,
                Nota {
                    qr: Some(qr.clone()),
                    ..nota.clone()
                }
            )
            .await,
            expected,
            "{qr}"
        );
    }
}

#[tokio::test]
async fn the_largest_note_is_judged_in_reasonable_time() {
    let world = World::new();
    let signed = Nota::nfe(1).signed(&COMPANY_A1);
    let from = signed.find("<det nItem=\"2\">").expect("item");
    let to = signed.rfind("</det>").expect("item") + "</det>".len();
    let item = signed[from..to].to_owned();
    let many: String = (2..=990)
        .map(|n| item.replace("nItem=\"2\"", &format!("nItem=\"{n}\"")))
        .collect();
    let begun = std::time::Instant::now();
    // Every item is right, the totals are those of two.
    let verdict = judged(&world, Nota::nfe(1).swap(&item, &many)).await;
    assert_eq!(verdict, "1076");
    // Unoptimized and on a loaded machine: only a wrong order of growth shows.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
