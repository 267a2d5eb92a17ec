//! A product note before anything is written: the request becomes the
//! document that will be signed, all but its number, or a list of everything
//! to correct.

mod emitter;

use super::body::{Corpo, Molde, Produto};
use super::prepared::Prepared;
use super::ready::{certificate, emitter, incomplete};
use super::{Ordem, Pessoas, referencia};
use crate::Issuing;
use crate::document::moment;
use crate::document::product::Detalhes;
use crate::emitters::profile::Perfil;
use crate::issue::party;
use crate::model::{Ambiente, tp_amb};
use crate::new_flow::Lease;
use crate::route;
use accounts::caller::Caller;
use authority::way::Mode;
use base::errors::{Failure, Refusal};
use base::when;
use compose::assembly::{Nota, validar};
use compose::frame::{Dados, Modelo};
use fiscal::nfe::order::{Forma, Pagamento};
use markup::field::Campos;
use markup::tree::Elemento;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::str::FromStr as _;
use store;
use store::Conn;
use store::ids::EmitterId;
use store::tables::emitters::EmitterRow;
use time::OffsetDateTime;

/// What the hub calls itself in `verProc`.
const VER_PROC: &str = concat!("hub ", env!("CARGO_PKG_VERSION"));
/// Normal emission; the hub offers no contingency (specification, item 1.6).
const TP_EMIS: u8 = 1;

/// A product note as the customer asked for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProductOrder {
    pub modelo: Modelo,
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
    ordem: Ordem,
    pedido: ProductOrder,
) -> Result<Prepared, Failure> {
    let now_ms = app.now_ms();
    // One registry for the whole note, whatever is reloaded meanwhile.
    let registry = app.registry.load();
    let mut conn = app.db.read().await?;
    let caller = ordem.caller;
    let emitter = emitter(&mut conn, &caller, pedido.emitente_id.as_ref()).await?;
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let municipio = perfil.municipio().unwrap_or_default().to_owned();
    let uf = route::uf(&registry, &municipio).to_owned();
    if uf.is_empty() {
        return Err(incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into());
    }
    let ambiente = ambiente(&caller, &emitter);
    let modelo = hub_modelo(pedido.modelo);
    let sefaz = route::sefaz(&registry, &uf, modelo)?;
    let way = route::sefaz_way(app, &sefaz, &emitter, ambiente)?;

    let mut campos = Campos::default();
    let now = when::local(now_ms, &uf);
    let data_emissao = moment::emission(&mut campos, pedido.data_emissao.as_deref(), now);
    let chave_cliente = pedido.referencia.clone().unwrap_or_default();
    referencia(&mut campos, &chave_cliente);
    let serie = serie(&perfil, pedido.serie, modelo);

    let entropy = base::random::random();
    let dados = dados(pedido.modelo, ambiente, serie, entropy, data_emissao);
    let nota = built(&mut conn, &emitter, &perfil, pedido, &dados, now, campos).await?;
    let component = route::adapter(&registry, &app.catalog, &sefaz.adapter)?;
    certificate(&mut conn, &emitter, &way, true, now_ms).await?;
    let mut secrets =
        store::tables::secrets::names_of(&mut conn, &caller.account_id, &emitter.id).await?;
    let molde = Molde::new(
        app, &mut conn, &emitter, &perfil, &nota, &dados, &uf, entropy,
    )
    .await?;
    drop(conn);

    secrets.push(authority::customer::DOCUMENTO.to_owned());
    let mut context = route::sefaz_context(&sefaz, &way, &emitter, &perfil, secrets, ambiente);
    context.now = when::format(data_emissao);
    context.entropy = base::random::entropy();
    let produto = Produto {
        molde,
        detalhes: detalhes(&nota, &uf, data_emissao),
        autorizador: sefaz.autorizador.clone(),
        municipio,
        valor: nota.valor_total,
        competencia: data_emissao.date().to_string(),
        destinatario: destinatario(&nota),
    };
    let simulado = ambiente == Ambiente::Simulado;
    Ok(Prepared {
        simulada: simulado || way.mode == Mode::Simulator,
        preco: if simulado { 0 } else { ordem.preco },
        proximo_numero: perfil.inicio(modelo, &serie.to_string(), &emitter.id)?,
        modelo,
        corpo: Corpo::Produto(Box::new(produto)),
        context: serde_json::to_string(&context)?,
        way: serde_json::to_string(&way)?,
        window_ms: app.config.issuing.idempotency_window_ms(),
        lease: Lease::of(app),
        operation: ordem.operation,
        caller,
        emitter,
        ambiente,
        serie: serie.to_string(),
        component,
        referencia: chave_cliente,
        idempotency: ordem.idempotency,
        draft: ordem.draft,
        now_ms,
    })
}

/// The series asked for, or that of the profile.
fn serie(perfil: &Perfil, asked: Option<u16>, modelo: crate::model::Modelo) -> u16 {
    let own = perfil.numeracao(modelo).serie;
    asked
        .or(own.and_then(|serie| u16::try_from(serie).ok()))
        .unwrap_or(1)
}

/// What the hub decides of a document, under a provisional number: the first
/// transaction puts the real one in.
fn dados(
    modelo: Modelo,
    ambiente: Ambiente,
    serie: u16,
    entropy: [u8; 8],
    dh_emi: OffsetDateTime,
) -> Dados {
    Dados {
        modelo,
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
    pedido: ProductOrder,
    dados: &Dados,
    now: OffsetDateTime,
    mut campos: Campos,
) -> Result<Nota, Failure> {
    let emitente = emitter::of(emitter, perfil);
    let mut conteudo = pedido.conteudo;
    let absent = party::produto(
        conn,
        emitter,
        &mut campos,
        &pedido.pessoas,
        pedido.modelo,
        &mut conteudo,
    )
    .await?;
    let nota = match validar(&mut conteudo, &emitente, dados, now) {
        Ok(nota) => {
            troco(&mut campos, dados, &conteudo, &nota);
            Some(nota)
        }
        Err(mut found) => {
            party::without(&mut found, &absent);
            campos.0.extend(found);
            None
        }
    };
    campos.into_result().map_err(Refusal::fields)?;
    Ok(nota.ok_or_else(|| anyhow::anyhow!("a note without problems was not built"))?)
}

/// The hub's model of a request.
pub fn hub_modelo(modelo: Modelo) -> crate::model::Modelo {
    match modelo {
        Modelo::Nfe => crate::model::Modelo::Nfe,
        Modelo::Nfce => crate::model::Modelo::Nfce,
    }
}

/// A test key goes to homologation with the emitter's own certificate and to
/// the simulated SEFAZ without one; never to production.
pub fn ambiente(caller: &Caller, emitter: &EmitterRow) -> Ambiente {
    match (caller.is_test(), emitter.certificate_id.is_none()) {
        (true, true) => Ambiente::Simulado,
        (true, false) => Ambiente::Homologacao,
        (false, _) => emitter.ambiente.shown(),
    }
}

fn detalhes(nota: &Nota, uf: &str, data_emissao: OffsetDateTime) -> Detalhes {
    let natureza = nota.arvore.valor(&["ide", "natOp"]).unwrap_or_default();
    Detalhes {
        natureza_operacao: natureza.to_owned(),
        data_emissao: when::format(data_emissao),
        uf: uf.to_owned(),
        pago: pago(&nota.arvore).to_string(),
        finalidade: finalidade(&nota.arvore).to_owned(),
        referencias: referencias(&nota.arvore),
        totais: Some(nota.totais.clone()),
        avisos: Some(nota.avisos.clone()),
        ..Detalhes::default()
    }
}

/// Refuses an NF-e whose payments exceed its total without `troco`. The
/// authority would take the excess for change (rejections 866 and 869), which
/// is right for an NFC-e; on an NF-e it is more likely that an amount was
/// mistyped.
fn troco(campos: &mut Campos, dados: &Dados, pedido: &fiscal::nfe::order::Pedido, nota: &Nota) {
    let depois = |pagamento: &Pagamento| pagamento.forma == Some(Forma::PagamentoPosterior);
    if dados.modelo == Modelo::Nfe
        && pedido.troco.is_none()
        && nota.totais.troco > Decimal::ZERO
        && !pedido.pagamentos.iter().any(depois)
    {
        campos.add(
            "troco",
            "obrigatorio",
            format!(
                "Os pagamentos passam do total da nota em {:.2} e não foi informado troco (rejeição 866).",
                nota.totais.troco
            ),
            "Confira os valores dos pagamentos, ou informe o troco.",
        );
    }
}

/// What was paid when the note was issued: every form but "no payment" (90)
/// and "later" (91), less the change.
fn pago(arvore: &Elemento) -> Decimal {
    let amount = |element: &Elemento, name: &str| {
        let text = element.valor(&[name]).unwrap_or_default();
        Decimal::from_str(text).unwrap_or_default()
    };
    let Some(pag) = arvore.busca("pag") else {
        return Decimal::ZERO;
    };
    let paid: Decimal = pag
        .lista()
        .iter()
        .filter(|one| one.nome == "detPag" && !matches!(one.valor(&["tPag"]), Some("90" | "91")))
        .map(|one| amount(one, "vPag"))
        .sum();
    paid - amount(pag, "vTroco")
}

/// Word of `finNFe`; empty for a normal note.
fn finalidade(arvore: &Elemento) -> &'static str {
    match arvore.valor(&["ide", "finNFe"]) {
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
fn referencias(arvore: &Elemento) -> Vec<String> {
    let whole = arvore
        .busca("ide")
        .into_iter()
        .flat_map(Elemento::lista)
        .filter(|one| one.nome == "NFref")
        .filter_map(|one| one.valor(&["refNFe"]));
    let by_item = arvore
        .lista()
        .iter()
        .filter(|one| one.nome == "det")
        .filter_map(|one| one.valor(&["DFeReferenciado", "chaveAcesso"]));
    let mut keys: Vec<String> = whole.chain(by_item).map(str::to_owned).collect();
    keys.sort();
    keys.dedup();
    keys
}

/// Document and name of who receives, as the note has them.
fn destinatario(nota: &Nota) -> (String, String) {
    let dest = nota.arvore.busca("dest");
    let value = |name: &str| dest.and_then(|dest| dest.valor(&[name]));
    let documento = ["CNPJ", "CPF", "idEstrangeiro"].into_iter().find_map(value);
    (
        documento.unwrap_or_default().to_owned(),
        value("xNome").unwrap_or_default().to_owned(),
    )
}
