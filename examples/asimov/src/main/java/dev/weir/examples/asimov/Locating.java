package dev.weir.examples.asimov;

/** The result of the second step, {@link AsimovTranslator#parseUrl}. */
public sealed interface Locating permits LocatedEvent, Malformed {}
