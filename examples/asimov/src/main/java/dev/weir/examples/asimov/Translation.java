package dev.weir.examples.asimov;

/** The final result for an input event. Every event has one, even if its bytes are malformed. */
public sealed interface Translation permits Translated, Malformed {}
