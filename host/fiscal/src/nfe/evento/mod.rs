//! Events of a note and the voiding of numbers: catalogue, pre-flight, XML.
