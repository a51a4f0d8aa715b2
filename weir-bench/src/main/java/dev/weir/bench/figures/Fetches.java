package dev.weir.bench.figures;

import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.result.Totals;
import java.util.List;
import java.util.Map;

/** The bytes sent by brokers and those delivered in the same part of a pass, or the counts at its start. Immutable. */
public record Fetches(FetchCounter.Count count, long records, long bytes, long nanos) {

    /** Part of the delivered bytes that must have been sent in that time for the fetch counts to be useful. */
    private static final double MOSTLY_SENT = 0.75;

    public Fetches since(Fetches from) {
        return new Fetches(count.since(from.count), records - from.records, bytes - from.bytes, nanos - from.nanos);
    }

    /**
     * Adds the combined figures of several passes, if they have any.
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
        // Without compression, fewer bytes are sent than delivered only while buffers drain. If that is a large part,
        // the counts are useless.
        boolean emptiesBuffers = sent < MOSTLY_SENT * bytes && !isCompressed;
        if (requests > 0 && bytes > 0 && !emptiesBuffers) {
            metrics.put(Totals.SENT_PER_BYTE, sent / bytes);
            metrics.put(Totals.RECORDS_PER_FETCH, records / requests);
            metrics.put(Totals.FETCHES_PER_SECOND, requests * 1e9 / nanos);
        }
    }
}
