//! GET /api/v1/nfce/{ref}/janela-cancelamento: can it still be cancelled?

use crate::v1::product;
use axum::extract::Path;
use axum::routing::on;
use base::errors::{Code, Refusal};
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use issuing::actions::event::Deadline;
use issuing::document::product::Details;
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use store::ids::NotaId;
use store::tables::notas::NotaStatus;

pub fn built() -> Built {
    Built {
        operation: "nfce.janela-cancelamento",
        route: |method| on(method, janela),
        docs: Docs::new("Diz se a NFC-e ainda está no prazo de cancelamento da UF, e até quando.")
            .success::<JanelaOut>(),
    }
}

/// O prazo de cancelamento de uma NFC-e.
#[derive(Serialize, JsonSchema)]
struct JanelaOut {
    /// O id da nota.
    id: NotaId,
    /// O mesmo que `id`.
    nota_id: NotaId,
    status: NotaStatus,
    uf: String,
    prazo_minutos: u32,
    /// A nota ainda pode ser cancelada dentro do prazo.
    dentro_da_janela: bool,
    expira_em: String,
    /// A UF aceita o cancelamento depois do prazo.
    aceita_atraso: bool,
    /// Até quando; `null` se não aceita, ou se não há limite conhecido.
    aceita_com_atraso_ate: Option<String>,
    /// De onde vem o prazo.
    fonte: &'static str,
}

async fn janela(call: Call, Path(reference): Path<String>) -> ApiAnswer<JanelaOut> {
    let nota = product::nota(&call, &reference, Model::Nfce).await?;
    let Some(authorized_at) = when::parse(&nota.autorizada_em) else {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("A nota não foi autorizada.")
            .nota(&nota.id)
            .into());
    };
    let uf = Details::of(&nota)?.uf;
    let deadline = Deadline::of(Model::Nfce, &uf, authorized_at)
        .ok_or_else(|| anyhow::anyhow!("no window of {uf}"))?;
    let now_ms = call.app.now_ms();
    let open = nota.status == NotaStatus::Authorized;
    let late = deadline.overdue.filter(|late| *late > deadline.expires_at);
    call.ok(JanelaOut {
        id: nota.id.clone(),
        nota_id: nota.id,
        status: nota.status,
        uf,
        prazo_minutos: deadline.minutes,
        dentro_da_janela: open && now_ms <= when::ms(deadline.expires_at),
        expira_em: when::format(deadline.expires_at),
        aceita_atraso: deadline.overdue.is_none() || late.is_some(),
        aceita_com_atraso_ate: late.map(when::format),
        fonte: deadline.source,
    })
}
