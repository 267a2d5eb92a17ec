//! `emit`, by the emitter's profile: what all documents have of it.

use crate::places::place;
use compose::emitter::Emitter;
use markup::field::Fields;
use markup::ids::CpfCnpj;
use markup::layout::normalize_text;
use markup::tree::Node;

/// Characters of a name (MOC, `xNome`).
const NAME: usize = 60;

/// Registration, names and address. `uf` is the state of the profile. `fields`
/// gets what is not right, at the profile's names; a document whose emitter may
/// be without a state registration says so.
pub(crate) fn emit(
    fields: &mut Fields,
    emitter: &Emitter,
    uf: &str,
    must_be_registered: bool,
) -> Node {
    let mut emit = Node::group("emit");
    match CpfCnpj::parse(&emitter.cpf_cnpj) {
        Ok(CpfCnpj::Cpf(cpf)) => emit.put(Node::field("CPF", cpf.as_str())),
        Ok(CpfCnpj::Cnpj(cnpj)) => emit.put(Node::field("CNPJ", cnpj.as_str())),
        Err(_) => incomplete(
            fields,
            "cnpj",
            "O emitente não tem CNPJ ou CPF válido.",
            "Corrija o cadastro do emitente.",
        ),
    }
    let registration = emitter.ie.as_deref().map(digits).unwrap_or_default();
    if registration.is_empty() && must_be_registered {
        incomplete(
            fields,
            "ie",
            "O emitente não tem inscrição estadual no perfil fiscal.",
            "Informe ie em PUT /api/v1/emitters/{id}/fiscal-profile.",
        );
    }
    let name = shortened(&emitter.razao_social);
    if name.is_empty() {
        incomplete(
            fields,
            "razao_social",
            "O emitente não tem razão social no perfil fiscal.",
            "Informe razao_social em PUT /api/v1/emitters/{id}/fiscal-profile.",
        );
    }
    let trade_name = emitter.nome_fantasia.as_deref().map(shortened);
    emit.with_if("IE", Some(registration).filter(|ie| !ie.is_empty()))
        .with("xNome", name)
        .with_if("xFant", trade_name.filter(|name| !name.is_empty()))
        .child(address(emitter, uf))
}

fn address(emitter: &Emitter, uf: &str) -> Node {
    let given = &emitter.endereco;
    let text = |text: &Option<String>| {
        text.as_deref()
            .map(normalize_text)
            .filter(|t| !t.is_empty())
    };
    let municipality = place(given.codigo_ibge.as_deref());
    let city = text(&given.cidade).or_else(|| municipality.map(|place| place.name.to_owned()));
    let phone = emitter.telefone.as_deref().map(digits);
    Node::group("enderEmit")
        .with_if("xLgr", text(&given.logradouro))
        .with(
            "nro",
            text(&given.numero).unwrap_or_else(|| "S/N".to_owned()),
        )
        .with_if("xCpl", text(&given.complemento))
        .with_if("xBairro", text(&given.bairro))
        .with_if("cMun", given.codigo_ibge.as_deref().map(digits))
        .with_if("xMun", city)
        .with_if("CEP", given.cep.as_deref().map(digits))
        .with("UF", uf)
        .with_if("fone", phone)
}

/// The registered name as the layout takes it: cut, since it cannot be another.
fn shortened(name: &str) -> String {
    let whole = normalize_text(name);
    let fits: String = whole.chars().take(NAME).collect();
    fits.trim_end().to_owned()
}

/// Letters and digits of a code that people punctuate.
pub(crate) fn digits(text: &str) -> String {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_uppercase()).collect()
}

fn incomplete(fields: &mut Fields, field: &str, message: &str, correction: &str) {
    let place = format!("perfil_fiscal.{field}");
    fields.add(place, "perfil_fiscal_incompleto", message, correction);
}
