//! What is known of a person, and the rules it keeps.

use super::{ENDERECOS, TELEFONES};
use fiscal::nfe;
use fiscal::nfse;
use fiscal::person::{self, Line};
use markup::field::Fields;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::tables::pessoas::PersonRow;

/// Characters of an address's name.
const LABEL: usize = 60;
/// Characters of the municipal registration (`IM` of both layouts).
const IM: usize = 15;

/// O que a pessoa é para a empresa.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "Papel")]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Remetente,
    Destinatario,
    Tomador,
    Cliente,
    Fornecedor,
    Transportador,
}

impl Role {
    pub const ALL: [&str; 6] = [
        "remetente",
        "destinatario",
        "tomador",
        "cliente",
        "fornecedor",
        "transportador",
    ];
}

/// Endereço no Brasil.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "PessoaEndereco")]
pub struct Address {
    /// Nome do endereço, como "Matriz".
    #[schemars(length(max = 60))]
    pub rotulo: Option<String>,
    /// O que as notas usam; um novo toma o lugar do antigo. Sem nenhum, é o
    /// primeiro.
    pub principal: Option<bool>,
    pub cep: Option<String>,
    /// Até 255 caracteres (uma NF-e aceita 60).
    pub logradouro: Option<String>,
    /// "S/N" onde não há.
    pub numero: Option<String>,
    pub complemento: Option<String>,
    pub bairro: Option<String>,
    /// Ausente: o nome do município de `codigo_ibge`.
    pub cidade: Option<String>,
    /// Sete dígitos.
    pub codigo_ibge: Option<String>,
    /// Ausente: a do município.
    pub uf: Option<String>,
}

/// Telefone.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "PessoaTelefone")]
pub struct Telefone {
    /// DDD e número, 0800 e similares, ou `+` e um número do exterior.
    pub numero: String,
    /// Ausente: conforme o número.
    pub tipo: Option<PhoneKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TipoTelefone")]
#[serde(rename_all = "snake_case")]
pub enum PhoneKind {
    Celular,
    Fixo,
    Comercial,
    Outro,
}

/// A person without its document.
#[derive(Clone, Debug, Default)]
pub struct Person {
    pub name: String,
    pub email: Option<String>,
    pub ie: Option<String>,
    pub im: Option<String>,
    pub roles: Vec<Role>,
    pub enderecos: Vec<Address>,
    pub telefones: Vec<Telefone>,
}

impl Address {
    /// Completes and checks; `onde`: the path of the address, empty for the
    /// whole body.
    pub(super) fn check(&mut self, fields: &mut Fields, place: &str) {
        let mut found = Fields::default();
        self.rotulo = self
            .rotulo
            .take()
            .map(|label| person::text(&mut found, "e.rotulo", &label, LABEL))
            .filter(|label| !label.is_empty());
        let mut spot = self.nfe();
        person::address(&mut found, "e", &mut spot);
        self.cep = spot.cep;
        self.logradouro = spot.logradouro;
        self.numero = spot.numero;
        self.complemento = spot.complemento;
        self.bairro = spot.bairro;
        self.cidade = spot.cidade;
        self.codigo_ibge = spot.codigo_ibge;
        self.uf = spot.uf;
        fields.0.extend(found.0.into_iter().map(|mut field| {
            let member = field.campo.trim_start_matches("e.");
            field.campo = match place {
                "" => member.to_owned(),
                place => format!("{place}.{member}"),
            };
            field
        }));
    }

    /// As a product note has it.
    pub fn nfe(&self) -> nfe::order::Endereco {
        nfe::order::Endereco {
            cep: self.cep.clone(),
            logradouro: self.logradouro.clone(),
            numero: self.numero.clone(),
            complemento: self.complemento.clone(),
            bairro: self.bairro.clone(),
            cidade: self.cidade.clone(),
            codigo_ibge: self.codigo_ibge.clone(),
            uf: self.uf.clone(),
            ..nfe::order::Endereco::default()
        }
    }

    /// As a service note has it.
    pub fn nfse(&self) -> nfse::dps::Address {
        nfse::dps::Address {
            cep: self.cep.clone(),
            logradouro: self.logradouro.clone(),
            numero: self.numero.clone(),
            complemento: self.complemento.clone(),
            bairro: self.bairro.clone(),
            cidade: self.cidade.clone(),
            codigo_ibge: self.codigo_ibge.clone(),
            uf: self.uf.clone(),
            ..nfse::dps::Address::default()
        }
    }
}

impl Telefone {
    /// Checks, and tells the kind where nobody said it.
    pub(super) fn check(&mut self, fields: &mut Fields, place: &str) {
        let member = |name: &str| match place {
            "" => name.to_owned(),
            place => format!("{place}.{name}"),
        };
        let Some((number, line)) = person::telefone(fields, &member("numero"), &self.numero) else {
            return;
        };
        let differs = matches!(
            (self.tipo, line),
            (Some(PhoneKind::Celular), Line::Fixed) | (Some(PhoneKind::Fixo), Line::Mobile)
        );
        if differs {
            fields.add(
                member("tipo"),
                "telefone_invalido",
                "O número não é do tipo informado.",
                "Corrija o tipo, ou deixe-o de fora.",
            );
        }
        self.numero = number;
        self.tipo = self.tipo.or(Some(match line {
            Line::Mobile => PhoneKind::Celular,
            Line::Fixed => PhoneKind::Fixo,
            Line::Other => PhoneKind::Outro,
        }));
    }
}

impl Person {
    /// The address notes take.
    pub fn principal(&self) -> Option<&Address> {
        let principal = |one: &&Address| one.principal == Some(true);
        self.enderecos.iter().find(principal)
    }

    /// Adds an address that was checked.
    pub fn append(&mut self, mut address: Address) {
        let principal = address.principal == Some(true) || self.enderecos.is_empty();
        if principal {
            for other in &mut self.enderecos {
                other.principal = Some(false);
            }
        }
        address.principal = Some(principal);
        self.enderecos.push(address);
    }

    /// The row with what is known.
    pub(super) fn keep(self, row: PersonRow) -> serde_json::Result<PersonRow> {
        Ok(PersonRow {
            nome_busca: person::search(&self.name),
            nome: self.name,
            email: self.email.unwrap_or_default(),
            ie: self.ie.unwrap_or_default(),
            im: self.im.unwrap_or_default(),
            papeis: serde_json::to_string(&self.roles)?,
            enderecos: serde_json::to_string(&self.enderecos)?,
            telefones: serde_json::to_string(&self.telefones)?,
            ..row
        })
    }
}

/// What a row holds.
pub(super) fn read(row: &PersonRow) -> serde_json::Result<Person> {
    let filled = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    Ok(Person {
        name: row.nome.clone(),
        email: filled(&row.email),
        ie: filled(&row.ie),
        im: filled(&row.im),
        roles: serde_json::from_str(&row.papeis)?,
        enderecos: serde_json::from_str(&row.enderecos)?,
        telefones: serde_json::from_str(&row.telefones)?,
    })
}

/// Completes and checks everything.
pub(super) fn check(fields: &mut Fields, person: &mut Person) {
    person.name = person::name(fields, "nome", &person.name);
    for (index, address) in person.enderecos.iter_mut().enumerate() {
        address.check(fields, &format!("enderecos[{index}]"));
    }
    for (index, telefone) in person.telefones.iter_mut().enumerate() {
        telefone.check(fields, &format!("telefones[{index}]"));
    }
    if person.enderecos.len() > ENDERECOS {
        too_many(fields, "enderecos", ENDERECOS);
    }
    if person.telefones.len() > TELEFONES {
        too_many(fields, "telefones", TELEFONES);
    }
    principal(fields, &mut person.enderecos);
    // Any of the states it has an address in: a company that moves has both
    // for a while.
    let ufs: Vec<&str> = person
        .enderecos
        .iter()
        .filter_map(|address| address.uf.as_deref())
        .collect();
    person.ie = person
        .ie
        .take()
        .filter(|ie| !ie.trim().is_empty())
        .map(|ie| person::registration(fields, "ie", &ie, &ufs));
    person.im = person
        .im
        .take()
        .map(|im| person::text(fields, "im", &im, IM))
        .filter(|im| !im.is_empty());
    person.email = person
        .email
        .take()
        .filter(|email| !email.trim().is_empty())
        .map(|email| person::email(fields, "email", &email));
    person.roles.sort_unstable();
    person.roles.dedup();
}

/// One address is the principal one: the one that says so, or the first. `fields`
/// takes it up where more than one says so.
pub fn principal(fields: &mut Fields, enderecos: &mut [Address]) {
    let chosen: Vec<usize> = enderecos
        .iter()
        .enumerate()
        .filter(|(_, address)| address.principal == Some(true))
        .map(|(index, _)| index)
        .collect();
    if let Some(second) = chosen.get(1) {
        fields.add(
            format!("enderecos[{second}].principal"),
            "grupos_excludentes",
            "Mais de um endereço é o principal.",
            "Deixe principal true em um só.",
        );
    }
    let chosen = chosen.first().copied().unwrap_or(0);
    for (index, address) in enderecos.iter_mut().enumerate() {
        address.principal = Some(index == chosen);
    }
}

/// There are too many of something.
pub(super) fn too_many(fields: &mut Fields, field: &str, max: usize) {
    fields.add(
        field,
        "limite",
        format!("Uma pessoa tem no máximo {max} {field}."),
        "Retire os excedentes.",
    );
}
