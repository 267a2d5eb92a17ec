//! Cities on ABRASF systems, through their SOAP services.

mod common;

use common::*;
use serde_json::json;
use sim::pki::A1Files;
use sim::{SimAnswer, Situacao};

const ABRASF: &str = "http://www.abrasf.org.br/nfse.xsd";
const WEBISS: &str = "palmasto.webiss.com.br";
const FIORILLI: &str = "iss.cidade.example";
const GISS: &str = "ws-paulista.giss.com.br";
const TYPES: &str = "http://www.giss.com.br/tipos-v2_04.xsd";

fn xml_escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text
        .find(from)
        .unwrap_or_else(|| panic!("{from} not in {text}"))
        + from.len();
    let end = text[start..]
        .find(to)
        .unwrap_or_else(|| panic!("{to} not in {text}"));
    &text[start..start + end]
}

/// Message inside `outputXML`, without its declaration.
fn output(answer: &SimAnswer) -> String {
    assert_eq!(status(answer), 200, "{}", text(answer));
    let whole = text(answer);
    let xml = unescape(between(&whole, "<outputXML xmlns=\"\">", "</outputXML>"));
    xml.split_once("?>")
        .map_or(xml.clone(), |(_, x)| x.to_owned())
}

/// 2.00 and 2.02: the inside of InfDeclaracaoPrestacaoServico.
fn declaration(number: u32, customer_tag: &str) -> String {
    format!(
        "<Rps><IdentificacaoRps><Numero>{number}</Numero><Serie>A</Serie><Tipo>1</Tipo></IdentificacaoRps>\
         <DataEmissao>2026-11-20</DataEmissao><Status>1</Status></Rps><Competencia>2026-11-20</Competencia>\
         <Servico><Valores><ValorServicos>100.00</ValorServicos><Aliquota>2.00</Aliquota></Valores>\
         <IssRetido>2</IssRetido><ItemListaServico>01.01</ItemListaServico><Discriminacao>Teste &amp; ensaio</Discriminacao>\
         <CodigoMunicipio>1721000</CodigoMunicipio><ExigibilidadeISS>1</ExigibilidadeISS></Servico>\
         <Prestador><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj><InscricaoMunicipal>123</InscricaoMunicipal></Prestador>\
         <{customer_tag}><IdentificacaoTomador><CpfCnpj><Cnpj>{OTHER}</Cnpj></CpfCnpj></IdentificacaoTomador>\
         <RazaoSocial>TOMADOR</RazaoSocial></{customer_tag}><OptanteSimplesNacional>2</OptanteSimplesNacional>\
         <IncentivoFiscal>2</IncentivoFiscal>"
    )
}

/// `<name attributes>inside</name>` with a signature after it, over its canonical form.
fn signed(scope: &str, open: &str, id: &str, inside: &str, close: &str, a1: &A1Files) -> String {
    let canonical = format!("<{open}{scope} Id=\"{id}\">{inside}</{close}>");
    let prefixes: String = scope.split_inclusive('"').collect::<String>();
    // The default namespace is not repeated on SignedInfo, prefixes are.
    let extra = if prefixes.contains("xmlns:") {
        prefixes
    } else {
        String::new()
    };
    let signature = signature_in(&extra, &canonical, id, a1, Algorithms::Sha1);
    format!("<{open} Id=\"{id}\">{inside}</{close}>{signature}")
}

fn rps(number: u32) -> String {
    let scope = format!(" xmlns=\"{ABRASF}\"");
    let name = "InfDeclaracaoPrestacaoServico";
    format!(
        "<Rps>{}</Rps>",
        signed(
            &scope,
            name,
            &format!("rps{number}"),
            &declaration(number, "Tomador"),
            name,
            &COMPANY_A1
        )
    )
}

fn gerar(number: u32) -> String {
    format!(
        "<GerarNfseEnvio xmlns=\"{ABRASF}\">{}</GerarNfseEnvio>",
        rps(number)
    )
}

/// Batch of ABRASF 2.00 and 2.02. `LoteRps` has two attributes: canonical order is Id, versao.
fn batch(root: &str, numbers: &[u32], versao: &str) -> String {
    let list: String = numbers.iter().map(|n| rps(*n)).collect();
    let inside = format!(
        "<NumeroLote>9</NumeroLote><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj><InscricaoMunicipal>123</InscricaoMunicipal>\
         <QuantidadeRps>{}</QuantidadeRps><ListaRps>{list}</ListaRps>",
        numbers.len()
    );
    let canonical =
        format!("<LoteRps xmlns=\"{ABRASF}\" Id=\"lote\" versao=\"{versao}\">{inside}</LoteRps>");
    let signature = signature(&canonical, "lote", &COMPANY_A1, Algorithms::Sha1);
    format!(
        "<{root} xmlns=\"{ABRASF}\"><LoteRps Id=\"lote\" versao=\"{versao}\">{inside}</LoteRps>{signature}</{root}>"
    )
}

fn cancelar(number: u64) -> String {
    let name = "InfPedidoCancelamento";
    let inside = format!(
        "<IdentificacaoNfse><Numero>{number}</Numero><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj>\
         <CodigoMunicipio>1721000</CodigoMunicipio></IdentificacaoNfse><CodigoCancelamento>1</CodigoCancelamento>"
    );
    let scope = format!(" xmlns=\"{ABRASF}\"");
    format!(
        "<Pedido>{}</Pedido>",
        signed(&scope, name, "canc", &inside, name, &COMPANY_A1)
    )
}

fn por_rps(number: u32) -> String {
    format!(
        "<ConsultarNfseRpsEnvio xmlns=\"{ABRASF}\"><IdentificacaoRps><Numero>{number}</Numero><Serie>A</Serie><Tipo>1</Tipo></IdentificacaoRps>\
         <Prestador><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj></Prestador></ConsultarNfseRpsEnvio>"
    )
}

async fn soap(
    world: &World,
    host: &str,
    path: &str,
    action: &str,
    inside: &str,
    a1: Option<&A1Files>,
) -> SimAnswer {
    let body = format!(
        "<soapenv:Envelope xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\"><soapenv:Body>{inside}</soapenv:Body></soapenv:Envelope>"
    );
    let headers = vec![
        (
            "Content-Type".to_owned(),
            "text/xml; charset=utf-8".to_owned(),
        ),
        ("SOAPAction".to_owned(), format!("\"{action}\"")),
    ];
    world
        .request(host, "POST", path, headers, body.into_bytes(), a1)
        .await
}

async fn webiss(world: &World, op: &str, message: &str) -> SimAnswer {
    let head = format!(
        "<cabecalho xmlns=\"{ABRASF}\" versao=\"2.02\"><versaoDados>2.02</versaoDados></cabecalho>"
    );
    let inside = format!(
        "<n:{op}Request xmlns:n=\"http://nfse.abrasf.org.br\"><nfseCabecMsg><![CDATA[{head}]]></nfseCabecMsg>\
         <nfseDadosMsg><![CDATA[{message}]]></nfseDadosMsg></n:{op}Request>"
    );
    soap(
        world,
        WEBISS,
        "/ws/nfse.asmx",
        &format!("http://nfse.abrasf.org.br/{op}"),
        &inside,
        Some(&COMPANY_A1),
    )
    .await
}

fn valid(schema: &str, xml: &str) {
    xmllint(&format!("schemas/nfse-municipal/{schema}"), xml);
}

fn code(xml: &str) -> String {
    let at = xml
        .find("Codigo>")
        .unwrap_or_else(|| panic!("no message in {xml}"));
    xml[at + 7..]
        .split('<')
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[tokio::test]
async fn webiss_issues_queries_and_cancels() {
    let world = World::new();
    let xml = output(&webiss(&world, "GerarNfse", &gerar(7)).await);
    assert!(
        xml.contains("<Numero>202600000000001</Numero>")
            && xml.contains("<ValorIss>2.00</ValorIss>"),
        "{xml}"
    );
    assert!(xml.contains("Teste &amp; ensaio"), "{xml}");
    valid("webiss/2.02/nfse.xsd", &xml);

    let again = output(&webiss(&world, "GerarNfse", &gerar(7)).await);
    assert_eq!(code(&again), "E10");
    valid("webiss/2.02/nfse.xsd", &again);

    let found = output(&webiss(&world, "ConsultarNfsePorRps", &por_rps(7)).await);
    assert!(found.contains("202600000000001"));
    valid("webiss/2.02/nfse.xsd", &found);
    assert_eq!(
        code(&output(
            &webiss(&world, "ConsultarNfsePorRps", &por_rps(8)).await
        )),
        "E4"
    );

    let message = format!(
        "<CancelarNfseEnvio xmlns=\"{ABRASF}\">{}</CancelarNfseEnvio>",
        cancelar(202_600_000_000_001)
    );
    let cancelled = output(&webiss(&world, "CancelarNfse", &message).await);
    assert!(cancelled.contains("<RetCancelamento>"), "{cancelled}");
    valid("webiss/2.02/nfse.xsd", &cancelled);
    assert_eq!(
        code(&output(&webiss(&world, "CancelarNfse", &message).await)),
        "E79"
    );
    let found = output(&webiss(&world, "ConsultarNfsePorRps", &por_rps(7)).await);
    assert!(found.contains("<NfseCancelamento"), "{found}");
    valid("webiss/2.02/nfse.xsd", &found);
    assert_eq!(world.sim.notas().len(), 1);
    assert_eq!(world.sim.notas()[0].situacao, Situacao::Cancelada);
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
            &webiss(&world, "ConsultarNfsePorRps", &por_rps(4)).await
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

    let faixa = format!(
        "<ConsultarNfseFaixaEnvio xmlns=\"{ABRASF}\"><Prestador><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj></Prestador><Faixa><NumeroNfseInicial>202600000000002</NumeroNfseInicial></Faixa><Pagina>1</Pagina></ConsultarNfseFaixaEnvio>"
    );
    let list = output(&webiss(&world, "ConsultarNfsePorFaixa", &faixa).await);
    assert_eq!(list.matches("<CompNfse>").count(), 2, "{list}");
    valid("webiss/2.02/nfse.xsd", &list);

    let inside = format!("{}{}", cancelar(202_600_000_000_003), rps(5));
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
    let (h, m) = (xml_escape(&head), xml_escape(&gerar(1)));
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
                &request(&head, &gerar(2)),
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
                &gerar(2).replace("<Competencia>2026-11-20</Competencia>", "")
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
                &gerar(2).replace(ABRASF, "http://outra")
            )
            .await
        ),
        "E160"
    );
    assert_eq!(
        refused(webiss(&world, "GerarNfse", &gerar(2).replace("Teste ", "Prova ")).await),
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
        &request(&h, &xml_escape(&gerar(2))),
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
        &call("gerarNfse", &gerar(2), "errada"),
        Some(&COMPANY_A1),
    )
    .await;
    assert_eq!(code(&text(&wrong)), "E157");
    let text_message = call("gerarNfse", &xml_escape(&gerar(2)), "senha");
    let fault = soap(&world, FIORILLI, path, "", &text_message, Some(&COMPANY_A1)).await;
    assert_eq!(status(&fault), 500);
    let single = soap(
        &world,
        FIORILLI,
        path,
        "",
        &call("gerarNfse", &gerar(2), "senha"),
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

fn giss_batch(number: u32) -> String {
    let space = "http://www.giss.com.br/enviar-lote-rps-envio-v2_04.xsd";
    let scope = format!(" xmlns:ns2=\"{TYPES}\" xmlns:ns4=\"{space}\"");
    let prefixed = |xml: String| {
        xml.replace("</", "\u{1}")
            .replace('<', "<ns2:")
            .replace('\u{1}', "</ns2:")
    };
    let declared = prefixed(declaration(number, "TomadorServico"));
    let name = "ns2:InfDeclaracaoPrestacaoServico";
    let rps = format!(
        "<ns2:Rps>{}</ns2:Rps>",
        signed(&scope, name, "rps", &declared, name, &COMPANY_A1)
    );
    let inside = prefixed(format!(
        "<NumeroLote>9</NumeroLote><Prestador><CpfCnpj><Cnpj>{COMPANY}</Cnpj></CpfCnpj></Prestador><QuantidadeRps>1</QuantidadeRps>"
    )) + &format!("<ns2:ListaRps>{rps}</ns2:ListaRps>");
    let canonical =
        format!("<ns4:LoteRps{scope} Id=\"lote\" versao=\"2.04\">{inside}</ns4:LoteRps>");
    let signature = signature_in(&scope, &canonical, "lote", &COMPANY_A1, Algorithms::Sha1);
    format!(
        "<ns4:EnviarLoteRpsEnvio{scope}><ns4:LoteRps Id=\"lote\" versao=\"2.04\">{inside}</ns4:LoteRps>{signature}</ns4:EnviarLoteRpsEnvio>"
    )
}

fn giss_query(root: &str, space: &str, inside: &str, sign: bool) -> String {
    let scope =
        format!(" xmlns:ns2=\"{TYPES}\" xmlns:ns4=\"http://www.giss.com.br/{space}-v2_04.xsd\"");
    let open = format!("<ns4:{root}{scope}>{inside}");
    let close = format!("</ns4:{root}>");
    let signature = if sign {
        signature_in(
            &scope,
            &format!("{open}{close}"),
            "",
            &COMPANY_A1,
            Algorithms::Sha1,
        )
    } else {
        String::new()
    };
    format!("{open}{signature}{close}")
}

async fn giss(world: &World, op: &str, message: &str) -> String {
    let head = "<p:cabecalho xmlns:p=\"http://www.giss.com.br/cabecalho-v2_04.xsd\" versao=\"2.04\"><p:versaoDados>2.04</p:versaoDados></p:cabecalho>";
    let inside = format!(
        "<n:{op}Request xmlns:n=\"http://nfse.abrasf.org.br\"><nfseCabecMsg>{}</nfseCabecMsg><nfseDadosMsg>{}</nfseDadosMsg></n:{op}Request>",
        xml_escape(head),
        xml_escape(message)
    );
    output(
        &soap(
            world,
            GISS,
            "/service-ws/nf/nfse-ws",
            "",
            &inside,
            Some(&COMPANY_A1),
        )
        .await,
    )
}

#[tokio::test]
async fn giss_has_a_namespace_per_message() {
    let world = World::new();
    let receipt = giss(&world, "RecepcionarLoteRps", &giss_batch(1)).await;
    valid("giss/2.04/enviar-lote-rps-resposta-v2_04.xsd", &receipt);
    let protocol = between(&receipt, "<ns3:Protocolo>", "</ns3:Protocolo>").to_owned();
    let provider = format!(
        "<ns4:Prestador><ns2:CpfCnpj><ns2:Cnpj>{COMPANY}</ns2:Cnpj></ns2:CpfCnpj></ns4:Prestador>"
    );
    let ask = giss_query(
        "ConsultarLoteRpsEnvio",
        "consultar-lote-rps-envio",
        &format!("{provider}<ns4:Protocolo>{protocol}</ns4:Protocolo>"),
        true,
    );
    let waiting = giss(&world, "ConsultarLoteRps", &ask).await;
    assert!(
        waiting.contains("<ns3:Situacao>2</ns3:Situacao>"),
        "{waiting}"
    );
    valid("giss/2.04/consultar-lote-rps-resposta-v2_04.xsd", &waiting);
    world.advance(2000);
    let done = giss(&world, "ConsultarLoteRps", &ask).await;
    assert!(done.contains("<ns2:CompNfse>"), "{done}");
    valid("giss/2.04/consultar-lote-rps-resposta-v2_04.xsd", &done);

    let rps = format!(
        "<ns4:IdentificacaoRps><ns2:Numero>1</ns2:Numero><ns2:Serie>A</ns2:Serie><ns2:Tipo>1</ns2:Tipo></ns4:IdentificacaoRps>{provider}"
    );
    let unsigned = giss(
        &world,
        "ConsultarNfsePorRps",
        &giss_query(
            "ConsultarNfseRpsEnvio",
            "consultar-nfse-rps-envio",
            &rps,
            false,
        ),
    )
    .await;
    assert!(
        unsigned.contains("V999") && unsigned.contains("E174"),
        "{unsigned}"
    );
    let found = giss(
        &world,
        "ConsultarNfsePorRps",
        &giss_query(
            "ConsultarNfseRpsEnvio",
            "consultar-nfse-rps-envio",
            &rps,
            true,
        ),
    )
    .await;
    valid("giss/2.04/consultar-nfse-rps-resposta-v2_04.xsd", &found);
    let missing = giss(
        &world,
        "ConsultarNfsePorRps",
        &giss_query(
            "ConsultarNfseRpsEnvio",
            "consultar-nfse-rps-envio",
            &rps.replace(">1</ns2:Numero", ">2</ns2:Numero"),
            true,
        ),
    )
    .await;
    assert_eq!(code(&missing), "E123");

    let one_space = giss_batch(2).replace(
        "http://www.giss.com.br/enviar-lote-rps-envio-v2_04.xsd",
        TYPES,
    );
    assert_eq!(
        code(&giss(&world, "RecepcionarLoteRps", &one_space).await),
        "E160"
    );

    // A refused batch is taken, and says why only when it is looked up.
    let receipt = giss(&world, "RecepcionarLoteRps", &giss_batch(1)).await;
    let second = between(&receipt, "<ns3:Protocolo>", "</ns3:Protocolo>");
    world.advance(2000);
    let ask = giss_query(
        "ConsultarLoteRpsEnvio",
        "consultar-lote-rps-envio",
        &format!("{provider}<ns4:Protocolo>{second}</ns4:Protocolo>"),
        true,
    );
    let refused = giss(&world, "ConsultarLoteRps", &ask).await;
    assert!(
        refused.contains("<ns3:Situacao>3</ns3:Situacao>"),
        "{refused}"
    );
    assert_eq!(code(&refused), "E10");
    valid("giss/2.04/consultar-lote-rps-resposta-v2_04.xsd", &refused);
    assert_eq!(world.sim.notas().len(), 1);
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
        xml_escape(&gerar(1))
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
        let answer = webiss(&world, "GerarNfse", &gerar(1)).await;
        assert_eq!(
            (status(&answer), world.sim.notas().len()),
            (expected, notes),
            "{kind}"
        );
        let asked = output(&webiss(&world, "ConsultarNfsePorRps", &por_rps(1)).await);
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
            &webiss(&world, "ConsultarNfsePorRps", &por_rps(1)).await
        )),
        "E92"
    );
    world.advance(3000);
    assert!(
        output(&webiss(&world, "ConsultarNfsePorRps", &por_rps(1)).await).contains("<CompNfse>")
    );
}

#[tokio::test]
async fn no_input_breaks_it() {
    let world = World::new();
    let good = gerar(1);
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
