//! The requests of a collection, whatever program it is for: one for each operation,
//! and those of the way it begins with.

use super::chain;
use super::journey::{Check, Step};
use super::model::{Op, Param};

/// One request as a collection shows it.
pub struct Request<'m> {
    pub name: String,
    pub op: &'m Op,
    /// JSON text.
    pub body: Option<String>,
    pub query: Vec<Shown>,
    pub path: Vec<Shown>,
    /// Variables, and the member of the answer that each is set from.
    pub keeps: Vec<(&'static str, &'static str)>,
    pub checks: Vec<Check>,
}

/// A parameter with its value.
pub struct Shown {
    pub name: String,
    pub value: String,
    pub meaning: String,
    /// Is it sent?
    pub sent: bool,
}

impl<'m> Request<'m> {
    /// An operation as the document shows it.
    pub fn of(op: &'m Op) -> Request<'m> {
        let body = op.body.as_ref().map(|(_, shown)| chain::linked_body(shown));
        Request {
            name: op.id.clone(),
            op,
            body: body.map(|body| serde_json::to_string_pretty(&body).unwrap_or_default()),
            query: op.query.iter().map(shown).collect(),
            path: op.path_params.iter().map(shown).collect(),
            keeps: chain::kept(op)
                .map(|name| (name, "id"))
                .into_iter()
                .collect(),
            checks: Vec::new(),
        }
    }

    /// A request of the way that a collection begins with.
    pub fn of_step(step: Step<'m>, place: usize) -> Request<'m> {
        let plain = Request::of(step.op);
        let query = step.op.query.iter().map(|param| {
            let given = step.query.iter().find(|(name, _)| *name == param.name);
            Shown {
                sent: given.is_some(),
                value: given.map_or_else(|| param.shown(), |(_, value)| (*value).to_owned()),
                ..shown(param)
            }
        });
        Request {
            name: format!("{place:02} {}", step.title),
            body: step
                .body
                .map(|body| serde_json::to_string_pretty(&body).unwrap_or_default()),
            query: query.collect(),
            keeps: step.keeps,
            checks: step.checks,
            ..plain
        }
    }

    /// The query of the address, with its `?`; empty where nothing is sent.
    pub fn sent(&self) -> String {
        let sent = self.query.iter().filter(|one| one.sent);
        let pairs: Vec<String> = sent
            .map(|one| format!("{}={}", one.name, one.value))
            .collect();
        if pairs.is_empty() {
            String::new()
        } else {
            format!("?{}", pairs.join("&"))
        }
    }

    /// What is done with the answer, line by line: it is checked, and ids are kept.
    pub fn script(&self, say: &Dialect) -> Vec<String> {
        let mut lines = Vec::new();
        let codes: Vec<String> = self.op.successes.iter().map(u16::to_string).collect();
        let test = |what: &str, check: String| {
            format!("{}({:?}, function () {{ {check}; }});", say.test, what)
        };
        if codes.is_empty() {
            let check = format!("{}({}).to.be.within(400, 499)", say.expect, say.code);
            lines.push(test("recusa", check));
        } else {
            let listed = codes.join(", ");
            let check = format!("{}({}).to.be.oneOf([{listed}])", say.expect, say.code);
            lines.push(test(&format!("responde {}", codes.join(" ou ")), check));
        }
        let header = (say.header)("X-Request-Id");
        let check = format!("{}({header}).to.match(/^req_/)", say.expect);
        lines.push(test("identifica a chamada", check));
        let keeps = self.keeps.iter().map(|(variable, member)| {
            let value = format!("{}.{member}", say.json);
            let set = (say.set)(variable, &value);
            format!("if ({} < 300) {{ {set}; }}", say.code)
        });
        lines.extend(keeps);
        lines.extend(self.checks.iter().map(|check| match check {
            Check::Is(member, value) => {
                let check = format!("{}({}.{member}).to.equal({value})", say.expect, say.json);
                test(&format!("{member} é {value}").replace('"', ""), check)
            }
            Check::IsVariable(member, variable) => {
                let known = (say.get)(variable);
                let check = format!("{}({}.{member}).to.equal({known})", say.expect, say.json);
                test(&format!("{member} é {variable}"), check)
            }
            Check::FirstIs(variable) => {
                let (first, known) = (format!("{}.itens[0].id", say.json), (say.get)(variable));
                let check = format!("{}({first}).to.equal({known})", say.expect);
                test(&format!("o primeiro é {variable}"), check)
            }
            Check::Media(part) => {
                let media = (say.header)("Content-Type");
                let check = format!("{}({media}).to.include({part:?})", say.expect);
                test(&format!("é {part}"), check)
            }
            Check::Contains(part) => {
                let check = format!("{}({}).to.include({part:?})", say.expect, say.text);
                test(&format!("contém {part}"), check)
            }
        }));
        lines
    }
}

fn shown(param: &Param) -> Shown {
    Shown {
        name: param.name.clone(),
        value: chain::linked(&param.shown()),
        meaning: param.meaning.clone(),
        sent: !param.example.is_null(),
    }
}

/// How a program writes what is done with an answer, in JavaScript.
pub struct Dialect {
    pub test: &'static str,
    pub expect: &'static str,
    /// The status.
    pub code: &'static str,
    /// The body, as JSON and as text.
    pub json: &'static str,
    pub text: &'static str,
    pub header: fn(&str) -> String,
    /// Keeps a value in a variable.
    pub set: fn(&str, &str) -> String,
    /// What a variable holds.
    pub get: fn(&str) -> String,
}
