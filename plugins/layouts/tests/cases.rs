//! Every cassette of this adapter, played natively, and the files of the
//! layouts.

use sdk::Effect;
use sdk::cassette::{self, Mode};

#[test]
fn cases() {
    cassette::play_all(env!("CARGO_MANIFEST_DIR"), adapter_layouts::adapter());
}

/// Every file of every layout can be read, whatever the options of a city.
#[test]
fn layouts_have_no_mistakes() {
    let mistakes = adapter_layouts::mistakes();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

/// Whatever a flow sends that changes something, it sends with the same bytes.
#[test]
fn what_is_sent_again_is_the_same() {
    if Mode::from_env() == Mode::Record {
        println!("skipped: the cases are being written");
        return;
    }
    let mut repeated = 0;
    for folder in cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases") {
        let played = cassette::play(&folder, adapter_layouts::adapter(), Mode::Play)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut once = played
            .requests
            .iter()
            .filter(|request| request.effect == Effect::Once);
        let Some(first) = once.next() else { continue };
        for again in once {
            assert_eq!(first, again, "{}", folder.display());
            repeated += 1;
        }
    }
    assert!(repeated > 0, "no case sends again");
}
