//! Where: states, municipalities, countries, incentive areas.

pub mod areas;
pub mod countries;
pub mod municipalities;
pub mod ufs;
