//! Operations "emitir" and "substituir": one DPS becomes one NFS-e.

use crate::api::Queried;
use crate::assembly::{build, replacement_reason, sign};
use crate::delivery::{Delivery, FROM_AFAR, Reading, Search, WITH_PAUSES, WITHOUT_PAUSES, deliver};
use crate::description::Signed;
use crate::nota::{self, Nota};
use crate::query::{nota_by_dps, query};
use crate::receipt::{self, Status, received};
use crate::transport::{Call, Names, Transport};
use sdk::nfse::{self, Dps};
use sdk::{
    Conteudo, Context, Failure, FieldError, Flow, Mensagem, Outcome, Response, Situacao, Success,
    gzip,
};

/// "This series and number already became a note" (annex I).
pub const ALREADY_EXISTS: &str = "E0014";

pub async fn issue(flow: &Flow, content: &Conteudo, substituir: bool) -> Outcome {
    let transport = Transport::read(flow.ctx())?;
    // Kept: what is sent again must be the same bytes, whatever happened to
    // certificate and profile meanwhile. Later steps need nothing else of the content.
    let kept = flow
        .keep_in_place_of_content("dps", || {
            let dps: Dps = nfse::read(content, nfse::SCHEMA_DPS)?;
            require_replaced(&dps, substituir)?;
            let built = build(&dps, flow.ctx()).map_err(Failure::invalid_input)?;
            let xml = sign(&built.xml, &built.signed, Signed::Dps, flow.ctx())?;
            Ok(format!("{}\n{}", built.id, gzip::encode(xml.as_bytes())))
        })
        .await?;
    let (id, dps) = kept
        .split_once('\n')
        .ok_or_else(|| Failure::other("estado ilegivel").maybe_exists())?;
    let request = transport.issue(flow.ctx(), id, dps)?;
    let pace = if transport.is_afar(Call::Dps) {
        FROM_AFAR
    } else if flow.ctx().refuses_duplicates() {
        WITHOUT_PAUSES
    } else {
        WITH_PAUSES
    };
    let delivery = deliver(
        flow,
        &pace,
        request.into(),
        |response| read(response, transport.refuses_with_success(), id, flow.ctx()),
        async |protocol| look_for(flow, &transport, id, dps, protocol).await,
    )
    .await?;
    Ok(match delivery {
        Delivery::Done((nota, alertas)) => Success::new(Situacao::Autorizado)
            .documento(nota.documento)
            .messages(alertas),
        Delivery::Received(protocol) => received(protocol),
    })
}

fn require_replaced(dps: &Dps, substituir: bool) -> Result<(), Failure> {
    let refuse = |field, rule, text| {
        Err(Failure::invalid_input(vec![FieldError::new(
            field, rule, text,
        )]))
    };
    match &dps.substitui {
        None if substituir => refuse("substitui", "obrigatorio", "Informe a nota a substituir."),
        Some(replacement)
            if replacement_reason(replacement) == "99"
                && replacement
                    .justificativa
                    .as_deref()
                    .is_none_or(|text| text.trim().is_empty()) =>
        {
            // E0078.
            refuse(
                "substitui.justificativa",
                "obrigatorio",
                "O motivo 99 pede justificativa de 15 a 255 caracteres.",
            )
        }
        _ => Ok(()),
    }
}

/// An answer to POST /nfse. Only a note with our id and a valid key is a yes,
/// only a list of coded errors is a no. A receipt is neither.
fn read(
    response: &Response,
    lenient: bool,
    id: &str,
    ctx: &Context,
) -> Reading<(Nota, Vec<Mensagem>)> {
    let answer = match Reading::of(response, lenient, Some(id), ALREADY_EXISTS) {
        Ok(answer) => answer,
        Err(reading) => return reading,
    };
    match nota::in_answer(answer, id, ctx) {
        Ok(found) => Reading::Done(found),
        Err(doubt) => Reading::Doubt(doubt),
    }
}

/// Looks for the note of our DPS; first, where it was received under a
/// protocol, what became of that.
async fn look_for(
    flow: &Flow,
    transport: &Transport,
    id: &str,
    dps: &str,
    protocol: Option<&str>,
) -> Search<(Nota, Vec<Mensagem>)> {
    if let Some(protocol) = receipt::question(transport, protocol, flow.ctx()) {
        match receipt::ask(flow, id, protocol).await {
            Ok(Status::Issued(found)) => return Search::Found(*found),
            Ok(Status::Refused(messages)) => return Search::Refused(messages),
            Ok(Status::Open) => {}
            Err(_) => return Search::Unknown,
        }
    }
    // HEAD first: it is open to any certificate and has nothing to misread.
    if transport.has_head(flow.ctx()) {
        match query(flow, Call::Dps, "HEAD", &Names::of_dps(id)).await {
            Ok(response) if response.status == 404 => return Search::Absent,
            Ok(response) if response.status == 200 => {}
            Ok(_) | Err(_) => return Search::Unknown,
        }
    }
    let named = match nota_by_dps(flow, id).await {
        Ok(Queried::Found(named)) => named,
        Ok(Queried::Absent) if !transport.has_head(flow.ctx()) => return Search::Absent,
        Ok(Queried::Absent) | Err(_) => return Search::Unknown,
    };
    let Ok(xml) = gzip::decode(dps) else {
        return Search::Unknown;
    };
    match named.nota(flow).await {
        Ok(Queried::Found(nota)) if nota.came_from(&xml) => Search::Found((nota, Vec::new())),
        // Somebody else's note has our series and number.
        Ok(Queried::Found(_)) => Search::Conflict,
        Ok(Queried::Absent) | Err(_) => Search::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::nfse::Substitui;

    #[test]
    fn code_99_given_or_not_asks_for_a_reason() {
        let reason = Some("Valor do servico digitado errado");
        for (why, justification, accepted) in [
            (Some("99"), reason, true),
            (Some("99"), None, false),
            (Some(" 99 "), None, false),
            (Some("99"), Some("  "), false),
            (None, reason, true),
            (None, None, false),
            (Some("01"), None, true),
        ] {
            let mut replacement = Substitui::default();
            replacement.motivo = why.map(str::to_owned);
            replacement.justificativa = justification.map(str::to_owned);
            let mut dps = Dps::default();
            dps.substitui = Some(replacement);
            assert_eq!(
                require_replaced(&dps, true).is_ok(),
                accepted,
                "{why:?} {justification:?}"
            );
        }
    }
}
