package dev.weir.lean;

import java.nio.ByteBuffer;

/**
 * Writes objects directly to their destination: a value goes straight into its batch. It must know the exact size of a
 * value in advance, as formats like Protobuf and SBE do.
 *
 * <pre>{@code
 * RecordEncoder<Price> prices = new RecordEncoder<>() {
 *     public int sizeBytes(Price price) { return 16; }
 *     public void encode(Price price, ByteBuffer to) { to.putLong(price.id()).putLong(price.cents()); }
 * };
 * producer.send(record.value(price, prices), token);
 * }</pre>
 *
 * <p>Called by the sending thread. A value is encoded while its partition is locked, so it must be quick and must not
 * send. If it throws, {@link LeanProducer#send} throws that exception and does not accept the record.
 *
 * @param <T> the type of the objects
 */
public interface RecordEncoder<T> {

    /** The exact number of bytes that {@link #encode} will write for the object; 0 or more. */
    int sizeBytes(T object);

    /**
     * Writes the object.
     *
     * @param to has exactly {@link #sizeBytes} between its position and limit, and all of them must be written;
     *     big-endian; valid during the call
     */
    void encode(T object, ByteBuffer to);
}
