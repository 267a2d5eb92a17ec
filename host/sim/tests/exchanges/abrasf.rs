//! Cities on ABRASF systems, through their SOAP services.

use crate::common::abrasf::*;
use crate::common::*;
use serde_json::json;
use sim::{SimAnswer, Status};

#[tokio::test]
async fn webiss_issues_queries_and_cancels() {
    let world = World::new();
    let xml = output(&webiss(&world, "GerarNfse", &generate(7)).await);
    assert!(
        xml.contains("<Numero>202600000000001</Numero>")
            && xml.contains("<ValorIss>2.00</ValorIss>"),
        "{xml}"
    );
    assert!(xml.contains("Teste &amp; ensaio"), "{xml}");
    valid("webiss/2.02/nfse.xsd", &xml);

    let again = output(&webiss(&world, "GerarNfse", &generate(7)).await);
    assert_eq!(code(&again), "E10");
    valid("webiss/2.02/nfse.xsd", &again);

    let found = output(&webiss(&world, "ConsultarNfsePorRps", &by_rps(7)).await);
    assert!(found.contains("202600000000001"));
    valid("webiss/2.02/nfse.xsd", &found);
    assert_eq!(
        code(&output(
            &webiss(&world, "ConsultarNfsePorRps", &by_rps(8)).await
        )),
        "E4"
    );

    let message = format!(
        "<CancelarNfseEnvio xmlns=\"{ABRASF}\">{}</CancelarNfseEnvio>",
        cancel(202_600_000_000_001)
    );
    let cancelled = output(&webiss(&world, "CancelarNfse", &message).await);
    assert!(cancelled.contains("<RetCancelamento>"), "{cancelled}");
    valid("webiss/2.02/nfse.xsd", &cancelled);
    assert_eq!(
        code(&output(&webiss(&world, "CancelarNfse", &message).await)),
        "E79"
    );
    let found = output(&webiss(&world, "ConsultarNfsePorRps", &by_rps(7)).await);
    assert!(found.contains("<NfseCancelamento"), "{found}");
    valid("webiss/2.02/nfse.xsd", &found);
    assert_eq!(world.sim.notas().len(), 1);
    assert_eq!(world.sim.notas()[0].situacao, Status::Cancelada);
}

#[tokio::test]
async fn webiss_batches_wait_and_answer() {
    let world = World::new();
    let xml = output(
        &webiss(
            &world,
            "RecepcionarLoteRpsSincrono",
            &batch("EnviarLoteRpsSincronoEnvio", &[1, 2], "2.02"),
        )
        .await,
    );
    assert_eq!(xml.matches("<CompNfse>").count(), 2, "{xml}");
    valid("webiss/2.02/nfse.xsd", &xml);
    let refused = output(
        &webiss(
            &world,
            "RecepcionarLoteRpsSincrono",
            &batch("EnviarLoteRpsSincronoEnvio", &[2, 3], "2.02"),
        )
        .await,
    );
    assert!(refused.contains("<ListaMensagemRetornoLote>"), "{refused}");
    valid("webiss/2.02/nfse.xsd", &refused);

    let receipt = output(
        &webiss(
            &world,
            "RecepcionarLoteRps",
            &batch("EnviarLoteRpsEnvio", &[4], "2.02"),
        )
        .await,
    );
    valid("webiss/2.02/nfse.xsd", &receipt);
    let protocol = between(&receipt, "<Protocolo>", "</Protocolo>").to_owned();
    let ask = format!(
        "<ConsultarLoteRpsEnvio xmlns=\"{ABRASF}\"><Prestador><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj></Prestador><Protocolo>{protocol}</Protocolo></ConsultarLoteRpsEnvio>"
    );
    let waiting = output(&webiss(&world, "ConsultarLoteRps", &ask).await);
    assert!(waiting.contains("<Situacao>2</Situacao>"), "{waiting}");
    valid("webiss/2.02/nfse.xsd", &waiting);
    assert_eq!(
        code(&output(
            &webiss(&world, "ConsultarNfsePorRps", &by_rps(4)).await
        )),
        "E92"
    );
    world.advance(1000);
    let done = output(&webiss(&world, "ConsultarLoteRps", &ask).await);
    assert!(
        done.contains("<Situacao>4</Situacao>") && done.contains("<CompNfse>"),
        "{done}"
    );
    valid("webiss/2.02/nfse.xsd", &done);
    assert_eq!(
        code(&output(
            &webiss(&world, "ConsultarLoteRps", &ask.replace(&protocol, "1")).await
        )),
        "E86"
    );

    let range = format!(
        "<ConsultarNfseFaixaEnvio xmlns=\"{ABRASF}\"><Prestador><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj></Prestador><Faixa><NumeroNfseInicial>202600000000002</NumeroNfseInicial></Faixa><Pagina>1</Pagina></ConsultarNfseFaixaEnvio>"
    );
    let list = output(&webiss(&world, "ConsultarNfsePorFaixa", &range).await);
    assert_eq!(list.matches("<CompNfse>").count(), 2, "{list}");
    valid("webiss/2.02/nfse.xsd", &list);

    let inside = format!("{}{}", cancel(202_600_000_000_003), rps(5));
    let scope = format!(" xmlns=\"{ABRASF}\"");
    let message = format!(
        "<SubstituirNfseEnvio xmlns=\"{ABRASF}\">{}</SubstituirNfseEnvio>",
        signed(
            &scope,
            "SubstituicaoNfse",
            "sub",
            &inside,
            "SubstituicaoNfse",
            &COMPANY_A1
        )
    );
    let replaced = output(&webiss(&world, "SubstituirNfse", &message).await);
    assert!(
        replaced.contains("<NfseSubstituida>202600000000003</NfseSubstituida>"),
        "{replaced}"
    );
    valid("webiss/2.02/nfse.xsd", &replaced);
    assert_eq!(
        code(&output(&webiss(&world, "SubstituirNfse", &message).await)),
        "E7"
    );
}

#[tokio::test]
async fn webiss_is_strict_about_the_envelope() {
    let world = World::new();
    let head = format!(
        "<cabecalho xmlns=\"{ABRASF}\" versao=\"2.02\"><versaoDados>2.02</versaoDados></cabecalho>"
    );
    let path = "/ws/nfse.asmx";
    let action = "http://nfse.abrasf.org.br/GerarNfse";
    let request = |head: &str, data: &str| {
        format!(
            "<n:GerarNfseRequest xmlns:n=\"http://nfse.abrasf.org.br\"><nfseCabecMsg>{head}</nfseCabecMsg><nfseDadosMsg>{data}</nfseDadosMsg></n:GerarNfseRequest>"
        )
    };
    let (h, m) = (xml_escape(&head), xml_escape(&generate(1)));
    // Escaped text is as good as CDATA.
    let good = soap(
        &world,
        WEBISS,
        path,
        action,
        &request(&h, &m),
        Some(&COMPANY_A1),
    )
    .await;
    assert!(output(&good).contains("<ListaNfse>"));
    for (name, answer) in [
        (
            "action",
            soap(
                &world,
                WEBISS,
                path,
                "outra",
                &request(&h, &m),
                Some(&COMPANY_A1),
            )
            .await,
        ),
        (
            "nodes",
            soap(
                &world,
                WEBISS,
                path,
                action,
                &request(&head, &generate(2)),
                Some(&COMPANY_A1),
            )
            .await,
        ),
        (
            "namespace",
            soap(
                &world,
                WEBISS,
                path,
                action,
                &request(&h, &m).replace("http://nfse", "http://outra"),
                Some(&COMPANY_A1),
            )
            .await,
        ),
        (
            "operation",
            soap(
                &world,
                WEBISS,
                path,
                action,
                &request(&h, &m).replace("GerarNfse", "Gerar"),
                Some(&COMPANY_A1),
            )
            .await,
        ),
        (
            "certificate",
            soap(&world, WEBISS, path, action, &request(&h, &m), None).await,
        ),
    ] {
        assert_eq!(status(&answer), 500, "{name}: {}", text(&answer));
        assert!(text(&answer).contains("soap:Fault"), "{name}");
    }
    let refused = |answer: SimAnswer| code(&output(&answer));
    let wrong_head = h.replace("2.02", "2.04");
    assert_eq!(
        refused(
            soap(
                &world,
                WEBISS,
                path,
                action,
                &request(&wrong_head, &m),
                Some(&COMPANY_A1)
            )
            .await
        ),
        "S002"
    );
    assert_eq!(
        refused(
            webiss(
                &world,
                "GerarNfse",
                &generate(2).replace("<Competencia>2026-11-20</Competencia>", "")
            )
            .await
        ),
        "E160"
    );
    assert_eq!(
        refused(
            webiss(
                &world,
                "GerarNfse",
                &generate(2).replace(ABRASF, "http://outra")
            )
            .await
        ),
        "E160"
    );
    assert_eq!(
        refused(
            webiss(
                &world,
                "GerarNfse",
                &generate(2).replace("Teste ", "Prova ")
            )
            .await
        ),
        "E324"
    );
    let bare = format!(
        "<GerarNfseEnvio xmlns=\"{ABRASF}\"><Rps><InfDeclaracaoPrestacaoServico>{}</InfDeclaracaoPrestacaoServico></Rps></GerarNfseEnvio>",
        declaration(2, "Tomador")
    );
    assert_eq!(refused(webiss(&world, "GerarNfse", &bare).await), "E324");
    let other = soap(
        &world,
        WEBISS,
        path,
        action,
        &request(&h, &xml_escape(&generate(2))),
        Some(&OTHER_A1),
    )
    .await;
    assert_eq!(refused(other), "E157");
    assert_eq!(world.sim.notas().len(), 1);
}

#[tokio::test]
async fn fiorilli_takes_elements_and_a_login() {
    let world = World::new();
    let path = "/IssWeb-ejb/IssWebWS/IssWebWS";
    let call = |op: &str, message: &str, password: &str| {
        format!(
            "<ws:{op} xmlns:ws=\"http://ws.issweb.fiorilli.com.br/\">{message}<username>u</username><password>{password}</password></ws:{op}>"
        )
    };
    let message = batch("EnviarLoteRpsSincronoEnvio", &[1], "2.00");
    let answer = soap(
        &world,
        FIORILLI,
        path,
        "",
        &call("recepcionarLoteRpsSincrono", &message, "senha"),
        Some(&COMPANY_A1),
    )
    .await;
    let whole = text(&answer);
    assert_eq!(status(&answer), 200, "{whole}");
    let xml = format!(
        "<ns2:EnviarLoteRpsSincronoResposta{}",
        between(&whole, "<ns2:EnviarLoteRpsSincronoResposta", "</ns3:")
    );
    assert!(xml.contains("<ns2:Numero>1</ns2:Numero>"), "{xml}");
    valid("fiorilli/2.00/nfse.xsd", &xml);
    let wrong = soap(
        &world,
        FIORILLI,
        path,
        "",
        &call("gerarNfse", &generate(2), "errada"),
        Some(&COMPANY_A1),
    )
    .await;
    assert_eq!(code(&text(&wrong)), "E157");
    let text_message = call("gerarNfse", &xml_escape(&generate(2)), "senha");
    let fault = soap(&world, FIORILLI, path, "", &text_message, Some(&COMPANY_A1)).await;
    assert_eq!(status(&fault), 500);
    let single = soap(
        &world,
        FIORILLI,
        path,
        "",
        &call("gerarNfse", &generate(2), "senha"),
        Some(&COMPANY_A1),
    )
    .await;
    assert!(
        text(&single).contains("<ns2:ListaNfse>"),
        "{}",
        text(&single)
    );
    assert_eq!(world.sim.notas().len(), 2);
}

#[tokio::test]
async fn the_first_generation_is_asynchronous() {
    const OLD: &str = "http://www.abrasf.org.br/ABRASF/arquivos/nfse.xsd";
    let world = World::new();
    let host = "nfse.outracidade.example";
    let rps = format!(
        "<Rps><InfRps Id=\"r1\"><IdentificacaoRps><Numero>1</Numero><Serie>A</Serie><Tipo>1</Tipo></IdentificacaoRps>\
         <DataEmissao>2026-11-20T10:00:00</DataEmissao><NaturezaOperacao>1</NaturezaOperacao><OptanteSimplesNacional>2</OptanteSimplesNacional>\
         <IncentivadorCultural>2</IncentivadorCultural><Status>1</Status><Servico><Valores><ValorServicos>100.00</ValorServicos>\
         <IssRetido>2</IssRetido><Aliquota>0.0200</Aliquota></Valores><ItemListaServico>0101</ItemListaServico><Discriminacao>Teste</Discriminacao>\
         <CodigoMunicipio>3550308</CodigoMunicipio></Servico><Prestador><Cnpj>{COMPANY}</Cnpj></Prestador></InfRps></Rps>"
    );
    let message = format!(
        "<EnviarLoteRpsEnvio xmlns=\"{OLD}\"><LoteRps Id=\"l1\"><NumeroLote>1</NumeroLote><Cnpj>{COMPANY}</Cnpj><InscricaoMunicipal>1</InscricaoMunicipal>\
         <QuantidadeRps>1</QuantidadeRps><ListaRps>{rps}</ListaRps></LoteRps></EnviarLoteRpsEnvio>"
    );
    let send = async |message: String| {
        let inside = format!(
            "<x:Qualquer xmlns:x=\"u\"><nfseDadosMsg>{}</nfseDadosMsg></x:Qualquer>",
            xml_escape(&message)
        );
        output(&soap(&world, host, "/ws", "", &inside, Some(&COMPANY_A1)).await)
    };
    let valid_1 = |xml: &str| {
        valid(
            "abrasf/1.00/nfse.xsd",
            &xml.replace(OLD, "http:/www.abrasf.org.br/nfse.xsd"),
        );
    };
    let receipt = send(message.clone()).await;
    valid_1(&receipt);
    let protocol = between(&receipt, "<Protocolo>", "</Protocolo>").to_owned();
    let ask = |root: &str| {
        format!(
            "<{root} xmlns=\"{OLD}\"><Prestador><Cnpj>{COMPANY}</Cnpj></Prestador><Protocolo>{protocol}</Protocolo></{root}>"
        )
    };
    let situation = send(ask("ConsultarSituacaoLoteRpsEnvio")).await;
    assert!(situation.contains("<Situacao>2</Situacao>"), "{situation}");
    assert_eq!(code(&send(ask("ConsultarLoteRpsEnvio")).await), "E92");
    world.advance(1000);
    let situation = send(ask("ConsultarSituacaoLoteRpsEnvio")).await;
    assert!(situation.contains("<Situacao>4</Situacao>"), "{situation}");
    valid_1(&situation);
    let done = send(ask("ConsultarLoteRpsEnvio")).await;
    assert!(
        done.contains("<BaseCalculo>100.00</BaseCalculo>")
            && done.contains("<ValorIss>2.00</ValorIss>"),
        "{done}"
    );
    valid_1(&done);
    let cancel = format!(
        "<CancelarNfseEnvio xmlns=\"{OLD}\"><Pedido><InfPedidoCancelamento Id=\"c1\"><IdentificacaoNfse><Numero>1</Numero><Cnpj>{COMPANY}</Cnpj>\
         <CodigoMunicipio>3550308</CodigoMunicipio></IdentificacaoNfse><CodigoCancelamento>1</CodigoCancelamento></InfPedidoCancelamento></Pedido></CancelarNfseEnvio>"
    );
    let cancelled = send(cancel.clone()).await;
    valid_1(&cancelled);
    assert_eq!(code(&send(cancel).await), "E79");
    let again = send(message).await;
    assert!(again.contains("<Protocolo>"), "{again}");
    assert_eq!(world.sim.notas().len(), 1);
}

#[tokio::test]
async fn soap_12_is_answered_in_soap_12() {
    let world = World::new();
    let head = format!(
        "<cabecalho xmlns=\"{ABRASF}\" versao=\"2.02\"><versaoDados>2.02</versaoDados></cabecalho>"
    );
    let body = format!(
        "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\"><s:Body><GerarNfseRequest xmlns=\"http://nfse.abrasf.org.br\">\
         <nfseCabecMsg xmlns=\"\">{}</nfseCabecMsg><nfseDadosMsg xmlns=\"\">{}</nfseDadosMsg></GerarNfseRequest></s:Body></s:Envelope>",
        xml_escape(&head),
        xml_escape(&generate(1))
    );
    let headers = vec![(
        "content-type".to_owned(),
        "application/soap+xml; charset=utf-8".to_owned(),
    )];
    let answer = world
        .request(
            WEBISS,
            "POST",
            "/ws/nfse.asmx",
            headers,
            body.clone().into_bytes(),
            Some(&COMPANY_A1),
        )
        .await;
    assert!(output(&answer).contains("<ListaNfse>"));
    assert!(text(&answer).contains("http://www.w3.org/2003/05/soap-envelope"));
    let mixed = world
        .request(
            WEBISS,
            "POST",
            "/ws/nfse.asmx",
            Vec::new(),
            body.into_bytes(),
            Some(&COMPANY_A1),
        )
        .await;
    assert_eq!(status(&mixed), 500);
}

#[tokio::test]
async fn faults_reach_the_cities_too() {
    for (kind, expected, notes) in [
        ("cortar_depois", 0, 1),
        ("duplicada", 200, 1),
        ("xml_pela_metade", 200, 1),
        ("cortar_antes", 0, 0),
        ("erro_500", 500, 0),
        ("recusar", 200, 0),
        ("certificado_vencido", 500, 0),
    ] {
        let world = World::new();
        world
            .fault(json!({"quando": {"operacao": "emitir", "documento": COMPANY}, "falha": kind}))
            .await;
        let answer = webiss(&world, "GerarNfse", &generate(1)).await;
        assert_eq!(
            (status(&answer), world.sim.notas().len()),
            (expected, notes),
            "{kind}"
        );
        let asked = output(&webiss(&world, "ConsultarNfsePorRps", &by_rps(1)).await);
        assert_eq!(asked.contains("<CompNfse>"), notes == 1, "{kind}");
        match kind {
            "duplicada" => assert_eq!(code(&output(&answer)), "E10"),
            "recusar" => assert_eq!(code(&output(&answer)), "E156"),
            _ => {}
        }
    }
    let world = World::new();
    world
        .fault(json!({"quando": {"host": "webiss"}, "falha": "fila", "ms": 3000}))
        .await;
    let queued = output(
        &webiss(
            &world,
            "RecepcionarLoteRpsSincrono",
            &batch("EnviarLoteRpsSincronoEnvio", &[1], "2.02"),
        )
        .await,
    );
    assert!(
        queued.contains("<Protocolo>") && !queued.contains("<CompNfse>"),
        "{queued}"
    );
    assert_eq!(
        code(&output(
            &webiss(&world, "ConsultarNfsePorRps", &by_rps(1)).await
        )),
        "E92"
    );
    world.advance(3000);
    assert!(
        output(&webiss(&world, "ConsultarNfsePorRps", &by_rps(1)).await).contains("<CompNfse>")
    );
}

#[tokio::test]
async fn no_input_breaks_it() {
    let world = World::new();
    let good = generate(1);
    let mut state = 1u64;
    let mut random = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap_or(0) % bound
    };
    for round in 0..400 {
        let mut bytes = good.clone().into_bytes();
        for _ in 0..=random(4) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] = b"<>&\"'/\0\xff"[random(8)],
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b'<'),
            }
        }
        let host = [WEBISS, FIORILLI, GISS, "x", ""][round % 5];
        let path = if host == FIORILLI {
            "/IssWeb-ejb/IssWebWS/IssWebWS"
        } else {
            "/ws/nfse.asmx"
        };
        let answer = world
            .request(host, "POST", path, Vec::new(), bytes, Some(&COMPANY_A1))
            .await;
        assert!(matches!(answer, SimAnswer::Response { .. }));
    }
    assert!(world.sim.notas().is_empty());
}
