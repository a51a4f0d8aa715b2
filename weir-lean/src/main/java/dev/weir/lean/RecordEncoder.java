package dev.weir.lean;

import java.nio.ByteBuffer;

/**
 * Writes an object where its bytes are wanted: a value straight into the batch that is filled. Of the size of a value
 * it must be sure beforehand, as formats are that count first (Protobuf, SBE).
 *
 * <pre>{@code
 * RecordEncoder<Price> prices = new RecordEncoder<>() {
 *     public int sizeBytes(Price price) { return 16; }
 *     public void encode(Price price, ByteBuffer to) { to.putLong(price.id()).putLong(price.cents()); }
 * };
 * producer.send(record.value(price, prices), token);
 * }</pre>
 *
 * <p>Called by the thread that sends; a value while its partition is locked, so it must be quick and must not send.
 * What it throws, {@link LeanProducer#send} throws, and the record is not taken.
 *
 * @param <T> what is encoded
 */
public interface RecordEncoder<T> {

    /** The exact number of bytes {@link #encode} will write for the object; 0 or more. */
    int sizeBytes(T object);

    /**
     * Writes the object.
     *
     * @param to from its position to its limit there is room for {@link #sizeBytes}, all of which must be written;
     *     big-endian; valid during the call
     */
    void encode(T object, ByteBuffer to);
}
