//! The questions: each filter of the listings, the combinations people use, and the
//! other lists an account has.

use super::samples::Sample;
use crate::client::escaped;
use crate::seeded::Seeded;
use base::when;

const DAY_MS: i64 = 24 * 3_600_000;

/// A question, and the path that asks it with the values of a document; None: the
/// document has none of them.
pub struct Question {
    pub name: &'static str,
    pub path: fn(&Sample, &mut Seeded) -> Option<String>,
}

/// A value of a query, where there is one.
fn some(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| escaped(value))
}

fn nfse(sample: &Sample) -> Option<()> {
    (sample.model == "nfse").then_some(())
}

fn nfe(sample: &Sample) -> Option<()> {
    (sample.model == "55").then_some(())
}

/// `de=…&ate=…` around the arrival of a document.
fn days(sample: &Sample, days: i64) -> String {
    let day = |ms: i64| when::local(ms, "SP").date().to_string();
    format!(
        "de={}&ate={}",
        day(sample.at_ms - days / 2 * DAY_MS),
        day(sample.at_ms + days / 2 * DAY_MS)
    )
}

/// Days (UTC) of the month of a document, as `usage` takes them.
fn month(sample: &Sample) -> String {
    let first = when::utc(sample.at_ms).date().replace_day(1);
    let first = first.unwrap_or(when::utc(sample.at_ms).date());
    let last = first.month().length(first.year());
    let last = first.replace_day(last).unwrap_or(first);
    format!("de={first}&ate={last}")
}

/// The beginning or the middle of a name: one of its words, without its last letters.
fn piece(sample: &Sample, seeded: &mut Seeded) -> Option<String> {
    let words: Vec<&str> = sample
        .name
        .split(' ')
        .filter(|word| word.chars().count() >= 4)
        .collect();
    let word = seeded.one(&words)?;
    Some(escaped(&word.chars().take(6).collect::<String>()))
}

macro_rules! questions {
    ($($name:literal => $path:expr;)+) => {
        pub const ALL: &[Question] = &[$(Question { name: $name, path: $path }),+];
    };
}

questions! {
    "documents: newest" => |_, _| Some("/documentos?limite=50".to_owned());
    "documents: oldest first" => |_, _| Some("/documentos?limite=50&ordem=criada_em".to_owned());
    "documents by status" => |s, _| Some(format!("/documentos?limite=50&status={}", some(&s.status)?));
    "documents by status rejected" => |_, _| Some("/documentos?limite=50&status=rejeitada".to_owned());
    "documents by several statuses" => |_, _| Some("/documentos?limite=50&status=cancelada,rejeitada".to_owned());
    "documents by model" => |s, _| Some(format!("/documentos?limite=50&modelo={}", some(&s.model)?));
    "documents by emitter" => |s, _| Some(format!("/documentos?limite=50&emitente_id={}", some(&s.company)?));
    "documents by emitter and status" => |s, _| Some(format!("/documentos?limite=50&emitente_id={}&status=cancelada", some(&s.company)?));
    "documents by emitter and day" => |s, _| Some(format!("/documentos?limite=50&emitente_id={}&{}", some(&s.company)?, days(s, 1)));
    "documents by key" => |s, _| Some(format!("/documentos?chave={}", some(&s.chave)?));
    "documents by series and number" => |s, _| Some(format!("/documentos?serie={}&numero={}", some(&s.serie)?, some(&s.number)?));
    "documents by number" => |s, _| Some(format!("/documentos?numero={}", some(&s.number)?));
    "documents by CPF or CNPJ" => |s, _| Some(format!("/documentos?limite=50&destinatario={}", some(&s.documento)?));
    "documents by CPF or CNPJ and status" => |s, _| Some(format!("/documentos?limite=50&destinatario={}&status=autorizada", some(&s.documento)?));
    "documents by name" => |s, _| Some(format!("/documentos?limite=50&nome={}", some(&s.name)?));
    "documents by a piece of a name" => |s, r| Some(format!("/documentos?limite=50&nome={}", piece(s, r)?));
    "documents by a name nobody has" => |_, r| Some(format!("/documentos?limite=50&nome=zzq{}", r.below(1_000_000)));
    "documents by name and week" => |s, r| Some(format!("/documentos?limite=50&nome={}&{}", piece(s, r)?, days(s, 6)));
    "documents of a day" => |s, _| Some(format!("/documentos?limite=50&{}", days(s, 1)));
    "documents of a month, rejected" => |s, _| Some(format!("/documentos?limite=50&status=rejeitada&{}", days(s, 30)));
    "documents of a value" => |s, _| Some(format!("/documentos?limite=50&valor_min={0}&valor_max={0}", some(&s.value)?));
    "documents from a value on" => |s, _| Some(format!("/documentos?limite=50&valor_min={}", some(&s.value)?));
    "documents of a value that no note has" => |_, _| Some("/documentos?limite=50&valor_min=987654321.00&valor_max=987654321.99".to_owned());
    "documents: search by reference" => |s, _| Some(format!("/documentos?q={}", some(&s.reference)?));
    "documents: search by key" => |s, _| Some(format!("/documentos?q={}", some(&s.chave)?));
    "documents: search by number" => |s, _| Some(format!("/documentos?q={}", some(&s.number)?));
    "documents: search by CNPJ" => |s, _| Some(format!("/documentos?q={}", some(&s.documento)?));
    "documents: search by a piece of a name" => |s, r| Some(format!("/documentos?q={}", piece(s, r)?));
    "documents: search by value" => |s, _| Some(format!("/documentos?q={}", some(&s.value.replace('.', ","))?));
    "documents: sums of a month" => |s, _| Some(format!("/documentos/resumo?{}", days(s, 30)));
    "document by id" => |s, _| Some(format!("/documentos/{}", some(&s.id)?));
    "document by key" => |s, _| Some(format!("/documentos/{}", some(&s.chave)?));
    "document: history" => |s, _| Some(format!("/documentos/{}/historico", some(&s.id)?));
    "NFS-e: newest" => |_, _| Some("/nfse?limite=50".to_owned());
    "NFS-e by status" => |s, _| { nfse(s)?; Some(format!("/nfse?limite=50&status={}", some(&s.status)?)) };
    "NFS-e by status rejected" => |_, _| Some("/nfse?limite=50&status=rejeitada".to_owned());
    "NFS-e by status draft" => |_, _| Some("/nfse?limite=50&status=rascunho".to_owned());
    "NFS-e by emitter and status" => |s, _| { nfse(s)?; Some(format!("/nfse?limite=50&emitente_id={}&status=cancelada", some(&s.company)?)) };
    "NFS-e by key" => |s, _| { nfse(s)?; Some(format!("/nfse?chave={}", some(&s.chave)?)) };
    "NFS-e by series and number" => |s, _| { nfse(s)?; Some(format!("/nfse?serie={}&numero={}", some(&s.serie)?, some(&s.number)?)) };
    "NFS-e by CPF or CNPJ" => |s, _| { nfse(s)?; Some(format!("/nfse?limite=50&destinatario={}", some(&s.documento)?)) };
    "NFS-e of a day" => |s, _| { nfse(s)?; Some(format!("/nfse?limite=50&{}", days(s, 1))) };
    "NF-e: newest" => |_, _| Some("/nfe?limite=50".to_owned());
    "NF-e by status" => |s, _| { nfe(s)?; Some(format!("/nfe?limite=50&status={}", some(&s.status)?)) };
    "NF-e by status rejected" => |_, _| Some("/nfe?limite=50&status=rejeitada".to_owned());
    "NF-e by key" => |s, _| { nfe(s)?; Some(format!("/nfe?chave={}", some(&s.chave)?)) };
    "NF-e by number" => |s, _| { nfe(s)?; Some(format!("/nfe?numero={}", some(&s.number)?)) };
    "NF-e by CPF or CNPJ" => |s, _| { nfe(s)?; Some(format!("/nfe?limite=50&destinatario={}", some(&s.documento)?)) };
    "NF-e of a value" => |s, _| { nfe(s)?; Some(format!("/nfe?limite=50&valor_min={0}&valor_max={0}", some(&s.value)?)) };
    "NF-e of a day" => |s, _| { nfe(s)?; Some(format!("/nfe?limite=50&{}", days(s, 1))) };
    "usage of a month by day" => |s, _| Some(format!("/usage?agrupar=dia&{}", month(s)));
    "usage of a month by key" => |s, _| Some(format!("/usage?agrupar=chave&{}", month(s)));
    "usage of a month by operation" => |s, _| Some(format!("/usage?agrupar=operacao&{}", month(s)));
    "usage of a month by emitter" => |s, _| Some(format!("/usage?agrupar=emitente&{}", month(s)));
    "calls" => |_, _| Some("/usage/chamadas?limite=50".to_owned());
    "statement" => |_, _| Some("/creditos/extrato?limite=50".to_owned());
    "events from the begin" => |_, _| Some("/eventos?limite=50".to_owned());
    "events of a kind" => |_, _| Some("/eventos?limite=50&tipo=nfse.cancelada".to_owned());
    "events of an emitter" => |s, _| Some(format!("/eventos?limite=50&emitente_id={}", some(&s.company)?));
    "deliveries" => |_, _| Some("/webhooks/entregas?limite=50".to_owned());
    "deliveries that failed" => |_, _| Some("/webhooks/entregas?limite=50&status=falhou".to_owned());
    "deliveries of a day" => |s, _| Some(format!("/webhooks/entregas?limite=50&{}", days(s, 1)));
    "persons" => |_, _| Some("/pessoas?limite=50".to_owned());
}

/// Questions of operators, to whose lists all accounts belong.
pub const OF_OPERATORS: &[Question] = &[
    Question {
        name: "operators: accounts",
        path: |_, _| Some("/accounts".to_owned()),
    },
    Question {
        name: "operators: notes without a result",
        path: |_, _| Some("/notes/stuck".to_owned()),
    },
    Question {
        name: "operators: deliveries",
        path: |_, _| Some("/deliveries".to_owned()),
    },
    Question {
        name: "operators: queues",
        path: |_, _| Some("/queues".to_owned()),
    },
    Question {
        name: "operators: disks and sizes",
        path: |_, _| Some("/disk".to_owned()),
    },
    Question {
        name: "operators: actions",
        path: |_, _| Some("/actions".to_owned()),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_can_be_asked_of_one_of_two_documents() {
        let service = Sample {
            id: "nfse_1".to_owned(),
            model: "nfse".to_owned(),
            status: "autorizada".to_owned(),
            company: "emi_1".to_owned(),
            chave: "3".repeat(50),
            serie: "1".to_owned(),
            number: "7".to_owned(),
            documento: "12345678000195".to_owned(),
            name: "Padaria São José 17 Ltda".to_owned(),
            value: "15.50".to_owned(),
            reference: "pedido 1".to_owned(),
            at_ms: 1_796_040_000_000,
        };
        let product = Sample {
            model: "55".to_owned(),
            ..service.clone()
        };
        let mut seeded = Seeded::new(1);
        let mut names = Vec::new();
        for question in ALL.iter().chain(OF_OPERATORS) {
            let path = (question.path)(&service, &mut seeded)
                .or_else(|| (question.path)(&product, &mut seeded));
            let path = path.expect(question.name);
            assert!(
                path.starts_with('/') && path.is_ascii() && !path.contains(' '),
                "{path}"
            );
            names.push(question.name);
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len() + OF_OPERATORS.len(), "a name twice");
        assert_eq!(month(&service), "de=2026-11-01&ate=2026-11-30");
        assert_eq!(days(&service, 1), "de=2026-11-30&ate=2026-11-30");
    }
}
