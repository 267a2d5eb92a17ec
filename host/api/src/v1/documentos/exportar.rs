//! POST /api/v1/documentos/exportar: a ZIP of the documents of a period.

use super::{ModelIn, ambiente_words, asks_for};
use accounts::opening;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::body;
use gate::request::list::{Query, emission};
use objects::exports::{self, ExportOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{EmitterId, ExportacaoId};
use store::tables::exportacoes::ExportStatus;
use store::words::Ambiente;

pub fn built() -> Built {
    Built {
        operation: "documentos.exportar",
        route: |method| on(method, exportar),
        docs: Docs::new(
            "Exporta os documentos emitidos e recebidos de um período em um ZIP com manifesto.",
        )
        .explained("Use no fim do mês, para o contador: o pedido entra em uma fila, GET /api/v1/documentos/exportacoes/{id} mostra o andamento e, no fim, o link do ZIP. Recusa o período com mais documentos do que cabem em um arquivo.")
        .body::<ExportarIn>()
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
    conteudo: Option<Vec<Content>>,
    /// Ausente: todos.
    modelos: Option<Vec<ModelIn>>,
    /// Ausente: com chave de produção, producao, porque notas de homologação não
    /// têm valor fiscal; com chave de teste, homologacao e simulado. `producao` só
    /// com chave de produção, `simulado` só com chave de teste.
    ambiente: Option<Ambiente>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "Conteudo")]
#[serde(rename_all = "snake_case")]
enum Content {
    Xml,
    Pdf,
}

/// Uma exportação que está sendo feita.
#[derive(Serialize, JsonSchema)]
struct ExportarOut {
    /// O id da exportação.
    id: ExportacaoId,
    /// O mesmo que `id`.
    exportacao_id: ExportacaoId,
    status: ExportStatus,
}

async fn exportar(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<ExportarOut> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: ExportarIn = body::read(value, call.tolerant)?;
    let request = read(&body, call.caller.is_test())?;
    let row = exports::ask(&call.app, &call.caller, body.emitente_id, &request).await?;
    call.about(&row.id);
    let place = format!("/api/v1/documentos/exportacoes/{}", row.id);
    let body = ExportarOut {
        status: row.status,
        id: row.id.clone(),
        exportacao_id: row.id,
    };
    Ok(call.answer(202, body)?.header("location", &place))
}

fn read(body: &ExportarIn, test: bool) -> Result<ExportOrder, Failure> {
    let mut query = Query::new();
    query.insert("de".to_owned(), body.de.clone());
    query.insert("ate".to_owned(), body.ate.clone());
    let period = emission(&query)?;
    let wrong = |field, message, correction| {
        Failure::from(Refusal::field(
            Code::ParametroInvalido,
            field,
            message,
            correction,
        ))
    };
    if period.to_ms <= period.from_ms {
        return Err(wrong(
            "ate",
            "O período termina antes de começar.",
            "Informe ate igual ou posterior a de.",
        ));
    }
    let content = body.conteudo.as_deref().unwrap_or(&[Content::Xml]);
    if content.is_empty() {
        return Err(wrong(
            "conteudo",
            "Falta o conteúdo.",
            "Peça xml, pdf ou os dois.",
        ));
    }
    if body.ambiente.is_some_and(|one| !asks_for(one, test)) {
        return Err(wrong("ambiente", "Valor inválido.", ambiente_words(test)));
    }
    Ok(ExportOrder {
        periodo: period,
        xml: content.contains(&Content::Xml),
        pdf: content.contains(&Content::Pdf),
        modelos: ModelIn::wanted(body.modelos.as_deref().unwrap_or_default()),
        ambiente: body.ambiente.or_else(|| opening::counted(test)),
    })
}
