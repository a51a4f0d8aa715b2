package dev.weir.examples.asimov;

/** The final result of an input event, whatever bytes it had. */
public sealed interface Translation permits Translated, Malformed {}
