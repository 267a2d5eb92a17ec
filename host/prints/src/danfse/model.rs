//! What a DANFSe shows, read from a note or filled in by hand.

use rust_decimal::Decimal;

/// Layout the note was issued in; decides on captions and on the QR code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Padrao {
    /// National NFS-e (LC 214/2025, art. 62; Sistema Nacional NFS-e).
    #[default]
    Nacional,
    /// A city's own system that follows ABRASF 1.00 to 2.0x.
    Abrasf,
}

/// Environment in which the note was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ambiente {
    /// Notes count.
    #[default]
    Producao,
    /// Printed with a mark: the note has no legal effect.
    Homologacao,
}

/// What became of the note after it was issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Situacao {
    /// In force.
    #[default]
    Normal,
    /// Printed with a mark (NT 008, item 2.5.1).
    Cancelada,
    /// Printed with a mark (NT 008, item 2.5.2).
    Substituida,
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
    pub padrao: Padrao,
    /// Environment of the note.
    pub ambiente: Ambiente,
    /// Issued by the simulator: nothing reached a tax authority.
    pub simulada: bool,
    /// What became of the note.
    pub situacao: Situacao,
    /// Municipality whose note this is.
    pub municipio: Municipio,
    /// Who generated the note: the city or the national system.
    pub ambiente_gerador: String,
    /// Access key, 50 positions; empty outside the national layout.
    pub chave: String,
    /// What a city gives in place of a key.
    pub codigo_verificacao: String,
    /// Address of the public query; goes into the QR code. Empty: no QR code.
    pub url_consulta: String,
    /// Number of the note.
    pub numero: String,
    /// Date or month to which the service belongs.
    pub competencia: String,
    /// Date and time of issue.
    pub emissao: String,
    /// Number, series and issue of the DPS, or of the RPS in a city's layout.
    pub numero_dps: String,
    /// See `numero_dps`.
    pub serie_dps: String,
    /// See `numero_dps`.
    pub emissao_dps: String,
    /// Which of the parties issued the DPS.
    pub emitente: String,
    /// `cStat` in words, or its like.
    pub situacao_texto: String,
    /// Purpose of the note (`finNFSe`).
    pub finalidade: String,
    /// Who provides the service.
    pub prestador: Prestador,
    /// Who takes the service.
    pub tomador: Option<Pessoa>,
    /// Who receives the service.
    pub destinatario: Destinatario,
    /// Who stands between provider and taker.
    pub intermediario: Option<Pessoa>,
    /// What was done, and where.
    pub servico: Servico,
    /// The tax of the municipality.
    pub iss: TributacaoMunicipal,
    /// The taxes of the Union except CBS.
    pub federal: TributacaoFederal,
    /// None: the note has no IBS/CBS group.
    pub ibs_cbs: Option<IbsCbs>,
    /// Amounts of the note.
    pub totais: Totais,
    /// Complementary information, one entry a paragraph.
    pub informacoes: Vec<String>,
}

/// A municipality, or a place abroad (`codigo` empty).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Municipio {
    /// IBGE code, seven digits.
    pub codigo: String,
    /// Its name; see [`Danfse::nomear_municipios`].
    pub nome: String,
    /// Two letters.
    pub uf: String,
    /// ISO code of the country, when it is not Brazil.
    pub pais: String,
}

/// A party of the operation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pessoa {
    /// CNPJ, CPF or foreign number.
    pub documento: String,
    /// Registration with the municipality.
    pub inscricao_municipal: String,
    /// Name of the person or company.
    pub nome: String,
    /// Telephone.
    pub telefone: String,
    /// Address for mail.
    pub email: String,
    /// Street, number, complement and quarter in one line.
    pub endereco: String,
    /// Municipality of the address.
    pub municipio: Municipio,
    /// Eight digits, or the postal code abroad as it is.
    pub cep: String,
}

/// Who provides the service, with the tax regime.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prestador {
    /// The provider.
    pub pessoa: Pessoa,
    /// Is it in the Simples Nacional, and as what (`opSimpNac`)?
    pub simples_nacional: String,
    /// How a company of the Simples Nacional computes its taxes (`regApTribSN`).
    pub regime_apuracao: String,
}

/// Who receives the service (IBS/CBS).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Destinatario {
    /// The note does not tell.
    #[default]
    NaoIdentificado,
    /// The tomador itself (`indDest` 0).
    Tomador,
    /// Somebody else (`dest`).
    Outro(Box<Pessoa>),
}

/// The service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Servico {
    /// National code, six digits; in a city's layout the item of LC 116/2003.
    pub codigo_nacional: String,
    /// Code of the municipality.
    pub codigo_municipal: String,
    /// Activity (CNAE); empty in the national layout.
    pub cnae: String,
    /// Code of the NBS.
    pub nbs: String,
    /// Where the service was provided.
    pub local: Municipio,
    /// The description that belongs to the code.
    pub descricao_codigo: String,
    /// The description of what was done; line breaks are kept.
    pub descricao: String,
}

/// ISSQN.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TributacaoMunicipal {
    /// The operation is outside ISSQN altogether: the block is one line.
    pub nao_sujeita: bool,
    /// How ISSQN applies to the operation.
    pub tributacao: String,
    /// Municipality the tax is due to.
    pub incidencia: Municipio,
    /// Special tax regime of the provider.
    pub regime_especial: String,
    /// Kind of immunity.
    pub imunidade: String,
    /// Why the tax is suspended.
    pub suspensao: String,
    /// Number of the case that suspends it.
    pub processo_suspensao: String,
    /// Number and kind of the municipal benefit.
    pub beneficio: String,
    /// Amount the benefit takes off.
    pub calculo_beneficio: Option<Decimal>,
    /// Deductions and reductions of the base.
    pub deducoes: Option<Decimal>,
    /// Discount without condition.
    pub desconto_incondicionado: Option<Decimal>,
    /// Base of the tax.
    pub base_calculo: Option<Decimal>,
    /// Percent.
    pub aliquota: Option<Decimal>,
    /// Is the tax withheld, and by whom?
    pub retencao: String,
    /// Amount of the tax.
    pub valor: Option<Decimal>,
}

/// Federal taxes except CBS.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TributacaoFederal {
    /// Income tax withheld.
    pub irrf: Option<Decimal>,
    /// Social security contribution withheld (INSS).
    pub previdencia: Option<Decimal>,
    /// Social contributions withheld; which ones, `descricao_retencao` says.
    pub contribuicoes_sociais: Option<Decimal>,
    /// Own debit in the national layout, withheld in ABRASF.
    pub pis: Option<Decimal>,
    /// As `pis`.
    pub cofins: Option<Decimal>,
    /// What the amount of social contributions stands for.
    pub descricao_retencao: String,
    /// ABRASF only.
    pub outras_retencoes: Option<Decimal>,
}

/// IBS and CBS (LC 214/2025).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IbsCbs {
    /// Tax situation (`CST`).
    pub cst: String,
    /// Tax classification (`cClassTrib`).
    pub classificacao: String,
    /// Indicator of the operation (`cIndOp`).
    pub indicador_operacao: String,
    /// Municipality the tax is due to.
    pub incidencia: Municipio,
    /// What was left out of the base.
    pub exclusoes: Option<Decimal>,
    /// Base of both taxes.
    pub base_calculo: Option<Decimal>,
    /// Percent, like all rates here.
    pub reducao_uf: Option<Decimal>,
    /// Reduction of the municipal IBS rate.
    pub reducao_municipio: Option<Decimal>,
    /// Reduction of the CBS rate.
    pub reducao_cbs: Option<Decimal>,
    /// State IBS rate.
    pub aliquota_uf: Option<Decimal>,
    /// Municipal IBS rate.
    pub aliquota_municipio: Option<Decimal>,
    /// CBS rate.
    pub aliquota_cbs: Option<Decimal>,
    /// State IBS rate after its reduction.
    pub efetiva_uf: Option<Decimal>,
    /// Municipal IBS rate after its reduction.
    pub efetiva_municipio: Option<Decimal>,
    /// CBS rate after its reduction.
    pub efetiva_cbs: Option<Decimal>,
    /// State IBS.
    pub valor_uf: Option<Decimal>,
    /// Municipal IBS.
    pub valor_municipio: Option<Decimal>,
    /// IBS of state and municipality together.
    pub valor_ibs: Option<Decimal>,
    /// CBS.
    pub valor_cbs: Option<Decimal>,
}

/// Amounts of the note.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totais {
    /// Price of the service.
    pub servico: Option<Decimal>,
    /// Discount without condition.
    pub desconto_incondicionado: Option<Decimal>,
    /// Discount under a condition.
    pub desconto_condicionado: Option<Decimal>,
    /// All that is withheld.
    pub retencoes: Option<Decimal>,
    /// What remains to be paid.
    pub liquido: Option<Decimal>,
    /// IBS and CBS together.
    pub ibs_cbs: Option<Decimal>,
    /// What remains to be paid, with IBS and CBS.
    pub liquido_com_ibs_cbs: Option<Decimal>,
}

impl Danfse {
    /// Gives municipalities their names: `nome` is asked with the IBGE code of
    /// each one whose name the XML does not tell.
    pub fn nomear_municipios(&mut self, nome: impl Fn(u32) -> Option<String>) {
        let pessoas = [
            Some(&mut self.prestador.pessoa),
            self.tomador.as_mut(),
            self.intermediario.as_mut(),
            match &mut self.destinatario {
                Destinatario::Outro(pessoa) => Some(&mut **pessoa),
                Destinatario::NaoIdentificado | Destinatario::Tomador => None,
            },
        ];
        let lugares = [
            Some(&mut self.municipio),
            Some(&mut self.servico.local),
            Some(&mut self.iss.incidencia),
            self.ibs_cbs.as_mut().map(|grupo| &mut grupo.incidencia),
        ];
        let todos = pessoas
            .into_iter()
            .flatten()
            .map(|pessoa| &mut pessoa.municipio)
            .chain(lugares.into_iter().flatten());
        for municipio in todos.filter(|municipio| municipio.nome.is_empty()) {
            if let Some(nome) = municipio.codigo.parse().ok().and_then(&nome) {
                municipio.nome = nome;
            }
        }
    }
}
