//! The records of a CT-e and of an MDF-e.

use super::product::{NfeState, NoResult, NotaNotice, state, wait};
use super::record::{Header, OtherParty, Record, amount, filled};
use crate::document::product::{Announcement, Details, TransportDetails};
use base::when;
use freight::cte::order::{Modal, Tipo};
use freight::mdfe;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use store::ids::NotaId;
use store::tables::notas::NotaRow;
use store::{DbResult, Readable as _};
use time::Duration;

/// Um CT-e.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Cte {
    #[serde(flatten)]
    cabecalho: Header,
    serie: Option<i64>,
    /// `null` enquanto é um rascunho, que não toma número, salvo em contingência.
    numero: Option<i64>,
    chave: Option<String>,
    tipo: Option<Tipo>,
    modal: Option<Modal>,
    cfop: Option<String>,
    natureza_operacao: Option<String>,
    data_emissao: Option<String>,
    /// Código IBGE do início da prestação; 9999999: exterior.
    municipio_inicio: Option<String>,
    /// Código IBGE do término da prestação; 9999999: exterior.
    municipio_fim: Option<String>,
    /// Valor total da prestação, em R$.
    valor_total: Option<Number>,
    /// Valor a receber, em R$.
    valor_receber: Option<Number>,
    /// ICMS da prestação, em R$.
    valor_icms: Option<Number>,
    /// Quem paga o transporte.
    tomador: OtherParty,
    /// A SEFAZ que o autoriza.
    autorizador: Option<String>,
    protocolo: Option<String>,
    autorizada_em: Option<String>,
    /// Código (cStat) da última resposta da SEFAZ sobre o documento.
    pub(super) status_sefaz: Option<String>,
    /// Texto (xMotivo) da última resposta da SEFAZ sobre o documento.
    pub(super) mensagem_sefaz: Option<String>,
    /// O texto do QR Code.
    qr_code: Option<String>,
    /// A emissão prévia em contingência (EPEC), se houve.
    epec: Option<Epec>,
    /// O que convém saber, embora nada esteja errado.
    avisos: Vec<NotaNotice>,
}

/// A emissão prévia de um CT-e em contingência.
#[derive(Debug, Serialize, JsonSchema)]
struct Epec {
    protocolo: String,
    registrado_em: String,
    /// Até quando o CT-e deve ser transmitido (168 horas).
    transmitir_ate: Option<String>,
}

impl From<&Announcement> for Epec {
    fn from(announcement: &Announcement) -> Epec {
        let registered = when::parse(&announcement.registrado_em);
        let until = registered.map(|at| at + SEND_WITHIN);
        Epec {
            protocolo: announcement.protocolo.clone(),
            registrado_em: announcement.registrado_em.clone(),
            transmitir_ate: until.map(when::format),
        }
    }
}

/// How long an announced CT-e may wait for its transmission (MOC CT-e 4.00, 6.1).
const SEND_WITHIN: Duration = Duration::hours(168);

// Addresses of a CT-e's files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArquivosCte {
    xml: String,
    dacte: String,
}

impl Record for Cte {
    type Wait = NoResult;
    type State = NfeState;
    type Arquivos = ArquivosCte;

    fn of(nota: &NotaRow) -> DbResult<Cte> {
        let details = Details::of(nota)?;
        let epec = details.announcement().map(Epec::from);
        let own: TransportDetails = details.transporte.unwrap_or_default();
        let notices = details.avisos.iter().flatten();
        Ok(Cte {
            epec,
            cabecalho: nota.into(),
            serie: serie(nota)?,
            numero: Some(nota.numero).filter(|number| *number > 0),
            chave: filled(&nota.chave),
            tipo: Tipo::parse(&own.tipo),
            modal: Modal::parse(&own.modal),
            cfop: filled(&own.cfop),
            natureza_operacao: filled(&details.natureza_operacao),
            data_emissao: filled(&details.data_emissao),
            municipio_inicio: filled(&own.municipio_inicio),
            municipio_fim: filled(&own.municipio_fim),
            valor_total: amount(&nota.valor)?,
            valor_receber: amount(&own.receber)?,
            valor_icms: amount(&own.icms)?,
            tomador: nota.into(),
            autorizador: filled(&nota.sistema),
            protocolo: filled(&nota.protocolo),
            autorizada_em: filled(&nota.autorizada_em),
            status_sefaz: filled(&details.status_sefaz),
            mensagem_sefaz: filled(&details.mensagem_sefaz),
            qr_code: filled(&details.qr_code),
            avisos: notices.map(NotaNotice::from).collect(),
        })
    }

    fn wait(nota: &NotaRow) -> DbResult<NoResult> {
        wait(nota)
    }

    fn state(nota: &NotaRow) -> DbResult<NfeState> {
        state(nota)
    }

    fn arquivos(id: &NotaId) -> ArquivosCte {
        let link = |kind| format!("/api/v1/cte/{id}/{kind}");
        ArquivosCte {
            xml: link("xml"),
            dacte: link("dacte"),
        }
    }
}

/// Um MDF-e.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mdfe {
    #[serde(flatten)]
    cabecalho: Header,
    serie: Option<i64>,
    /// `null` enquanto é um rascunho, que não toma número.
    numero: Option<i64>,
    chave: Option<String>,
    tipo_emitente: Option<mdfe::order::TipoEmitente>,
    modal: Option<mdfe::order::Modal>,
    data_emissao: Option<String>,
    /// Sigla da UF de carregamento; EX no exterior.
    uf_inicio: Option<String>,
    /// Sigla da UF de descarregamento; EX no exterior.
    uf_fim: Option<String>,
    /// Placa do veículo de tração.
    placa: Option<String>,
    /// Quantos documentos o MDF-e leva.
    documentos: u64,
    /// Valor da carga, em R$.
    valor_carga: Option<Number>,
    /// A SEFAZ que o autoriza.
    autorizador: Option<String>,
    protocolo: Option<String>,
    autorizada_em: Option<String>,
    /// Quando o encerramento foi registrado; `null` enquanto o transporte segue.
    encerrado_em: Option<String>,
    /// Código (cStat) da última resposta da SEFAZ sobre o documento.
    pub(super) status_sefaz: Option<String>,
    /// Texto (xMotivo) da última resposta da SEFAZ sobre o documento.
    pub(super) mensagem_sefaz: Option<String>,
    /// O texto do QR Code.
    qr_code: Option<String>,
    /// O que convém saber, embora nada esteja errado.
    avisos: Vec<NotaNotice>,
}

// Addresses of an MDF-e's files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ArquivosMdfe {
    xml: String,
    damdfe: String,
}

impl Record for Mdfe {
    type Wait = NoResult;
    type State = NfeState;
    type Arquivos = ArquivosMdfe;

    fn of(nota: &NotaRow) -> DbResult<Mdfe> {
        let details = Details::of(nota)?;
        let own: TransportDetails = details.transporte.unwrap_or_default();
        let notices = details.avisos.iter().flatten();
        Ok(Mdfe {
            cabecalho: nota.into(),
            serie: serie(nota)?,
            numero: Some(nota.numero).filter(|number| *number > 0),
            chave: filled(&nota.chave),
            tipo_emitente: mdfe::order::TipoEmitente::parse(&own.tipo),
            modal: mdfe::order::Modal::parse(&own.modal),
            data_emissao: filled(&details.data_emissao),
            uf_inicio: filled(&own.uf_inicio),
            uf_fim: filled(&own.uf_fim),
            placa: filled(&own.placa),
            documentos: own.documentos,
            valor_carga: amount(&nota.valor)?,
            autorizador: filled(&nota.sistema),
            protocolo: filled(&nota.protocolo),
            autorizada_em: filled(&nota.autorizada_em),
            encerrado_em: filled(&own.encerrado_em),
            status_sefaz: filled(&details.status_sefaz),
            mensagem_sefaz: filled(&details.mensagem_sefaz),
            qr_code: filled(&details.qr_code),
            avisos: notices.map(NotaNotice::from).collect(),
        })
    }

    fn wait(nota: &NotaRow) -> DbResult<NoResult> {
        wait(nota)
    }

    fn state(nota: &NotaRow) -> DbResult<NfeState> {
        state(nota)
    }

    fn arquivos(id: &NotaId) -> ArquivosMdfe {
        let link = |format| format!("/api/v1/mdfe/{id}/documento?formato={format}");
        ArquivosMdfe {
            xml: link("xml"),
            damdfe: link("pdf"),
        }
    }
}

/// The series of a document of a SEFAZ.
fn serie(nota: &NotaRow) -> DbResult<Option<i64>> {
    match nota.serie.as_str() {
        "" => Ok(None),
        serie => serie
            .parse()
            .readable("series of a note", &nota.id)
            .map(Some),
    }
}
