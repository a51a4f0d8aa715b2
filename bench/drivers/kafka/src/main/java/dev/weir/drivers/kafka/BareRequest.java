package dev.weir.drivers.kafka;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Encodes produce requests for one topic, in version 3, the oldest version that current brokers accept (KIP-896). Each
 * record has only a value. {@link BareConnection} describes the format of a batch. Confined to one thread, because all
 * requests use one buffer.
 *
 * <pre>
 *   start();
 *   for each batch: begin(partition);  for each record: add(value);  end(producerId, epoch, sequence);
 *   write(finish());
 * </pre>
 */
public final class BareRequest {
    /** Number of bytes of a batch before its records. */
    public static final int BATCH_HEADER = 61;

    /** Offset of the attributes within a batch. The checksum covers the batch from here on. */
    public static final int BATCH_ATTRIBUTES = 21;

    public static final int BATCH_CRC = 17;

    /** Upper bound of a request's size before its first batch. */
    private static final int OVERHEAD = 1024;

    private static final short PRODUCE = 0;
    private static final short PRODUCE_VERSION = 3;
    private static final short ACKS_ALL = -1;
    private static final int TIMEOUT_MILLIS = 30_000;

    private final byte[] topic;
    private final ByteBuffer request;
    private final CRC32C crc = new CRC32C();
    private final int countAt;
    private int batches;
    private int batchAt;
    private int records;

    /** @param maxBytes total size of a request's batches, with 8 extra bytes per batch */
    public BareRequest(String topic, int maxBytes) {
        this.topic = topic.getBytes(StandardCharsets.UTF_8);
        this.request = ByteBuffer.allocateDirect(OVERHEAD + maxBytes);
        this.countAt = start().position() - Integer.BYTES;
    }

    /**
     * Begins a request.
     *
     * @return the buffer, positioned after the number of batches, for callers that write batches themselves; owned by
     *     this object
     */
    public ByteBuffer start() {
        batches = 0;
        request.clear().position(Integer.BYTES);
        request.putShort(PRODUCE).putShort(PRODUCE_VERSION).putInt(0).putShort((short) -1); // no client id
        request.putShort((short) -1).putShort(ACKS_ALL).putInt(TIMEOUT_MILLIS); // no transactional id
        // The last number is a placeholder for the number of batches, which is known at the end.
        return request.putInt(1).putShort((short) topic.length).put(topic).putInt(0);
    }

    /** Returns the position in the buffer where the number of batches is stored. */
    public int countAt() {
        return countAt;
    }

    /** Begins a batch. */
    public void begin(int partition) {
        batchAt = request.putInt(partition).position() + Integer.BYTES;
        records = 0;
        request.position(batchAt + BATCH_HEADER);
    }

    /** Adds a record to the batch. */
    public void add(byte[] value) {
        number(bodyBytes(records, value.length));
        request.put((byte) 0).put((byte) 0); // attributes, timestamp delta
        number(records++);
        number(-1); // no key
        number(value.length);
        request.put(value);
        number(0); // no headers
    }

    /** Ends the batch. All three arguments are -1 for a producer that is not idempotent. */
    public void end(long producerId, short epoch, int sequence) {
        int end = request.position();
        long now = System.currentTimeMillis();
        request.position(batchAt - Integer.BYTES);
        request.putInt(end - batchAt)
                .putLong(0)
                .putInt(end - batchAt - 12)
                .putInt(-1)
                .put((byte) 2)
                .putInt(0);
        request.putShort((short) 0).putInt(records - 1).putLong(now).putLong(now);
        request.putLong(producerId).putShort(epoch).putInt(sequence).putInt(records);
        crc.reset();
        crc.update(request.limit(end).position(batchAt + BATCH_ATTRIBUTES));
        request.limit(request.capacity());
        request.putInt(batchAt + BATCH_CRC, (int) crc.getValue());
        batches++;
    }

    /** Ends the request. The next request uses the same buffer. */
    public ByteBuffer finish() {
        return request.putInt(countAt, batches)
                .putInt(0, request.position() - Integer.BYTES)
                .flip();
    }

    /** Returns the size of a record that follows {@code before} records in its batch. */
    public static int recordBytes(int before, int valueBytes) {
        int body = bodyBytes(before, valueBytes);
        return bytes(body) + body;
    }

    private static int bodyBytes(int before, int valueBytes) {
        return 1 + 1 + bytes(before) + 1 + bytes(valueBytes) + valueBytes + 1;
    }

    private static int bytes(int value) {
        int zigzag = (value << 1) ^ (value >> 31);
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(zigzag)) / 7);
    }

    private void number(int value) {
        int zigzag = (value << 1) ^ (value >> 31);
        while ((zigzag & ~0x7f) != 0) {
            request.put((byte) ((zigzag & 0x7f) | 0x80));
            zigzag >>>= 7;
        }
        request.put((byte) zigzag);
    }
}
