//! POST /api/v1/documentos/exportar: a ZIP of the documents of a period.

use super::ModeloIn;
use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
use crate::request::body;
use crate::request::list::{Query, emission};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use objects::exports::{self, ExportOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{EmitterId, ExportacaoId};
use store::tables::exportacoes::ExportacaoStatus;

pub fn built() -> Built {
    Built {
        operation: "documentos.exportar",
        route: |method| on(method, exportar),
        docs: Docs::new(
            "Exporta os documentos emitidos e recebidos de um período em um ZIP com manifesto.",
        )
        .body(schemars::schema_for!(ExportarIn).to_value())
        .answers(&[(202, "A exportação está sendo feita.")])
        .sends("Location", &[202])
        .success::<ExportarOut>(),
    }
}

#[derive(Deserialize, JsonSchema)]
struct ExportarIn {
    /// Primeiro dia de emissão, `AAAA-MM-DD`, ou um momento de chegada ao hub
    /// (RFC 3339); da NFS-e, sempre a chegada, pelo dia em Brasília.
    de: String,
    /// Último dia de emissão, `AAAA-MM-DD`, ou um momento (RFC 3339).
    ate: String,
    /// Ausente: todos os da conta.
    emitente_id: Option<EmitterId>,
    /// Ausente: xml.
    conteudo: Option<Vec<Conteudo>>,
    /// Ausente: todos.
    modelos: Option<Vec<ModeloIn>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Conteudo {
    Xml,
    Pdf,
}

/// Uma exportação que está sendo feita.
#[derive(Serialize, JsonSchema)]
struct ExportarOut {
    exportacao_id: ExportacaoId,
    status: ExportacaoStatus,
}

async fn exportar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<ExportarOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: ExportarIn = body::read(value, call.tolerant)?;
    let pedido = read(&body)?;
    let row = exports::pedir(&call.app, &call.caller, body.emitente_id, &pedido).await?;
    call.about(&row.id);
    let place = format!("/api/v1/documentos/exportacoes/{}", row.id);
    let body = ExportarOut {
        status: row.status,
        exportacao_id: row.id,
    };
    Ok(call.answer(202, body)?.header("location", &place))
}

fn read(body: &ExportarIn) -> Result<ExportOrder, Failure> {
    let mut query = Query::new();
    query.insert("de".to_owned(), body.de.clone());
    query.insert("ate".to_owned(), body.ate.clone());
    let periodo = emission(&query)?;
    let wrong = |field, mensagem, correcao| {
        Failure::from(Refusal::field(
            Code::ParametroInvalido,
            field,
            mensagem,
            correcao,
        ))
    };
    if periodo.to_ms <= periodo.from_ms {
        return Err(wrong(
            "ate",
            "O período termina antes de começar.",
            "Informe ate igual ou posterior a de.",
        ));
    }
    let conteudo = body.conteudo.as_deref().unwrap_or(&[Conteudo::Xml]);
    if conteudo.is_empty() {
        return Err(wrong(
            "conteudo",
            "Falta o conteúdo.",
            "Peça xml, pdf ou os dois.",
        ));
    }
    Ok(ExportOrder {
        periodo,
        xml: conteudo.contains(&Conteudo::Xml),
        pdf: conteudo.contains(&Conteudo::Pdf),
        modelos: ModeloIn::wanted(body.modelos.as_deref().unwrap_or_default()),
    })
}
