package dev.weir.kafka.internal.out.client;

/**
 * An already serialized key or value, for a producer of any types; see {@link ClientSerializer}. Immutable.
 *
 * @param bytes null if the record has no such key or value
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReadyBytes(byte[] bytes) {}
