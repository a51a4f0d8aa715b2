package dev.weir.examples.asimov;

/** What becomes of an input event, whatever its bytes were. */
public sealed interface Translation permits Translated, Malformed {}
