package dev.weir.lean;

import java.nio.ByteBuffer;

/**
 * Writes the bytes of a key or value object into a buffer. The bytes of a value are written directly into the batch.
 * The encoder must be able to compute the exact size of an object before writing it. Protobuf and SBE can do this.
 *
 * <pre>{@code
 * RecordEncoder<Price> prices = new RecordEncoder<>() {
 *     public int sizeBytes(Price price) { return 16; }
 *     public void encode(Price price, ByteBuffer to) { to.putLong(price.id()).putLong(price.cents()); }
 * };
 * producer.send(record.value(price, prices), token);
 * }</pre>
 *
 * <p>Called by the sending thread. A value is encoded while its partition is locked, so an encoder must be fast and
 * must not send records. If it throws an exception, {@link LeanProducer#send} throws the same exception and does not
 * accept the record.
 *
 * @param <T> the type of the objects
 */
public interface RecordEncoder<T> {

    /** The exact number of bytes that {@link #encode} writes for the object; 0 or more. */
    int sizeBytes(T object);

    /**
     * Writes the object.
     *
     * @param to a big-endian buffer with exactly {@link #sizeBytes} bytes between its position and its limit; the
     *     encoder must write all these bytes, and the buffer is valid only during the call
     */
    void encode(T object, ByteBuffer to);
}
