//! The crash and loss points of an issuance, one test each.
