//! CT-e and MDF-e, and their events, judged by the simulated authorities.

use crate::authority::Sefaz;
use crate::bench::{NOW, emitter, signed};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use compose::emitter::{Emitter, Regime};
use compose::frame::Ambiente;
use fiscal::nfe::event::{Evento, write};
use flate2::Compression;
use flate2::write::GzEncoder;
use freight::event::{
    Closing, Correction, Described, Inclusion, add_documents, add_driver, cancel_cte, cancel_mdfe,
    close, correction_letter, epec,
};
use freight::{cte, mdfe};
use markup::ids::CpfCnpj;
use markup::ids::chave::Chave;
use serde_json::{Value, json};
use std::io::Write;
use time::macros::date;

/// Keys with right check digits, of nobody's documents.
const NFE: &str = "31261111222333000181550010000000071314159266";
const OTHER_NFE: &str = "35261111222333000181550010000000011482139574";
const CTE: &str = "31261111222333000181570010000000091271828180";

/// Host, and path with `{}` for the service.
type Address = (&'static str, &'static str);
const CTE_SP: Address = ("nfe.fazenda.sp.gov.br", "/CTeWS/WS/{}.asmx");
const CTE_SVRS: Address = ("cte.svrs.rs.gov.br", "/ws/{}/{}.asmx");
const MDFE_SVRS: Address = ("mdfe.svrs.rs.gov.br", "/ws/{}/{}.asmx");

fn company() -> Emitter {
    emitter(Regime::Normal)
}

fn party(cnpj: &str, ie: &str, ibge: &str, uf: &str) -> Value {
    json!({
        "cpf_cnpj": cnpj, "ie": ie, "nome": "Exemplo Ltda",
        "endereco": {
            "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro",
            "codigo_ibge": ibge, "uf": uf
        }
    })
}

/// A service from São Paulo to Belo Horizonte, by road.
fn service() -> Value {
    json!({
        "modal": "rodoviario",
        "cfop": "6353",
        "natureza_operacao": "Transporte a estabelecimento comercial",
        "municipio_inicio": "3550308",
        "municipio_fim": "3106200",
        "tomador": { "papel": "destinatario" },
        "remetente": party("11444777000161", "110042490114", "3550308", "SP"),
        "destinatario": party("12345678000195", "0623079040081", "3106200", "MG"),
        "valores": {
            "prestacao": "1500.00",
            "componentes": [{ "nome": "FRETE PESO", "valor": "1400.00" }, { "nome": "PEDAGIO", "valor": "100.00" }]
        },
        "icms": { "cst": "00", "aliquota": "7.00" },
        "carga": {
            "valor": "25000.00", "produto": "Cafe torrado",
            "quantidades": [{ "unidade": "kg", "tipo": "PESO BRUTO", "quantidade": "1250.5" }]
        },
        "documentos": { "nfe": [{ "chave": NFE }] },
        "rodoviario": { "rntrc": "12345678" }
    })
}

fn cte_frame(ambiente: Ambiente, tp_emis: u8) -> cte::frame::Frame {
    cte::frame::Frame {
        ambiente,
        serie: 1,
        number: 7,
        c_ct: 31_415_926,
        dh_emi: NOW,
        tp_emis,
        ver_proc: "hub".to_owned(),
        contingency: None,
    }
}

fn cte_of(order: Value, frame: &cte::frame::Frame) -> cte::assembly::Cte {
    let order = serde_json::from_value(order).expect("a request");
    cte::assembly::validate(&order, &company(), frame).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// Own cargo within the state, as short as a request gets.
fn own_cargo() -> Value {
    json!({
        "uf_inicio": "SP", "uf_fim": "SP",
        "carregamento": [{ "codigo_ibge": "3550308" }],
        "veiculo": { "placa": "abc-1d23", "tara": 4000 },
        "condutores": [{ "nome": "Motorista Exemplo", "cpf": "529.982.247-25" }],
        "documentos": [{ "codigo_ibge_descarga": "3509502", "chaves": [NFE] }],
        "carga": { "valor": "1000", "peso_kg": "250" }
    })
}

/// A trip for others, with the documents of two cities.
fn for_others() -> Value {
    json!({
        "uf_inicio": "SP", "uf_fim": "PR",
        "carregamento": [{ "codigo_ibge": "3550308" }],
        "veiculo": {
            "placa": "ABC1D23", "renavam": "12345678901", "tara": 8000, "capacidade_kg": 15000,
            "tipo_rodado": "cavalo_mecanico", "tipo_carroceria": "nao_aplicavel", "uf": "SP"
        },
        "reboques": [{
            "placa": "DEF4567", "renavam": "987654321", "tara": 7000, "capacidade_kg": 25000,
            "tipo_carroceria": "fechada", "uf": "SP"
        }],
        "condutores": [{ "nome": "Motorista Exemplo", "cpf": "52998224725" }],
        "rodoviario": {
            "rntrc": "12345678",
            "contratantes": [{ "nome": "Contratante Exemplo Ltda", "cpf_cnpj": "12345678000195" }]
        },
        "documentos": [
            { "codigo_ibge_descarga": "4106902", "ctes": [{ "chave": CTE }] },
            { "codigo_ibge_descarga": "4115200", "ctes": [{ "chave": "31261111222333000181570010000000101314159269" }] }
        ],
        "seguro": [{
            "responsavel": "contratante", "cpf_cnpj": "12345678000195", "seguradora": "Seguradora Exemplo",
            "cnpj_seguradora": "11444777000161", "apolice": "AP-1", "averbacoes": ["AV1"]
        }],
        "produto_predominante": {
            "tipo_carga": "carga_geral", "descricao": "Cafe torrado", "gtin": "SEM GTIN", "ncm": "09012100"
        },
        "carga": { "valor": "250000.00", "unidade": "kg", "peso": "12500.5" }
    })
}

fn mdfe_of(order: Value) -> (String, String) {
    let frame = mdfe::frame::Frame {
        ambiente: Ambiente::Producao,
        serie: 1,
        number: 7,
        c_mdf: 31_415_926,
        dh_emi: NOW,
        tp_emis: 1,
        ver_proc: "hub".to_owned(),
    };
    let order = serde_json::from_value(order).expect("a request");
    let mdfe = mdfe::assembly::validate(&order, &company(), &frame);
    let mdfe = mdfe.unwrap_or_else(|e| panic!("{e:#?}"));
    let written = mdfe.write(&frame, None).expect("the layout takes it");
    (mdfe.chave.to_string(), signed(written, &company().cpf_cnpj))
}

/// Hands in a message (a document packed, an event as it is) and wants this
/// code; answers the protocol.
fn ask(sefaz: &Sefaz, (host, path): Address, service: &str, message: &str, code: &str) -> String {
    let data = if host.starts_with("mdfe") {
        "mdfe"
    } else {
        "cte"
    };
    let space = format!("http://www.portalfiscal.inf.br/{data}/wsdl/{service}");
    let header = if data == "mdfe" {
        format!(
            "<soap12:Header><mdfeCabecMsg xmlns=\"{space}\"><cUF>35</cUF><versaoDados>3.00</versaoDados></mdfeCabecMsg></soap12:Header>"
        )
    } else {
        String::new()
    };
    let message = if service.contains("Sinc") {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(message.as_bytes()).expect("gzip");
        STANDARD.encode(encoder.finish().expect("gzip"))
    } else {
        message.to_owned()
    };
    let body = format!(
        "{header}<soap12:Body><{data}DadosMsg xmlns=\"{space}\">{message}</{data}DadosMsg></soap12:Body>"
    );
    let path = path.replace("{}", service);
    let action = format!("{space}/metodo");
    let answer = sefaz.ask((host, &path), &action, &body, &company().cpf_cnpj);
    let of = |tag: &str| {
        let found = answer.split(&format!("<{tag}>")).nth(1);
        found
            .and_then(|rest| rest.split('<').next())
            .unwrap_or_default()
    };
    assert_eq!(of("cStat"), code, "{answer}");
    of("nProt").to_owned()
}

fn event(key: &str, sequence: u8, (kind, data): Described) -> String {
    let evento = Evento {
        kind,
        chave: Chave::parse(key).expect("a key"),
        sequence,
        author: CpfCnpj::parse(&company().cpf_cnpj).expect("a CNPJ"),
        role: None,
        agency: None,
        author_agency: None,
        production: true,
        at: NOW,
        ver_aplic: "hub".to_owned(),
        data,
    };
    let written = write(&evento).unwrap_or_else(|e| panic!("{e:#?}"));
    signed(written, &company().cpf_cnpj)
}

#[test]
fn a_cte_is_authorized_corrected_and_cancelled() {
    for ambiente in [Ambiente::Producao, Ambiente::Homologacao] {
        let sefaz = Sefaz::at(NOW);
        let frame = cte_frame(ambiente, 1);
        let cte = cte_of(service(), &frame);
        let xml = signed(cte.write(&frame).expect("written"), &company().cpf_cnpj);
        if ambiente == Ambiente::Homologacao {
            let address = ("homologacao.nfe.fazenda.sp.gov.br", CTE_SP.1);
            ask(&sefaz, address, "CTeRecepcaoSincV4", &xml, "100");
            continue;
        }
        let protocol = ask(&sefaz, CTE_SP, "CTeRecepcaoSincV4", &xml, "100");
        let key = cte.chave.to_string();
        let reason = "Serviço contratado por engano";
        let wrong = cancel_cte("135260000000009", reason).expect("an event");
        let wrong = event(&key, 1, wrong);
        ask(&sefaz, CTE_SP, "CTeRecepcaoEventoV4", &wrong, "222");
        let cancelled = event(&key, 1, cancel_cte(&protocol, reason).expect("an event"));
        ask(&sefaz, CTE_SP, "CTeRecepcaoEventoV4", &cancelled, "135");
        ask(&sefaz, CTE_SP, "CTeRecepcaoEventoV4", &cancelled, "631");

        let sefaz = Sefaz::at(NOW);
        ask(&sefaz, CTE_SP, "CTeRecepcaoSincV4", &xml, "100");
        let letter = correction_letter(&[Correction {
            grupo: Some("infCarga".to_owned()),
            campo: Some("proPred".to_owned()),
            valor: Some("Café torrado e moído".to_owned()),
            item: None,
        }]);
        let letter = event(&key, 1, letter.expect("an event"));
        ask(&sefaz, CTE_SP, "CTeRecepcaoEventoV4", &letter, "135");
    }
}

#[test]
fn every_form_of_a_cte_is_taken() {
    let mut all = vec![("simples".to_owned(), service())];
    let mut add = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut order = service();
        change(&mut order);
        all.push((name.to_owned(), order));
    };
    add("outro tomador", &|order| {
        order["tomador"] = party("44555666000181", "ISENTO", "3304557", "RJ");
        order["tomador"]["papel"] = json!("outro");
    });
    add("redespacho", &|order| {
        order["servico"] = json!("redespacho");
        order["documentos_anteriores"] = json!([{
            "cpf_cnpj": "11444777000161", "ie": "110042490114", "uf": "SP", "nome": "Outra Transportes Ltda",
            "eletronicos": [CTE]
        }]);
    });
    add("outros documentos", &|order| {
        order["documentos"] = json!({ "outros": [{ "tipo": "outros", "descricao": "Ordem", "numero": "1", "valor": "10" }] });
    });
    add("ibs e cbs", &|order| {
        order["ibs_cbs"] = json!({ "cst": "000", "cclass_trib": "000001" });
        order["icms_uf_fim"] = json!({ "aliquota_interna": "18", "aliquota_fcp": "2" });
    });
    add("autorizados", &|order| {
        order["autorizados_xml"] = json!(["44555666000181", "52998224725"]);
    });
    for (cst, more) in [
        ("20", json!({ "reducao": "20", "aliquota": "12" })),
        ("40", json!({})),
        ("60", json!({ "aliquota": "12", "credito": "36" })),
        ("90", json!({ "aliquota": "12", "reducao": "10" })),
        ("90", json!({ "aliquota": "12", "grupo": "icms_outra_uf" })),
    ] {
        add(&format!("icms {cst} {more}"), &|order| {
            order["icms"] = more.clone();
            order["icms"]["cst"] = json!(cst);
        });
    }
    for (name, order) in all {
        println!("{name}");
        let frame = cte_frame(Ambiente::Producao, 1);
        let written = cte_of(order, &frame).write(&frame).expect("written");
        let xml = signed(written, &company().cpf_cnpj);
        ask(&Sefaz::at(NOW), CTE_SP, "CTeRecepcaoSincV4", &xml, "100");
    }
}

#[test]
fn an_epec_is_taken_by_the_contingency_authority() {
    let cte = cte_of(service(), &cte_frame(Ambiente::Producao, 4));
    let epec = epec(&cte, "Autorizadora fora do ar").expect("an event");
    let epec = event(&cte.chave.to_string(), 1, epec);
    ask(
        &Sefaz::at(NOW),
        CTE_SVRS,
        "CTeRecepcaoEventoV4",
        &epec,
        "136",
    );
}

#[test]
fn an_mdfe_is_authorized_gets_a_driver_and_is_closed() {
    let sefaz = Sefaz::at(NOW);
    for order in [for_others(), own_cargo()] {
        let (_, xml) = mdfe_of(order);
        ask(&Sefaz::at(NOW), MDFE_SVRS, "MDFeRecepcaoSinc", &xml, "100");
    }
    let (key, xml) = mdfe_of(own_cargo());
    let protocol = ask(&sefaz, MDFE_SVRS, "MDFeRecepcaoSinc", &xml, "100");
    let closing = Closing {
        uf: "SP",
        codigo_ibge: "3509502",
        data: None,
    };
    for (sequence, described, code) in [
        (1, add_driver("Outro Motorista", "111.444.777-35"), "135"),
        (2, add_driver("Outro Motorista", "111.444.777-35"), "577"),
        (1, close(&protocol, &closing, date!(2026 - 11 - 20)), "135"),
        (1, cancel_mdfe(&protocol, "Viagem não realizada"), "609"),
    ] {
        let event = event(&key, sequence, described.expect("an event"));
        ask(&sefaz, MDFE_SVRS, "MDFeRecepcaoEvento", &event, code);
    }
    let sefaz = Sefaz::at(NOW);
    let protocol = ask(&sefaz, MDFE_SVRS, "MDFeRecepcaoSinc", &xml, "100");
    let cancelled = cancel_mdfe(&protocol, "Viagem não realizada").expect("an event");
    let cancelled = event(&key, 1, cancelled);
    ask(&sefaz, MDFE_SVRS, "MDFeRecepcaoEvento", &cancelled, "135");
}

#[test]
fn documents_of_an_mdfe_may_come_later() {
    let sefaz = Sefaz::at(NOW);
    let mut order = own_cargo();
    order["carga_posterior"] = json!(true);
    order["documentos"] = json!([{ "codigo_ibge_descarga": "3509502" }]);
    let (key, xml) = mdfe_of(order);
    let protocol = ask(&sefaz, MDFE_SVRS, "MDFeRecepcaoSinc", &xml, "100");
    let keys = [NFE.to_owned(), OTHER_NFE.to_owned()];
    let inclusion = Inclusion {
        loading: "3550308",
        unloading: "3509502",
        chaves: &keys,
    };
    let included = event(
        &key,
        1,
        add_documents(&protocol, &inclusion).expect("an event"),
    );
    ask(&sefaz, MDFE_SVRS, "MDFeRecepcaoEvento", &included, "135");
}
