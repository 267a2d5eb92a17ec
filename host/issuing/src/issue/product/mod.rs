//! A product note before anything is written: the request becomes the
//! document that will be signed, all but its number, or a list of everything
//! to correct.

pub(super) mod emitter;

use super::body::{Body, Product, Provisional, Template};
use super::prepared::Prepared;
use super::sefaz::{Issuer, Judged};
use super::{Order, Pessoas, reference};
use crate::Issuing;
use crate::document::layout;
use crate::document::moment;
use crate::document::product::Details;
use crate::document::qr::Qr;
use crate::emitters::profile::Perfil;
use crate::issue::party;
use crate::model::{Ambiente, tp_amb};
use accounts::caller::Caller;
use base::errors::{Failure, Refusal};
use base::when;
use compose::assembly::{Nota, validate};
use compose::frame::{Data, Model};
use fiscal::nfe::order::{Forma, Pagamento};
use markup::field::Fields;
use markup::tree::Node;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::str::FromStr as _;
use store::Conn;
use store::ids::EmitterId;
use store::tables::emitters::EmitterRow;
use time::OffsetDateTime;
use zeroize::Zeroizing;

/// What the hub calls itself in `verProc`.
pub(super) const VER_PROC: &str = concat!("hub ", env!("CARGO_PKG_VERSION"));
/// Normal emission; the hub offers no contingency (specification, item 1.6).
const TP_EMIS: u8 = 1;

/// A product note as the customer asked for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProductOrder {
    pub modelo: Model,
    pub referencia: Option<String>,
    pub emitente_id: Option<EmitterId>,
    pub serie: Option<u16>,
    pub data_emissao: Option<String>,
    /// Registered persons of `destinatario` and `consumidor`.
    #[serde(default)]
    pub pessoas: Pessoas,
    pub conteudo: fiscal::nfe::order::Pedido,
}

/// Checks and completes an order; writes nothing.
///
/// # Errors
/// Everything to correct, in one refusal where it can be.
pub async fn prepare(
    app: &Issuing,
    order: Order,
    request: ProductOrder,
) -> Result<Prepared, Failure> {
    let mut conn = app.db.read().await?;
    let id = request.emitente_id.as_ref();
    let model = hub_model(request.modelo);
    let issuer = Issuer::of(app, &mut conn, &order.caller, id, model, ambiente).await?;
    let mut fields = Fields::default();
    let now = issuer.now();
    let issue_date = moment::emission(&mut fields, request.data_emissao.as_deref(), now);
    let client_key = request.referencia.clone().unwrap_or_default();
    reference(&mut fields, &client_key);
    let serie = serie(&issuer.perfil, request.serie, model);

    let entropy = base::random::random();
    let data = data(request.modelo, issuer.ambiente, serie, entropy, issue_date);
    let (emitter, perfil) = (&issuer.emitter, &issuer.perfil);
    let csrt = csrt(&request, perfil);
    let receiver = request.conteudo.receiver().1;
    let named = receiver.and_then(|person| person.nome.clone());
    let mut nota = built(&mut conn, emitter, perfil, request, &data, now, fields).await?;
    let uf = &issuer.uf;
    let qr = match data.modelo {
        Model::Nfe => None,
        Model::Nfce => Some(Qr::of(app, &mut conn, emitter, perfil, uf, data.ambiente).await?),
    };
    let written = nota.take_document(&data).map_err(layout::refusal)?;
    let provisional = Provisional {
        uf,
        issued_at: data.dh_emi,
        model: data.modelo.codigo(),
        serie: data.serie,
        tp_emis: data.tp_emis,
        entropy,
        qr,
        csrt: csrt.as_ref().map(|csrt| csrt.as_str()),
    };
    let product = Product {
        template: Template::new(emitter, written.xml, provisional)?,
        details: details(&nota, uf, issue_date),
        autorizador: issuer.autorizador().to_owned(),
        municipality: issuer.municipality.clone(),
        value: nota.total_value,
        period: issue_date.date().to_string(),
        recipient: recipient(&nota, named.as_deref()),
    };
    let judged = Judged {
        body: Body::Product(Box::new(product)),
        serie,
        issued_at: issue_date,
        reference: client_key,
    };
    issuer.prepared(app, &mut conn, order, true, judged).await
}

/// Secret of the program's technician, of the request or of the profile.
fn csrt(request: &ProductOrder, perfil: &Perfil) -> Option<Zeroizing<String>> {
    let own = perfil.padroes.as_ref();
    let own = own.and_then(|own| own.responsavel_tecnico.as_ref());
    let technician = request.conteudo.responsavel_tecnico.as_ref().or(own)?;
    technician.csrt.clone().map(Zeroizing::new)
}

/// The series asked for, or that of the profile.
pub(super) fn serie(perfil: &Perfil, asked: Option<u16>, model: crate::model::Model) -> u16 {
    let own = perfil.numbering(model).serie;
    asked
        .or(own.and_then(|serie| u16::try_from(serie).ok()))
        .unwrap_or(1)
}

/// What the hub decides of a document, under a provisional number: the first
/// transaction puts the real one in.
fn data(
    model: Model,
    ambiente: Ambiente,
    serie: u16,
    entropy: [u8; 8],
    dh_emi: OffsetDateTime,
) -> Data {
    Data {
        modelo: model,
        ambiente: tp_amb(ambiente),
        serie,
        numero: 1,
        c_nf: markup::ids::chave::c_nf(entropy, 1),
        dh_emi,
        tp_emis: TP_EMIS,
        ver_proc: VER_PROC.to_owned(),
    }
}

/// The document, of the request and the registered persons it names.
///
/// # Errors
/// Everything to correct, `campos` first.
async fn built(
    conn: &mut Conn,
    emitter: &EmitterRow,
    perfil: &Perfil,
    request: ProductOrder,
    data: &Data,
    now: OffsetDateTime,
    mut fields: Fields,
) -> Result<Nota, Failure> {
    let issuer = emitter::of(emitter, perfil);
    let mut content = request.conteudo;
    let absent = party::product(
        conn,
        emitter,
        &mut fields,
        &request.pessoas,
        request.modelo,
        &mut content,
    )
    .await?;
    let nota = match validate(&mut content, &issuer, data, now) {
        Ok(nota) => {
            change(&mut fields, data, &content, &nota);
            Some(nota)
        }
        Err(mut found) => {
            party::without(&mut found, &absent);
            fields.0.extend(found);
            None
        }
    };
    fields.into_result().map_err(Refusal::fields)?;
    Ok(nota.ok_or_else(|| anyhow::anyhow!("a note without problems was not built"))?)
}

/// The hub's model of a request.
pub fn hub_model(model: Model) -> crate::model::Model {
    match model {
        Model::Nfe => crate::model::Model::Nfe,
        Model::Nfce => crate::model::Model::Nfce,
    }
}

/// A test key goes to homologation with the emitter's own certificate and to
/// the simulated SEFAZ without one; never to production.
pub fn ambiente(caller: &Caller, emitter: &EmitterRow) -> Ambiente {
    ambiente_of(caller.is_test(), emitter)
}

/// As [`ambiente`], of a test key or a live one.
pub fn ambiente_of(test: bool, emitter: &EmitterRow) -> Ambiente {
    match (test, emitter.certificate_id.is_none()) {
        (true, true) => Ambiente::Simulated,
        (true, false) => Ambiente::Homologacao,
        (false, _) => emitter.ambiente.shown(),
    }
}

fn details(nota: &Nota, uf: &str, issue_date: OffsetDateTime) -> Details {
    let nature = nota.tree.value(&["ide", "natOp"]).unwrap_or_default();
    Details {
        natureza_operacao: nature.to_owned(),
        data_emissao: when::format(issue_date),
        uf: uf.to_owned(),
        pago: paid(&nota.tree).to_string(),
        finalidade: purpose(&nota.tree).to_owned(),
        referencias: references(&nota.tree),
        totais: Some(nota.totals.clone()),
        avisos: Some(nota.notices.clone()),
        ..Details::default()
    }
}

/// Refuses an NF-e whose payments exceed its total without `troco`. The
/// authority would take the excess for change (rejections 866 and 869), which
/// is right for an NFC-e; on an NF-e it is more likely that an amount was
/// mistyped.
fn change(fields: &mut Fields, data: &Data, request: &fiscal::nfe::order::Pedido, nota: &Nota) {
    let after = |payment: &Pagamento| payment.forma == Some(Forma::PagamentoPosterior);
    if data.modelo == Model::Nfe
        && request.troco.is_none()
        && nota.totals.troco > Decimal::ZERO
        && !request.pagamentos.iter().any(after)
    {
        // The likelier mistake, told first.
        for (position, item) in request.itens.iter().enumerate() {
            for (name, number) in [
                ("quantidade", item.quantidade),
                ("valor_unitario", item.valor_unitario),
            ] {
                if number.is_some_and(|number| number.is_zero()) {
                    fields.add(
                        format!("itens[{position}].{name}"),
                        "valor_zero",
                        "O número é zero, e o item não soma nada ao total da nota.",
                        "Confira o número; os pagamentos somam mais que os itens.",
                    );
                }
            }
        }
        fields.add(
            "troco",
            "obrigatorio",
            format!(
                "Os pagamentos passam do total da nota em {:.2} e não foi informado troco (rejeição 866).",
                nota.totals.troco
            ),
            "Confira os valores dos pagamentos, ou informe o troco.",
        );
    }
}

/// What was paid when the note was issued: every form but "no payment" (90)
/// and "later" (91), less the change.
fn paid(tree: &Node) -> Decimal {
    let amount = |element: &Node, name: &str| {
        let text = element.value(&[name]).unwrap_or_default();
        Decimal::from_str(text).unwrap_or_default()
    };
    let Some(pag) = tree.find("pag") else {
        return Decimal::ZERO;
    };
    let paid: Decimal = pag
        .list()
        .iter()
        .filter(|one| one.name == "detPag" && !matches!(one.value(&["tPag"]), Some("90" | "91")))
        .map(|one| amount(one, "vPag"))
        .sum();
    paid - amount(pag, "vTroco")
}

/// Word of `finNFe`; empty for a normal note.
fn purpose(tree: &Node) -> &'static str {
    match tree.value(&["ide", "finNFe"]) {
        Some("2") => "complementar",
        Some("3") => "ajuste",
        Some("4") => "devolucao",
        Some("5") => "nota_credito",
        Some("6") => "nota_debito",
        _ => "",
    }
}

/// Keys the note refers to, as a whole and by item (NT 2025.002, VC02), once
/// each.
fn references(tree: &Node) -> Vec<String> {
    let whole = tree
        .find("ide")
        .into_iter()
        .flat_map(Node::list)
        .filter(|one| one.name == "NFref")
        .filter_map(|one| one.value(&["refNFe"]));
    let by_item = tree
        .list()
        .iter()
        .filter(|one| one.name == "det")
        .filter_map(|one| one.value(&["DFeReferenciado", "chaveAcesso"]));
    let mut keys: Vec<String> = whole.chain(by_item).map(str::to_owned).collect();
    keys.sort();
    keys.dedup();
    keys
}

/// Document of who receives, as the note has it, and the name that was `given`: in
/// homologation all notes have one and the same instead of it (MOC, E04-10).
fn recipient(nota: &Nota, given: Option<&str>) -> (String, String) {
    let dest = nota.tree.find("dest");
    let value = |name: &str| dest.and_then(|dest| dest.value(&[name]));
    let documento = ["CNPJ", "CPF", "idEstrangeiro"].into_iter().find_map(value);
    let name = value("xNome").map(|in_note| match given {
        Some(given) => markup::layout::normalize_text(given),
        None => in_note.to_owned(),
    });
    (
        documento.unwrap_or_default().to_owned(),
        name.unwrap_or_default(),
    )
}
