package dev.weir.bench.beans;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * Reads broker metrics: the time that brokers spend on garbage collection and on each phase of client requests.
 * Confined to one thread.
 *
 * <p>A broker reports the count and mean time of all requests since it started. Two readings give the mean of the
 * requests between them. Percentiles cover the broker's last few minutes, which may include earlier runs.
 */
public final class BrokerTimes {
    /** Prefix of the names of figures about consumers' fetch requests. */
    public static final String FETCHES = "broker: fetch ";

    /** Suffix of the names of figures that are 99th percentiles instead of means. */
    static final String P99 = " p99 ms";

    private static final Map<String, String> REQUESTS = Map.of(
            "fetch", "FetchConsumer",
            "produce", "Produce",
            "share fetch", "ShareFetch",
            "share acknowledge", "ShareAcknowledge");

    private static final String[] ATTRIBUTES = {"Count", "Mean", "99thPercentile"};

    private static final Map<String, String> PARTS = new LinkedHashMap<>();

    static {
        PARTS.put("queued", "RequestQueueTimeMs");
        PARTS.put("local", "LocalTimeMs");
        PARTS.put("remote", "RemoteTimeMs");
        PARTS.put("answer queued", "ResponseQueueTimeMs");
        PARTS.put("sending", "ResponseSendTimeMs");
        PARTS.put("total", "TotalTimeMs");
    }

    private final BrokerBeans brokers;

    public BrokerTimes(BrokerBeans brokers) {
        this.brokers = brokers;
    }

    /**
     * The brokers' counts at one moment.
     *
     * @param times the request times, by kind of request and phase
     */
    public record Reading(Map<String, Times> times, long collections, long collectionMillis) {

        /** Returns a map from names to figures for the time since an earlier reading. */
        public Map<String, Double> since(Reading earlier) {
            Map<String, Double> figures = new LinkedHashMap<>();
            times.forEach((name, now) -> {
                Times before = earlier.times.getOrDefault(name, Times.NONE);
                if (now.count > before.count) {
                    figures.put(name + " ms", (now.sumMillis - before.sumMillis) / (now.count - before.count));
                    figures.put(name + P99, now.p99Millis);
                }
            });
            figures.put("broker: collections", (double) (collections - earlier.collections));
            figures.put("broker: collection ms", (double) (collectionMillis - earlier.collectionMillis));
            return figures;
        }
    }

    /**
     * Statistics of one phase of one kind of request: the number of requests, the phase's total time and its 99th
     * percentile.
     */
    record Times(double count, double sumMillis, double p99Millis) {
        static final Times NONE = new Times(0, 0, 0);

        Times plus(Times other) {
            return new Times(count + other.count, sumMillis + other.sumMillis, Math.max(p99Millis, other.p99Millis));
        }
    }

    public Reading read() {
        Map<String, Times> times = new LinkedHashMap<>();
        long[] collections = new long[2];
        brokers.each(beans -> {
            for (Map.Entry<String, String> request : REQUESTS.entrySet()) {
                for (Map.Entry<String, String> part : PARTS.entrySet()) {
                    ObjectName name = new ObjectName("kafka.network:type=RequestMetrics,name=" + part.getValue()
                            + ",request=" + request.getValue());
                    Times read = BrokerBeans.ifThere(() -> times(beans, name));
                    if (read != null) {
                        times.merge("broker: " + request.getKey() + " " + part.getKey(), read, Times::plus);
                    }
                }
            }
            for (ObjectName collector :
                    beans.queryNames(new ObjectName("java.lang:type=GarbageCollector,name=*"), null)) {
                collections[0] += (Long) beans.getAttribute(collector, "CollectionCount");
                collections[1] += (Long) beans.getAttribute(collector, "CollectionTime");
            }
        });
        return new Reading(times, collections[0], collections[1]);
    }

    private static Times times(MBeanServerConnection beans, ObjectName name) throws JMException, IOException {
        // Read all attributes in one call, so that the mean and the count cover the same requests.
        double[] read = beans.getAttributes(name, ATTRIBUTES).asList().stream()
                .mapToDouble(attribute -> ((Number) attribute.getValue()).doubleValue())
                .toArray();
        // Request times are whole milliseconds, so their sum is a whole number too.
        return new Times(read[0], Math.rint(read[0] * read[1]), read[2]);
    }
}
