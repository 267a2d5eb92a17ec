//! Answers of calls that register an event of a note, and of calls that ask the
//! authority about a note.

use super::found::{Achado, AchadoNaSefaz, EventoNaSefaz};
use super::outcome::Resultado;
use super::product::{Nfce, Nfe};
use super::record::{Registrada, Registro, filled, read, registrada};
use super::service::Nfse;
use super::success::{Custo, Success};
use super::{Told, told};
use crate::model::Modelo;
use schemars::JsonSchema;
use serde::Serialize;
use store::DbResult;
use store::ids::EventoId;
use store::tables::eventos::{EventoRow, EventoStatus, EventoTipo};
use store::tables::notas::NotaRow;

// A note of ours, and what was done to it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotaComEvento<N, E> {
    #[serde(flatten)]
    nota: N,
    evento: E,
    evento_id: EventoId,
    #[serde(flatten)]
    custo: Custo,
}

/// The same, of a note of one model in whatever state.
pub type ComEvento<D, E> = NotaComEvento<Registrada<D>, E>;
/// The answer of a question about a service note.
pub type NfseVista = NotaComEvento<Vista<Registrada<Nfse>, Achado>, ConsultaDeNfse>;
/// The answer of a question about a product note.
pub type ProdutoVisto<D> = NotaComEvento<Vista<Registrada<D>, Visto>, ConsultaNaSefaz>;

// A note, and what the authority says of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Vista<N, A> {
    #[serde(flatten)]
    nota: N,
    #[serde(flatten)]
    achado: A,
}

// What a SEFAZ says of a note, beside the members that the note has itself.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Visto {
    #[serde(flatten)]
    achado: Achado,
    /// Os eventos da nota que a SEFAZ mostra.
    #[serde(skip_serializing_if = "Option::is_none")]
    eventos: Option<Vec<EventoNaSefaz>>,
}

/// Um evento ou uma consulta de uma nota.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventoPedido {
    tipo: EventoTipo,
    status: EventoStatus,
    protocolo: Option<String>,
}

impl From<&EventoRow> for EventoPedido {
    fn from(evento: &EventoRow) -> EventoPedido {
        EventoPedido {
            tipo: evento.tipo,
            status: evento.status,
            protocolo: filled(&evento.protocolo),
        }
    }
}

/// O cancelamento de uma NFS-e.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CancelamentoDeNfse {
    #[serde(flatten)]
    evento: EventoPedido,
    /// Quando a autoridade o registrou, se ela o informou.
    registrado_em: Option<String>,
}

/// A consulta de uma NFS-e.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConsultaDeNfse {
    #[serde(flatten)]
    evento: EventoPedido,
    #[serde(flatten)]
    achado: Achado,
}

/// A consulta de uma NF-e ou NFC-e.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConsultaNaSefaz {
    #[serde(flatten)]
    evento: EventoPedido,
    #[serde(flatten)]
    achado: AchadoNaSefaz,
}

/// Um evento enviado à SEFAZ, ainda sem resultado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventoTransmitido {
    #[serde(flatten)]
    evento: EventoPedido,
    /// Código do tipo (tpEvento).
    codigo: String,
    sequencia: i64,
}

impl From<&EventoRow> for EventoTransmitido {
    fn from(evento: &EventoRow) -> EventoTransmitido {
        EventoTransmitido {
            evento: evento.into(),
            codigo: evento.codigo.clone(),
            sequencia: evento.sequencia,
        }
    }
}

/// Um evento registrado pela SEFAZ.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventoRegistrado {
    #[serde(flatten)]
    evento: EventoTransmitido,
    #[serde(flatten)]
    registro: RegistroNaSefaz,
    links: LinksDoEvento,
}

// What a SEFAZ says of what it registered.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RegistroNaSefaz {
    registrado_em: Option<String>,
    /// Código (cStat) da resposta.
    status_sefaz: Option<String>,
    /// Texto (xMotivo) da resposta.
    mensagem_sefaz: Option<String>,
}

impl RegistroNaSefaz {
    pub(super) fn of(evento: &EventoRow) -> DbResult<RegistroNaSefaz> {
        let said = Resultado::of(evento)?;
        Ok(RegistroNaSefaz {
            registrado_em: said.registrado_em,
            status_sefaz: said.status_sefaz,
            mensagem_sefaz: said.mensagem_sefaz,
        })
    }
}

/// Onde se baixa o evento.
#[derive(Debug, Serialize, JsonSchema)]
struct LinksDoEvento {
    xml: String,
    /// A carta de correção, impressa.
    #[serde(skip_serializing_if = "Option::is_none")]
    danfe: Option<String>,
}

impl LinksDoEvento {
    fn of(evento: &EventoRow) -> LinksDoEvento {
        let link = |what: &str| {
            let (nota, id) = (evento.nota_id.as_str(), &evento.id);
            format!("/api/v1/documentos/{nota}/{what}?formato=binario&evento={id}")
        };
        LinksDoEvento {
            xml: link("xml"),
            danfe: (evento.tipo == EventoTipo::Cce).then(|| link("danfe")),
        }
    }
}

/// The answer of an event or question about a note.
///
/// # Errors
/// What is stored cannot be read.
pub fn event(nota: &NotaRow, evento: &EventoRow, saldo: i64) -> DbResult<Told> {
    match nota.modelo {
        Modelo::Nfse => of_service(nota, evento, saldo),
        Modelo::Nfe => of_product::<Nfe>(nota, evento, saldo),
        Modelo::Nfce => of_product::<Nfce>(nota, evento, saldo),
    }
}

/// Whether the event is still in transmission: its outcome is not known yet.
pub(super) fn open(evento: &EventoRow) -> bool {
    evento.status == EventoStatus::EmTransmissao
}

fn of_service(nota: &NotaRow, evento: &EventoRow, saldo: i64) -> DbResult<Told> {
    let record = registrada::<Nfse>(nota)?;
    if open(evento) {
        return finished(record, EventoPedido::from(evento), evento, saldo);
    }
    if evento.tipo == EventoTipo::Consulta {
        let achado: Achado = read(&evento.resultado)?;
        let shown = ConsultaDeNfse {
            evento: evento.into(),
            achado: achado.clone(),
        };
        let nota = Vista {
            nota: record,
            achado,
        };
        return finished(nota, shown, evento, saldo);
    }
    let shown = CancelamentoDeNfse {
        evento: evento.into(),
        registrado_em: Resultado::of(evento)?.registrado_em,
    };
    finished(record, shown, evento, saldo)
}

fn of_product<D: Produto>(nota: &NotaRow, evento: &EventoRow, saldo: i64) -> DbResult<Told> {
    let mut record = registrada::<D>(nota)?;
    if evento.tipo == EventoTipo::Consulta {
        if open(evento) {
            return finished(record, EventoPedido::from(evento), evento, saldo);
        }
        let achado: AchadoNaSefaz = read(&evento.resultado)?;
        // The answer's words stand above those of the last one before.
        record.dados.says(&achado);
        let nota = Vista {
            nota: record,
            achado: Visto {
                achado: achado.achado.clone(),
                eventos: achado.eventos.clone(),
            },
        };
        let shown = ConsultaNaSefaz {
            evento: evento.into(),
            achado,
        };
        return finished(nota, shown, evento, saldo);
    }
    if open(evento) {
        return finished(record, EventoTransmitido::from(evento), evento, saldo);
    }
    let shown = EventoRegistrado {
        evento: evento.into(),
        registro: RegistroNaSefaz::of(evento)?,
        links: LinksDoEvento::of(evento),
    };
    finished(record, shown, evento, saldo)
}

/// A product note's record, as an answer corrects it.
trait Produto: Registro {
    fn nfe(&mut self) -> &mut Nfe;

    fn says(&mut self, achado: &AchadoNaSefaz) {
        let nfe = self.nfe();
        if achado.status_sefaz.is_some() {
            nfe.status_sefaz.clone_from(&achado.status_sefaz);
            nfe.mensagem_sefaz.clone_from(&achado.mensagem_sefaz);
        }
    }
}

impl Produto for Nfe {
    fn nfe(&mut self) -> &mut Nfe {
        self
    }
}

impl Produto for Nfce {
    fn nfe(&mut self) -> &mut Nfe {
        &mut self.nota
    }
}

fn finished<N: Serialize, E: Serialize>(
    nota: N,
    shown: E,
    evento: &EventoRow,
    saldo: i64,
) -> DbResult<Told> {
    let body = NotaComEvento {
        nota,
        evento: shown,
        evento_id: evento.id.clone(),
        custo: custo(evento, saldo),
    };
    told(status(evento), Success::new(body, &evento.request_id))
}

pub(super) fn status(evento: &EventoRow) -> u16 {
    if open(evento) { 202 } else { 200 }
}

pub(super) fn custo(evento: &EventoRow, saldo: i64) -> Custo {
    let reserved = if open(evento) { evento.preco } else { 0 };
    let registered = evento.status == EventoStatus::Registrado;
    let charged = if registered { evento.preco } else { 0 };
    Custo::new(false, reserved, charged, saldo)
}
