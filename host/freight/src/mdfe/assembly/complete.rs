//! What the request leaves out and the emitter, a table or another member says.

use crate::mdfe::order::{
    Carga, CteManifestado, Descarga, FormaPagamento, MdfeManifestado, NfeManifestada,
    PagamentoFrete, Pedido, Proprietario, ResponsavelSeguro, TipoCarroceria, TipoEmitente,
    TipoProprietario, TipoRodado, UnidadePeso,
};
use crate::mdfe::work::{Work, number};
use crate::places::place;
use fiscal::body::Number;
use markup::ids::chave::Chave;
use rust_decimal::Decimal;

pub(super) fn complete(work: &mut Work<'_>) {
    let modal = work.modal();
    let responsible = work.emitter.padroes.responsavel_tecnico.clone();
    let order = &mut work.order;
    order.modal = Some(modal);
    if order.responsavel_tecnico.is_none() {
        order.responsavel_tecnico = responsible;
    }
    for uf in [&mut order.uf_inicio, &mut order.uf_fim]
        .into_iter()
        .flatten()
        .chain(&mut order.percurso)
    {
        *uf = uf.trim().to_ascii_uppercase();
    }
    for city in &mut order.carregamento {
        named(&mut city.codigo_ibge, &mut city.cidade);
    }
    for city in &mut order.documentos {
        named(&mut city.codigo_ibge_descarga, &mut city.cidade_descarga);
        by_model(city);
    }
    if order.tipo_emitente.is_none() {
        let (ctes, ..) = order.counts();
        order.tipo_emitente = Some(match ctes {
            0 => TipoEmitente::CargaPropria,
            _ => TipoEmitente::Prestador,
        });
    }
    vehicles(order);
    for insurance in &mut order.seguro {
        insurance
            .responsavel
            .get_or_insert(ResponsavelSeguro::Emitente);
    }
    if let Some(cargo) = &mut order.carga {
        weight(cargo);
    }
    if let Some(road) = &mut order.rodoviario {
        road.pagamentos.iter_mut().for_each(payment);
    }
    if let Some(rail) = &mut order.ferroviario
        && rail.quantidade_vagoes.is_none()
        && !rail.vagoes.is_empty()
    {
        rail.quantidade_vagoes = Some(rail.vagoes.len().to_string());
    }
}

/// The name of a municipality by its code.
fn named(code: &mut Option<String>, name: &mut Option<String>) {
    if let Some(code) = code {
        *code = code.trim().to_owned();
    }
    if name.is_none()
        && let Some(found) = place(code.as_deref())
    {
        *name = Some(found.name.to_owned());
    }
}

/// Keys without further data go where their model belongs; those of no such
/// document stay, for the rules to tell.
fn by_model(city: &mut Descarga) {
    let mut others = Vec::new();
    for text in std::mem::take(&mut city.chaves) {
        let model = Chave::parse(&text).map(|chave| chave.model());
        let chave = Some(text.clone());
        match model {
            Ok(57) => city.ctes.push(CteManifestado {
                chave,
                ..CteManifestado::default()
            }),
            Ok(55) => city.nfes.push(NfeManifestada {
                chave,
                ..NfeManifestada::default()
            }),
            Ok(58) => city.mdfes.push(MdfeManifestado {
                chave,
                ..MdfeManifestado::default()
            }),
            _ => others.push(text),
        }
    }
    city.chaves = others;
}

fn vehicles(order: &mut Pedido) {
    if let Some(vehicle) = &mut order.veiculo {
        vehicle.tipo_rodado.get_or_insert(TipoRodado::Outros);
        vehicle
            .tipo_carroceria
            .get_or_insert(TipoCarroceria::NaoAplicavel);
        owner(vehicle.proprietario.as_mut());
        state(&mut vehicle.uf);
    }
    for trailer in &mut order.reboques {
        trailer
            .tipo_carroceria
            .get_or_insert(TipoCarroceria::NaoAplicavel);
        owner(trailer.proprietario.as_mut());
        state(&mut trailer.uf);
    }
}

fn owner(owner: Option<&mut Proprietario>) {
    if let Some(owner) = owner {
        owner.tipo.get_or_insert(TipoProprietario::Outros);
        state(&mut owner.uf);
    }
}

fn state(uf: &mut Option<String>) {
    if let Some(uf) = uf {
        *uf = uf.trim().to_ascii_uppercase();
    }
}

fn weight(cargo: &mut Carga) {
    if cargo.peso.is_none() && cargo.peso_kg.is_some() {
        cargo.peso = cargo.peso_kg;
        cargo.unidade.get_or_insert(UnidadePeso::Quilograma);
    }
    if cargo.peso.is_some() {
        cargo.unidade.get_or_insert(UnidadePeso::Quilograma);
    }
}

fn payment(payment: &mut PagamentoFrete) {
    if payment.valor.is_none() {
        let parts = payment.componentes.iter();
        let sum = parts.fold(Decimal::ZERO, |sum, part| {
            fiscal::taxes::money::plus(sum, number(part.valor))
        });
        payment.valor = Number::new(sum);
    }
    payment
        .forma
        .get_or_insert(match payment.parcelas.is_empty() {
            true => FormaPagamento::AVista,
            false => FormaPagamento::APrazo,
        });
    for (position, part) in payment.parcelas.iter_mut().enumerate() {
        part.numero
            .get_or_insert_with(|| format!("{:03}", position.saturating_add(1)));
    }
}
