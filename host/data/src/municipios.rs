//! Municipalities by their IBGE code.

use crate::tabela::Tabela;
use crate::ufs::{self, Uf};

static TABELA: Tabela<Municipio> = Tabela::new(include_str!("../tables/municipios.tsv"), |c| {
    Some(Municipio {
        codigo: c.numero()?,
        utc: c.numero()?,
        nome: c.texto()?,
    })
});

/// A municipality that exists.
#[derive(Debug, PartialEq, Eq)]
pub struct Municipio {
    /// Seven digits.
    pub codigo: u32,
    /// Hours from UTC: some differ from their capital (Fernando de Noronha,
    /// the west of Amazonas).
    pub utc: i8,
    pub nome: &'static str,
}

impl Municipio {
    pub fn uf(&self) -> Option<&'static Uf> {
        ufs::por_codigo(u8::try_from(self.codigo / 100_000).ok()?)
    }
}

/// The municipality of a code.
pub fn get(codigo: u32) -> Option<&'static Municipio> {
    TABELA.busca(|linha| linha.codigo.cmp(&codigo))
}

/// Municipalities of a state.
pub fn da_uf(uf: &Uf) -> &'static [Municipio] {
    TABELA.faixa(|linha| (linha.codigo / 100_000).cmp(&u32::from(uf.codigo)))
}

/// The municipality of a name in a state; case, accents, hyphens and
/// apostrophes do not matter.
pub fn por_nome(uf: &Uf, nome: &str) -> Option<&'static Municipio> {
    let procurado = simples(nome);
    da_uf(uf)
        .iter()
        .find(|linha| simples(linha.nome) == procurado)
}

/// All municipalities, by code.
pub fn todos() -> &'static [Municipio] {
    TABELA.linhas()
}

/// Letters and digits only, without accents, in lower case. Cut at 100: no
/// name is longer.
fn simples(nome: &str) -> String {
    nome.chars()
        .take(100)
        .flat_map(char::to_lowercase)
        .map(sem_acento)
        .filter(char::is_ascii_alphanumeric)
        .collect()
}

fn sem_acento(letra: char) -> char {
    match letra {
        'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        outra => outra,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::tabela::confere(&TABELA, |linha| linha.codigo), 5571);
        assert!(todos().iter().all(|linha| linha.uf().is_some()));
        let soma: usize = ufs::UFS.iter().map(|uf| da_uf(uf).len()).sum();
        assert_eq!(soma, 5571);
    }

    #[test]
    fn names_are_found_as_people_write_them() {
        let sp = ufs::por_sigla("SP").expect("SP");
        assert_eq!(por_nome(sp, "SAO PAULO").map(|m| m.codigo), Some(3_550_308));
        assert_eq!(
            por_nome(sp, "santa bárbara d'oeste").map(|m| m.codigo),
            Some(3_545_803)
        );
        assert_eq!(
            por_nome(sp, "Santa Barbara DOeste").map(|m| m.codigo),
            Some(3_545_803)
        );
        assert_eq!(por_nome(sp, "Recife"), None);
    }

    #[test]
    fn an_island_has_its_own_hour() {
        assert_eq!(get(2_605_459).map(|m| m.utc), Some(-2));
        assert_eq!(get(3_550_308).map(|m| m.utc), Some(-3));
        for uf in &ufs::UFS {
            assert!(da_uf(uf).iter().any(|linha| linha.utc == uf.utc), "{uf:?}");
        }
    }
}
