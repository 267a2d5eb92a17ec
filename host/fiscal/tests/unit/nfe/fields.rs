//! The table and the request's types say the same.

use fiscal::nfe::fields::{Field, INF_NFE, Kind, of_the_note_alone, place_in_request};
use fiscal::nfe::order::Pedido;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Members of a request that become no element of their own name: they are
/// shared out, told in a text, or steer the calculation.
const WITHOUT_ELEMENT: [&str; 11] = [
    "calcular_impostos",
    "consumidor",
    "desconto",
    "frete",
    "inf_nfe",
    "itens.impostos.icms.difal.dispensado",
    "itens.impostos.icms.st.desonerado.deduz",
    "outras_despesas",
    "responsavel_tecnico.csrt",
    "seguro",
    "vendedor",
];

/// Members of the body of `POST /nfe` beside the content of the note.
const CONTROL: [&str; 2] = ["data_emissao", "serie"];

/// Every field that a request takes: its member's path, without positions, and
/// the lines of the table that lead there.
fn of_the_request() -> BTreeMap<String, Vec<&'static Field>> {
    fn visit(
        fields: &'static [Field],
        base: &str,
        entry: &str,
        found: &mut BTreeMap<String, Vec<&'static Field>>,
    ) {
        let below = |base: &str, name: &str| format!("{base}{name}.");
        for field in fields.iter().filter(|field| !field.note_only) {
            let mut leaf = |base: &str, name: &str| {
                found
                    .entry(format!("{base}{name}"))
                    .or_default()
                    .push(field);
            };
            match field.kind {
                Kind::Group(inside) => visit(inside, &below(base, field.name), entry, found),
                Kind::List(inside) => {
                    let base = below(base, field.name);
                    visit(inside, &base, &base, found);
                }
                Kind::Dissolve(inside) => visit(inside, base, entry, found),
                Kind::Variant(inside) => {
                    leaf(base, "grupo");
                    visit(inside, base, entry, found);
                }
                Kind::Rises => leaf(entry, field.name),
                Kind::NumberTwice(too) | Kind::NumberMarking(too) => {
                    leaf(base, field.name);
                    leaf(base, too);
                }
                _ => leaf(base, field.name),
            }
        }
    }
    let mut found = BTreeMap::new();
    visit(INF_NFE, "", "", &mut found);
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
        let options = schema["anyOf"].as_array().into_iter().flatten();
        let group = std::iter::once(schema)
            .chain(options)
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
            None if schema["items"].is_object() => visit(root, &schema["items"], path, found),
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
    let table = of_the_request();
    let schema = of_the_schema();
    assert!(schema.len() > 400, "{}", schema.len());
    let unknown: Vec<&String> = table
        .keys()
        .filter(|path| !schema.contains(*path) && !CONTROL.contains(&path.as_str()))
        .collect();
    assert!(unknown.is_empty(), "no type has a member for: {unknown:?}");
    let consumer = |path: &str| path.starts_with("consumidor.");
    let without: Vec<&str> = schema
        .iter()
        .map(String::as_str)
        .filter(|path| !table.contains_key(*path) && !consumer(path))
        .collect();
    let expected: Vec<&str> = WITHOUT_ELEMENT
        .into_iter()
        .filter(|path| *path != "consumidor")
        .collect();
    assert_eq!(without, expected, "members that no line of the table has");
}

/// A plain field is written by the line it stands in, so there is one for it.
#[test]
fn a_plain_member_has_one_line() {
    let twice: Vec<String> = of_the_request()
        .into_iter()
        .filter(|(_, fields)| {
            // The same line may be reached by several ways, as that of a group
            // that two elements share.
            let tags: BTreeSet<&str> = fields.iter().map(|field| field.tag).collect();
            fields.iter().any(|field| field.plain.is_some()) && tags.len() > 1
        })
        .map(|(path, _)| path)
        .collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn official_paths_read_as_the_request() {
    for (official, place) in [
        ("infNFe/det[2]/prod/NCM", "itens[1].ncm"),
        (
            "infNFe/det[990]/imposto/ICMS/ICMS00/pICMS",
            "itens[989].impostos.icms.aliquota",
        ),
        ("infNFe/det[1]/imposto/ICMS/ICMS00/orig", "itens[0].origem"),
        (
            "infNFe/det[1]/imposto/IPI/IPITrib/vIPI",
            "itens[0].impostos.ipi.valor",
        ),
        (
            "infNFe/det[1]/imposto/IPI/cEnq",
            "itens[0].impostos.ipi.enquadramento",
        ),
        (
            "infNFe/det[1]/imposto/PIS/PISOutr/pPIS",
            "itens[0].impostos.pis.aliquota",
        ),
        (
            "infNFe/det[1]/imposto/IBSCBS/gIBSCBS/vBC",
            "itens[0].impostos.ibs_cbs.base",
        ),
        (
            "infNFe/det[1]/imposto/IBSCBS/gIBSCBS/gCBS/pCBS",
            "itens[0].impostos.ibs_cbs.cbs.aliquota",
        ),
        (
            "infNFe/det[1]/imposto/IBSCBS/gIBSCBS/gTribCompraGov/pAliqCBS",
            "itens[0].impostos.ibs_cbs",
        ),
        (
            "infNFe/dest/enderDest/xLgr",
            "consumidor.endereco.logradouro",
        ),
        (
            "infNFe/pag/detPag[3]/card/cAut",
            "pagamentos[2].cartao.autorizacao",
        ),
        ("infNFe/pag/detPag/vPag", "pagamentos[0].valor"),
        (
            "infNFe/det[3]/prod/DI[2]/adi[4]/nDraw",
            "itens[2].importacoes[1].adicoes[3].drawback",
        ),
        (
            "infNFe/infAdic/obsCont[2]/@xCampo",
            "observacoes_contribuinte[1].campo",
        ),
        ("infNFe/emit/xNome", "perfil_fiscal.razao_social"),
        ("infNFe/emit/enderEmit/CEP", "perfil_fiscal.endereco.cep"),
        ("infNFe/infRespTec/hashCSRT", "responsavel_tecnico.csrt"),
        ("infNFe/total/ICMSTot/vNF", "itens"),
        ("infNFe/total/ISSQNtot/vISS", "servicos"),
        ("infNFe/ide/cUF", "natureza_operacao"),
        ("infNFe/ide/nNF", "numero"),
        ("infNFe/autXML[3]/CPF", "autorizados_xml[2]"),
    ] {
        assert_eq!(
            place_in_request(official, "consumidor").as_deref(),
            Some(place),
            "{official}"
        );
    }
    for official in [
        "infNFe/infSolicNFF/xSolic",
        "infNFe/avulsa",
        "",
        "x[",
        "det[/[",
    ] {
        let place = place_in_request(official, "destinatario");
        assert!(
            place.as_deref().is_none_or(|place| place == "itens[0]"),
            "{place:?}"
        );
    }
}

#[test]
fn what_a_request_does_not_take_is_listed() {
    assert_eq!(
        of_the_note_alone(),
        [
            "layout",
            "id",
            "codigo_uf",
            "codigo_numerico",
            "indicador_pagamento",
            "modelo",
            "numero",
            "formato_danfe",
            "tipo_emissao",
            "digito_verificador",
            "ambiente",
            "indicador_intermediador",
            "processo_emissao",
            "versao_aplicativo",
            "contingencia",
            "emitente",
            "avulsa",
            "totais",
            "solicitacao_nff",
            "provedor_assinatura",
            "qr_code",
            "url_consulta",
        ]
    );
}
