//! Maps of known sources.

/// Names of the known sources, sorted.
pub(crate) const NAMES: [&str; 9] = [
    "brasilapi",
    "hub",
    "minha-receita",
    "nominatim",
    "opencep",
    "openfoodfacts",
    "osrm",
    "parallelum",
    "viacep",
];

/// The map of a known source.
pub(crate) fn map(name: &str) -> Option<&'static str> {
    Some(match name {
        "brasilapi" => include_str!("../sources/brasilapi.json"),
        "hub" => include_str!("../sources/hub.json"),
        "minha-receita" => include_str!("../sources/minha-receita.json"),
        "nominatim" => include_str!("../sources/nominatim.json"),
        "opencep" => include_str!("../sources/opencep.json"),
        "openfoodfacts" => include_str!("../sources/openfoodfacts.json"),
        "osrm" => include_str!("../sources/osrm.json"),
        "parallelum" => include_str!("../sources/parallelum.json"),
        "viacep" => include_str!("../sources/viacep.json"),
        _ => return None,
    })
}
