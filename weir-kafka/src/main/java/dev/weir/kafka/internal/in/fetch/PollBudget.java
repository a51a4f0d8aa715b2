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
 * The byte limit for one poll of Kafka's client. The client itself limits only the number of records, and decompression
 * may enlarge a batch a thousandfold. The client's deserializers therefore stop copying records once the budget is used
 * up. {@link ClientFetcher} drops the records that were not copied and seeks back to the first of them. Confined to the
 * polling thread.
 */
public final class PollBudget {

    /** The client property through which the deserializers receive their budget. */
    public static final String CONFIG = "weir.poll.budget";

    /** Replaces the key or value of a record that was not copied because the budget was used up. */
    static final byte[] LEFT_OUT = {};

    /** The size of a batch's header in the current format. */
    private static final int BATCH_HEADER_BYTES = 61;

    /** Records smaller than this are not checked for headers. Their headers cannot use much of the budget. */
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

        /** Returns the description of this deserializer that the client logs if a record is too large. */
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

    /** Thrown for a key or value that exceeds the size limit of a record. */
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

    /** Returns whether records of this poll were not copied because the budget was used up. */
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
     * Returns the size of the record if its headers keep the record's original bytes on the heap, in addition to the
     * copies of its key and value. Returns 0 for a record of an uncompressed batch: the client keeps its bytes anyway,
     * because it holds the whole response until all of it has been read.
     *
     * @param first the first part of the record that is not null
     */
    private static int keptByHeaders(Headers headers, ByteBuffer first) {
        // The client decompresses each record into a separate array. In contrast to a fetch response, this array
        // contains no batch header.
        boolean isOwn = first.hasArray() && first.arrayOffset() + first.position() < BATCH_HEADER_BYTES;
        boolean isLarge = isOwn && first.array().length >= MIN_CHECKED_BYTES;
        return isLarge && headers.iterator().hasNext() ? first.array().length : 0;
    }

    /**
     * Removes the headers, which are views of the whole record and would keep it on the heap until the poll returns.
     */
    private static void dropHeaders(Headers headers) {
        for (Header header : headers.toArray()) {
            headers.remove(header.key());
        }
    }
}
