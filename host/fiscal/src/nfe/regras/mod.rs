//! What the authority would refuse, told before anything is spent.
