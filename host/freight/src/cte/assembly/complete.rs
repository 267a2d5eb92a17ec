//! What the request leaves out and the emitter, a table or another member says.

use crate::cte::order::{
    Entrega, EntregaData, EntregaHora, Modal, Papel, Parte, Servico, Tipo, TipoData, TipoHora,
    Tomador,
};
use crate::cte::work::Work;
use crate::places::{ABROAD, place};
use compose::frame::Ambiente;
use fiscal::nfe::order::{Endereco, IndicadorIe};
use markup::ids::CpfCnpj;

/// What participants are called in homologation (rejections 646 to 649;
/// second-hand: several programs that issue by layout 4.00 write it so, those of
/// 3.00 had "CT-E").
const HOMOLOGACAO_NAME: &str = "CTE EMITIDO EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";
/// `CNPJ` of who is not established in Brazil (MOC, `rem/CNPJ`).
const FOREIGN: &str = "00000000000000";
/// Code of Brazil at the Central Bank.
const BRAZIL: &str = "1058";

pub(super) fn complete(work: &mut Work<'_>) {
    let own_city = work.emitter.endereco.codigo_ibge.clone();
    let responsible = work.emitter.padroes.responsavel_tecnico.clone();
    let homologacao = work.frame.ambiente == Ambiente::Homologacao;
    let order = &mut work.order;
    order.tipo.get_or_insert(Tipo::Normal);
    order.servico.get_or_insert(Servico::Normal);
    order.retira.get_or_insert(false);
    if order.municipio_envio.is_none() {
        order.municipio_envio = own_city;
    }
    if order.responsavel_tecnico.is_none() {
        order.responsavel_tecnico = responsible;
    }
    for code in [
        &mut order.municipio_envio,
        &mut order.municipio_inicio,
        &mut order.municipio_fim,
    ] {
        trim(code);
    }
    trim(&mut order.cfop);
    if order
        .natureza_operacao
        .as_deref()
        .unwrap_or_default()
        .trim()
        .is_empty()
    {
        let code = order.cfop.as_deref().and_then(|cfop| cfop.parse().ok());
        let title = code.and_then(data::cfop::get).map(|cfop| cfop.title);
        order.natureza_operacao = title.map(|title| title.chars().take(60).collect());
    }
    for person in [
        &mut order.remetente,
        &mut order.expedidor,
        &mut order.recebedor,
        &mut order.destinatario,
    ]
    .into_iter()
    .flatten()
    {
        participant(person, homologacao);
    }
    if let Some(payer) = &mut order.tomador {
        outsider(payer);
    }
    if let Some(values) = &mut order.valores
        && values.receber.is_none()
    {
        values.receber = values.prestacao;
    }
    if let Some(delivery) = &mut order.entrega {
        complete_delivery(delivery);
    }
    if order.modal == Some(Modal::Multimodal)
        && let Some(group) = &mut order.multimodal
    {
        group.negociavel.get_or_insert(false);
    }
    for railway in order
        .ferroviario
        .iter_mut()
        .filter_map(|group| group.trafego_mutuo.as_mut())
        .flat_map(|shared| &mut shared.ferrovias)
    {
        if let Some(address) = &mut railway.endereco {
            complete_address(address);
            // The layout has no country there.
            address.codigo_pais = None;
            address.pais = None;
        }
    }
    if order.indicador_ie_tomador.is_none() {
        order.indicador_ie_tomador = order.payer().map(|payer| indicator(payer.ie));
    }
}

fn trim(text: &mut Option<String>) {
    if let Some(text) = text {
        *text = text.trim().to_owned();
    }
}

/// A registration is a contributor's, "ISENTO" an exempt one's.
fn indicator(ie: Option<&str>) -> IndicadorIe {
    match ie.unwrap_or_default().trim() {
        "" => IndicadorIe::NaoContribuinte,
        ie if ie.eq_ignore_ascii_case("isento") => IndicadorIe::Isento,
        _ => IndicadorIe::Contribuinte,
    }
}

fn participant(person: &mut Parte, homologacao: bool) {
    if homologacao {
        person.nome = Some(HOMOLOGACAO_NAME.to_owned());
    }
    normalize(&mut person.cpf_cnpj);
    if let Some(address) = &mut person.endereco {
        complete_address(address);
        if is_abroad(address) && person.cpf_cnpj.is_none() {
            person.cpf_cnpj = Some(FOREIGN.to_owned());
        }
    }
}

fn outsider(payer: &mut Tomador) {
    if payer.papel.is_none() && payer.cpf_cnpj.is_some() {
        payer.papel = Some(Papel::Outro);
    }
    normalize(&mut payer.cpf_cnpj);
    if let Some(address) = &mut payer.endereco {
        complete_address(address);
        if is_abroad(address) && payer.cpf_cnpj.is_none() {
            payer.cpf_cnpj = Some(FOREIGN.to_owned());
        }
    }
}

/// Without punctuation, as it is stored and searched by.
fn normalize(documento: &mut Option<String>) {
    let read = documento
        .as_deref()
        .and_then(|text| CpfCnpj::parse(text).ok());
    if let Some(read) = read {
        *documento = Some(read.to_string());
    }
}

fn is_abroad(address: &Endereco) -> bool {
    let code = address.codigo_pais.as_deref().unwrap_or(BRAZIL).trim();
    address.uf.as_deref() == Some("EX") || !matches!(code, BRAZIL | "BR" | "")
}

/// City and state by the code; a foreign address has the codes the layout wants.
fn complete_address(address: &mut Endereco) {
    if let Some(uf) = &mut address.uf {
        *uf = uf.trim().to_ascii_uppercase();
    }
    if address
        .numero
        .as_deref()
        .unwrap_or_default()
        .trim()
        .is_empty()
    {
        address.numero = Some("S/N".to_owned());
    }
    if is_abroad(address) {
        address.uf = Some("EX".to_owned());
        address.codigo_ibge = Some(ABROAD.to_owned());
        address.cidade = Some("EXTERIOR".to_owned());
        // Postal codes of other countries do not fit the element.
        address.cep = None;
        return;
    }
    let Some(found) = place(address.codigo_ibge.as_deref()) else {
        return;
    };
    trim(&mut address.codigo_ibge);
    address.cidade.get_or_insert_with(|| found.name.to_owned());
    address.uf.get_or_insert_with(|| found.uf.to_owned());
    address.codigo_pais = Some(BRAZIL.to_owned());
    address.pais = Some("BRASIL".to_owned());
}

fn complete_delivery(delivery: &mut Entrega) {
    let date = delivery.data.get_or_insert_with(EntregaData::default);
    if date.tipo.is_none() {
        date.tipo = Some(match (&date.data, &date.inicio) {
            (Some(_), _) => TipoData::NaData,
            (None, Some(_)) => TipoData::NoPeriodo,
            (None, None) => TipoData::SemData,
        });
    }
    let time = delivery.hora.get_or_insert_with(EntregaHora::default);
    if time.tipo.is_none() {
        time.tipo = Some(match (&time.hora, &time.inicio) {
            (Some(_), _) => TipoHora::NoHorario,
            (None, Some(_)) => TipoHora::NoIntervalo,
            (None, None) => TipoHora::SemHora,
        });
    }
}
