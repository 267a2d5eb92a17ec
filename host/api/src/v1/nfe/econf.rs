//! /api/v1/nfe/econf: payments linked to a note after it was issued (ECONF,
//! events 110750 and 110751).

use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
use crate::v1::event::{Asked, read, send};
use crate::v1::product;
use crate::v1::stored::StoredAnswer;
use anyhow::Context as _;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Failure, Refusal};
use base::when;
use fiscal::nfe::event::econf::{Cartao, Pagamento, Vinculo, pode_desfazer, saldo};
use fiscal::nfe::event::{desfazer_econf, econf_de};
use fiscal::nfe::order::Forma;
use fiscal::nfse::Valor;
use issuing::answer::{ComEvento, EventoRegistrado, EventoTransmitido, Nfe, amount};
use issuing::document::product::Detalhes;
use issuing::model::Modelo;
use markup::field::Campos;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::str::FromStr as _;
use store::Readable as _;
use store::ids::{EventoId, NotaId};
use store::tables::eventos::{self, EventoRow, EventoStatus, EventoTipo};
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
                .success::<ComEvento<Nfe, EventoRegistrado>>()
                .success_at::<ComEvento<Nfe, EventoTransmitido>>(202)
                .answers(&[(200, "Vínculo registrado."), (202, "Ainda sem resultado.")])
                .sends("Location", &[202]),
        },
        Built {
            operation: "nfe.econf.desfazer",
            route: |method| on(method, desfazer),
            docs: Docs::new("Desfaz o vínculo de pagamento mais antigo em vigor (evento 110751).")
                .body(schemars::schema_for!(DesfazerIn).to_value())
                .idempotent()
                .success::<ComEvento<Nfe, EventoRegistrado>>()
                .success_at::<ComEvento<Nfe, EventoTransmitido>>(202)
                .answers(&[(200, "Vínculo desfeito."), (202, "Ainda sem resultado.")])
                .sends("Location", &[202]),
        },
        Built {
            operation: "nfe.econf.get",
            route: |method| on(method, get),
            docs: Docs::new("Lista os pagamentos vinculados à nota e o valor que resta.")
                .success::<EconfOut>(),
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

/// The answer of an event that is sent.
type Sent = StoredAnswer<ComEvento<Nfe, EventoRegistrado>, ComEvento<Nfe, EventoTransmitido>>;

/// Column `detalhes` of event 110750.
#[derive(Deserialize, Serialize)]
struct Vinculados {
    valor: Valor,
    pagamentos: Vec<PagamentoIn>,
}

/// Column `detalhes` of event 110751.
#[derive(Deserialize, Serialize)]
struct Desfeito {
    protocolo_desfeito: String,
}

/// Os pagamentos vinculados a uma nota.
#[derive(Serialize, JsonSchema)]
struct EconfOut {
    nota_id: NotaId,
    /// Em R$.
    valor_total: Option<Number>,
    pagamentos: Vec<VinculoDePagamento>,
    /// O que os vínculos em vigor somam, em R$.
    valor_vinculado: Option<Number>,
    /// O que falta vincular, em R$.
    valor_restante: Option<Number>,
}

/// Pagamentos vinculados por um evento.
#[derive(Serialize, JsonSchema)]
struct VinculoDePagamento {
    evento_id: EventoId,
    protocolo: String,
    sequencia: i64,
    em: String,
    /// A soma dos pagamentos, em R$.
    valor: Option<Number>,
    desfeito: bool,
    pagamentos: Vec<PagamentoIn>,
}

#[derive(Deserialize, JsonSchema)]
struct DesfazerIn {
    /// nota_id ou chave da nota.
    r#ref: String,
    /// Protocolo do vínculo a desfazer.
    protocolo: String,
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> Sent {
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
    let resto = saldo(total(&nota)?, pago(&nota)?, &vinculos(&events)?).restante;
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
    let detalhes = serde_json::to_value(Vinculados {
        valor: valor.into(),
        pagamentos: body.pagamentos,
    })?;
    let asked = Asked {
        nota,
        tipo,
        nome: EventoTipo::Econf,
        dados,
        sequencia: None,
        vistos: Some(vistos),
        detalhes,
        key,
    };
    send(call, asked).await
}

async fn desfazer(call: Call, headers: HeaderMap, bytes: Bytes) -> Sent {
    let (body, key): (DesfazerIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Modelo::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let vistos = eventos::registered(&mut conn, &nota.id).await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    pode_desfazer(&vinculos(&events)?, &body.protocolo)
        .map_err(|campo| Refusal::fields(vec![campo]))?;
    let (tipo, dados) = desfazer_econf(&body.protocolo).context("event 110751")?;
    let asked = Asked {
        nota,
        tipo,
        nome: EventoTipo::EconfDesfeito,
        dados,
        sequencia: None,
        vistos: Some(vistos),
        detalhes: serde_json::to_value(Desfeito {
            protocolo_desfeito: body.protocolo,
        })?,
        key,
    };
    send(call, asked).await
}

async fn get(call: Call, Path(reference): Path<String>) -> ApiAnswer<EconfOut> {
    let nota = product::nota(&call, &reference, Modelo::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let links = vinculos(&events)?;
    let saldo = saldo(total(&nota)?, pago(&nota)?, &links);
    let pagamentos = registered(&events, EventoTipo::Econf).zip(&links);
    let pagamentos = pagamentos.map(|(evento, link)| linked(evento, link));
    call.ok(EconfOut {
        valor_total: amount(&nota.valor)?,
        nota_id: nota.id,
        pagamentos: pagamentos.collect::<Result<_, Failure>>()?,
        valor_vinculado: amount(&saldo.vinculado.to_string())?,
        valor_restante: amount(&saldo.restante.to_string())?,
    })
}

fn linked(evento: &EventoRow, link: &Vinculo) -> Result<VinculoDePagamento, Failure> {
    let kept: Vinculados = serde_json::from_str(&evento.detalhes)?;
    Ok(VinculoDePagamento {
        evento_id: evento.id.clone(),
        protocolo: evento.protocolo.clone(),
        sequencia: evento.sequencia,
        em: when::rfc3339(evento.updated_at_ms),
        valor: amount(&link.valor.to_string())?,
        desfeito: link.desfeito,
        pagamentos: kept.pagamentos,
    })
}

fn registered(events: &[EventoRow], tipo: EventoTipo) -> impl Iterator<Item = &EventoRow> {
    events
        .iter()
        .filter(move |evento| evento.tipo == tipo && evento.status == EventoStatus::Registrado)
}

/// The links of a note, oldest first.
fn vinculos(events: &[EventoRow]) -> Result<Vec<Vinculo>, Failure> {
    let undone = registered(events, EventoTipo::EconfDesfeito)
        .map(|evento| serde_json::from_str::<Desfeito>(&evento.detalhes));
    let undone = undone.collect::<Result<Vec<_>, _>>()?;
    let linked = registered(events, EventoTipo::Econf).map(|evento| {
        let kept: Vinculados = serde_json::from_str(&evento.detalhes)?;
        let is_undone = |undone: &Desfeito| undone.protocolo_desfeito == evento.protocolo;
        Ok(Vinculo {
            protocolo: evento.protocolo.clone(),
            sequencia: u8::try_from(evento.sequencia)
                .readable("sequence of an event", &evento.id)?,
            valor: *kept.valor,
            desfeito: undone.iter().any(is_undone),
        })
    });
    linked.collect()
}

fn total(nota: &NotaRow) -> anyhow::Result<Decimal> {
    Decimal::from_str(&nota.valor).context("value of a note")
}

/// What the note itself says was paid.
fn pago(nota: &NotaRow) -> anyhow::Result<Decimal> {
    match Detalhes::of(nota)?.pago.as_str() {
        "" => Ok(Decimal::ZERO),
        pago => Decimal::from_str(pago).context("payment of a note"),
    }
}
