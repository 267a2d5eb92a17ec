//! Where: states, municipalities, countries, incentive areas, and what codes say
//! of places.

pub mod area_codes;
pub mod areas;
pub mod cities;
pub mod countries;
pub mod municipalities;
pub mod plates;
pub mod population;
pub mod postal;
pub mod ufs;
