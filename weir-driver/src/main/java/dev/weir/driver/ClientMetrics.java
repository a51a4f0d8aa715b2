package dev.weir.driver;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Reads the metrics of Kafka's clients in this process through JMX, as any application can. A library without them
 * reports nothing. Stateless, thread-safe.
 */
final class ClientMetrics {
    private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

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

    /** An attribute of each client of a kind, with its name and unit in results. */
    private record Metric(String kind, String group, String attribute, String name, double factor) {}

    /** Averages over the clients that have a figure, by name; figures that no client has are missing. */
    static Map<String, Double> read() {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (Metric metric : METRICS) {
            double mean = mean(metric);
            if (Double.isFinite(mean)) {
                figures.put(metric.name(), mean * metric.factor());
            }
        }
        return figures;
    }

    private static double mean(Metric metric) {
        double sum = 0;
        int clients = 0;
        try {
            Set<ObjectName> beans = BEANS.queryNames(
                    new ObjectName("kafka." + metric.kind() + ":type=" + metric.group() + ",client-id=*"), null);
            for (ObjectName bean : beans) {
                if (BEANS.getAttribute(bean, metric.attribute()) instanceof Double value && Double.isFinite(value)) {
                    sum += value;
                    clients++;
                }
            }
        } catch (JMException ignored) { // a client that is being closed, or of a version without this metric
            return Double.NaN;
        }
        return sum / clients;
    }
}
