//! NFS-e: the national system and the systems of the cities.

pub mod abrasf;
pub mod layout;
pub mod learned;
pub mod national;
