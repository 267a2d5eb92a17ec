use accounts::ledger::{Budget, Periods};
use base::when;
use store::tables::budgets::Spent;

fn ms(text: &str) -> i64 {
    when::ms(when::parse(text).expect(text))
}

#[test]
fn days_and_months_are_those_of_brasilia() {
    // 02:59 of Greenwich is still the day before.
    let last = Periods::at(ms("2027-01-01T02:59:59Z"));
    assert_eq!(last.day_ms, ms("2026-12-31T00:00:00-03:00"));
    assert_eq!(last.month_ms, ms("2026-12-01T00:00:00-03:00"));
    let first = Periods::at(ms("2027-01-01T03:00:00Z"));
    assert_eq!(
        (last.tomorrow_ms, last.next_month_ms),
        (first.day_ms, first.month_ms)
    );
    let february = Periods::at(ms("2028-02-29T12:00:00-03:00"));
    assert_eq!(february.tomorrow_ms, ms("2028-03-01T00:00:00-03:00"));
    assert_eq!(february.next_month_ms, february.tomorrow_ms);
}

#[test]
fn the_limit_that_lasts_longer_is_told() {
    let now_ms = ms("2026-11-20T12:00:00-03:00");
    let Periods {
        day_ms, month_ms, ..
    } = Periods::at(now_ms);
    let budget = |daily, monthly| Budget {
        id: "key_1".into(),
        daily,
        monthly,
    };
    let spent = Spent {
        dia_ms: day_ms,
        gasto_dia: 8,
        mes_ms: month_ms,
        gasto_mes: 20,
    };
    let told = |budget: Budget, now_ms| {
        let exceeded = budget.exceeded(&spent, 4, now_ms);
        exceeded.map(|exceeded| (exceeded.period, exceeded.limit, exceeded.spent))
    };
    assert_eq!(told(budget(Some(12), Some(24)), now_ms), None);
    assert_eq!(
        told(budget(Some(11), Some(24)), now_ms),
        Some(("dia", 11, 8))
    );
    assert_eq!(
        told(budget(Some(11), Some(23)), now_ms),
        Some(("mes", 23, 20))
    );
    assert_eq!(told(budget(None, None), now_ms), None);
    // Tomorrow the day begins at nothing, the month does not.
    let tomorrow = now_ms + 86_400_000;
    assert_eq!(told(budget(Some(4), None), tomorrow), None);
    assert_eq!(
        told(budget(Some(4), Some(23)), tomorrow),
        Some(("mes", 23, 20))
    );
}
