//! What was read, under the names of the API.

use std::borrow::Cow;

use rust_decimal::Decimal;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A value of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Valor<'d> {
    Texto(Cow<'d, str>),
    /// Digits as the document has them.
    Numero(Cow<'d, str>),
    Logico(bool),
    Grupo(Grupo<'d>),
    Lista(Vec<Valor<'d>>),
}

/// Members in the order they came.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grupo<'d> {
    membros: Vec<(&'static str, Valor<'d>)>,
}

impl<'d> Valor<'d> {
    /// Text or number as it stands.
    pub fn texto(&self) -> Option<&str> {
        match self {
            Valor::Texto(texto) | Valor::Numero(texto) => Some(texto),
            _ => None,
        }
    }

    pub fn grupo(&self) -> Option<&Grupo<'d>> {
        match self {
            Valor::Grupo(grupo) => Some(grupo),
            _ => None,
        }
    }
}

impl<'d> Grupo<'d> {
    /// The member of that name; `endereco.uf` looks into groups.
    pub fn get(&self, nome: &str) -> Option<&Valor<'d>> {
        match nome.split_once('.') {
            Some((grupo, resto)) => self.get(grupo)?.grupo()?.get(resto),
            None => self
                .membros
                .iter()
                .find(|(membro, _)| *membro == nome)
                .map(|(_, valor)| valor),
        }
    }

    /// Text or number of a member.
    pub fn texto(&self, nome: &str) -> Option<&str> {
        self.get(nome)?.texto()
    }

    /// A member as a number; none where it is no decimal of the usual size.
    pub fn decimal(&self, nome: &str) -> Option<Decimal> {
        self.texto(nome)?.parse().ok()
    }

    /// The groups of a list; none where there is no such list.
    pub fn lista(&self, nome: &str) -> impl Iterator<Item = &Grupo<'d>> {
        let valores = match self.get(nome) {
            Some(Valor::Lista(valores)) => valores.as_slice(),
            _ => &[],
        };
        valores.iter().filter_map(Valor::grupo)
    }

    /// All members.
    pub fn membros(&self) -> impl Iterator<Item = (&'static str, &Valor<'d>)> {
        self.membros.iter().map(|(nome, valor)| (*nome, valor))
    }

    pub(super) fn into_membros(self) -> impl Iterator<Item = (&'static str, Valor<'d>)> {
        self.membros.into_iter()
    }

    pub fn is_empty(&self) -> bool {
        self.membros.is_empty()
    }

    pub(super) fn com_espaco(membros: usize) -> Grupo<'d> {
        Grupo {
            membros: Vec::with_capacity(membros),
        }
    }

    /// Puts a value at a dotted path; gives it back where there is one already.
    pub(super) fn poe(&mut self, caminho: &'static str, valor: Valor<'d>) -> Result<(), Valor<'d>> {
        match caminho.rsplit_once('.') {
            None => {
                if self.get(caminho).is_some() {
                    return Err(valor);
                }
                self.membros.push((caminho, valor));
                Ok(())
            }
            Some((grupo, nome)) => match self.dentro(grupo) {
                Some(grupo) => grupo.poe(nome, valor),
                None => Err(valor),
            },
        }
    }

    /// Appends to the list of that name.
    pub(super) fn acrescenta(
        &mut self,
        nome: &'static str,
        valor: Valor<'d>,
    ) -> Result<(), Valor<'d>> {
        match self.membros.iter_mut().find(|(membro, _)| *membro == nome) {
            Some((_, Valor::Lista(lista))) => lista.push(valor),
            Some(_) => return Err(valor),
            None => self.membros.push((nome, Valor::Lista(vec![valor]))),
        }
        Ok(())
    }

    /// The group at a dotted path, made if absent; none where something else
    /// is in the way.
    pub(super) fn dentro(&mut self, caminho: &'static str) -> Option<&mut Grupo<'d>> {
        let (nome, resto) = match caminho.split_once('.') {
            Some((nome, resto)) => (nome, Some(resto)),
            None => (caminho, None),
        };
        let posicao = match self.membros.iter().position(|(membro, _)| *membro == nome) {
            Some(posicao) => posicao,
            None => {
                self.membros.push((nome, Valor::Grupo(Grupo::default())));
                self.membros.len() - 1
            }
        };
        let (_, Valor::Grupo(grupo)) = self.membros.get_mut(posicao)? else {
            return None;
        };
        match resto {
            Some(resto) => grupo.dentro(resto),
            None => Some(grupo),
        }
    }
}

impl Serialize for Valor<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Valor::Texto(texto) => serializer.serialize_str(texto),
            // With the document's own digits: 10.00 stays 10.00.
            Valor::Numero(texto) => match numero_json(texto) {
                Some(numero) => numero.serialize(serializer),
                None => serializer.serialize_str(texto),
            },
            Valor::Logico(valor) => serializer.serialize_bool(*valor),
            Valor::Grupo(grupo) => grupo.serialize(serializer),
            Valor::Lista(lista) => lista.serialize(serializer),
        }
    }
}

impl Serialize for Grupo<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut mapa = serializer.serialize_map(Some(self.membros.len()))?;
        for (nome, valor) in &self.membros {
            mapa.serialize_entry(nome, valor)?;
        }
        mapa.end()
    }
}

/// A JSON number of the same digits, where JSON can say them: no leading
/// zeros, no sign but minus, no exponent, of a size somebody may compute with.
fn numero_json(texto: &str) -> Option<serde_json::Number> {
    let absoluto = texto.strip_prefix('-').unwrap_or(texto);
    let (inteiro, decimais) = absoluto.split_once('.').unwrap_or((absoluto, "0"));
    let digitos =
        |parte: &str| !parte.is_empty() && parte.bytes().all(|byte| byte.is_ascii_digit());
    let cabe = texto.len() <= 28 && digitos(inteiro) && digitos(decimais);
    let comeca = inteiro == "0" || !inteiro.starts_with('0');
    (cabe && comeca).then(|| texto.parse().ok())?
}

/// A value under its official path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outro<'d> {
    /// `infNFe/det[2]/prod/xFoo`, `infNFe/@x`.
    pub caminho: String,
    pub valor: Cow<'d, str>,
}
