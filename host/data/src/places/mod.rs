//! Where: states, municipalities, countries, incentive areas.

pub mod areas;
pub mod municipios;
pub mod paises;
pub mod ufs;
