//! A note somebody else made: fields, business checks.
