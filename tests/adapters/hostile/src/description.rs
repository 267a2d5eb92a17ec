//! What each copy says about itself: some lie, some say too much.

use crate::mode::{mode, name};
use crate::requests::{ENDPOINT, OTHER};
use sdk::Description;

/// Of one list, where the host takes 64.
const MANY: usize = 10_000;

/// Turns of a loop that take longer than a short limit and end on any machine.
const SLOW: u32 = 400_000_000;

pub fn describe() -> Description {
    let honest = Description::new(&name(), "0.1.0")
        .schema("nfse.dps/1")
        .operation("emitir", true, "")
        .operation("consultar-rps", true, "")
        .endpoint(ENDPOINT, true, false, "")
        .endpoint(OTHER, false, true, "")
        .maintainer("testes");
    match mode() {
        // Claims what `misbehave` has no idea of.
        "unable" => honest
            .schema("nfe/4")
            .operation("cancelar", true, "")
            .operation("substituir", true, "")
            .operation("inutilizar", true, ""),
        "describe-slow" => {
            (0..SLOW).for_each(|n| {
                std::hint::black_box(n);
            });
            honest
        }
        "describe-loop" => crate::misbehave::spin(),
        "describe-panic" => panic!("describe quebrou de proposito"),
        "describe-many" => (0..MANY).fold(honest, |description, n| {
            description.operation(&format!("op{n}"), true, "")
        }),
        "describe-text" => honest.operation("longa", true, &"x".repeat(3 << 20)),
        "describe-flood" => (0..24).fold(honest, |description, _| {
            description.maintainer(&"x".repeat(1 << 20))
        }),
        "describe-empty" => Description::new("hostil-describe-empty", "0.1.0"),
        "describe-name" => Description {
            name: "../../dps".into(),
            ..honest
        },
        "describe-impostor" => Description {
            name: "dps".into(),
            ..honest
        },
        _ => honest,
    }
}
