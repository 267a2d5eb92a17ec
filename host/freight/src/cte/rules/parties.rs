//! Participants: who must be there, and what each must have.

use crate::cte::order::{Papel, Parte, Servico, Tipo};
use crate::cte::work::Work;
use crate::places::place;
use fiscal::nfe::ie;
use fiscal::nfe::order::{Endereco, IndicadorIe};
use markup::ids::{CpfCnpj, Takes};
use std::collections::BTreeSet;

/// Highest number of who may download the XML (`autXML`).
const MAX_AUTHORIZED: usize = 10;

pub(super) fn check(work: &mut Work<'_>) {
    required(work);
    for role in Papel::PARTICIPANTS {
        if let Some((name, person)) = work.order.participant(role) {
            let person = person.clone();
            participant(work, name, &person);
            only_of(
                work,
                name,
                "nome_fantasia",
                (role, Papel::Remetente),
                &person.nome_fantasia,
            );
            only_of(
                work,
                name,
                "suframa",
                (role, Papel::Destinatario),
                &person.suframa,
            );
        }
    }
    payer(work);
    authorized(work);
}

/// Sender and receiver are only left out between two carriers, which are there
/// then (rejections 469, 470, 474 and 475).
fn required(work: &mut Work<'_>) {
    if work.kind() == Tipo::Complementar {
        return;
    }
    let between = matches!(
        work.service(),
        Servico::RedespachoIntermediario | Servico::VinculadoMultimodal
    );
    if between {
        if work.order.expedidor.is_none() {
            work.missing(
                "expedidor",
                "Informe quem entrega a carga a este transporte.",
            );
        }
        if work.order.recebedor.is_none() {
            work.missing(
                "recebedor",
                "Informe a quem este transporte entrega a carga.",
            );
        }
        return;
    }
    if work.order.remetente.is_none() {
        work.missing("remetente", "Informe o remetente da carga.");
    }
    if work.order.destinatario.is_none() {
        work.missing("destinatario", "Informe o destinatário da carga.");
    }
}

fn participant(work: &mut Work<'_>, name: &str, person: &Parte) {
    registration(work, name, person.cpf_cnpj.as_deref());
    if person.nome.as_deref().unwrap_or_default().trim().is_empty() {
        work.missing(&format!("{name}.nome"), "Informe o nome ou a razão social.");
    }
    address(work, name, person.endereco.as_ref());
    let state = person.endereco.as_ref().and_then(|at| at.uf.clone());
    registration_of_state(work, name, state.as_deref(), person.ie.as_deref());
}

/// A state registration is the state's (rejections 210, 419, 432, 440 and 448).
fn registration_of_state(work: &mut Work<'_>, name: &str, uf: Option<&str>, ie: Option<&str>) {
    let given = ie.filter(|ie| !ie.trim().is_empty());
    if let (Some(uf), Some(ie)) = (uf.filter(|uf| *uf != "EX"), given)
        && ie::le(uf, ie).is_none()
    {
        work.fields.add(
            format!("{name}.ie"),
            "ie_invalida",
            format!("Inscrição estadual inválida para {uf}."),
            "Confira o número, ou retire o campo de quem não é contribuinte.",
        );
    }
}

/// A member that the layout has of one role alone.
fn only_of(
    work: &mut Work<'_>,
    name: &str,
    member: &str,
    (role, owner): (Papel, Papel),
    given: &Option<String>,
) {
    if given.is_some() && role != owner {
        work.fields.add(
            format!("{name}.{member}"),
            "campo_nao_cabe",
            format!("O leiaute só leva {member} do {}.", owner.word()),
            "Retire o campo.",
        );
    }
}

fn registration(work: &mut Work<'_>, name: &str, documento: Option<&str>) {
    let place = format!("{name}.cpf_cnpj");
    match documento {
        None | Some("") => work.missing(&place, "Informe o CPF ou CNPJ."),
        // Who is not established in Brazil.
        Some(zeros) if zeros.bytes().all(|byte| byte == b'0') && zeros.len() == 14 => {}
        Some(documento) if CpfCnpj::parse(documento).is_err() => {
            work.fields.add_number(place, Takes::CpfCnpj, documento);
        }
        Some(_) => {}
    }
}

fn address(work: &mut Work<'_>, name: &str, address: Option<&Endereco>) {
    let Some(address) = address else {
        return work.missing(&format!("{name}.endereco"), "Informe o endereço.");
    };
    let code = address.codigo_ibge.as_deref().unwrap_or_default();
    let Some(found) = place(Some(code)) else {
        return work.fields.add(
            format!("{name}.endereco.codigo_ibge"),
            "municipio_inexistente",
            "Não há município com esse código IBGE.",
            "Informe o código IBGE do município, sete dígitos.",
        );
    };
    if address.uf.as_deref() != Some(found.uf) {
        work.fields.add(
            format!("{name}.endereco.uf"),
            "uf_incompativel",
            format!("O município é de {}.", found.uf),
            "Corrija a UF ou o código IBGE.",
        );
    }
}

fn payer(work: &mut Work<'_>) {
    let Some(payer) = work.order.tomador.clone() else {
        return work.missing("tomador", "Informe em tomador.papel quem paga o frete.");
    };
    let Some(role) = payer.papel else {
        return work.missing(
            "tomador.papel",
            "Informe remetente, expedidor, recebedor, destinatario ou outro.",
        );
    };
    if role == Papel::Outro {
        registration(work, "tomador", payer.cpf_cnpj.as_deref());
        if payer.nome.as_deref().unwrap_or_default().trim().is_empty() {
            work.missing("tomador.nome", "Informe o nome ou a razão social.");
        }
        address(work, "tomador", payer.endereco.as_ref());
        let state = payer.endereco.as_ref().and_then(|at| at.uf.clone());
        registration_of_state(work, "tomador", state.as_deref(), payer.ie.as_deref());
        named_twice(work, payer.cpf_cnpj.as_deref(), payer.ie.as_deref());
    } else if work.order.participant(role).is_none() {
        work.fields.add(
            "tomador.papel",
            "tomador_ausente",
            format!("O tomador é o {0}, e o CT-e não tem {0}.", role.word()),
            format!("Informe {}, ou outro papel.", role.word()),
        );
    }
    let has_number = work.order.payer().is_some_and(|payer| {
        let ie = payer.ie.unwrap_or_default().trim();
        !ie.is_empty() && !ie.eq_ignore_ascii_case("isento")
    });
    if work.payer_indicator() == Some(IndicadorIe::Contribuinte) && !has_number {
        let place = work.order.payer().map_or("tomador", |payer| payer.place);
        work.fields.add(
            format!("{place}.ie"),
            "obrigatorio",
            "O tomador contribuinte precisa de inscrição estadual.",
            "Informe ie, ou indicador_ie_tomador isento ou nao_contribuinte.",
        );
    }
}

/// Who pays as somebody else is none of the participants (rejection 799).
fn named_twice(work: &mut Work<'_>, documento: Option<&str>, ie: Option<&str>) {
    let who = |documento: Option<&str>, ie: Option<&str>| {
        let documento = CpfCnpj::parse(documento.unwrap_or_default()).ok()?;
        Some((documento, ie::normalize(ie.unwrap_or_default())))
    };
    let Some(other) = who(documento, ie) else {
        return;
    };
    let same = Papel::PARTICIPANTS.into_iter().find(|role| {
        let named = work.order.participant(*role);
        named.is_some_and(|(_, person)| {
            who(person.cpf_cnpj.as_deref(), person.ie.as_deref()).as_ref() == Some(&other)
        })
    });
    if let Some(role) = same {
        work.fields.add(
            "tomador.papel",
            "papel_repetido",
            format!("O tomador já é o {} deste CT-e.", role.word()),
            format!(
                "Informe {} em tomador.papel, sem os outros dados.",
                role.word()
            ),
        );
    }
}

/// Who may read the XML is named once and is nobody whom the CT-e names anyway
/// (rejections 699, 700, 715 and 828).
fn authorized(work: &mut Work<'_>) {
    let order = &work.order;
    let mut known: BTreeSet<CpfCnpj> = Papel::PARTICIPANTS
        .into_iter()
        .filter_map(|role| order.participant(role))
        .map(|(_, person)| person.cpf_cnpj.as_deref())
        .chain(
            order
                .tomador
                .as_ref()
                .map(|payer| payer.cpf_cnpj.as_deref()),
        )
        .filter_map(|documento| CpfCnpj::parse(documento?).ok())
        .collect();
    let given = work.order.autorizados_xml.clone();
    if given.len() > MAX_AUTHORIZED {
        work.fields.add(
            "autorizados_xml",
            "limite",
            format!("São até {MAX_AUTHORIZED} autorizados."),
            "Reduza a lista.",
        );
    }
    for (position, documento) in given.iter().take(MAX_AUTHORIZED).enumerate() {
        let place = format!("autorizados_xml[{position}]");
        match CpfCnpj::parse(documento) {
            Err(_) => work.fields.add_number(place, Takes::CpfCnpj, documento),
            Ok(documento) if !known.insert(documento) => work.fields.add(
                place,
                "autorizado_repetido",
                "O CPF ou CNPJ já está no CT-e: participante, tomador ou outro autorizado.",
                "Retire a repetição.",
            ),
            Ok(_) => {}
        }
    }
}
