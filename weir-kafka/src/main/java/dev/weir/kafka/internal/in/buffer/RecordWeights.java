package dev.weir.kafka.internal.in.buffer;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Weighs the records of a partition against the memory budget. Confined to the owner thread.
 *
 * <p>Headers are two references away from each record; reading all of them costs a consumer without headers 8 % of its
 * processor time. So until a partition has shown headers, every 64th record of a batch is sampled, different ones in
 * each batch and at least one. From the first record with headers on, all are weighed. See ADR 62.
 */
final class RecordWeights {

    /** Bytes per record in addition to key, value and headers: the record object and its slots in batch and tracker. */
    private static final int RECORD_OVERHEAD_BYTES = 128;

    /** Bytes per header in addition to its content: three objects. */
    private static final int HEADER_OVERHEAD_BYTES = 96;

    static final int STRIDE = 64;

    private boolean seenHeaders;
    private boolean seenBatch;
    private int nextLook;

    /** Samples whether records of a batch have headers. Call before {@link #of} for its records. */
    void look(Object[] records) {
        if (seenHeaders) {
            return;
        }
        // A partition that has headers usually shows them at once.
        int stride = seenBatch ? STRIDE : 1;
        for (int i = seenBatch ? nextLook % records.length : 0; i < records.length && !seenHeaders; i += stride) {
            seenHeaders = ((ConsumerRecord<?, ?>) records[i]).headers().toArray().length > 0;
        }
        seenBatch = true;
        nextLook = (nextLook + 1) % STRIDE;
    }

    /** The weight of a record, in bytes. */
    int of(ConsumerRecord<?, ?> record) {
        int bytes = RECORD_OVERHEAD_BYTES
                + Math.max(0, record.serializedKeySize())
                + Math.max(0, record.serializedValueSize());
        return seenHeaders
                ? (int) Math.min(
                        Integer.MAX_VALUE, bytes + weight(record.headers().toArray()))
                : bytes;
    }

    /**
     * The client's headers refer to the whole fetch response and would keep it alive; once key and value were read,
     * they no longer do.
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
