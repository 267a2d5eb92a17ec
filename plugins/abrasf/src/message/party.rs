//! Service taker and intermediary.

use super::tags::Tags;
use crate::message::countries;
use crate::message::fields::Campos;
use crate::message::provider::cpf_cnpj;
use crate::options::{LugarIbsCbs, Opcoes};
use crate::version::Versao;
use sdk::nfse::{Endereco, Pessoa, TipoPessoa};

/// Municipality code of an address abroad (manual of the model, tcEndereco).
const MUNICIPIO_EXTERIOR: &str = "9999999";

/// Largest lengths that changed between versions.
struct Limites {
    nome: usize,
    endereco: usize,
    numero: usize,
    telefone: usize,
}

fn limites(versao: Versao) -> Limites {
    Limites {
        nome: if versao.primeira() { 115 } else { 150 },
        endereco: if versao >= Versao::V204 { 255 } else { 125 },
        numero: if versao >= Versao::V204 { 60 } else { 10 },
        telefone: if versao.primeira() { 11 } else { 20 },
    }
}

/// `Tomador` or, from 2.04 on, `TomadorServico`. Someone who is not
/// identified is left out.
pub fn tomador(t: &mut Tags, opcoes: &Opcoes, pessoa: &Pessoa, campos: &mut Campos) {
    if pessoa.tipo == TipoPessoa::NaoIdentificado {
        return;
    }
    let versao = opcoes.versao;
    let limites = limites(versao);
    let nome = campos.texto("tomador.nome", pessoa.nome.as_deref(), limites.nome);
    let im = campos.opcional("tomador.im", pessoa.im.as_deref(), 15);
    let nif = campos.opcional("tomador.nif", pessoa.nif.as_deref(), 40);
    let documento = documento("tomador", pessoa, campos);
    let grupo = if versao >= Versao::V204 {
        "TomadorServico"
    } else {
        "Tomador"
    };
    t.grupo(grupo, &[], |t| {
        // From 2.04 on the identification needs a document.
        if documento.is_some() || (im.is_some() && versao < Versao::V204) {
            t.grupo("IdentificacaoTomador", &[], |t| {
                if let Some(documento) = &documento {
                    cpf_cnpj(t, documento);
                }
                t.opcional("InscricaoMunicipal", im.as_deref());
            });
        }
        if versao >= Versao::V203 {
            t.opcional("NifTomador", nif.as_deref());
        }
        t.folha("RazaoSocial", &nome);
        if let Some(endereco) = &pessoa.endereco {
            self::endereco(t, opcoes, endereco, &limites, campos);
        }
        contato(t, pessoa, &limites, campos);
    });
}

/// `Intermediario` or, in 1.00, `IntermediarioServico`.
pub fn intermediario(t: &mut Tags, opcoes: &Opcoes, pessoa: &Pessoa, campos: &mut Campos) {
    let versao = opcoes.versao;
    let nome = campos.texto(
        "intermediario.nome",
        pessoa.nome.as_deref(),
        limites(versao).nome,
    );
    let im = campos.opcional("intermediario.im", pessoa.im.as_deref(), 15);
    let documento = documento("intermediario", pessoa, campos);
    if documento.is_none() {
        campos.erro(
            "intermediario.cpf_cnpj",
            "obrigatorio",
            "O leiaute da prefeitura exige o CPF ou CNPJ do intermediário.",
        );
    }
    let identificacao = |t: &mut Tags| {
        if let Some(documento) = &documento {
            cpf_cnpj(t, documento);
        }
        t.opcional("InscricaoMunicipal", im.as_deref());
    };
    if versao.primeira() {
        t.grupo("IntermediarioServico", &[], |t| {
            t.folha("RazaoSocial", &nome);
            identificacao(t);
        });
        return;
    }
    t.grupo("Intermediario", &[], |t| {
        t.grupo("IdentificacaoIntermediario", &[], identificacao);
        t.folha("RazaoSocial", &nome);
        if versao >= Versao::V203 || opcoes.ibs_cbs == LugarIbsCbs::Declaracao {
            let codigo = pessoa
                .endereco
                .as_ref()
                .and_then(|e| e.codigo_ibge.as_deref());
            let codigo = campos.digitos(
                "intermediario.endereco.codigo_ibge",
                codigo.unwrap_or_default(),
                7,
            );
            t.folha("CodigoMunicipio", &codigo);
        }
    });
}

/// CPF or CNPJ of an identified person.
fn documento(quem: &str, pessoa: &Pessoa, campos: &mut Campos) -> Option<String> {
    let documento = pessoa.cpf_cnpj.as_deref().map(str::trim)?;
    if documento.is_empty() {
        return None;
    }
    if !matches!(documento.len(), 11 | 14) {
        campos.erro(
            &format!("{quem}.cpf_cnpj"),
            "formato",
            "Informe 11 posições (CPF) ou 14 (CNPJ).",
        );
        return None;
    }
    Some(documento.to_owned())
}

fn endereco(
    t: &mut Tags,
    opcoes: &Opcoes,
    endereco: &Endereco,
    limites: &Limites,
    campos: &mut Campos,
) {
    let versao = opcoes.versao;
    let exterior = endereco.exterior();
    if exterior && versao >= Versao::V204 {
        return no_exterior(t, opcoes, endereco, campos);
    }
    let de = |campo: &str| format!("tomador.endereco.{campo}");
    let logradouro = endereco.logradouro.as_deref();
    let logradouro = campos.texto(&de("logradouro"), logradouro, limites.endereco);
    let numero = campos.texto(&de("numero"), endereco.numero.as_deref(), limites.numero);
    let complemento = campos.opcional(&de("complemento"), endereco.complemento.as_deref(), 60);
    let bairro = campos.texto(&de("bairro"), endereco.bairro.as_deref(), 60);
    t.grupo("Endereco", &[], |t| {
        t.folha("Endereco", &logradouro);
        t.folha("Numero", &numero);
        t.opcional("Complemento", complemento.as_deref());
        t.folha("Bairro", &bairro);
        if exterior {
            t.folha("CodigoMunicipio", MUNICIPIO_EXTERIOR);
            // The states of 2.03 are an enumeration without EX.
            if versao < Versao::V203 {
                t.folha("Uf", "EX");
            }
            if !versao.primeira() {
                let pais = pais(endereco, campos);
                t.folha("CodigoPais", &pais);
            }
            return;
        }
        let codigo = endereco.codigo_ibge.as_deref().unwrap_or_default();
        t.folha(
            "CodigoMunicipio",
            &campos.digitos(&de("codigo_ibge"), codigo, 7),
        );
        t.folha("Uf", &campos.texto(&de("uf"), endereco.uf.as_deref(), 2));
        let cep = endereco
            .cep
            .as_deref()
            .unwrap_or_default()
            .replace(['-', '.'], "");
        t.folha("Cep", &campos.digitos(&de("cep"), &cep, 8));
    });
}

/// `EnderecoExterior` of 2.04; Giss completes it with the fields of the DPS.
fn no_exterior(t: &mut Tags, opcoes: &Opcoes, endereco: &Endereco, campos: &mut Campos) {
    let partes = [
        &endereco.logradouro,
        &endereco.numero,
        &endereco.complemento,
        &endereco.bairro,
        &endereco.cidade,
        &endereco.estado,
    ];
    let completo: Vec<&str> = partes
        .into_iter()
        .filter_map(|parte| parte.as_deref().map(str::trim))
        .filter(|parte| !parte.is_empty())
        .collect();
    let completo = campos.texto(
        "tomador.endereco.logradouro",
        Some(&completo.join(", ")),
        255,
    );
    t.grupo("EnderecoExterior", &[], |t| {
        let pais = pais(endereco, campos);
        t.folha("CodigoPais", &pais);
        t.folha("EnderecoCompletoExterior", &completo);
        if opcoes.ibs_cbs == LugarIbsCbs::Valores {
            let de = |campo: &str| format!("tomador.endereco.{campo}");
            let postal = endereco.codigo_postal.as_deref();
            t.folha("cEndPost", &campos.texto(&de("codigo_postal"), postal, 11));
            t.folha(
                "xCidade",
                &campos.texto(&de("cidade"), endereco.cidade.as_deref(), 60),
            );
            t.folha(
                "xEstProvReg",
                &campos.texto(&de("estado"), endereco.estado.as_deref(), 60),
            );
        }
    });
}

fn pais(endereco: &Endereco, campos: &mut Campos) -> String {
    let pais = endereco.codigo_pais.as_deref().unwrap_or_default();
    match countries::bacen(pais) {
        Some(codigo) => codigo.to_owned(),
        None => {
            campos.erro(
                "tomador.endereco.codigo_pais",
                "formato",
                "Informe o país pela sigla ISO de duas letras.",
            );
            String::new()
        }
    }
}

fn contato(t: &mut Tags, pessoa: &Pessoa, limites: &Limites, campos: &mut Campos) {
    let email = campos.opcional("tomador.email", pessoa.email.as_deref(), 80);
    // A number too long for the layout is left out: it identifies nobody.
    let telefone = pessoa
        .telefone
        .as_deref()
        .map(|texto| {
            sem_pais(
                &texto
                    .chars()
                    .filter(char::is_ascii_digit)
                    .collect::<String>(),
            )
        })
        .filter(|numero| !numero.is_empty() && numero.len() <= limites.telefone);
    if email.is_none() && telefone.is_none() {
        return;
    }
    t.grupo("Contato", &[], |t| {
        t.opcional("Telefone", telefone.as_deref());
        t.opcional("Email", email.as_deref());
    });
}

/// Without Brazil's country code: 55, two digits of area and eight or nine.
fn sem_pais(numero: &str) -> String {
    match numero.strip_prefix("55") {
        Some(resto) if matches!(resto.len(), 10 | 11) => resto.to_owned(),
        _ => numero.to_owned(),
    }
}
