package dev.weir.bench.figures;

import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.result.Totals;
import java.util.List;
import java.util.Map;

/**
 * The bytes that brokers sent and those delivered in the same part of a pass, or the counts at which that part begins.
 * Immutable.
 */
public record Fetches(FetchCounter.Count count, long records, long bytes, long nanos) {

    /** The part of what is delivered that must have been sent meanwhile, for fetches to be worth counting. */
    private static final double MOSTLY_SENT = 0.75;

    public Fetches since(Fetches from) {
        return new Fetches(count.since(from.count), records - from.records, bytes - from.bytes, nanos - from.nanos);
    }

    /**
     * Adds what several passes say together, if they say anything.
     *
     * @param isCompressed whether less is sent than is delivered
     */
    public static void put(List<Fetches> passes, boolean isCompressed, Map<String, Double> metrics) {
        double requests = 0;
        double sent = 0;
        double records = 0;
        double bytes = 0;
        double nanos = 0;
        for (Fetches fetches : passes) {
            requests += fetches.count.requests();
            sent += fetches.count.bytes();
            records += fetches.records;
            bytes += fetches.bytes;
            nanos += fetches.nanos;
        }
        // Uncompressed, less can be sent than is delivered only while buffers are emptied.
        // Where that is much of it, counts say nothing.
        boolean emptiesBuffers = sent < MOSTLY_SENT * bytes && !isCompressed;
        if (requests > 0 && bytes > 0 && !emptiesBuffers) {
            metrics.put(Totals.SENT_PER_BYTE, sent / bytes);
            metrics.put(Totals.RECORDS_PER_FETCH, records / requests);
            metrics.put(Totals.FETCHES_PER_SECOND, requests * 1e9 / nanos);
        }
    }
}
