//! What comes after payment: marketplace, texts, cane, technical responsible,
//! farming.

use crate::assembly::billing;
use crate::assembly::parties;
use crate::context::{Context, Place};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fiscal::nfe::order::{Agropecuario, Cana};
use fiscal::nfe::simples_credit;
use markup::tree::Node;
use sha1::{Digest, Sha1};

const MAX_OBSERVATIONS: usize = 10;
const MAX_PROCESSES: usize = 100;
/// Characters of `infCpl` (MOC, Z03).
const MAX_COMPLEMENTARY: usize = 5000;

pub(super) fn intermediator(ctx: &mut Context<'_>) -> Option<Node> {
    let given = ctx.request.intermediador.as_ref()?;
    let place = Place::root("intermediador");
    if given.cnpj.is_none() {
        ctx.missing(place.at("cnpj"), "Informe o CNPJ do intermediador.");
    }
    let cnpj = parties::cnpj(ctx, place.at("cnpj"), "CNPJ", given.cnpj.as_deref());
    Some(Node::group("infIntermed").child_if(cnpj))
}

/// `infAdic`, of a note that has these items.
pub(super) fn texts(ctx: &mut Context<'_>, items: &Node) -> Option<Node> {
    let request = ctx.request;
    let for_authority = ctx.text(
        Place::root("informacoes_fisco"),
        request.informacoes_fisco.as_deref(),
        2000,
    );
    let seller = request
        .vendedor
        .as_ref()
        .map(|name| format!("Vendedor: {name}"));
    let complementary: Vec<&str> = [
        request.informacoes_complementares.as_deref(),
        ctx.emitter.padroes.informacoes_complementares.as_deref(),
        seller.as_deref(),
    ]
    .into_iter()
    .flatten()
    .filter(|text| !text.trim().is_empty())
    .collect();
    let mut joined = complementary.join(" | ");
    if let Some(numbers) = billing::own_numbers(ctx) {
        let separator = if joined.is_empty() { "" } else { " | " };
        let with = format!("{joined}{separator}{numbers}");
        if with.chars().count() <= MAX_COMPLEMENTARY {
            joined = with;
        } else {
            ctx.aviso(
                Place::root("cobranca").at("duplicatas"),
                "Os números informados das duplicatas não couberam nas informações complementares.",
            );
        }
    }
    if let Some(credit) = simples_credit(ctx, items, &joined) {
        let separator = if joined.is_empty() { "" } else { " | " };
        let with = format!("{joined}{separator}{credit}");
        if with.chars().count() <= MAX_COMPLEMENTARY {
            joined = with;
        } else {
            ctx.aviso(
                Place::root("informacoes_complementares"),
                "O texto do crédito de ICMS do Simples Nacional (LC 123/2006, art. 23) não coube nas informações complementares.",
            );
        }
    }
    let place = Place::root("informacoes_complementares");
    let complementary = ctx.text(place, Some(&joined), MAX_COMPLEMENTARY);
    let mut group = Node::group("infAdic")
        .with_if("infAdFisco", for_authority)
        .with_if("infCpl", complementary);
    for (list, name, element) in [
        (
            &request.observacoes_contribuinte,
            "observacoes_contribuinte",
            "obsCont",
        ),
        (&request.observacoes_fisco, "observacoes_fisco", "obsFisco"),
    ] {
        limit(ctx, name, list.len(), MAX_OBSERVATIONS);
        for _ in list.iter().take(MAX_OBSERVATIONS) {
            group.put(Node::group(element));
        }
    }
    limit(ctx, "processos", request.processos.len(), MAX_PROCESSES);
    for (i, processo) in request.processos.iter().take(MAX_PROCESSES).enumerate() {
        let place = Place::list("processos", i);
        if processo.origem.is_none() {
            ctx.missing(place.at("origem"), "Informe a origem do processo.");
        }
        group.put(
            Node::group("procRef")
                .with_if("indProc", processo.origem.map(|origin| origin.codigo())),
        );
    }
    (!group.list().is_empty()).then_some(group)
}

/// The law wants the buyer's credit told in this very field, besides the
/// item's own ones (CGSN Resolution 140/2018 art. 58): whoever did not write it
/// gets it written. A consumer takes no credit.
fn simples_credit(ctx: &Context<'_>, items: &Node, joined: &str) -> Option<String> {
    if ctx.nfce() || simples_credit::already_says(joined) {
        return None;
    }
    let groups = items
        .list()
        .iter()
        .filter(|element| element.name == "det")
        .filter_map(|det| det.caminho(&["imposto", "ICMS"])?.list().first());
    simples_credit::text(
        groups.filter_map(|icms| Some((icms.value(&["pCredSN"])?, icms.value(&["vCredICMSSN"])?))),
    )
}

fn limit(ctx: &mut Context<'_>, name: &'static str, count: usize, maximum: usize) {
    if count > maximum {
        ctx.error(
            Place::root(name),
            "limite",
            format!("São no máximo {maximum}."),
            "Retire os excedentes.",
        );
    }
}

pub(super) fn cane(ctx: &mut Context<'_>) -> Option<Node> {
    let given: &Cana = ctx.request.cana.as_ref()?;
    let month = given.mes.as_deref().map(str::trim).unwrap_or_default();
    // `MM/AAAA` in the layout.
    let month = match month.split_once('-') {
        Some((year, month)) => format!("{month}/{year}"),
        None => month.to_owned(),
    };
    let entries = |tag, many: usize| (0..many).map(move |_| Node::group(tag));
    Some(
        Node::group("cana")
            .with("ref", month)
            .children(entries("forDia", given.fornecimentos.len().min(31)))
            .children(entries("deduc", given.deducoes.len().min(11))),
    )
}

/// `infRespTec`, the note's or the installation's.
pub(super) fn technician(ctx: &mut Context<'_>, chave: &str) -> Option<Node> {
    let own_data = ctx.request.responsavel_tecnico.as_ref();
    let given = own_data.or(ctx.emitter.padroes.responsavel_tecnico.as_ref())?;
    let place = Place::root("responsavel_tecnico");
    if given.cnpj.is_none() {
        ctx.missing(place.at("cnpj"), "Informe o CNPJ do responsável técnico.");
    }
    let cnpj = parties::cnpj(ctx, place.at("cnpj"), "CNPJ", given.cnpj.as_deref());
    let contact = ctx.mandatory_text(place.at("contato"), given.contato.as_deref(), 60);
    let email = ctx.mandatory_text(place.at("email"), given.email.as_deref(), 60);
    let phone = parties::phone(ctx, place.at("telefone"), given.telefone.as_deref());
    if given.telefone.is_none() {
        ctx.missing(
            place.at("telefone"),
            "Informe o telefone do responsável técnico.",
        );
    }
    let group = Node::group("infRespTec")
        .child_if(cnpj)
        .with("xContato", contact)
        .with("email", email)
        .with("fone", phone.unwrap_or_default());
    let (Some(id), Some(csrt)) = (&given.id_csrt, &given.csrt) else {
        return Some(group);
    };
    // NT 2018.005: base64 of SHA-1 of the code followed by the key.
    let digest = Sha1::digest(format!("{}{chave}", csrt.trim()).as_bytes());
    Some(
        group
            .with("idCSRT", format!("{:0>2}", id.trim()))
            .with("hashCSRT", STANDARD.encode(digest)),
    )
}

pub(super) fn agricultural(ctx: &Context<'_>) -> Option<Node> {
    let given: &Agropecuario = ctx.request.agropecuario.as_ref()?;
    let mut group = Node::group("agropecuario");
    for pesticide in given.defensivos.iter().take(21) {
        group.put(
            Node::group("defensivo").with(
                "CPFRespTec",
                ctx.codigo(pesticide.cpf_responsavel.as_deref())
                    .unwrap_or_default(),
            ),
        );
    }
    (!group.list().is_empty() || given.guia_transito.is_some()).then_some(group)
}
