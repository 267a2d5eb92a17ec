//! The mistakes that beginners make, and what each is told: the code, the member, what
//! is wrong and what to write. The table of them is `docs/ERROS.md`.

mod questions;
mod table;

use crate::common::BELO_HORIZONTE;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::{nfce, nfe, nfse, with};
use tests::on_sqlite;

const NFE: &str = "/api/v1/nfe";
const NFSE: &str = "/api/v1/nfse";

/// A request with a mistake in it, and what must be said of it.
struct Mistake {
    /// What somebody did, as the table says it.
    what: &'static str,
    method: Method,
    path: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    /// Status and code.
    refused: &'static str,
    /// The member of the point that is meant; empty: the refusal itself.
    member: &'static str,
    /// Parts of the sentences about it.
    said: [&'static str; 2],
    /// Nothing is said before it.
    first: bool,
}

impl Mistake {
    /// The same, which must be the first thing that is said.
    fn first(mut self) -> Mistake {
        self.first = true;
        self
    }
}

fn posted(
    what: &'static str,
    path: &'static str,
    body: &Value,
    refused: &'static str,
    member: &'static str,
    said: [&'static str; 2],
) -> Mistake {
    let json = ("content-type", "application/json".to_owned());
    Mistake {
        what,
        method: Method::POST,
        path,
        headers: vec![json],
        body: body.to_string().into_bytes(),
        refused,
        member,
        said,
        first: false,
    }
}

fn sent(
    what: &'static str,
    headers: &[(&'static str, &str)],
    body: &[u8],
    refused: &'static str,
    said: [&'static str; 2],
) -> Mistake {
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()));
    Mistake {
        what,
        method: Method::POST,
        path: NFE,
        headers: headers.collect(),
        body: body.to_vec(),
        refused,
        member: "",
        said,
        first: false,
    }
}

fn asked(
    what: &'static str,
    method: Method,
    path: &'static str,
    refused: &'static str,
    member: &'static str,
    said: [&'static str; 2],
) -> Mistake {
    Mistake {
        what,
        method,
        path,
        headers: Vec::new(),
        body: Vec::new(),
        refused,
        member,
        said,
        first: false,
    }
}

/// A body whose member has another name.
fn renamed(mut body: Value, pointer: &str, to: &str) -> Value {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    let parent = body.pointer_mut(parent).and_then(Value::as_object_mut);
    let parent = parent.expect("an object");
    let value = parent.remove(name).expect("a member");
    parent.insert(to.to_owned(), value);
    body
}

/// Who calls, and how.
fn keys(key: &str) -> Vec<Mistake> {
    let body = nfe().to_string().into_bytes();
    let json = ("content-type", "application/json");
    let basic = format!("Basic {}", STANDARD.encode(format!("{key}:")));
    let cut = format!("Bearer {}", &key[..key.len() - 4]);
    vec![
        sent(
            "sem chave de API",
            &[json, ("authorization", "")],
            &body,
            "401 nao_autenticado",
            ["Falta a chave de API", "Authorization: Bearer"],
        ),
        sent(
            "chave como usuário de Basic",
            &[json, ("authorization", &basic)],
            &body,
            "401 chave_invalida",
            ["autenticação Basic", "Bearer e a chave"],
        ),
        sent(
            "chave sem a palavra Bearer",
            &[json, ("authorization", key)],
            &body,
            "401 chave_invalida",
            ["Falta a palavra Bearer", "Bearer e a chave"],
        ),
        sent(
            "chave cortada",
            &[json, ("authorization", &cut)],
            &body,
            "401 chave_invalida",
            ["incompleta", "Copie a chave inteira"],
        ),
        asked(
            "método errado",
            Method::GET,
            "/api/v1/nfe/cancelar",
            "405 metodo_nao_permitido",
            "",
            ["não com este método", "/api/v1/nfe/cancelar aceita POST."],
        ),
        asked(
            "barra no fim do endereço",
            Method::POST,
            "/api/v1/nfe/",
            "404 rota_inexistente",
            "",
            ["não existe", "Você quis dizer POST /api/v1/nfe?"],
        ),
        asked(
            "endereço sem /api",
            Method::POST,
            "/v1/nfse",
            "404 rota_inexistente",
            "",
            ["não existe", "Você quis dizer POST /api/v1/nfse?"],
        ),
        asked(
            "endereço com erro de grafia",
            Method::GET,
            "/api/v1/webhoks",
            "404 rota_inexistente",
            "",
            ["não existe", "Você quis dizer GET /api/v1/webhooks?"],
        ),
        asked(
            "endereço traduzido",
            Method::POST,
            "/api/v1/emitentes",
            "404 rota_inexistente",
            "",
            ["não existe", "Você quis dizer POST /api/v1/emitters?"],
        ),
        asked(
            "endereço de outro serviço",
            Method::GET,
            "/api/v1/cep/30140071",
            "404 rota_inexistente",
            "",
            ["não existe", "/api/v1/geo/cep/{cep}?"],
        ),
    ]
}

/// What the body is.
fn bodies() -> Vec<Mistake> {
    let json = ("content-type", "application/json");
    let whole = nfe().to_string().into_bytes();
    let marked = [b"\xef\xbb\xbf", whole.as_slice()].concat();
    let latin = b"{\"natureza_operacao\":\"Devolu\xe7\xe3o\"}";
    let cut = &whole[..whole.len() - 5];
    vec![
        sent(
            "corpo vazio",
            &[json],
            b"",
            "400 json_invalido",
            ["está vazio", "Content-Type: application/json"],
        )
        .first(),
        sent(
            "lista no lugar do objeto",
            &[json],
            b"[{}]",
            "400 json_invalido",
            ["deve ser um objeto JSON", "entre chaves"],
        ),
        sent(
            "JSON cortado",
            &[json],
            cut,
            "400 json_invalido",
            ["termina antes do fim", "Confira se ele foi enviado inteiro"],
        ),
        sent(
            "formulário no lugar de JSON",
            &[("content-type", "application/x-www-form-urlencoded")],
            b"a=b",
            "415 midia_invalida",
            [
                "application/x-www-form-urlencoded",
                "Content-Type: application/json",
            ],
        ),
        sent(
            "sem Content-Type",
            &[],
            &whole,
            "415 midia_invalida",
            ["deve ser JSON", "Content-Type: application/json"],
        ),
        sent(
            "XML no lugar de JSON",
            &[json],
            b"<NFe/>",
            "400 json_invalido",
            ["parece XML", "o XML da nota é montado pelo hub"],
        ),
        sent(
            "texto em Latin-1",
            &[json],
            latin,
            "400 json_invalido",
            ["não está em UTF-8", "Latin-1"],
        ),
        sent(
            "JSON com BOM",
            &[json],
            &marked,
            "400 json_invalido",
            ["BOM", "sem BOM"],
        ),
        sent(
            "campo repetido",
            &[json],
            b"{\"itens\":[],\"itens\":[]}",
            "400 json_invalido",
            ["\"itens\" está repetido", "uma vez só"],
        ),
        posted(
            "nota dentro de um campo",
            NFE,
            &json!({ "nfe": nfe() }),
            "400 campo_desconhecido",
            "nfe",
            ["não conhece", "direto no corpo"],
        ),
        posted(
            "ambiente no corpo",
            NFE,
            &with(nfe(), "/ambiente", 2),
            "400 campo_desconhecido",
            "ambiente",
            ["não conhece", "o ambiente é o da chave"],
        ),
        posted(
            "número da nota no corpo",
            NFE,
            &with(nfe(), "/numero", 77),
            "400 campo_desconhecido",
            "numero",
            ["não conhece", "o próximo número da série"],
        ),
    ]
}

/// Names and types of members.
fn members() -> Vec<Mistake> {
    let item = nfe()["itens"][0].clone();
    vec![
        posted(
            "campo com erro de grafia",
            NFE,
            &renamed(nfe(), "/itens/0/quantidade", "quantidad"),
            "400 campo_desconhecido",
            "itens[0].quantidad",
            ["não conhece", "Você quis dizer quantidade?"],
        ),
        posted(
            "maiúsculas no nome do campo",
            NFE,
            &renamed(nfe(), "/itens/0/valor_unitario", "valorUnitario"),
            "400 campo_desconhecido",
            "itens[0].valorUnitario",
            ["não conhece", "Você quis dizer valor_unitario?"],
        ),
        posted(
            "acento no nome do campo",
            NFE,
            &renamed(nfe(), "/itens/0/descricao", "descrição"),
            "400 campo_desconhecido",
            "itens[0]",
            ["\"descrição\"", "Você quis dizer descricao?"],
        ),
        posted(
            "nome usado por outro serviço",
            NFE,
            &renamed(nfe(), "/destinatario/nome", "razao_social"),
            "400 campo_desconhecido",
            "destinatario.razao_social",
            ["não conhece", "Você quis dizer nome?"],
        ),
        posted(
            "cnpj no lugar de cpf_cnpj",
            NFE,
            &renamed(nfe(), "/destinatario/cpf_cnpj", "cnpj"),
            "400 campo_desconhecido",
            "destinatario.cnpj",
            ["não conhece", "Você quis dizer cpf_cnpj?"],
        ),
        posted(
            "vírgula decimal",
            NFE,
            &with(nfe(), "/itens/0/valor_unitario", "18,90"),
            "400 parametro_invalido",
            "itens[0].valor_unitario",
            ["com ponto", "como 1500.00"],
        ),
        posted(
            "número por extenso",
            NFE,
            &with(nfe(), "/itens/0/quantidade", "dois"),
            "400 parametro_invalido",
            "itens[0].quantidade",
            ["esperado número", "como 1500.00"],
        ),
        posted(
            "valor com R$",
            NFSE,
            &with(nfse(), "/valores/servico", "R$ 1.500,00"),
            "400 parametro_invalido",
            "valores.servico",
            ["não é um número decimal", "sem R$"],
        ),
        posted(
            "CNPJ como número",
            NFE,
            &with(nfe(), "/destinatario/cpf_cnpj", 12_345_678_000_195_i64),
            "400 parametro_invalido",
            "destinatario.cpf_cnpj",
            ["esperado texto", "entre aspas"],
        ),
        posted(
            "item fora de uma lista",
            NFE,
            &with(nfe(), "/itens", item),
            "400 parametro_invalido",
            "itens",
            ["esperado lista", "entre colchetes"],
        ),
        posted(
            "palavra fora da lista",
            NFE,
            &with(nfe(), "/pagamentos/0/forma", "PIX!"),
            "400 parametro_invalido",
            "pagamentos[0].forma",
            ["esperado um de", "pix"],
        ),
        posted(
            "serviço sem valor",
            NFSE,
            &json!({ "servico": { "descricao": "x" }, "valores": {} }),
            "400 parametro_ausente",
            "valores.servico",
            ["obrigatório ausente", "Escreva o número"],
        ),
        posted(
            "cancelamento sem código do motivo",
            "/api/v1/nfse/cancelar",
            &json!({ "ref": "x", "justificativa": "Erro de preenchimento" }),
            "400 parametro_ausente",
            "codigo_motivo",
            ["obrigatório ausente", "erro_emissao"],
        ),
    ]
}

/// What the members say.
fn values() -> Vec<Mistake> {
    let receiver = |name: &str, value: &str| with(nfe(), &format!("/destinatario/{name}"), value);
    let address =
        |name: &str, value: &str| with(nfe(), &format!("/destinatario/endereco/{name}"), value);
    let item = |name: &str, value: Value| with(nfe(), &format!("/itens/0/{name}"), value);
    let wrong = "422 validacao_previa";
    vec![
        posted(
            "quantidade zero",
            NFE,
            &item("quantidade", json!(0)),
            wrong,
            "itens[0].quantidade",
            ["é zero", "Confira o número"],
        )
        .first(),
        posted(
            "quantidade negativa",
            NFE,
            &item("quantidade", json!(-1)),
            wrong,
            "itens[0].quantidade",
            ["não pode ser negativo", "positivo"],
        ),
        posted(
            "CNPJ vazio na NFS-e",
            NFSE,
            &with(nfse(), "/tomador/cpf_cnpj", ""),
            wrong,
            "tomador.cpf_cnpj",
            ["está vazio", "Informe o número"],
        )
        .first(),
        posted(
            "CNPJ vazio na NF-e",
            NFE,
            &receiver("cpf_cnpj", ""),
            wrong,
            "destinatario.cpf_cnpj",
            ["está vazio", "Informe o número"],
        )
        .first(),
        posted(
            "CNPJ sem o zero à esquerda",
            NFE,
            &receiver("cpf_cnpj", "2345678000195"),
            wrong,
            "destinatario.cpf_cnpj",
            ["tem 13 dígitos", "zero à esquerda"],
        ),
        posted(
            "dígito verificador errado",
            NFE,
            &receiver("cpf_cnpj", "12345678000196"),
            wrong,
            "destinatario.cpf_cnpj",
            ["dígito verificador", "Confira o número"],
        ),
        posted(
            "nome vazio",
            NFE,
            &receiver("nome", ""),
            wrong,
            "destinatario.nome",
            ["Falta o campo nome", "razão social"],
        ),
        posted(
            "contribuinte sem inscrição estadual",
            NFE,
            &receiver("indicador_ie", "1"),
            wrong,
            "destinatario.ie",
            ["precisa de inscrição estadual", "indicador_ie 2"],
        ),
        posted(
            "estado por extenso",
            NFE,
            &address("uf", "Minas Gerais"),
            wrong,
            "destinatario.endereco.uf",
            ["sigla do estado", "Escreva MG."],
        ),
        posted(
            "município por extenso",
            NFE,
            &address("codigo_ibge", "Belo Horizonte"),
            wrong,
            "destinatario.endereco.codigo_ibge",
            ["e não pelo nome", "/api/v1/geo/cidades"],
        ),
        posted(
            "município de outro estado",
            NFE,
            &address("uf", "SP"),
            wrong,
            "destinatario.endereco.uf",
            ["é de MG, não de SP", "Corrija uf ou codigo_ibge"],
        ),
        posted(
            "CEP curto",
            NFE,
            &address("cep", "3014"),
            wrong,
            "destinatario.endereco.cep",
            ["8 dígitos", "Informe os 8 dígitos"],
        ),
        posted(
            "NCM de seis dígitos",
            NFE,
            &item("ncm", json!("090121")),
            wrong,
            "itens[0].ncm",
            ["NCM inexistente", "Confira o código"],
        ),
        posted(
            "CFOP de outro estado",
            NFE,
            &item("cfop", json!("6102")),
            wrong,
            "itens[0].cfop",
            ["não é de uma operação entre MG e MG", "Use 5102"],
        ),
        posted(
            "data como 29/11/2026",
            NFE,
            &with(nfe(), "/data_emissao", "29/11/2026"),
            wrong,
            "data_emissao",
            ["Data inválida", "RFC 3339"],
        ),
        posted(
            "nota sem itens",
            NFE,
            &with(nfe(), "/itens", json!([])),
            wrong,
            "itens",
            ["de 1 a 990 itens", "ao menos um"],
        ),
        posted(
            "alíquota de 200 %",
            NFSE,
            &with(nfse(), "/valores/iss/aliquota", 200),
            wrong,
            "valores.iss.aliquota",
            ["vai de 0 a 5", "2.5 é 2,5 %"],
        ),
        posted(
            "item da lista de serviços sem o ponto",
            NFSE,
            &with(nfse(), "/servico/item_lista_servico", "101"),
            wrong,
            "servico.item_lista_servico",
            ["Item da lista de serviços inválido", "\"1.01\""],
        ),
        posted(
            "serviço para a própria empresa",
            NFSE,
            &with(nfse(), "/tomador/cpf_cnpj", "11222333000181"),
            wrong,
            "tomador.cpf_cnpj",
            ["próprio prestador", "outro tomador"],
        ),
        posted(
            "emitente que não existe",
            NFE,
            &with(nfe(), "/emitente_id", "emi_0"),
            "404 nao_encontrado",
            "emitente_id",
            ["Emitente não encontrado", "GET /api/v1/emitters"],
        ),
    ]
}

on_sqlite! {
    async fn a_beginners_mistake_is_told_as_what_it_is(app: TestApp) {
        app.emitter("11222333000181", BELO_HORIZONTE).await;
        let groups = [keys(&app.live_key), bodies(), members(), values(), questions::questions()];
        table::tell(&app, groups).await;
        assert_eq!(app.balance().await, (200, 0));
        assert_eq!(app.app.simulator.sim.received(), 0);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_consumer_with_an_empty_number_is_nobody_and_that_is_told(app: TestApp) {
        app.emitter("11222333000181", BELO_HORIZONTE).await;
        let answer = app.post("/api/v1/nfce", &with(nfce(), "/consumidor", json!({ "cpf_cnpj": "" }))).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        assert!(answer.text.contains("Consumidor sem CPF, CNPJ ou documento estrangeiro"), "{}", answer.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn the_key_of_idempotency_is_spoken_of_where_one_was_sent(app: TestApp) {
        app.emitter("11222333000181", BELO_HORIZONTE).await;
        let body = with(nfe(), "/destinatario/nome", "");
        let without = app.post(NFE, &body).await;
        let with = app.post_as(&app.live_key, NFE, &body, Some("pedido-1")).await;
        assert!(!without.text_at("/dica").contains("Idempotency-Key"), "{}", without.text);
        assert!(with.text_at("/dica").contains("Idempotency-Key"), "{}", with.text);
    }
}
