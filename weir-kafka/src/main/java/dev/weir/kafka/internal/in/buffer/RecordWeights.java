package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.Fetched;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Computes the weights of a partition's records in the memory budget. Confined to the owner thread.
 *
 * <p>Reading the headers of every record would cost 8 % of the CPU time of a consumer of records without headers.
 * Therefore, only the first batch of a partition is searched completely for headers. In later batches, every 64th
 * record is checked, at positions that change from batch to batch. Once a header is found, the headers of all records
 * are weighed. See ADR 62.
 */
final class RecordWeights {

    /**
     * Bytes per record in addition to key, value and headers: the record object and its slots in the batch and the
     * tracker.
     */
    private static final int RECORD_OVERHEAD_BYTES = 128;

    /** Bytes per header in addition to its content: three objects. */
    private static final int HEADER_OVERHEAD_BYTES = 96;

    static final int STRIDE = 64;

    private boolean seenHeaders;
    private boolean seenBatch;
    private int nextLook;

    /** Checks whether a batch contains headers. Must be called before {@link #of}. */
    void look(Object[] records) {
        if (seenHeaders) {
            return;
        }
        // If a partition's records have headers, its first records usually do.
        int stride = seenBatch ? STRIDE : 1;
        for (int i = seenBatch ? nextLook % records.length : 0; i < records.length && !seenHeaders; i += stride) {
            seenHeaders = ((Fetched) records[i]).headers().length > 0;
        }
        seenBatch = true;
        nextLook = (nextLook + 1) % STRIDE;
    }

    /** Returns the weight of a record in bytes. */
    int of(Fetched record) {
        int bytes = RECORD_OVERHEAD_BYTES + record.sizeBytes();
        return seenHeaders ? (int) Math.min(Integer.MAX_VALUE, bytes + weight(record.headers())) : bytes;
    }

    /**
     * Returns the weight of the headers. As a side effect, a header of the client drops its reference to the fetch
     * response.
     */
    private static long weight(Header[] headers) {
        long bytes = 0;
        for (Header header : headers) {
            byte @Nullable [] value = header.value();
            bytes += HEADER_OVERHEAD_BYTES + header.key().length() + (value == null ? 0 : value.length);
        }
        return bytes;
    }
}
