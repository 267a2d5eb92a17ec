//! The facts of a note out of request and profile.

use crate::context::{Context, Place};
use crate::emitter::Emitter;
use crate::frame::{Data, Model};
use data::ufs::{self, Uf};
use fiscal::nfe::ibs_cbs_alone::Operation;
use fiscal::nfe::order::{
    Destino, Endereco, Finalidade, IndicadorIe, Pedido, Pessoa, Presenca, TipoOperacao,
};
use markup::field::{Field, Fields};

/// Works the facts out.
///
/// # Errors
/// A profile without the emitter's state, without which nothing can be told.
pub(super) fn prepare<'a>(
    request: &'a Pedido,
    emitter: &'a Emitter,
    given: &'a Data,
) -> Result<Context<'a>, Vec<Field>> {
    let Some(uf) = uf_of(&emitter.endereco) else {
        let mut fields = Fields::default();
        fields.add(
            "perfil_fiscal.endereco.uf",
            "perfil_fiscal_incompleto",
            "O perfil fiscal do emitente não tem a UF do endereço.",
            "Complete o endereço em PUT /api/v1/emitters/{id}/fiscal-profile.",
        );
        return Err(fields.0);
    };
    let nfce = given.modelo == Model::Nfce;
    let (_, receiver) = request.receiver();
    let operation = request.tipo_operacao.unwrap_or(TipoOperacao::Saida);
    let purpose = request.finalidade.unwrap_or(Finalidade::Normal);
    let presence = request.presenca.unwrap_or(match (nfce, purpose) {
        (true, _) => Presenca::Presencial,
        (false, Finalidade::Complementar | Finalidade::Ajuste) => Presenca::NaoSeAplica,
        (false, _) => Presenca::Outros,
    });
    let ie_indicator = receiver.map_or(IndicadorIe::NaoContribuinte, |person| {
        indicator(person, nfce)
    });
    let exterior = receiver.is_some_and(no_exterior);
    let final_consumer = nfce
        || request
            .consumidor_final
            .unwrap_or(ie_indicator == IndicadorIe::NaoContribuinte && !exterior);
    let destination_uf = if exterior {
        "EX"
    } else {
        receiver
            .and_then(|person| person.endereco.as_ref())
            .and_then(uf_of)
            .map_or(uf.abbreviation, |uf| uf.abbreviation)
    };
    let destination = if nfce {
        Destino::Interna
    } else {
        request
            .destino_operacao
            .or_else(|| by_cfops(request))
            .unwrap_or(match destination_uf {
                "EX" => Destino::Exterior,
                // Over the counter to a consumer the operation ends here,
                // wherever the buyer lives.
                abbreviation
                    if abbreviation == uf.abbreviation
                        || (presence == Presenca::Presencial && final_consumer) =>
                {
                    Destino::Interna
                }
                _ => Destino::Interestadual,
            })
    };
    let to = purpose_of(request, purpose, given);
    Ok(Context {
        request,
        emitter,
        given,
        fields: Fields::default(),
        notices: Vec::new(),
        uf,
        destination_uf,
        operation,
        purpose,
        presence,
        destination,
        final_consumer,
        ie_indicator,
        calcular: request.calcular_impostos.unwrap_or(true),
        demands_old: to.demands(),
        forbidden: to.forbidden(),
    })
}

fn purpose_of<'a>(request: &'a Pedido, purpose: Finalidade, given: &Data) -> Operation<'a> {
    let government = request.compra_governamental.as_ref();
    Operation {
        purpose: purpose.codigo(),
        debit: request.tipo_nota_debito.map_or("", |kind| kind.codigo()),
        credit: request.tipo_nota_credito.map_or("", |kind| kind.codigo()),
        government: government
            .and_then(|purchase| purchase.tipo_operacao.as_deref())
            .unwrap_or_default()
            .trim(),
        year: given.dh_emi.year(),
    }
}

/// The state of an address: its sigla, else by the municipality's code.
pub(super) fn uf_of(address: &Endereco) -> Option<&'static Uf> {
    let by_uf = address
        .uf
        .as_deref()
        .and_then(|uf| ufs::by_uf(&uf.trim().to_ascii_uppercase()));
    by_uf.or_else(|| {
        let codigo = address.codigo_ibge.as_deref()?.get(..2)?.parse().ok()?;
        ufs::by_code(codigo)
    })
}

/// `1058` and `BR` are Brazil; so is nothing at all.
pub(super) fn foreign_country(codigo: Option<&str>) -> bool {
    codigo
        .map(|codigo| codigo.trim().trim_start_matches('0'))
        .is_some_and(|codigo| {
            !codigo.is_empty() && codigo != "1058" && !codigo.eq_ignore_ascii_case("BR")
        })
}

pub(super) fn no_exterior(person: &Pessoa) -> bool {
    person.endereco.as_ref().is_some_and(|address| {
        foreign_country(address.codigo_pais.as_deref())
            || address
                .uf
                .as_deref()
                .is_some_and(|uf| uf.eq_ignore_ascii_case("EX"))
    })
}

fn indicator(person: &Pessoa, nfce: bool) -> IndicadorIe {
    // Abroad there is no taxpayer of ICMS (rejection 790).
    if nfce || no_exterior(person) {
        return IndicadorIe::NaoContribuinte;
    }
    person
        .indicador_ie
        .unwrap_or_else(|| match person.ie.as_deref().map(str::trim) {
            None | Some("") => IndicadorIe::NaoContribuinte,
            Some(ie) if ie.eq_ignore_ascii_case("isento") => IndicadorIe::Isento,
            Some(_) => IndicadorIe::Contribuinte,
        })
}

fn by_cfops(request: &Pedido) -> Option<Destino> {
    let cfop = request.itens.iter().find_map(|item| item.cfop.as_deref())?;
    match cfop.trim().bytes().next()? {
        b'1' | b'5' => Some(Destino::Interna),
        b'2' | b'6' => Some(Destino::Interestadual),
        b'3' | b'7' => Some(Destino::Exterior),
        _ => None,
    }
}

impl Context<'_> {
    /// Where the recipient stands in the request.
    pub fn receiver_place(&self) -> Place<'static> {
        Place::root(self.request.receiver().0)
    }

    /// States the goods leave and reach: on an entry the other party is the
    /// origin.
    pub fn route(&self) -> (&'static str, &'static str) {
        match self.operation {
            TipoOperacao::Saida => (self.uf.abbreviation, self.destination_uf),
            TipoOperacao::Entrada => (self.destination_uf, self.uf.abbreviation),
        }
    }

    /// Modal internal rate of a state on the day of emission, percent.
    pub fn internal_icms(&self, uf: &str) -> Option<rust_decimal::Decimal> {
        data::icms::internal(uf, self.given.dh_emi.date()).map(|internal| internal.aliquota)
    }
}
