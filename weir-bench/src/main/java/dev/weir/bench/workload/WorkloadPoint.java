package dev.weir.bench.workload;

import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One point of a campaign: a value for every key. Immutable.
 *
 * @param dimensions what varies, in the order of the file
 * @param settings everything, by dotted path
 */
public record WorkloadPoint(Map<String, String> dimensions, Map<String, String> settings) {

    static WorkloadPoint of(Map<String, String> dimensions, Map<String, String> settings) {
        WorkloadPoint point = new WorkloadPoint(
                Collections.unmodifiableMap(new LinkedHashMap<>(dimensions)),
                Collections.unmodifiableMap(new TreeMap<>(settings)));
        point.check();
        return point;
    }

    private void check() {
        if (ordering() == Pass.Order.KEY && keys() == 0) {
            throw new WorkloadException(
                    "options.ordering=key needs records with keys: set topic.keys, for example 10000");
        }
        if (keys() > 0 && keys() < partitions()) {
            throw new WorkloadException("topic.keys must be at least topic.partitions, since each key belongs to one:"
                    + " topic.keys=" + keys() + " topic.partitions=" + partitions());
        }
    }

    /** Fit for a file name: the scenario and what varies, for example {@code consume-partitions-6}. */
    public String id() {
        String id = dimensions.entrySet().stream()
                .map(entry ->
                        "-" + entry.getKey().substring(entry.getKey().lastIndexOf('.') + 1) + "-" + entry.getValue())
                .collect(Collectors.joining("", scenario().label(), ""));
        return id.replaceAll("[^A-Za-z0-9._=-]", "_");
    }

    public Scenario scenario() {
        return Scenario.of(text("scenario"));
    }

    public int partitions() {
        return integer("topic.partitions");
    }

    /** Of each partition; the total is rounded up to a multiple of the partitions. */
    public long recordsPerPartition() {
        return (Long.parseLong(text("topic.records")) + partitions() - 1) / partitions();
    }

    public int valueBytes() {
        return integer("topic.valueBytes");
    }

    /** How many distinct keys the topic has; none if 0. */
    public int keys() {
        return integer("topic.keys");
    }

    /** Zipf's exponent of the keys of a partition. */
    public double keySkew() {
        return Double.parseDouble(text("topic.keySkew"));
    }

    /** What its scenario promises, besides each record once. */
    public Pass.Order ordering() {
        return Pass.ordering(options());
    }

    public int batchBytes() {
        return integer("topic.batchBytes");
    }

    public String compression() {
        return text("topic.compression");
    }

    public int brokers() {
        return integer("brokers");
    }

    public int intervalMillis() {
        return integer("method.intervalMillis");
    }

    public boolean hasSlowSink() {
        return integer("options." + Pass.SINK_RATE) > 0;
    }

    public boolean countsFetches() {
        return Boolean.parseBoolean(text("method.countFetches")) && scenario() != Scenario.PRODUCE;
    }

    public int heapMegabytes() {
        return integer("method.heapMegabytes");
    }

    /** {@code minWarmUpSeconds} and its like. */
    public double seconds(String key) {
        return Double.parseDouble(text("method." + key));
    }

    /** Properties of the Kafka clients. */
    public Map<String, String> client() {
        return section("client.");
    }

    /** Options of the scenario. */
    public Map<String, String> options() {
        return section("options.");
    }

    private Map<String, String> section(String prefix) {
        Map<String, String> section = new TreeMap<>();
        settings.forEach((path, value) -> {
            if (path.startsWith(prefix)) {
                section.put(path.substring(prefix.length()), value);
            }
        });
        return section;
    }

    private int integer(String path) {
        return Integer.parseInt(text(path));
    }

    private String text(String path) {
        String value = settings.get(path);
        if (value == null) {
            throw new IllegalArgumentException("no such key: " + path);
        }
        return value;
    }
}
