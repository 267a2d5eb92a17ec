//! Operations "emitir" and "substituir": one DPS becomes one NFS-e.

use crate::api;
use crate::consulta::{Consultada, nota_por_chave, nota_por_dps};
use crate::descricao::algoritmo;
use crate::entrega::{Busca, Leitura, entregar};
use crate::montagem::montar;
use crate::nota::{self, Nota};
use sdk::nfse::{self, Dps};
use sdk::{
    Canonicalization, Conteudo, Context, Failure, FieldError, Flow, Mensagem, Outcome, Placement,
    Response, SignOptions, Situacao, Success, gzip, host,
};

/// "This series and number already became a note" (annex I).
const JA_EXISTE: &str = "E0014";
/// Statuses of an explicit no.
const RECUSAS: [u16; 4] = [400, 403, 409, 422];

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
    let (nota, alertas) = entregar(
        flow,
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
            if substitui.motivo.as_deref() == Some("99") && substitui.justificativa.is_none() =>
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

/// Enveloped signature of the element with this id, as its next sibling.
pub fn assinar(xml: &str, id: &str, ctx: &Context) -> Result<String, Failure> {
    let options = SignOptions {
        algorithm: algoritmo(ctx),
        canonicalization: Canonicalization::C14n,
        placement: Placement::AfterReference,
        id_attribute: "Id".into(),
        include_chain: false,
        empty_uri: false,
    };
    Ok(host::sign_xml(xml, id, options)?)
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
    negativa(resposta, JA_EXISTE)
}

/// The answers that are not a success, alike for notes and events.
pub fn negativa<T>(resposta: &Response, ja_existe: &str) -> Leitura<T> {
    let mensagens = resposta
        .json()
        .map(|json| api::erros(&json))
        .unwrap_or_default();
    match resposta.status {
        429 => Leitura::Limitado(resposta.retry_after_ms()),
        // nginx: the client certificate was bad (495) or missing (496).
        495 | 496 => Leitura::Credencial(vec![Mensagem::new(
            "certificado",
            "A autoridade não aceitou o certificado.",
        )]),
        401 if !mensagens.is_empty() => Leitura::Credencial(mensagens),
        status if RECUSAS.contains(&status) && !mensagens.is_empty() => {
            if mensagens
                .iter()
                .any(|mensagem| mensagem.codigo == ja_existe)
            {
                Leitura::JaExiste(mensagens)
            } else {
                Leitura::Recusado(mensagens)
            }
        }
        500..=599 => Leitura::Duvida("erro 5xx"),
        _ => Leitura::Duvida("resposta desconhecida"),
    }
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
