use issuing::parts::notify::Notifier;
use std::sync::Arc;

#[test]
fn a_call_is_told_what_was_said_after_it_came() {
    let notifier = Arc::new(Notifier::default());
    // Nobody waits: nothing is kept.
    notifier.settled("n", (200, "old".to_owned()));
    let first = notifier.watch("n");
    assert!(first.told().is_none() && first.unchanged());
    notifier.changed("n");
    assert!(first.told().is_none() && !first.unchanged());
    notifier.settled("n", (200, "a".to_owned()));
    // A later call about the same document, which may be sent again.
    let second = notifier.watch("n");
    assert_eq!(first.told(), Some((200, "a".to_owned())));
    assert!(second.told().is_none() && second.unchanged());
    notifier.settled("another", (200, "c".to_owned()));
    notifier.settled("n", (422, "b".to_owned()));
    for watch in [&first, &second] {
        assert_eq!(watch.told(), Some((422, "b".to_owned())));
    }
    drop((first, second));
    assert_eq!(notifier.watch("n").told(), None);
}
