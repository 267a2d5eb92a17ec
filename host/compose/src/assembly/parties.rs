//! `emit`, `dest`, `retirada`, `entrega`, `autXML`.

use crate::assembly::preparation::{no_exterior, uf_of};
use crate::context::{Context, Place};
use crate::frame::Ambiente;
use fiscal::nfe::order::{Endereco, IndicadorIe, Local, Pessoa};
use markup::ids::{CpfCnpj, IbgeMunicipality, Takes};
use markup::tree::Node;

/// What a recipient is called in homologation (MOC, E04-10; rejection 598).
const HOMOLOGACAO_NAME: &str = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";
/// Characters of a name (MOC, C03 and C04).
const NAME: usize = 60;
/// Highest number of who may download the XML (MOC, GA01).
const MAX_AUTHORIZED: usize = 10;

pub(super) fn emit(ctx: &mut Context<'_>) -> Node {
    let emitter = ctx.emitter;
    let perfil = Place::root("perfil_fiscal");
    let mut emit = Node::group_of("emit", 12);
    match CpfCnpj::parse(&emitter.cpf_cnpj) {
        Ok(CpfCnpj::Cpf(cpf)) => emit.put(Node::field("CPF", cpf.as_str())),
        Ok(CpfCnpj::Cnpj(cnpj)) => emit.put(Node::field("CNPJ", cnpj.as_str())),
        Err(_) => ctx.error(
            perfil.at("cnpj"),
            "perfil_fiscal_incompleto",
            "O emitente não tem CNPJ ou CPF válido.",
            "Corrija o cadastro do emitente.",
        ),
    }
    let name = cut(ctx, perfil.at("razao_social"), &emitter.razao_social);
    let name = ctx.mandatory_text(perfil.at("razao_social"), Some(&name), NAME);
    let trade_name = emitter
        .nome_fantasia
        .as_deref()
        .map(|name| cut(ctx, perfil.at("nome_fantasia"), name));
    let trade_name = ctx.text(perfil.at("nome_fantasia"), trade_name.as_deref(), NAME);
    emit = emit.with("xNome", name).with_if("xFant", trade_name);
    emit.put(ender(
        ctx,
        perfil,
        "enderEmit",
        &emitter.endereco,
        emitter.telefone.as_deref(),
        true,
    ));
    let ie = emitter
        .ie
        .as_deref()
        .map(only_ie)
        .filter(|ie| !ie.is_empty());
    if ie.is_none() {
        ctx.error(
            perfil.at("ie"),
            "perfil_fiscal_incompleto",
            "O emitente não tem inscrição estadual no perfil fiscal.",
            "Informe ie em PUT /api/v1/emitters/{id}/fiscal-profile (\"ISENTO\" se for o caso).",
        );
    }
    let ie_st = emitter
        .ie_substituto
        .iter()
        .find(|ie| ie.uf == ctx.destination_uf && ctx.destination_uf != ctx.uf.abbreviation)
        .map(|ie| only_ie(&ie.ie));
    let im = ctx.text(perfil.at("im"), emitter.im.as_deref(), 15);
    // `CNAE` only beside `IM`: the layout groups the two.
    let cnae = im.as_ref().and(ctx.codigo(emitter.cnae.as_deref()));
    emit.with_if("IE", ie)
        .with_if("IEST", ie_st.filter(|_| !ctx.nfce()))
        .with_if("IM", im)
        .with_if("CNAE", cnae)
        .with("CRT", emitter.regime.crt())
        .with_if("ISUFEmit", ctx.codigo(emitter.suframa.as_deref()))
}

/// The emitter's name as the layout takes it: the registered one may be longer
/// and cannot be another, so it is cut, and that is told.
fn cut(ctx: &mut Context<'_>, place: Place<'_>, name: &str) -> String {
    let whole = markup::layout::normalize_text(name);
    let fits: String = whole.chars().take(NAME).collect();
    let fits = fits.trim_end().to_owned();
    if fits.len() < whole.len() {
        ctx.aviso(
            place,
            format!(
                "O nome passa de {NAME} caracteres, o limite do leiaute: a nota leva \"{fits}\"."
            ),
        );
    }
    fits
}

/// `dest`; none on an NFC-e without consumer.
pub(super) fn dest(ctx: &mut Context<'_>) -> Option<Node> {
    let place = ctx.receiver_place();
    let Some(person) = ctx.request.receiver().1 else {
        if !ctx.nfce() {
            ctx.missing(
                place,
                "A NF-e exige destinatário: informe cpf_cnpj, nome e endereco.",
            );
        }
        return None;
    };
    check_email(ctx, place.at("email"), person.email.as_deref());
    let mut dest = Node::group_of("dest", 8);
    let exterior = no_exterior(person);
    let has_document = documento(ctx, place, person, exterior, &mut dest);
    if ctx.nfce() && !has_document {
        return None;
    }
    let before = ctx.fields.0.len();
    let name = ctx.text(place.at("nome"), person.nome.as_deref(), 60);
    if name.is_none() && !ctx.nfce() && ctx.fields.0.len() == before {
        // Also a name of which the layout takes no character (rejection 724).
        ctx.missing(place.at("nome"), "Informe o nome ou a razão social.");
    }
    let name = match ctx.given.ambiente {
        Ambiente::Producao => name,
        Ambiente::Homologacao if name.is_some() || !ctx.nfce() => Some(HOMOLOGACAO_NAME.to_owned()),
        Ambiente::Homologacao => None,
    };
    dest = dest.with_if("xNome", name);
    match &person.endereco {
        Some(address) => {
            let telefone = person.telefone.as_deref();
            dest.put(ender(ctx, place, "enderDest", address, telefone, false));
        }
        None if !ctx.nfce() => {
            ctx.missing(place.at("endereco"), "Informe o endereço do destinatário.");
        }
        None => {}
    }
    dest = dest.with("indIEDest", ctx.ie_indicator.codigo());
    let ie = person
        .ie
        .as_deref()
        .map(only_ie)
        .filter(|ie| !ie.is_empty() && ie != "ISENTO");
    if ctx.ie_indicator == IndicadorIe::Contribuinte && ie.is_none() {
        ctx.error(
            place.at("ie"),
            "obrigatorio",
            "Contribuinte (indicador_ie 1) precisa de inscrição estadual.",
            "Informe ie, ou indicador_ie 2 (isento) ou 9 (não contribuinte).",
        );
    }
    let ie = ie.filter(|_| !ctx.nfce() && ctx.ie_indicator != IndicadorIe::Isento && !exterior);
    Some(dest.with_if("IE", ie))
}

/// `CNPJ`, `CPF` or `idEstrangeiro`; was there any?
fn documento(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    person: &Pessoa,
    exterior: bool,
    dest: &mut Node,
) -> bool {
    let empty = |text: &Option<String>| text.as_deref().is_none_or(|t| t.trim().is_empty());
    if !empty(&person.cpf_cnpj) {
        let text = person.cpf_cnpj.as_deref();
        if let Some(element) = cpf_cnpj(ctx, place.at("cpf_cnpj"), text) {
            dest.put(element);
        }
        return true;
    }
    if !empty(&person.documento_estrangeiro) || exterior {
        let field = place.at("documento_estrangeiro");
        let text = ctx.text(field, person.documento_estrangeiro.as_deref(), 20);
        if text
            .as_ref()
            .is_some_and(|text| text.chars().count() < 5 || text.contains(' '))
        {
            ctx.error(
                field,
                "documento_invalido",
                "O documento estrangeiro tem de 5 a 20 caracteres, sem espaços.",
                "Informe o passaporte ou deixe em branco na exportação.",
            );
        }
        dest.put(Node::field("idEstrangeiro", text.unwrap_or_default()));
        return true;
    }
    let field = place.at("cpf_cnpj");
    match person.cpf_cnpj.as_deref() {
        _ if ctx.nfce() => {}
        Some(text) => ctx
            .fields
            .add_number(field.to_string(), Takes::CpfCnpj, text),
        None => ctx.missing(
            field,
            "Informe cpf_cnpj, ou documento_estrangeiro para quem é do exterior.",
        ),
    }
    false
}

/// Tells of an e-mail that is none. The layout takes any text of 60 characters; programs
/// write several addresses with a semicolon or a comma between them. What has a line break
/// could name more in a mail's head.
fn check_email(ctx: &mut Context<'_>, place: Place<'_>, text: Option<&str>) {
    let text = text.map(str::trim).unwrap_or_default();
    // Programs that join addresses leave a separator at the end.
    let list = text.trim_end_matches([';', ',', ' ']);
    let address = |one: &str| {
        let parted = |c: char| c.is_whitespace() || c.is_control();
        let (user, domain) = one.split_once('@').unwrap_or_default();
        let whole = !user.is_empty() && !domain.is_empty() && !domain.contains('@');
        whole && !one.contains(parted)
    };
    let mut several = list.split([';', ',']).map(|one| one.trim_matches(' '));
    if !text.is_empty() && !several.all(address) {
        ctx.error(
            place,
            "email_invalido",
            "E-mail inválido.",
            "Informe um endereço, ou vários separados por ponto e vírgula, sem quebras de linha.",
        );
    }
}

/// `CNPJ` or `CPF` of a text, with or without mask.
pub(super) fn cpf_cnpj(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    text: Option<&str>,
) -> Option<Node> {
    let text = text?;
    match CpfCnpj::parse(text) {
        Ok(CpfCnpj::Cpf(cpf)) => Some(Node::field("CPF", cpf.as_str())),
        Ok(CpfCnpj::Cnpj(cnpj)) => Some(Node::field("CNPJ", cnpj.as_str())),
        Err(_) => {
            ctx.fields
                .add_number(place.to_string(), Takes::CpfCnpj, text);
            None
        }
    }
}

/// A CNPJ under any element name.
pub(super) fn cnpj(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    name: &'static str,
    text: Option<&str>,
) -> Option<Node> {
    let text = text?;
    match markup::ids::Cnpj::parse(text) {
        Ok(cnpj) => Some(Node::field(name, cnpj.as_str())),
        Err(_) => {
            ctx.fields.add_number(place.to_string(), Takes::Cnpj, text);
            None
        }
    }
}

/// `TEndereco` or `TEnderEmi` of the party at `onde`.
fn ender(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    name: &'static str,
    address: &Endereco,
    telefone: Option<&str>,
    emitter: bool,
) -> Node {
    let at_address = place.at("endereco");
    let mut group = location(ctx, at_address, Node::group_of(name, 12), address, emitter);
    if let Some(phone) = phone(ctx, place.at("telefone"), telefone) {
        group.put(Node::field("fone", phone));
    }
    group
}

/// The members all addresses share, up to the country.
fn location(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    group: Node,
    address: &Endereco,
    emitter: bool,
) -> Node {
    let exterior = !emitter
        && (crate::assembly::preparation::foreign_country(address.codigo_pais.as_deref())
            || address
                .uf
                .as_deref()
                .is_some_and(|uf| uf.eq_ignore_ascii_case("EX")));
    let street = ctx.mandatory_text(place.at("logradouro"), address.logradouro.as_deref(), 60);
    let number = ctx
        .text(place.at("numero"), address.numero.as_deref(), 60)
        .unwrap_or_else(|| "S/N".to_owned());
    let complement = ctx.text(place.at("complemento"), address.complemento.as_deref(), 60);
    let district = ctx.mandatory_text(place.at("bairro"), address.bairro.as_deref(), 60);
    let group = group
        .with("xLgr", street)
        .with("nro", number)
        .with_if("xCpl", complement)
        .with("xBairro", district);
    if exterior {
        return outside(ctx, place, group, address);
    }
    let codigo = address.codigo_ibge.as_deref().map(str::trim);
    if codigo.is_none_or(|codigo| IbgeMunicipality::parse(codigo).is_err()) {
        let place = place.at("codigo_ibge").to_string();
        fiscal::person::no_municipality(&mut ctx.fields, place, codigo.unwrap_or_default());
    }
    let city = match address.cidade.as_deref() {
        None => codigo
            .and_then(|codigo| data::municipalities::get(codigo.parse().ok()?))
            .map(|municipality| markup::layout::normalize_text(municipality.name)),
        city => ctx.text(place.at("cidade"), city, 60),
    };
    // A wrong code is told by itself: the name follows from the right one.
    let told =
        codigo.is_some_and(|codigo| !codigo.is_empty() && IbgeMunicipality::parse(codigo).is_err());
    if city.is_none() && !told {
        ctx.missing(place.at("cidade"), "Informe o nome do município.");
    }
    let uf = uf_of(address);
    if uf.is_none() {
        ctx.missing(place.at("uf"), "Informe a sigla da UF.");
    }
    let cep = ctx.codigo(address.cep.as_deref());
    if cep.as_ref().map_or(emitter, |cep| {
        cep.len() != 8 || !cep.bytes().all(|b| b.is_ascii_digit())
    }) {
        ctx.error(
            place.at("cep"),
            "cep_invalido",
            "O CEP deve ter 8 dígitos.",
            "Informe os 8 dígitos do CEP.",
        );
    }
    group
        .with("cMun", codigo.unwrap_or_default())
        .with("xMun", city.unwrap_or_default())
        .with("UF", uf.map_or("", |uf| uf.abbreviation))
        .with_if("CEP", cep)
        .with("cPais", "1058")
        .with("xPais", "BRASIL")
}

/// An address abroad (MOC, E10: 9999999, EXTERIOR, EX).
fn outside(ctx: &mut Context<'_>, place: Place<'_>, group: Node, address: &Endereco) -> Node {
    let codigo = address.codigo_pais.as_deref().unwrap_or_default().trim();
    let country = match codigo.parse() {
        Ok(number) => data::countries::get(number),
        Err(_) => data::countries::by_iso(&codigo.to_ascii_uppercase()),
    };
    if country.is_none() {
        ctx.fields.add_value(
            place.at("codigo_pais").to_string(),
            "pais_invalido",
            codigo,
            "País inexistente na tabela do BACEN.",
            "Informe o código do BACEN (\"2496\") ou a sigla ISO (\"US\").",
        );
    }
    let name = ctx.text(place.at("pais"), address.pais.as_deref(), 60);
    let name =
        name.or_else(|| country.map(|country| country.name.chars().take(60).collect::<String>()));
    group
        .with("cMun", "9999999")
        .with("xMun", "EXTERIOR")
        .with("UF", "EX")
        .with_if("cPais", country.map(|country| country.codigo.to_string()))
        .with_if("xPais", name)
}

/// 6 to 14 digits.
pub(super) fn phone(
    ctx: &mut Context<'_>,
    place: Place<'_>,
    telefone: Option<&str>,
) -> Option<String> {
    let digits: String = telefone?
        .chars()
        .filter(char::is_ascii_digit)
        .take(20)
        .collect();
    if digits.is_empty() {
        return None;
    }
    if !(6..=14).contains(&digits.len()) {
        ctx.error(
            place,
            "telefone_invalido",
            "O telefone deve ter de 6 a 14 dígitos.",
            "Informe DDD e número.",
        );
        return None;
    }
    Some(digits)
}

/// `TLocal`.
pub(super) fn local(
    ctx: &mut Context<'_>,
    name: &'static str,
    local: Option<&Local>,
) -> Option<Node> {
    let local = local?;
    let place = Place::root(name);
    let mut group = Node::group(name);
    match cpf_cnpj(ctx, place.at("cpf_cnpj"), local.cpf_cnpj.as_deref()) {
        Some(documento) => group.put(documento),
        None if local.cpf_cnpj.is_none() => {
            ctx.missing(place.at("cpf_cnpj"), "Informe o CPF ou CNPJ do local.");
        }
        None => {}
    }
    let person = ctx.text(place.at("nome"), local.nome.as_deref(), 60);
    group = group.with_if("xNome", person);
    let empty = Endereco::default();
    let address = local.endereco.as_ref().unwrap_or(&empty);
    let address_place = place.at("endereco");
    group = location(ctx, address_place, group, address, false);
    let phone = phone(ctx, place.at("telefone"), local.telefone.as_deref());
    check_email(ctx, place.at("email"), local.email.as_deref());
    let email = ctx.text(place.at("email"), local.email.as_deref(), 60);
    Some(
        group
            .with_if("fone", phone)
            .with_if("email", email)
            .with_if("IE", local.ie.as_deref().map(only_ie)),
    )
}

pub(super) fn authorized(ctx: &mut Context<'_>) -> Vec<Node> {
    let request = ctx.request;
    if request.autorizados_xml.len() > MAX_AUTHORIZED {
        ctx.error(
            Place::root("autorizados_xml"),
            "limite",
            "São no máximo 10 autorizados a baixar o XML.",
            "Retire os excedentes.",
        );
        return Vec::new();
    }
    let mut groups = Vec::new();
    let receiver = request.receiver().1;
    let receiver = receiver.and_then(|person| person.cpf_cnpj.as_deref());
    let receiver = receiver.and_then(|text| CpfCnpj::parse(text).ok());
    for (i, text) in request.autorizados_xml.iter().enumerate() {
        let place = Place::list("autorizados_xml", i);
        // Rejections 324 and 326: nothing is lost by leaving it out.
        if receiver.is_some() && CpfCnpj::parse(text).ok() == receiver {
            ctx.aviso(
                place,
                "O destinatário já pode baixar o XML: não foi repetido entre os autorizados.",
            );
            continue;
        }
        if let Some(documento) = cpf_cnpj(ctx, place, Some(text)) {
            groups.push(Node::group("autXML").child(documento));
        }
    }
    groups
}

/// Digits of a state registration, or `ISENTO`.
pub(super) fn only_ie(ie: &str) -> String {
    let clean: String = ie
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(20)
        .collect();
    clean.to_ascii_uppercase()
}
