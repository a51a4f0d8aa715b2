package dev.weir.kafka.internal.out.client;

/**
 * A key or value that is already serialized, for a producer of any types; see {@link ClientSerializer}. Immutable.
 *
 * @param bytes null if the record has no such key or value
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReadyBytes(byte[] bytes) {}
