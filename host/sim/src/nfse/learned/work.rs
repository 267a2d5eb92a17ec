//! One request being processed: who asks, whether it may, and the answer of a
//! meaning filled with what is known of the note.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cassette::Means;
use openssl::hash::{MessageDigest, hash};

use super::case::Op;
use super::cities::Recognized;
use super::city::{City, Sample};
use super::facts::{Fact, Facts};
use super::message::Message;
use super::signed;
use super::template::{Filling, Template};
use crate::clock;
use crate::documents::same_holder;
use crate::engine::Call;
use crate::notes::Nota;
use crate::pki::holder;
use crate::request::Answer;

/// The password that no city accepts, and the token, for tests of wrong credentials.
const WRONG: [&str; 2] = ["errada", "errado"];
/// Name under which a note keeps who logged in to issue it.
pub(super) const LOGIN: &str = "login";
/// Digits and letters of the longest code that is made up.
const MAX_LOOK: usize = 64;

/// A request of a learned system.
pub(super) struct Work<'w> {
    pub city: &'w City,
    pub sample: &'w Sample,
    pub live: &'w Message,
    /// Host name of the city.
    pub local: String,
    /// CNPJ or CPF of the provider; the login where nobody says it.
    pub provider: String,
    /// Whether the message or the certificate says the provider.
    pub provider_is_said: bool,
    /// User of the HTTP login; empty where there is none.
    pub login: String,
}

impl<'w> Work<'w> {
    pub fn of(call: &Call<'_>, known: &'w Recognized) -> Option<Work<'w>> {
        let (city, sample, live) = (known.city()?, known.sample()?, &*known.message);
        let provider = sample.fact(Fact::Provider, live);
        let provider = provider.or_else(|| call.req.holder_document());
        let login = live.authorization.as_deref().and_then(|login| {
            let (user, _) = login.split_once(':')?;
            Some(super::form::plain(user))
        });
        let login = login.unwrap_or_default();
        Some(Work {
            city,
            sample,
            live,
            local: call.req.authority(),
            provider_is_said: provider.is_some(),
            provider: provider.unwrap_or_else(|| login.clone()),
            login,
        })
    }

    /// Whether a note is one of this city and of whoever asks: the provider, or
    /// where the request does not say it, who logged in when it was issued.
    pub fn is_of_caller(&self, nota: &Nota) -> bool {
        let login = nota.dados.get(LOGIN).map_or("", String::as_str);
        let same = if self.provider_is_said {
            nota.prestador == self.provider
        } else {
            login == self.login
        };
        nota.sistema == self.city.name && nota.local == self.local && same
    }

    /// Looks at all that does not depend on the state: certificate, login,
    /// structure, signatures.
    ///
    /// # Errors
    /// The answer that refuses it.
    pub fn admit(&self, call: &Call<'_>) -> Result<(), Answer> {
        self.certificate(call)?;
        // A hub that sends the place of a secret instead of the secret.
        let unfilled = call.req.path.contains("@@") || call.req.path.contains("{{");
        if unfilled || self.wrong_login(call) {
            let text = "Usuário ou senha inválidos.";
            return Err(self.answer_or_refuse(call, &[Means::Login], Facts::new(), text));
        }
        let refused = |text: String| self.refuse(call, None, &text);
        if let Some(structure) = self.city.structure(self.sample.op) {
            structure.check(self.live).map_err(refused)?;
        }
        let said = self.sample.fact(Fact::Provider, self.live);
        let recorded = &self.sample.message;
        signed::check(recorded, self.live, said.as_deref(), call.pki, call.now_ms).map_err(refused)
    }

    fn certificate(&self, call: &Call<'_>) -> Result<(), Answer> {
        let forbidden = |text: &str| Err(Answer::new(403, "text/plain; charset=utf-8", text));
        if !self.sample.client_certificate {
            return Ok(());
        }
        let Some(der) = call.req.client_cert_der.as_deref() else {
            return forbidden("Certificado não informado");
        };
        if call.pki.check(der, call.now_ms).is_err() {
            return forbidden("Certificado não autorizado");
        }
        let said = self.sample.fact(Fact::Provider, self.live);
        let own = |said: &String| holder(der).is_some_and(|h| same_holder(&h.document, said));
        if said.as_ref().is_none_or(own) {
            Ok(())
        } else {
            forbidden("Certificado de outro titular")
        }
    }

    /// Whether a value is the wrong password, plain or in the ways in which
    /// systems take it.
    fn wrong_login(&self, call: &Call<'_>) -> bool {
        let leaves = self.live.leaves.iter().map(|leaf| leaf.value.as_str());
        let headers = call.req.headers.iter().map(|(_, value)| value.as_str());
        let header = self.live.authorization.as_deref();
        let header = header.map(|text| text.rsplit(':').next().unwrap_or(text));
        let wrong: Vec<String> = WRONG.iter().flat_map(|word| ways(word)).collect();
        leaves
            .chain(headers)
            .chain(header)
            .any(|value| wrong.iter().any(|way| way.eq_ignore_ascii_case(value)))
    }

    /// What the note's request said, and what the city says of it.
    pub fn facts(&self, call: &Call<'_>, nota: Option<&Nota>) -> Facts {
        let mut facts = Facts::from([(Fact::Now, clock::date_time(call.now_ms))]);
        for fact in Fact::ASKED {
            if let Some(value) = self.sample.fact(fact, self.live) {
                facts.insert(fact, value);
            }
        }
        facts.insert(Fact::Provider, self.provider.clone());
        let Some(nota) = nota else { return facts };
        facts.insert(Fact::Provider, nota.prestador.clone());
        facts.insert(Fact::Number, nota.numero.to_string());
        facts.insert(Fact::Issued, clock::date_time(nota.emitida_ms));
        let data = |name: &str| nota.dados.get(name).cloned();
        let known = [
            (Fact::Code, nota.codigo_verificacao.clone()),
            (Fact::Key, nota.chave.clone()),
            (Fact::Protocol, data("protocolo")),
            (Fact::Series, data("serie")),
            (Fact::Rps, data("rps")),
            (Fact::Cancelled, data("cancelada_em")),
        ];
        for (fact, value) in known {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                facts.insert(fact, value);
            }
        }
        facts
    }

    /// The first of these meanings that the system's cases show for the
    /// operation, filled.
    pub fn answer(&self, means: &[Means], facts: Facts, nota: Option<&Nota>) -> Option<Answer> {
        let mut means = means.iter();
        let template =
            means.find_map(|means| self.city.template(self.sample.op, *means, self.live))?;
        Some(self.filled(template, facts, nota))
    }

    fn filled(&self, template: &Template, facts: Facts, nota: Option<&Nota>) -> Answer {
        let kept = |path: &str, nth: usize| {
            let nota = nota?;
            nota.dados.get(&leaf_name(path, nth)).cloned()
        };
        let own = |path: &str, nth: usize| self.live.value(path, nth).map(str::to_owned);
        let issuing = nota.is_none() && matches!(self.sample.op, Op::Issue | Op::Replace);
        template.fill(&Filling {
            request: self.live,
            issue: if issuing { &own } else { &kept },
            facts,
        })
    }

    /// The same, or a refusal with this sentence.
    pub fn answer_or_refuse(
        &self,
        call: &Call<'_>,
        means: &[Means],
        facts: Facts,
        text: &str,
    ) -> Answer {
        if let Some(answer) = self.answer(means, facts.clone(), None) {
            return answer;
        }
        // A wrong login is answered alike whatever was asked.
        let login = means.contains(&Means::Login);
        let template = self.city.template_of_any(Means::Login, self.live);
        match template.filter(|_| login) {
            Some(template) => self.filled(template, facts, None),
            None => self.refuse(call, None, text),
        }
    }

    /// A refusal; without a code it keeps the recorded one.
    pub fn refuse(&self, call: &Call<'_>, code: Option<&str>, text: &str) -> Answer {
        let mut facts = self.facts(call, None);
        facts.insert(Fact::RefusalText, text.to_owned());
        facts.insert(Fact::RefusalCorrection, String::new());
        if let Some(code) = code {
            facts.insert(Fact::RefusalCode, code.to_owned());
        }
        let own = self
            .city
            .template(self.sample.op, Means::Refused, self.live);
        let template = own.or_else(|| self.city.template_of_any(Means::Refused, self.live));
        match template {
            Some(template) => self.filled(template, facts, None),
            None => {
                let text = format!("{} {text}", code.unwrap_or_default());
                Answer::new(400, "text/plain; charset=utf-8", text.trim().to_owned())
            }
        }
    }

    /// The recorded answer itself.
    pub fn as_recorded(&self, call: &Call<'_>) -> Answer {
        let facts = self.facts(call, None);
        self.answer_or_refuse(call, &[Means::Session], facts, "Sessão recusada.")
    }

    /// A code that looks like the recorded one; None where the system has none.
    pub fn look(&self, call: &Call<'_>, fact: Fact, what: &str) -> Option<String> {
        let look = self.city.looks.get(&fact)?;
        let draw = |at: usize, bound: u64| {
            let drawn = call.draw(&format!("{fact:?}|{what}|{at}"), bound);
            u8::try_from(drawn).unwrap_or_default()
        };
        let signs = look.chars().take(MAX_LOOK).enumerate();
        let drawn = signs.map(|(at, sign)| match sign {
            '0'..='9' if at == 0 => char::from(b'1' + draw(at, 9)),
            '0'..='9' => char::from(b'0' + draw(at, 10)),
            'A'..='Z' => char::from(b'A' + draw(at, 26)),
            'a'..='f' => char::from(b'a' + draw(at, 6)),
            'g'..='z' => char::from(b'a' + draw(at, 26)),
            other => other,
        });
        Some(drawn.collect())
    }
}

/// Name under which a note keeps a value of the request that issued it.
pub(super) fn leaf_name(path: &str, nth: usize) -> String {
    format!("{nth}:{path}")
}

/// The ways in which a password is sent (`secrets.encoding` of the contract).
fn ways(word: &str) -> Vec<String> {
    let digest = |kind: MessageDigest| {
        let bytes = hash(kind, word.as_bytes()).map(|digest| digest.to_vec());
        bytes.unwrap_or_default()
    };
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    vec![
        word.to_owned(),
        STANDARD.encode(word),
        hex(&digest(MessageDigest::md5())),
        hex(&digest(MessageDigest::sha1())),
        STANDARD.encode(digest(MessageDigest::sha1())),
        hex(&digest(MessageDigest::sha256())),
    ]
}
