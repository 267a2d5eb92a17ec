use base::metrics::{Counters, Histograms, SERIES};

#[test]
fn buckets_grow_and_labels_are_escaped() {
    let times: Histograms<1> = Histograms::new("t_seconds", ["who"], &[0.5, 1.0], "Times.");
    for value in [0.25, 0.75, 0.5, 9.0] {
        times.observe(["a\"b\\c\nd"], value);
    }
    let mut text = String::new();
    times.write(&mut text);
    let who = r#"who="a\"b\\c\nd""#;
    let expected = format!(
        "# HELP t_seconds Times.\n# TYPE t_seconds histogram\nt_seconds_bucket{{{who},le=\"0.5\"}} 2\n\
         t_seconds_bucket{{{who},le=\"1\"}} 3\nt_seconds_bucket{{{who},le=\"+Inf\"}} 4\n\
         t_seconds_sum{{{who}}} 10.5\nt_seconds_count{{{who}}} 4\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn series_have_an_end() {
    let counts: Counters<1> = Counters::new("c_total", ["n"], "Counts.");
    for n in 0..SERIES + 10 {
        counts.count([&n.to_string()]);
    }
    let mut text = String::new();
    counts.write(&mut text);
    assert_eq!(text.lines().count(), 2 + SERIES + 1);
    assert!(text.contains("c_total{n=\"other\"} 10\n"));
}

#[test]
fn a_series_that_began_goes_on_from_zero() {
    let counts: Counters<1> = Counters::new("c_total", ["n"], "Counts.");
    let text = || {
        let mut text = String::new();
        counts.write(&mut text);
        text
    };
    counts.begin(["a"]);
    assert!(text().ends_with("c_total{n=\"a\"} 0\n"));
    counts.count(["a"]);
    counts.begin(["a"]);
    assert!(
        text().ends_with("c_total{n=\"a\"} 1\n"),
        "it is not begun anew"
    );
    for n in 0..SERIES + 10 {
        counts.begin([&n.to_string()]);
    }
    assert_eq!(text().lines().count(), 2 + SERIES, "series have an end");
}
