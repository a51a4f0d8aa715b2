package dev.weir.driver;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * Computes rates from the metrics of Kafka's clients in this process. Rates of counts cover the time between two calls
 * of {@link #look}. Averages of a client ({@code -avg}) cover its own window of about 30 seconds. Libraries without
 * Kafka's clients have no figures. Confined to one thread.
 */
final class ClientSeries {
    static final String FETCHES = "client: fetches/s";
    static final String RECORDS_PER_FETCH = "client: records per fetch";
    static final String RECORDS_PER_POLL = "client: records per poll";
    static final String FETCH_MILLIS = "client: fetch ms";

    /** Figure: the average number of fetches in flight of all clients together, by Little's law. */
    static final String FETCHES_UNDER_WAY = Pass.FETCHES_OF_CLIENT;

    static final String REQUESTS_UNDER_WAY = "client: produce requests under way";
    static final String PRODUCE_MILLIS = "client: produce ms";
    static final String BATCH_KILOBYTES = "client: kB per batch";

    private static final long LEAST_NANOS = 1_000_000_000;

    /** Groups of metrics for fetching and for polling. */
    private static final List<List<String>> CONSUMERS = List.of(
            List.of("consumer-fetch-manager-metrics", "consumer-metrics"),
            List.of("consumer-share-fetch-manager-metrics", "consumer-share-metrics"));

    private final MBeanServer beans;
    private final Map<ObjectName, double[]> fetchedBefore = new HashMap<>(); // fetches and records
    private long lastNanos;
    private boolean hasLooked;

    ClientSeries() {
        this(ManagementFactory.getPlatformMBeanServer());
    }

    /** Creates a series that reads {@code beans} instead of the platform's MBean server, for tests. */
    ClientSeries(MBeanServer beans) {
        this.beans = beans;
    }

    /** Returns the current figures by name; empty if less than a second has passed since the previous call. */
    Map<String, Double> look(long nowNanos) {
        if (hasLooked && nowNanos - lastNanos < LEAST_NANOS) {
            return Map.of();
        }
        double seconds = hasLooked ? (nowNanos - lastNanos) / 1e9 : Double.NaN;
        hasLooked = true;
        lastNanos = nowNanos;
        Map<String, Double> figures = new LinkedHashMap<>();
        for (List<String> groups : CONSUMERS) {
            consumers(groups.get(0), groups.get(1), seconds, figures);
        }
        producers(figures);
        return figures;
    }

    private void consumers(String fetching, String polling, double seconds, Map<String, Double> figures) {
        boolean isKnown = false;
        double fetches = 0;
        double records = 0;
        double underWay = 0;
        Means fetchMillis = new Means();
        Means perPoll = new Means();
        for (ObjectName client : names("kafka.consumer:type=" + fetching + ",client-id=*")) {
            double[] now = {number(client, "fetch-total"), number(client, "records-consumed-total")};
            if (Double.isNaN(now[0] + now[1])) {
                continue;
            }
            isKnown = true;
            double[] before = before(client, now);
            double millis = number(client, "fetch-latency-avg");
            fetches += now[0] - before[0];
            records += now[1] - before[1];
            underWay += Double.isFinite(millis) ? (now[0] - before[0]) / seconds * millis / 1e3 : 0;
            fetchMillis.add(millis);
            ObjectName poller =
                    name("kafka.consumer:type=" + polling + ",client-id=" + client.getKeyProperty("client-id"));
            perPoll.add(number(client, "records-consumed-rate") * number(poller, "time-between-poll-avg") / 1e3);
        }
        if (!isKnown || Double.isNaN(seconds)) {
            return;
        }
        figures.put(FETCHES, fetches / seconds);
        if (fetches > 0) {
            figures.put(RECORDS_PER_FETCH, records / fetches);
            figures.put(FETCHES_UNDER_WAY, underWay);
        }
        fetchMillis.put(FETCH_MILLIS, figures);
        perPoll.put(RECORDS_PER_POLL, figures);
    }

    /** Returns a client's counts at the previous reading; zeros for a new or reopened client. */
    private double[] before(ObjectName client, double[] now) {
        double[] before = fetchedBefore.put(client, now);
        return before == null || before[0] > now[0] ? new double[] {0, 0} : before;
    }

    private void producers(Map<String, Double> figures) {
        boolean isKnown = false;
        double underWay = 0;
        Means millis = new Means();
        Means batch = new Means();
        for (ObjectName client : names("kafka.producer:type=producer-metrics,client-id=*")) {
            double requests = number(client, "requests-in-flight");
            if (Double.isNaN(requests)) {
                continue;
            }
            isKnown = true;
            underWay += requests;
            millis.add(number(client, "request-latency-avg"));
            batch.add(number(client, "batch-size-avg") / 1e3);
        }
        if (isKnown) {
            figures.put(REQUESTS_UNDER_WAY, underWay);
            millis.put(PRODUCE_MILLIS, figures);
            batch.put(BATCH_KILOBYTES, figures);
        }
    }

    private Set<ObjectName> names(String pattern) {
        return beans.queryNames(name(pattern), null);
    }

    private static ObjectName name(String name) {
        try {
            return new ObjectName(name);
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a client's metric, or NaN if the client was closed. */
    private double number(ObjectName bean, String attribute) {
        try {
            return beans.getAttribute(bean, attribute) instanceof Number value ? value.doubleValue() : Double.NaN;
        } catch (JMException | JMRuntimeException closed) {
            return Double.NaN;
        }
    }

    /** The average of a figure over the clients that report it. */
    private static final class Means {
        private double sum;
        private int count;

        void add(double value) {
            if (Double.isFinite(value)) {
                sum += value;
                count++;
            }
        }

        void put(String name, Map<String, Double> into) {
            if (count > 0) {
                into.put(name, sum / count);
            }
        }
    }
}
