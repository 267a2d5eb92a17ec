//! Operations "emitir" and "substituir": one DPS becomes one NFS-e.

use crate::api::{self, Queried};
use crate::assembly::{build, replacement_reason};
use crate::delivery::{Reading, Search, WITH_PAUSES, WITHOUT_PAUSES, deliver};
use crate::nota::{self, Nota};
use crate::query::{nota_by_chave, nota_by_dps};
use crate::signature::sign;
use sdk::nfse::{self, Dps};
use sdk::{
    Conteudo, Context, Failure, FieldError, Flow, Mensagem, Outcome, Response, Situacao, Success,
    gzip,
};

/// "This series and number already became a note" (annex I).
const ALREADY_EXISTS: &str = "E0014";

pub async fn issue(flow: &Flow, content: &Conteudo, substituir: bool) -> Outcome {
    let dps: Dps = nfse::read(content, nfse::SCHEMA_DPS)?;
    require_replaced(&dps, substituir)?;
    // Kept: what is sent again must be the same bytes, whatever happened to
    // certificate and profile meanwhile.
    let kept = flow
        .keep("dps", || {
            let built = build(&dps, flow.ctx()).map_err(Failure::invalid_input)?;
            let xml = sign(&built.xml, &built.id, flow.ctx())?;
            Ok(format!("{}\n{}", built.id, gzip::encode(xml.as_bytes())))
        })
        .await?;
    let (id, dps) = kept
        .split_once('\n')
        .ok_or_else(|| Failure::other("estado ilegivel").maybe_exists())?;
    let request = api::sending("POST nfse", "/nfse", "dpsXmlGZipB64", dps);
    let pace = if flow.ctx().refuses_duplicates() {
        WITHOUT_PAUSES
    } else {
        WITH_PAUSES
    };
    let (nota, alertas) = deliver(
        flow,
        &pace,
        request.into(),
        |response| read(response, id, flow.ctx()),
        async || look_for(flow, id, dps).await,
    )
    .await?;
    Ok(Success::new(Situacao::Autorizado)
        .documento(nota.documento)
        .messages(alertas))
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
/// only a list of coded errors is a no.
fn read(response: &Response, id: &str, ctx: &Context) -> Reading<(Nota, Vec<Mensagem>)> {
    let json = response.json();
    if response.is_success() {
        let Some(json) = json else {
            return Reading::Doubt("2xx sem JSON");
        };
        if api::text(&json, "idDps").is_some_and(|other| other != id) {
            return Reading::Doubt("2xx de outra DPS");
        }
        let Some(chave) = api::text(&json, "chaveAcesso") else {
            return Reading::Doubt("2xx sem chave de acesso");
        };
        let nota = api::text(&json, "nfseXmlGZipB64")
            .and_then(api::documento)
            .and_then(|bytes| nota::read(bytes, chave, ctx));
        return match nota {
            Some(nota) => Reading::Done((nota, api::alertas(&json))),
            None => Reading::Doubt("2xx sem NFS-e legivel"),
        };
    }
    Reading::unsuccessful(response, ALREADY_EXISTS)
}

/// Looks for the note of our DPS. HEAD first: it is open to any certificate
/// and has nothing to misread.
async fn look_for(flow: &Flow, id: &str, dps: &str) -> Search<(Nota, Vec<Mensagem>)> {
    let caminho = format!("/dps/{id}");
    match flow.send(api::query("HEAD dps", "HEAD", &caminho)).await {
        Ok(response) if response.status == 404 => return Search::Absent,
        Ok(response) if response.status == 200 => {}
        Ok(_) | Err(_) => return Search::Unknown,
    }
    let Ok(Queried::Found(chave)) = nota_by_dps(flow, id).await else {
        return Search::Unknown;
    };
    let Ok(xml) = gzip::decode(dps) else {
        return Search::Unknown;
    };
    match nota_by_chave(flow, &chave).await {
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
