//! The table and the request's types say the same.

use fiscal::fields::{Field, Kind};
use freight::cte::fields::{INF_CTE, place_in_request};
use freight::cte::order::Pedido;
use serde_json::Value;
use std::collections::BTreeSet;

/// Members of a request that become no element of their own name: those of one
/// role that another role's type has, too, are refused there.
const WITHOUT_ELEMENT: [&str; 7] = [
    "destinatario.nome_fantasia",
    "expedidor.nome_fantasia",
    "expedidor.suframa",
    "recebedor.nome_fantasia",
    "recebedor.suframa",
    "remetente.suframa",
    "responsavel_tecnico.csrt",
];

/// Paths of all members that lines of the table lead to.
fn of_the_table() -> BTreeSet<String> {
    fn visit(fields: &'static [Field], base: &str, found: &mut BTreeSet<String>) {
        for field in fields.iter().filter(|field| !field.note_only) {
            let path = format!("{base}{}", field.name);
            match field.kind {
                Kind::Group(inside) | Kind::List(inside) => {
                    visit(inside, &format!("{path}."), found);
                }
                Kind::Dissolve(inside) => visit(inside, base, found),
                Kind::Variant(inside) => {
                    found.insert(format!("{base}grupo"));
                    visit(inside, base, found);
                }
                _ => drop(found.insert(path)),
            }
        }
    }
    let mut found = BTreeSet::new();
    visit(INF_CTE, "", &mut found);
    found
}

/// Paths of all values that the schema of a request has.
fn of_the_schema() -> BTreeSet<String> {
    fn visit(root: &Value, schema: &Value, path: &str, found: &mut BTreeSet<String>) {
        let named = |schema: &Value| {
            let name = schema["$ref"]
                .as_str()?
                .strip_prefix("#/$defs/")?
                .to_owned();
            Some(root["$defs"][name].clone())
        };
        let resolved = named(schema).unwrap_or_else(|| schema.clone());
        let options = resolved["anyOf"].as_array().cloned().unwrap_or_default();
        let group = std::iter::once(&resolved)
            .chain(&options)
            .map(|one| named(one).unwrap_or_else(|| one.clone()))
            .find(|one| one["properties"].is_object());
        match group {
            Some(group) => {
                for (name, member) in group["properties"].as_object().into_iter().flatten() {
                    let path = match path {
                        "" => name.clone(),
                        path => format!("{path}.{name}"),
                    };
                    visit(root, member, &path, found);
                }
            }
            None if resolved["items"].is_object() => visit(root, &resolved["items"], path, found),
            None => drop(found.insert(path.to_owned())),
        }
    }
    let root = schemars::schema_for!(Pedido).to_value();
    let mut found = BTreeSet::new();
    visit(&root, &root, "", &mut found);
    found
}

#[test]
fn the_table_and_the_types_have_the_same_members() {
    let table = of_the_table();
    let schema = of_the_schema();
    assert!(schema.len() > 250, "{}", schema.len());
    let unknown: Vec<&String> = table.difference(&schema).collect();
    assert!(unknown.is_empty(), "no type has a member for: {unknown:?}");
    let without: Vec<&str> = schema.difference(&table).map(String::as_str).collect();
    assert_eq!(
        without, WITHOUT_ELEMENT,
        "members that no line of the table has"
    );
}

#[test]
fn official_paths_read_as_the_request() {
    for (official, place) in [
        ("infCte/ide/CFOP", "cfop"),
        ("infCte/ide/toma4/enderToma/CEP", "tomador.endereco.cep"),
        ("infCte/rem/enderReme/xLgr", "remetente.endereco.logradouro"),
        (
            "infCte/vPrest/Comp[2]/vComp",
            "valores.componentes[1].valor",
        ),
        ("infCte/imp/ICMS/ICMS00/pICMS", "icms.aliquota"),
        (
            "infCte/infCTeNorm/infCarga/infQ[1]/tpMed",
            "carga.quantidades[0].tipo",
        ),
        (
            "infCte/infCTeNorm/infDoc/infNFe[3]/chave",
            "documentos.nfe[2].chave",
        ),
        ("infCte/infCTeNorm/infModal/rodo/RNTRC", "rodoviario.rntrc"),
        ("infCte/infCTeNorm/infModal", "modal"),
        ("infCte/emit/xNome", "perfil_fiscal.razao_social"),
        (
            "infCte/compl/ObsCont[2]/@xCampo",
            "observacoes_contribuinte[1].campo",
        ),
    ] {
        assert_eq!(
            place_in_request(official).as_deref(),
            Some(place),
            "{official}"
        );
    }
    assert_eq!(place_in_request("infCte/infSolicNFF/xSolic"), None);
}
