//! Voiding of numbers that were skipped and will never be used (`inutNFe`).

use time::Date;

use crate::nfe::event::assemble;
use markup::field::{Field, Fields, of_layout};
use markup::ids::Cnpj;
use markup::layout::{Written, normalize_text};
use markup::tree::Node;

/// Most numbers of one request (cStat 201). The manual's figure is not confirmed;
/// a thousand is taken everywhere.
pub const MAX_RANGE: u32 = 1000;

/// A range of numbers to be voided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Voiding {
    /// `tpAmb` 1.
    pub production: bool,
    /// IBGE code of the issuer's state.
    pub cuf: u8,
    /// Two digits: the year in which the numbers were skipped.
    pub year: u8,
    pub cnpj: Cnpj,
    /// 55 or 65.
    pub model: u8,
    pub serie: u16,
    pub first_number: u32,
    pub last_number: u32,
    pub justification: String,
}

impl Voiding {
    /// `Id` of `infInut`.
    pub fn id(&self) -> String {
        format!(
            "ID{:02}{:02}{}{:02}{:03}{:09}{:09}",
            self.cuf,
            self.year,
            self.cnpj.as_str(),
            self.model,
            self.serie,
            self.first_number,
            self.last_number
        )
    }

    /// Everything wrong with it, with the paths of `/nfe/inutilizar`. `hoje`
    /// is today in the issuer's state; the year is not checked without.
    pub fn pre_validar(&self, today: Option<Date>) -> Vec<Field> {
        let mut erros = Fields::default();
        if !matches!(self.model, 55 | 65) {
            erros.add(
                "modelo",
                "modelo_nao_aceito",
                "O modelo é 55 ou 65.",
                "Use a rota do modelo da numeração.",
            );
        }
        if data::ufs::by_code(self.cuf).is_none() {
            erros.add(
                "emitente_id",
                "uf_invalida",
                "O estado do emitente não existe.",
                "Complete o endereço do emitente.",
            );
        }
        if self.year > 99 || today.is_some_and(|today| i32::from(self.year) + 2000 > today.year()) {
            erros.add_value(
                "ano",
                "ano_invalido",
                &self.year.to_string(),
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
        for (field, number) in [
            ("numero_inicial", self.first_number),
            ("numero_final", self.last_number),
        ] {
            if !(1..=999_999_999).contains(&number) {
                erros.add_value(
                    field,
                    "numero_invalido",
                    &number.to_string(),
                    "O número vai de 1 a 999.999.999.",
                    "Confira o número.",
                );
            }
        }
        if self.last_number < self.first_number {
            erros.add_value(
                "numero_final",
                "faixa_invertida",
                &self.last_number.to_string(),
                "O número final é menor que o inicial.",
                "Troque os dois números.",
            );
        } else if self.last_number - self.first_number >= MAX_RANGE {
            erros.add_value(
                "numero_final",
                "faixa_grande_demais",
                &self.last_number.to_string(),
                format!("Cada pedido inutiliza até {MAX_RANGE} números."),
                "Divida a faixa em pedidos menores.",
            );
        }
        let length = normalize_text(&self.justification).chars().count();
        if !(15..=255).contains(&length) {
            erros.add(
                "justificativa",
                "tamanho_invalido",
                format!("A justificativa deve ter de 15 a 255 caracteres; tem {length}."),
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
    pub fn build(&self) -> Result<Node, Vec<Field>> {
        let erros = self.pre_validar(None);
        if !erros.is_empty() {
            return Err(erros);
        }
        let body = Node::group("infInut")
            .attribute("Id", self.id())
            .with("tpAmb", if self.production { "1" } else { "2" })
            .with("xServ", "INUTILIZAR")
            .with("cUF", format!("{:02}", self.cuf))
            .with("ano", format!("{:02}", self.year))
            .with("CNPJ", self.cnpj.as_str())
            .with("mod", self.model.to_string())
            .with("serie", self.serie.to_string())
            .with("nNFIni", self.first_number.to_string())
            .with("nNFFin", self.last_number.to_string())
            .with("xJust", normalize_text(&self.justification));
        Ok(Node::group("inutNFe")
            .attribute("versao", "4.00")
            .child(body))
    }

    /// As canonical XML, ready to be signed.
    ///
    /// # Errors
    /// As [`Inutilizacao::build`]; what the layout has no place for.
    pub fn write(&self) -> Result<Written, Vec<Field>> {
        assemble::written("inutNFe-4.00", &self.build()?, place_of_void)
    }
}

/// The place in a request of an official path of a voiding, or the official names
/// where the request has no such member.
pub fn place_of_void(official: &str) -> String {
    let place = match official.rsplit('/').next().unwrap_or_default() {
        "ano" => "ano",
        "serie" => "serie",
        "nNFIni" => "numero_inicial",
        "nNFFin" => "numero_final",
        "xJust" => "justificativa",
        _ => return of_layout(official),
    };
    place.to_owned()
}
