//! DANFE, DANFE NFC-e and the printout of a correction letter, as PDF; and
//! the access key read back from a PDF.
