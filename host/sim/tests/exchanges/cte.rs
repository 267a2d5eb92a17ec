//! CT-e 4.00: authorization, events, query, status and faults.

use serde_json::json;
use sim::SimAnswer;

use crate::common::freight::*;
use crate::common::sefaz::{cstat, date, tag};
use crate::common::*;

fn correction(cte: &Freight, sequence: u32, group: &str, field: &str) -> Said {
    let condition = "A Carta de Correção é disciplinada pelo Art. 58-B do CONVÊNIO/SINIEF 06/89: Fica permitida a utilização de carta de correção, para regularização de erro ocorrido na emissão de documentos fiscais relativos à prestação de serviço de transporte, desde que o erro não esteja relacionado com: I - as variáveis que determinam o valor do imposto tais como: base de cálculo, alíquota, diferença de preço, quantidade, valor da prestação;II - a correção de dados cadastrais que implique mudança do emitente, tomador, remetente ou do destinatário;III - a data de emissão ou de saída.";
    let detail = format!(
        "<evCCeCTe><descEvento>Carta de Correção</descEvento><infCorrecao><grupoAlterado>{group}</grupoAlterado><campoAlterado>{field}</campoAlterado>\
         <valorAlterado>Valor novo</valorAlterado></infCorrecao><xCondUso>{condition}</xCondUso></evCCeCTe>"
    );
    Said {
        sequence,
        ..Said::new(cte, "110110", &detail)
    }
}

/// The announcement of a CT-e that is issued later.
fn epec(cte: &Freight, value: &str) -> Said {
    let moment = date(cte.issued_ms);
    let detail = format!(
        "<evEPECCTe><descEvento>EPEC</descEvento><xJust>Servico da autorizadora fora do ar</xJust><vICMS>60.00</vICMS><vTPrest>{value}</vTPrest>\
         <vCarga>1000.00</vCarga><toma4><toma>3</toma><UF>SP</UF><CNPJ>{OTHER}</CNPJ></toma4><modal>01</modal><UFIni>SP</UFIni><UFFim>SP</UFFim>\
         <tpCTe>0</tpCTe><dhEmi>{moment}</dhEmi></evEPECCTe>"
    );
    Said::new(cte, "110113", &detail)
}

fn late(number: u32) -> Freight {
    let mut cte = Freight {
        tp_emis: "4",
        ..Freight::cte(number)
    }
    .swap(
        "</toma3>",
        "</toma3><dhCont>2026-11-20T11:00:00-03:00</dhCont><xJust>Servico da autorizadora fora do ar</xJust>",
    );
    let key = cte.key();
    let sign = rsa_sha1(&key, &COMPANY_A1);
    cte.qr = format!("{}?chCTe={key}&amp;tpAmb=2&amp;sign={sign}", cte.qr);
    cte
}

async fn service_status(world: &World, address: Address, cuf: &str) -> SimAnswer {
    let message = format!(
        "<consStatServCTe xmlns=\"{}\" versao=\"4.00\"><tpAmb>2</tpAmb><cUF>{cuf}</cUF><xServ>STATUS</xServ></consStatServCTe>",
        CTE.space()
    );
    world
        .freight(&CTE, address, "CTeStatusServicoV4", &message)
        .await
}

#[tokio::test]
async fn status_of_the_service() {
    let world = World::new();
    for (address, cuf, code) in [
        (CTE_SP, "35", "107"),
        (CTE_SP, "26", "107"),
        (CTE_SVRS, "33", "107"),
        // SVC-SP serves RJ in contingency, SVC-RS serves SP.
        (CTE_SP, "33", "107"),
        (CTE_SVRS, "35", "107"),
    ] {
        let answer = CTE.returned(&service_status(&world, address, cuf).await);
        assert_eq!(cstat(&answer, ""), code, "{cuf}");
        assert_eq!(tag(&answer, "cUF"), cuf);
    }
}

#[tokio::test]
async fn authorized_asked_for_and_sent_again() {
    let world = World::new();
    let cte = Freight::cte(1);
    let (absent, _) = world.ask(&CTE, CTE_SP, &cte.key()).await;
    assert_eq!(absent, "217");
    let (code, answer) = world.send(&cte).await;
    assert_eq!(code, "100", "{answer}");
    assert_eq!(tag(&answer, "chCTe"), cte.key());
    assert_eq!(cstat(&answer, "protCTe"), "100");
    let from = answer.find("<protCTe").expect("protocol");
    let to = answer.find("</retCTe>").expect("end");
    let document = cte.signed(&COMPANY_A1);
    let joined = format!(
        "<cteProc xmlns=\"{}\" versao=\"4.00\">{document}{}</cteProc>",
        CTE.space(),
        &answer[from..to]
    );
    CTE.valid("procCTe", &joined);
    let (code, asked) = world.ask(&CTE, CTE_SP, &cte.key()).await;
    assert_eq!(
        (code.as_str(), tag(&asked, "nProt")),
        ("100", tag(&answer, "nProt"))
    );
    // Equal, with other content, and the number under another key.
    let (code, again) = world.send(&cte).await;
    assert_eq!(code, "204");
    let protocol = tag(&answer, "nProt");
    assert!(
        again.contains(&format!("[nProt:{protocol}][dhAut:2026-11-20T")),
        "{again}"
    );
    let changed = cte.clone().swap("<proPred>Pecas<", "<proPred>Livros<");
    assert_eq!(world.send(&changed).await.0, "204");
    let other = Freight {
        code: "48213958",
        ..cte.clone()
    };
    let (code, taken) = world.send(&other).await;
    assert_eq!(code, "539");
    assert!(taken.contains(&format!("[chCTe:{}]", cte.key())), "{taken}");
    let (code, taken) = world.ask(&CTE, CTE_SP, &other.key()).await;
    assert_eq!(code, "216");
    assert!(taken.contains(&cte.key()), "{taken}");
    let other = Freight {
        issued_ms: cte.issued_ms - 30 * DAY,
        ..cte.clone()
    };
    assert_eq!(world.ask(&CTE, CTE_SP, &other.key()).await.0, "600");
}

#[tokio::test]
async fn each_rule_refuses() {
    let world = World::new();
    let name = "CTE EMITIDO EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";
    let mut number = 0;
    let mut wrong = Vec::new();
    for (from, to, code) in [
        ("<tpAmb>2<", "<tpAmb>1<", "252"),
        ("<nCT>", "<nCT>9", "227"),
        ("<cDV>", "<cDV>1", "215"),
        ("<natOp>Transporte</natOp>", "", "215"),
        ("<dhEmi>2026-11-20T11:59", "<dhEmi>2026-11-20T12:59", "212"),
        ("<dhEmi>2026-11-20", "<dhEmi>2026-11-13", "228"),
        ("<serie>1<", "<serie>890<", "670"),
        ("<CFOP>5353", "<CFOP>6353", "519"),
        ("<CFOP>5353", "<CFOP>5932", "908"),
        (
            &format!("<xNome>{name}</xNome><enderReme>"),
            "<xNome>OUTRO</xNome><enderReme>",
            "646",
        ),
        (
            &format!("<xNome>{name}</xNome><enderDest>"),
            "<xNome>OUTRO</xNome><enderDest>",
            "649",
        ),
        ("<toma>3</toma>", "<toma>2</toma>", "462"),
        ("<indIEToma>9<", "<indIEToma>1<", "481"),
        ("<indIEToma>9<", "<indIEToma>2<", "482"),
        ("versaoModal=\"4.00\"", "versaoModal=\"4.01\"", "579"),
        ("<vCarga>1000.00</vCarga>", "", "581"),
        ("<vICMS>60.00", "<vICMS>61.00", "675"),
        ("<vRec>500.00", "<vRec>500.01", "531"),
        ("<tpServ>0<", "<tpServ>1<", "521"),
        ("<tpServ>0<", "<tpServ>3<", "694"),
        ("<IE>110042490114", "<IE>110042490115", "209"),
        (
            &format!("<dest><CNPJ>{OTHER}"),
            "<dest><CNPJ>44555666000182",
            "208",
        ),
        ("<cMunEnv>3550308", "<cMunEnv>3304557", "493"),
        ("<tpCTe>0<", "<tpCTe>1<", "459"),
        (&nfe(1), &nfe(1).replace("55001", "57001"), "843"),
    ] {
        number += 1;
        let cte = Freight::cte(number).swap(from, to);
        let (refused, answer) = world.send(&cte).await;
        if refused != code {
            let reason = tag(&answer, "xMotivo");
            wrong.push(format!("{from} -> {to}: {refused}, not {code}: {reason}"));
        }
        let absent = world.ask(&CTE, CTE_SP, &cte.key()).await.0;
        assert_eq!(absent, "217", "{from}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let twice = format!("<infNFe><chave>{}</chave></infNFe>", nfe(1));
    let cte = Freight::cte(90).swap(&twice, &format!("{twice}{twice}"));
    assert_eq!(world.send(&cte).await.0, "527");
    // Of a state whose contingency is elsewhere, and of one that is not served.
    let other = Freight {
        cuf: "50",
        uf: "MS",
        cmun: "5002704",
        ..Freight::cte(91)
    };
    assert_eq!(world.send(&other).await.0, "513");
    let document = Freight::cte(92).signed(&COMPANY_A1);
    let minas = ("hcte.fazenda.mg.gov.br", "/cte/services/{}");
    let answer = world.packed(&CTE, minas, &document).await;
    assert_eq!(cstat(&CTE.returned(&answer), ""), "410");
    assert_eq!(world.sim.overview().sefaz.notas, 0);
}

#[tokio::test]
async fn address_of_the_qr_code() {
    let world = World::new();
    let with = |number: u32, qr: &str| Freight {
        qr: qr.to_owned(),
        ..Freight::cte(number)
    };
    let own = Freight::cte(1).qr;
    let key = Freight::cte(4).key();
    for (cte, code) in [
        (
            with(1, "https://dfe-portal.svrs.rs.gov.br/cte/qrCode"),
            "851",
        ),
        (with(2, &format!("{own}?chCTe={key}&amp;tpAmb=2")), "852"),
        (
            with(
                3,
                &format!("{own}?chCTe={}&amp;tpAmb=1", Freight::cte(3).key()),
            ),
            "851",
        ),
        (
            with(4, &format!("{own}?chCTe={key}&amp;tpAmb=2&amp;sign=AAAA")),
            "854",
        ),
    ] {
        let (refused, answer) = world.send(&cte).await;
        assert_eq!(refused, code, "{answer}");
    }
    let mut without = Freight::cte(5).signed(&COMPANY_A1);
    let (from, to) = (
        without.find("<infCTeSupl>").expect("from"),
        without.find("<Signature").expect("to"),
    );
    without.replace_range(from..to, "");
    let answer = CTE.returned(&world.packed(&CTE, CTE_SP, &without).await);
    assert_eq!(cstat(&answer, ""), "850", "{answer}");
}

#[tokio::test]
async fn signatures_and_messages() {
    let world = World::new();
    let cte = Freight::cte(1);
    let document = cte.signed(&COMPANY_A1);
    let other = cte.signed(&OTHER_A1);
    for (message, code) in [
        (document.replace("<proPred>Pecas", "<proPred>Outra"), "297"),
        (other, "213"),
        (
            document
                .replace("<CTe ", "<Cte ")
                .replace("</CTe>", "</Cte>"),
            "215",
        ),
        (document.replace("<infCTeSupl>", " <infCTeSupl>"), "599"),
        (
            document.replace("versao=\"4.00\">", "versao=\"3.00\">"),
            "239",
        ),
        (document[..300].to_owned(), "243"),
        (
            document.replace("portalfiscal.inf.br/cte\"", "portalfiscal.inf.br/nfe\""),
            "598",
        ),
    ] {
        let answer = CTE.returned(&world.packed(&CTE, CTE_SP, &message).await);
        assert_eq!(cstat(&answer, ""), code, "{answer}");
    }
    let plain = world
        .freight(&CTE, CTE_SP, "CTeRecepcaoSincV4", &document)
        .await;
    assert_eq!(cstat(&CTE.returned(&plain), ""), "244");
    assert_eq!(world.sim.overview().sefaz.notas, 0);
}

#[tokio::test]
async fn cancelling_and_what_forbids_it() {
    let world = World::new();
    let cte = Freight::cte(1);
    let protocol = world.protocol_of(&cte).await;
    let cancel = cancelling(&cte, &protocol);
    world
        .answers([
            (cancelling(&cte, "135260000000001"), "222"),
            (
                Said {
                    author: "11222333000262",
                    ..cancel.clone()
                },
                "632",
            ),
            (
                Said {
                    ms: NOW + 3_600_000,
                    ..cancel.clone()
                },
                "635",
            ),
            (
                Said {
                    ms: NOW - 3_600_000,
                    ..cancel.clone()
                },
                "634",
            ),
            (
                Said {
                    sequence: 2,
                    ..cancel.clone()
                },
                "636",
            ),
            (cancelling(&Freight::cte(7), &protocol), "217"),
            (
                Said::new(&cte, "110112", "<evX><descEvento>X</descEvento></evX>"),
                "629",
            ),
        ])
        .await;
    let (code, answer) = world.say(&cancel).await;
    assert_eq!(code, "135", "{answer}");
    assert_eq!(tag(&answer, "xEvento"), "Cancelamento");
    assert_eq!(world.say(&cancel).await.0, "631");
    let (code, asked) = world.ask(&CTE, CTE_SP, &cte.key()).await;
    assert_eq!(code, "101");
    assert!(asked.contains("<procEventoCTe"), "{asked}");
    assert_eq!(world.send(&cte).await.0, "218");
    // After a letter, and after seven days.
    let corrected = Freight::cte(2);
    let protocol = world.protocol_of(&corrected).await;
    assert_eq!(
        world
            .say(&correction(&corrected, 1, "compl", "xObs"))
            .await
            .0,
        "135"
    );
    assert_eq!(world.say(&cancelling(&corrected, &protocol)).await.0, "523");
    let old = Freight::cte(3);
    let protocol = world.protocol_of(&old).await;
    world.advance(7 * DAY - 1_000);
    let within = Freight::cte(4);
    assert_eq!(world.say(&cancelling(&within, &protocol)).await.0, "217");
    world.advance(2_000);
    assert_eq!(world.say(&cancelling(&old, &protocol)).await.0, "220");
}

#[tokio::test]
async fn letters_of_correction() {
    let world = World::new();
    let cte = Freight::cte(1);
    world.protocol_of(&cte).await;
    for (group, field, code) in [
        ("ide", "dhEmi", "681"),
        ("vPrest", "vTPrest", "681"),
        ("emit", "CNPJ", "681"),
        ("compl", "xObs", "135"),
    ] {
        let (answered, answer) = world.say(&correction(&cte, 1, group, field)).await;
        assert_eq!(answered, code, "{group} {field}: {answer}");
    }
    for (sequence, code) in [(1, "631"), (2, "135"), (20, "135"), (21, "636")] {
        let (answered, answer) = world
            .say(&correction(&cte, sequence, "compl", "xObs"))
            .await;
        assert_eq!(answered, code, "{sequence}: {answer}");
    }
    let (code, asked) = world.ask(&CTE, CTE_SP, &cte.key()).await;
    assert_eq!(code, "100");
    assert_eq!(asked.matches("<procEventoCTe").count(), 3);
}

#[tokio::test]
async fn announced_at_the_contingency_and_issued_later() {
    let world = World::new();
    let cte = late(1);
    assert_eq!(world.say(&epec(&cte, "500.00")).await.0, "653");
    assert_eq!(world.send(&cte).await.0, "641");
    let ordinary = Freight::cte(1);
    assert_eq!(
        world.say_at(CTE_SVRS, &epec(&ordinary, "500.00")).await.0,
        "680"
    );
    let (code, answer) = world.say_at(CTE_SVRS, &epec(&cte, "500.00")).await;
    assert_eq!(code, "136", "{answer}");
    // Nobody issued it yet.
    let (code, asked) = world.ask(&CTE, CTE_SP, &cte.key()).await;
    assert_eq!(code, "217");
    assert!(asked.contains("<procEventoCTe"), "{asked}");
    assert_eq!(world.send(&ordinary).await.0, "640");
    let unlike = cte.clone().swap("<vTPrest>500.00", "<vTPrest>600.00");
    assert_eq!(world.send(&unlike).await.0, "642");
    let mut unsigned = cte.clone();
    unsigned.qr = Freight::cte(1).qr;
    assert_eq!(world.send(&unsigned).await.0, "853");
    let mut forged = cte.clone();
    let other = rsa_sha1("outra", &COMPANY_A1);
    forged.qr = format!(
        "{}?chCTe={}&amp;tpAmb=2&amp;sign={other}",
        Freight::cte(1).qr,
        cte.key()
    );
    assert_eq!(world.send(&forged).await.0, "855");
    world.protocol_of(&cte).await;
    // Too long without its CT-e: nothing more is announced.
    let forgotten = late(2);
    assert_eq!(
        world.say_at(CTE_SVRS, &epec(&forgotten, "500.00")).await.0,
        "136"
    );
    world.advance(7 * DAY + 1_000);
    let mut next = late(3);
    next.issued_ms += 7 * DAY;
    let event = Said {
        ms: NOW + 7 * DAY,
        ..epec(&next, "500.00")
    };
    assert_eq!(world.say_at(CTE_SVRS, &event).await.0, "639");
}

#[tokio::test]
async fn issued_at_the_contingency() {
    let world = World::new();
    let of = |number: u32, tp_emis: &'static str| {
        let mut cte = Freight {
            tp_emis,
            ..Freight::cte(number)
        };
        if tp_emis != "1" {
            cte = cte.swap(
                "</toma3>",
                "</toma3><dhCont>2026-11-20T11:00:00-03:00</dhCont><xJust>Servico da autorizadora fora do ar</xJust>",
            );
        }
        cte
    };
    let at = async |address: Address, cte: &Freight| {
        let answer = world.packed(&CTE, address, &cte.signed(&COMPANY_A1)).await;
        cstat(&CTE.returned(&answer), "")
    };
    assert_eq!(at(CTE_SVRS, &of(1, "1")).await, "516");
    assert_eq!(at(CTE_SVRS, &of(1, "8")).await, "516");
    assert_eq!(at(CTE_SP, &of(1, "7")).await, "515");
    assert_eq!(at(CTE_SVRS, &of(1, "7")).await, "100");
    assert_eq!(world.ask(&CTE, CTE_SP, &of(1, "7").key()).await.0, "100");
}

#[tokio::test]
async fn faults_work_as_at_the_others() {
    let world = World::new();
    for (number, (kind, processed, code)) in (1u32..).zip([
        ("duplicada", true, "204"),
        ("pausado", false, "108"),
        ("consumo_indevido", false, "678"),
        ("certificado_vencido", false, "281"),
        ("recusar", false, "999"),
    ]) {
        world.fault(fault_on("autorizar", kind)).await;
        let cte = Freight::cte(number);
        let (answered, answer) = world.send(&cte).await;
        assert_eq!(answered, code, "{kind}: {answer}");
        let there = if processed { "100" } else { "217" };
        assert_eq!(world.ask(&CTE, CTE_SP, &cte.key()).await.0, there, "{kind}");
    }
    world.fault(fault_on("autorizar", "cortar_depois")).await;
    let cut = Freight::cte(20);
    let answer = world.packed(&CTE, CTE_SP, &cut.signed(&COMPANY_A1)).await;
    assert_eq!(answer, SimAnswer::CutAfter);
    assert_eq!(world.ask(&CTE, CTE_SP, &cut.key()).await.0, "100");
    // Later on: it is there, but nobody sees it yet.
    world
        .fault(json!({"quando": {"operacao": "autorizar"}, "falha": "fila", "ms": 5_000}))
        .await;
    let slow = Freight::cte(21);
    let answer = world.packed(&CTE, CTE_SP, &slow.signed(&COMPANY_A1)).await;
    assert_eq!(status(&answer), 504);
    assert_eq!(world.ask(&CTE, CTE_SP, &slow.key()).await.0, "217");
    world.advance(5_001);
    assert_eq!(world.ask(&CTE, CTE_SP, &slow.key()).await.0, "100");
    world
        .fault(json!({"quando": {"operacao": "cancelar"}, "falha": "recusar", "codigo": "220"}))
        .await;
    assert_eq!(
        world.say(&cancelling(&cut, "135260000000001")).await.0,
        "220"
    );
    world
        .fault(json!({"quando": {"operacao": "status"}, "falha": "pausado", "codigo": "109"}))
        .await;
    let answer = CTE.returned(&service_status(&world, CTE_SP, "35").await);
    assert_eq!(cstat(&answer, ""), "109");
}

#[tokio::test]
async fn the_file_keeps_them() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    let (cte, announced) = (Freight::cte(1), late(2));
    {
        let world = World::with(Some(file.clone()));
        let protocol = world.protocol_of(&cte).await;
        assert_eq!(world.say(&cancelling(&cte, &protocol)).await.0, "135");
        assert_eq!(
            world.say_at(CTE_SVRS, &epec(&announced, "500.00")).await.0,
            "136"
        );
    }
    let world = World::with(Some(file));
    let (code, asked) = world.ask(&CTE, CTE_SP, &cte.key()).await;
    assert_eq!(code, "101");
    assert!(asked.contains("<procEventoCTe"), "{asked}");
    assert_eq!(world.send(&cte).await.0, "218");
    world.protocol_of(&announced).await;
}
