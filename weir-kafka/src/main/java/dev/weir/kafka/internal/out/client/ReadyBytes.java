package dev.weir.kafka.internal.out.client;

/**
 * A key or value that needs no serializer, for a producer of any types; see {@link ClientSerializer}. Immutable.
 *
 * @param bytes null if the record has none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReadyBytes(byte[] bytes) {}
