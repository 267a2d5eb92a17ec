//! What is known of a person, and the rules it keeps.

use super::{ENDERECOS, TELEFONES};
use fiscal::nfe;
use fiscal::nfse;
use fiscal::person::{self, Linha};
use markup::field::Campos;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::tables::pessoas::PessoaRow;

/// Characters of an address's name.
const ROTULO: usize = 60;
/// Characters of the municipal registration (`IM` of both layouts).
const IM: usize = 15;

/// O que a pessoa é para a empresa.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Papel {
    Remetente,
    Destinatario,
    Tomador,
    Cliente,
    Fornecedor,
    Transportador,
}

impl Papel {
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
pub struct Endereco {
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
    pub tipo: Option<TipoTelefone>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TipoTelefone {
    Celular,
    Fixo,
    Comercial,
    Outro,
}

/// A person without its document.
#[derive(Clone, Debug, Default)]
pub struct Pessoa {
    pub nome: String,
    pub email: Option<String>,
    pub ie: Option<String>,
    pub im: Option<String>,
    pub papeis: Vec<Papel>,
    pub enderecos: Vec<Endereco>,
    pub telefones: Vec<Telefone>,
}

impl Endereco {
    /// Completes and checks; `onde`: the path of the address, empty for the
    /// whole body.
    pub(super) fn conferir(&mut self, campos: &mut Campos, onde: &str) {
        let mut found = Campos::default();
        self.rotulo = self
            .rotulo
            .take()
            .map(|rotulo| person::texto(&mut found, "e.rotulo", &rotulo, ROTULO))
            .filter(|rotulo| !rotulo.is_empty());
        let mut lugar = self.nfe();
        person::endereco(&mut found, "e", &mut lugar);
        self.cep = lugar.cep;
        self.logradouro = lugar.logradouro;
        self.numero = lugar.numero;
        self.complemento = lugar.complemento;
        self.bairro = lugar.bairro;
        self.cidade = lugar.cidade;
        self.codigo_ibge = lugar.codigo_ibge;
        self.uf = lugar.uf;
        campos.0.extend(found.0.into_iter().map(|mut campo| {
            let member = campo.campo.trim_start_matches("e.");
            campo.campo = match onde {
                "" => member.to_owned(),
                onde => format!("{onde}.{member}"),
            };
            campo
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
    pub fn nfse(&self) -> nfse::dps::Endereco {
        nfse::dps::Endereco {
            cep: self.cep.clone(),
            logradouro: self.logradouro.clone(),
            numero: self.numero.clone(),
            complemento: self.complemento.clone(),
            bairro: self.bairro.clone(),
            cidade: self.cidade.clone(),
            codigo_ibge: self.codigo_ibge.clone(),
            uf: self.uf.clone(),
            ..nfse::dps::Endereco::default()
        }
    }
}

impl Telefone {
    /// Checks, and tells the kind where nobody said it.
    pub(super) fn conferir(&mut self, campos: &mut Campos, onde: &str) {
        let member = |name: &str| match onde {
            "" => name.to_owned(),
            onde => format!("{onde}.{name}"),
        };
        let Some((numero, linha)) = person::telefone(campos, &member("numero"), &self.numero)
        else {
            return;
        };
        let differs = matches!(
            (self.tipo, linha),
            (Some(TipoTelefone::Celular), Linha::Fixo) | (Some(TipoTelefone::Fixo), Linha::Celular)
        );
        if differs {
            campos.add(
                member("tipo"),
                "telefone_invalido",
                "O número não é do tipo informado.",
                "Corrija o tipo, ou deixe-o de fora.",
            );
        }
        self.numero = numero;
        self.tipo = self.tipo.or(Some(match linha {
            Linha::Celular => TipoTelefone::Celular,
            Linha::Fixo => TipoTelefone::Fixo,
            Linha::Outra => TipoTelefone::Outro,
        }));
    }
}

impl Pessoa {
    /// The address notes take.
    pub fn principal(&self) -> Option<&Endereco> {
        let principal = |one: &&Endereco| one.principal == Some(true);
        self.enderecos.iter().find(principal)
    }

    /// Adds an address that was checked.
    pub(super) fn acrescentar(&mut self, mut endereco: Endereco) {
        let principal = endereco.principal == Some(true) || self.enderecos.is_empty();
        if principal {
            for other in &mut self.enderecos {
                other.principal = Some(false);
            }
        }
        endereco.principal = Some(principal);
        self.enderecos.push(endereco);
    }

    /// The row with what is known.
    pub(super) fn guardar(self, row: PessoaRow) -> serde_json::Result<PessoaRow> {
        Ok(PessoaRow {
            nome_busca: person::busca(&self.nome),
            nome: self.nome,
            email: self.email.unwrap_or_default(),
            ie: self.ie.unwrap_or_default(),
            im: self.im.unwrap_or_default(),
            papeis: serde_json::to_string(&self.papeis)?,
            enderecos: serde_json::to_string(&self.enderecos)?,
            telefones: serde_json::to_string(&self.telefones)?,
            ..row
        })
    }
}

/// What a row holds.
pub(super) fn ler(row: &PessoaRow) -> serde_json::Result<Pessoa> {
    let filled = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    Ok(Pessoa {
        nome: row.nome.clone(),
        email: filled(&row.email),
        ie: filled(&row.ie),
        im: filled(&row.im),
        papeis: serde_json::from_str(&row.papeis)?,
        enderecos: serde_json::from_str(&row.enderecos)?,
        telefones: serde_json::from_str(&row.telefones)?,
    })
}

/// Completes and checks everything.
pub(super) fn conferir(campos: &mut Campos, pessoa: &mut Pessoa) {
    pessoa.nome = person::nome(campos, "nome", &pessoa.nome);
    for (index, endereco) in pessoa.enderecos.iter_mut().enumerate() {
        endereco.conferir(campos, &format!("enderecos[{index}]"));
    }
    for (index, telefone) in pessoa.telefones.iter_mut().enumerate() {
        telefone.conferir(campos, &format!("telefones[{index}]"));
    }
    if pessoa.enderecos.len() > ENDERECOS {
        cheio(campos, "enderecos", ENDERECOS);
    }
    if pessoa.telefones.len() > TELEFONES {
        cheio(campos, "telefones", TELEFONES);
    }
    principal(campos, &mut pessoa.enderecos);
    // Any of the states it has an address in: a company that moves has both
    // for a while.
    let ufs: Vec<&str> = pessoa
        .enderecos
        .iter()
        .filter_map(|endereco| endereco.uf.as_deref())
        .collect();
    pessoa.ie = pessoa
        .ie
        .take()
        .filter(|ie| !ie.trim().is_empty())
        .map(|ie| person::inscricao(campos, "ie", &ie, &ufs));
    pessoa.im = pessoa
        .im
        .take()
        .map(|im| person::texto(campos, "im", &im, IM))
        .filter(|im| !im.is_empty());
    pessoa.email = pessoa
        .email
        .take()
        .filter(|email| !email.trim().is_empty())
        .map(|email| person::email(campos, "email", &email));
    pessoa.papeis.sort_unstable();
    pessoa.papeis.dedup();
}

/// One address is the principal one: the one that says so, or the first.
fn principal(campos: &mut Campos, enderecos: &mut [Endereco]) {
    let chosen: Vec<usize> = enderecos
        .iter()
        .enumerate()
        .filter(|(_, endereco)| endereco.principal == Some(true))
        .map(|(index, _)| index)
        .collect();
    if let Some(second) = chosen.get(1) {
        campos.add(
            format!("enderecos[{second}].principal"),
            "grupos_excludentes",
            "Mais de um endereço é o principal.",
            "Deixe principal true em um só.",
        );
    }
    let chosen = chosen.first().copied().unwrap_or(0);
    for (index, endereco) in enderecos.iter_mut().enumerate() {
        endereco.principal = Some(index == chosen);
    }
}

/// There are too many of something.
pub(super) fn cheio(campos: &mut Campos, campo: &str, max: usize) {
    campos.add(
        campo,
        "limite",
        format!("Uma pessoa tem no máximo {max} {campo}."),
        "Retire os excedentes.",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_roles_are_those_of_the_type() {
        for word in Papel::ALL {
            let papel: Papel = serde_json::from_value(word.into()).expect("a role");
            assert_eq!(serde_json::to_value(papel).expect("a word"), word);
        }
    }

    #[test]
    fn there_is_one_principal_address() {
        let endereco = |principal| Endereco {
            principal,
            ..Endereco::default()
        };
        let mut pessoa = Pessoa::default();
        let which = |pessoa: &Pessoa| -> Vec<usize> {
            let all = pessoa.enderecos.iter().enumerate();
            all.filter(|(_, one)| one.principal == Some(true))
                .map(|(index, _)| index)
                .collect()
        };
        pessoa.acrescentar(endereco(None));
        pessoa.acrescentar(endereco(Some(false)));
        assert_eq!(which(&pessoa), [0]);
        pessoa.acrescentar(endereco(Some(true)));
        assert_eq!(which(&pessoa), [2]);
        let mut campos = Campos::default();
        let mut none = [endereco(None), endereco(None)];
        principal(&mut campos, &mut none);
        assert_eq!(none.map(|one| one.principal), [Some(true), Some(false)]);
        assert!(campos.0.is_empty());
        principal(
            &mut campos,
            &mut [endereco(Some(true)), endereco(Some(true))],
        );
        assert_eq!(campos.0.len(), 1);
    }
}
