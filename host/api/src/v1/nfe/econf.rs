//! /api/v1/nfe/econf: payments linked to a note after it was issued (ECONF,
//! events 110750 and 110751).

use crate::gate::Call;
use crate::gate::error::ApiResult;
use crate::openapi::Docs;
use crate::v1::event::{Asked, read, send};
use crate::v1::product;
use crate::{Built, json};
use anyhow::Context as _;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::on;
use base::errors::Refusal;
use base::when;
use fiscal::nfe::event::econf::{Cartao, Pagamento, Vinculo, pode_desfazer, saldo};
use fiscal::nfe::event::{desfazer_econf, econf_de};
use fiscal::nfe::order::Forma;
use fiscal::nfse::Valor;
use issuing::answer::number;
use issuing::document::product::Detalhes;
use issuing::model::Modelo;
use markup::field::Campos;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json as value};
use std::str::FromStr as _;
use store::DbResult;
use store::tables::eventos::{self, EventoRow};
use store::tables::notas::NotaRow;

/// Payments of one event (NT 2024.002).
const PAGAMENTOS: usize = 100;

pub fn built() -> Vec<Built> {
    vec![
        Built {
            operation: "nfe.econf",
            route: |method| on(method, create),
            docs: Docs::new("Vincula à nota pagamentos feitos depois da emissão (evento 110750).")
                .body(schemars::schema_for!(EconfIn).to_value())
                .idempotent()
                .answers(&[(200, "Vínculo registrado."), (202, "Ainda sem resultado.")])
                .sends("Location", &[202]),
        },
        Built {
            operation: "nfe.econf.desfazer",
            route: |method| on(method, desfazer),
            docs: Docs::new("Desfaz o vínculo de pagamento mais antigo em vigor (evento 110751).")
                .body(schemars::schema_for!(DesfazerIn).to_value())
                .idempotent()
                .answers(&[(200, "Vínculo desfeito."), (202, "Ainda sem resultado.")])
                .sends("Location", &[202]),
        },
        Built {
            operation: "nfe.econf.get",
            route: |method| on(method, get),
            docs: Docs::new("Lista os pagamentos vinculados à nota e o valor que resta."),
        },
    ]
}

#[derive(Deserialize, JsonSchema)]
struct EconfIn {
    /// nota_id ou chave da nota.
    r#ref: String,
    pagamentos: Vec<PagamentoIn>,
}

#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
struct PagamentoIn {
    /// Palavra ou código da forma de pagamento (`pix`, `17`).
    forma: String,
    valor: Valor,
    /// `AAAA-MM-DD`.
    data: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    indicador: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    descricao: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cnpj_transacional: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uf_transacional: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cnpj_beneficiario: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uf_beneficiario: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cartao: Option<CartaoIn>,
}

#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default)]
struct CartaoIn {
    #[serde(skip_serializing_if = "Option::is_none")]
    cnpj_credenciadora: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bandeira: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    autorizacao: Option<String>,
}

impl PagamentoIn {
    fn pagamento(&self) -> Pagamento {
        let one = self.clone();
        Pagamento {
            // Words of the API, as in a note's own payments.
            forma: Forma::ler(&one.forma).map_or(one.forma, |forma| forma.codigo().to_owned()),
            valor: *one.valor,
            data: one.data,
            indicador: one.indicador,
            descricao: one.descricao,
            cnpj_transacional: one.cnpj_transacional,
            uf_transacional: one.uf_transacional,
            cnpj_beneficiario: one.cnpj_beneficiario,
            uf_beneficiario: one.uf_beneficiario,
            cartao: one.cartao.map(|cartao| Cartao {
                cnpj_credenciadora: cartao.cnpj_credenciadora,
                bandeira: cartao.bandeira,
                autorizacao: cartao.autorizacao,
                integrado: None,
            }),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct DesfazerIn {
    /// nota_id ou chave da nota.
    r#ref: String,
    /// Protocolo do vínculo a desfazer.
    protocolo: String,
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let (body, key): (EconfIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Modelo::Nfe).await?;
    let mut campos = Campos::default();
    if !(1..=PAGAMENTOS).contains(&body.pagamentos.len()) {
        campos.add(
            "pagamentos",
            "quantidade_invalida",
            format!("Informe de 1 a {PAGAMENTOS} pagamentos."),
            "Divida em mais de um vínculo.",
        );
    }
    let pagamentos: Vec<Pagamento> = body.pagamentos.iter().map(PagamentoIn::pagamento).collect();
    let valor: Decimal = pagamentos.iter().map(|one| one.valor).sum();
    let mut conn = call.app.db.read().await?;
    let vistos = eventos::registered(&mut conn, &nota.id).await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let resto = saldo(total(&nota), pago(&nota)?, &vinculos(&events)).restante;
    if valor > resto {
        campos.add_value(
            "pagamentos",
            "valor_acima_do_restante",
            &valor.to_string(),
            format!("Os pagamentos somam {valor} e restam {resto} a vincular."),
            "Corrija os valores; veja o que já está vinculado em GET /api/v1/nfe/{ref}/econf.",
        );
    }
    campos
        .into_result()
        .map_err(|campos| Refusal::fields(campos).message("O vínculo tem pontos a corrigir."))?;
    let (tipo, dados) = econf_de(&pagamentos).context("event 110750")?;
    let detalhes = value!({ "valor": valor.to_string(), "pagamentos": body.pagamentos });
    let asked = Asked {
        nota,
        tipo,
        nome: "econf",
        dados,
        sequencia: None,
        vistos: Some(vistos),
        detalhes,
        key,
    };
    send(call, asked).await
}

async fn desfazer(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiResult<Response> {
    let (body, key): (DesfazerIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Modelo::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let vistos = eventos::registered(&mut conn, &nota.id).await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    pode_desfazer(&vinculos(&events), &body.protocolo)
        .map_err(|campo| Refusal::fields(vec![campo]))?;
    let (tipo, dados) = desfazer_econf(&body.protocolo).context("event 110751")?;
    let asked = Asked {
        nota,
        tipo,
        nome: "econf_desfeito",
        dados,
        sequencia: None,
        vistos: Some(vistos),
        detalhes: value!({ "protocolo_desfeito": body.protocolo }),
        key,
    };
    send(call, asked).await
}

async fn get(call: Call, Path(reference): Path<String>) -> ApiResult<Response> {
    let nota = product::nota(&call, &reference, Modelo::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let links = vinculos(&events);
    let saldo = saldo(total(&nota), pago(&nota)?, &links);
    let items: Vec<Value> = registered(&events, "econf")
        .zip(&links)
        .map(|(evento, link)| {
            let detalhes: Value = serde_json::from_str(&evento.detalhes).unwrap_or_default();
            value!({
                "evento_id": evento.id, "protocolo": evento.protocolo, "sequencia": evento.sequencia,
                "em": when::rfc3339(evento.updated_at_ms), "valor": number(&link.valor.to_string()),
                "desfeito": link.desfeito, "pagamentos": detalhes["pagamentos"],
            })
        })
        .collect();
    let body = value!({
        "sucesso": true, "nota_id": nota.id, "valor_total": number(&nota.valor), "pagamentos": items,
        "valor_vinculado": number(&saldo.vinculado.to_string()),
        "valor_restante": number(&saldo.restante.to_string()), "request_id": call.caller.request_id,
    });
    Ok(json(200, &body))
}

fn registered<'a>(
    events: &'a [EventoRow],
    tipo: &'a str,
) -> impl Iterator<Item = &'a EventoRow> + use<'a> {
    events
        .iter()
        .filter(move |evento| evento.tipo == tipo && evento.status == "registrado")
}

/// The links of a note, oldest first.
fn vinculos(events: &[EventoRow]) -> Vec<Vinculo> {
    let member = |evento: &EventoRow, name: &str| {
        let detalhes: Value = serde_json::from_str(&evento.detalhes).unwrap_or_default();
        detalhes[name].as_str().unwrap_or_default().to_owned()
    };
    let undone: Vec<String> = registered(events, "econf_desfeito")
        .map(|evento| member(evento, "protocolo_desfeito"))
        .collect();
    registered(events, "econf")
        .map(|evento| Vinculo {
            protocolo: evento.protocolo.clone(),
            sequencia: u8::try_from(evento.sequencia).unwrap_or(u8::MAX),
            valor: Decimal::from_str(&member(evento, "valor")).unwrap_or_default(),
            desfeito: undone.contains(&evento.protocolo),
        })
        .collect()
}

fn total(nota: &NotaRow) -> Decimal {
    Decimal::from_str(&nota.valor).unwrap_or_default()
}

/// What the note itself says was paid.
fn pago(nota: &NotaRow) -> DbResult<Decimal> {
    let pago = Detalhes::of(nota)?.pago;
    Ok(Decimal::from_str(&pago).unwrap_or_default())
}
