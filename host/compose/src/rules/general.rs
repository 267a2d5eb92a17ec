//! Rules of the whole note: dates, parties, purpose.

use crate::context::{Context, Place};
use fiscal::nfe::ie::{self, Ie};
use fiscal::nfe::order::{
    Destino, Endereco, Finalidade, Forma, IndicadorIe, Presenca, TipoOperacao,
};
use markup::ids::IbgeMunicipality;
use markup::layout::normalize_text;
use markup::tree::Node;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

/// Clocks differ: what is a little ahead is not the future (rejection 703), what
/// is a little behind is issued now (704).
const SLACK: Duration = Duration::minutes(5);
/// Of an NF-e (rejection 228).
const MAX_DELAY: Duration = Duration::days(30);
/// Rejections 504 and 505.
const MAX_EXIT: Duration = Duration::days(30);
/// States that know no taxpayer without registration (rejection 805;
/// second-hand, so only a warning).
const WITHOUT_EXEMPT: [&str; 12] = [
    "AM", "BA", "CE", "GO", "MG", "MS", "MT", "PA", "PE", "RN", "SE", "SP",
];

pub(super) fn dates(ctx: &mut Context<'_>, root: &Node, now: OffsetDateTime) {
    let issue = ctx.given.dh_emi;
    let place = Place::root("data_emissao");
    if issue > now + SLACK {
        ctx.error(
            place,
            "emissao_futura",
            "A data de emissão está no futuro (rejeição 703).",
            "Omita data_emissao ou informe a hora atual, com o fuso certo.",
        );
    }
    if ctx.nfce() && issue < now - SLACK {
        ctx.error(
            place,
            "emissao_atrasada",
            "A NFC-e é emitida na hora da venda: a data de emissão já passou (rejeição 704).",
            "Omita data_emissao ou informe a hora atual, com o fuso certo.",
        );
    } else if issue < now - MAX_DELAY {
        ctx.error(
            place,
            "emissao_atrasada",
            "A data de emissão tem mais de 30 dias (rejeição 228).",
            "Emita com a data atual.",
        );
    }
    exit(ctx, root, now);
    if ctx.nfce() && ctx.request.data_saida.is_some() {
        ctx.aviso(
            Place::root("data_saida"),
            "A NFC-e não leva data de saída: o campo foi ignorado.",
        );
    }
}

/// When the goods go or come (rejections 504 to 506).
fn exit(ctx: &mut Context<'_>, root: &Node, now: OffsetDateTime) {
    let text = root.value(&["ide", "dhSaiEnt"]).unwrap_or_default();
    let Ok(exit) = OffsetDateTime::parse(text, &Rfc3339) else {
        return;
    };
    let before = ctx.operation == TipoOperacao::Saida && exit < ctx.given.dh_emi;
    let far = (exit - now).abs() > MAX_EXIT;
    if !before && !far {
        return;
    }
    let (message, correction) = if before {
        (
            "A data de saída é anterior à de emissão (rejeição 506).",
            "Omita data_saida ou informe a hora da saída, depois da emissão.",
        )
    } else {
        (
            "A data de entrada ou saída está a mais de 30 dias de hoje (rejeições 504 e 505).",
            "Corrija ou omita data_saida.",
        )
    };
    ctx.fields.add_value(
        "data_saida",
        "data_saida_invalida",
        text,
        message,
        correction,
    );
}

pub(super) fn emitter(ctx: &mut Context<'_>) {
    let perfil = Place::root("perfil_fiscal");
    let uf = ctx.uf.abbreviation;
    if let Some(ie) = ctx.emitter.ie.as_deref()
        && ie::le(uf, ie).is_none()
    {
        ctx.error(
            perfil.at("ie"),
            "ie_invalida",
            format!("A inscrição estadual do emitente não é válida para {uf} (rejeição 209)."),
            "Corrija a inscrição no perfil fiscal.",
        );
    }
    let address = &ctx.emitter.endereco;
    municipality(ctx, perfil.at("endereco"), address);
}

/// Does the municipality exist, in the state told?
pub(super) fn municipality(ctx: &mut Context<'_>, place: Place<'_>, address: &Endereco) {
    fiscal::person::municipality(&mut ctx.fields, &place.to_string(), address);
}

pub(super) fn receiver(ctx: &mut Context<'_>) {
    let place = ctx.receiver_place();
    let request = ctx.request;
    if request.destinatario.is_some() && request.consumidor.is_some() {
        ctx.error(
            Place::root("consumidor"),
            "grupos_excludentes",
            "Foram informados destinatario e consumidor.",
            "Informe um dos dois.",
        );
    }
    let Some(person) = request.receiver().1 else {
        return;
    };
    let uf = ctx.destination_uf;
    // One that is not there was told already.
    if !ctx.nfce()
        && person
            .nome
            .as_deref()
            .is_some_and(|name| normalize_text(name).is_empty())
    {
        ctx.error(
            place.at("nome"),
            "obrigatorio",
            "Falta o nome do destinatário (rejeição 724).",
            "Informe o nome ou a razão social.",
        );
    }
    if let Some(address) = &person.endereco {
        municipality(ctx, place.at("endereco"), address);
    }
    if uf == "EX" && person.ie.as_deref().is_some_and(|ie| !ie.trim().is_empty()) {
        ctx.aviso(
            place.at("ie"),
            "Quem está no exterior não tem inscrição estadual: o campo foi ignorado.",
        );
    }
    let foreigner = person.cpf_cnpj.is_none() && person.documento_estrangeiro.is_some();
    if foreigner && !ctx.nfce() && ctx.destination != Destino::Exterior && !ctx.final_consumer {
        ctx.error(
            place.at("cpf_cnpj"),
            "obrigatorio",
            "Quem compra no país sem CPF nem CNPJ é consumidor final (rejeição 721).",
            "Informe cpf_cnpj, ou consumidor_final true.",
        );
    }
    registration(ctx, place, person.ie.as_deref().filter(|_| uf != "EX"));
    if ctx.ie_indicator == IndicadorIe::NaoContribuinte
        && !ctx.final_consumer
        && ctx.destination != Destino::Exterior
        && ctx.operation == TipoOperacao::Saida
    {
        ctx.error(
            Place::root("consumidor_final"),
            "consumidor_final_obrigatorio",
            "Operação com não contribuinte é com consumidor final (rejeição 696).",
            "Informe consumidor_final true, ou a inscrição estadual do destinatário.",
        );
    }
}

/// State registration of the recipient, and what its indicator says.
fn registration(ctx: &mut Context<'_>, place: Place<'_>, ie: Option<&str>) {
    let uf = ctx.destination_uf;
    match ie.map(|ie| ie::le(uf, ie)) {
        Some(None) if ctx.ie_indicator != IndicadorIe::Isento => ctx.error(
            place.at("ie"),
            "ie_invalida",
            format!("Inscrição estadual inválida para {uf} (rejeição 210)."),
            "Confira o número ou informe indicador_ie 9 (não contribuinte).",
        ),
        Some(Some(Ie::Exempt)) if ctx.ie_indicator == IndicadorIe::Contribuinte => ctx.error(
            place.at("ie"),
            "ie_invalida",
            "Contribuinte (indicador_ie 1) não pode ser isento de inscrição.",
            "Informe a inscrição ou indicador_ie 2.",
        ),
        _ => {}
    }
    if ctx.ie_indicator == IndicadorIe::Isento && WITHOUT_EXEMPT.contains(&uf) {
        ctx.aviso(
            place.at("indicador_ie"),
            format!("{uf} pode não aceitar contribuinte isento de inscrição (rejeição 805)."),
        );
    }
}

pub(super) fn operation(ctx: &mut Context<'_>) {
    destination(ctx);
    taxable_event(ctx);
    purpose(ctx);
    let request = ctx.request;
    if !ctx.nfce() && ctx.presence == Presenca::EntregaDomicilio {
        ctx.error(
            Place::root("presenca"),
            "presenca_invalida",
            "Entrega em domicílio é indicador da NFC-e (rejeição 794).",
            "Use internet, teleatendimento ou outros.",
        );
    }
    if request.intermediador.is_some() && !ctx.presence.is_a_distancia() {
        ctx.error(
            Place::root("intermediador"),
            "intermediador_indevido",
            "Só há intermediador em operação não presencial.",
            "Corrija presenca (internet, teleatendimento, entrega_domicilio, outros) ou retire o grupo.",
        );
    }
}

/// Where the tax falls due, when it is told: in the emitter's state.
fn taxable_event(ctx: &mut Context<'_>) {
    let Some(codigo) = ctx.request.municipio_fato_gerador.as_deref() else {
        return;
    };
    let codigo = codigo.trim();
    let exists = codigo
        .parse()
        .ok()
        .and_then(data::municipalities::get)
        .is_some();
    let here = IbgeMunicipality::parse(codigo)
        .is_ok_and(|municipality| municipality.uf_abbreviation() == Some(ctx.uf.abbreviation));
    if !exists || !here {
        let uf = ctx.uf.abbreviation;
        ctx.fields.add_value(
            "municipio_fato_gerador",
            "municipio_invalido",
            codigo,
            format!("O município do fato gerador não existe em {uf} (rejeições 270 e 271)."),
            "Informe um município da UF do emitente, ou omita o campo.",
        );
    }
}

fn destination(ctx: &mut Context<'_>) {
    let (here, there) = (ctx.uf.abbreviation, ctx.destination_uf);
    let problem = match ctx.destination {
        Destino::Exterior if there != "EX" => {
            Some("Operação com o exterior e destinatário no Brasil (rejeição 520).")
        }
        Destino::Interna | Destino::Interestadual if there == "EX" && !ctx.nfce() => {
            // A foreigner who buys over the counter.
            let over_counter = ctx.destination == Destino::Interna && ctx.final_consumer;
            (!over_counter).then_some("Destinatário no exterior e operação dentro do país.")
        }
        Destino::Interestadual if there == here => {
            Some("Operação interestadual e destinatário na mesma UF (rejeição 523).")
        }
        Destino::Interna if there != here && ctx.ie_indicator == IndicadorIe::Contribuinte => {
            Some("Operação interna e destinatário contribuinte em outra UF (rejeição 521).")
        }
        // Goods may be fetched or delivered elsewhere than where the buyer is.
        Destino::Interna
            if there != here
                && there != "EX"
                && !ctx.final_consumer
                && ctx.request.entrega.is_none()
                && ctx.request.retirada.is_none() =>
        {
            Some(
                "Operação interna e destinatário em outra UF que não é consumidor final (rejeição 773).",
            )
        }
        _ => None,
    };
    if let Some(message) = problem {
        if let Some((position, cfop, other)) = by_cfop(ctx, here, there) {
            ctx.error(
                Place::list("itens", position).at("cfop"),
                "destino_incoerente",
                format!("O CFOP {cfop} não é de uma operação entre {here} e {there}: {message}"),
                format!(
                    "Use {other}, se a natureza é a mesma, ou corrija o endereço do destinatário."
                ),
            );
            return;
        }
        ctx.error(
            Place::root("destino_operacao"),
            "destino_incoerente",
            message,
            "Corrija o endereço do destinatário, o CFOP dos itens ou destino_operacao.",
        );
    }
}

/// The first item whose CFOP made the operation one within the state or between states
/// against the addresses, and the CFOP of the other kind; None where the request says
/// the destination itself.
fn by_cfop(ctx: &Context<'_>, here: &str, there: &str) -> Option<(usize, String, String)> {
    if ctx.request.destino_operacao.is_some() || there == "EX" {
        return None;
    }
    let (wrong, right) = if here == there {
        ('6', '5')
    } else {
        ('5', '6')
    };
    let mut items = ctx.request.itens.iter().enumerate();
    items.find_map(|(position, item)| {
        let digits = item.cfop.as_deref()?.chars().filter(char::is_ascii_digit);
        let cfop: String = digits.collect();
        let rest = cfop.strip_prefix(wrong)?;
        Some((position, cfop.clone(), format!("{right}{rest}")))
    })
}

fn purpose(ctx: &mut Context<'_>) {
    let request = ctx.request;
    let per_item = request
        .itens
        .iter()
        .any(|item| item.documento_referenciado.is_some());
    let reference = !request.referencias.is_empty() || per_item;
    let (missing, rejection) = match ctx.purpose {
        Finalidade::Complementar => (!reference, "254"),
        Finalidade::Devolucao => (!reference, "321"),
        _ => (false, ""),
    };
    if missing {
        ctx.error(
            Place::root("referencias"),
            "obrigatorio",
            format!("Falta o documento a que a nota se refere (rejeição {rejection})."),
            "Informe referencias[].chave.",
        );
    }
    if ctx.purpose == Finalidade::Complementar && request.referencias.len() > 1 {
        ctx.error(
            Place::root("referencias"),
            "limite",
            "A nota complementar se refere a um só documento (rejeição 255).",
            "Emita uma complementar para cada documento.",
        );
    }
    for (name, correct, came) in [
        (
            "tipo_nota_debito",
            Finalidade::NotaDebito,
            request.tipo_nota_debito.is_some(),
        ),
        (
            "tipo_nota_credito",
            Finalidade::NotaCredito,
            request.tipo_nota_credito.is_some(),
        ),
    ] {
        if (ctx.purpose == correct) != came {
            ctx.error(
                Place::root(name),
                "tipo_de_nota_incoerente",
                format!(
                    "O campo {name} acompanha a finalidade {}, e só ela.",
                    correct.word()
                ),
                "Informe o tipo da nota ou corrija a finalidade.",
            );
        }
    }
    let without_payment = matches!(ctx.purpose, Finalidade::Ajuste | Finalidade::Devolucao);
    for (i, payment) in request.pagamentos.iter().enumerate() {
        if without_payment
            && payment
                .forma
                .is_some_and(|form| form != Forma::SemPagamento)
        {
            ctx.error(
                Place::list("pagamentos", i).at("forma"),
                "pagamento_indevido",
                "Ajuste e devolução não levam pagamento (rejeição 871).",
                "Use forma \"sem_pagamento\" ou omita pagamentos.",
            );
        }
    }
}
