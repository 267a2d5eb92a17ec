//! Tools for people: each form asks one operation of the API, at its price, and
//! shows what it answers.

use super::super::Panel;
use super::super::form::{Fields, Sent};
use super::super::layout::page;
use super::super::parts::{encoded, field, hidden, line, refused, select, states, together, top};
use super::super::reply::{Problem, refusal, status_of, text};
use super::super::visitor::Visitor;
use super::{companies, values::object};
use accounts::users::role::Action;
use axum::Router;
use axum::extract::Path;
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use base::operations;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use serde_json::{Value, json};

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/ferramentas", get(all))
        .route("/painel/ferramentas/{ferramenta}", post(ask).get(one))
}

/// A tool: its part of the address, what it is called and does, and the
/// operation whose price it has.
struct Tool {
    id: &'static str,
    title: &'static str,
    sentence: &'static str,
    operation: &'static str,
}

const TOOLS: [Tool; 8] = [
    Tool {
        id: "impostos",
        title: "Impostos de uma venda",
        sentence: "ICMS, ST, DIFAL, PIS, COFINS, IBS e CBS, com a regra de cada número.",
        operation: "fiscal.calcular-impostos",
    },
    Tool {
        id: "simples",
        title: "Alíquota do Simples",
        sentence: "A alíquota efetiva pelo anexo e pela receita de doze meses.",
        operation: "fiscal.simples.aliquota",
    },
    Tool {
        id: "fator-r",
        title: "Fator R",
        sentence: "Anexo III ou V, pela folha de doze meses.",
        operation: "fiscal.simples.fator-r",
    },
    Tool {
        id: "ncm",
        title: "NCM",
        sentence: "Pelo código ou por palavras.",
        operation: "fiscal.ncm",
    },
    Tool {
        id: "cfop",
        title: "CFOP",
        sentence: "Pelo código ou por palavras.",
        operation: "fiscal.cfop",
    },
    Tool {
        id: "cnpj",
        title: "Empresa por CNPJ",
        sentence: "Situação, atividades, endereço, sócios.",
        operation: "empresa.cnpj",
    },
    Tool {
        id: "cep",
        title: "Endereço por CEP",
        sentence: "Logradouro, bairro, cidade e código IBGE.",
        operation: "geo.cep.get",
    },
    Tool {
        id: "xml",
        title: "Conferir um XML",
        sentence: "NF-e, NFC-e, CT-e, MDF-e ou NFS-e: o leiaute oficial e as regras, com o que corrigir.",
        operation: "fiscal.xml.validar",
    },
];

fn tool(id: &str) -> Result<&'static Tool, Problem> {
    let found = TOOLS.iter().find(|tool| tool.id == id);
    let sentence = "Esta ferramenta não existe.";
    found.ok_or_else(|| {
        Problem::new(404, "Página não encontrada", sentence).back("/painel/ferramentas")
    })
}

async fn all(visitor: Visitor) -> Markup {
    let list = html! {
        (top("Ferramentas", "O que a API calcula e consulta, sem programa e sem certificado.", html! {}))
        div class="grade" {
            @for tool in &TOOLS {
                section class="cartao" {
                    h2 { a href=(format!("/painel/ferramentas/{}", tool.id)) { (tool.title) } }
                    p { (together(tool.sentence)) }
                    p class="suave pequeno" { (price(&visitor, tool)) }
                }
            }
        }
    };
    page(&visitor, "/painel/ferramentas", "Ferramentas", list)
}

async fn one(visitor: Visitor, Path(id): Path<String>) -> Result<Markup, Problem> {
    let (tool, mut fields) = (tool(&id)?, Fields::default());
    if tool.id == "impostos" {
        // The most usual sale: to a consumer of the company's own state.
        let profile = companies::profile(&visitor).await?;
        let state = text(&profile["endereco"], "uf");
        fields.set("consumidor_final", "1");
        fields.set("regime", text(&profile, "regime"));
        fields.set("uf_origem", state);
        fields.set("uf_destino", state);
    }
    Ok(shown(&visitor, tool, &fields, html! {}))
}

async fn ask(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let tool = tool(&id)?;
    if cost(&sent.visitor, tool).is_some() {
        sent.visitor.must(Action::Documentos)?;
    }
    let missing = missing(tool.id, &sent.fields).map(str::to_owned);
    if let Some(sentence) = missing.or_else(|| doubtful(&sent.fields)) {
        let shown = shown(&sent.visitor, tool, &sent.fields, refused(&sentence));
        return Ok(shown.into_response());
    }
    let (method, path, body) = question(tool.id, &sent.fields);
    // Of two sends of a form only the page of the second is seen: it has the answer, too.
    let (form, visitor) = (sent.token(), &sent.visitor);
    let reply = visitor.ask_once(form, method, &path, body.as_ref()).await?;
    let status = status_of(&reply);
    let result = if reply.ok() {
        html! {
            section class="cartao" {
                h2 { "Resultado" }
                (answer(&reply.json()))
            }
        }
    } else {
        refusal(&reply)
    };
    let shown = shown(visitor, tool, &sent.fields, result);
    Ok((status, shown).into_response())
}

/// The credits of the operation in the world that is shown; None where it is free.
fn cost(visitor: &Visitor, tool: &Tool) -> Option<i64> {
    let price = operations::get(tool.operation).and_then(operations::Operation::price);
    price.filter(|price| visitor.live() && *price > 0)
}

/// What the operation costs, in words.
fn price(visitor: &Visitor, tool: &Tool) -> String {
    match cost(visitor, tool) {
        Some(price) => format!("{price} créditos"),
        None => "grátis em Teste".to_owned(),
    }
}

/// What to fill in of a form whose operation would have nothing to answer.
fn missing(id: &str, fields: &Fields) -> Option<&'static str> {
    let needed: &[(&str, &'static str)] = match id {
        "simples" => &[
            ("anexo", "Escolha o anexo."),
            ("rbt12", "Preencha a receita dos últimos 12 meses."),
        ],
        "fator-r" => &[
            ("folha12", "Preencha a folha dos últimos 12 meses."),
            ("rbt12", "Preencha a receita dos últimos 12 meses."),
        ],
        "impostos" => &[
            ("uf_origem", "Escolha a UF de quem vende."),
            ("uf_destino", "Escolha a UF de quem compra."),
            ("regime", "Escolha o regime de quem vende."),
            ("ncm", "Preencha o NCM."),
            ("cfop", "Preencha o CFOP."),
            ("origem", "Preencha a origem da mercadoria."),
            ("quantidade", "Preencha a quantidade."),
            ("valor_unitario", "Preencha o valor unitário."),
        ],
        "cnpj" => &[("cnpj", "Preencha o CNPJ.")],
        "cep" => &[("cep", "Preencha o CEP.")],
        "xml" => &[("xml", "Escolha o arquivo XML.")],
        _ => &[("q", "Preencha o código ou as palavras.")],
    };
    let empty = |name: &str| fields.get(name).is_empty() && fields.file(name).is_empty();
    let first = needed.iter().find(|one| empty(one.0));
    first.map(|one| one.1)
}

const PAYROLL: &str = "Folha dos últimos 12 meses (R$)";
const REVENUE: &str = "Receita dos últimos 12 meses (R$)";
const QUANTITY: &str = "Quantidade";
const UNIT_PRICE: &str = "Valor unitário (R$)";

/// Numbers of the tools that may be written in two ways, and their labels.
const NUMBERS: [(&str, &str); 4] = [
    ("folha12", PAYROLL),
    ("rbt12", REVENUE),
    ("quantidade", QUANTITY),
    ("valor_unitario", UNIT_PRICE),
];

/// What to say of a number that could be two.
fn doubtful(fields: &Fields) -> Option<String> {
    let mut said = NUMBERS
        .iter()
        .filter_map(|(name, label)| Some(format!("{label}: {}", fields.doubt(name)?)));
    said.next()
}

/// The operation a form asks: method, path and body.
fn question(id: &str, fields: &Fields) -> (Method, String, Option<Value>) {
    let post = |path: &str, body: Value| (Method::POST, path.to_owned(), Some(body));
    match id {
        "simples" => post(
            "/api/v1/fiscal/simples/aliquota",
            json!({ "anexo": fields.get("anexo"), "rbt12": fields.decimal("rbt12") }),
        ),
        "fator-r" => post(
            "/api/v1/fiscal/simples/fator-r",
            json!({ "folha12": fields.decimal("folha12"), "rbt12": fields.decimal("rbt12") }),
        ),
        "impostos" => post("/api/v1/fiscal/calcular-impostos", sale(fields)),
        "cnpj" => post(
            "/api/v1/empresa/cnpj",
            json!({ "cnpj": fields.get("cnpj") }),
        ),
        "xml" => post(
            "/api/v1/fiscal/xml/validar",
            json!({ "xml_base64": STANDARD.encode(fields.file("xml")) }),
        ),
        "cep" => {
            let path = format!("/api/v1/geo/cep/{}", encoded(fields.get("cep")));
            (Method::GET, path, None)
        }
        table => {
            let text = fields.get("q");
            let code: String = text.chars().filter(|c| !matches!(c, '.' | ' ')).collect();
            let path = if !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit()) {
                format!("/api/v1/fiscal/{table}/{code}")
            } else {
                format!("/api/v1/fiscal/{table}?q={}&limite=20", encoded(text))
            };
            (Method::GET, path, None)
        }
    }
}

fn sale(fields: &Fields) -> Value {
    let given = |name: &str| Some(fields.get(name)).filter(|text| !text.is_empty());
    let item = json!({
        "ncm": fields.get("ncm"), "cfop": fields.get("cfop"), "origem": fields.get("origem"),
        "quantidade": fields.decimal("quantidade"), "valor_unitario": fields.decimal("valor_unitario"),
        "cclass_trib": given("cclass_trib"),
    });
    json!({
        "uf_origem": fields.get("uf_origem"), "uf_destino": fields.get("uf_destino"), "regime": fields.get("regime"), "regime_pis_cofins": given("regime_pis_cofins"),
        "consumidor_final": fields.on("consumidor_final"), "contribuinte": fields.on("contribuinte"), "itens": [item],
    })
}

fn shown(visitor: &Visitor, tool: &Tool, fields: &Fields, result: Markup) -> Markup {
    let file = tool.id == "xml";
    let may = cost(visitor, tool).is_none() || visitor.may(Action::Documentos);
    let content = html! {
        (top(tool.title, tool.sentence, html! { a class="botao secundario" href="/painel/ferramentas" { "Todas as ferramentas" } }))
        section class="cartao" {
            form class="campos" method="post" action=(format!("/painel/ferramentas/{}", tool.id)) enctype=[file.then_some("multipart/form-data")] {
                (hidden(visitor))
                (inputs(tool.id, fields))
                @if may { div { button class="botao" { "Consultar" } " " span class="suave pequeno" { (price(visitor, tool)) } } }
                @else { p { "Em Produção esta consulta gasta créditos, e o seu papel nesta conta não permite gastá-los. Em Teste ela é grátis." } }
            }
        }
        (result)
    };
    page(visitor, "/painel/ferramentas", tool.title, content)
}

fn inputs(id: &str, fields: &Fields) -> Markup {
    let text = |name: &str, label: &str, hint: &str| {
        let input = html! { input id=(name) name=(name) required value=(fields.get(name)) aria-describedby=[(!hint.is_empty()).then(|| format!("{name}-dica"))]; };
        field(name, label, hint, input)
    };
    match id {
        "simples" => {
            let annexes = ["I", "II", "III", "IV", "V"].map(|annex| (annex, annex));
            html! {
                (field("anexo", "Anexo", "", select("anexo", &annexes, fields.get("anexo"))))
                (text("rbt12", REVENUE, "Como 360.000,00."))
            }
        }
        "fator-r" => html! {
            (text("folha12", PAYROLL, "Com encargos, como 84.000,00."))
            (text("rbt12", REVENUE, "Como 300.000,00."))
        },
        "impostos" => sale_inputs(fields),
        "cnpj" => text("cnpj", "CNPJ", "Com ou sem pontos."),
        "cep" => text("cep", "CEP", "Com ou sem traço."),
        "xml" => field(
            "xml",
            "Arquivo XML",
            "Escolha o arquivo ou arraste-o para cá.",
            html! { input class="soltar" id="xml" name="xml" type="file" accept=".xml,text/xml,application/xml" required aria-describedby="xml-dica"; },
        ),
        "cfop" => text("q", "Código ou palavras", "Como 5102 ou venda."),
        _ => text("q", "Código ou palavras", "Como 0901 ou café torrado."),
    }
}

fn sale_inputs(fields: &Fields) -> Markup {
    let states = states();
    let regimes = [
        ("normal", "Normal"),
        ("simples_nacional", "Simples Nacional"),
        ("mei", "MEI"),
    ];
    let contributions = [
        ("", "Não informar"),
        ("cumulativo", "Lucro presumido"),
        ("nao_cumulativo", "Lucro real"),
    ];
    let or = |name: &str, otherwise: &'static str| match fields.get(name) {
        "" => otherwise.to_owned(),
        given => given.to_owned(),
    };
    let number = |name: &str, label: &str, hint: &str, otherwise: &'static str| {
        field(name, label, hint, line(name, "text", &or(name, otherwise)))
    };
    html! {
        (field("uf_origem", "UF de quem vende", "", select("uf_origem", &states, &or("uf_origem", "SP"))))
        (field("uf_destino", "UF de quem compra", "", select("uf_destino", &states, &or("uf_destino", "SP"))))
        (field("regime", "Regime de quem vende", "", select("regime", &regimes, fields.get("regime"))))
        (field("regime_pis_cofins", "PIS e COFINS de quem vende, no regime normal", "Sem isto, PIS e COFINS não são calculados.", select("regime_pis_cofins", &contributions, fields.get("regime_pis_cofins"))))
        (number("ncm", "NCM", "Oito dígitos.", ""))
        (number("cfop", "CFOP", "Como 5102, ou 6102 para outra UF.", "5102"))
        (number("origem", "Origem da mercadoria", "0 é nacional.", "0"))
        (number("cclass_trib", "Classificação tributária do IBS e da CBS (opcional)", "Seis dígitos, como 000001. Sem ela, IBS e CBS não são calculados.", ""))
        (number("quantidade", QUANTITY, "", "1"))
        (number("valor_unitario", UNIT_PRICE, "Como 18,90.", ""))
        div class="opcoes" {
            label { input type="checkbox" name="consumidor_final" value="1" checked[fields.on("consumidor_final")]; "Quem compra é consumidor final" }
            label { input type="checkbox" name="contribuinte" value="1" checked[fields.on("contribuinte")]; "Quem compra é contribuinte do ICMS" }
        }
    }
}

/// Members that belong to the call and not to its answer.
const OF_THE_CALL: &str = "sucesso request_id creditos consumiu_credito proximo_cursor tem_mais";

fn answer(body: &Value) -> Markup {
    let of_call = |name: &str| OF_THE_CALL.split(' ').any(|one| one == name);
    let members = body.as_object().into_iter().flatten();
    let members: Vec<_> = members.filter(|(name, _)| !of_call(name)).collect();
    object("Resultado", &members)
}
