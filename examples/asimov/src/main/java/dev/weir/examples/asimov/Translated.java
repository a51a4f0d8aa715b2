package dev.weir.examples.asimov;

/**
 * The output of a translation: a {@code PageView} message and the session that it belongs to. The receiver owns the
 * arrays. {@code equals} compares the arrays by identity.
 *
 * @param key the session in UTF-8
 */
// A producer's record needs arrays, and a copy per record would have no benefit.
@SuppressWarnings("ArrayRecordComponent")
public record Translated(byte[] key, byte[] protobuf) implements Translation {}
