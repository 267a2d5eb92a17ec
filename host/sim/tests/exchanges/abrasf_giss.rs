//! Giss: ABRASF 2.04 with a namespace of its own for each message.

use crate::common::abrasf::*;
use crate::common::*;

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

/// An order sets when a batch is ready, which takes GISS 1.5 s by itself.
#[tokio::test]
async fn a_batch_is_ready_when_it_was_ordered() {
    let world = World::new();
    let order = br#"{"lote_pronto_ms":100}"#.to_vec();
    let put = world.call("x", "PUT", "/__sim/parametros", order, None);
    assert_eq!(status(&put.await), 200);
    let receipt = giss(&world, "RecepcionarLoteRps", &giss_batch(1)).await;
    let protocol = between(&receipt, "<ns3:Protocolo>", "</ns3:Protocolo>");
    let ask = giss_query(
        "ConsultarLoteRpsEnvio",
        "consultar-lote-rps-envio",
        &format!(
            "<ns4:Prestador><ns2:CpfCnpj><ns2:Cnpj>{COMPANY}</ns2:Cnpj></ns2:CpfCnpj></ns4:Prestador>\
             <ns4:Protocolo>{protocol}</ns4:Protocolo>"
        ),
        true,
    );
    world.advance(99);
    let waiting = giss(&world, "ConsultarLoteRps", &ask).await;
    assert!(
        waiting.contains("<ns3:Situacao>2</ns3:Situacao>"),
        "{waiting}"
    );
    world.advance(1);
    let done = giss(&world, "ConsultarLoteRps", &ask).await;
    assert!(done.contains("<ns2:CompNfse>"), "{done}");
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
