//! Which requests an ordered fault meets, and how often.

use sim::faults::{Fault, Peek, take};

#[test]
fn counts_and_conditions() {
    let json = r#"{"quando":{"operacao":"emitir","apos":1,"vezes":2},"falha":"json_estranho_5xx"}"#;
    let mut faults = vec![serde_json::from_str::<Fault>(json).expect("fault")];
    let peek = |operation| Peek {
        operation,
        ..Peek::default()
    };
    let hits: Vec<bool> = (0..5)
        .map(|_| take(&mut faults, &peek("emitir")).is_some())
        .collect();
    assert_eq!(hits, [false, true, true, false, false]);
    assert!(take(&mut faults, &peek("consultar")).is_none());
    assert!(serde_json::from_str::<Fault>(r#"{"falha":"xyz"}"#).is_err());
    assert!(serde_json::from_str::<Fault>(r#"{"falha":"html","quandro":{}}"#).is_err());
}
