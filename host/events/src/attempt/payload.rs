//! What happened, by the kind of event: what the document says of `dados`.
//! Events are stored as JSON by whoever made them happen; tests hold real
//! deliveries against these types.

use issuing::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use store::ids::{EmitterId, EventoId, NotaId, RecebidaId};
use store::tables::notas::NotaStatus;

/// O que aconteceu; a forma segue o tipo do evento.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "DadosDoEvento")]
pub enum Data {
    Nota(NotaEvento),
    Faixa(RangeEvent),
    Recebida(ReceivedNotaEvent),
    Certificado(CertificadoEvento),
    Saldo(BalanceEvent),
    Lacuna(GapEvent),
    Cobertura(CoberturaEvento),
}

/// O que houve com uma nota.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotaEvento {
    /// O id da nota.
    // Not stored: the envelope says it, of events of older versions too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required)]
    pub id: Option<NotaId>,
    /// O mesmo que `id`.
    pub nota_id: NotaId,
    /// A referencia dada na emissão.
    pub referencia: Option<String>,
    /// Chave de acesso; null enquanto não há.
    pub chave: Option<String>,
    /// O estado da nota quando o evento aconteceu.
    pub status: String,
    pub serie: SerieDoEvento,
    /// Número da nota; na NFS-e, o do RPS ou da DPS.
    pub numero: i64,
    /// Número da NFS-e; null enquanto não há e nos outros modelos.
    pub numero_nfse: Option<String>,
    /// Protocolo da autoridade; null enquanto não há.
    pub protocolo: Option<String>,
    /// Valor da nota.
    pub valor_total: Option<f64>,
    /// O que a autoridade disse, se recusou.
    pub rejeicao: Option<EventRejection>,
    pub creditos: CreditosDoEvento,
    /// true: a autoridade é simulada.
    pub simulada: bool,
    // Not stored: where this hub is may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required)]
    pub links: Option<NotaLinks>,
}

/// Na NF-e e na NFC-e um número, na NFS-e um texto.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SerieDoEvento {
    Numero(i64),
    Texto(String),
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RejeicaoDoEvento")]
pub struct EventRejection {
    /// Quem recusou.
    pub origem: String,
    /// O código da autoridade.
    pub codigo: String,
    /// O texto da autoridade.
    pub motivo: String,
    /// O que fazer; pode ser vazio.
    pub correcao: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CreditosDoEvento {
    /// Créditos que a nota custou.
    pub debitado: i64,
}

/// Onde está a nota; o que ainda não existe não tem endereço.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinksDaNota")]
pub struct NotaLinks {
    /// O registro da nota.
    documento: String,
    /// O XML, da nota autorizada.
    #[serde(skip_serializing_if = "Option::is_none")]
    xml: Option<String>,
    /// O DANFE, da NF-e e da NFC-e autorizadas.
    #[serde(skip_serializing_if = "Option::is_none")]
    danfe: Option<String>,
    /// O DACTE, do CT-e autorizado.
    #[serde(skip_serializing_if = "Option::is_none")]
    dacte: Option<String>,
    /// O DAMDFE, do MDF-e autorizado.
    #[serde(skip_serializing_if = "Option::is_none")]
    damdfe: Option<String>,
    /// O PDF, da NFS-e autorizada.
    #[serde(skip_serializing_if = "Option::is_none")]
    pdf: Option<String>,
}

impl NotaLinks {
    /// The addresses of a note at this hub; each model has one of the prints,
    /// and a note that the authority does not have has neither print nor XML.
    pub fn of(nota_id: &NotaId, status: Option<NotaStatus>, base_url: &str) -> NotaLinks {
        let at = format!("{base_url}/api/v1/documentos/{nota_id}");
        let is = |model: Model| {
            let prefix = nota_id.split_once('_').map(|(prefix, _)| prefix);
            prefix == Some(model.prefix())
        };
        let exists = match status {
            Some(NotaStatus::Authorized | NotaStatus::Validated | NotaStatus::Cancelled) => true,
            Some(
                NotaStatus::Draft
                | NotaStatus::InTransmission
                | NotaStatus::PendingCity
                | NotaStatus::Rejected
                | NotaStatus::NotSent,
            )
            | None => false,
        };
        let pdf = || format!("{base_url}/api/v1/nfse/{nota_id}/documento?formato=pdf");
        NotaLinks {
            xml: exists.then(|| format!("{at}/xml")),
            danfe: (exists && is(Model::Nfe)).then(|| format!("{at}/danfe")),
            dacte: (exists && is(Model::Cte))
                .then(|| format!("{base_url}/api/v1/cte/{nota_id}/dacte")),
            damdfe: (exists && is(Model::Mdfe))
                .then(|| format!("{base_url}/api/v1/mdfe/{nota_id}/documento")),
            pdf: (exists && is(Model::Nfse)).then(pdf),
            documento: at,
        }
    }
}

/// Uma inutilização.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FaixaEvento")]
pub struct RangeEvent {
    /// O id da inutilização.
    // Not stored, as that of a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required)]
    pub id: Option<EventoId>,
    /// O mesmo que `id`.
    pub evento_id: EventoId,
    pub faixa: VoidedRange,
    /// Protocolo da autoridade.
    pub protocolo: String,
}

/// Os números inutilizados.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FaixaDoEvento")]
pub struct VoidedRange {
    /// 55 ou 65.
    pub modelo: String,
    /// Dois algarismos.
    pub ano: i64,
    /// A série.
    pub serie: i64,
    /// O primeiro.
    pub numero_inicial: i64,
    /// O último.
    pub numero_final: i64,
    /// A justificativa enviada.
    pub justificativa: String,
}

/// Uma nota emitida contra o CNPJ de um emitente.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RecebidaEvento")]
pub struct ReceivedNotaEvent {
    /// O id da nota recebida.
    // Not stored, as that of a note.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(required)]
    pub id: Option<RecebidaId>,
    /// O mesmo que `id`.
    pub recebida_id: RecebidaId,
    /// O emitente desta conta contra quem a nota foi emitida.
    pub emitente_id: EmitterId,
    /// Ambiente da nota.
    pub ambiente: String,
    /// true: a autoridade é simulada.
    pub simulada: bool,
    /// Chave de acesso.
    pub chave: String,
    /// O NSU da distribuição.
    pub nsu: i64,
    /// false: só o resumo chegou.
    pub completa: bool,
    /// autorizada, denegada ou cancelada.
    pub situacao: String,
    pub emitente: ReceivedIssuer,
    /// Valor da nota.
    pub valor: Option<f64>,
    /// Quando foi emitida.
    pub emitida_em: Option<String>,
    /// Protocolo da autoridade.
    pub protocolo: Option<String>,
    /// A última manifestação registrada pelo hub.
    pub manifestacao: Option<String>,
    /// Quando o hub a recebeu.
    #[schemars(extend("format" = "date-time"))]
    pub recebida_em: String,
    pub links: ReceivedLinks,
}

/// Quem emitiu a nota.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmitenteDaRecebida")]
pub struct ReceivedIssuer {
    /// CPF ou CNPJ.
    pub cpf_cnpj: Option<String>,
    /// Nome ou razão social.
    pub nome: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinksDaRecebida")]
pub struct ReceivedLinks {
    /// O registro da nota, relativo a este endereço da API.
    pub recebida: String,
}

/// Um certificado vence, ou venceu.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CertificadoEvento {
    /// O emitente.
    pub emitente_id: EmitterId,
    /// O CNPJ do certificado.
    pub cnpj: String,
    /// Quando vence.
    #[schemars(extend("format" = "date-time"))]
    pub valido_ate: String,
    /// Dias que restam; 0: venceu.
    pub dias_restantes: i64,
}

/// O saldo chegou a um limiar.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SaldoEvento")]
pub struct BalanceEvent {
    /// Créditos que restam.
    pub saldo: i64,
    /// O limiar alcançado.
    pub limiar: i64,
}

/// Números ficaram sem nota.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LacunaEvento")]
pub struct GapEvent {
    /// O emitente.
    pub emitente_id: EmitterId,
    /// Ambiente da série.
    pub ambiente: String,
    /// 55 ou 65.
    pub modelo: String,
    /// A série.
    pub serie: String,
    /// O primeiro sem nota.
    pub numero_inicial: i64,
    /// O último sem nota.
    pub numero_final: i64,
    /// Desde quando.
    #[schemars(extend("format" = "date-time"))]
    pub livre_desde: String,
    /// O prazo para inutilizar, AAAA-MM-DD.
    pub inutilizar_ate: String,
}

/// O município de um emitente passou a emitir NFS-e de outro modo, ou o endereço
/// dele parou de responder ou voltou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CoberturaEvento {
    /// O emitente.
    pub emitente_id: EmitterId,
    /// Como o município emitia.
    pub antes: MunicipalityCoverage,
    /// Como o município emite.
    pub agora: MunicipalityCoverage,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CoberturaDoMunicipio")]
pub struct MunicipalityCoverage {
    /// O município.
    pub codigo_ibge: String,
    /// O seu nome.
    pub cidade: String,
    /// A sua UF.
    pub uf: String,
    /// O regime do emitente.
    pub regime: String,
    /// A resposta em palavras.
    pub resposta: String,
    /// A mesma como código.
    pub resposta_codigo: String,
    /// nacional ou municipal.
    pub via: Option<String>,
    /// O sistema do município.
    pub provedor: Option<String>,
    /// Desde quando o endereço de produção não responde; ausente: responde, ou
    /// ninguém mediu.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    pub fora_do_ar_desde: Option<String>,
}
