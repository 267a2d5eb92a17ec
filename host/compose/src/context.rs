//! What is true of the whole note while it is put together, and the lists of
//! what is wrong with it and what should be told.

use crate::arithmetic::{self, TOLERANCIA};
use crate::emitter::Emitente;
use crate::frame::{Dados, Modelo};
use data::ufs::Uf;
use fiscal::nfe::order::{
    Destino, Finalidade, IndicadorIe, Numero, Pedido, Presenca, TipoOperacao,
};
use markup::field::Campos;
use markup::layout::normalizar_texto;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A place in the request; its text is made only when something is wrong there.
#[derive(Clone, Copy)]
pub(crate) struct Onde<'a> {
    acima: Option<&'a Onde<'a>>,
    nome: &'static str,
    indice: Option<usize>,
}

impl<'a> Onde<'a> {
    pub const RAIZ: Onde<'static> = Onde {
        acima: None,
        nome: "",
        indice: None,
    };

    /// A member of this place.
    pub fn em(&'a self, nome: &'static str) -> Onde<'a> {
        Onde {
            acima: Some(self),
            nome,
            indice: None,
        }
    }

    /// A member of the request itself.
    pub fn raiz(nome: &'static str) -> Onde<'static> {
        Onde {
            acima: Some(&Onde::RAIZ),
            nome,
            indice: None,
        }
    }

    /// An element of a list of the request itself.
    pub fn lista(nome: &'static str, indice: usize) -> Onde<'static> {
        Onde {
            indice: Some(indice),
            ..Onde::raiz(nome)
        }
    }

    /// Places of what is multiplied, by name: those of amounts are all two, and
    /// none of them is a factor (layout 4.00: `TDec_1104v`, `TDec_0302a04`;
    /// `TDec_1110v` of unit values is as long as any number gets).
    fn casas(&self) -> Option<u32> {
        match (self.acima.map(|acima| acima.nome), self.nome) {
            (Some("fornecimentos"), "quantidade") => None,
            (Some("rastreios"), "quantidade") => Some(3),
            (Some("volumes"), "quantidade") => Some(0),
            (Some("devolucao"), "percentual") => Some(2),
            (_, "mva" | "redutor" | "valor_unidade") => Some(4),
            (_, nome)
                if ["aliquota", "reducao", "percentual", "quantidade"]
                    .iter()
                    .any(|factor| nome.starts_with(factor)) =>
            {
                Some(4)
            }
            _ => None,
        }
    }

    /// An element of a list of this place.
    pub fn n(&'a self, nome: &'static str, indice: usize) -> Onde<'a> {
        Onde {
            acima: Some(self),
            nome,
            indice: Some(indice),
        }
    }
}

impl fmt::Display for Onde<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(acima) = self.acima.filter(|acima| acima.acima.is_some()) {
            write!(f, "{acima}.")?;
        }
        f.write_str(self.nome)?;
        match self.indice {
            Some(indice) => write!(f, "[{indice}]"),
            None => Ok(()),
        }
    }
}

/// Something the customer should know, that does not stop the note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aviso {
    /// Path in the request.
    pub campo: String,
    pub mensagem: String,
}

/// Facts of the note, worked out once.
pub(crate) struct Contexto<'a> {
    pub pedido: &'a Pedido,
    pub emitente: &'a Emitente,
    pub dados: &'a Dados,
    pub campos: Campos,
    pub avisos: Vec<Aviso>,
    /// State of the emitter.
    pub uf: &'static Uf,
    /// Sigla of the recipient's state, `EX` abroad; the emitter's without one.
    pub uf_destino: &'static str,
    pub operacao: TipoOperacao,
    pub finalidade: Finalidade,
    pub presenca: Presenca,
    pub destino: Destino,
    pub consumidor_final: bool,
    pub indicador_ie: IndicadorIe,
    /// Fill in what tables and profile know.
    pub calcular: bool,
    /// Are the taxes of before the reform asked for?
    pub exige_antigos: bool,
    /// Official names of the groups the note may not have (rejection 1001).
    pub vedados: &'static [&'static str],
}

impl Contexto<'_> {
    pub fn nfce(&self) -> bool {
        self.dados.modelo == Modelo::Nfce
    }

    /// Complements and adjustments carry amounts that no product of base and
    /// rate gives.
    pub fn so_valores(&self) -> bool {
        matches!(
            self.finalidade,
            Finalidade::Complementar | Finalidade::Ajuste
        )
    }

    /// Does the note carry IBS and CBS alone?
    pub fn so_ibs_cbs(&self) -> bool {
        !self.vedados.is_empty()
    }

    pub fn veda(&self, grupo: &str) -> bool {
        self.vedados.contains(&grupo)
    }

    pub fn erro(
        &mut self,
        onde: Onde<'_>,
        codigo: &str,
        mensagem: impl Into<String>,
        correcao: impl Into<String>,
    ) {
        self.campos
            .add(onde.to_string(), codigo, mensagem, correcao);
    }

    pub fn falta(&mut self, onde: Onde<'_>, correcao: impl Into<String>) {
        let nome = onde.nome;
        self.erro(
            onde,
            "obrigatorio",
            format!("Falta o campo {nome}."),
            correcao,
        );
    }

    pub fn aviso(&mut self, onde: Onde<'_>, mensagem: impl Into<String>) {
        self.aviso_em(onde.to_string(), mensagem);
    }

    /// The same at a place that is not in the request.
    pub fn aviso_em(&mut self, campo: String, mensagem: impl Into<String>) {
        let mensagem = mensagem.into();
        // Said once, at the first place: 990 items are not 990 messages.
        if self.avisos.iter().all(|aviso| aviso.mensagem != mensagem) {
            self.avisos.push(Aviso { campo, mensagem });
        }
    }

    /// A text as the layout takes it, from 1 to `maximo` characters. Empty
    /// counts as absent.
    pub fn texto(&mut self, onde: Onde<'_>, texto: Option<&str>, maximo: usize) -> Option<String> {
        let original = texto?;
        // Bounds the work on hostile input; the widest field has 5000.
        if original.len() > maximo.saturating_mul(8).saturating_add(64) {
            self.longo(onde, maximo);
            return None;
        }
        let limpo = normalizar_texto(original);
        if limpo.len() != original.len() && perdeu(original, &limpo) {
            self.aviso(
                onde,
                "Caracteres que o layout não aceita foram trocados ou retirados do texto.",
            );
        }
        if limpo.is_empty() {
            return None;
        }
        if limpo.len() > maximo && limpo.chars().count() > maximo {
            self.longo(onde, maximo);
            return None;
        }
        Some(limpo)
    }

    fn longo(&mut self, onde: Onde<'_>, maximo: usize) {
        self.erro(
            onde,
            "tamanho_invalido",
            format!("O texto passa de {maximo} caracteres."),
            "Encurte o texto.",
        );
    }

    /// The same, told when absent.
    pub fn texto_obrigatorio(
        &mut self,
        onde: Onde<'_>,
        texto: Option<&str>,
        maximo: usize,
    ) -> String {
        if texto.is_none_or(|texto| texto.trim().is_empty()) {
            self.falta(onde, "Informe o campo.");
            return String::new();
        }
        self.texto(onde, texto, maximo).unwrap_or_default()
    }

    /// Only the digits (and letters) of a code that people punctuate.
    pub fn codigo(&self, texto: Option<&str>) -> Option<String> {
        let limpo: String = texto?
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(60)
            .collect();
        (!limpo.is_empty()).then_some(limpo)
    }

    /// A number that must come; zero after telling so.
    pub fn numero(&mut self, onde: Onde<'_>, numero: Option<Numero>) -> Decimal {
        match numero {
            Some(numero) if !numero.is_sign_negative() || numero.is_zero() => {
                self.casas(onde, *numero);
                *numero
            }
            Some(_) => {
                self.negativo(onde);
                Decimal::ZERO
            }
            None => {
                self.falta(onde, "Informe o valor.");
                Decimal::ZERO
            }
        }
    }

    /// A number that may come; zero if not.
    pub fn opcional(&mut self, onde: Onde<'_>, numero: Option<Numero>) -> Option<Decimal> {
        let numero = *numero?;
        if numero.is_sign_negative() && !numero.is_zero() {
            self.negativo(onde);
            return None;
        }
        self.casas(onde, numero);
        Some(numero)
    }

    /// A quantity or a rate with more places than the layout writes would be
    /// rounded there and not where it is multiplied: the product would be that
    /// of another number (rejections 528 and 629).
    fn casas(&mut self, onde: Onde<'_>, numero: Decimal) {
        let Some(maximo) = onde.casas() else { return };
        if numero.scale() > maximo && numero.normalize().scale() > maximo {
            self.campos.add_value(
                onde.to_string(),
                "casas_decimais",
                &numero.to_string(),
                match maximo {
                    0 => "O leiaute leva aqui um número inteiro.".to_owned(),
                    _ => format!("O leiaute leva aqui até {maximo} casas decimais."),
                },
                "Arredonde o número, e com ele os valores que dele resultam.",
            );
        }
    }

    fn negativo(&mut self, onde: Onde<'_>) {
        self.erro(
            onde,
            "valor_negativo",
            "O valor não pode ser negativo.",
            "Informe zero ou um valor positivo.",
        );
    }

    /// What was given, if it agrees with what it should be; else the latter.
    pub fn conferido(
        &mut self,
        onde: Onde<'_>,
        dado: Option<Numero>,
        calculado: Decimal,
    ) -> Decimal {
        let Some(dado) = self.opcional(onde, dado).map(arithmetic::r2) else {
            return calculado;
        };
        if !self.so_valores() && (dado - calculado).abs() > TOLERANCIA {
            let esperado = arithmetic::f2(calculado);
            self.campos.add_value(
                onde.to_string(),
                "valor_divergente",
                &dado.to_string(),
                format!("O valor informado difere do calculado, {esperado}."),
                format!("Informe {esperado}, corrija a base ou a alíquota, ou omita o valor."),
            );
        }
        dado
    }
}

/// Was more than white space changed?
fn perdeu(original: &str, limpo: &str) -> bool {
    let sem_espaco = |texto: &str| -> String { texto.split_whitespace().collect() };
    sem_espaco(original) != sem_espaco(limpo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_as_people_write_it() {
        let itens = Onde::lista("itens", 2);
        let icms = itens.em("impostos");
        let st = icms.em("icms");
        assert_eq!(st.em("base").to_string(), "itens[2].impostos.icms.base");
        assert_eq!(Onde::RAIZ.em("troco").to_string(), "troco");
    }
}
