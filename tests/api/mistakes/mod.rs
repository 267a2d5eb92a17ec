//! The mistakes that beginners make, and what each is told: the code, the member, what
//! is wrong and what to write. `cargo test -p tests --test api mistakes -- --nocapture`
//! prints the table.

mod questions;

use crate::common::BELO_HORIZONTE;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::{nfe, nfse, with};
use tests::{TestApp, on_sqlite};

const NFE: &str = "/api/v1/nfe";
const NFSE: &str = "/api/v1/nfse";

/// A request with a mistake in it, and what must be said of it.
struct Mistake {
    /// What somebody did.
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
            "no key",
            &[json, ("authorization", "")],
            &body,
            "401 nao_autenticado",
            ["Falta a chave de API", "Authorization: Bearer"],
        ),
        sent(
            "the key as a user name",
            &[json, ("authorization", &basic)],
            &body,
            "401 chave_invalida",
            ["autenticação Basic", "Bearer e a chave"],
        ),
        sent(
            "the key alone",
            &[json, ("authorization", key)],
            &body,
            "401 chave_invalida",
            ["Falta a palavra Bearer", "Bearer e a chave"],
        ),
        sent(
            "a key that was cut",
            &[json, ("authorization", &cut)],
            &body,
            "401 chave_invalida",
            ["incompleta", "Copie a chave inteira"],
        ),
        asked(
            "the wrong method",
            Method::GET,
            "/api/v1/nfe/cancelar",
            "405 metodo_nao_permitido",
            "",
            ["não com este método", "/api/v1/nfe/cancelar aceita POST."],
        ),
        asked(
            "a slash at the end",
            Method::POST,
            "/api/v1/nfe/",
            "404 rota_inexistente",
            "",
            ["não existe", "Você quis dizer POST /api/v1/nfe?"],
        ),
        asked(
            "an address without /api",
            Method::POST,
            "/v1/nfse",
            "404 rota_inexistente",
            "",
            ["não existe", "Você quis dizer POST /api/v1/nfse?"],
        ),
        asked(
            "a misspelt address",
            Method::GET,
            "/api/v1/webhoks",
            "404 rota_inexistente",
            "",
            ["não existe", "Você quis dizer GET /api/v1/webhooks?"],
        ),
        asked(
            "our address in Portuguese",
            Method::POST,
            "/api/v1/emitentes",
            "404 rota_inexistente",
            "",
            ["não existe", "Você quis dizer POST /api/v1/emitters?"],
        ),
        asked(
            "the look-up of another service",
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
            "no body",
            &[json],
            b"",
            "400 json_invalido",
            ["está vazio", "Content-Type: application/json"],
        ),
        sent(
            "a list",
            &[json],
            b"[{}]",
            "400 json_invalido",
            ["deve ser um objeto JSON", ""],
        ),
        sent(
            "a body that was cut",
            &[json],
            cut,
            "400 json_invalido",
            ["termina antes do fim", "Confira se ele foi enviado inteiro"],
        ),
        sent(
            "a form",
            &[("content-type", "application/x-www-form-urlencoded")],
            b"a=b",
            "415 midia_invalida",
            [
                "application/x-www-form-urlencoded",
                "Content-Type: application/json",
            ],
        ),
        sent(
            "no content type",
            &[],
            &whole,
            "415 midia_invalida",
            ["deve ser JSON", "Content-Type: application/json"],
        ),
        sent(
            "XML",
            &[json],
            b"<NFe/>",
            "400 json_invalido",
            ["parece XML", "o XML da nota é montado pelo hub"],
        ),
        sent(
            "Latin-1",
            &[json],
            latin,
            "400 json_invalido",
            ["não está em UTF-8", "Latin-1"],
        ),
        sent(
            "a byte order mark",
            &[json],
            &marked,
            "400 json_invalido",
            ["BOM", "sem BOM"],
        ),
        sent(
            "a member twice",
            &[json],
            b"{\"itens\":[],\"itens\":[]}",
            "400 json_invalido",
            ["\"itens\" está repetido", "uma vez só"],
        ),
        posted(
            "the note inside a member",
            NFE,
            &json!({ "nfe": nfe() }),
            "400 campo_desconhecido",
            "nfe",
            ["não conhece", "direto no corpo"],
        ),
        posted(
            "the environment in the body",
            NFE,
            &with(nfe(), "/ambiente", 2),
            "400 campo_desconhecido",
            "ambiente",
            ["não conhece", "o ambiente é o da chave"],
        ),
        posted(
            "a number of one's own",
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
            "a misspelt member",
            NFE,
            &renamed(nfe(), "/itens/0/quantidade", "quantidad"),
            "400 campo_desconhecido",
            "itens[0].quantidad",
            ["não conhece", "Você quis dizer quantidade?"],
        ),
        posted(
            "capitals inside a name",
            NFE,
            &renamed(nfe(), "/itens/0/valor_unitario", "valorUnitario"),
            "400 campo_desconhecido",
            "itens[0].valorUnitario",
            ["não conhece", "Você quis dizer valor_unitario?"],
        ),
        posted(
            "an accent in a name",
            NFE,
            &renamed(nfe(), "/itens/0/descricao", "descrição"),
            "400 campo_desconhecido",
            "itens[0]",
            ["\"descrição\"", "Você quis dizer descricao?"],
        ),
        posted(
            "a name of another service",
            NFE,
            &renamed(nfe(), "/destinatario/nome", "razao_social"),
            "400 campo_desconhecido",
            "destinatario.razao_social",
            ["não conhece", "Você quis dizer nome?"],
        ),
        posted(
            "cnpj for cpf_cnpj",
            NFE,
            &renamed(nfe(), "/destinatario/cpf_cnpj", "cnpj"),
            "400 campo_desconhecido",
            "destinatario.cnpj",
            ["não conhece", "Você quis dizer cpf_cnpj?"],
        ),
        posted(
            "a decimal comma",
            NFE,
            &with(nfe(), "/itens/0/valor_unitario", "18,90"),
            "400 parametro_invalido",
            "itens[0].valor_unitario",
            ["com ponto", "como 1500.00"],
        ),
        posted(
            "a number in words",
            NFE,
            &with(nfe(), "/itens/0/quantidade", "dois"),
            "400 parametro_invalido",
            "itens[0].quantidade",
            ["esperado número", "como 1500.00"],
        ),
        posted(
            "an amount with R$",
            NFSE,
            &with(nfse(), "/valores/servico", "R$ 1.500,00"),
            "400 parametro_invalido",
            "valores.servico",
            ["não é um número decimal", "sem R$"],
        ),
        posted(
            "a CNPJ as a number",
            NFE,
            &with(nfe(), "/destinatario/cpf_cnpj", 12_345_678_000_195_i64),
            "400 parametro_invalido",
            "destinatario.cpf_cnpj",
            ["esperado texto", "entre aspas"],
        ),
        posted(
            "an item without a list",
            NFE,
            &with(nfe(), "/itens", item),
            "400 parametro_invalido",
            "itens",
            ["esperado lista", "entre colchetes"],
        ),
        posted(
            "a word that is none of the known",
            NFE,
            &with(nfe(), "/pagamentos/0/forma", "PIX!"),
            "400 parametro_invalido",
            "pagamentos[0].forma",
            ["esperado um de", "pix"],
        ),
        posted(
            "no value",
            NFSE,
            &json!({ "servico": { "descricao": "x" }, "valores": {} }),
            "400 parametro_ausente",
            "valores.servico",
            ["obrigatório ausente", "Escreva o número"],
        ),
        posted(
            "no reason's code",
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
            "a quantity of zero",
            NFE,
            &item("quantidade", json!(0)),
            wrong,
            "itens[0].quantidade",
            ["é zero", "Confira o número"],
        ),
        posted(
            "a negative quantity",
            NFE,
            &item("quantidade", json!(-1)),
            wrong,
            "itens[0].quantidade",
            ["não pode ser negativo", "positivo"],
        ),
        posted(
            "an empty CNPJ",
            NFSE,
            &with(nfse(), "/tomador/cpf_cnpj", ""),
            wrong,
            "tomador.cpf_cnpj",
            ["está vazio", "Informe o número"],
        ),
        posted(
            "a CNPJ that lost its zero",
            NFE,
            &receiver("cpf_cnpj", "2345678000195"),
            wrong,
            "destinatario.cpf_cnpj",
            ["tem 13 dígitos", "zero à esquerda"],
        ),
        posted(
            "a wrong check digit",
            NFE,
            &receiver("cpf_cnpj", "12345678000196"),
            wrong,
            "destinatario.cpf_cnpj",
            ["dígito verificador", "Confira o número"],
        ),
        posted(
            "an empty name",
            NFE,
            &receiver("nome", ""),
            wrong,
            "destinatario.nome",
            ["Falta o campo nome", "razão social"],
        ),
        posted(
            "a taxpayer without registration",
            NFE,
            &receiver("indicador_ie", "1"),
            wrong,
            "destinatario.ie",
            ["precisa de inscrição estadual", "indicador_ie 2"],
        ),
        posted(
            "a state by its name",
            NFE,
            &address("uf", "Minas Gerais"),
            wrong,
            "destinatario.endereco.uf",
            ["sigla do estado", "Escreva MG."],
        ),
        posted(
            "a city by its name",
            NFE,
            &address("codigo_ibge", "Belo Horizonte"),
            wrong,
            "destinatario.endereco.codigo_ibge",
            ["e não pelo nome", "/api/v1/geo/cidades"],
        ),
        posted(
            "a city of another state",
            NFE,
            &address("uf", "SP"),
            wrong,
            "destinatario.endereco.uf",
            ["é de MG, não de SP", "Corrija uf ou codigo_ibge"],
        ),
        posted(
            "a short CEP",
            NFE,
            &address("cep", "3014"),
            wrong,
            "destinatario.endereco.cep",
            ["8 dígitos", "Informe os 8 dígitos"],
        ),
        posted(
            "an NCM of six digits",
            NFE,
            &item("ncm", json!("090121")),
            wrong,
            "itens[0].ncm",
            ["NCM inexistente", "Confira o código"],
        ),
        posted(
            "a CFOP of another state",
            NFE,
            &item("cfop", json!("6102")),
            wrong,
            "itens[0].cfop",
            ["não é de uma operação entre MG e MG", "Use 5102"],
        ),
        posted(
            "a date as people write it",
            NFE,
            &with(nfe(), "/data_emissao", "29/11/2026"),
            wrong,
            "data_emissao",
            ["Data inválida", "RFC 3339"],
        ),
        posted(
            "no items",
            NFE,
            &with(nfe(), "/itens", json!([])),
            wrong,
            "itens",
            ["de 1 a 990 itens", "ao menos um"],
        ),
        posted(
            "a rate of 200 %",
            NFSE,
            &with(nfse(), "/valores/iss/aliquota", 200),
            wrong,
            "valores.iss.aliquota",
            ["vai de 0 a 5", "2.5 é 2,5 %"],
        ),
        posted(
            "an item without its dot",
            NFSE,
            &with(nfse(), "/servico/item_lista_servico", "101"),
            wrong,
            "servico.item_lista_servico",
            ["Item da lista de serviços inválido", "\"1.01\""],
        ),
        posted(
            "a service for oneself",
            NFSE,
            &with(nfse(), "/tomador/cpf_cnpj", "11222333000181"),
            wrong,
            "tomador.cpf_cnpj",
            ["próprio prestador", "outro tomador"],
        ),
        posted(
            "an emitter of nobody",
            NFE,
            &with(nfe(), "/emitente_id", "emi_0"),
            "404 nao_encontrado",
            "emitente_id",
            ["Emitente não encontrado", "GET /api/v1/emitters"],
        ),
    ]
}

/// Sends it and compares; the row of the table.
async fn tried(app: &TestApp, mistake: &Mistake) -> Result<String, String> {
    let address = format!("{}{}", app.base_url, mistake.path);
    let mut request = app.http().request(mistake.method.clone(), address);
    if !mistake
        .headers
        .iter()
        .any(|(name, _)| *name == "authorization")
    {
        request = request.bearer_auth(&app.live_key);
    }
    for (name, value) in mistake
        .headers
        .iter()
        .filter(|(_, value)| !value.is_empty())
    {
        request = request.header(*name, value);
    }
    let response = request.body(mistake.body.clone()).send().await;
    let answer = response.expect("an answer");
    let status = answer.status().as_u16();
    let code = answer.headers().get("x-error-code").cloned();
    let text = answer.text().await.expect("a body");
    let body: Value = serde_json::from_str(&text).expect("JSON");
    let points = body["campos"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let point = points.iter().find(|point| point["campo"] == mistake.member);
    let point = point.or(points.first()).unwrap_or(&Value::Null);
    let (member, what, hint) = if mistake.member.is_empty() {
        ("", &body["mensagem"], &body["dica"])
    } else {
        (
            point["campo"].as_str().unwrap_or_default(),
            &point["mensagem"],
            &point["correcao"],
        )
    };
    let [what, hint] = [what, hint].map(|text| text.as_str().unwrap_or_default());
    let code = code.as_ref().and_then(|code| code.to_str().ok());
    let refused = format!("{status} {}", code.unwrap_or("without a code"));
    let row = format!("{} | {refused} | {member} | {what} | {hint}", mistake.what);
    let fits = refused == mistake.refused
        && member == mistake.member
        && what.contains(mistake.said[0])
        && hint.contains(mistake.said[1]);
    if fits {
        Ok(row)
    } else {
        Err(format!(
            "{row}\n    wanted {} {} {:?}",
            mistake.refused, mistake.member, mistake.said
        ))
    }
}

on_sqlite! {
    async fn a_beginners_mistake_is_told_as_what_it_is(app: TestApp) {
        app.emitter("11222333000181", BELO_HORIZONTE).await;
        let all: Vec<Mistake> = [keys(&app.live_key), bodies(), members(), values(), questions::questions()].into_iter().flatten().collect();
        assert!(all.len() >= 40, "{}", all.len());
        let mut wrong = Vec::new();
        for mistake in &all {
            match tried(&app, mistake).await {
                Ok(row) => println!("{row}"),
                Err(row) => wrong.push(row),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(app.balance().await, (200, 0));
        assert_eq!(app.app.simulator.sim.received(), 0);
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
