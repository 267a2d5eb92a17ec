//! GET /api/v1/fiscal/cbenef and /api/v1/fiscal/cbenef/{uf}/{codigo}: codes of
//! tax benefit, of the states whose table is here.

use super::{CodeTable, RowOut, RowsOut, list_docs, plain, rows, shown, words};
use axum::extract::{Path, Query as UrlQuery};
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use data::cbenef::{self, Benefit};
use data::search::Found;
use data::ufs;
use data::versions::{self, Version};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::Charged;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only, page};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use time::Date;

pub(super) fn built() -> [Built; 2] {
    [
        Built {
            operation: "fiscal.cbenef.get",
            route: |method| on(method, get),
            docs: Docs::new(Cbenef::GET).success::<Charged<RowOut<CbenefOut>>>(),
        },
        Built {
            operation: "fiscal.cbenef",
            route: |method| on(method, list),
            docs: list_docs(Cbenef::LIST)
                .query(
                    "uf",
                    "Sigla da UF da tabela.",
                    json!({ "type": "string", "pattern": "^[A-Za-z]{2}$" }),
                )
                .success::<Charged<RowsOut<CbenefOut>>>(),
        },
    ]
}

struct Cbenef;

/// Um código de benefício fiscal.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodigoCbenef")]
struct CbenefOut {
    /// A sigla da UF da tabela.
    uf: &'static str,
    codigo: &'static str,
    descricao: &'static str,
    /// Os CST de ICMS com que vai.
    cst: Vec<&'static str>,
    legislacao: &'static str,
    observacao: &'static str,
}

impl CodeTable for Cbenef {
    type Row = Benefit;
    type Out = CbenefOut;
    const TABLE: &'static str = "cbenef";
    const GET: &'static str = "Mostra um código de benefício fiscal de uma UF cuja tabela está carregada; grátis sem resultado.";
    const LIST: &'static str = "Busca códigos de benefício fiscal das UFs cuja tabela está carregada; grátis sem resultado.";

    fn get(code: &str) -> Option<&'static Benefit> {
        cbenef::all().iter().find(|row| plain(row.codigo) == code)
    }

    fn search(words: &str, limit: usize) -> Found<'static, Benefit> {
        cbenef::search(None, words, limit)
    }

    fn version(row: &'static Benefit) -> Option<Version> {
        cbenef::version(row.uf)
    }

    fn shown(row: &'static Benefit, _: Date) -> CbenefOut {
        CbenefOut {
            uf: row.uf,
            codigo: row.codigo,
            descricao: row.description,
            cst: row.cst.clone(),
            legislacao: row.legislation,
            observacao: row.observation,
        }
    }
}

async fn get(
    call: Call,
    Path((uf, code)): Path<(String, String)>,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<RowOut<CbenefOut>>> {
    only(&query, &[])?;
    let uf = with_table(&uf)?;
    let code = plain(&code).to_uppercase();
    let mut rows = cbenef::of_state(&uf).iter();
    shown::<Cbenef>(&call, rows.find(|row| plain(row.codigo) == code)).await
}

async fn list(
    call: Call,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Charged<RowsOut<CbenefOut>>> {
    let page = page(&query, &["q", "uf"])?;
    let uf = query.get("uf").map(|uf| with_table(uf)).transpose()?;
    let words = words(&query)?;
    let version = match &uf {
        Some(uf) => cbenef::version(uf),
        None => versions::get(Cbenef::TABLE),
    };
    let search = |limit| cbenef::search(uf.as_deref(), words, limit);
    rows::<Cbenef>(&call, &page, version, search).await
}

/// The state, in capitals. Refuses one whose table is not here: nothing can be said of
/// its codes.
fn with_table(uf: &str) -> Result<String, Failure> {
    let uf = uf.to_uppercase();
    if cbenef::has_table(&uf) {
        return Ok(uf);
    }
    if ufs::by_uf(&uf).is_none() {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "uf",
            "Esta UF não existe.",
            "Use a sigla, como SP.",
        )
        .into());
    }
    Err(Refusal::new(Code::SemResultado)
        .message(format!(
            "A tabela de benefícios de {uf} não está carregada: nada se diz dos códigos dela."
        ))
        .hint("Consulte a tabela que a SEFAZ da UF publica; o operador a importa com hub data import cbenef.")
        .into())
}
