//! A webhook as the API shows it, and what a body may say about one.

use base::when;
use events::attempt::sealed::Sealed;
use events::dispatch::UNREADABLE;
use events::webhooks::registration::{MASK, Wish};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::ids::{EmitterId, WebhookId};
use store::tables::webhooks::WebhookRow;

/// Os campos ausentes ficam como estão; um webhook novo precisa de `url`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WebhookIn {
    /// Endereço https que recebe os eventos.
    #[schemars(length(min = 1, max = 2048))]
    url: Option<String>,
    /// Tipos de evento, `familia.*` ou `*`. Vazio: os 14 tipos padrão, que são os de
    /// `nfe.*`, `nfce.*` e `nfse.*`, `dfe.recebida`, `cte.autorizado` e
    /// `cte.rejeitado`; os outros só são entregues a quem os pede pelo nome.
    #[schemars(length(max = 50))]
    eventos: Option<Vec<String>>,
    /// Só os eventos destes emitentes; vazio: todos.
    #[schemars(length(max = 100))]
    emitente_ids: Option<Vec<EmitterId>>,
    #[schemars(length(max = 200))]
    descricao: Option<String>,
    /// Cabeçalhos enviados em cada entrega. As respostas mostram `***` no lugar
    /// de cada valor; enviado de volta, `***` mantém o valor guardado, desde que
    /// o webhook não mude de servidor.
    cabecalhos: Option<BTreeMap<String, String>>,
    ativo: Option<bool>,
}

impl From<WebhookIn> for Wish {
    fn from(body: WebhookIn) -> Wish {
        Wish {
            url: body.url,
            eventos: body.eventos,
            emitter_ids: body.emitente_ids,
            description: body.descricao,
            headers: body.cabecalhos,
            active: body.ativo,
        }
    }
}

/// Um webhook, sem o segredo.
#[derive(Serialize, JsonSchema)]
pub struct Webhook {
    id: WebhookId,
    url: String,
    /// Tipos de evento, `familia.*` ou `*`. Vazio: os 14 tipos padrão, que são os de
    /// `nfe.*`, `nfce.*` e `nfse.*`, `dfe.recebida`, `cte.autorizado` e
    /// `cte.rejeitado`; os outros só são entregues a quem os pede pelo nome.
    eventos: Vec<String>,
    /// Só os eventos destes emitentes; vazio: todos.
    emitente_ids: Vec<EmitterId>,
    descricao: String,
    /// Cabeçalhos enviados em cada entrega; `***` está no lugar de cada valor.
    cabecalhos: BTreeMap<String, &'static str>,
    ativo: bool,
    /// Por que não está ativo. Se as escolhas guardadas não puderam ser lidas, as
    /// duas listas estão vazias, e nada é entregue.
    motivo_desativado: Option<String>,
    /// Entregas que falharam desde a última aceita.
    falhas_seguidas: i64,
    /// Nada é entregue antes deste momento.
    em_pausa_ate: Option<String>,
    /// Até quando o segredo anterior também assina.
    segredo_anterior_ate: Option<String>,
    criado_em: String,
    atualizado_em: String,
}

/// Um webhook mudado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookMudado")]
pub struct ChangedWebhook {
    #[serde(flatten)]
    pub webhook: Webhook,
    /// O que convém saber.
    pub avisos: Vec<String>,
}

/// Um webhook e o seu segredo, que só aparece nesta resposta.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookComSegredo")]
pub struct WebhookWithSecret {
    #[serde(flatten)]
    pub mudado: ChangedWebhook,
    /// Com que se conferem as assinaturas.
    pub segredo: String,
}

impl Webhook {
    /// Without its secret and without the values of its headers, which may be
    /// secrets of the receiver.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn of(
        row: &WebhookRow,
        sealed: &Sealed,
        now_ms: i64,
    ) -> Result<Webhook, serde_json::Error> {
        let until = |ms: i64| (ms > now_ms).then(|| when::rfc3339(ms));
        let names = sealed.cabecalhos.keys();
        Ok(Webhook {
            id: row.id.clone(),
            url: row.url.clone(),
            eventos: choices(&row.eventos, row)?,
            emitente_ids: choices(&row.emitente_ids, row)?,
            descricao: row.descricao.clone(),
            cabecalhos: names.map(|name| (name.clone(), MASK)).collect(),
            ativo: row.ativo == 1,
            motivo_desativado: Some(row.motivo.clone()).filter(|reason| !reason.is_empty()),
            falhas_seguidas: row.failures,
            em_pausa_ate: until(row.cool_until_ms),
            segredo_anterior_ate: until(row.anterior_ate_ms),
            criado_em: when::rfc3339(row.created_at_ms),
            atualizado_em: when::rfc3339(row.updated_at_ms),
        })
    }
}

/// Choices of a webhook. Of one that was turned off because they cannot be
/// read its owner sees none, and why it is off; of any other they must be there.
fn choices<T: DeserializeOwned>(
    stored: &str,
    row: &WebhookRow,
) -> Result<Vec<T>, serde_json::Error> {
    match serde_json::from_str(stored) {
        Err(error) if row.ativo == 0 && row.motivo == UNREADABLE => {
            tracing::error!(webhook.id = %row.id, %error, "choices of a webhook cannot be shown");
            Ok(Vec::new())
        }
        read => read,
    }
}
