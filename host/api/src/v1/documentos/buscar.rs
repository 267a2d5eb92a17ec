//! POST /api/v1/documentos/buscar: issued and received documents together,
//! newest first.

use super::{ModelIn, OfModel};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use fiscal::nfse::FieldValue;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use gate::request::list::{Listing, Page, Query, key, known_status, page, period, taxpayer};
use issuing::answer::{Cte, Mdfe, Nfce, Nfe, Nfse, Record, Registered, registered};
use issuing::issue::cents;
use issuing::model::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use store::DbResult;
use store::ids::{EmitterId, RecebidaId};
use store::tables::documents::{self, Asked};
use store::tables::notas::{self, NotaRow};
use store::tables::recebidas::{self, Manifested, ReceivedNotaRow, ReceivedNotaStatus, Search};

/// What a page of results is bound to.
const FILTERS: [&str; 10] = [
    "chave",
    "de",
    "ate",
    "cnpj",
    "nome",
    "valor_min",
    "valor_max",
    "status",
    "origem",
    "modelos",
];

/// States of the documents that are found; the last is of received ones alone.
const STATUS: [&str; 8] = [
    "rascunho",
    "em_transmissao",
    "pendente_prefeitura",
    "autorizada",
    "validada",
    "rejeitada",
    "cancelada",
    "denegada",
];

pub fn built() -> Built {
    Built {
        operation: "documentos.buscar",
        route: |method| on(method, buscar),
        docs: Docs::new("Busca entre os documentos emitidos e recebidos, por chave, período, CNPJ, nome, valor ou situação.")
            .body::<BuscarIn>()
            .success::<Charged<Listing<FoundDocument>>>(),
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct BuscarIn {
    chave: Option<String>,
    /// Primeiro dia em Brasília, `AAAA-MM-DD`, ou um momento (RFC 3339), de
    /// chegada ao hub.
    de: Option<String>,
    /// Último dia em Brasília, `AAAA-MM-DD`, ou um momento (RFC 3339).
    ate: Option<String>,
    /// CPF ou CNPJ de qualquer das partes.
    cnpj: Option<String>,
    /// Parte do nome da outra parte.
    nome: Option<String>,
    valor_min: Option<FieldValue>,
    valor_max: Option<FieldValue>,
    status: Option<String>,
    origem: Origin,
    modelos: Vec<ModelIn>,
    #[schemars(range(min = 1, max = 100))]
    limite: Option<u32>,
    cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "Origem")]
#[serde(rename_all = "snake_case")]
enum Origin {
    #[default]
    Todos,
    Emitidos,
    Recebidos,
}

/// Um documento encontrado: emitido ou recebido.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "DocumentoEncontrado")]
enum FoundDocument {
    Emitido(Box<IssuedDocumentOfModel>),
    Recebido(Box<Received>),
}

type IssuedDocumentOfModel = OfModel<
    IssuedDocument<Registered<Nfse>>,
    IssuedDocument<Registered<Nfe>>,
    IssuedDocument<Registered<Nfce>>,
    IssuedDocument<Registered<Cte>>,
    IssuedDocument<Registered<Mdfe>>,
>;

/// Uma nota que a conta emitiu.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{N}Encontrada")]
struct IssuedDocument<N> {
    origem: FromIssued,
    #[serde(flatten)]
    nota: N,
}

fn issued_document<D: Record>(nota: &NotaRow) -> DbResult<IssuedDocument<Registered<D>>> {
    Ok(IssuedDocument {
        origem: FromIssued::Emitidos,
        nota: registered(nota)?,
    })
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "OrigemEmitidos")]
enum FromIssued {
    Emitidos,
}

/// Uma NF-e que uma empresa da conta recebeu.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecebidoEncontrado")]
struct Received {
    origem: FromReceived,
    /// O id da nota recebida.
    id: RecebidaId,
    /// O mesmo que `id`.
    recebida_id: RecebidaId,
    modelo: ReceivedModel,
    chave: String,
    status: ReceivedNotaStatus,
    /// A empresa da conta que a recebeu.
    emitente_id: EmitterId,
    /// `false`: só o resumo chegou.
    completa: bool,
    emitente: FoundIssuer,
    /// `null` se o documento não traz um número.
    valor_total: Option<Number>,
    emitida_em: String,
    /// A última manifestação que o hub registrou.
    manifestacao: Option<Manifested>,
    /// A autoridade é simulada.
    simulada: bool,
    criada_em: String,
}

/// Quem emitiu a nota recebida.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EmitenteEncontrado")]
struct FoundIssuer {
    cpf_cnpj: String,
    nome: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "OrigemRecebidos")]
enum FromReceived {
    Recebidos,
}

/// Só há NF-e recebidas.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ModeloRecebido")]
enum ReceivedModel {
    #[serde(rename = "55")]
    Nfe,
}

async fn buscar(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<Charged<Listing<FoundDocument>>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: BuscarIn = body::read(value, call.tolerant)?;
    let (page, search) = read(&body, call.caller.unseen())?;
    charge::affordable(&call).await?;
    let account = &call.caller.account_id;
    let mut conn = call.app.db.walk(account).await?;
    let mut found: Vec<Found> = Vec::new();
    let mut stopped = None;
    if body.origem != Origin::Recebidos {
        let issued = documents::list(&mut conn, account, &asked(&search)).await?;
        stopped = issued.stopped;
        let rows = issued.rows.into_iter();
        found.extend(rows.map(|row| Found::IssuedNota(Box::new(row))));
    }
    // What is received is NF-e.
    if body.origem != Origin::Emitidos && search.modelos[0] {
        let rows = recebidas::search(&mut conn, account, &search).await?;
        found.extend(
            rows.into_iter()
                .map(|row| Found::ReceivedNota(Box::new(row))),
        );
    }
    drop(conn);
    // What lies behind the place where one of the two stopped comes with a later page.
    if let Some((at_ms, id)) = &stopped {
        found.retain(|one| one.place() >= (*at_ms, id.as_str()));
    }
    found.sort_by(|a, b| b.place().cmp(&a.place()));
    found.truncate(usize::try_from(search.limit).unwrap_or(0));
    let places = found.iter().map(|one| {
        let (at_ms, id) = one.place();
        format!("{at_ms}:{id}")
    });
    let places = places.collect();
    let items = found.iter().map(Found::record);
    let items = items.collect::<Result<_, _>>()?;
    let stopped = stopped.map(|(at_ms, id)| format!("{at_ms}:{id}"));
    charge::paid(&call, page.listing_so_far(items, places, stopped)).await
}

/// What is looked for among the documents that were issued.
fn asked(search: &Search) -> Asked {
    let models = [Model::Nfe, Model::Nfce, Model::Nfse].into_iter();
    let wanted = models.zip(search.modelos).filter(|(_, wanted)| *wanted);
    let words: Vec<&str> = wanted.map(|(model, _)| model.as_str()).collect();
    let (at_ms, id) = search.before.clone();
    Asked {
        modelos: words.join(","),
        status: search.status.clone(),
        from_ms: search.from_ms,
        to_ms: search.to_ms,
        chave: search.chave.clone(),
        either: search.documento.clone(),
        name: search.name.clone(),
        min_value: search.min_value,
        max_value: search.max_value,
        after: (at_ms != 0).then_some((at_ms, id)),
        limit: search.limit,
        left_out: search.unseen,
        ..Asked::default()
    }
}

/// A document of either kind.
enum Found {
    IssuedNota(Box<NotaRow>),
    ReceivedNota(Box<ReceivedNotaRow>),
}

impl Found {
    /// Its place in the order of a search.
    fn place(&self) -> (i64, &str) {
        match self {
            Found::IssuedNota(nota) => (nota.created_at_ms, &nota.id),
            Found::ReceivedNota(nota) => (nota.created_at_ms, &nota.id),
        }
    }

    fn record(&self) -> Result<FoundDocument, Failure> {
        Ok(match self {
            Found::IssuedNota(nota) => FoundDocument::Emitido(Box::new(match nota.modelo {
                Model::Nfse => OfModel::Nfse(issued_document::<Nfse>(nota)?),
                Model::Nfe => OfModel::Nfe(issued_document::<Nfe>(nota)?),
                Model::Nfce => OfModel::Nfce(issued_document::<Nfce>(nota)?),
                Model::Cte => OfModel::Cte(issued_document::<Cte>(nota)?),
                Model::Mdfe => OfModel::Mdfe(issued_document::<Mdfe>(nota)?),
            })),
            Found::ReceivedNota(nota) => FoundDocument::Recebido(Box::new(Received {
                origem: FromReceived::Recebidos,
                id: nota.id.clone(),
                recebida_id: nota.id.clone(),
                modelo: ReceivedModel::Nfe,
                chave: nota.chave.clone(),
                status: nota.situacao,
                emitente_id: nota.emitter_id.clone(),
                completa: nota.completa == 1,
                emitente: FoundIssuer {
                    cpf_cnpj: nota.emitente_documento.clone(),
                    nome: nota.emitente_nome.clone(),
                },
                // Text of somebody else's document, as in `received.rs`.
                valor_total: nota.valor.parse().ok(),
                emitida_em: nota.emitida_em.clone(),
                manifestacao: nota.manifestacao.0,
                simulada: nota.simulada == 1,
                criada_em: when::rfc3339(nota.created_at_ms),
            })),
        })
    }
}

/// Filters and page of a request: the page as listings read it, bound to the
/// filters.
fn read(body: &BuscarIn, unseen: &'static str) -> Result<(Page, Search), Failure> {
    let mut query = Query::new();
    let mut set = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            query.insert(name.to_owned(), value);
        }
    };
    set("chave", body.chave.clone());
    set("de", body.de.clone());
    set("ate", body.ate.clone());
    set("cnpj", body.cnpj.clone());
    set("nome", body.nome.clone());
    set("valor_min", body.valor_min.map(|amount| amount.to_string()));
    set("valor_max", body.valor_max.map(|amount| amount.to_string()));
    set("status", body.status.clone());
    set("origem", Some(format!("{:?}", body.origem)));
    set("modelos", Some(format!("{:?}", body.modelos)));
    set("limite", body.limite.map(|limit| limit.to_string()));
    set("cursor", body.cursor.clone());
    let page = page(&query, &FILTERS)?;
    let before = match page.before.split_once(':') {
        None => (0, String::new()),
        Some((at_ms, id)) => (at_ms.parse().unwrap_or(0), id.to_owned()),
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    if text(&body.nome).chars().count() > 60 {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "nome",
            "O nome procurado tem até 60 caracteres.",
            "Use só uma parte do nome.",
        )
        .into());
    }
    let (from_ms, to_ms) = period(&query)?;
    let search = Search {
        chave: key(&text(&body.chave)),
        from_ms,
        to_ms,
        documento: taxpayer(&text(&body.cnpj)),
        name: notas::part(&text(&body.nome)),
        status: known_status(&query, &STATUS)?,
        min_value: body.valor_min.map_or(0, |amount| cents(*amount)),
        max_value: body.valor_max.map_or(0, |amount| cents(*amount)),
        modelos: ModelIn::wanted(&body.modelos),
        before,
        limit: page.rows(),
        unseen,
    };
    Ok((page, search))
}
