//! IBS, CBS and IS of an item (NT 2025.002, LC 214/2025).
