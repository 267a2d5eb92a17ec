//! The table and the request's types say the same.

use crate::members::{of_the_schema, of_the_table};
use freight::mdfe::fields::{INF_MDFE, place_in_request};
use freight::mdfe::order::Pedido;

/// Members of a request that become no element of their own name.
const WITHOUT_ELEMENT: [&str; 3] = [
    "carga.peso_kg",
    "documentos.chaves",
    "responsavel_tecnico.csrt",
];

#[test]
fn the_table_and_the_types_have_the_same_members() {
    let table = of_the_table(INF_MDFE);
    let schema = of_the_schema(&schemars::schema_for!(Pedido).to_value());
    assert!(schema.len() > 180, "{}", schema.len());
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
        ("infMDFe/ide/UFIni", "uf_inicio"),
        (
            "infMDFe/ide/infMunCarrega[2]/cMunCarrega",
            "carregamento[1].codigo_ibge",
        ),
        ("infMDFe/ide/infPercurso[3]/UFPer", "percurso[2]"),
        ("infMDFe/infModal/rodo/infANTT/RNTRC", "rodoviario.rntrc"),
        (
            "infMDFe/infModal/rodo/infANTT/valePed/disp[2]/vValePed",
            "rodoviario.vale_pedagio.dispositivos[1].valor",
        ),
        (
            "infMDFe/infModal/rodo/infANTT/infPag[1]/infBanc/PIX",
            "rodoviario.pagamentos[0].pix",
        ),
        ("infMDFe/infModal/rodo/veicTracao/placa", "veiculo.placa"),
        (
            "infMDFe/infModal/rodo/veicTracao/prop/xNome",
            "veiculo.proprietario.nome",
        ),
        (
            "infMDFe/infModal/rodo/veicTracao/condutor[2]/CPF",
            "condutores[1].cpf",
        ),
        (
            "infMDFe/infModal/rodo/veicReboque[1]/prop/RNTRC",
            "reboques[0].proprietario.rntrc",
        ),
        (
            "infMDFe/infDoc/infMunDescarga[1]/infNFe[3]/chNFe",
            "documentos[0].nfes[2].chave",
        ),
        ("infMDFe/seg[1]/infSeg/xSeg", "seguro[0].seguradora"),
        ("infMDFe/tot/qCarga", "carga.peso"),
        ("infMDFe/tot", "carga"),
        ("infMDFe/emit/xNome", "perfil_fiscal.razao_social"),
        ("infMDFe/infAdic/infCpl", "observacoes"),
    ] {
        assert_eq!(
            place_in_request(official).as_deref(),
            Some(place),
            "{official}"
        );
    }
    assert_eq!(place_in_request("infMDFe/infSolicNFF/xSolic"), None);
}
