package dev.weir.driver;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * Reads the metrics of Kafka's clients in this process through JMX, as any application can. Reports nothing for a
 * library that has no such clients. Stateless, thread-safe.
 */
final class ClientMetrics {
    private static final List<Metric> METRICS = List.of(
            new Metric("consumer", "consumer-fetch-manager-metrics", "fetch-latency-avg", "client: fetch ms", 1),
            new Metric("consumer", "consumer-fetch-manager-metrics", "fetch-size-avg", "client: kB per fetch", 1e-3),
            new Metric(
                    "consumer",
                    "consumer-fetch-manager-metrics",
                    "records-per-request-avg",
                    "client: records per fetch",
                    1),
            new Metric("consumer", "consumer-coordinator-metrics", "commit-rate", "client: commits/s", 1),
            new Metric("consumer", "consumer-coordinator-metrics", "commit-latency-avg", "client: commit ms", 1),
            new Metric("producer", "producer-metrics", "request-latency-avg", "client: produce ms", 1),
            new Metric("producer", "producer-metrics", "batch-size-avg", "client: kB per batch", 1e-3),
            new Metric("producer", "producer-metrics", "record-queue-time-avg", "client: queued ms", 1));

    private ClientMetrics() {}

    /**
     * A JMX attribute of all clients of one kind, with the name of the resulting figure and the factor that converts
     * its unit.
     */
    private record Metric(String kind, String group, String attribute, String name, double factor) {}

    /** Returns the figures by name, each the average over the clients that report it. */
    static Map<String, Double> read() {
        return read(ManagementFactory.getPlatformMBeanServer());
    }

    /** Reads {@code beans} instead of the platform's MBean server, for tests. */
    static Map<String, Double> read(MBeanServer beans) {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (Metric metric : METRICS) {
            double mean = mean(metric, beans);
            if (Double.isFinite(mean)) {
                figures.put(metric.name(), mean * metric.factor());
            }
        }
        return figures;
    }

    private static double mean(Metric metric, MBeanServer beans) {
        double sum = 0;
        int clients = 0;
        for (ObjectName client : beans.queryNames(pattern(metric), null)) {
            double value = value(client, metric, beans);
            if (Double.isFinite(value)) {
                sum += value;
                clients++;
            }
        }
        return sum / clients;
    }

    private static ObjectName pattern(Metric metric) {
        try {
            return new ObjectName("kafka." + metric.kind() + ":type=" + metric.group() + ",client-id=*");
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException(e);
        }
    }

    private static double value(ObjectName client, Metric metric, MBeanServer beans) {
        try {
            return beans.getAttribute(client, metric.attribute()) instanceof Double value ? value : Double.NaN;
        } catch (JMException | JMRuntimeException ignored) {
            // The client is closing, or its version lacks this metric.
            return Double.NaN;
        }
    }
}
