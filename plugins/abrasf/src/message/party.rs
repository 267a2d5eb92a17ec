//! Service taker and intermediary.

use super::tags::Tags;
use crate::message::provider::cpf_cnpj;
use crate::options::{IbsCbsPlace, Options};
use crate::version::LayoutVersion;
use rps::Fields;
use rps::countries;
use sdk::nfse::{Endereco, Pessoa, TipoPessoa};

/// Municipality code of an address abroad (manual of the model, tcEndereco).
const FOREIGN_MUNICIPALITY: &str = "9999999";

/// Largest lengths that changed between versions.
struct Limits {
    name: usize,
    address: usize,
    number: usize,
    telefone: usize,
}

fn limits(version: LayoutVersion) -> Limits {
    Limits {
        name: if version.first() { 115 } else { 150 },
        address: if version >= LayoutVersion::V204 {
            255
        } else {
            125
        },
        number: if version >= LayoutVersion::V204 {
            60
        } else {
            10
        },
        telefone: if version.first() { 11 } else { 20 },
    }
}

/// `Tomador` or, from 2.04 on, `TomadorServico`. Someone who is not
/// identified is left out.
pub fn tomador(t: &mut Tags, options: &Options, person: &Pessoa, fields: &mut Fields) {
    if person.tipo == TipoPessoa::NaoIdentificado {
        return;
    }
    let version = options.version;
    let limits = limits(version);
    let name = fields.text("tomador.nome", person.nome.as_deref(), limits.name);
    let im = fields.optional("tomador.im", person.im.as_deref(), 15);
    let nif = fields.optional("tomador.nif", person.nif.as_deref(), 40);
    let documento = documento("tomador", person, fields);
    let group = if version >= LayoutVersion::V204 {
        "TomadorServico"
    } else {
        "Tomador"
    };
    t.group(group, &[], |t| {
        // From 2.04 on the identification needs a document.
        if documento.is_some() || (im.is_some() && version < LayoutVersion::V204) {
            t.group("IdentificacaoTomador", &[], |t| {
                if let Some(documento) = &documento {
                    cpf_cnpj(t, documento);
                }
                t.optional("InscricaoMunicipal", im.as_deref());
            });
        }
        if version >= LayoutVersion::V203 {
            t.optional("NifTomador", nif.as_deref());
        }
        t.leaf("RazaoSocial", &name);
        if let Some(address) = &person.endereco {
            self::address(t, options, address, &limits, fields);
        }
        contact(t, person, &limits, fields);
    });
}

/// `Intermediario` or, in 1.00, `IntermediarioServico`.
pub fn intermediary(t: &mut Tags, options: &Options, person: &Pessoa, fields: &mut Fields) {
    let version = options.version;
    let name = fields.text(
        "intermediario.nome",
        person.nome.as_deref(),
        limits(version).name,
    );
    let im = fields.optional("intermediario.im", person.im.as_deref(), 15);
    let documento = documento("intermediario", person, fields);
    if documento.is_none() {
        fields.error(
            "intermediario.cpf_cnpj",
            "obrigatorio",
            "O leiaute da prefeitura exige o CPF ou CNPJ do intermediário.",
        );
    }
    let identification = |t: &mut Tags| {
        if let Some(documento) = &documento {
            cpf_cnpj(t, documento);
        }
        t.optional("InscricaoMunicipal", im.as_deref());
    };
    if version.first() {
        t.group("IntermediarioServico", &[], |t| {
            t.leaf("RazaoSocial", &name);
            identification(t);
        });
        return;
    }
    t.group("Intermediario", &[], |t| {
        t.group("IdentificacaoIntermediario", &[], identification);
        t.leaf("RazaoSocial", &name);
        if version >= LayoutVersion::V203 || options.ibs_cbs == IbsCbsPlace::Declaration {
            let codigo = person
                .endereco
                .as_ref()
                .and_then(|e| e.codigo_ibge.as_deref());
            let codigo = fields.digits(
                "intermediario.endereco.codigo_ibge",
                codigo.unwrap_or_default(),
                7,
            );
            t.leaf("CodigoMunicipio", &codigo);
        }
    });
}

/// CPF or CNPJ of an identified person.
fn documento(who: &str, person: &Pessoa, fields: &mut Fields) -> Option<String> {
    let documento = person.cpf_cnpj.as_deref().map(str::trim)?;
    if documento.is_empty() {
        return None;
    }
    if !matches!(documento.len(), 11 | 14) {
        fields.error(
            &format!("{who}.cpf_cnpj"),
            "formato",
            "Informe 11 posições (CPF) ou 14 (CNPJ).",
        );
        return None;
    }
    Some(documento.to_owned())
}

fn address(
    t: &mut Tags,
    options: &Options,
    address: &Endereco,
    limits: &Limits,
    fields: &mut Fields,
) {
    let version = options.version;
    let exterior = address.exterior();
    if exterior && version >= LayoutVersion::V204 {
        return no_exterior(t, options, address, fields);
    }
    let of = |field: &str| format!("tomador.endereco.{field}");
    let street = address.logradouro.as_deref();
    let street = fields.text(&of("logradouro"), street, limits.address);
    let number = fields.text(&of("numero"), address.numero.as_deref(), limits.number);
    let complement = fields.optional(&of("complemento"), address.complemento.as_deref(), 60);
    let district = fields.text(&of("bairro"), address.bairro.as_deref(), 60);
    t.group("Endereco", &[], |t| {
        t.leaf("Endereco", &street);
        t.leaf("Numero", &number);
        t.optional("Complemento", complement.as_deref());
        t.leaf("Bairro", &district);
        if exterior {
            t.leaf("CodigoMunicipio", FOREIGN_MUNICIPALITY);
            // The states of 2.03 are an enumeration without EX.
            if version < LayoutVersion::V203 {
                t.leaf("Uf", "EX");
            }
            if !version.first() {
                let country = country(address, fields);
                t.leaf("CodigoPais", &country);
            }
            return;
        }
        let codigo = address.codigo_ibge.as_deref().unwrap_or_default();
        t.leaf(
            "CodigoMunicipio",
            &fields.digits(&of("codigo_ibge"), codigo, 7),
        );
        t.leaf("Uf", &fields.text(&of("uf"), address.uf.as_deref(), 2));
        let cep = address
            .cep
            .as_deref()
            .unwrap_or_default()
            .replace(['-', '.'], "");
        t.leaf("Cep", &fields.digits(&of("cep"), &cep, 8));
    });
}

/// `EnderecoExterior` of 2.04; Giss completes it with the fields of the DPS.
fn no_exterior(t: &mut Tags, options: &Options, address: &Endereco, fields: &mut Fields) {
    let parts = [
        &address.logradouro,
        &address.numero,
        &address.complemento,
        &address.bairro,
        &address.cidade,
        &address.estado,
    ];
    let complete: Vec<&str> = parts
        .into_iter()
        .filter_map(|part| part.as_deref().map(str::trim))
        .filter(|part| !part.is_empty())
        .collect();
    let complete = fields.text(
        "tomador.endereco.logradouro",
        Some(&complete.join(", ")),
        255,
    );
    t.group("EnderecoExterior", &[], |t| {
        let country = country(address, fields);
        t.leaf("CodigoPais", &country);
        t.leaf("EnderecoCompletoExterior", &complete);
        if options.ibs_cbs == IbsCbsPlace::Values {
            let of = |field: &str| format!("tomador.endereco.{field}");
            let postal = address.codigo_postal.as_deref();
            t.leaf("cEndPost", &fields.text(&of("codigo_postal"), postal, 11));
            t.leaf(
                "xCidade",
                &fields.text(&of("cidade"), address.cidade.as_deref(), 60),
            );
            t.leaf(
                "xEstProvReg",
                &fields.text(&of("estado"), address.estado.as_deref(), 60),
            );
        }
    });
}

fn country(address: &Endereco, fields: &mut Fields) -> String {
    let country = address.codigo_pais.as_deref().unwrap_or_default();
    match countries::bacen(country) {
        Some(codigo) => codigo.to_owned(),
        None => {
            fields.error(
                "tomador.endereco.codigo_pais",
                "formato",
                "Informe o país pela sigla ISO de duas letras.",
            );
            String::new()
        }
    }
}

fn contact(t: &mut Tags, person: &Pessoa, limits: &Limits, fields: &mut Fields) {
    let email = fields.optional("tomador.email", person.email.as_deref(), 80);
    // A number too long for the layout is left out: it identifies nobody.
    let telefone = person
        .telefone
        .as_deref()
        .map(|text| {
            without_country(
                &text
                    .chars()
                    .filter(char::is_ascii_digit)
                    .collect::<String>(),
            )
        })
        .filter(|number| !number.is_empty() && number.len() <= limits.telefone);
    if email.is_none() && telefone.is_none() {
        return;
    }
    t.group("Contato", &[], |t| {
        t.optional("Telefone", telefone.as_deref());
        t.optional("Email", email.as_deref());
    });
}

/// Without Brazil's country code: 55, two digits of area and eight or nine.
fn without_country(number: &str) -> String {
    match number.strip_prefix("55") {
        Some(rest) if matches!(rest.len(), 10 | 11) => rest.to_owned(),
        _ => number.to_owned(),
    }
}
