package dev.weir.kafka.internal.in.fetch;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The byte limit for one poll of Kafka's client. The client limits only the number of records, and decompression may
 * enlarge a batch a thousandfold. The client's deserializers therefore stop copying records once the budget is used up.
 * {@link ClientFetcher} drops the records that were not copied and seeks back to the first of them. Confined to the
 * polling thread.
 */
public final class PollBudget {

    /** The client property that passes the budget to the deserializers. */
    public static final String CONFIG = "weir.poll.budget";

    /** The key and value of a record that was not copied. */
    static final byte[] LEFT_OUT = {};

    private static final int BATCH_HEADER_BYTES = 61;

    /** Minimum size of a record whose headers are checked. */
    private static final int MIN_CHECKED_BYTES = 1_024;

    /** Copies keys and values until the budget is used up. Instantiated by Kafka's client. */
    public static final class Bytes implements Deserializer<byte[]> {

        private PollBudget budget = new PollBudget(Long.MAX_VALUE, Integer.MAX_VALUE);

        /** Called by Kafka's client. */
        public Bytes() {}

        @Override
        public void configure(Map<String, ?> configs, boolean isKey) {
            if (configs.get(CONFIG) instanceof PollBudget shared) {
                budget = shared;
            }
        }

        /** Appears in the client's log message if a record is too large. */
        @Override
        public String toString() {
            return "bytes of at most maxBatchBytes=" + budget.recordBytes;
        }

        @Override
        public byte[] deserialize(String topic, byte[] data) {
            return data;
        }

        @Override
        public byte[] deserialize(String topic, Headers headers, ByteBuffer data) {
            return Objects.requireNonNull(budget.take(headers, data));
        }
    }

    /** Thrown for a key or value above the size limit. */
    static final class TooLarge extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final int sizeBytes;

        TooLarge(int sizeBytes) {
            super("a key or value of " + sizeBytes + " bytes", null, false, false);
            this.sizeBytes = sizeBytes;
        }

        int sizeBytes() {
            return sizeBytes;
        }
    }

    private final long pollBytes;
    private final int recordBytes;

    private long used;
    private @Nullable Headers current;
    private boolean leavesOut;
    private boolean exceeded;

    /**
     * Creates a budget.
     *
     * @param pollBytes limit for the keys, values and headers in one poll; the record that exceeds this limit is the
     *     last one returned
     * @param recordBytes limit for a single key or value
     */
    public PollBudget(long pollBytes, int recordBytes) {
        this.pollBytes = pollBytes;
        this.recordBytes = recordBytes;
    }

    int recordBytes() {
        return recordBytes;
    }

    void begin() {
        used = 0;
        exceeded = false;
        current = null;
        leavesOut = false;
    }

    boolean isExceeded() {
        return exceeded;
    }

    private byte @Nullable [] take(Headers headers, ByteBuffer data) {
        if (headers != current) {
            current = headers;
            leavesOut = used >= pollBytes;
            used += keptByHeaders(headers, data);
        }
        if (leavesOut) {
            exceeded = true;
            dropHeaders(headers);
            return LEFT_OUT;
        }
        int size = data.remaining();
        if (size > recordBytes) {
            throw new TooLarge(size);
        }
        used += size;
        return Utils.toNullableArray(data);
    }

    /**
     * Returns the number of bytes that a record's headers keep on the heap. Returns 0 for a record of an uncompressed
     * batch, because the client keeps the whole response.
     *
     * @param first the first part of the record that is not null
     */
    private static int keptByHeaders(Headers headers, ByteBuffer first) {
        // The client decompresses each record into its own array, which has no batch header.
        boolean isOwn = first.hasArray() && first.arrayOffset() + first.position() < BATCH_HEADER_BYTES;
        boolean isLarge = isOwn && first.array().length >= MIN_CHECKED_BYTES;
        return isLarge && headers.iterator().hasNext() ? first.array().length : 0;
    }

    /** Removes the headers, which would keep the whole record on the heap until the poll returns. */
    private static void dropHeaders(Headers headers) {
        for (Header header : headers.toArray()) {
            headers.remove(header.key());
        }
    }
}
