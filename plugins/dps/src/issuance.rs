//! Operations "emitir" and "substituir": one DPS becomes one NFS-e.

use crate::api::{self, Consultada};
use crate::assembly::{montar, motivo_da_substituicao};
use crate::delivery::{Busca, COM_PAUSAS, Leitura, SEM_PAUSAS, entregar};
use crate::nota::{self, Nota};
use crate::query::{nota_por_chave, nota_por_dps};
use crate::signature::assinar;
use sdk::nfse::{self, Dps};
use sdk::{
    Conteudo, Context, Failure, FieldError, Flow, Mensagem, Outcome, Response, Situacao, Success,
    gzip,
};

/// "This series and number already became a note" (annex I).
const JA_EXISTE: &str = "E0014";

pub async fn emitir(flow: &Flow, conteudo: &Conteudo, substituir: bool) -> Outcome {
    let dps: Dps = nfse::read(conteudo, nfse::SCHEMA_DPS)?;
    exigir_substituida(&dps, substituir)?;
    // Kept: what is sent again must be the same bytes, whatever happened to
    // certificate and profile meanwhile.
    let guardada = flow
        .keep("dps", || {
            let montada = montar(&dps, flow.ctx()).map_err(Failure::invalid_input)?;
            let xml = assinar(&montada.xml, &montada.id, flow.ctx())?;
            Ok(format!("{}\n{}", montada.id, gzip::encode(xml.as_bytes())))
        })
        .await?;
    let (id, dps) = guardada
        .split_once('\n')
        .ok_or_else(|| Failure::other("estado ilegivel").maybe_exists())?;
    let pedido = api::envio("POST nfse", "/nfse", "dpsXmlGZipB64", dps);
    let ritmo = if flow.ctx().recusa_duplicata() {
        SEM_PAUSAS
    } else {
        COM_PAUSAS
    };
    let (nota, alertas) = entregar(
        flow,
        &ritmo,
        pedido.into(),
        |resposta| ler(resposta, id, flow.ctx()),
        async || procurar(flow, id, dps).await,
    )
    .await?;
    Ok(Success::new(Situacao::Autorizado)
        .documento(nota.documento)
        .mensagens(alertas))
}

fn exigir_substituida(dps: &Dps, substituir: bool) -> Result<(), Failure> {
    let refuse = |campo, regra, texto| {
        Err(Failure::invalid_input(vec![FieldError::new(
            campo, regra, texto,
        )]))
    };
    match &dps.substitui {
        None if substituir => refuse("substitui", "obrigatorio", "Informe a nota a substituir."),
        Some(substitui)
            if motivo_da_substituicao(substitui) == "99"
                && substitui
                    .justificativa
                    .as_deref()
                    .is_none_or(|texto| texto.trim().is_empty()) =>
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
fn ler(resposta: &Response, id: &str, ctx: &Context) -> Leitura<(Nota, Vec<Mensagem>)> {
    let json = resposta.json();
    if resposta.is_success() {
        let Some(json) = json else {
            return Leitura::Duvida("2xx sem JSON");
        };
        if api::texto(&json, "idDps").is_some_and(|outro| outro != id) {
            return Leitura::Duvida("2xx de outra DPS");
        }
        let Some(chave) = api::texto(&json, "chaveAcesso") else {
            return Leitura::Duvida("2xx sem chave de acesso");
        };
        let nota = api::texto(&json, "nfseXmlGZipB64")
            .and_then(api::documento)
            .and_then(|bytes| nota::ler(bytes, chave, ctx));
        return match nota {
            Some(nota) => Leitura::Feito((nota, api::alertas(&json))),
            None => Leitura::Duvida("2xx sem NFS-e legivel"),
        };
    }
    Leitura::sem_sucesso(resposta, JA_EXISTE)
}

/// Looks for the note of our DPS. HEAD first: it is open to any certificate
/// and has nothing to misread.
async fn procurar(flow: &Flow, id: &str, dps: &str) -> Busca<(Nota, Vec<Mensagem>)> {
    let caminho = format!("/dps/{id}");
    match flow.send(api::consulta("HEAD dps", "HEAD", &caminho)).await {
        Ok(resposta) if resposta.status == 404 => return Busca::Ausente,
        Ok(resposta) if resposta.status == 200 => {}
        Ok(_) | Err(_) => return Busca::NaoSei,
    }
    let Ok(Consultada::Achada(chave)) = nota_por_dps(flow, id).await else {
        return Busca::NaoSei;
    };
    let Ok(xml) = gzip::decode(dps) else {
        return Busca::NaoSei;
    };
    match nota_por_chave(flow, &chave).await {
        Ok(Consultada::Achada(nota)) if nota.veio_de(&xml) => Busca::Achado((nota, Vec::new())),
        // Somebody else's note has our series and number.
        Ok(Consultada::Achada(_)) => Busca::Conflito,
        Ok(Consultada::Ausente) | Err(_) => Busca::NaoSei,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::nfse::Substitui;

    #[test]
    fn motivo_99_given_or_not_asks_for_a_reason() {
        let reason = Some("Valor do servico digitado errado");
        for (motivo, justificativa, accepted) in [
            (Some("99"), reason, true),
            (Some("99"), None, false),
            (Some(" 99 "), None, false),
            (Some("99"), Some("  "), false),
            (None, reason, true),
            (None, None, false),
            (Some("01"), None, true),
        ] {
            let mut substitui = Substitui::default();
            substitui.motivo = motivo.map(str::to_owned);
            substitui.justificativa = justificativa.map(str::to_owned);
            let mut dps = Dps::default();
            dps.substitui = Some(substitui);
            assert_eq!(
                exigir_substituida(&dps, true).is_ok(),
                accepted,
                "{motivo:?} {justificativa:?}"
            );
        }
    }
}
