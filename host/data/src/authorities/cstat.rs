//! What the authorities answer (`cStat`) and what to do about it.

use crate::table::Tabela;

static TABELA: Tabela<Resposta> = Tabela::new(include_str!("../../tables/cstat.tsv"), |c| {
    Some(Resposta {
        modelo: c.numero()?,
        codigo: c.numero()?,
        categoria: Categoria::de(c.texto()?)?,
        segunda_mao: c.numero::<u8>()? == 2,
        texto: c.texto()?,
        dica: c.opcional()?,
    })
});

static CATEGORIAS: Tabela<(&str, &str)> =
    Tabela::new(include_str!("../../tables/cstat_categorias.tsv"), |c| {
        Some((c.texto()?, c.texto()?))
    });

/// A code of the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub struct Resposta {
    /// 55 (also NFC-e) or 57.
    pub modelo: u8,
    pub codigo: u16,
    pub categoria: Categoria,
    /// Numbers of the tax reform (1000 and above) moved between versions of
    /// NT 2025.002: the authority's own text always prevails.
    pub segunda_mao: bool,
    /// `xMotivo` without the word "Rejeição", as published.
    pub texto: &'static str,
    dica: Option<&'static str>,
}

/// What kind of answer a code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Categoria {
    Autorizado,
    Cancelado,
    Inutilizado,
    Denegado,
    EventoOk,
    Epec,
    Lote,
    Servico,
    Cadastro,
    Distribuicao,
    Duplicidade,
    Schema,
    Certificado,
    ConsumoIndevido,
    ErroInterno,
    Rejeicao,
}

impl Categoria {
    const NOMES: [(&'static str, Categoria); 16] = [
        ("autorizado", Categoria::Autorizado),
        ("cancelado", Categoria::Cancelado),
        ("inutilizado", Categoria::Inutilizado),
        ("denegado", Categoria::Denegado),
        ("evento_ok", Categoria::EventoOk),
        ("epec", Categoria::Epec),
        ("lote", Categoria::Lote),
        ("servico", Categoria::Servico),
        ("cadastro", Categoria::Cadastro),
        ("distribuicao", Categoria::Distribuicao),
        ("duplicidade", Categoria::Duplicidade),
        ("schema", Categoria::Schema),
        ("certificado", Categoria::Certificado),
        ("consumo_indevido", Categoria::ConsumoIndevido),
        ("erro_interno", Categoria::ErroInterno),
        ("rejeicao", Categoria::Rejeicao),
    ];

    fn de(nome: &str) -> Option<Categoria> {
        Categoria::NOMES
            .iter()
            .find(|(candidato, _)| *candidato == nome)
            .map(|(_, categoria)| *categoria)
    }

    pub fn nome(self) -> &'static str {
        Categoria::NOMES
            .iter()
            .find(|(_, candidata)| *candidata == self)
            .map_or("rejeicao", |(nome, _)| nome)
    }

    /// What to do about any code of this kind, in pt-BR.
    pub fn dica(self) -> &'static str {
        CATEGORIAS
            .busca(|linha| linha.0.cmp(self.nome()))
            .map_or("", |linha| linha.1)
    }
}

impl Resposta {
    /// What to do, in one or two short sentences (pt-BR, ours).
    pub fn dica(&self) -> &'static str {
        self.dica.unwrap_or_else(|| self.categoria.dica())
    }
}

/// The row of a code; 65 reads the table of 55.
pub fn get(modelo: u8, codigo: u16) -> Option<&'static Resposta> {
    let modelo = if modelo == 65 { 55 } else { modelo };
    TABELA.busca(|linha| (linha.modelo, linha.codigo).cmp(&(modelo, codigo)))
}

/// What to do about a code; an unknown one is taken as a refusal.
pub fn dica(modelo: u8, codigo: u16) -> &'static str {
    get(modelo, codigo).map_or_else(|| Categoria::Rejeicao.dica(), Resposta::dica)
}

/// All rows, by model and code.
pub fn todas() -> &'static [Resposta] {
    TABELA.linhas()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert!(crate::table::confere(&TABELA, |linha| (linha.modelo, linha.codigo)) > 850);
        crate::table::confere(&CATEGORIAS, |linha| linha.0);
        for (_, categoria) in Categoria::NOMES {
            assert!(!categoria.dica().is_empty(), "{categoria:?}");
        }
        let proprias = todas().iter().filter(|linha| linha.dica.is_some()).count();
        assert!(proprias >= 150, "{proprias}");
    }

    #[test]
    fn advice_is_short_and_everywhere() {
        for linha in todas() {
            let dica = linha.dica();
            assert!(
                (10..=220).contains(&dica.chars().count()),
                "{}: {dica}",
                linha.codigo
            );
            assert!(dica.ends_with('.'), "{}: {dica}", linha.codigo);
        }
    }

    #[test]
    fn codes_that_decide_the_life_of_a_note() {
        for (codigo, categoria) in [
            (100, Categoria::Autorizado),
            (150, Categoria::Autorizado),
            (101, Categoria::Cancelado),
            (204, Categoria::Duplicidade),
            (539, Categoria::Duplicidade),
            (573, Categoria::Duplicidade),
            (563, Categoria::Duplicidade),
            (656, Categoria::ConsumoIndevido),
            (217, Categoria::Rejeicao),
            (999, Categoria::ErroInterno),
        ] {
            assert_eq!(
                get(65, codigo).map(|linha| linha.categoria),
                Some(categoria),
                "{codigo}"
            );
        }
        assert!(dica(55, 9).contains("Corrija"));
    }
}
