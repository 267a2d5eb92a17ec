//! What a DANFSe shows, read from a note or filled in by hand.

use rust_decimal::Decimal;

/// Layout the note was issued in; decides on captions and on the QR code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standard {
    /// National NFS-e (LC 214/2025, art. 62; Sistema Nacional NFS-e).
    #[default]
    National,
    /// A city's own system that follows ABRASF 1.00 to 2.0x.
    Abrasf,
}

/// Environment in which the note was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ambiente {
    /// Notes count.
    #[default]
    Production,
    /// Printed with a mark: the note has no legal effect.
    Homologacao,
}

/// [`Danfse::status_text`] of a city's note that says nothing of a cancellation.
pub const ISSUED: &str = "NFS-e emitida";

/// What became of the note after it was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// In force.
    #[default]
    Normal,
    /// Printed with a mark (NT 008, item 2.5.1).
    Cancelled,
    /// Printed with a mark (NT 008, item 2.5.2).
    Replaced,
}

/// Content of the printed note.
///
/// Texts are shown as they are, an empty one as a dash. Documents, CEP, phones
/// and service codes are given without punctuation and get their mask when
/// drawn; dates are ISO 8601 as in the XML; amounts are reais, rates percent.
/// Codes of the layout are already replaced by their meaning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Danfse {
    /// Layout of the note.
    pub standard: Standard,
    /// Environment of the note.
    pub ambiente: Ambiente,
    /// Issued by the simulator: nothing reached a tax authority.
    pub simulated: bool,
    /// What became of the note.
    pub status: Status,
    /// Municipality whose note this is.
    pub municipality: Municipality,
    /// Who generated the note: the city or the national system.
    pub generator: String,
    /// Access key, 50 positions; empty outside the national layout.
    pub chave: String,
    /// What a city gives in place of a key.
    pub verification_code: String,
    /// Address of the public query; goes into the QR code. Empty: no QR code.
    pub query_url: String,
    /// Number of the note.
    pub number: String,
    /// Date or month to which the service belongs.
    pub competence: String,
    /// Date and time of issue.
    pub issued: String,
    /// Number, series and issue of the DPS, or of the RPS in a city's layout.
    pub dps_number: String,
    /// See `dps_number`.
    pub serie_dps: String,
    /// See `dps_number`.
    pub dps_issued: String,
    /// Which of the parties issued the DPS.
    pub emitter: String,
    /// `cStat` in words, or its like.
    pub status_text: String,
    /// Purpose of the note (`finNFSe`).
    pub purpose: String,
    /// Who provides the service.
    pub prestador: Prestador,
    /// Who takes the service.
    pub tomador: Option<Party>,
    /// Who receives the service.
    pub recipient: Recipient,
    /// Who stands between provider and taker.
    pub intermediary: Option<Party>,
    /// What was done, and where.
    pub service: Service,
    /// The tax of the municipality.
    pub iss: MunicipalTaxation,
    /// The taxes of the Union except CBS.
    pub federal: FederalTaxation,
    /// None: the note has no IBS/CBS group.
    pub ibs_cbs: Option<IbsCbs>,
    /// Amounts of the note.
    pub totals: Totals,
    /// Complementary information, one entry a paragraph.
    pub information: Vec<String>,
}

/// A municipality, or a place abroad (`code` empty).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Municipality {
    /// IBGE code, seven digits.
    pub code: String,
    /// Its name; see [`Danfse::name_municipalities`].
    pub name: String,
    /// Two letters.
    pub uf: String,
    /// ISO code of the country, when it is not Brazil.
    pub country: String,
}

/// A party of the operation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Party {
    /// CNPJ, CPF or foreign number.
    pub document: String,
    /// Registration with the municipality.
    pub municipal_registration: String,
    /// Name of the person or company.
    pub name: String,
    /// Telephone.
    pub telephone: String,
    /// Address for mail.
    pub email: String,
    /// Street, number, complement and quarter in one line.
    pub address: String,
    /// Municipality of the address.
    pub municipality: Municipality,
    /// Eight digits, or the postal code abroad as it is.
    pub cep: String,
}

/// Who provides the service, with the tax regime.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prestador {
    /// The provider.
    pub party: Party,
    /// Is it in the Simples Nacional, and as what (`opSimpNac`)?
    pub simples_nacional: String,
    /// How a company of the Simples Nacional computes its taxes (`regApTribSN`).
    pub computation_regime: String,
}

/// Who receives the service (IBS/CBS).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Recipient {
    /// The note does not tell.
    #[default]
    Unidentified,
    /// The tomador itself (`indDest` 0).
    Tomador,
    /// Somebody else (`dest`).
    Other(Box<Party>),
}

/// The service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Service {
    /// National code, six digits; in a city's layout the item of LC 116/2003.
    pub national_code: String,
    /// Code of the municipality.
    pub municipal_code: String,
    /// Activity (CNAE); empty in the national layout.
    pub cnae: String,
    /// Code of the NBS.
    pub nbs: String,
    /// Where the service was provided.
    pub local: Municipality,
    /// The description that belongs to the code.
    pub code_description: String,
    /// The description of what was done; line breaks are kept.
    pub description: String,
}

/// ISSQN.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MunicipalTaxation {
    /// The operation is outside ISSQN altogether: the block is one line.
    pub not_subject: bool,
    /// How ISSQN applies to the operation.
    pub taxation: String,
    /// Municipality the tax is due to.
    pub incidence: Municipality,
    /// Special tax regime of the provider.
    pub special_regime: String,
    /// Kind of immunity.
    pub immunity: String,
    /// Why the tax is suspended.
    pub suspension: String,
    /// Number of the case that suspends it.
    pub suspension_case: String,
    /// Number and kind of the municipal benefit.
    pub benefit: String,
    /// Amount the benefit takes off.
    pub benefit_base: Option<Decimal>,
    /// Deductions and reductions of the base.
    pub deductions: Option<Decimal>,
    /// Discount without condition.
    pub unconditional_discount: Option<Decimal>,
    /// Base of the tax.
    pub tax_base: Option<Decimal>,
    /// Percent.
    pub rate: Option<Decimal>,
    /// Is the tax withheld, and by whom?
    pub retention: String,
    /// Amount of the tax.
    pub value: Option<Decimal>,
}

/// Federal taxes except CBS.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FederalTaxation {
    /// Income tax withheld.
    pub irrf: Option<Decimal>,
    /// Social security contribution withheld (INSS).
    pub social_security: Option<Decimal>,
    /// Social contributions withheld; which ones, `retention_description` says.
    pub social_contributions: Option<Decimal>,
    /// Own debit in the national layout, withheld in ABRASF.
    pub pis: Option<Decimal>,
    /// As `pis`.
    pub cofins: Option<Decimal>,
    /// What the amount of social contributions stands for.
    pub retention_description: String,
    /// ABRASF only.
    pub other_retentions: Option<Decimal>,
}

/// IBS and CBS (LC 214/2025).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IbsCbs {
    /// Tax situation (`CST`).
    pub cst: String,
    /// Tax classification (`cClassTrib`).
    pub classification: String,
    /// Indicator of the operation (`cIndOp`).
    pub operation_indicator: String,
    /// Municipality the tax is due to.
    pub incidence: Municipality,
    /// What was left out of the base.
    pub exclusions: Option<Decimal>,
    /// Base of both taxes.
    pub tax_base: Option<Decimal>,
    /// Percent, like all rates here.
    pub uf_reduction: Option<Decimal>,
    /// Reduction of the municipal IBS rate.
    pub municipal_reduction: Option<Decimal>,
    /// Reduction of the CBS rate.
    pub cbs_reduction: Option<Decimal>,
    /// State IBS rate.
    pub uf_rate: Option<Decimal>,
    /// Municipal IBS rate.
    pub municipal_rate: Option<Decimal>,
    /// CBS rate.
    pub cbs_rate: Option<Decimal>,
    /// State IBS rate after its reduction.
    pub effective_uf: Option<Decimal>,
    /// Municipal IBS rate after its reduction.
    pub effective_municipal: Option<Decimal>,
    /// CBS rate after its reduction.
    pub effective_cbs: Option<Decimal>,
    /// State IBS.
    pub uf_value: Option<Decimal>,
    /// Municipal IBS.
    pub municipal_value: Option<Decimal>,
    /// IBS of state and municipality together.
    pub ibs_value: Option<Decimal>,
    /// CBS.
    pub cbs_value: Option<Decimal>,
}

/// Amounts of the note.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals {
    /// Price of the service.
    pub service: Option<Decimal>,
    /// Discount without condition.
    pub unconditional_discount: Option<Decimal>,
    /// Discount under a condition.
    pub conditional_discount: Option<Decimal>,
    /// All that is withheld.
    pub retentions: Option<Decimal>,
    /// What remains to be paid.
    pub net: Option<Decimal>,
    /// IBS and CBS together.
    pub ibs_cbs: Option<Decimal>,
    /// What remains to be paid, with IBS and CBS.
    pub net_with_ibs_cbs: Option<Decimal>,
}

impl Danfse {
    /// Gives municipalities their names: `name` is asked with the IBGE code of
    /// each one whose name the XML does not tell.
    pub fn name_municipalities(&mut self, name: impl Fn(u32) -> Option<String>) {
        let parties = [
            Some(&mut self.prestador.party),
            self.tomador.as_mut(),
            self.intermediary.as_mut(),
            match &mut self.recipient {
                Recipient::Other(party) => Some(&mut **party),
                Recipient::Unidentified | Recipient::Tomador => None,
            },
        ];
        let places = [
            Some(&mut self.municipality),
            Some(&mut self.service.local),
            Some(&mut self.iss.incidence),
            self.ibs_cbs.as_mut().map(|group| &mut group.incidence),
        ];
        let all = parties
            .into_iter()
            .flatten()
            .map(|party| &mut party.municipality)
            .chain(places.into_iter().flatten());
        for municipality in all.filter(|municipality| municipality.name.is_empty()) {
            if let Some(name) = municipality.code.parse().ok().and_then(&name) {
                municipality.name = name;
            }
        }
    }
}
