//! The table and the request's types say the same.

use crate::members::{of_the_schema, of_the_table};
use freight::cte::fields::{INF_CTE, place_in_request};
use freight::cte::order::Pedido;

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

#[test]
fn the_table_and_the_types_have_the_same_members() {
    let table = of_the_table(INF_CTE);
    let schema = of_the_schema(&schemars::schema_for!(Pedido).to_value());
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
