package dev.weir.bench.workload;

import dev.weir.driver.Failures;
import dev.weir.driver.Feature;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.LoadShape;
import dev.weir.driver.PassOptions;
import dev.weir.driver.RecordLayout;
import dev.weir.driver.Scenario;
import dev.weir.driver.ShareOptions;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One point of a campaign, with a value for every key. Immutable.
 *
 * @param dimensions the values of the varied keys, in the order of the file
 * @param settings the values of all keys, by dotted path
 */
public record WorkloadPoint(Map<String, String> dimensions, Map<String, String> settings) {

    /** Maximum length of an ID that file systems and {@link dev.weir.bench.result.Point} accept. */
    static final int MAX_ID = 120;

    // Scenarios in which a driver waits only for the brokers.
    private static final Set<Scenario> STREAMING = Set.of(Scenario.CONSUME, Scenario.AT_LEAST_ONCE, Scenario.PRODUCE);

    private static final double OVERHEAD_SECONDS = 3;

    // Overhead of a record in a batch: one byte for attributes, and six numbers of at least one byte.
    static final int RECORD_BYTES = 7;

    static WorkloadPoint of(Map<String, String> dimensions, Map<String, String> settings) {
        Map<String, String> all = new TreeMap<>(settings);
        LoadTrace.put(all);
        WorkloadPoint point = new WorkloadPoint(
                Collections.unmodifiableMap(new LinkedHashMap<>(dimensions)), Collections.unmodifiableMap(all));
        Combinations.check(point);
        return point;
    }

    boolean isSet(String topicKey) {
        String path = "topic." + topicKey;
        Key key = Key.ALL.get(path);
        String text = text(path);
        return key != null
                && !text.equals(key.fallback())
                && !(key.type() == Key.Type.NUMBER && Double.parseDouble(text) == 0);
    }

    /**
     * The ID, which can be part of a file name. It consists of the scenario and the names and values of the varied
     * keys, for example {@code consume-partitions-6}.
     */
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

    /** The number of topics read together. All topics have the same settings. */
    public int topics() {
        return integer(Key.TOPICS);
    }

    /** Number of partitions over all topics. */
    public int partitions() {
        return topics() * partitionsOfTopic();
    }

    /** Number of partitions per topic. */
    public int partitionsOfTopic() {
        return integer("topic.partitions");
    }

    /**
     * The number of records per partition. It is rounded up to a whole number, so that all partitions have the same
     * number of records.
     */
    public long recordsPerPartition() {
        return isPlanned()
                ? Math.ceilDiv(plannedRecords(), partitions())
                : Math.ceilDiv(Long.parseLong(text("topic.records")), partitionsOfTopic());
    }

    /** The number of records sent in a planned run, enough for slightly longer than the measurement. */
    private long plannedRecords() {
        double margin = Math.max(1, 2 * intervalMillis() / 1e3);
        double seconds = seconds("maxWarmUpSeconds") + seconds("measureSeconds") + margin;
        return (long) (load().area(seconds) * recordsPerSecond());
    }

    /** The shape of the planned rate over time, from the start of the plan. */
    public LoadShape load() {
        return LoadShape.parse(shape());
    }

    /** The shape as written in the file; empty for a constant rate. */
    public String shape() {
        return text("topic.load");
    }

    /** A short digest of a recorded load; empty if the load is not recorded. */
    public String traceDigest() {
        return text(LoadTrace.FILE).isEmpty() ? "" : Digests.of(shape());
    }

    /**
     * Returns whether records are sent at planned times, either by a generator while drivers read, or by the driver
     * itself.
     */
    public boolean isPlanned() {
        return scenario() == Scenario.STEADY
                || (scenario() == Scenario.PRODUCE && recordsPerSecond() > 0)
                || isChangeable();
    }

    /** Returns whether a group reads while a generator sends. Members of such a group can be restarted during a run. */
    public boolean isChangeable() {
        return (ExploreSettings.COMMITTING.contains(scenario()) || scenario() == Scenario.COPY)
                && recordsPerSecond() > 0;
    }

    /** Returns whether a group copies records while a generator sends them. */
    public boolean copiesByPlan() {
        return scenario() == Scenario.COPY && isPlanned();
    }

    /** The offset of the partition number in the value of a record to be copied. */
    public int partitionAt() {
        return isPlanned() ? RecordLayout.PARTITION_BEHIND_TIME : RecordLayout.PARTITION_BEHIND_NUMBER;
    }

    /** Returns whether runs of this point can be changed while they are measured. */
    public boolean takesOrders() {
        return isChangeable() || isLive();
    }

    /**
     * Returns whether a steady run ends after a given time instead of a given number of records. Its rate and duration
     * can then be changed during the run.
     */
    public boolean isLive() {
        return scenario() == Scenario.STEADY && Boolean.parseBoolean(text("method.live"));
    }

    /** Returns whether the members of a group with a generator reach the brokers through a proxy of the harness. */
    public boolean usesProxy() {
        return Boolean.parseBoolean(text("method.proxy"));
    }

    /** Returns whether the brokers started by the campaign use disks on which faults can be injected. */
    public boolean hasDiskFaults() {
        return Boolean.parseBoolean(text("method.diskFaults"));
    }

    /** The exponent of the Zipf distribution with which a generator spreads records over partitions. */
    public double partitionSkew() {
        return Double.parseDouble(text("topic.partitionSkew"));
    }

    /** The number of producers in the generator. */
    public int producers() {
        return integer("topic.producers");
    }

    /** The number of groups that read the generator's records at the same time. */
    public int groups() {
        return integer(Key.GROUPS);
    }

    /**
     * The total number of consumers in a group that reads what a generator sends; 0 if it is derived from the settings
     * of the group's processes.
     */
    public int consumers() {
        return integer(Key.CONSUMERS);
    }

    /** Properties of the producers that send records at planned times. */
    public Map<String, String> producer() {
        return section("producer.");
    }

    /** The Kafka release of the brokers that a campaign starts; empty for the harness's own release. */
    public String brokerVersion() {
        return text("brokerVersion");
    }

    /** Settings of the brokers that a campaign starts. */
    public Map<String, String> broker() {
        return section("broker.");
    }

    /** Returns whether the brokers are restarted before each run. */
    public boolean asksForFreshBrokers() {
        return Boolean.parseBoolean(text("method.freshBrokers"));
    }

    /** Returns whether figures of clients, brokers and the machine are read every second. */
    public boolean takesSeries() {
        return Boolean.parseBoolean(text("method.series"));
    }

    /** The number of replicas of a partition. */
    public int replicas() {
        return integer("topic.replicas");
    }

    /** The number of a driver's processes in a group that reads what a generator sends. */
    public int members() {
        return integer("explore.members");
    }

    /** The planned rate in records per second; 0 unless the point {@link #isPlanned}. */
    public int recordsPerSecond() {
        return integer("topic.recordsPerSecond");
    }

    /** The mean number of records due per second in the measured part, summed over all groups. */
    public double measuredPerSecond() {
        double from = seconds("maxWarmUpSeconds");
        double seconds = seconds("measureSeconds");
        return groups() * recordsPerSecond() * (load().area(from + seconds) - load().area(from)) / seconds;
    }

    /** The distribution of arrival times: {@code even} or {@code poisson}. */
    public String arrivals() {
        return text("topic.arrivals");
    }

    public int valueBytes() {
        return integer("topic.valueBytes");
    }

    /** Returns whether the lengths of values vary around {@link #valueBytes}. */
    public boolean spreadsValueBytes() {
        return text("topic.valueSpread").equals("uniform");
    }

    /**
     * The lengths of values, with the fraction of values that have each length; empty unless {@code topic.valueSizes}
     * is set.
     */
    public ValueSizes valueSizes() {
        return ValueSizes.of(text("topic.valueSizes"));
    }

    /** The file or folder that contains the values; null if values are generated. */
    public @Nullable Path valueFile() {
        String path = text("topic.valueFile");
        return path.isEmpty() ? null : Path.of(path);
    }

    /** The number of headers of each record. */
    public int headers() {
        return integer("topic.headers");
    }

    /** The length of each header's value. */
    public int headerBytes() {
        return integer("topic.headerBytes");
    }

    /** The fraction of each value that is unique to it. The rest is the same in all values. */
    public double randomShare() {
        return Double.parseDouble(text("topic.valueRandom"));
    }

    /**
     * The number of records per partition in each transaction used to fill the topic; 0 if the topic is filled without
     * transactions.
     */
    public int transactionRecords() {
        return integer("topic.transactionRecords");
    }

    /** The fraction of aborted transactions among the transactions used to fill the topic. */
    public double abortedShare() {
        return Double.parseDouble(text("topic.abortedShare"));
    }

    /** Returns whether records are produced in transactions. */
    public boolean producesInTransactions() {
        return scenario() == Scenario.PRODUCE && integer("options." + PassOptions.TRANSACTION_RECORDS) > 0;
    }

    /**
     * Returns whether each record must be copied exactly once, as seen by consumers that read only committed records.
     */
    public boolean isExactlyOnce() {
        return text("options." + PassOptions.GUARANTEE).equals(PassOptions.EXACTLY_ONCE);
    }

    /** The features that a library needs for this point. */
    public Set<Feature> features() {
        Set<Feature> features = EnumSet.noneOf(Feature.class);
        if (producesInTransactions()) {
            features.add(Feature.TRANSACTIONS);
        }
        if (isExactlyOnce()) {
            features.add(Feature.EXACTLY_ONCE);
        }
        if (failures() > 0) {
            features.add(Feature.RETRIES);
        }
        if (topics() > 1) {
            features.add(Feature.TOPICS);
        }
        return features;
    }

    /** The mean number of handler calls per record. */
    public double callsPerRecord() {
        return Failures.meanCalls(failures());
    }

    /** The fraction of handler calls that fail. */
    public double failures() {
        return Double.parseDouble(text("options." + Failures.SHARE));
    }

    /** The number of distinct keys in all topics together; 0 if records have no keys. */
    public int keys() {
        return integer("topic.keys");
    }

    /** The exponent of the Zipf distribution with which the records of a partition are spread over its keys. */
    public double keySkew() {
        return Double.parseDouble(text("topic.keySkew"));
    }

    /** The order of records that the scenario guarantees. */
    public HandlerOrder ordering() {
        return HandlerOrder.of(options());
    }

    public int batchBytes() {
        return integer("topic.batchBytes");
    }

    /** An upper bound on the number of records in a batch when a topic is filled. */
    public int mostRecordsOfABatch() {
        boolean equal = !spreadsValueBytes() && !isSet("valueSizes") && !isSet("valueFile");
        int least = (equal ? valueBytes() : RecordLayout.MIN_VALUE_BYTES) + RECORD_BYTES;
        long most = compression().equals("none") ? batchBytes() / least + 1 : recordsPerPartition();
        return (int) Math.min(Math.min(most, recordsPerPartition()), Integer.MAX_VALUE);
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
        return integer("options." + PassOptions.SINK_RATE) > 0;
    }

    /** Returns whether a driver runs at full speed, limited only by the driver itself and the brokers. */
    public boolean streams() {
        return STREAMING.contains(scenario()) && !isPlanned() && !hasSlowSink();
    }

    public boolean countsFetches() {
        return Boolean.parseBoolean(text("method.countFetches")) && scenario() != Scenario.PRODUCE;
    }

    public int heapMegabytes() {
        return integer("method.heapMegabytes");
    }

    /** The value of a key in the section {@code method}, for example {@code minWarmUpSeconds}. */
    public double seconds(String key) {
        return Double.parseDouble(text("method." + key));
    }

    /** The approximate expected time of a run, including the time to start JVMs and join groups. */
    double expectedSeconds() {
        double most = seconds("maxWarmUpSeconds");
        double warmUp = isPlanned() ? most : (Math.min(seconds("minWarmUpSeconds"), most) + most) / 2;
        return OVERHEAD_SECONDS + warmUp + seconds("settleSeconds") + seconds("measureSeconds");
    }

    /** Properties of the drivers' Kafka clients. */
    public Map<String, String> client() {
        Map<String, String> client = section("client.");
        ProducerWindow.putClient(this, client);
        return client;
    }

    /** The workload's settings for a consumer group that reads the topic. */
    public Map<String, String> consumerGroup() {
        return ofGroup("consumer.");
    }

    private Map<String, String> ofGroup(String prefix) {
        Map<String, String> group = section("group.");
        group.keySet().removeIf(name -> !name.startsWith(prefix));
        return group;
    }

    /**
     * The settings of a share group that reads the topic. Share groups start at the beginning of the topic. A workload
     * can add other settings.
     */
    public Map<String, String> shareGroup() {
        Map<String, String> group = ofGroup("share.");
        group.put("share.auto.offset.reset", "earliest");
        putIfSaid(group, "share.partition.max.record.locks", ShareOptions.LOCKS);
        putIfSaid(group, "share.record.lock.duration.ms", ShareOptions.LOCK_MILLIS);
        String isolation = client().get("isolation.level");
        if (isolation != null) {
            group.put("share.isolation.level", isolation);
        }
        return group;
    }

    private void putIfSaid(Map<String, String> group, String name, String option) {
        int value = integer("options." + option);
        if (value > 0 && group.put(name, Integer.toString(value)) != null) {
            throw new WorkloadException(
                    "options." + option + " and group." + name + " set the same property: leave one out");
        }
    }

    /** Options of the scenario. */
    public Map<String, String> options() {
        Map<String, String> options = section("options.");
        ProducerWindow.putOptions(this, options);
        return options;
    }

    Map<String, String> section(String prefix) {
        Map<String, String> section = new TreeMap<>();
        settings.forEach((path, value) -> {
            if (path.startsWith(prefix)) {
                section.put(path.substring(prefix.length()), value);
            }
        });
        return section;
    }

    int integer(String path) {
        return Integer.parseInt(text(path));
    }

    String text(String path) {
        String value = settings.get(path);
        if (value == null) {
            throw new IllegalArgumentException("no such key: " + path);
        }
        return value;
    }
}
