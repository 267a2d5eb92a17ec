//! POST /api/v1/nfe/vinculos and GET /api/v1/nfe/{ref}/vinculos: a return,
//! complement or adjustment and the note it is of, traced both ways.

use crate::v1::event::read;
use crate::v1::product;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use issuing::model::Model;
use markup::ids::chave::Chave;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::TxError;
use store::ids::{NotaId, VinculoId};
use store::tables::notas::NotaStatus;
use store::tables::vinculos::{self, Derived, LinkRow};

pub fn built() -> Vec<Built> {
    vec![
        Built {
            operation: "nfe.vinculos",
            route: |method| on(method, create),
            docs: Docs::new(
                "Liga uma nota de devolução, complementar ou de ajuste à nota de origem.",
            )
            .body::<NotaLinkIn>()
            .success::<NotaLinkOut>()
            .answers(&[(201, "Ligadas."), (200, "Já estavam ligadas.")]),
        },
        Built {
            operation: "nfe.vinculos.get",
            route: |method| on(method, get),
            docs: Docs::new("Mostra de que notas esta deriva e quais derivam dela.")
                .success::<VinculosOut>(),
        },
    ]
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "VinculoIn")]
struct NotaLinkIn {
    /// nota_id ou chave da nota derivada.
    r#ref: String,
    /// Chave de acesso da nota de origem.
    chave_origem: String,
    tipo: Kind,
}

/// Duas notas ligadas.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VinculoOut")]
struct NotaLinkOut {
    /// O id do vínculo.
    id: VinculoId,
    /// O mesmo que `id`.
    vinculo_id: VinculoId,
    /// A nota derivada.
    nota_id: NotaId,
    chave_origem: String,
    tipo: Kind,
}

/// De que notas uma deriva, e quais derivam dela.
#[derive(Serialize, JsonSchema)]
struct VinculosOut {
    /// O id da nota.
    id: NotaId,
    /// O mesmo que `id`.
    nota_id: NotaId,
    chave: String,
    origem: Vec<Origin>,
    derivados: Vec<DerivedNota>,
}

/// Uma nota de que outra deriva.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NotaDeOrigem")]
struct Origin {
    /// O id do vínculo.
    id: VinculoId,
    /// O mesmo que `id`.
    vinculo_id: VinculoId,
    /// `devolucao`, `complementar`, `ajuste`, `nota_credito` ou `nota_debito`.
    tipo: String,
    chave: String,
}

/// Uma nota que deriva de outra.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NotaDerivada")]
struct DerivedNota {
    /// O id do vínculo.
    id: VinculoId,
    /// O mesmo que `id`.
    vinculo_id: VinculoId,
    /// Como em `origem`.
    tipo: String,
    nota_id: NotaId,
    chave: String,
    status: NotaStatus,
}

/// Como uma nota deriva de outra.
#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TipoDeVinculo")]
enum Kind {
    Devolucao,
    Complementar,
    Ajuste,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Kind::Devolucao => "devolucao",
            Kind::Complementar => "complementar",
            Kind::Ajuste => "ajuste",
        }
    }
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<NotaLinkOut> {
    let (body, _): (NotaLinkIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Nfe).await?;
    let origin = Chave::parse(&body.chave_origem).map_err(|_| {
        Refusal::field(
            Code::ParametroInvalido,
            "chave_origem",
            "A chave de origem não é uma chave de acesso válida.",
            "Confira as 44 posições e o dígito verificador.",
        )
    })?;
    if origin.as_str() == nota.chave {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("Uma nota não deriva de si mesma.")
            .nota(&nota.id)
            .into());
    }
    let now_ms = call.app.now_ms();
    let row = LinkRow {
        id: VinculoId::new(now_ms),
        account_id: call.caller.account_id.clone(),
        nota_id: nota.id.clone(),
        chave_origem: origin.as_str().to_owned(),
        tipo: body.tipo.as_str().to_owned(),
        created_at_ms: now_ms,
    };
    let id = row.id.clone();
    let new = call
        .app
        .db
        .write(row, |row, conn| {
            Box::pin(async move { Ok::<_, TxError<Refusal>>(vinculos::insert(conn, row).await?) })
        })
        .await?;
    let mut conn = call.app.db.read().await?;
    let rows = vinculos::of_nota(&mut conn, &call.caller.account_id, &nota.id).await?;
    drop(conn);
    let kept = rows
        .into_iter()
        .find(|row| row.chave_origem == origin.as_str());
    if let Some(kept) = kept.as_ref().filter(|kept| kept.tipo != body.tipo.as_str()) {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message(format!("As notas já estão ligadas como {}.", kept.tipo))
            .hint("Uma nota deriva da outra de um só modo; confira o tipo.")
            .with("vinculo_id", kept.id.clone())
            .nota(&nota.id)
            .into());
    }
    let id = kept.map_or(id, |row| row.id);
    let told = NotaLinkOut {
        id: id.clone(),
        vinculo_id: id,
        nota_id: nota.id,
        chave_origem: origin.as_str().to_owned(),
        tipo: body.tipo,
    };
    call.answer(if new { 201 } else { 200 }, told)
}

async fn get(call: Call, Path(reference): Path<String>) -> ApiAnswer<VinculosOut> {
    let nota = product::nota(&call, &reference, Model::Nfe).await?;
    let account = &call.caller.account_id;
    let mut conn = call.app.db.read().await?;
    let origin = vinculos::of_nota(&mut conn, account, &nota.id).await?;
    let derived = if nota.chave.is_empty() {
        Vec::new()
    } else {
        vinculos::derived(&mut conn, account, &nota.chave, call.caller.unseen()).await?
    };
    call.ok(VinculosOut {
        id: nota.id.clone(),
        nota_id: nota.id,
        chave: nota.chave,
        origem: origin.into_iter().map(Origin::from).collect(),
        derivados: derived.into_iter().map(DerivedNota::from).collect(),
    })
}

impl From<LinkRow> for Origin {
    fn from(row: LinkRow) -> Origin {
        Origin {
            id: row.id.clone(),
            vinculo_id: row.id,
            tipo: row.tipo,
            chave: row.chave_origem,
        }
    }
}

impl From<Derived> for DerivedNota {
    fn from(row: Derived) -> DerivedNota {
        DerivedNota {
            id: row.id.clone(),
            vinculo_id: row.id,
            tipo: row.tipo,
            nota_id: row.nota_id,
            chave: row.chave,
            status: row.status,
        }
    }
}
