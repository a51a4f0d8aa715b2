package dev.weir.examples.asimov;

/** The result of the first step, {@link AsimovTranslator#parseJson}. */
public sealed interface Parsing permits ParsedEvent, Malformed {}
