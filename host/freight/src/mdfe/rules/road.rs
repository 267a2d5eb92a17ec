//! Vehicles, drivers, and what the ANTT asks of a transport by road.

use crate::mdfe::order::{
    FormaPagamento, PagamentoFrete, Proprietario, Rodoviario, TipoComponente, TipoEmitente,
    TipoProprietario, TipoRodado, TipoTransportador,
};
use crate::mdfe::work::{Work, is_given, number};
use fiscal::body::Number;
use fiscal::taxes::money::plus;
use markup::ids::{Cpf, CpfCnpj, Takes};
use rust_decimal::Decimal;
use std::collections::BTreeSet;

/// Drivers of a vehicle and trailers behind it (layout).
const MAX_DRIVERS: usize = 10;
const MAX_TRAILERS: usize = 3;
/// Entries of the lists that the layout does not bound.
const MAX_ENTRIES: usize = 100;

pub(super) fn check(work: &mut Work<'_>) {
    if !work.by_road() {
        return;
    }
    vehicles(work);
    drivers(work);
    owners(work);
    agency(work);
    payments(work);
    full_load(work);
}

fn vehicles(work: &mut Work<'_>) {
    let Some(vehicle) = work.order.veiculo.clone() else {
        return work.missing("veiculo", "Informe placa e tara do veículo.");
    };
    let trailers = work.order.reboques.clone();
    let mut seen = BTreeSet::new();
    plate(work, "veiculo", &vehicle.placa, &mut seen);
    weight(work, "veiculo.tara", vehicle.tara);
    for (position, trailer) in trailers.iter().take(MAX_TRAILERS).enumerate() {
        let at = format!("reboques[{position}]");
        plate(work, &at, &trailer.placa, &mut seen);
        weight(work, &format!("{at}.tara"), trailer.tara);
        weight(work, &format!("{at}.capacidade_kg"), trailer.capacidade_kg);
    }
    if trailers.len() > MAX_TRAILERS {
        work.fields.add(
            "reboques",
            "limite",
            format!("São até {MAX_TRAILERS} reboques."),
            "Confira a composição.",
        );
    }
    // Rejection 523.
    if vehicle.tipo_rodado == Some(TipoRodado::CavaloMecanico) && trailers.is_empty() {
        work.missing(
            "reboques",
            "O cavalo mecânico leva ao menos um reboque; informe a placa dele.",
        );
    }
}

/// A plate, old or Mercosul, that no other vehicle of the trip has.
fn plate(work: &mut Work<'_>, at: &str, plate: &Option<String>, seen: &mut BTreeSet<String>) {
    let at = format!("{at}.placa");
    let Some(given) = plate.as_ref().filter(|_| is_given(plate)) else {
        return work.missing(&at, "Informe a placa do veículo.");
    };
    let letters = given.chars().filter(char::is_ascii_alphanumeric);
    let plate: String = letters.map(|letter| letter.to_ascii_uppercase()).collect();
    if !seen.insert(plate) {
        work.fields.add_value(
            at,
            "placa_repetida",
            given,
            "A placa foi informada mais de uma vez.",
            "Informe a placa de cada veículo da composição.",
        );
    }
}

fn weight(work: &mut Work<'_>, at: &str, given: Option<Number>) {
    match given {
        None => work.missing(at, "Informe o peso em quilos."),
        Some(weight) if !weight.fract().is_zero() || weight.is_sign_negative() => {
            work.fields.add_value(
                at,
                "valor_invalido",
                &weight.to_string(),
                "O peso é um número inteiro de quilos.",
                "Arredonde o peso.",
            );
        }
        Some(_) => {}
    }
}

fn drivers(work: &mut Work<'_>) {
    let drivers = work.order.condutores.clone();
    if drivers.is_empty() {
        return work.missing("condutores", "Informe nome e CPF de cada motorista.");
    }
    if drivers.len() > MAX_DRIVERS {
        work.fields.add(
            "condutores",
            "limite",
            format!("São até {MAX_DRIVERS} condutores."),
            "Inclua os demais depois, por /api/v1/mdfe/incluir-condutor.",
        );
    }
    let mut seen = BTreeSet::new();
    for (position, driver) in drivers.iter().take(MAX_DRIVERS).enumerate() {
        let at = format!("condutores[{position}]");
        if !is_given(&driver.nome) {
            work.missing(&format!("{at}.nome"), "Informe o nome do motorista.");
        }
        match driver.cpf.as_deref().map(|cpf| (cpf, Cpf::parse(cpf))) {
            None => work.missing(&format!("{at}.cpf"), "Informe o CPF do motorista."),
            Some((cpf, Err(_))) => work.fields.add_number(format!("{at}.cpf"), Takes::Cpf, cpf),
            Some((_, Ok(cpf))) if !seen.insert(cpf.as_str().to_owned()) => work.fields.add(
                format!("{at}.cpf"),
                "condutor_repetido",
                "O mesmo motorista foi informado mais de uma vez.",
                "Retire a repetição.",
            ),
            Some((_, Ok(_))) => {}
        }
    }
}

/// Owners of vehicles that are not the emitter's.
fn owners(work: &mut Work<'_>) {
    let order = &work.order;
    let mut owners: Vec<(String, Proprietario)> = Vec::new();
    let first = order.veiculo.iter();
    for owner in first.filter_map(|vehicle| vehicle.proprietario.clone()) {
        owners.push(("veiculo.proprietario".to_owned(), owner));
    }
    for (position, trailer) in order.reboques.iter().take(MAX_TRAILERS).enumerate() {
        if let Some(owner) = trailer.proprietario.clone() {
            owners.push((format!("reboques[{position}].proprietario"), owner));
        }
    }
    let of_another = !owners.is_empty();
    for (at, owner) in &owners {
        person(work, &format!("{at}.cpf_cnpj"), &owner.cpf_cnpj);
        rntrc(work, &format!("{at}.rntrc"), &owner.rntrc, true);
        if !is_given(&owner.nome) {
            work.missing(&format!("{at}.nome"), "Informe o nome do proprietário.");
        }
        if is_given(&owner.ie) != is_given(&owner.uf) {
            let lacking = if is_given(&owner.ie) { "uf" } else { "ie" };
            work.missing(
                &format!("{at}.{lacking}"),
                "Inscrição estadual e UF do proprietário vão juntas.",
            );
        }
        if is_same_company(work, owner) {
            work.fields.add(
                at,
                "campo_nao_cabe",
                "O proprietário é o emitente.",
                "Retire o grupo: só o veículo de outro tem proprietario.",
            );
        }
    }
    // Rejection 745 (NT 2021.002).
    let own_cargo = work.order.tipo_emitente == Some(TipoEmitente::CargaPropria);
    if own_cargo && of_another && work.order.tipo_transportador.is_none() {
        work.missing(
            "tipo_transportador",
            "O veículo é de outro: informe etc, tac ou ctc, conforme quem transporta.",
        );
    }
}

fn is_same_company(work: &Work<'_>, owner: &Proprietario) -> bool {
    let own = CpfCnpj::parse(&work.emitter.cpf_cnpj).ok();
    let other = owner
        .cpf_cnpj
        .as_deref()
        .and_then(|text| CpfCnpj::parse(text).ok());
    own.is_some() && own == other
}

fn person(work: &mut Work<'_>, at: &str, documento: &Option<String>) {
    match documento.as_deref().filter(|_| is_given(documento)) {
        None => work.missing(at, "Informe o CPF ou CNPJ."),
        Some(text) if CpfCnpj::parse(text).is_err() => {
            work.fields.add_number(at, Takes::CpfCnpj, text);
        }
        Some(_) => {}
    }
}

/// Eight digits (`TRNTRC`).
fn rntrc(work: &mut Work<'_>, at: &str, given: &Option<String>, required: bool) {
    let Some(text) = given.as_deref().filter(|_| is_given(given)) else {
        if required {
            work.missing(at, "Informe o registro na ANTT (RNTRC), oito dígitos.");
        }
        return;
    };
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if digits != 8 {
        work.fields.add_value(
            at,
            "rntrc_invalido",
            text,
            "O RNTRC tem oito dígitos.",
            "Confira o registro na ANTT; complete com zeros à esquerda.",
        );
    }
}

/// Registration and contractors of who carries for others, toll vouchers, CIOT.
fn agency(work: &mut Work<'_>) {
    let road = work.order.rodoviario.clone().unwrap_or_default();
    let for_others = work.for_others();
    rntrc(work, "rodoviario.rntrc", &road.rntrc, for_others);
    if for_others && road.contratantes.is_empty() {
        work.missing(
            "rodoviario.contratantes",
            "Informe quem contratou o transporte: nome e cpf_cnpj.",
        );
    }
    for (position, one) in road.contratantes.iter().take(MAX_ENTRIES).enumerate() {
        let at = format!("rodoviario.contratantes[{position}]");
        if !is_given(&one.id_estrangeiro) {
            person(work, &format!("{at}.cpf_cnpj"), &one.cpf_cnpj);
        }
        if is_given(&one.contrato) != one.valor_contrato.is_some() {
            let lacking = match one.valor_contrato {
                Some(_) => "contrato",
                None => "valor_contrato",
            };
            work.missing(
                &format!("{at}.{lacking}"),
                "Número e valor do contrato vão juntos.",
            );
        }
    }
    for (position, one) in road.ciot.iter().take(MAX_ENTRIES).enumerate() {
        let at = format!("rodoviario.ciot[{position}].cpf_cnpj");
        person(work, &at, &one.cpf_cnpj);
    }
    let devices = road.vale_pedagio.as_ref().map(|toll| &toll.dispositivos);
    if devices.is_some_and(Vec::is_empty) {
        work.missing(
            "rodoviario.vale_pedagio.dispositivos",
            "Informe ao menos um vale: cnpj_fornecedor e valor.",
        );
    }
    for (position, one) in devices.into_iter().flatten().take(MAX_ENTRIES).enumerate() {
        let at = format!("rodoviario.vale_pedagio.dispositivos[{position}]");
        person(work, &format!("{at}.cnpj_fornecedor"), &one.cnpj_fornecedor);
        if one.valor.is_none() {
            work.missing(&format!("{at}.valor"), "Informe o valor do vale-pedágio.");
        }
    }
    autonomous(work, &road);
}

/// Who is paid as an autonomous carrier has an operation registered at the ANTT
/// (Lei 11.442/2007, art. 5º-A). Whether a company counts as one is known to the
/// ANTT alone.
fn autonomous(work: &mut Work<'_>, road: &Rodoviario) {
    let owner = work
        .order
        .veiculo
        .as_ref()
        .and_then(|vehicle| vehicle.proprietario.as_ref());
    let of_owner = owner.is_some_and(|owner| {
        matches!(
            owner.tipo,
            Some(TipoProprietario::Agregado | TipoProprietario::Independente)
        )
    });
    let autonomous = of_owner || work.order.tipo_transportador == Some(TipoTransportador::Autonomo);
    if autonomous && road.ciot.is_empty() {
        work.notice(
            "rodoviario.ciot",
            "O transportador autônomo tem CIOT; sem ele a SEFAZ pode recusar o MDF-e.",
        );
    }
}

fn payments(work: &mut Work<'_>) {
    let Some(road) = work.order.rodoviario.clone() else {
        return;
    };
    for (position, payment) in road.pagamentos.iter().take(MAX_ENTRIES).enumerate() {
        pay(work, &format!("rodoviario.pagamentos[{position}]"), payment);
    }
}

fn pay(work: &mut Work<'_>, at: &str, payment: &PagamentoFrete) {
    if !is_given(&payment.id_estrangeiro) {
        person(work, &format!("{at}.cpf_cnpj"), &payment.cpf_cnpj);
    }
    if payment.componentes.is_empty() {
        work.missing(
            &format!("{at}.componentes"),
            "Informe tipo e valor de cada parcela do pagamento, como frete.",
        );
    }
    for (position, part) in payment.componentes.iter().take(MAX_ENTRIES).enumerate() {
        if part.tipo == Some(TipoComponente::Outros) && !is_given(&part.descricao) {
            work.missing(
                &format!("{at}.componentes[{position}].descricao"),
                "Diga do que é o componente.",
            );
        }
    }
    let later = payment.forma == Some(FormaPagamento::APrazo);
    if later && payment.parcelas.is_empty() {
        work.missing(
            &format!("{at}.parcelas"),
            "Informe vencimento e valor de cada parcela.",
        );
    }
    if !later && !payment.parcelas.is_empty() {
        work.fields.add(
            format!("{at}.parcelas"),
            "campo_nao_cabe",
            "O pagamento à vista não tem parcelas.",
            "Informe forma a_prazo, ou retire as parcelas.",
        );
    }
    let parts = payment.componentes.iter().map(|part| number(part.valor));
    let sum = parts.fold(Decimal::ZERO, plus);
    if !payment.componentes.is_empty() && sum != number(payment.valor) {
        work.notice(
            &format!("{at}.valor"),
            "A soma dos componentes difere do valor do contrato.",
        );
    }
    let ways = [
        is_given(&payment.banco) || is_given(&payment.agencia),
        is_given(&payment.cnpj_ipef),
        is_given(&payment.pix),
    ];
    match ways.iter().filter(|given| **given).count() {
        1 => {}
        0 => work.missing(
            &format!("{at}.pix"),
            "Informe onde o frete é pago: banco e agencia, cnpj_ipef ou pix.",
        ),
        _ => work.fields.add(
            format!("{at}.pix"),
            "campo_nao_cabe",
            "O frete é pago num só lugar: banco, instituição de pagamento ou PIX.",
            "Deixe só um deles.",
        ),
    }
}

/// Cargo of a single document (rejections 726, 301, 302; NT 2020.001 and NT
/// 2025.001). Who carries its own cargo in its own vehicle is not asked.
fn full_load(work: &mut Work<'_>) {
    let asked = work.for_others() || work.order.tipo_transportador.is_some();
    if !asked || !work.full_load() || work.order.carga_posterior == Some(true) {
        return;
    }
    let product = work.order.produto_predominante.clone();
    let Some(product) = product else {
        return work.missing(
            "produto_predominante",
            "A carga é de um só documento: informe tipo_carga, descricao, ncm e lotacao.",
        );
    };
    if !is_given(&product.ncm) {
        work.missing(
            "produto_predominante.ncm",
            "A carga é de um só documento: informe o NCM do produto.",
        );
    }
    if product.lotacao.is_none() {
        work.missing(
            "produto_predominante.lotacao",
            "A carga é de um só documento: informe o CEP de carregamento e o de descarregamento.",
        );
    }
    let paid = work
        .order
        .rodoviario
        .as_ref()
        .is_some_and(|road| !road.pagamentos.is_empty());
    if !paid {
        work.missing(
            "rodoviario.pagamentos",
            "A carga é de um só documento: informe o pagamento do frete.",
        );
    }
}
