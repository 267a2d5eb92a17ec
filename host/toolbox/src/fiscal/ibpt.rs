//! GET /api/v1/fiscal/ibpt/{ncm}: the rates of a code in the imported table of the
//! IBPT.

use super::tables::plain;
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use data::ufs;
use datasets::rates::ibpt::{self, Answer, CodeKind, Found};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::list::{Query, bad, only};
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::Conn;

pub fn built() -> Built {
    Built {
        operation: "fiscal.ibpt.get",
        route: |method| on(method, get),
        docs: Docs::new("Mostra a carga tributária aproximada de um NCM, NBS ou item da LC 116 em uma UF, pela tabela do IBPT; grátis se a tabela da UF não está carregada ou não tem o código.")
            .query("uf", "Sigla do estado onde a venda ocorre. Obrigatório.", json!({ "type": "string", "pattern": "^[A-Za-z]{2}$" }))
            .asks_for(&["uf"])
            .query("ex", "Exceção da TIPI. Ausente: a linha do código.", json!({ "type": "string", "pattern": "^[0-9]{1,3}$" }))
            .success::<Charged<IbptOut>>(),
    }
}

/// A carga tributária aproximada de um código em uma UF.
#[derive(Serialize, JsonSchema)]
struct IbptOut {
    codigo: String,
    /// A exceção da TIPI cuja linha respondeu; vazio: a linha do código.
    ex: String,
    /// `ncm`, `nbs` ou `lc116`.
    tipo: &'static str,
    descricao: String,
    uf: String,
    /// A tabela não lista este NCM: são as alíquotas da linha 00000000, que ela
    /// manda usar.
    nao_listado: bool,
    aliquotas: RatesOut,
    #[serde(flatten)]
    edicao: EditionOut,
}

/// As alíquotas aproximadas, em percentual do preço.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AliquotasDoIbpt")]
struct RatesOut {
    /// Tributos federais da mercadoria nacional.
    federal_nacional: Exact,
    /// Tributos federais da mercadoria importada.
    federal_importado: Exact,
    estadual: Exact,
    municipal: Exact,
}

/// A edição da tabela que respondeu.
#[derive(Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "EdicaoDoIbpt")]
pub(super) struct EditionOut {
    /// Sempre `IBPT`.
    pub fonte: &'static str,
    pub versao: String,
    /// A chave que o documento cita ao lado da fonte.
    pub chave: String,
    /// O que o documento imprime depois dos valores.
    pub citacao: String,
    /// Primeiro dia da tabela, AAAA-MM-DD.
    pub vigencia_inicio: String,
    /// Último dia da tabela.
    pub vigencia_fim: String,
    /// O último dia já passou: há uma tabela mais nova, que não foi carregada.
    pub vencida: bool,
}

impl EditionOut {
    pub(super) fn of(found: &Found, today: &str) -> EditionOut {
        let rates = &found.rates;
        EditionOut {
            fonte: "IBPT",
            versao: rates.version.clone(),
            chave: rates.key.clone(),
            citacao: format!("Fonte: IBPT {}", rates.key),
            vigencia_inicio: rates.from.clone(),
            vigencia_fim: rates.until.clone(),
            vencida: rates.until.as_str() < today,
        }
    }
}

async fn get(
    call: Call,
    Path(code): Path<String>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<IbptOut>> {
    only(&query, &["uf", "ex"])?;
    let state = state("uf", query.get("uf").map(String::as_str))?;
    let ex = query.get("ex").map(String::as_str).unwrap_or_default();
    if ex.len() > 3 || !ex.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(bad("ex", "A exceção da TIPI tem até três dígitos.").into());
    }
    let code = plain(&code);
    let today = when::today(call.app.now_ms(), "DF").to_string();
    let mut conn = call.app.db.read().await?;
    let found = find(&mut conn, state, &code, ex).await?;
    drop(conn);
    let rates = &found.rates;
    let answer = IbptOut {
        tipo: found.kind.name(),
        descricao: rates.description.clone(),
        uf: state.to_owned(),
        nao_listado: found.unlisted,
        aliquotas: RatesOut {
            federal_nacional: Exact(rates.federal_national),
            federal_importado: Exact(rates.federal_imported),
            estadual: Exact(rates.state),
            municipal: Exact(rates.municipal),
        },
        edicao: EditionOut::of(&found, &today),
        ex: found.ex.clone(),
        codigo: code,
    };
    charge::paid(&call, answer).await
}

/// The rates of a code.
///
/// # Errors
/// 404 where no table of the state is loaded, or it does not have the code.
pub(super) async fn find(
    conn: &mut Conn,
    state: &str,
    code: &str,
    ex: &str,
) -> Result<Found, Failure> {
    // The row of all other goods is for goods there are.
    if CodeKind::of_code(code) == Some(CodeKind::Ncm) && data::ncm::get(code).is_none() {
        return Err(none(format!("O NCM {code} não existe.")).into());
    }
    match ibpt::get(conn, state, code, ex).await? {
        Answer::Found(found) => Ok(*found),
        Answer::NoCode => {
            Err(none(format!("A tabela do IBPT de {state} não tem este código.")).into())
        }
        Answer::NoTable => Err(Refusal::new(Code::SemResultado)
            .message(format!(
                "A tabela do IBPT de {state} não está carregada; nada foi cobrado."
            ))
            .hint("Quem opera este serviço carrega a tabela com hub data import ibpt ARQUIVO.")
            .into()),
    }
}

fn none(message: String) -> Refusal {
    Refusal::new(Code::SemResultado)
        .message(message)
        .hint("Informe um NCM (8 dígitos), uma NBS (9) ou um item da LC 116 (4).")
}

/// A state's abbreviation.
///
/// # Errors
/// 400 naming the field.
pub(super) fn state(field: &str, text: Option<&str>) -> Result<&'static str, Failure> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| {
        Refusal::field(
            Code::ParametroAusente,
            field,
            "Falta a UF: a tabela do IBPT é de cada estado.",
            "Informe a sigla do estado, como SP.",
        )
    })?;
    let known = ufs::by_uf(&text.to_ascii_uppercase());
    let known = known.ok_or_else(|| {
        Refusal::field(
            Code::ParametroInvalido,
            field,
            "UF desconhecida.",
            "Informe a sigla do estado, como SP.",
        )
    })?;
    Ok(known.abbreviation)
}
