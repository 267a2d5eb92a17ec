//! A note as it is in the authority's XML, under their names: what `completa=1` adds to
//! a consultation. The reverse of [`crate::orders`]; all values are texts, as theirs.

use crate::names::{Form, NOTE, Row, Rows, lines};
use fiscal::nfe::order::{
    Destino, ExigibilidadeIss, Finalidade, Forma, IndicadorIe, IndicadorPagamento, Intermediacao,
    ModalidadeBc, ModalidadeBcSt, ModalidadeFrete, OrigemProcesso, Presenca, TipoNotaCredito,
    TipoNotaDebito, TipoOperacao, ViaTransporte,
};
use serde_json::{Map, Value};

/// What the note says of itself, and where our reading has it.
const OWN: [(&str, &str); 12] = [
    ("numero", "numero"),
    ("serie", "serie"),
    ("codigo_unico", "codigo_numerico"),
    ("cnpj_emitente", "emitente.cpf_cnpj"),
    ("nome_emitente", "emitente.nome"),
    ("nome_fantasia_emitente", "emitente.nome_fantasia"),
    ("inscricao_estadual_emitente", "emitente.ie"),
    ("inscricao_municipal_emitente", "emitente.im"),
    ("regime_tributario_emitente", "emitente.crt"),
    ("logradouro_emitente", "emitente.endereco.logradouro"),
    ("municipio_emitente", "emitente.endereco.cidade"),
    ("uf_emitente", "emitente.endereco.uf"),
];

/// Sums of the note, and where our reading has them.
const SUMS: [(&str, &str); 20] = [
    ("icms_base_calculo", "totais.base_icms"),
    ("icms_valor_total", "totais.icms"),
    ("icms_valor_total_desonerado", "totais.icms_desonerado"),
    ("fcp_valor_total_uf_destino", "totais.fcp_uf_destino"),
    ("icms_valor_total_uf_destino", "totais.icms_uf_destino"),
    ("icms_valor_total_uf_remetente", "totais.icms_uf_remetente"),
    ("fcp_valor_total", "totais.fcp"),
    ("icms_base_calculo_st", "totais.base_icms_st"),
    ("icms_valor_total_st", "totais.icms_st"),
    ("valor_produtos", "totais.produtos"),
    ("valor_frete", "totais.frete"),
    ("valor_seguro", "totais.seguro"),
    ("valor_desconto", "totais.desconto"),
    ("valor_total_ii", "totais.ii"),
    ("valor_ipi", "totais.ipi"),
    ("valor_pis", "totais.pis"),
    ("valor_cofins", "totais.cofins"),
    ("valor_outras_despesas", "totais.outras_despesas"),
    ("valor_total", "totais.valor_total"),
    ("valor_total_tributos", "totais.valor_aproximado"),
];

/// A note that was read of its XML, in their names.
pub fn request(note: &Value) -> Map<String, Value> {
    let mut body = Map::new();
    let environment = match note["ambiente"].as_str() {
        Some("producao") => "1",
        _ => "2",
    };
    body.insert("ambiente".to_owned(), environment.into());
    for (theirs, ours) in OWN.into_iter().chain(SUMS) {
        if let Some(text) = at(note, ours).and_then(text_of) {
            body.insert(theirs.to_owned(), text.into());
        }
    }
    members(NOTE, note, &mut body);
    body
}

fn members(rows: Rows, group: &Value, body: &mut Map<String, Value>) {
    for row in lines(rows) {
        // Their own documents call the list so.
        if row.ours.is_empty() || row.theirs == "items" || body.contains_key(row.theirs) {
            continue;
        }
        let value = at(group, row.ours);
        if let Some(value) = value.and_then(|value| member(row, value, group)) {
            body.insert(row.theirs.to_owned(), value);
        }
    }
}

fn member(row: &Row, value: &Value, group: &Value) -> Option<Value> {
    match row.form {
        Form::List(rows) => {
            let entries = value.as_array()?.iter().map(|entry| {
                let mut read = Map::new();
                members(rows, entry, &mut read);
                Value::Object(read)
            });
            Some(entries.collect())
        }
        Form::First(rows) => {
            let mut read = Map::new();
            members(rows, value, &mut read);
            Some(Value::Array(vec![read.into()]))
        }
        Form::Texts(names) => {
            let entries = value.as_array()?.iter().filter_map(|entry| {
                let text = text_of(entry)?;
                let name = names.iter().find(|name| fits(name, &text))?;
                Some(Value::Object(
                    [((*name).to_owned(), Value::from(text))]
                        .into_iter()
                        .collect(),
                ))
            });
            Some(entries.collect())
        }
        Form::Flag(yes, no) => Some(if value.as_bool()? { yes } else { no }.into()),
        Form::Apart => apart(row, value, group),
        Form::Digits(width) => {
            let text = text_of(value)?;
            let text = official(row.ours, &text).map_or(text, str::to_owned);
            let other = match width {
                11 | 14 => text.len() != width,
                44 => (text.get(20..22) == Some("57")) != row.theirs.ends_with("cte"),
                _ => false,
            };
            (!other).then(|| text.into())
        }
        Form::Text
        | Form::Number
        | Form::Integer
        | Form::Moment
        | Form::Day
        | Form::YearMonth
        | Form::MonthYear
        | Form::State
        | Form::BarCode => Some(text_of(value)?.into()),
        Form::Group(_)
        | Form::Company(..)
        | Form::Sum
        | Form::Only(_)
        | Form::Told(_)
        | Form::Refused(_) => None,
    }
}

/// Whether a text may stand under a name: a CPF is shorter than a CNPJ.
fn fits(name: &str, text: &str) -> bool {
    match name {
        "cpf" => text.len() == 11,
        "cnpj" => text.len() != 11,
        _ => true,
    }
}

/// What the orders read by code.
fn apart(row: &Row, value: &Value, group: &Value) -> Option<Value> {
    match row.theirs {
        "icms_situacao_tributaria" if row.ours.ends_with("grupo") => None,
        "icms_situacao_tributaria" => {
            let code = text_of(value)?;
            let kind = at(group, "impostos.icms.grupo").and_then(Value::as_str);
            Some(match kind {
                Some("partilha") => format!("{code}_partilha").into(),
                Some(_) => format!("{code}_st").into(),
                None => code.into(),
            })
        }
        "indicador_intermediario" => Some("1".into()),
        _ => Some(text_of(value)?.into()),
    }
}

/// The official code of a word of ours at this place.
fn official(ours: &str, word: &str) -> Option<&'static str> {
    macro_rules! code {
        ($enumeration:ident) => {
            $enumeration::parse(word).map($enumeration::codigo)
        };
    }
    match ours {
        "tipo_operacao" => code!(TipoOperacao),
        "finalidade" => code!(Finalidade),
        "tipo_nota_debito" => code!(TipoNotaDebito),
        "tipo_nota_credito" => code!(TipoNotaCredito),
        "presenca" => code!(Presenca),
        "destino_operacao" => code!(Destino),
        "destinatario.indicador_ie" => code!(IndicadorIe),
        "transporte.modalidade_frete" => code!(ModalidadeFrete),
        "forma" => code!(Forma),
        "indicador" => code!(IndicadorPagamento),
        "impostos.icms.modalidade_bc" => code!(ModalidadeBc),
        "impostos.icms.st.modalidade_bc" => code!(ModalidadeBcSt),
        "impostos.issqn.exigibilidade" => code!(ExigibilidadeIss),
        "via_transporte" => code!(ViaTransporte),
        "intermediacao" => code!(Intermediacao),
        "origem" => code!(OrigemProcesso),
        _ => None,
    }
}

/// The member at a dotted path.
fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.')
        .try_fold(value, |value, name| value.get(name))
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(u8::from(*flag).to_string()),
        _ => None,
    }
}
