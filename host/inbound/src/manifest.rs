//! What a company says of a note issued against it: events 210200, 210210,
//! 210220 and 210240, registered by the national environment.

use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use base::when;
use fiscal::nfe::event::{
    Contexto, Evento, Manifestacao, assemble, manifestacao, nome_do_layout, pre_validar,
};
use issuing::Issuing;
use issuing::actions::event::{novo, rumo};
use issuing::actions::query;
use issuing::actions::without_note::{self, Documento, SemNota};
use issuing::document::layout::write;
use issuing::document::product;
use issuing::emitters::profile::Perfil;
use issuing::issue::Answer;
use issuing::model::{Ambiente, Modelo};
use issuing::route;
use issuing::settle::manifestation::manifestada;
use markup::field::Campo;
use markup::ids::chave::Chave;
use serde_json::json;
use store::tables::emitters;
use store::tables::emitters::EmitterRow;
use store::tables::eventos::{self, EventoRow, EventoStatus, EventoTipo};
use store::tables::flows::FlowOperation;
use store::tables::idempotency::Scope;
use store::tables::recebidas::{RecebidaRow, RecebidaSituacao};
use store::{Conn, DbResult, Present as _, TxError};

/// Conclusive manifestations the authority takes for one note: the first and
/// one change (Ajuste SINIEF 7/2005, clause 15-B; second-hand).
const CONCLUSIVAS: usize = 2;

/// A manifestation somebody wants registered.
pub struct ManifestOrder {
    pub caller: Caller,
    pub recebida: RecebidaRow,
    pub tipo: Manifestacao,
    pub justificativa: Option<String>,
    /// Operation id, for the ledger.
    pub operation: String,
    pub preco: i64,
    pub idempotency: Option<(Scope, String)>,
}

/// What the first transaction looks at.
struct Alvo {
    recebida: RecebidaRow,
    tipo: Manifestacao,
}

/// Checks, signs, sends; the bool says that an earlier answer was repeated.
///
/// # Errors
/// What the note's state does not allow, everything to correct, no credit,
/// or what the authority refuses.
pub async fn manifestar(app: &Issuing, pedido: ManifestOrder) -> Result<Answer, Failure> {
    if let Some(answer) = query::repeated(app, pedido.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let recebida = pedido.recebida;
    let mut conn = app.db.read().await?;
    let emitter = emitters::get(&mut conn, &recebida.account_id, &recebida.emitter_id)
        .await?
        .present("company of a received note", &recebida.id)?;
    let said = of(&mut conn, &recebida).await?;
    drop(conn);
    let tipo = pedido.tipo;
    let codigo = tipo.codigo();
    let of_kind = said.iter().filter(|evento| evento.codigo == codigo);
    let last = of_kind.map(|evento| evento.sequencia).max().unwrap_or(0);
    let detalhes = json!({
        "manifestacao": manifestada(codigo), "justificativa": pedido.justificativa,
    });
    let evento = evento(
        app,
        &emitter,
        &recebida,
        tipo,
        pedido.justificativa,
        last + 1,
    )?;
    let ambiente = recebida.ambiente;
    let chave = evento.chave;
    let rumo = rumo(
        app,
        &emitter,
        chave.sigla_uf(),
        Modelo::Nfe,
        evento.tipo.receptor,
        ambiente,
    )
    .await?;
    let arvore = assemble(&evento).map_err(corrigir)?;
    let conteudo = json!({
        "tipo_evento": codigo, "chave": recebida.chave, "sequencia": evento.sequencia, "versao": evento.tipo.versao,
        "orgao": evento.orgao().parse::<u8>().unwrap_or(0), "id_lote": product::id_lote(app.now_ms()),
    });
    let pedido = SemNota {
        caller: pedido.caller,
        tipo: EventoTipo::Manifestacao,
        operacao: FlowOperation::Evento,
        conteudo: conteudo.to_string(),
        documento: Documento {
            xml: write(&nome_do_layout(evento.tipo), &arvore)?,
            chave: recebida.chave.clone(),
            codigo: codigo.to_owned(),
            sequencia: i64::from(evento.sequencia),
            detalhes: detalhes.to_string(),
        },
        emitter_id: emitter.id,
        ambiente,
        rumo,
        operation: pedido.operation,
        preco: pedido.preco,
        idempotency: pedido.idempotency,
    };
    let alvo = Alvo { recebida, tipo };
    without_note::registrar(app, pedido, alvo, |alvo, _, conn| {
        Box::pin(async move {
            let said = of(conn, &alvo.recebida).await?;
            permitida(&alvo.recebida, alvo.tipo, &said).map_err(|refusal| TxError::Abort(*refusal))
        })
    })
    .await
}

/// What was said of a note, or is being said.
async fn of(conn: &mut Conn, recebida: &RecebidaRow) -> DbResult<Vec<EventoRow>> {
    eventos::of_chave(
        conn,
        &recebida.emitter_id,
        recebida.ambiente,
        &recebida.chave,
        EventoTipo::Manifestacao,
    )
    .await
}

/// The event as it will be signed.
fn evento(
    app: &Issuing,
    emitter: &EmitterRow,
    recebida: &RecebidaRow,
    tipo: Manifestacao,
    justificativa: Option<String>,
    sequencia: i64,
) -> Result<Evento, Failure> {
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let registry = app.registry.load();
    let uf = route::uf(&registry, perfil.municipio().unwrap_or_default());
    let agora = when::local(app.now_ms(), uf);
    let chave = Chave::parse(&recebida.chave)
        .map_err(|error| anyhow::anyhow!("stored key of a received note: {error}"))?;
    let (tipo, dados) = manifestacao(tipo, justificativa.as_deref())
        .ok_or_else(|| anyhow::anyhow!("event of a manifestation"))?;
    let sequencia = u32::try_from(sequencia).unwrap_or(u32::MAX);
    let contexto = Contexto {
        chave: Some(&chave),
        sequencia: Some(sequencia),
        // The moment of authorization is not in a summary's row; that of
        // emission is earlier by minutes.
        autorizada_em: when::parse(&recebida.emitida_em),
        agora: Some(agora),
        ..Contexto::default()
    };
    let wrong = pre_validar(tipo, &dados, &contexto);
    if !wrong.is_empty() {
        return Err(corrigir(wrong).into());
    }
    let producao = recebida.ambiente == Ambiente::Producao;
    Ok(novo(
        emitter, tipo, chave, sequencia, producao, agora, dados,
    )?)
}

/// Everything to correct, by the names of this request.
fn corrigir(campos: Vec<Campo>) -> Refusal {
    let rename = |mut campo: Campo| {
        campo.campo = match campo.campo.as_str() {
            "ref" => "chave".to_owned(),
            "tipo_evento" => "tipo".to_owned(),
            other => other.strip_prefix("dados.").unwrap_or(other).to_owned(),
        };
        campo
    };
    Refusal::fields(campos.into_iter().map(rename).collect())
        .message("A manifestação tem pontos a corrigir.")
}

/// What the authority would certainly refuse (rejections 594, 650, 651 and
/// 655 of the MOC's annex); the rest is for it to decide.
fn permitida(
    recebida: &RecebidaRow,
    tipo: Manifestacao,
    said: &[EventoRow],
) -> Result<(), Box<Refusal>> {
    let no = |text: &str| Err(Box::new(Refusal::new(Code::EstadoInvalido).message(text)));
    let last = said.iter().rev().find(|evento| conclusiva(&evento.codigo));
    let conclusivas = said
        .iter()
        .filter(|evento| conclusiva(&evento.codigo))
        .count();
    let ciencia = tipo == Manifestacao::Ciencia;
    if said
        .iter()
        .any(|evento| evento.status == EventoStatus::EmTransmissao)
    {
        return no("Outra manifestação desta nota ainda não teve resultado.");
    }
    if recebida.situacao == RecebidaSituacao::Cancelada
        && (ciencia || tipo == Manifestacao::Desconhecimento)
    {
        return no("A nota está cancelada: não aceita ciência nem desconhecimento.");
    }
    if ciencia && conclusivas > 0 {
        return no("A nota já tem manifestação conclusiva: a ciência não cabe mais.");
    }
    if ciencia && !said.is_empty() {
        return no("A ciência desta nota já está registrada.");
    }
    if last.is_some_and(|last| last.codigo == tipo.codigo()) {
        return no("Esta manifestação já está registrada.");
    }
    if conclusivas >= CONCLUSIVAS {
        return no("A manifestação conclusiva só pode ser alterada uma vez, e já foi.");
    }
    Ok(())
}

fn conclusiva(codigo: &str) -> bool {
    matches!(codigo, "210200" | "210220" | "210240")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(codigos: &[&str]) -> Vec<EventoRow> {
        let row = |codigo: &&str| EventoRow {
            codigo: (*codigo).to_owned(),
            status: EventoStatus::Registrado,
            ..EventoRow::default()
        };
        codigos.iter().map(row).collect()
    }

    #[test]
    fn a_conclusive_word_changes_once_and_awareness_comes_first() {
        use Manifestacao::{Ciencia, Confirmacao, Desconhecimento, NaoRealizada};
        use RecebidaSituacao::{Autorizada, Cancelada};
        for (situacao, before, tipo, ok) in [
            (Autorizada, &[][..], Ciencia, true),
            (Autorizada, &[], Confirmacao, true),
            (Autorizada, &["210210"], Ciencia, false),
            (Autorizada, &["210210"], Confirmacao, true),
            (Autorizada, &["210200"], Ciencia, false),
            (Autorizada, &["210200"], Confirmacao, false),
            (Autorizada, &["210210", "210200"], Desconhecimento, true),
            (Autorizada, &["210200", "210220"], NaoRealizada, false),
            (Autorizada, &["210200", "210220"], Confirmacao, false),
            (Cancelada, &[], Ciencia, false),
            (Cancelada, &[], Desconhecimento, false),
            (Cancelada, &[], NaoRealizada, true),
        ] {
            let row = RecebidaRow {
                situacao,
                ..RecebidaRow::default()
            };
            let allowed = permitida(&row, tipo, &said(before)).is_ok();
            assert_eq!(allowed, ok, "{situacao} {before:?} {tipo:?}");
        }
    }
}
