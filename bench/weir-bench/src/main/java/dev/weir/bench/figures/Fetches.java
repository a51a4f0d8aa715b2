package dev.weir.bench.figures;

import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.result.Totals;
import java.util.List;
import java.util.Map;

/**
 * The fetch counts of the brokers, and the records and bytes delivered in the same time. An object covers either all
 * the time up to one moment, or the part of a pass between two moments. {@link #since} computes such a part. Immutable.
 */
public record Fetches(FetchCounter.Count count, long records, long bytes, long nanos) {

    /**
     * The fetch counts are useful only if brokers sent at least this fraction of the bytes delivered in the same time.
     */
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
        // Without compression, brokers send fewer bytes than are delivered only if the client delivers records that it
        // had buffered before. If too many records come from such buffers, the counts are useless.
        boolean emptiesBuffers = sent < MOSTLY_SENT * bytes && !isCompressed;
        if (requests > 0 && bytes > 0 && !emptiesBuffers) {
            metrics.put(Totals.SENT_PER_BYTE, sent / bytes);
            metrics.put(Totals.RECORDS_PER_FETCH, records / requests);
            metrics.put(Totals.FETCHES_PER_SECOND, requests * 1e9 / nanos);
        }
    }
}
