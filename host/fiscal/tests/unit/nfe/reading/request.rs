//! What is read of a note can be asked for: the same names, shapes and digits.

use fiscal::nfe::fields;
use fiscal::nfe::order::Pedido;
use fiscal::nfe::reading::{ReadNota, read};
use markup::xml::Document;
use serde_json::Value;

use super::loss::NOTA;
use super::schema::Package;
use super::{PACKAGES, texts};

/// Members of an answer that tell of the reading or of the note alone.
fn apart() -> Vec<&'static str> {
    let mut names = fields::of_the_note_alone();
    names.extend([
        "chave",
        "fora_do_pedido",
        "protocolo",
        "assinatura",
        "outros",
        "avisos",
    ]);
    names
}

/// The members of a note that a request takes; those beside its content are
/// looked at and put aside.
fn as_request(nota: &ReadNota<'_>) -> Value {
    let mut json = serde_json::to_value(nota).unwrap();
    let members = json.as_object_mut().unwrap();
    members.retain(|name, _| !apart().contains(&name.as_str()));
    for control in ["serie", "data_emissao"] {
        members.remove(control);
    }
    json
}

/// Numbers as the request keeps them: texts of the same digits.
fn with_digits(json: Value) -> Value {
    match json {
        Value::Number(number) => Value::String(number.to_string()),
        Value::Array(list) => list.into_iter().map(with_digits).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, with_digits(value)))
            .collect(),
        other => other,
    }
}

/// What a request does not have of what was sent: `path: sent, kept`.
fn differences(path: &str, sent: &Value, kept: &Value, found: &mut Vec<String>) {
    match (sent, kept) {
        (Value::Object(sent), Value::Object(kept)) => {
            for (name, value) in sent {
                let kept = kept.get(name).unwrap_or(&Value::Null);
                differences(&format!("{path}.{name}"), value, kept, found);
            }
        }
        (Value::Array(sent), Value::Array(kept)) => {
            for (position, value) in sent.iter().enumerate() {
                let kept = kept.get(position).unwrap_or(&Value::Null);
                differences(&format!("{path}[{position}]"), value, kept, found);
            }
        }
        _ if sent == kept => {}
        _ => found.push(format!("{path}: {sent} {kept}")),
    }
}

/// Every member that the request does not keep as it is.
fn not_taken(nota: &ReadNota<'_>) -> Vec<String> {
    let sent = as_request(nota);
    let request: Pedido = match serde_json::from_value(sent.clone()) {
        Ok(request) => request,
        Err(error) => return vec![error.to_string()],
    };
    let kept = serde_json::to_value(&request).unwrap();
    let mut found = Vec::new();
    differences("", &with_digits(sent), &kept, &mut found);
    found
}

#[test]
fn samples_of_others_are_requests() {
    let Some(folder) = judges::shared("samples/nfe") else {
        return;
    };
    let mut notes = 0;
    for (name, xml) in texts(&folder) {
        let Ok(doc) = Document::parse(&xml) else {
            continue;
        };
        let Ok(nota) = read(&doc) else { continue };
        notes += 1;
        assert_eq!(not_taken(&nota), [""; 0], "{name}");
    }
    assert!(notes >= 7, "{notes} notes");
}

/// Of every element of every package, with values of the kind the table says:
/// all of it is taken, or stands apart.
#[test]
fn every_element_of_every_package_is_taken_or_apart() {
    let Some(shared) = judges::shared("") else {
        return;
    };
    for package in PACKAGES {
        let folder = shared.join("schemas/nfe").join(package);
        let package_read = Package::new(&folder);
        for choice in 0..21 {
            let xml = numbered(&package_read.nota(choice));
            let doc = Document::parse(&xml).unwrap();
            let nota = read(&doc).unwrap();
            assert_eq!(not_taken(&nota), [""; 0], "{package} {choice}");
        }
    }
}

/// The values `v1`, `v2`, … of a generated note as `1.0000`, `2.0000`, …, which
/// are numbers and texts alike; enumerations and flags as a code they have.
fn numbered(xml: &str) -> String {
    let mut out = String::with_capacity(xml.len() * 2);
    let mut rest = xml;
    while let Some(at) = rest.find(">v").into_iter().chain(rest.find("\"v")).min() {
        let (before, value) = rest.split_at(at + 1);
        let digits: String = value[1..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let tag = before
            .rsplit(['<', ' '])
            .next()
            .unwrap_or_default()
            .trim_end_matches(['>', '=', '"']);
        out.push_str(before);
        match digits.is_empty() {
            true => out.push('v'),
            false => out.push_str(&value_of(tag, &digits)),
        }
        rest = &value[1 + digits.len()..];
    }
    out.push_str(rest);
    out
}

fn value_of(tag: &str, digits: &str) -> String {
    match tag {
        "tPag" | "tpNFDebito" | "tpNFCredito" => "01".to_owned(),
        "tpNF" | "idDest" | "finNFe" | "indFinal" | "indPres" | "indIEDest" | "modFrete"
        | "indPag" | "modBC" | "modBCST" | "tpViaTransp" | "tpIntermedio" | "indISS"
        | "indIncentivo" | "indProc" | "indTot" | "indBemMovelUsado" | "indDoacao"
        | "indImport" | "indSomaPISST" | "indSomaCOFINSST" | "indDeduzDeson" | "tpIntegra" => {
            "1".to_owned()
        }
        "indEscala" => "S".to_owned(),
        "versao" | "xmlns" => format!("v{digits}"),
        _ => format!("{digits}.0000"),
    }
}

/// A decimal of a document is the request's of the same digits.
#[test]
fn decimals_keep_their_digits() {
    let xml = NOTA.replace("2.0000", "10.0000");
    let doc = Document::parse(&xml).unwrap();
    let nota = read(&doc).unwrap();
    let text = serde_json::to_string(&nota).unwrap();
    assert!(
        text.contains(r#""quantidade":10.0000,"valor_bruto":10.00"#),
        "{text}"
    );
    let request: Pedido = serde_json::from_value(as_request(&nota)).unwrap();
    let quantity = request.itens[0].quantidade.map(|number| number.to_string());
    assert_eq!(quantity.as_deref(), Some("10.0000"));
}

/// What the note says beyond a request is told beside it, at the same paths.
#[test]
fn what_no_request_says_stands_apart() {
    let xml = NOTA
        .replace(
            "<vICMSUFDest>0.10</vICMSUFDest>",
            "<vICMSUFDest>0.10</vICMSUFDest><vICMSUFRemet>0.00</vICMSUFRemet>",
        )
        .replace("</imposto></det>", "</imposto><vItem>10.00</vItem></det>")
        .replace(
            "<pag>",
            "<total><ISSQNtot><vISS>5.00</vISS><dCompet>2026-11-20</dCompet></ISSQNtot></total><pag>",
        )
        .replace(
            "</pag>",
            "</pag><infRespTec><idCSRT>01</idCSRT><hashCSRT>h</hashCSRT></infRespTec>",
        );
    let doc = Document::parse(&xml).unwrap();
    let json = serde_json::to_value(read(&doc).unwrap()).unwrap();
    assert_eq!(
        json["fora_do_pedido"].to_string(),
        r#"{"itens":[{"impostos":{"icms":{"difal":{"valor_remetente":0.00}}},"numero":1,"valor_item":10.00}],"responsavel_tecnico":{"hash_csrt":"h"}}"#
    );
    assert_eq!(json["totais"].to_string(), r#"{"servicos":{"iss":5.00}}"#);
    assert_eq!(
        json["servicos"].to_string(),
        r#"{"data_competencia":"2026-11-20"}"#
    );
    assert_eq!(json["itens"][0]["valor_item"], Value::Null);
}
