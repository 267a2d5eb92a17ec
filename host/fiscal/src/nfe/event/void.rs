//! Voiding of numbers that were skipped and will never be used (`inutNFe`).

use time::Date;

use crate::nfe::event::assemble;
use markup::field::{Campo, Campos};
use markup::ids::Cnpj;
use markup::layout::{Escrito, normalizar_texto};
use markup::tree::Elemento;

/// Most numbers of one request (cStat 201). The manual's figure is not confirmed;
/// a thousand is taken everywhere.
pub const MAX_FAIXA: u32 = 1000;

/// A range of numbers to be voided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inutilizacao {
    /// `tpAmb` 1.
    pub producao: bool,
    /// IBGE code of the issuer's state.
    pub cuf: u8,
    /// Two digits: the year in which the numbers were skipped.
    pub ano: u8,
    pub cnpj: Cnpj,
    /// 55 or 65.
    pub modelo: u8,
    pub serie: u16,
    pub numero_inicial: u32,
    pub numero_final: u32,
    pub justificativa: String,
}

impl Inutilizacao {
    /// `Id` of `infInut`.
    pub fn id(&self) -> String {
        format!(
            "ID{:02}{:02}{}{:02}{:03}{:09}{:09}",
            self.cuf,
            self.ano,
            self.cnpj.as_str(),
            self.modelo,
            self.serie,
            self.numero_inicial,
            self.numero_final
        )
    }

    /// Everything wrong with it, with the paths of `/nfe/inutilizar`. `hoje`
    /// is today in the issuer's state; the year is not checked without.
    pub fn pre_validar(&self, hoje: Option<Date>) -> Vec<Campo> {
        let mut erros = Campos::default();
        if !matches!(self.modelo, 55 | 65) {
            erros.add(
                "modelo",
                "modelo_nao_aceito",
                "O modelo é 55 ou 65.",
                "Use a rota do modelo da numeração.",
            );
        }
        if data::ufs::por_codigo(self.cuf).is_none() {
            erros.add(
                "emitente_id",
                "uf_invalida",
                "O estado do emitente não existe.",
                "Complete o endereço do emitente.",
            );
        }
        if self.ano > 99 || hoje.is_some_and(|hoje| i32::from(self.ano) + 2000 > hoje.year()) {
            erros.add_value(
                "ano",
                "ano_invalido",
                &self.ano.to_string(),
                "O ano tem dois algarismos e não pode estar no futuro.",
                "Informe o ano em que os números foram pulados, como 26.",
            );
        }
        if self.serie > 999 {
            erros.add_value(
                "serie",
                "serie_invalida",
                &self.serie.to_string(),
                "A série vai de 0 a 999.",
                "Confira a série.",
            );
        }
        for (campo, numero) in [
            ("numero_inicial", self.numero_inicial),
            ("numero_final", self.numero_final),
        ] {
            if !(1..=999_999_999).contains(&numero) {
                erros.add_value(
                    campo,
                    "numero_invalido",
                    &numero.to_string(),
                    "O número vai de 1 a 999.999.999.",
                    "Confira o número.",
                );
            }
        }
        if self.numero_final < self.numero_inicial {
            erros.add_value(
                "numero_final",
                "faixa_invertida",
                &self.numero_final.to_string(),
                "O número final é menor que o inicial.",
                "Troque os dois números.",
            );
        } else if self.numero_final - self.numero_inicial >= MAX_FAIXA {
            erros.add_value(
                "numero_final",
                "faixa_grande_demais",
                &self.numero_final.to_string(),
                format!("Cada pedido inutiliza até {MAX_FAIXA} números."),
                "Divida a faixa em pedidos menores.",
            );
        }
        let tamanho = normalizar_texto(&self.justificativa).chars().count();
        if !(15..=255).contains(&tamanho) {
            erros.add(
                "justificativa",
                "tamanho_invalido",
                format!("A justificativa deve ter de 15 a 255 caracteres; tem {tamanho}."),
                "Explique por que os números não foram usados.",
            );
        }
        erros.0
    }

    /// The element `inutNFe`, children in official order, without signature
    /// (which goes after `infInut`). Layout `inutNFe-4.00`.
    ///
    /// # Errors
    /// As [`Inutilizacao::pre_validar`] without a date.
    pub fn montar(&self) -> Result<Elemento, Vec<Campo>> {
        let erros = self.pre_validar(None);
        if !erros.is_empty() {
            return Err(erros);
        }
        let corpo = Elemento::grupo("infInut")
            .atributo("Id", self.id())
            .com("tpAmb", if self.producao { "1" } else { "2" })
            .com("xServ", "INUTILIZAR")
            .com("cUF", format!("{:02}", self.cuf))
            .com("ano", format!("{:02}", self.ano))
            .com("CNPJ", self.cnpj.as_str())
            .com("mod", self.modelo.to_string())
            .com("serie", self.serie.to_string())
            .com("nNFIni", self.numero_inicial.to_string())
            .com("nNFFin", self.numero_final.to_string())
            .com("xJust", normalizar_texto(&self.justificativa));
        Ok(Elemento::grupo("inutNFe")
            .atributo("versao", "4.00")
            .filho(corpo))
    }

    /// As canonical XML, ready to be signed.
    ///
    /// # Errors
    /// As [`Inutilizacao::montar`]; what the layout has no place for.
    pub fn escrever(&self) -> Result<Escrito, Vec<Campo>> {
        assemble::escrito("inutNFe-4.00", &self.montar()?)
    }
}
