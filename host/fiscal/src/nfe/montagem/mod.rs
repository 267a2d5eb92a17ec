//! A request becomes the official tree: groups, taxes, totals.
