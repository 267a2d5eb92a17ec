//! The messages that issue: single, batch and substitution.

use super::rps100;
use super::tags::Tags;
use crate::ids::Kind;
use crate::message::{cancellation, declaration, provider, signature};
use crate::options::Options;
use crate::service::Service;
use crate::version::LayoutVersion;
use rps::Fields;
use sdk::nfse::{Dps, NotaRef};
use sdk::{Context, Emitente, Failure};

/// Ids inside one message. Letters first, as an XML id wants; the number of
/// the RPS keeps them apart in the city's records.
pub struct Ids {
    pub rps: String,
    /// Of `Rps` inside the declaration.
    pub inner_rps: String,
    pub batch: String,
    pub cancelamento: String,
    pub replacement: String,
}

impl Ids {
    fn of_rps(options: &Options, ctx: &Context, number: u64) -> Self {
        let of = |kind: Kind, prefix: &str| {
            let own = options.ids.id(kind, ctx, &number.to_string());
            own.unwrap_or_else(|| format!("{prefix}{number}"))
        };
        Ids {
            rps: of(Kind::Rps, "rps"),
            inner_rps: of(Kind::InnerRps, "idrps"),
            batch: of(Kind::Batch, "lote"),
            cancelamento: of(Kind::Cancelamento, "canc"),
            replacement: of(Kind::Replacement, "subs"),
        }
    }
}

/// The message of an emission, signed. `replaced` only with
/// [`Service::Substituir`].
///
/// # Errors
/// The content does not fit the layout, or nothing can be signed.
pub fn build(
    options: &Options,
    ctx: &Context,
    dps: &Dps,
    service: Service,
    replaced: Option<&NotaRef>,
) -> Result<String, Failure> {
    let mut fields = Fields::default();
    refuse(options, dps, &mut fields);
    let ids = Ids::of_rps(options, ctx, dps.identificacao.numero);
    let mut t = Tags::root(options, &service.sending());
    let body = Body {
        options,
        emitter: &ctx.emitente,
        dps,
        ids: &ids,
    };
    match service {
        Service::Generate => t.message_group("Rps", &[], |t| body.rps(t, &mut fields)),
        Service::Substituir => {
            let default = NotaRef::default();
            let nota = replaced.unwrap_or(&default);
            let attributes = options.id(&ids.replacement);
            t.message_group("SubstituicaoNfse", &attributes, |t| {
                t.message_group("Pedido", &[], |t| {
                    // 1, wrong emission: the model has no code for a substitution.
                    cancellation::request(
                        t,
                        options,
                        ctx,
                        nota,
                        "1",
                        &ids.cancelamento,
                        &mut fields,
                    );
                });
                t.message_group("Rps", &[], |t| body.rps(t, &mut fields));
            });
        }
        _ => body.batch(&mut t, &mut fields),
    }
    let mut xml = options.dialect.apply(fields.result(t.end())?)?;
    if service == Service::Substituir && options.signs.cancelamento {
        xml = signature::element(options, &xml, &ids.cancelamento, "InfPedidoCancelamento")?;
    }
    if options.signs.inner_rps {
        xml = signature::inner_rps(options, &xml, &ids.inner_rps)?;
    }
    if options.signs.rps {
        let name = if options.version.first() {
            "InfRps"
        } else {
            "InfDeclaracaoPrestacaoServico"
        };
        xml = signature::element(options, &xml, &ids.rps, name)?;
    }
    if options.signs.batch {
        xml = match service {
            Service::Generate => xml,
            Service::Substituir => {
                signature::element(options, &xml, &ids.replacement, "SubstituicaoNfse")?
            }
            _ => signature::element(options, &xml, &ids.batch, "LoteRps")?,
        };
    }
    Ok(xml)
}

/// What no version of the model can say, although it would change the note.
fn refuse(options: &Options, dps: &Dps, fields: &mut Fields) {
    if dps.inf_dps.as_ref().is_some_and(|map| !map.is_empty()) {
        fields.error(
            "inf_dps",
            "sem_equivalente",
            "Esta prefeitura não usa o leiaute nacional: inf_dps não se aplica.",
        );
    }
    if dps.identificacao.numero == 0 {
        fields.error(
            "identificacao.numero",
            "formato",
            "O número do RPS começa em 1.",
        );
    }
    if dps.evento.is_some() && options.version < LayoutVersion::V204 {
        fields.error(
            "evento",
            "sem_equivalente",
            "O leiaute da prefeitura não tem o grupo de evento.",
        );
    }
}

struct Body<'a> {
    options: &'a Options,
    emitter: &'a Emitente,
    dps: &'a Dps,
    ids: &'a Ids,
}

impl Body<'_> {
    fn rps(&self, t: &mut Tags, fields: &mut Fields) {
        let write = if self.options.version.first() {
            rps100::write
        } else {
            declaration::write
        };
        write(t, self.options, self.emitter, self.dps, self.ids, fields);
    }

    /// A batch of one: what fails then fails for one note only. It has the
    /// number of its RPS.
    fn batch(&self, t: &mut Tags, fields: &mut Fields) {
        let options = self.options;
        let version = options.version;
        let mut attributes = options.id(&self.ids.batch);
        if options.batch_version {
            attributes.push(("versao", options.attribute_version.as_str()));
        }
        t.message_group("LoteRps", &attributes, |t| {
            t.leaf("NumeroLote", &self.dps.identificacao.numero.to_string());
            if version >= LayoutVersion::V204 {
                t.group("Prestador", &[], |t| {
                    provider::identification(t, version, self.emitter, fields);
                });
            } else {
                provider::identification(t, version, self.emitter, fields);
                // The only place where the schema of 1.00 demands it.
                if version.first() {
                    let im = self.emitter.inscricao_municipal.as_deref();
                    fields.text("emitente.inscricao_municipal", im, 15);
                }
            }
            t.leaf("QuantidadeRps", "1");
            t.group("ListaRps", &[], |t| {
                t.group("Rps", &[], |t| self.rps(t, fields));
            });
        });
    }
}
