//! Tests of the crate's parts, one module each as in src.

mod emitters;
mod run;

mod document {
    mod naming;
    mod product;
    mod text;
}

mod notices {
    mod certificates;
    mod gaps;
}

mod parts {
    mod notify;
    mod situations;
}

mod settle {
    mod impediment;
    mod product;
    mod verdict;
}
