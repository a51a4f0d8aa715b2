package dev.weir.examples.asimov;

/** The result of the third step, {@link AsimovTranslator#decompress}. */
public sealed interface Unpacking permits UnpackedEvent, Malformed {}
