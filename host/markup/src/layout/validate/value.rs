//! Values of elements and attributes against simple types.

use std::cmp::Ordering;

use super::Validador;
use crate::layout::error::{Erro, regra};
use crate::layout::lexical;
use crate::layout::phrases::{self, Falha};
use crate::layout::table::{Atributo, Base, Simples, Tabela};
use crate::xml::Element;

/// Does the first built-in type restrict the second, or is it the same?
pub(super) fn restringe(tipo: &str, base: &str) -> bool {
    let acima = |nome: &str| {
        Some(match nome {
            "xs:normalizedString" => "xs:string",
            "xs:token" => "xs:normalizedString",
            "xs:language" | "xs:Name" | "xs:NMTOKEN" => "xs:token",
            "xs:NCName" => "xs:Name",
            "xs:ID" => "xs:NCName",
            "xs:integer" => "xs:decimal",
            "xs:nonNegativeInteger" | "xs:long" => "xs:integer",
            "xs:positiveInteger" | "xs:unsignedLong" => "xs:nonNegativeInteger",
            "xs:int" => "xs:long",
            "xs:short" => "xs:int",
            "xs:byte" => "xs:short",
            "xs:unsignedInt" => "xs:unsignedLong",
            "xs:unsignedShort" => "xs:unsignedInt",
            "xs:unsignedByte" => "xs:unsignedShort",
            _ => return None,
        })
    };
    std::iter::successors(Some(tipo), |nome| acima(nome)).any(|nome| nome == base)
}

impl<'t: 'd, 'd> Validador<'t, 'd> {
    pub(super) fn texto_simples(&mut self, elemento: Element<'d>, tipo: usize) {
        let Some(simples) = self.tabela.simples(tipo) else {
            return;
        };
        if let Some(filho) = elemento.children().next() {
            let erro = Erro::novo(
                self.caminho(),
                regra::ESTRUTURA,
                format!(
                    "{} é um campo de valor e não pode ter outros dentro.",
                    elemento.name()
                ),
                format!(
                    "Retire {} de dentro de {}.",
                    filho.name().chars().take(60).collect::<String>(),
                    elemento.name()
                ),
            );
            return self.erro(erro);
        }
        let texto = elemento.text();
        if let Err(falha) = confere(self.tabela, simples, &texto) {
            let caminho = self.caminho();
            self.recusa(caminho, elemento.name(), simples, &texto, falha);
        }
    }

    pub(super) fn valor_de_atributo(&mut self, atributo: &'t Atributo, valor: &'d str) {
        let Some(simples) = self.tabela.simples(atributo.tipo) else {
            return;
        };
        let mut falha = confere(self.tabela, simples, valor).err();
        if falha.is_none()
            && let Some(fixo) = atributo.fixo
            && lexical::normaliza(simples.brancos, valor) != fixo
        {
            falha = Some(Falha::Fixo(fixo));
        }
        if let Some(falha) = falha {
            let caminho = format!("{}/@{}", self.caminho(), atributo.nome);
            return self.recusa(caminho, atributo.nome, simples, valor, falha);
        }
        if simples.base == Base::Id && !self.ids.insert(valor.trim()) {
            let erro = Erro::novo(
                format!("{}/@{}", self.caminho(), atributo.nome),
                regra::ID_REPETIDO,
                format!("{} se repete no documento.", atributo.nome),
                format!("Use um {} diferente em cada elemento.", atributo.nome),
            );
            self.erro(erro);
        }
    }

    fn recusa(
        &mut self,
        caminho: String,
        nome: &str,
        simples: &Simples,
        valor: &str,
        falha: Falha<'_>,
    ) {
        let (mensagem, correcao) = phrases::de_valor(nome, simples, valor, &falha);
        let mostra = !phrases::pessoal(nome);
        self.erro(
            Erro::novo(caminho, falha.regra(), mensagem, correcao)
                .com_valor(Some(valor).filter(|valor| mostra && !valor.is_empty()))
                .original(falha.original()),
        );
    }
}

/// A text against a type: the first facet that does not hold.
pub(in crate::layout) fn confere<'t>(
    tabela: &'t Tabela,
    simples: &'t Simples,
    texto: &str,
) -> Result<(), Falha<'t>> {
    let texto = lexical::normaliza(simples.brancos, texto);
    let texto: &str = &texto;
    if simples.base != Base::String && !lexical::aceita(simples.base, texto) {
        return Err(Falha::Tipo(simples.embutido));
    }
    if !simples.valores.is_empty() && !simples.valores.contains(&texto) {
        return Err(Falha::Enumeracao(&simples.valores));
    }
    if simples.min.is_some() || simples.max.is_some() || simples.tamanho.is_some() {
        tamanho(simples, texto)?;
    }
    for padrao in &simples.padroes {
        if let Some(padrao) = tabela.padroes.get(*padrao)
            && !padrao.casa(texto)
        {
            return Err(Falha::Padrao(padrao));
        }
    }
    if simples.de.is_some() || simples.ate.is_some() || simples.digitos.is_some() {
        faixa(simples, texto)?;
    }
    Ok(())
}

fn tamanho<'t>(simples: &Simples, texto: &str) -> Result<(), Falha<'t>> {
    let letras = match simples.base {
        Base::Base64 => lexical::octetos(texto).unwrap_or(0),
        _ => texto.chars().count(),
    };
    let letras = u32::try_from(letras).unwrap_or(u32::MAX);
    let certo = simples.tamanho.is_none_or(|n| letras == n)
        && simples.min.is_none_or(|min| letras >= min)
        && simples.max.is_none_or(|max| letras <= max);
    if certo {
        return Ok(());
    }
    Err(Falha::Tamanho {
        min: simples.tamanho.or(simples.min),
        max: simples.tamanho.or(simples.max),
        veio: letras,
    })
}

fn faixa<'t>(simples: &Simples, texto: &str) -> Result<(), Falha<'t>> {
    let de = simples.de.is_none_or(|de| {
        matches!(
            lexical::compara(simples.base, texto, de),
            Some(Ordering::Equal | Ordering::Greater)
        )
    });
    let ate = simples.ate.is_none_or(|ate| {
        matches!(
            lexical::compara(simples.base, texto, ate),
            Some(Ordering::Equal | Ordering::Less)
        )
    });
    let (todos, fracao) = lexical::digitos(texto).unwrap_or((0, 0));
    let digitos =
        simples.digitos.is_none_or(|n| todos <= n) && simples.decimais.is_none_or(|n| fracao <= n);
    if de && ate && digitos {
        return Ok(());
    }
    Err(Falha::Faixa {
        de: simples.de,
        ate: simples.ate,
    })
}
