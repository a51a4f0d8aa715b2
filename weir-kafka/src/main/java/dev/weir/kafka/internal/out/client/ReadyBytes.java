package dev.weir.kafka.internal.out.client;

/**
 * An already serialized key or value, which {@link ClientSerializer} passes through unchanged. Immutable.
 *
 * @param bytes the serialized key or value; null if the record's key or value is null
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReadyBytes(byte[] bytes) {}
