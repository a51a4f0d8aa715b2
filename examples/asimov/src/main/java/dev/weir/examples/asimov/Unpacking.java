package dev.weir.examples.asimov;

/** What the third step, {@link AsimovTranslator#decompress}, gives. */
public sealed interface Unpacking permits UnpackedEvent, Malformed {}
