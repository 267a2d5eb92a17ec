//! ABRASF 1.00 to 2.0x and the cities that follow them more or less.
//!
//! In 1.00 everything lies in `InfNfse`; from 2.00 on what was declared lies in
//! `DeclaracaoPrestacaoServico/InfDeclaracaoPrestacaoServico`. Both places are
//! asked for everything.

use rust_decimal::Decimal;

use super::ibs_cbs::{self, add};
use crate::danfse::model::ISSUED;
use crate::danfse::reading::descriptions::abrasf as description;
use crate::danfse::reading::group::Group;
use crate::danfse::reading::national::in_line;
use crate::danfse::{
    Danfse, FederalTaxation, MunicipalTaxation, Municipality, Party, Prestador, Recipient, Service,
    Standard, Status, Totals,
};
use markup::format::{date, ibge_uf};
use markup::xml::Element;

/// Longest address taken from a city's answer, in bytes.
const MAX_URL: usize = 300;

/// The two places a value may be in.
#[derive(Clone, Copy)]
struct Nota<'d> {
    inf: Group<'d>,
    declaration: Group<'d>,
}

impl<'d> Nota<'d> {
    fn one_of(self, paths: &[&str]) -> Group<'d> {
        let found = self.inf.one_of(paths);
        if found.exists() {
            found
        } else {
            self.declaration.one_of(paths)
        }
    }

    fn text(self, paths: &[&str]) -> String {
        self.one_of(paths).own_text()
    }

    fn value(self, paths: &[&str]) -> Option<Decimal> {
        crate::danfse::reading::group::number(&self.text(paths))
    }
}

pub(super) fn read(element: Element<'_>) -> Danfse {
    let inf = Group::from(element);
    let declaration = inf
        .at("DeclaracaoPrestacaoServico")
        .one_of(&["InfDeclaracaoPrestacaoServico"]);
    let declaration = if declaration.exists() {
        declaration
    } else {
        inf.at("DeclaracaoPrestacaoServico")
    };
    let nota = Nota { inf, declaration };
    let (status, status_text) = status(element);
    let values = values(nota);
    let organ = nota.one_of(&["OrgaoGerador"]);
    let prestador = prestador(nota);
    let municipality = if organ.exists() {
        municipality(&organ.text("CodigoMunicipio"), organ.text("Uf"))
    } else {
        prestador.party.municipality.clone()
    };
    let tomador = nota.one_of(&["TomadorServico", "Tomador"]);
    let intermediary = nota.one_of(&["IntermediarioServico", "Intermediario"]);
    let ibs_cbs = ibs_cbs(nota);
    Danfse {
        standard: Standard::Abrasf,
        status,
        municipality,
        generator: "Prefeitura".to_owned(),
        verification_code: nota.text(&["CodigoVerificacao"]),
        query_url: url(&inf.text_of(&["LinkNfse", "LinkVisualizacaoNfse", "UrlNfse"])),
        number: inf.text("Numero"),
        competence: nota.text(&["Competencia"]),
        issued: inf.text("DataEmissao"),
        dps_number: nota.text(&["IdentificacaoRps/Numero", "Rps/IdentificacaoRps/Numero"]),
        serie_dps: nota.text(&["IdentificacaoRps/Serie", "Rps/IdentificacaoRps/Serie"]),
        dps_issued: nota.text(&["DataEmissaoRps", "Rps/DataEmissao"]),
        emitter: "Prestador".to_owned(),
        status_text,
        prestador,
        tomador: tomador.exists().then(|| party(tomador)),
        recipient: Recipient::Unidentified,
        intermediary: intermediary.exists().then(|| party(intermediary)),
        service: service(nota),
        iss: iss(nota, &values),
        federal: values.federal.clone(),
        totals: totals(
            &values,
            ibs_cbs
                .as_ref()
                .map(|group| [group.ibs_value, group.cbs_value]),
        ),
        ibs_cbs,
        information: information(nota),
        ..Danfse::default()
    }
}

/// A cancellation or substitution beside the note, in its `CompNfse`. An empty
/// element says nothing, and `Sucesso` false says no.
fn status(inf: Element<'_>) -> (Status, String) {
    let around = std::iter::successors(inf.parent(), |element| element.parent());
    let comp = around
        .take(2)
        .filter(|element| element.name().to_ascii_lowercase().starts_with("comp"))
        .map(Group::from)
        .next();
    let Some(comp) = comp else {
        return (Status::Normal, ISSUED.to_owned());
    };
    let replacement = comp.one_of(&["NfseSubstituicao", "SubstituicaoNfse"]);
    let replaced_by = replacement.within("NfseSubstituidora").own_text();
    if !replaced_by.is_empty() {
        return (
            Status::Replaced,
            format!("NFS-e substituída pela NFS-e {replaced_by}"),
        );
    }
    let cancellation = comp.one_of(&["NfseCancelamento", "CancelamentoNfse"]);
    let refused = matches!(&*cancellation.within("Sucesso").own_text(), "false" | "0");
    if cancellation.within("Confirmacao").exists() && !refused {
        let when = ["DataHora", "DataHoraCancelamento"]
            .map(|name| date(&cancellation.within(name).own_text()))
            .into_iter()
            .find(|when| !when.is_empty());
        let text = when.map_or_else(
            || "NFS-e cancelada".to_owned(),
            |when| format!("NFS-e cancelada em {when}"),
        );
        return (Status::Cancelled, text);
    }
    (Status::Normal, ISSUED.to_owned())
}

/// Only an address one can open goes into the QR code.
fn url(text: &str) -> String {
    let ok = text.len() <= MAX_URL
        && text.starts_with("https://")
        && text.bytes().all(|b| b.is_ascii_graphic());
    if ok { text.to_owned() } else { String::new() }
}

fn municipality(code: &str, uf: String) -> Municipality {
    Municipality {
        code: code.to_owned(),
        name: String::new(),
        uf: if uf.is_empty() {
            ibge_uf(code).to_owned()
        } else {
            uf
        },
        country: String::new(),
    }
}

fn prestador(nota: Nota<'_>) -> Prestador {
    let complete = nota.one_of(&["PrestadorServico"]);
    let mut party = party(complete);
    // In 2.0x the declaration names the provider again, by number only.
    let declared = self::party(nota.declaration.at("Prestador"));
    for (to, from) in [
        (&mut party.document, declared.document),
        (
            &mut party.municipal_registration,
            declared.municipal_registration,
        ),
        (&mut party.name, declared.name),
    ] {
        if to.is_empty() {
            *to = from;
        }
    }
    Prestador {
        party,
        simples_nacional: description::yes_no(
            &nota.text(&["OptanteSimplesNacional"]),
            "Optante",
            "Não Optante",
        ),
        computation_regime: String::new(),
    }
}

/// Identification lies in a group of its own, except for the intermediary of
/// 1.00 and the provider of a declaration.
fn party(group: Group<'_>) -> Party {
    let id = group.one_of(&[
        "IdentificacaoPrestador",
        "IdentificacaoTomador",
        "IdentificacaoIntermediario",
    ]);
    let id = if id.exists() { id } else { group };
    let address = group.at("Endereco");
    let parts = ["Endereco", "Numero", "Complemento", "Bairro"].map(|name| address.text(name));
    let street = address.text_of(&["TipoLogradouro"]);
    let mut address_line = in_line(&parts);
    if !street.is_empty() && !address_line.is_empty() {
        address_line = format!("{street} {address_line}");
    }
    Party {
        document: Some(id.text_of(&["CpfCnpj/Cnpj", "CpfCnpj/Cpf", "Cnpj", "Cpf"]))
            .filter(|document| !document.is_empty())
            .unwrap_or_else(|| group.text_of(&["NifTomador", "IdentificacaoTomador/NifTomador"])),
        municipal_registration: id.text("InscricaoMunicipal"),
        name: group.text_of(&["RazaoSocial", "NomeFantasia"]),
        telephone: group.text_of(&["Contato/Telefone", "Telefone"]),
        email: group.text_of(&["Contato/Email", "Email"]),
        address: if address_line.is_empty() {
            group.text_of(&["EnderecoExterior/EnderecoCompletoExterior"])
        } else {
            address_line
        },
        municipality: municipality(
            // The intermediary has a municipality and no address.
            &Some(address.text_of(&["CodigoMunicipio", "Cidade"]))
                .filter(|code| !code.is_empty())
                .unwrap_or_else(|| group.text("CodigoMunicipio")),
            address.text_of(&["Uf", "Estado"]),
        ),
        cep: address.text("Cep"),
    }
}

fn service(nota: Nota<'_>) -> Service {
    let service = nota.one_of(&["Servico"]);
    let mut local = municipality(&service.text("CodigoMunicipio"), String::new());
    // 1058 is Brazil in the table of the central bank.
    local.country = Some(service.text("CodigoPais"))
        .filter(|country| country != "1058")
        .unwrap_or_default();
    Service {
        national_code: service.text("ItemListaServico"),
        municipal_code: service.text("CodigoTributacaoMunicipio"),
        cnae: service.text("CodigoCnae"),
        nbs: service.text("CodigoNbs"),
        local,
        code_description: nota.text(&[
            "DescricaoCodigoTributacaoMunicipio",
            "DescricaoCodigoTributacaoMunicípio",
        ]),
        description: service.text("Discriminacao"),
    }
}

/// Amounts, read once: several depend on each other.
struct Values {
    services: Option<Decimal>,
    deductions: Option<Decimal>,
    unconditional: Option<Decimal>,
    conditional: Option<Decimal>,
    base: Option<Decimal>,
    rate: Option<Decimal>,
    iss: Option<Decimal>,
    iss_withheld: Option<Decimal>,
    withheld: String,
    net: Option<Decimal>,
    federal: FederalTaxation,
}

fn values(nota: Nota<'_>) -> Values {
    // What the city computed comes before what was declared.
    let at = |name: &str| {
        nota.value(&[
            format!("ValoresNfse/{name}").as_str(),
            format!("Servico/Valores/{name}").as_str(),
        ])
    };
    let base = at("BaseCalculo");
    let iss = at("ValorIss");
    let withheld = nota.text(&["Servico/IssRetido", "Servico/Valores/IssRetido"]);
    Values {
        services: at("ValorServicos"),
        deductions: at("ValorDeducoes"),
        unconditional: at("DescontoIncondicionado"),
        conditional: at("DescontoCondicionado"),
        rate: at("Aliquota").map(|rate| as_percentage(rate, base, iss)),
        iss_withheld: at("ValorIssRetido").or_else(|| if withheld == "1" { iss } else { None }),
        base,
        iss,
        withheld,
        net: at("ValorLiquidoNfse"),
        federal: FederalTaxation {
            irrf: at("ValorIr"),
            social_security: at("ValorInss"),
            social_contributions: at("ValorCsll"),
            pis: at("ValorPis"),
            cofins: at("ValorCofins"),
            retention_description: String::new(),
            other_retentions: at("OutrasRetencoes"),
        },
    }
}

/// Cities write five percent as 5 or as 0.05. Base and tax tell which, where
/// they are known; otherwise a rate of up to 0.05 is the greatest legal one
/// (LC 116/2003, art. 8) as a fraction, as 2 % is the least (art. 8-A).
fn as_percentage(rate: Decimal, base: Option<Decimal>, iss: Option<Decimal>) -> Decimal {
    let hundred = Decimal::ONE_HUNDRED;
    let Some(as_percentage) = rate.checked_mul(hundred) else {
        return rate;
    };
    let known = base
        .zip(iss)
        .filter(|(base, iss)| !base.is_zero() && !iss.is_zero());
    let fraction = match known.and_then(|(base, iss)| iss.checked_div(base)) {
        Some(reason) => (reason - rate).abs() < (reason - rate / hundred).abs(),
        None => rate <= Decimal::new(5, 2),
    };
    if fraction { as_percentage } else { rate }
}

fn iss(nota: Nota<'_>, values: &Values) -> MunicipalTaxation {
    let exigibility = nota.text(&["Servico/ExigibilidadeISS"]);
    let retention = match (
        &*values.withheld,
        &*nota.text(&["Servico/ResponsavelRetencao"]),
    ) {
        ("1", "1") => "Retido pelo Tomador".to_owned(),
        ("1", "2") => "Retido pelo Intermediário".to_owned(),
        (withheld, _) => description::yes_no(withheld, "Retido", "Não Retido"),
    };
    MunicipalTaxation {
        taxation: if exigibility.is_empty() {
            description::nature(&nota.text(&["NaturezaOperacao"]))
        } else {
            description::exigibility(&exigibility)
        },
        incidence: municipality(
            &nota.text(&[
                "Servico/MunicipioIncidencia",
                "Servico/CodigoMunicipioIncidencia",
            ]),
            String::new(),
        ),
        special_regime: description::special_regime(&nota.text(&["RegimeEspecialTributacao"])),
        suspension_case: nota.text(&["Servico/NumeroProcesso"]),
        deductions: values.deductions,
        unconditional_discount: values.unconditional,
        tax_base: values.base,
        rate: values.rate,
        retention,
        value: values.iss,
        ..MunicipalTaxation::default()
    }
}

fn totals(values: &Values, ibs_cbs: Option<[Option<Decimal>; 2]>) -> Totals {
    let federal = &values.federal;
    Totals {
        service: values.services,
        unconditional_discount: values.unconditional,
        conditional_discount: values.conditional,
        retentions: add([
            values.iss_withheld,
            federal.irrf,
            federal.social_security,
            federal.social_contributions,
            federal.pis,
            federal.cofins,
            federal.other_retentions,
        ]),
        net: values.net,
        ibs_cbs: ibs_cbs.and_then(add),
        net_with_ibs_cbs: None,
    }
}

/// Cities put the group at different depths; what the city computed is the one
/// with totals.
fn ibs_cbs(nota: Nota<'_>) -> Option<crate::danfse::IbsCbs> {
    let declared = nota.declaration.within("IBSCBS");
    let declared = if declared.exists() {
        declared
    } else {
        nota.inf.within("IBSCBS")
    };
    let computed = [nota.inf.at("ValoresNfse"), nota.inf]
        .into_iter()
        .map(|group| group.within("IBSCBS"))
        .find(|group| group.within("totCIBS").exists())
        .unwrap_or(declared);
    ibs_cbs::read(declared, computed, None)
}

fn information(nota: Nota<'_>) -> Vec<String> {
    let labelled = [
        ("", nota.text(&["OutrasInformacoes"])),
        ("", nota.text(&["InformacoesComplementares"])),
        ("NFS-e substituída: ", nota.inf.text("NfseSubstituida")),
        (
            "Código da obra: ",
            nota.text(&["ConstrucaoCivil/CodigoObra"]),
        ),
        ("ART: ", nota.text(&["ConstrucaoCivil/Art"])),
        (
            "Incentivo fiscal: ",
            description::yes_no(
                &nota.text(&["IncentivoFiscal", "IncentivadorCultural"]),
                "Sim",
                "",
            ),
        ),
    ];
    labelled
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(label, text)| format!("{label}{text}"))
        .collect()
}
