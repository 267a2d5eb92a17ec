//! What is another in each copy of a note, and the value it has there.

use super::moments::Written;
use super::noise::{self, Kind};
use crate::people::{Person, folded, key_digit};
use crate::seeded::Seeded;
use ulid::Ulid;

/// A place in the texts of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// An id of the note's own rows: when it was made, beside the note's arrival, and its
    /// place among them.
    Id {
        after_ms: i64,
        rank: u16,
    },
    /// The id of the note itself: whatever model it is a copy of, so that a store that was
    /// interrupted is known again.
    Note,
    Account,
    Key,
    Webhook,
    /// The end of the webhook's id, which ids of deliveries have.
    WebhookEnd,
    Emitter,
    Certificate,
    Cnpj,
    Number,
    /// The access key, as the model has it.
    AccessKey(String),
    /// The code within the key of a product note.
    KeyCode,
    /// The number that the city gives.
    CityNumber(String),
    Reference,
    Documento,
    Name,
    Folded,
    Value,
    Noise(String, Kind),
    /// Noise that all notes of a company share: its certificate.
    CompanyNoise(String),
    Moment(Written),
}

/// A company that issues, of an account that was made for it. Ids are ULIDs here: text without
/// its prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Company {
    pub emitter_ulid: String,
    pub certificate_ulid: String,
    pub cnpj: String,
}

/// One copy.
pub struct Copied<'c> {
    pub account_ulid: &'c str,
    pub key_ulid: &'c str,
    pub webhook_ulid: &'c str,
    pub company: &'c Company,
    /// The place of the company among all: what its noise begins with.
    pub company_seed: u64,
    pub person: Person,
    pub number: i64,
    pub cents: u64,
    pub reference: String,
    pub at_ms: i64,
    /// From the model's arrival to this one's.
    pub later_ms: i64,
    pub later_days: i64,
    pub seeded: Seeded,
}

/// `1234.56`.
pub fn money(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// An id of a moment: the same for the same note.
pub fn id(ms: i64, note: u64, rank: u16) -> String {
    let ms = u64::try_from(ms).unwrap_or_default();
    Ulid::from_parts(ms, u128::from(note) << 16 | u128::from(rank)).to_string()
}

impl Copied<'_> {
    /// The values of all slots, in their order.
    pub fn values(&mut self, slots: &[Slot]) -> Vec<String> {
        let note = self.seeded.bits();
        let code = format!("{:08}", self.seeded.below(100_000_000));
        let city = |model: &str| self.city_number(model);
        let numbers = slots.iter().find_map(|slot| match slot {
            Slot::CityNumber(model) => Some(city(model)),
            _ => None,
        });
        let numbers = numbers.unwrap_or_default();
        let values = slots.iter().map(|slot| match slot {
            Slot::Id { after_ms, rank } => id(self.at_ms + after_ms, note, *rank),
            Slot::Note => id(self.at_ms, note, u16::MAX),
            Slot::Account => self.account_ulid.to_owned(),
            Slot::Key => self.key_ulid.to_owned(),
            Slot::Webhook => self.webhook_ulid.to_owned(),
            Slot::WebhookEnd => end(self.webhook_ulid).to_owned(),
            Slot::Emitter => self.company.emitter_ulid.clone(),
            Slot::Certificate => self.company.certificate_ulid.clone(),
            Slot::Cnpj => self.company.cnpj.clone(),
            Slot::Number => self.number.to_string(),
            Slot::AccessKey(model) => self.access_key(model, &code, &numbers),
            Slot::KeyCode => code.clone(),
            Slot::CityNumber(_) => numbers.clone(),
            Slot::Reference => self.reference.clone(),
            Slot::Documento => self.person.documento.clone(),
            Slot::Name => self.person.name.clone(),
            Slot::Folded => folded(&self.person.name),
            Slot::Value => money(self.cents),
            Slot::Noise(model, kind) => noise::like(model, *kind, &mut self.seeded),
            Slot::CompanyNoise(model) => {
                // The first letters say what it is and how long, as in every certificate.
                let (head, rest) = model.split_at_checked(8).unwrap_or((model, ""));
                let mut seeded = Seeded::new(self.company_seed);
                head.to_owned() + &noise::like(rest, Kind::Base64, &mut seeded)
            }
            Slot::Moment(written) => {
                written.later(self.later_days, self.later_ms.div_euclid(1_000))
            }
        });
        // Noise takes from the seed while the others are read.
        let mut all = Vec::with_capacity(slots.len());
        all.extend(values);
        all
    }

    /// The number that the city gives to this copy: as long as that of the model where it
    /// begins with a year.
    fn city_number(&self, model: &str) -> String {
        if model.len() < 12 {
            return self.number.to_string();
        }
        let year = base::when::utc(self.at_ms).year();
        let width = model.len() - 4;
        format!("{year}{:0width$}", self.number)
    }

    /// A key of the same layout (NF-e: MOC 7.0, 2.2.6; NFS-e: technical note 2 of the national
    /// layout, chNFSe), with its check digit.
    fn access_key(&mut self, model: &str, code: &str, city_number: &str) -> String {
        let day = base::when::local(self.at_ms, "SP");
        let month = format!("{:02}{:02}", day.year() % 100, u8::from(day.month()));
        let cnpj = &self.company.cnpj;
        let digits = model.bytes().all(|byte| byte.is_ascii_digit());
        let begin = match model.len() {
            44 if digits => format!(
                "{}{month}{cnpj}{}{:09}{}{code}",
                &model[..2],
                &model[20..25],
                self.number,
                &model[34..35]
            ),
            50 if digits => format!(
                "{}{cnpj:0>14}{city_number:0>13}{month}{code}{}",
                &model[..9],
                self.number % 10
            ),
            _ => return noise::like(model, Kind::Alike, &mut self.seeded),
        };
        let begin = begin.get(..model.len() - 1).unwrap_or(&begin);
        format!("{begin}{}", key_digit(begin))
    }
}

/// The end of a webhook's id that ids of deliveries have.
pub fn end(ulid: &str) -> &str {
    let from = ulid.len().saturating_sub(10);
    &ulid[from..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::person;

    fn copied(company: &Company) -> Copied<'_> {
        Copied {
            account_ulid: "01KAEXEMP10000000000000001",
            key_ulid: "01KAEXEMP10000000000000002",
            webhook_ulid: "01KAEXEMP1000000ABCDEFGHJK",
            company,
            company_seed: 3,
            person: person(1),
            number: 100_000_007,
            cents: 123_405,
            reference: "pedido-7".to_owned(),
            at_ms: 1_796_040_000_000,
            later_ms: 86_400_000,
            later_days: 1,
            seeded: Seeded::of(1, 7),
        }
    }

    fn value(slot: Slot) -> String {
        let company = Company {
            cnpj: "11222333000181".to_owned(),
            ..Company::default()
        };
        let mut values = copied(&company).values(&[slot, Slot::CityNumber("17".to_owned())]);
        values.swap_remove(0)
    }

    #[test]
    fn keys_have_the_layout_of_their_model() {
        let key = value(Slot::AccessKey(
            "31261112345678000195550010000000071314159267".to_owned(),
        ));
        assert_eq!(key.len(), 44);
        assert_eq!(&key[..35], "31261111222333000181550011000000071", "{key}");
        assert_eq!(key.chars().last(), Some(key_digit(&key[..43])));
        let city = value(Slot::AccessKey(format!("310620012{}", "1".repeat(41))));
        assert_eq!(city.len(), 50);
        let begin = format!("310620012{}{}2611", "11222333000181", "0000100000007");
        assert_eq!(&city[..40], begin);
        assert_eq!(value(Slot::AccessKey("AB12-CD".to_owned())).len(), 7);
    }

    #[test]
    fn a_copy_is_the_same_each_time() {
        let noise = || value(Slot::Noise("x".repeat(40), Kind::Base64));
        assert_eq!(noise(), noise());
        assert_eq!(value(Slot::WebhookEnd), "ABCDEFGHJK");
        assert_eq!(value(Slot::Value), "1234.05");
        assert_eq!(value(Slot::CityNumber("17".to_owned())), "100000007");
        assert_eq!(
            value(Slot::CityNumber("202600000000017".to_owned())),
            "202600100000007"
        );
    }

    #[test]
    fn ids_sort_as_they_did() {
        assert!(id(1_000, 9, 0) < id(1_000, 9, 1));
        assert!(id(1_000, 9, 1) < id(1_001, 2, 0));
    }
}
