//! State registration (inscrição estadual): check digits of the 27 states.
