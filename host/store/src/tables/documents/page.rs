//! How a list finds its page.
//!
//! The filter that leaves the fewest documents says which index is read ([`plan`]): a key or
//! a number, a text, a CPF or CNPJ, a name, a value, and else the runs of the environments,
//! models and states that are asked for, of the company if there is one. What the index does
//! not answer is looked at in the rows, of so many documents at most ([`ROWS`], [`ENTRIES`]):
//! a page that is not full then says where the next one goes on, and costs no more than any
//! other, however many documents the account has.

use super::lanes::{self, Kind, Lane, Place, Run, Stretch};
use super::{Asked, Text, read};
use crate::ids::{AccountId, EmitterId};
use crate::tables::notas::{self, NotaRow, NotaStatus};
use crate::tables::parties;
use crate::words::{Ambiente, Model};
use crate::{Conn, DbResult};

/// Rows of documents that are looked at for one page.
const ROWS: usize = 1_000;
/// Rows that are read together.
const TOGETHER: usize = 200;
/// Entries of indexes that are looked at for one page.
const ENTRIES: usize = 20_000;
/// Documents, the first of the list, in whose own ids a part is looked for.
const OWN_IDS: usize = 500;

/// A page of a list.
#[derive(Debug, Default)]
pub struct Found {
    pub rows: Vec<NotaRow>,
    /// Where to go on when not all documents were looked at that could have filled the page.
    pub stopped: Option<(i64, String)>,
}

/// The indexes that are read for a list.
struct Plan {
    runs: Vec<Run>,
    /// All that the runs have is of the list, but for the value.
    sure: bool,
}

/// The documents that fit, the newest or the oldest first.
pub async fn list(conn: &mut Conn, account: &AccountId, asked: &Asked) -> DbResult<Found> {
    let mut found = page(conn, account, asked).await?;
    // Only what the page has is read from records.
    found.rows = notas::listed(conn, found.rows).await?;
    Ok(found)
}

/// The page, whose rows lack the columns that are in their records.
pub(super) async fn page(conn: &mut Conn, account: &AccountId, asked: &Asked) -> DbResult<Found> {
    let wanted = usize::try_from(asked.limit).unwrap_or(0);
    let stretch = asked.stretch();
    let mut plan = plan(conn, account, asked, &stretch).await?;
    let by_value = asked.min_value > 0 || asked.max_value > 0;
    let mut found = Found::default();
    let mut checked = 0;
    loop {
        let mut open = Vec::new();
        for run in &mut plan.runs {
            if run.extra && checked >= OWN_IDS {
                run.read.clear();
                run.over = true;
            }
            if !run.read.is_empty() || run.over {
                continue;
            }
            // Twice as many each time: what lies far is reached in few steps.
            let most = run.count.min(4_000).max(wanted);
            open.push((run, most));
        }
        lanes::go_on(conn, account, &stretch, open).await?;
        let most = if plan.sure {
            wanted - found.rows.len()
        } else {
            TOGETHER
        };
        let (mut next, last) = take(
            &mut plan.runs,
            most,
            |place| !by_value || asked.has_value(place),
            asked.ascending,
        );
        let ids: Vec<&str> = next.iter().map(|place| place.id.as_str()).collect();
        let rows = read::fitting(conn, account, asked, &ids).await?;
        checked += next.len();
        found.rows.extend(rows);
        if found.rows.len() >= wanted {
            found.rows.truncate(wanted);
            return Ok(found);
        }
        let Some(last) = last.or_else(|| next.pop()) else {
            // Nothing was left in any run that could be taken.
            if plan.runs.iter().all(|run| run.over && run.read.is_empty()) {
                return Ok(found);
            }
            continue;
        };
        let entries: usize = plan.runs.iter().map(|run| run.count).sum();
        if checked >= ROWS || entries >= ENTRIES {
            let mut sure = plan.runs.iter().filter(|run| !run.extra);
            let open = sure.any(|run| !run.over || !run.read.is_empty());
            found.stopped = open.then_some((last.created_at_ms, last.id));
            return Ok(found);
        }
    }
}

/// The next places of all runs in the order of the list, each once: so many at most that
/// `fits` takes, and none beyond the end of a run that is not read on yet. The second is the
/// last place that was looked at.
pub fn take(
    runs: &mut [Run],
    most: usize,
    fits: impl Fn(&Place) -> bool,
    ascending: bool,
) -> (Vec<Place>, Option<Place>) {
    let (mut taken, mut last) = (Vec::new(), None);
    while taken.len() < most {
        if runs.iter().any(|run| run.read.is_empty() && !run.over) {
            break;
        }
        let heads = runs.iter().filter_map(|run| run.read.front());
        let order = |place: &&Place| (place.created_at_ms, place.id.clone());
        let next = if ascending {
            heads.min_by_key(order)
        } else {
            heads.max_by_key(order)
        };
        let Some(next) = next.cloned() else {
            break;
        };
        for run in &mut *runs {
            if run.read.front().is_some_and(|head| head.id == next.id) {
                run.read.pop_front();
            }
        }
        if fits(&next) {
            taken.push(next.clone());
        }
        last = Some(next);
    }
    (taken, last)
}

/// Which indexes are read: those of the filter that leaves the fewest documents.
async fn plan(
    conn: &mut Conn,
    account: &AccountId,
    asked: &Asked,
    stretch: &Stretch<'_>,
) -> DbResult<Plan> {
    if let Some(emitter) = asked.emitter_id.as_ref()
        && !lanes::is_of(conn, account, emitter).await?
    {
        return Ok(Plan::of(Vec::new()));
    }
    if !asked.chave.is_empty() || asked.number > 0 {
        let number = match asked.number {
            number if asked.chave.is_empty() && asked.city_number => number.to_string(),
            _ => String::new(),
        };
        let number_of = if asked.chave.is_empty() {
            asked.number
        } else {
            0
        };
        let known = lanes::exact(conn, account, &asked.chave, number_of, &number).await?;
        return Ok(Plan::of(vec![Run::known(known, stretch)]));
    }
    if let Some(text) = &asked.text {
        return sought(conn, account, asked, text, stretch).await;
    }
    if !asked.documento.is_empty() {
        let lane = Lane::Party(asked.documento.clone());
        return Ok(Plan::of(vec![Run::new(lane)]));
    }
    if !asked.either.is_empty() {
        let mut runs = vec![Run::new(Lane::Party(asked.either.clone()))];
        for emitter in lanes::with_cnpj(conn, account, &asked.either).await? {
            runs.extend(asked.walked(conn, Some(&emitter)));
        }
        return Ok(Plan::of(runs));
    }
    if !asked.name.is_empty() {
        return Ok(match named(conn, account, &asked.name).await? {
            Some(runs) => Plan::of(runs),
            None => Plan::of(asked.walked(conn, asked.emitter_id.as_ref())),
        });
    }
    let (min, max) = (asked.min_value, asked.max_value);
    if min > 0 && min == max {
        return Ok(Plan::of(vec![Run::new(Lane::Value(min))]));
    }
    if min > 0 || max > 0 {
        let range = (min, if max == 0 { i64::MAX } else { max });
        if let Some(places) = lanes::values(conn, account, range).await? {
            return Ok(Plan::of(vec![Run::known(places, stretch)]));
        }
    }
    Ok(Plan {
        runs: asked.walked(conn, asked.emitter_id.as_ref()),
        sure: asked.serie.is_empty(),
    })
}

/// All that a text may stand for.
async fn sought(
    conn: &mut Conn,
    account: &AccountId,
    asked: &Asked,
    text: &Text,
    stretch: &Stretch<'_>,
) -> DbResult<Plan> {
    let known = lanes::exact(conn, account, &text.chave, text.number, &text.number_text).await?;
    let mut runs = vec![Run::known(known, stretch)];
    if !text.documento.is_empty() {
        runs.push(Run::new(Lane::Party(text.documento.clone())));
    }
    if text.value >= 0 {
        runs.push(Run::new(Lane::Value(text.value)));
    }
    if !text.part.is_empty() {
        let emitter = asked.emitter_id.as_ref();
        match named(conn, account, &text.part).await? {
            // A part of an own id is looked for in the newest documents alone: there is no
            // index of these parts, and no list shall read all there are.
            Some(named) => {
                runs.extend(named);
                let walked = asked.walked(conn, emitter).into_iter();
                runs.extend(walked.map(|run| Run { extra: true, ..run }));
            }
            None => runs.extend(asked.walked(conn, emitter)),
        }
    }
    Ok(Plan::of(runs))
}

/// The run of those whose name has a part, if there are any; None: their documents are better walked, because
/// they are many, or because not all names are known yet.
async fn named(conn: &mut Conn, account: &AccountId, part: &str) -> DbResult<Option<Vec<Run>>> {
    if !parties::filled(conn).await? {
        return Ok(None);
    }
    let Some(found) = parties::with_part(conn, account, part).await? else {
        return Ok(None);
    };
    if found.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let documentos = found.into_iter().map(|one| one.documento).collect();
    Ok(Some(vec![Run::new(Lane::Parties(documentos))]))
}

impl Plan {
    /// Runs whose documents are looked at.
    fn of(runs: Vec<Run>) -> Plan {
        Plan { runs, sure: false }
    }
}

impl Asked {
    /// The first moment after the period.
    pub(super) fn until_ms(&self) -> i64 {
        if self.to_ms == 0 {
            i64::MAX
        } else {
            self.to_ms
        }
    }

    fn stretch(&self) -> Stretch<'_> {
        Stretch {
            from_ms: self.from_ms,
            to_ms: self.until_ms(),
            after: self.after.as_ref(),
            ascending: self.ascending,
        }
    }

    fn has_value(&self, place: &Place) -> bool {
        // An index without values says -1: the rows tell.
        let value = place.valor_centavos;
        value < 0 || value >= self.min_value && (self.max_value == 0 || value <= self.max_value)
    }

    /// Runs of each environment, model and state, as the engine reads them with the fewest
    /// statements.
    fn walked(&self, conn: &Conn, emitter: Option<&EmitterId>) -> Vec<Run> {
        match conn {
            Conn::Sqlite(_) => vec![Run::new(Lane::Joined(emitter.cloned(), self.kinds()))],
            Conn::Postgres(_) => self.runs(emitter),
        }
    }

    /// A run for each environment, model and state: of the account, or of a company.
    pub fn runs(&self, emitter: Option<&EmitterId>) -> Vec<Run> {
        let lane = |(ambiente, model, status)| match emitter {
            Some(emitter) => Lane::Emitter(emitter.clone(), ambiente, model, status),
            None => Lane::Account(ambiente, model, status),
        };
        let lanes = self.kinds().into_iter().map(lane);
        lanes.map(Run::new).collect()
    }

    /// The environments, models and states that are asked for.
    fn kinds(&self) -> Vec<Kind> {
        let named = |list: &str, word: &str| list.split(',').any(|one| one == word);
        let environments = Ambiente::ALL.iter().copied();
        let environments = environments.filter(|one| !named(self.left_out, one.as_str()));
        let mut kinds = Vec::new();
        for ambiente in environments {
            for model in Model::ALL.iter().copied() {
                if !self.modelos.is_empty() && !named(&self.modelos, model.as_str()) {
                    continue;
                }
                for status in NotaStatus::ALL.iter().copied() {
                    let asked = match self.status.as_str() {
                        "" => status != NotaStatus::NotSent,
                        list => named(list, status.as_str()),
                    };
                    if asked {
                        kinds.push((ambiente, model, status));
                    }
                }
            }
        }
        kinds
    }
}
