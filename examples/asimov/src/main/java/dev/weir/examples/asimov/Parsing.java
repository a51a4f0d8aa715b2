package dev.weir.examples.asimov;

/** What the first step, {@link AsimovTranslator#parseJson}, gives. */
public sealed interface Parsing permits ParsedEvent, Malformed {}
