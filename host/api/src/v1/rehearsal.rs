//! What an issuing operation would make of a body, as far as that is known
//! before anything is stored or sent. No operation of the API: it is asked inside
//! of the process, by the panel, where a person looks at total and taxes first, and
//! by the door for who moves, which holds a stated total against it.

use crate::v1::{nfce, nfe, nfse};
use accounts::caller::Caller;
use base::errors::Failure;
use base::operations;
use gate::Services;
use issuing::answer::{Nfce, Nfe, Nfse, Registered, registered};
use issuing::issue;
use issuing::model::Model;
use markup::xml::Document;
use serde_json::{Value, json};
use store::tables::notas::NotaRow;

/// The note as the issuing operation of its model would begin it: its record,
/// without a number; `preco`, what it costs in credits when it is
/// authorized; and how it classifies what is sold, with what comes from the
/// company's registration: `itens` with NCM and CFOP, or `codigo_servico`.
///
/// # Errors
/// What the issuing operation would refuse: everything to correct, and what
/// the emitter lacks. The balance is not looked at. Internal for a CT-e or an
/// MDF-e, which nobody rehearses.
pub async fn rehearse(
    app: &Services,
    caller: Caller,
    model: Model,
    body: Value,
) -> Result<Value, Failure> {
    let (operation, request) = match model {
        Model::Nfce => ("nfce.create", nfce::create::read(body, false)?),
        Model::Nfse => ("nfse.create", nfse::create::read(body, false)?),
        Model::Nfe => ("nfe.create", nfe::create::read(body, false)?),
        Model::Cte | Model::Mdfe => return Err(other(model)),
    };
    let price = operations::get(operation).and_then(|row| row.price());
    let nota = issue::rehearse(app, caller, price.unwrap_or_default(), request).await?;
    let mut record = record(&nota)?;
    record["preco"] = nota.preco.into();
    if model == Model::Nfse {
        let dps: Value = serde_json::from_str(&nota.conteudo)?;
        let service = &dps["servico"];
        let national = &service["codigo_tributacao_nacional"];
        let code = match national.is_null() {
            true => &service["item_lista_servico"],
            false => national,
        };
        record["codigo_servico"] = code.clone();
    } else {
        record["itens"] = codes(&nota.conteudo)?;
    }
    Ok(record)
}

/// NCM and CFOP of each item of a product note. `xml`: the note as it would be sent.
fn codes(xml: &str) -> Result<Value, Failure> {
    let document = Document::parse(xml).map_err(anyhow::Error::from)?;
    let products = document.elements().filter(|one| one.name() == "prod");
    let items = products.map(|product| {
        let code = |name: &str| product.text_at(&[name]).unwrap_or_default();
        json!({ "ncm": code("NCM"), "cfop": code("CFOP") })
    });
    Ok(items.collect())
}

fn record(nota: &NotaRow) -> Result<Value, Failure> {
    Ok(match nota.modelo {
        Model::Nfse => serde_json::to_value::<Registered<Nfse>>(registered(nota)?)?,
        Model::Nfce => serde_json::to_value::<Registered<Nfce>>(registered(nota)?)?,
        Model::Nfe => serde_json::to_value::<Registered<Nfe>>(registered(nota)?)?,
        Model::Cte | Model::Mdfe => return Err(other(nota.modelo)),
    })
}

fn other(model: Model) -> Failure {
    anyhow::anyhow!("{} is not rehearsed", model.name()).into()
}
