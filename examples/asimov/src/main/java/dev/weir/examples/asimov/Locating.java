package dev.weir.examples.asimov;

/** What the second step, {@link AsimovTranslator#parseUrl}, gives. */
public sealed interface Locating permits LocatedEvent, Malformed {}
