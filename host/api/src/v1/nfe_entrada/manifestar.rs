//! POST /api/v1/nfe-entrada/manifestar: what the company says of a note
//! issued against it (events 2102xx).

use crate::v1::event::read;
use crate::v1::stored::{StoredAnswer, stored};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use fiscal::nfe::event;
use gate::Call;
use gate::docs::{Built, Docs};
use inbound::manifest::{self, ManifestOrder};
use issuing::answer::{Manifestation, RegisteredManifestation, TransmittedManifestation};
use schemars::JsonSchema;
use serde::Deserialize;
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "nfe-entrada.manifestar",
        route: |method| on(method, say),
        docs: Docs::new("Manifesta-se sobre uma NF-e recebida; a ciência libera o XML completo.")
            .body::<ManifestarIn>()
            .idempotent()
            .success::<Manifestation<RegisteredManifestation>>()
            .success_at::<Manifestation<TransmittedManifestation>>(202)
            .answers(&[
                (200, "Manifestação registrada."),
                (202, "Ainda sem resultado."),
            ]),
    }
}

#[derive(Deserialize, JsonSchema)]
struct ManifestarIn {
    /// Chave de acesso de uma nota recebida.
    chave: String,
    /// A empresa que se manifesta; só é preciso quando mais de uma da conta
    /// recebeu a nota.
    #[serde(default)]
    emitente_id: Option<EmitterId>,
    tipo: KindIn,
    /// 15 a 255 caracteres; `nao_realizada` a exige.
    #[serde(default)]
    justificativa: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "TipoIn")]
#[serde(rename_all = "snake_case")]
enum KindIn {
    Ciencia,
    Confirmacao,
    Desconhecimento,
    #[serde(alias = "operacao_nao_realizada")]
    NaoRealizada,
}

impl From<KindIn> for event::Manifestation {
    fn from(kind: KindIn) -> event::Manifestation {
        match kind {
            KindIn::Ciencia => event::Manifestation::Acknowledgement,
            KindIn::Confirmacao => event::Manifestation::Confirmation,
            KindIn::Desconhecimento => event::Manifestation::Unawareness,
            KindIn::NaoRealizada => event::Manifestation::NotPerformed,
        }
    }
}

async fn say(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> StoredAnswer<Manifestation<RegisteredManifestation>, Manifestation<TransmittedManifestation>> {
    let (body, idempotency): (ManifestarIn, _) = read(&call, &headers, &bytes)?;
    let received = super::received(&call, &body.chave, body.emitente_id.as_ref()).await?;
    let takes_a_reason = matches!(body.tipo, KindIn::Desconhecimento | KindIn::NaoRealizada);
    if body.justificativa.is_some() && !takes_a_reason {
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "justificativa",
            "Este tipo de manifestação não leva justificativa.",
            "Retire o campo.",
        )
        .into());
    }
    let request = ManifestOrder {
        caller: call.caller.clone(),
        received,
        kind: body.tipo.into(),
        justification: body.justificativa.map(|text| text.trim().to_owned()),
        operation: call.operation.operation.clone(),
        price: call.price()?,
        idempotency,
    };
    let answer = manifest::manifestar(&call.app, request).await?;
    stored(&call, answer)
}
