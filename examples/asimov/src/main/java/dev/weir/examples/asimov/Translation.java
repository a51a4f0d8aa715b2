package dev.weir.examples.asimov;

/** The result of an input event, whatever its bytes were. */
public sealed interface Translation permits Translated, Malformed {}
