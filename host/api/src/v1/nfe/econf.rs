//! /api/v1/nfe/econf: payments linked to a note after it was issued (ECONF,
//! events 110750 and 110751).

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
use fiscal::nfe::event::econf::{Card, Link, Payment, balance, may_undo};
use fiscal::nfe::event::{desfazer_econf, econf_of};
use fiscal::nfe::order::Forma;
use fiscal::nfse::FieldValue;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use issuing::answer::{Nfe, RegisteredEvent, TransmittedEvent, WithEvent, amount};
use issuing::document::product::Details;
use issuing::model::Model;
use markup::field::Fields;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::str::FromStr as _;
use store::Readable as _;
use store::ids::{EventoId, NotaId};
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};
use store::tables::notas::NotaRow;

/// Payments of one event (NT 2024.002).
const PAYMENTS: usize = 100;

pub fn built() -> Vec<Built> {
    vec![
        Built {
            operation: "nfe.econf",
            route: |method| on(method, create),
            docs: Docs::new("Vincula à nota pagamentos feitos depois da emissão (evento 110750).")
                .body::<EconfIn>()
                .idempotent()
                .success::<WithEvent<Nfe, RegisteredEvent>>()
                .success_at::<WithEvent<Nfe, TransmittedEvent>>(202)
                .answers(&[(200, "Vínculo registrado."), (202, "Ainda sem resultado.")])
                .sends("Location", &[202]),
        },
        Built {
            operation: "nfe.econf.desfazer",
            route: |method| on(method, desfazer),
            docs: Docs::new("Desfaz o vínculo de pagamento mais antigo em vigor (evento 110751).")
                .body::<DesfazerIn>()
                .idempotent()
                .success::<WithEvent<Nfe, RegisteredEvent>>()
                .success_at::<WithEvent<Nfe, TransmittedEvent>>(202)
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
    pagamentos: Vec<PaymentIn>,
}

#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "PagamentoIn")]
#[serde(default)]
struct PaymentIn {
    /// Palavra ou código da forma de pagamento (`pix`, `17`).
    forma: String,
    valor: FieldValue,
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
    cartao: Option<CardIn>,
}

#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "CartaoIn")]
#[serde(default)]
struct CardIn {
    #[serde(skip_serializing_if = "Option::is_none")]
    cnpj_credenciadora: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bandeira: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    autorizacao: Option<String>,
}

impl PaymentIn {
    fn payment(&self) -> Payment {
        let one = self.clone();
        Payment {
            // Words of the API, as in a note's own payments.
            forma: Forma::parse(&one.forma).map_or(one.forma, |form| form.codigo().to_owned()),
            valor: *one.valor,
            data: one.data,
            indicador: one.indicador,
            descricao: one.descricao,
            cnpj_transacional: one.cnpj_transacional,
            uf_transacional: one.uf_transacional,
            cnpj_beneficiario: one.cnpj_beneficiario,
            uf_beneficiario: one.uf_beneficiario,
            cartao: one.cartao.map(|card| Card {
                cnpj_credenciadora: card.cnpj_credenciadora,
                bandeira: card.bandeira,
                autorizacao: card.autorizacao,
                integrado: None,
            }),
        }
    }
}

/// The answer of an event that is sent.
type Sent = StoredAnswer<WithEvent<Nfe, RegisteredEvent>, WithEvent<Nfe, TransmittedEvent>>;

/// Column `detalhes` of event 110750.
#[derive(Deserialize, Serialize)]
struct Linked {
    valor: FieldValue,
    pagamentos: Vec<PaymentIn>,
}

/// Column `detalhes` of event 110751.
#[derive(Deserialize, Serialize)]
struct Undone {
    protocolo_desfeito: String,
}

/// Os pagamentos vinculados a uma nota.
#[derive(Serialize, JsonSchema)]
struct EconfOut {
    /// O id da nota.
    id: NotaId,
    /// O mesmo que `id`.
    nota_id: NotaId,
    /// Em R$.
    valor_total: Option<Number>,
    pagamentos: Vec<PaymentLink>,
    /// O que os vínculos em vigor somam, em R$.
    valor_vinculado: Option<Number>,
    /// O que falta vincular, em R$.
    valor_restante: Option<Number>,
}

/// Pagamentos vinculados por um evento.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VinculoDePagamento")]
struct PaymentLink {
    /// O id do vínculo.
    id: EventoId,
    /// O mesmo que `id`.
    evento_id: EventoId,
    protocolo: String,
    sequencia: i64,
    em: String,
    /// A soma dos pagamentos, em R$.
    valor: Option<Number>,
    desfeito: bool,
    pagamentos: Vec<PaymentIn>,
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
    let nota = product::nota(&call, &body.r#ref, Model::Nfe).await?;
    let mut fields = Fields::default();
    if !(1..=PAYMENTS).contains(&body.pagamentos.len()) {
        fields.add(
            "pagamentos",
            "quantidade_invalida",
            format!("Informe de 1 a {PAYMENTS} pagamentos."),
            "Divida em mais de um vínculo.",
        );
    }
    let nothing = |(_, one): &(usize, &PaymentIn)| one.valor.is_zero();
    for (at, _) in body.pagamentos.iter().enumerate().filter(nothing) {
        fields.add(
            format!("pagamentos[{at}].valor"),
            "valor_invalido",
            "O valor é zero: não há pagamento a vincular.",
            "Informe o valor que foi pago.",
        );
    }
    let payments: Vec<Payment> = body.pagamentos.iter().map(PaymentIn::payment).collect();
    let value: Decimal = payments.iter().map(|one| one.valor).sum();
    let mut conn = call.app.db.read().await?;
    let seen = eventos::registered(&mut conn, &nota.id).await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let rest = balance(total(&nota)?, paid(&nota)?, &vinculos(&events)?).remaining;
    if value > rest {
        fields.add_value(
            "pagamentos",
            "valor_acima_do_restante",
            &value.to_string(),
            format!("Os pagamentos somam {value} e restam {rest} a vincular."),
            "Corrija os valores; veja o que já está vinculado em GET /api/v1/nfe/{ref}/econf.",
        );
    }
    fields
        .into_result()
        .map_err(|fields| Refusal::fields(fields).message("O vínculo tem pontos a corrigir."))?;
    let (kind, data) = econf_of(&payments).context("event 110750")?;
    let details = serde_json::to_value(Linked {
        valor: value.into(),
        pagamentos: body.pagamentos,
    })?;
    let asked = Asked {
        nota,
        kind,
        name: EventKind::Econf,
        data,
        sequence: None,
        seen: Some(seen),
        details,
        key,
    };
    send(call, asked).await
}

async fn desfazer(call: Call, headers: HeaderMap, bytes: Bytes) -> Sent {
    let (body, key): (DesfazerIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let seen = eventos::registered(&mut conn, &nota.id).await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    may_undo(&vinculos(&events)?, &body.protocolo).map_err(|field| Refusal::fields(vec![field]))?;
    let (kind, data) = desfazer_econf(&body.protocolo).context("event 110751")?;
    let asked = Asked {
        nota,
        kind,
        name: EventKind::EconfUndone,
        data,
        sequence: None,
        seen: Some(seen),
        details: serde_json::to_value(Undone {
            protocolo_desfeito: body.protocolo,
        })?,
        key,
    };
    send(call, asked).await
}

async fn get(call: Call, Path(reference): Path<String>) -> ApiAnswer<EconfOut> {
    let nota = product::nota(&call, &reference, Model::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let links = vinculos(&events)?;
    let balance = balance(total(&nota)?, paid(&nota)?, &links);
    let payments = registered(&events, EventKind::Econf).zip(&links);
    let payments = payments.map(|(evento, link)| linked(evento, link));
    call.ok(EconfOut {
        valor_total: amount(&nota.valor)?,
        id: nota.id.clone(),
        nota_id: nota.id,
        pagamentos: payments.collect::<Result<_, Failure>>()?,
        valor_vinculado: amount(&balance.linked.to_string())?,
        valor_restante: amount(&balance.remaining.to_string())?,
    })
}

fn linked(evento: &EventoRow, link: &Link) -> Result<PaymentLink, Failure> {
    let kept: Linked = serde_json::from_str(&evento.detalhes)?;
    Ok(PaymentLink {
        id: evento.id.clone(),
        evento_id: evento.id.clone(),
        protocolo: evento.protocolo.clone(),
        sequencia: evento.sequencia,
        em: when::rfc3339(evento.updated_at_ms),
        valor: amount(&link.value.to_string())?,
        desfeito: link.undone,
        pagamentos: kept.pagamentos,
    })
}

fn registered(events: &[EventoRow], kind: EventKind) -> impl Iterator<Item = &EventoRow> {
    events
        .iter()
        .filter(move |evento| evento.tipo == kind && evento.status == EventoStatus::Registered)
}

/// The links of a note, oldest first.
fn vinculos(events: &[EventoRow]) -> Result<Vec<Link>, Failure> {
    let undone = registered(events, EventKind::EconfUndone)
        .map(|evento| serde_json::from_str::<Undone>(&evento.detalhes));
    let undone = undone.collect::<Result<Vec<_>, _>>()?;
    let linked = registered(events, EventKind::Econf).map(|evento| {
        let kept: Linked = serde_json::from_str(&evento.detalhes)?;
        let is_undone = |undone: &Undone| undone.protocolo_desfeito == evento.protocolo;
        Ok(Link {
            protocol: evento.protocolo.clone(),
            sequence: u8::try_from(evento.sequencia)
                .readable("sequence of an event", &evento.id)?,
            value: *kept.valor,
            undone: undone.iter().any(is_undone),
        })
    });
    linked.collect()
}

fn total(nota: &NotaRow) -> anyhow::Result<Decimal> {
    Decimal::from_str(&nota.valor).context("value of a note")
}

/// What the note itself says was paid.
fn paid(nota: &NotaRow) -> anyhow::Result<Decimal> {
    match Details::of(nota)?.pago.as_str() {
        "" => Ok(Decimal::ZERO),
        paid => Decimal::from_str(paid).context("payment of a note"),
    }
}
