use datasets::similar::index::Index;
use datasets::similar::postings::{Entry, PART, Postings, read};
use datasets::similar::words::{alike, trigrams, words};

#[test]
fn words_of_names() {
    for (text, expected) in [
        (
            "Açúcar REFINADO União 1 kg",
            &["acucar", "refinado", "uniao", "1kg"][..],
        ),
        ("Leite em pó 1,5 L", &["leite", "po", "1.5l"]),
        ("Água de coco c/ 12 un.", &["agua", "coco", "c", "12un"]),
        ("M8 x 20", &["m8", "x", "20"]),
        ("de da do", &[]),
        ("leite leite LEITE", &["leite"]),
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
    let long = "palavra ".repeat(2) + &(0..40).map(|n| format!("w{n} ")).collect::<String>();
    assert_eq!(words(&long).len(), 15);
}

#[test]
fn words_that_are_alike() {
    assert_eq!(trigrams("sol"), ["__s", "_so", "sol", "ol_"]);
    assert!(alike("chocolate", "chocolatte") > 0.7);
    assert!(alike("choc", "chocolate") > 0.8, "a beginning");
    assert!(alike("leite", "cerveja") < 0.2);
    assert!((alike("cafe", "cafe") - 1.0).abs() < f64::EPSILON);
}

#[test]
fn postings_read_back_over_parts() {
    let places = (0..PART + 10).map(|n| n * 37 + n % 5);
    let entries: Vec<Entry> = places
        .map(|place| Entry {
            place,
            size: u8::try_from(place % 16).expect("small"),
        })
        .collect();
    let mut postings = Postings::default();
    for entry in &entries {
        postings.push(*entry);
    }
    assert_eq!(postings.total(), PART + 10);
    let parts = postings.into_parts();
    assert_eq!(parts.len(), 2);
    let mut found = Vec::new();
    for part in &parts {
        read(part, |entry| found.push(entry));
    }
    assert_eq!(found, entries);
    // What is cut short ends the reading.
    let mut some = 0;
    read(&parts[0][..100], |_| some += 1);
    assert!((40..100).contains(&some), "{some}");
    read(&[0xff; 40], |_| panic!("no number ends"));
}

#[test]
fn an_index_has_words_and_their_trigrams() {
    let mut index = Index::default();
    for (name, place) in ["Leite integral", "Leite em pó", "Açúcar"].iter().zip(0..) {
        index.add(place, name);
    }
    let finished = index.finish();
    let of: Vec<(&str, u32)> = finished
        .words
        .iter()
        .map(|(word, postings)| (word.as_str(), postings.total()))
        .collect();
    assert_eq!(
        of,
        [("acucar", 1), ("integral", 1), ("leite", 2), ("po", 1)]
    );
    let lei = finished
        .trigrams
        .into_iter()
        .find(|(three, _)| three == "lei")
        .expect("a trigram");
    let mut places = Vec::new();
    for part in lei.1.into_parts() {
        read(&part, |entry| places.push(entry.place));
    }
    assert_eq!(places, [2], "the place of the word");
}
