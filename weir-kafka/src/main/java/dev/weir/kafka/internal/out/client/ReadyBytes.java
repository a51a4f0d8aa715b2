package dev.weir.kafka.internal.out.client;

/**
 * An already serialized key or value, which {@link ClientSerializer} passes through, whatever the producer's key and
 * value types. Immutable.
 *
 * @param bytes null if the record has no such key or value
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReadyBytes(byte[] bytes) {}
