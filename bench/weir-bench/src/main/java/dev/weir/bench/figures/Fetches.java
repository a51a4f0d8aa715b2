package dev.weir.bench.figures;

import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.result.Totals;
import java.util.List;
import java.util.Map;

/** The brokers' fetch counts, and the records and bytes delivered in the same time. Immutable. */
public record Fetches(FetchCounter.Count count, long records, long bytes, long nanos) {

    /** Smallest ratio of sent to delivered bytes at which the fetch counts are useful. */
    private static final double MOSTLY_SENT = 0.75;

    public Fetches since(Fetches from) {
        return new Fetches(count.since(from.count), records - from.records, bytes - from.bytes, nanos - from.nanos);
    }

    /**
     * Adds the combined fetch figures of several passes to {@code metrics}, unless the counts are useless.
     *
     * @param isCompressed whether compression makes brokers send fewer bytes than are delivered
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
        // A client that delivers more bytes than brokers sent is emptying its buffers.
        boolean emptiesBuffers = sent < MOSTLY_SENT * bytes && !isCompressed;
        if (requests > 0 && bytes > 0 && !emptiesBuffers) {
            metrics.put(Totals.SENT_PER_BYTE, sent / bytes);
            metrics.put(Totals.RECORDS_PER_FETCH, records / requests);
            metrics.put(Totals.FETCHES_PER_SECOND, requests * 1e9 / nanos);
        }
    }
}
