//! The national NFS-e through its API.

use crate::common::national::*;
use crate::common::*;
use serde_json::{Value, json};
use sim::{SimAnswer, Status};

#[tokio::test]
async fn issues_a_valid_note_once() {
    let world = World::new();
    for algorithms in [Algorithms::Sha1, Algorithms::Sha256Exclusive] {
        let number = if matches!(algorithms, Algorithms::Sha1) {
            1
        } else {
            2
        };
        let id = dps_id(COMPANY, number);
        let document = signed_dps(&dps(number), &id, &COMPANY_A1, algorithms);
        let answer = post_xml(&world, &document, &COMPANY_A1).await;
        let xml = note_xml(&answer);
        assert!(xml.contains("<vBC>1000.00</vBC><pAliqAplic>5.00</pAliqAplic><vISSQN>50.00</vISSQN><vLiq>1000.00</vLiq>"), "{xml}");
        assert!(xml.contains(&format!("Id=\"NFS{}\"", key(&answer))));
        xmllint(NFSE_XSD, &xml);
    }
    let again = post(&world, &dps(1), 1).await;
    assert_eq!(
        (status(&again), codes(&again)),
        (400, vec!["E0014".to_owned()])
    );
    let state = world.sim.overview();
    assert_eq!(state.notas.len(), 2);
    assert!(state.processadas.values().all(|n| *n == 1));
    assert_eq!(
        state.tentativas[&format!("nacional|homologacao|{COMPANY}|{}", dps_id(COMPANY, 1))],
        2
    );
    assert_eq!(state.recebidas["nacional"]["emitir"], 3);
}

#[tokio::test]
async fn computes_and_orders_the_larger_notes() {
    let world = World::new();
    let base = dps(1);
    let federal = "<tribFed><piscofins><CST>01</CST><vBCPisCofins>1000.00</vBCPisCofins><pAliqPis>0.65</pAliqPis>\
        <pAliqCofins>3.00</pAliqCofins><vPis>6.50</vPis><vCofins>30.00</vCofins><tpRetPisCofins>1</tpRetPisCofins>\
        </piscofins><vRetIRRF>15.00</vRetIRRF><vRetCSLL>10.00</vRetCSLL></tribFed>";
    let consumption = "<IBSCBS><finNFSe>0</finNFSe><indFinal>0</indFinal><cIndOp>100301</cIndOp><indDest>0</indDest>\
        <valores><trib><gIBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib></gIBSCBS></trib></valores></IBSCBS>";
    let large = base
        .replace("</vServPrest>", "</vServPrest><vDescCondIncond><vDescIncond>100.00</vDescIncond></vDescCondIncond><vDedRed><pDR>10.00</pDR></vDedRed>")
        .replace("<tpRetISSQN>1</tpRetISSQN>", "<tpRetISSQN>2</tpRetISSQN>")
        .replace("</tribMun>", &format!("</tribMun>{federal}"))
        + consumption;
    let xml = note_xml(&post(&world, &large, 1).await);
    // BC 1000 - 100 - 10 %; ISS 5 %; withheld 15 + 10 + 40.
    assert!(xml.contains("<vCalcDR>100.00</vCalcDR><vBC>800.00</vBC><pAliqAplic>5.00</pAliqAplic><vISSQN>40.00</vISSQN><vTotalRet>65.00</vTotalRet><vLiq>835.00</vLiq>"), "{xml}");
    // 1000 - 100 - ISS 40 - PIS 6.50 - COFINS 30
    assert!(
        xml.contains("<vBC>823.50</vBC>")
            && xml.contains("<vIBSTot>0.82</vIBSTot>")
            && xml.contains("<vCBS>7.41</vCBS>"),
        "{xml}"
    );
    xmllint(NFSE_XSD, &xml);

    let xml = note_xml(&post(&world, &simples(2), 2).await);
    assert!(
        xml.contains("<vBC>1000.00</vBC><vLiq>1000.00</vLiq>"),
        "{xml}"
    );
    xmllint(NFSE_XSD, &xml);

    let withheld = simples(3).replace(
        "<tpRetISSQN>1</tpRetISSQN>",
        "<tpRetISSQN>2</tpRetISSQN><pAliq>2.01</pAliq>",
    );
    let xml = note_xml(&post(&world, &withheld, 3).await);
    assert!(xml.contains("<pAliqAplic>2.01</pAliqAplic><vISSQN>20.10</vISSQN><vTotalRet>20.10</vTotalRet><vLiq>979.90</vLiq>"), "{xml}");

    let mei = dps(4)
        .replace("<opSimpNac>1", "<opSimpNac>2")
        .replace("<vTotTrib><vTotTribFed>0.00</vTotTribFed><vTotTribEst>0.00</vTotTribEst><vTotTribMun>0.00</vTotTribMun></vTotTrib>", "<indTotTrib>0</indTotTrib>");
    let xml = note_xml(&post(&world, &mei, 4).await);
    assert!(
        xml.contains("<valores><vLiq>1000.00</vLiq></valores>")
            && xml.contains("<cStat>107</cStat>"),
        "{xml}"
    );
    xmllint(NFSE_XSD, &xml);
}

#[tokio::test]
async fn refuses_what_breaks_a_rule() {
    let world = World::new();
    let sn = simples(9);
    let tot = "<vTotTrib><vTotTribFed>0.00</vTotTribFed><vTotTribEst>0.00</vTotTribEst><vTotTribMun>0.00</vTotTribMun></vTotTrib>";
    let ibscbs = "<IBSCBS><finNFSe>0</finNFSe><cIndOp>100301</cIndOp><indDest>0</indDest><valores><trib><gIBSCBS>\
        <CST>000</CST><cClassTrib>000001</cClassTrib></gIBSCBS></trib></valores></IBSCBS>";
    let cases: Vec<(&str, String)> = vec![
        ("E0006", dps(9).replace("<tpAmb>2", "<tpAmb>1")),
        (
            "E0008",
            dps(9).replace("2026-11-20T11:59:00", "2026-11-20T13:59:00"),
        ),
        (
            "E0015",
            dps(9).replace("<dCompet>2026-11-20", "<dCompet>2026-11-21"),
        ),
        ("E0010", dps(9).replace("<serie>1<", "<serie>0<")),
        ("E0004", dps(9).replace("<serie>1<", "<serie>2<")),
        ("E9996", dps(9).replace("<tpEmit>1", "<tpEmit>2")),
        (
            "E0037",
            dps(9).replace("<cLocEmi>3550308", "<cLocEmi>9999999"),
        ),
        (
            "E0080",
            dps(9).replace(
                &format!("<prest><CNPJ>{COMPANY}"),
                "<prest><CNPJ>11222333000182",
            ),
        ),
        (
            "E0121",
            dps(9).replace("<regTrib>", "<xNome>EU</xNome><regTrib>"),
        ),
        ("E0188", dps(9).replace(OTHER, "44555666000182")),
        ("E0202", dps(9).replace(OTHER, COMPANY)),
        (
            "E0310",
            dps(9).replace("<cTribNac>010101", "<cTribNac>019901"),
        ),
        (
            "E0370",
            dps(9).replace("<cTribNac>010101", "<cTribNac>070201"),
        ),
        (
            "E0617",
            dps(9).replace("</tpRetISSQN>", "</tpRetISSQN><pAliq>2.00</pAliq>"),
        ),
        (
            "E0625",
            sn.replace("</tpRetISSQN>", "</tpRetISSQN><pAliq>2.00</pAliq>"),
        ),
        ("E0621", sn.replace("<tpRetISSQN>1", "<tpRetISSQN>2")),
        ("E0166", sn.replace("<regApTribSN>1</regApTribSN>", "")),
        (
            "E0162",
            dps(9).replace("</opSimpNac>", "</opSimpNac><regApTribSN>1</regApTribSN>"),
        ),
        (
            "E0712",
            sn.replace(
                "<pTotTribSN>6.00</pTotTribSN>",
                "<indTotTrib>0</indTotTrib>",
            ),
        ),
        (
            "E0713",
            dps(9).replace(tot, "<pTotTribSN>6.00</pTotTribSN>"),
        ),
        (
            "E0322",
            dps(9).replace("<cNBS>115022000</cNBS>", "") + ibscbs,
        ),
        (
            "E0044",
            dps(9).replace(
                "<prest>",
                &format!(
                    "<subst><chSubstda>{}</chSubstda><cMotivo>01</cMotivo></subst><prest>",
                    "1".repeat(50)
                ),
            ),
        ),
        (
            "E1235",
            dps(9)
                .replace("<cNBS>", "<cNB>")
                .replace("</cNBS>", "</cNB>"),
        ),
        ("E1235", dps(9).replace("<vServ>1000.00", "<vServ>1000.5")),
    ];
    for (code, inside) in cases {
        let answer = post(&world, &inside, 9).await;
        assert_eq!(status(&answer), 400, "{code}: {}", text(&answer));
        assert!(
            codes(&answer).iter().any(|c| c == code),
            "{code}: {}",
            text(&answer)
        );
    }
    let violated = post(
        &world,
        &dps(9)
            .replace("<cNBS>", "<cNB>")
            .replace("</cNBS>", "</cNB>"),
        9,
    )
    .await;
    assert!(
        text(&violated).contains("DPS/infDPS/serv/cServ: elemento 'cNB' não esperado"),
        "{}",
        text(&violated)
    );
    assert!(world.sim.notas().is_empty());
}

#[tokio::test]
async fn looks_at_packaging_signature_and_certificates() {
    let world = World::new();
    let id = dps_id(COMPANY, 1);
    let good = signed_dps(&dps(1), &id, &COMPANY_A1, Algorithms::Sha256Exclusive);
    let raw = |field: Value| json!({"dpsXmlGZipB64": field}).to_string().into_bytes();
    for (code, body) in [
        ("E1225", b"{".to_vec()),
        ("E1225", raw(json!("***"))),
        ("E1226", raw(json!("aGVsbG8="))),
        ("E1226", raw(json!(gzip64("<DPS")))),
        ("E1242", raw(json!(gzip64("<NFe/>")))),
        (
            "E1228",
            raw(json!(gzip64(
                &good.replace("<DPS xmlns=", "<DPS xmlns:p=\"u\" xmlns=")
            ))),
        ),
        (
            "E1229",
            raw(json!(gzip64(
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><DPS/>"
            ))),
        ),
    ] {
        let answer = world
            .call(HOST, "POST", "/sefinnacional/nfse", body, Some(&COMPANY_A1))
            .await;
        assert_eq!(
            (status(&answer), codes(&answer)),
            (400, vec![code.to_owned()])
        );
    }
    // A bomb: 8 MB of spaces in a few kilobytes.
    let bomb = raw(json!(gzip64(&" ".repeat(8 << 20))));
    let answer = world
        .call(HOST, "POST", "/sefinnacional/nfse", bomb, Some(&COMPANY_A1))
        .await;
    assert_eq!(codes(&answer), ["E1226"]);

    let unsigned = good.split("<Signature").next().expect("start").to_owned() + "</DPS>";
    assert_eq!(
        codes(&post_xml(&world, &unsigned, &COMPANY_A1).await),
        ["E0717"]
    );
    assert_eq!(
        codes(&post_xml(&world, &good.replace("programa", "software"), &COMPANY_A1).await),
        ["E0714"]
    );
    let foreign = signed_dps(&dps(1), &id, &OTHER_A1, Algorithms::Sha256Exclusive);
    assert_eq!(
        codes(&post_xml(&world, &foreign, &COMPANY_A1).await),
        ["E0718"]
    );
    let strangers = sim::Pki::generate(NOW).expect("keys");
    let stranger = a1(&strangers, COMPANY, NOW - DAY, NOW + DAY);
    let untrusted = signed_dps(&dps(1), &id, &stranger, Algorithms::Sha256Exclusive);
    assert_eq!(
        codes(&post_xml(&world, &untrusted, &COMPANY_A1).await),
        ["E0715"]
    );

    let body = raw(json!(gzip64(&good)));
    let path = format!("{BASE}/nfse");
    let none = world.call(HOST, "POST", &path, body.clone(), None).await;
    assert_eq!(status(&none), 496);
    let foreign = world
        .call(HOST, "POST", &path, body.clone(), Some(&stranger))
        .await;
    assert_eq!(
        (status(&foreign), codes(&foreign)),
        (403, vec!["E1205".to_owned()])
    );
    let expired = a1(&PKI, COMPANY, NOW - 3 * DAY, NOW - DAY);
    let late = world.call(HOST, "POST", &path, body, Some(&expired)).await;
    assert_eq!(
        (status(&late), codes(&late)),
        (403, vec!["E1203".to_owned()])
    );
    assert!(world.sim.notas().is_empty());
}

#[tokio::test]
async fn parties_look_notes_up() {
    let world = World::new();
    let answer = post(&world, &dps(1), 1).await;
    let (chave, id) = (key(&answer), dps_id(COMPANY, 1));
    let stranger = a1(&PKI, "77888999000198", NOW - DAY, NOW + DAY);
    let mine = get(&world, "GET", &format!("/dps/{id}"), &COMPANY_A1).await;
    assert_eq!(
        (status(&mine), json_of(&mine)["chaveAcesso"].as_str()),
        (200, Some(chave.as_str()))
    );
    for (method, path, who, expected) in [
        ("HEAD", format!("/dps/{id}"), &stranger, 200),
        ("GET", format!("/dps/{id}"), &stranger, 403),
        ("GET", format!("/dps/{id}"), &*OTHER_A1, 200),
        (
            "HEAD",
            format!("/dps/{}", dps_id(COMPANY, 2)),
            &stranger,
            404,
        ),
        (
            "GET",
            format!("/dps/{}", dps_id(COMPANY, 2)),
            &*COMPANY_A1,
            404,
        ),
        ("GET", "/dps/x".to_owned(), &*COMPANY_A1, 400),
        ("GET", format!("/nfse/{chave}"), &*OTHER_A1, 200),
        ("GET", format!("/nfse/{chave}"), &stranger, 403),
        (
            "GET",
            format!("/nfse/{}", "1".repeat(50)),
            &*COMPANY_A1,
            404,
        ),
        ("GET", format!("/nfse/{chave}/eventos"), &*COMPANY_A1, 404),
        ("GET", "/outra".to_owned(), &*COMPANY_A1, 404),
        ("DELETE", format!("/nfse/{chave}"), &*COMPANY_A1, 405),
    ] {
        let answer = get(&world, method, &path, who).await;
        assert_eq!(status(&answer), expected, "{method} {path}");
        if method == "HEAD" {
            assert!(body(&answer).is_empty());
        }
    }
    let note = get(&world, "GET", &format!("/nfse/{chave}"), &COMPANY_A1).await;
    assert_eq!(
        gunzip64(json_of(&note)["nfseXmlGZipB64"].as_str().expect("note")),
        note_xml(&answer)
    );
    // The other environment knows nothing of it.
    let production = world
        .call(
            "sefin.nfse.gov.br:443",
            "HEAD",
            &format!("{BASE}/dps/{id}"),
            Vec::new(),
            Some(&COMPANY_A1),
        )
        .await;
    assert_eq!(status(&production), 404);
}

#[tokio::test]
async fn cancels_once_and_in_time() {
    let world = World::new();
    let chave = key(&post(&world, &dps(1), 1).await);
    let answer = cancel(&world, &chave).await;
    assert_eq!(status(&answer), 201, "{}", text(&answer));
    let xml = gunzip64(
        json_of(&answer)["eventoXmlGZipB64"]
            .as_str()
            .expect("event"),
    );
    xmllint(EVENT_XSD, &xml);
    let again = cancel(&world, &chave).await;
    assert_eq!(
        (status(&again), codes(&again)),
        (400, vec!["E0840".to_owned()])
    );
    assert_eq!(world.sim.notas()[0].situacao, Status::Cancelada);

    let late = key(&post(&world, &dps(2), 2).await);
    world.advance(31 * DAY);
    assert_eq!(codes(&cancel(&world, &late).await), ["E0822"]);
    let put = world
        .call(
            "x",
            "PUT",
            "/__sim/parametros",
            br#"{"prazo_cancelamento_dias":60}"#.to_vec(),
            None,
        )
        .await;
    assert_eq!(status(&put), 200);
    assert_eq!(status(&cancel(&world, &late).await), 201);

    let list = get(
        &world,
        "GET",
        &format!("/nfse/{chave}/eventos/101101/1"),
        &COMPANY_A1,
    )
    .await;
    let packed = json_of(&list)["eventoXmlGZipB64"]
        .as_str()
        .expect("event")
        .to_owned();
    assert_eq!(gunzip64(&packed), xml);
    assert_eq!(codes(&cancel(&world, &"1".repeat(50)).await), ["E0802"]);
    let foreign = event(&world, &late, "101101", "<xDesc>Cancelamento de NFS-e</xDesc><cMotivo>1</cMotivo><xMotivo>Motivo de quinze letras</xMotivo>", &OTHER_A1, OTHER).await;
    assert_eq!(codes(&foreign), ["E0812"]);
    let short = event(
        &world,
        &late,
        "101101",
        "<xDesc>Cancelamento de NFS-e</xDesc><cMotivo>3</cMotivo><xMotivo>x</xMotivo>",
        &COMPANY_A1,
        COMPANY,
    )
    .await;
    assert_eq!(codes(&short), ["E1235"]);
}

#[tokio::test]
async fn replaces_a_note() {
    let world = World::new();
    let old = key(&post(&world, &dps(1), 1).await);
    let subst = |number: u32| {
        dps(number).replace("<prest>", &format!("<subst><chSubstda>{old}</chSubstda><cMotivo>99</cMotivo><xMotivo>Valor informado com erro</xMotivo></subst><prest>"))
            .replace("<vServ>1000.00", "<vServ>900.00")
    };
    let answer = post(&world, &subst(2), 2).await;
    xmllint(NFSE_XSD, &note_xml(&answer));
    let notas = world.sim.notas();
    assert_eq!(notas[0].situacao, Status::Substituida);
    let events = world.sim.events();
    assert_eq!(events.len(), 1);
    assert_eq!(
        (events[0].tipo.as_str(), events[0].chave.as_str()),
        ("105102", old.as_str())
    );
    assert!(events[0].xml.contains(&key(&answer)));
    xmllint(EVENT_XSD, &events[0].xml);
    assert_eq!(codes(&post(&world, &subst(3), 3).await), ["E0046"]);
    assert_eq!(codes(&cancel(&world, &old).await), ["E0840"]);
}

#[tokio::test]
async fn faults_do_what_they_say() {
    let processed = [
        ("cortar_depois", 0, 1),
        ("xml_pela_metade", 201, 1),
        ("json_estranho_5xx", 502, 1),
        ("duplicada", 400, 1),
        ("lixo", 200, 1),
        ("lento", 201, 1),
        ("cortar_antes", 0, 0),
        ("erro_500", 500, 0),
        ("html", 503, 0),
        ("recusar", 400, 0),
        ("limite_requisicoes", 429, 0),
        ("certificado_vencido", 403, 0),
    ];
    for (kind, expected, notes) in processed {
        let world = World::new();
        let mut fault = fault_on("emitir", kind);
        fault["ms"] = json!(1);
        world.fault(fault).await;
        let answer = post(&world, &dps(1), 1).await;
        assert_eq!(
            (status(&answer), world.sim.notas().len()),
            (expected, notes),
            "{kind}"
        );
        match kind {
            "cortar_depois" => assert_eq!(answer, SimAnswer::CutAfter),
            "cortar_antes" => assert_eq!(answer, SimAnswer::CutBefore),
            "duplicada" => assert_eq!(codes(&answer), ["E0014"]),
            _ => {}
        }
        // Asking afterwards tells the truth, and the fault happened once.
        let ask = get(
            &world,
            "HEAD",
            &format!("/dps/{}", dps_id(COMPANY, 1)),
            &COMPANY_A1,
        )
        .await;
        assert_eq!(status(&ask), if notes == 1 { 200 } else { 404 }, "{kind}");
        let again = post(&world, &dps(1), 1).await;
        assert_eq!(status(&again), if notes == 1 { 400 } else { 201 }, "{kind}");
        assert_eq!(world.sim.notas().len(), 1, "{kind}");
    }
}

#[tokio::test]
async fn a_slow_answer_comes_when_the_faults_are_withdrawn() {
    let world = World::new();
    let mut fault = fault_on("emitir", "lento");
    fault["ms"] = json!(600_000);
    world.fault(fault).await;
    let document = dps(1);
    let answered = async {
        let answer = post(&world, &document, 1);
        let withdrawn = async {
            while world.sim.faults()[0].aplicadas == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(world.sim.notas().len(), 0, "it waits");
            world.sim.clear_faults();
        };
        tokio::join!(answer, withdrawn).0
    };
    let answer = tokio::time::timeout(std::time::Duration::from_secs(60), answered).await;
    assert_eq!(status(&answer.expect("an answer")), 201);
}

#[tokio::test]
async fn queued_notes_appear_later() {
    let world = World::new();
    world.fault(json!({"quando": {"host": "producaorestrita", "documento": COMPANY}, "falha": "fila", "ms": 5000})).await;
    let answer = post(&world, &dps(1), 1).await;
    assert_eq!(status(&answer), 504);
    let path = format!("/dps/{}", dps_id(COMPANY, 1));
    assert_eq!(status(&get(&world, "HEAD", &path, &COMPANY_A1).await), 404);
    assert_eq!(codes(&post(&world, &dps(1), 1).await), ["E0014"]);
    world.advance(5000);
    assert_eq!(status(&get(&world, "HEAD", &path, &COMPANY_A1).await), 200);
    assert_eq!(world.sim.notas().len(), 1);
}

#[tokio::test]
async fn control_refuses_nonsense_and_shows_the_state() {
    let world = World::new();
    for body in [
        &b"{"[..],
        b"{}",
        br#"{"falha":"x"}"#,
        br#"{"falha":"html","outro":1}"#,
    ] {
        let answer = world
            .call("x", "POST", "/__sim/faults", body.to_vec(), None)
            .await;
        assert_eq!(status(&answer), 400, "{}", String::from_utf8_lossy(body));
    }
    world
        .fault(json!([
            fault_on("emitir", "html"),
            fault_on("cancelar", "erro_500")
        ]))
        .await;
    assert_eq!(world.sim.faults().len(), 2);
    assert_eq!(
        status(
            &world
                .call("x", "DELETE", "/__sim/faults", Vec::new(), None)
                .await
        ),
        200
    );
    assert!(world.sim.faults().is_empty());
    assert_eq!(
        status(
            &world
                .call("x", "GET", "/__sim/nada", Vec::new(), None)
                .await
        ),
        404
    );
    post(&world, &dps(1), 1).await;
    let state = json_of(
        &world
            .call("x", "GET", "/__sim/estado", Vec::new(), None)
            .await,
    );
    assert_eq!(state["recebidas"]["nacional"]["emitir"], 1);
    assert_eq!(state["notas"][0]["chave_natural"], dps_id(COMPANY, 1));
    let made = world
        .call(
            "x",
            "POST",
            "/__sim/certificados",
            json!({"documento": COMPANY, "nome": "EMPRESA", "senha": "s", "formato": "legado"})
                .to_string()
                .into_bytes(),
            None,
        )
        .await;
    assert_eq!(status(&made), 201, "{}", text(&made));
}

#[tokio::test]
async fn notes_survive_a_restart() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    let world = World::with(Some(file.clone()));
    let chave = key(&post(&world, &dps(1), 1).await);
    let second = key(&post(&world, &dps(2), 2).await);
    assert_eq!(status(&cancel(&world, &chave).await), 201);
    drop(world);
    let world = World::with(Some(file.clone()));
    assert_eq!(world.sim.notas().len(), 2);
    assert_eq!(codes(&cancel(&world, &chave).await), ["E0840"]);
    assert_eq!(codes(&post(&world, &dps(2), 2).await), ["E0014"]);
    assert_eq!(status(&cancel(&world, &second).await), 201);
    assert_eq!(world.sim.notas()[1].numero, 2);
    drop(world);
    assert_eq!(World::with(Some(file)).sim.events().len(), 2);
}

#[tokio::test]
async fn the_same_seed_gives_the_same_keys() {
    let (a, b) = (World::new(), World::new());
    assert_eq!(
        key(&post(&a, &dps(1), 1).await),
        key(&post(&b, &dps(1), 1).await)
    );
}

#[tokio::test]
async fn no_input_breaks_it() {
    let world = World::new();
    let id = dps_id(COMPANY, 1);
    let good = signed_dps(&dps(1), &id, &COMPANY_A1, Algorithms::Sha256Exclusive);
    let mut state = 1u64;
    let mut random = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap_or(0) % bound
    };
    for _ in 0..400 {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = b"<>&\"'/\0\xff"[random(8)],
                1 => bytes.truncate(at.max(1)),
                2 => bytes[at] = b'9',
                _ => bytes.insert(at, b'<'),
            }
        }
        let mutated = String::from_utf8_lossy(&bytes).into_owned();
        if mutated == good {
            continue;
        }
        let answer = post_xml(&world, &mutated, &COMPANY_A1).await;
        // A change after the signature's end (white space) may still be a good document.
        assert!(matches!(status(&answer), 400 | 201), "{}", text(&answer));
    }
    // Whatever was accepted carries the signed content, unchanged.
    for nota in world.sim.notas() {
        assert!(nota.xml.contains("<vServ>1000.00</vServ>"));
    }
    for path in [
        "",
        "/",
        "//",
        "/SefinNacional",
        "/SefinNacional/nfse/é/eventos/x/y",
        "/SefinNacional/dps/%00",
    ] {
        for method in ["GET", "POST", "HEAD", ""] {
            let answer = world
                .call(HOST, method, path, vec![0xff; 10], Some(&COMPANY_A1))
                .await;
            assert!((400..600).contains(&status(&answer)), "{method} {path}");
        }
    }
}
