package dev.weir.examples.asimov;

/**
 * The output: a {@code PageView} message and the session it belongs to. The arrays belong to the receiver; equality is
 * by identity of the arrays.
 *
 * @param key the session in UTF-8
 */
// Arrays, because a producer's record takes nothing else and a copy per record would serve nobody.
@SuppressWarnings("ArrayRecordComponent")
public record Translated(byte[] key, byte[] protobuf) implements Translation {}
