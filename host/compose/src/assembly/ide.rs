//! `ide`: what the note is, and what it refers to.

use crate::assembly::parties;
use crate::context::{Context, Place};
use fiscal::nfe::order::{CompraGovernamental, Finalidade, NotaPapel, Referencia, TipoOperacao};
use markup::ids::chave::Chave;
use markup::tree::Node;
use time::format_description::well_known::Rfc3339;
use time::macros::{date, format_description};
use time::{Date, OffsetDateTime};

/// Highest number of referred documents (MOC, BA01).
const MAX_REFERENCES: usize = 999;
const MAX_ADVANCE_PAYMENTS: usize = 99;

pub(super) fn ide(ctx: &mut Context<'_>, dv: u8) -> Node {
    let (request, given) = (ctx.request, ctx.given);
    let nature = request.natureza_operacao.as_deref().or(ctx
        .emitter
        .padroes
        .natureza_operacao
        .as_deref());
    let nature = ctx
        .text(Place::root("natureza_operacao"), nature, 60)
        .unwrap_or_else(|| usual_nature(ctx).to_owned());
    let exit = request.data_saida.as_deref().filter(|_| !ctx.nfce());
    let exit = exit.and_then(|text| date_time(ctx, Place::root("data_saida"), text));
    let municipality = request
        .municipio_fato_gerador
        .as_deref()
        .or(ctx.emitter.endereco.codigo_ibge.as_deref())
        .unwrap_or_default();
    let mut ide = Node::group_of("ide", 32)
        .with("cUF", ctx.uf.codigo.to_string())
        .with("cNF", format!("{:08}", given.c_nf))
        .with("natOp", nature)
        .with("mod", given.modelo.codigo().to_string())
        .with("serie", given.serie.to_string())
        .with("nNF", given.numero.to_string())
        .with("dhEmi", timestamp(given.dh_emi))
        .with_if("dhSaiEnt", exit)
        .with("tpNF", ctx.operation.codigo())
        .with("idDest", ctx.destination.codigo())
        .with("cMunFG", municipality.trim())
        // 1: portrait; 4: DANFE NFC-e.
        .with("tpImp", if ctx.nfce() { "4" } else { "1" })
        .with("tpEmis", given.tp_emis.to_string())
        .with("cDV", dv.to_string())
        .with("tpAmb", given.ambiente.codigo())
        .with("finNFe", ctx.purpose.codigo())
        .with("indFinal", if ctx.final_consumer { "1" } else { "0" })
        .with("indPres", ctx.presence.codigo())
        .with_if("indIntermed", intermediator_indicator(ctx))
        // 0: own application.
        .with("procEmi", "0")
        .with("verProc", ver_proc(&given.ver_proc));
    ide = ide.children(references(ctx));
    ide.child_if(government_purchase(
        ctx,
        request.compra_governamental.as_ref(),
    ))
    .child_if(advance_payments(ctx))
}

fn ver_proc(text: &str) -> String {
    let clean: String = markup::layout::normalize_text(text)
        .chars()
        .take(20)
        .collect();
    if clean.is_empty() {
        "1".to_owned()
    } else {
        clean
    }
}

fn usual_nature(ctx: &Context<'_>) -> &'static str {
    match (ctx.purpose, ctx.operation) {
        (Finalidade::Devolucao, _) => "Devolucao de mercadoria",
        (Finalidade::Complementar, _) => "Complemento",
        (Finalidade::Ajuste, _) => "Ajuste",
        (Finalidade::NotaCredito, _) => "Nota de credito",
        (Finalidade::NotaDebito, _) => "Nota de debito",
        (Finalidade::Normal, TipoOperacao::Saida) => "Venda de mercadoria",
        (Finalidade::Normal, TipoOperacao::Entrada) => "Entrada de mercadoria",
    }
}

/// Asked for sales at a distance only (MOC, B25c; rejections 434 and 435).
fn intermediator_indicator(ctx: &Context<'_>) -> Option<&'static str> {
    let a_distancia = ctx.presence.is_a_distancia();
    a_distancia.then_some(if ctx.request.intermediador.is_some() {
        "1"
    } else {
        "0"
    })
}

/// `AAAA-MM-DDThh:mm:ss±hh:mm`, without fraction (TDateTimeUTC).
pub(super) fn timestamp(timestamp: OffsetDateTime) -> String {
    let formato = format_description!(
        "[year]-[month]-[day]T[hour]:[minute]:[second][offset_hour sign:mandatory]:[offset_minute]"
    );
    timestamp.format(formato).unwrap_or_default()
}

fn date_time(ctx: &mut Context<'_>, place: Place<'_>, text: &str) -> Option<String> {
    match OffsetDateTime::parse(text.trim(), &Rfc3339) {
        Ok(read) => Some(timestamp(read)),
        Err(_) => {
            ctx.error(
                place,
                "data_invalida",
                "Data e hora inválidas.",
                "Use o formato 2026-10-05T10:15:00-03:00.",
            );
            None
        }
    }
}

/// `AAAA-MM-DD`.
pub(super) fn data(ctx: &mut Context<'_>, place: Place<'_>, text: Option<&str>) -> Option<String> {
    let text = text?.trim();
    match Date::parse(text, format_description!("[year]-[month]-[day]")) {
        Ok(data) if (2000..2100).contains(&data.year()) => Some(text.to_owned()),
        _ => {
            ctx.error(
                place,
                "data_invalida",
                "Data inválida.",
                "Use o formato 2026-10-05.",
            );
            None
        }
    }
}

/// A key of any document, checked.
pub(super) fn chave(ctx: &mut Context<'_>, place: Place<'_>, text: Option<&str>) -> Option<Chave> {
    match Chave::parse(text?) {
        Ok(chave) => Some(chave),
        Err(_) => {
            ctx.error(
                place,
                "chave_invalida",
                "Chave de acesso inválida: confira as 44 posições e o dígito verificador.",
                "Informe a chave como está no documento.",
            );
            None
        }
    }
}

/// From this day a return names what it returns item by item, not in `NFref`
/// (rule VC02-14, NT 2025.002 v1.40 and v1.52; second-hand, not confirmed).
pub(super) fn return_per_item(ctx: &Context<'_>) -> bool {
    ctx.purpose == Finalidade::Devolucao && ctx.given.dh_emi.date() >= date!(2026 - 11 - 03)
}

fn references(ctx: &mut Context<'_>) -> Vec<Node> {
    let request = ctx.request;
    if request.referencias.len() > MAX_REFERENCES {
        ctx.error(
            Place::root("referencias"),
            "limite",
            "São no máximo 999 documentos referenciados.",
            "Retire os excedentes.",
        );
        return Vec::new();
    }
    let per_item = return_per_item(ctx);
    let mut groups = Vec::new();
    for (i, reference) in request.referencias.iter().enumerate() {
        let place = Place::list("referencias", i);
        let element = one(ctx, place, reference);
        let electronic = element.as_ref().is_some_and(|e| e.name == "refNFe");
        if let Some(element) = element
            && !(per_item && electronic)
        {
            groups.push(Node::group("NFref").child(element));
        }
    }
    groups
}

fn one(ctx: &mut Context<'_>, place: Place<'_>, reference: &Referencia) -> Option<Node> {
    if let Some(text) = &reference.chave {
        let chave = chave(ctx, place.at("chave"), Some(text))?;
        let name = if chave.model() == 57 {
            "refCTe"
        } else {
            "refNFe"
        };
        return Some(Node::field(name, chave.as_str()));
    }
    if let Some(text) = &reference.chave_sigilosa {
        // Its `cNF` is zeroed, so the check digit says nothing.
        let clean = ctx.codigo(Some(text)).unwrap_or_default();
        return Some(Node::field("refNFeSig", clean));
    }
    if let Some(nota) = &reference.nota_papel {
        let place = place.at("nota_papel");
        let group = role(ctx, place, "refNF", nota);
        let cnpj = parties::cnpj(ctx, place.at("cnpj"), "CNPJ", nota.cnpj.as_deref());
        return Some(group.child_if(cnpj).children(paper_end(nota)));
    }
    if let Some(nota) = &reference.nota_produtor {
        let place = place.at("nota_produtor");
        let common = NotaPapel {
            uf: nota.uf.clone(),
            mes: nota.mes.clone(),
            cnpj: None,
            modelo: nota.modelo.clone(),
            serie: nota.serie.clone(),
            numero: nota.numero.clone(),
        };
        let group = role(ctx, place, "refNFP", &common);
        let documento = parties::cpf_cnpj(ctx, place.at("cpf_cnpj"), nota.cpf_cnpj.as_deref());
        return Some(
            group
                .child_if(documento)
                .with(
                    "IE",
                    parties::only_ie(nota.ie.as_deref().unwrap_or("ISENTO")),
                )
                .children(paper_end(&common)),
        );
    }
    if let Some(coupon) = &reference.cupom {
        let text = |field: &Option<String>| field.as_deref().unwrap_or_default().trim().to_owned();
        return Some(
            Node::group("refECF")
                .with("mod", text(&coupon.modelo))
                .with("nECF", text(&coupon.numero_ecf))
                .with("nCOO", text(&coupon.coo)),
        );
    }
    ctx.missing(
        place.at("chave"),
        "Informe a chave do documento referenciado.",
    );
    None
}

fn role(ctx: &mut Context<'_>, place: Place<'_>, name: &'static str, nota: &NotaPapel) -> Node {
    let uf = nota
        .uf
        .as_deref()
        .and_then(|uf| data::ufs::by_uf(&uf.trim().to_ascii_uppercase()));
    if uf.is_none() {
        ctx.missing(place.at("uf"), "Informe a sigla da UF de quem emitiu.");
    }
    let aamm = nota.mes.as_deref().and_then(|month| {
        let (year, month) = month.trim().strip_prefix("20")?.split_once('-')?;
        (year.len() == 2 && month.len() == 2).then(|| format!("{year}{month}"))
    });
    if aamm.is_none() {
        ctx.error(
            place.at("mes"),
            "data_invalida",
            "Falta o mês de emissão.",
            "Use o formato 2026-10.",
        );
    }
    Node::group(name)
        .with(
            "cUF",
            uf.map(|uf| uf.codigo.to_string()).unwrap_or_default(),
        )
        .with("AAMM", aamm.unwrap_or_default())
}

fn paper_end(nota: &NotaPapel) -> [Node; 3] {
    let text = |field: &Option<String>, usual: &str| {
        let text = field.as_deref().unwrap_or(usual).trim().to_owned();
        match text.trim_start_matches('0') {
            "" => "0".to_owned(),
            without_zeros => without_zeros.to_owned(),
        }
    };
    [
        Node::field("mod", nota.modelo.as_deref().unwrap_or("01").trim()),
        Node::field("serie", text(&nota.serie, "0")),
        Node::field("nNF", text(&nota.numero, "")),
    ]
}

fn government_purchase(
    ctx: &mut Context<'_>,
    purchase: Option<&CompraGovernamental>,
) -> Option<Node> {
    let purchase = purchase?;
    let place = Place::root("compra_governamental");
    let mut group = Node::group("gCompraGov");
    for (i, text) in purchase
        .referencias
        .iter()
        .take(MAX_ADVANCE_PAYMENTS + 1)
        .enumerate()
    {
        if let Some(chave) = chave(ctx, place.n("referencias", i), Some(text)) {
            group.put(Node::field("refDFeAnt", chave.as_str()));
        }
    }
    Some(group)
}

fn advance_payments(ctx: &mut Context<'_>) -> Option<Node> {
    let request = ctx.request;
    if request.pagamentos_antecipados.is_empty() {
        return None;
    }
    let mut group = Node::group("gPagAntecipado");
    for (i, text) in request
        .pagamentos_antecipados
        .iter()
        .take(MAX_ADVANCE_PAYMENTS + 1)
        .enumerate()
    {
        let place = Place::list("pagamentos_antecipados", i);
        if let Some(chave) = chave(ctx, place, Some(text)) {
            group.put(Node::field("refNFe", chave.as_str()));
        }
    }
    Some(group)
}
