//! Voiding numbers that no note has: a signed request, and numbers that are
//! never given out again.

use super::query;
use crate::Issuing;
use crate::actions::event::{self, Receptor};
use crate::actions::without_note::{self, Documento, SemNota};
use crate::answer::FaixaPedida;
use crate::document::layout::write;
use crate::emitters::profile::Perfil;
use crate::issue::{self, Answer};
use crate::model::{Ambiente, Modelo};
use crate::route;
use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use base::when;
use fiscal::nfe::event::Inutilizacao;
use markup::ids::Cnpj;
use serde_json::json;
use store::ids::{EmitterId, EventoId};
use store::tables::emitters::EmitterRow;
use store::tables::eventos::EventoTipo;
use store::tables::flows::FlowOperation;
use store::tables::idempotency::Scope;
use store::tables::notas;
use store::tables::numbers::{self, Series};
use store::{Conn, TxError};
use time::Date;

/// Layout of the request (MOC 7.0, annex of layouts).
const LAYOUT: &str = "inutNFe-4.00";

/// A range somebody wants voided.
pub struct Faixa {
    pub caller: Caller,
    pub modelo: Modelo,
    pub emitente_id: Option<EmitterId>,
    /// Two digits; absent: this year.
    pub ano: Option<u8>,
    pub serie: u16,
    pub numero_inicial: u32,
    pub numero_final: u32,
    pub justificativa: String,
    pub operation: String,
    pub preco: i64,
    pub idempotency: Option<(Scope, String)>,
}

/// The numbers that are taken out of use.
struct Numeros {
    series: Series,
    primeiro: i64,
    ultimo: i64,
    /// Where a series begins that was not used yet.
    proximo: i64,
}

/// Voids a range.
///
/// # Errors
/// Everything to correct; 409 when a number is in use or void already; no
/// credit.
pub async fn inutilizar(app: &Issuing, faixa: Faixa) -> Result<Answer, Failure> {
    if let Some(answer) = query::repeated(app, faixa.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let (pedido, numeros) = prepare(app, faixa).await?;
    without_note::registrar(app, pedido, numeros, |numeros, id, conn| {
        Box::pin(take(conn, numeros, id))
    })
    .await
}

async fn prepare(app: &Issuing, faixa: Faixa) -> Result<(SemNota, Numeros), Failure> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    let emitter = issue::emitter(&mut conn, &faixa.caller, faixa.emitente_id.as_ref()).await?;
    drop(conn);
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let registry = app.registry.load();
    let uf = route::uf(&registry, perfil.municipio().unwrap_or_default()).to_owned();
    let Some(known) = data::ufs::por_sigla(&uf) else {
        return Err(
            issue::incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into(),
        );
    };
    let ambiente = issue::product::ambiente(&faixa.caller, &emitter);
    let hoje = when::local(now_ms, &uf).date();
    let pedido = inutilizacao(&faixa, &emitter, ambiente, known.codigo, hoje)?;
    let arvore = pedido.montar().map_err(Refusal::fields)?;
    let xml = write(LAYOUT, &arvore)?;
    let rumo = event::rumo(
        app,
        &emitter,
        &uf,
        faixa.modelo,
        Receptor::Autorizador,
        ambiente,
    )
    .await?;
    let shown = FaixaPedida {
        modelo: faixa.modelo,
        ano: pedido.ano,
        serie: faixa.serie,
        numero_inicial: faixa.numero_inicial,
        numero_final: faixa.numero_final,
        justificativa: faixa.justificativa,
    };
    let conteudo = json!({
        "ano": pedido.ano, "cnpj": emitter.cnpj, "uf": known.codigo, "modelo": faixa.modelo.as_str(),
        "serie": faixa.serie, "inicio": faixa.numero_inicial, "fim": faixa.numero_final,
    });
    let numeros = Numeros {
        series: Series::new(
            &emitter.id,
            ambiente,
            faixa.modelo,
            &faixa.serie.to_string(),
        ),
        primeiro: i64::from(faixa.numero_inicial),
        ultimo: i64::from(faixa.numero_final),
        proximo: perfil.inicio(faixa.modelo, &faixa.serie.to_string(), &emitter.id)?,
    };
    let pedido = SemNota {
        caller: faixa.caller,
        tipo: EventoTipo::Inutilizacao,
        operacao: FlowOperation::Inutilizar,
        conteudo: conteudo.to_string(),
        documento: Documento {
            xml,
            detalhes: serde_json::to_string(&shown)?,
            ..Documento::default()
        },
        emitter_id: emitter.id,
        ambiente,
        rumo,
        operation: faixa.operation,
        preco: faixa.preco,
        idempotency: faixa.idempotency,
    };
    Ok((pedido, numeros))
}

/// The request for a range, or all that is wrong with it.
fn inutilizacao(
    faixa: &Faixa,
    emitter: &EmitterRow,
    ambiente: Ambiente,
    cuf: u8,
    hoje: Date,
) -> Result<Inutilizacao, Failure> {
    let pedido = Inutilizacao {
        producao: ambiente == Ambiente::Producao,
        cuf,
        ano: faixa
            .ano
            .unwrap_or_else(|| u8::try_from(hoje.year().rem_euclid(100)).unwrap_or(0)),
        cnpj: Cnpj::parse(&emitter.cnpj)
            .map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?,
        modelo: if faixa.modelo == Modelo::Nfce { 65 } else { 55 },
        serie: faixa.serie,
        numero_inicial: faixa.numero_inicial,
        numero_final: faixa.numero_final,
        justificativa: faixa.justificativa.clone(),
    };
    let wrong = pedido.pre_validar(Some(hoje));
    if !wrong.is_empty() {
        return Err(Refusal::fields(wrong)
            .message("A inutilização tem pontos a corrigir.")
            .into());
    }
    Ok(pedido)
}

/// Takes the numbers out of use, or none of them.
async fn take(conn: &mut Conn, numeros: &Numeros, id: &EventoId) -> Result<(), TxError<Refusal>> {
    let (series, first, last) = (&numeros.series, numeros.primeiro, numeros.ultimo);
    let next = numbers::lock(conn, series, numeros.proximo).await?;
    if first > next {
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message(format!(
                    "A faixa começa depois do próximo número da série ({next}): os números entre eles ficariam sem dono."
                ))
                .hint("Confira a faixa; o próximo número da série padrão está em PUT /api/v1/emitters/{id}/fiscal-profile.")
                .with("proximo_numero", next),
        ));
    }
    numbers::advance(conn, series, last + 1).await?;
    for numero in first..=last {
        if !numbers::void(conn, series, numero, numero >= next, id).await? {
            return Err(TxError::Abort(
                Refusal::new(Code::FaixaJaInutilizada).with("numero", numero),
            ));
        }
    }
    // Last: whoever took one of these numbers has committed by now.
    if let Some(nota) = notas::holding(conn, series, first, last).await? {
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message(format!(
                    "O número {} da série {} é de uma nota {}.",
                    nota.numero,
                    series.serie,
                    nota.status.in_words()
                ))
                .nota(nota.id),
        ));
    }
    Ok(())
}
