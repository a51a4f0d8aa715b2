package dev.weir.bench.workload;

import dev.weir.bench.live.Fault;
import dev.weir.bench.live.Order;
import dev.weir.driver.Failures;
import dev.weir.driver.Feature;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.LoadShape;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.driver.ShareOptions;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One point of a campaign: a value for every key. Immutable.
 *
 * @param dimensions what varies, in the order of the file
 * @param settings everything, by dotted path
 */
public record WorkloadPoint(Map<String, String> dimensions, Map<String, String> settings) {

    /** What file systems and {@link dev.weir.bench.result.Point} take. */
    static final int MAX_ID = 120;

    /** What a workload needs for its runs to be changed while they go on. */
    static final String CHANGEABLE =
            "scenario to work, at-least-once, at-most-once or copy, and topic.recordsPerSecond, or scenario to steady,"
                    + " and method.live";

    private static final String RATE = "topic.recordsPerSecond";
    private static final String LOAD = "topic.load";
    private static final String TRACE = "topic.trace";

    private static final String GROUPS =
            "scenario to work, at-least-once, at-most-once or copy, and topic.recordsPerSecond";

    private static final int MAX_PLANNED_PARTITIONS = 100;

    // Those whose records the harness writes ahead.
    private static final Set<Scenario> FILLED = Set.of(
            Scenario.CONSUME,
            Scenario.AT_LEAST_ONCE,
            Scenario.AT_MOST_ONCE,
            Scenario.WORK,
            Scenario.FLOW_CONTROL,
            Scenario.COPY);

    // Those whose drivers may read several topics.
    private static final Set<Scenario> OF_TOPICS =
            Set.of(Scenario.CONSUME, Scenario.STEADY, Scenario.AT_LEAST_ONCE, Scenario.AT_MOST_ONCE, Scenario.WORK);

    // Those in which nobody but the brokers may keep a driver waiting.
    private static final Set<Scenario> STREAMING = Set.of(Scenario.CONSUME, Scenario.AT_LEAST_ONCE, Scenario.PRODUCE);

    private static final double OVERHEAD_SECONDS = 3;

    // Of the format of batches: a byte of attributes, and six lengths, deltas and counts of one at least.
    static final int RECORD_BYTES = 7;

    static WorkloadPoint of(Map<String, String> dimensions, Map<String, String> settings) {
        Map<String, String> all = new TreeMap<>(settings);
        putTrace(all);
        WorkloadPoint point = new WorkloadPoint(
                Collections.unmodifiableMap(new LinkedHashMap<>(dimensions)), Collections.unmodifiableMap(all));
        point.check();
        return point;
    }

    /** A recorded load is a rate and its shape, as if the file said both. */
    private static void putTrace(Map<String, String> settings) {
        String file = settings.getOrDefault(TRACE, "");
        if (file.isEmpty()) {
            return;
        }
        if (!settings.getOrDefault(LOAD, "").isEmpty()) {
            throw new WorkloadException(LOAD + " and " + TRACE + " both say how the load changes: leave one out");
        }
        LoadTrace trace = LoadTrace.read(Path.of(file));
        boolean isItsOwn = settings.getOrDefault(RATE, "0").equals("0");
        if (isItsOwn) {
            long rate = Math.max(1, Math.round(trace.meanRate()));
            String objection = Objects.requireNonNull(Key.ALL.get(RATE)).objection(Long.toString(rate));
            if (objection != null) {
                throw new WorkloadException(RATE + " of the trace " + file + " " + objection + ": " + rate);
            }
            settings.put(RATE, Long.toString(rate));
            settings.put(LOAD, trace.shape((double) rate));
        } else {
            settings.put(LOAD, trace.shape(trace.meanRate()));
        }
    }

    private void check() {
        if (topics() > 1 && !OF_TOPICS.contains(scenario())) {
            throw new WorkloadException("scenario " + scenario().label() + " has one topic: leave topics out, or use"
                    + " scenario consume, steady, at-least-once, at-most-once or work: topics=" + topics());
        }
        if (ordering() == Pass.Order.KEY && keys() == 0) {
            throw new WorkloadException(
                    "options.ordering=key needs records with keys: set topic.keys, for example 10000");
        }
        if (keys() > 0 && keys() < partitions()) {
            throw new WorkloadException("topic.keys must be at least topic.partitions, since each key belongs to one:"
                    + " topic.keys=" + keys() + " " + partitionsText());
        }
        if (isPlanned() != (recordsPerSecond() > 0)) {
            throw new WorkloadException("scenario " + scenario().label()
                    + (isPlanned()
                            ? " needs a rate: set topic.recordsPerSecond, for example 5000"
                            : " goes as fast as it can: leave topic.recordsPerSecond out, or use scenario steady,"
                                    + " produce, work, at-least-once, at-most-once or copy"));
        }
        if (!isPlanned() && isSet("load")) {
            throw new WorkloadException("topic.load is the shape of a planned rate: set topic.recordsPerSecond");
        }
        if (isChangeable()) {
            ExploreSettings.checkSent(this, "topic.recordsPerSecond has");
        }
        checkReplicas();
        checkSpread();
        checkLive();
        checkTransactions();
        Copying.check(this);
        ProducerWindow.check(this);
        if (failures() > 0 && scenario() != Scenario.WORK) {
            throw new WorkloadException("options." + Failures.SHARE + " is of scenario work, whose handlers may fail");
        }
        checkValues();
        checkShareGroup();
        if (isPlanned()) {
            requireTimedPartitions();
        }
    }

    /** Refuses more partitions than latencies are taken of. */
    void requireTimedPartitions() {
        if (partitions() > MAX_PLANNED_PARTITIONS) {
            throw new WorkloadException("with a planned rate, topic.partitions must be at most "
                    + MAX_PLANNED_PARTITIONS + ", since latencies are taken for each: " + partitionsText());
        }
    }

    private void checkReplicas() {
        if (replicas() > brokers()) {
            throw new WorkloadException(
                    "topic.replicas must be at most brokers: topic.replicas=" + replicas() + " brokers=" + brokers());
        }
        if ((replicas() > 1 || usesProxy()) && !isChangeable()) {
            throw new WorkloadException("topic.replicas and method.proxy are of groups that are sent to: set " + GROUPS
                    + ", or leave them out");
        }
    }

    private void checkSpread() {
        for (String key : List.of("topic.partitionSkew", "topic.producers", Key.CONSUMERS, Key.GROUPS)) {
            if (!isChangeable()
                    && !text(key)
                            .equals(Objects.requireNonNull(Key.ALL.get(key)).fallback())) {
                throw new WorkloadException(key + " is of groups that are sent to: set " + GROUPS
                        + ", or leave it out: " + key + "=" + text(key));
            }
        }
        if (groups() > 1 && copiesByPlan()) {
            throw new WorkloadException(
                    "scenario copy has one group, whose output is read: leave groups out: groups=" + groups());
        }
        if (!isPlanned() && !section("producer.").isEmpty()) {
            throw new WorkloadException(
                    "producer is of who sends by a plan: set topic.recordsPerSecond, or leave it out");
        }
        if (producers() > partitions()) {
            throw new WorkloadException(
                    "topic.producers must be at most topic.partitions, since each has some to itself:"
                            + " topic.producers=" + producers() + " " + partitionsText());
        }
        if (consumers() > 0 && consumers() < members()) {
            throw new WorkloadException(
                    "consumers must be at least explore.members, since each process has one: consumers=" + consumers()
                            + " explore.members=" + members());
        }
        if (consumers() > 0 && integer("options." + ShareOptions.CONSUMERS) > 0) {
            throw new WorkloadException(
                    "consumers and options." + ShareOptions.CONSUMERS + " both say how many there are: leave one out");
        }
    }

    private void checkLive() {
        if (Boolean.parseBoolean(text("method.live")) && scenario() != Scenario.STEADY) {
            throw new WorkloadException("method.live is of scenario steady: leave it out; "
                    + (isChangeable()
                            ? "runs of " + scenario().label() + " can be changed without it"
                            : "no run of " + scenario().label() + " can be changed like that"));
        }
        if (isLive() && isSet("load")) {
            throw new WorkloadException("method.live changes one rate by hand: leave topic.load out");
        }
    }

    private void checkTransactions() {
        if (transactionRecords() > 0 && !FILLED.contains(scenario())) {
            throw new WorkloadException("scenario " + scenario().label()
                    + " does not read from a topic that is filled before: leave topic.transactionRecords out");
        }
        if (abortedShare() > 0 && transactionRecords() == 0) {
            throw new WorkloadException(
                    "topic.abortedShare is a share of transactions: set topic.transactionRecords, for example 1000");
        }
        if (abortedShare() > 0 && !"read_committed".equals(client().get("isolation.level"))) {
            throw new WorkloadException("with topic.abortedShare, drivers would deliver what was aborted:"
                    + " set client.isolation.level: read_committed");
        }
        if (isPlanned() && producesInTransactions()) {
            throw new WorkloadException(
                    "options." + Pass.TRANSACTION_RECORDS
                            + " does not go with topic.recordsPerSecond, since a record waits for its transaction: leave one out");
        }
        if (scenario() != Scenario.PRODUCE && integer("options." + Pass.TRANSACTION_RECORDS) > 0) {
            throw new WorkloadException(
                    "options." + Pass.TRANSACTION_RECORDS
                            + " is of scenario produce; a topic to be read is filled in transactions by topic.transactionRecords");
        }
    }

    private void checkShareGroup() {
        String consumers = "options." + ShareOptions.CONSUMERS;
        String workers = "options." + Pass.CONCURRENCY;
        var unused = shareGroup(); // Refuses what is said twice.
        if (integer(consumers) > integer(workers)) {
            throw new WorkloadException(consumers + " must be at most " + workers + ", since each has a worker: "
                    + consumers + "=" + integer(consumers) + " " + workers + "=" + integer(workers));
        }
        if (isPlanned() && seconds("settleSeconds") > 0) {
            throw new WorkloadException(
                    "method.settleSeconds does not go with topic.recordsPerSecond, whose one pass has"
                            + " its warm-up: leave one out");
        }
    }

    private void checkValues() {
        boolean filled = FILLED.contains(scenario());
        for (String key : List.of("valueSpread", "valueRandom", "valueSizes", "valueFile", "headers")) {
            if (!filled && isSet(key)) {
                throw new WorkloadException("scenario " + scenario().label()
                        + " does not read from a topic that is filled before: leave topic." + key + " out");
            }
        }
        refuseBoth("valueSizes", "valueSpread");
        refuseBoth("valueFile", "valueSizes");
        refuseBoth("valueFile", "valueSpread");
        refuseBoth("valueFile", "valueRandom");
    }

    private void refuseBoth(String one, String other) {
        if (isSet(one) && isSet(other)) {
            throw new WorkloadException("topic." + one + " and topic." + other
                    + " both say what values are: leave one out: topic." + one + "=" + text("topic." + one) + " topic."
                    + other + "=" + text("topic." + other));
        }
    }

    boolean isSet(String topicKey) {
        String path = "topic." + topicKey;
        Key key = Key.ALL.get(path);
        String text = text(path);
        return key != null
                && !text.equals(key.fallback())
                && !(key.type() == Key.Type.NUMBER && Double.parseDouble(text) == 0);
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

    /** How many topics are read together, each like the others. */
    public int topics() {
        return integer(Key.TOPICS);
    }

    /** Of all topics together. */
    public int partitions() {
        return topics() * partitionsOfTopic();
    }

    /** Of each topic. */
    public int partitionsOfTopic() {
        return integer("topic.partitions");
    }

    private String partitionsText() {
        return "topic.partitions=" + partitionsOfTopic() + (topics() == 1 ? "" : " topics=" + topics());
    }

    /** Of each partition; the total of a topic is rounded up to a multiple of its partitions. */
    public long recordsPerPartition() {
        return isPlanned()
                ? Math.ceilDiv(plannedRecords(), partitions())
                : Math.ceilDiv(Long.parseLong(text("topic.records")), partitionsOfTopic());
    }

    /** A little more than is measured: the end of a pass is not to be in it. */
    private long plannedRecords() {
        double margin = Math.max(1, 2 * intervalMillis() / 1e3);
        double seconds = seconds("maxWarmUpSeconds") + seconds("measureSeconds") + margin;
        return (long) (load().area(seconds) * recordsPerSecond());
    }

    /** How the planned rate changes, from the begin of the plan on. */
    public LoadShape load() {
        return LoadShape.parse(shape());
    }

    /** The same as the file says it; empty for a rate that stays. */
    public String shape() {
        return text("topic.load");
    }

    /** Names the content of a recorded load; empty if it has none. */
    public String traceDigest() {
        return text(TRACE).isEmpty() ? "" : Digests.of(shape());
    }

    /** Whether its records are sent by a plan: by a generator while they are read, or by the driver. */
    public boolean isPlanned() {
        return scenario() == Scenario.STEADY
                || (scenario() == Scenario.PRODUCE && recordsPerSecond() > 0)
                || isChangeable();
    }

    /**
     * Whether it is read by a group while a generator sends, so that its runs can be changed while they go on: members that
     * come back go on where they have committed.
     */
    public boolean isChangeable() {
        return (ExploreSettings.COMMITTING.contains(scenario()) || scenario() == Scenario.COPY)
                && recordsPerSecond() > 0;
    }

    /** Whether a group copies while a generator sends. */
    public boolean copiesByPlan() {
        return scenario() == Scenario.COPY && isPlanned();
    }

    /** Where a record to be copied holds its partition. */
    public int partitionAt() {
        return isPlanned() ? Pass.PARTITION_BEHIND_TIME : Pass.PARTITION_BEHIND_NUMBER;
    }

    /** Whether a run of it takes orders: a group that is sent to, or a single driver that reads until it is told to end. */
    public boolean takesOrders() {
        return isChangeable() || isLive();
    }

    /** Whether a steady run ends by time, so that its rate and its length can be changed. */
    public boolean isLive() {
        return scenario() == Scenario.STEADY && Boolean.parseBoolean(text("method.live"));
    }

    /**
     * Refuses an order that its runs cannot take.
     *
     * @throws IllegalArgumentException naming the key, and what can take it
     */
    public void check(Order order) {
        if (isLive()) {
            checkOfLive(order);
        }
        if (order instanceof Order.Set set && set.values().containsKey(Order.WORK) && scenario() != Scenario.WORK) {
            throw new IllegalArgumentException(
                    "work cannot be set: scenario " + scenario().label() + " has no handlers, scenario work has");
        }
        if (order instanceof Fault fault && fault.kind().needsProxy() && !usesProxy()) {
            throw new IllegalArgumentException(fault.kind().label()
                    + " needs a network that can fail: set method.proxy: true in the workload file");
        }
        if (order instanceof Fault fault && fault.kind() == Fault.Kind.LOSE_BROKER && fault.count() > brokers()) {
            throw new IllegalArgumentException(
                    "there is no broker " + fault.count() + ", there are " + brokers() + ": " + fault.text());
        }
    }

    /**
     * The same, changed by an order to a search, which begins anew with it: {@code producerRate} is its first rate.
     *
     * @throws IllegalArgumentException naming the key that no search can be changed by
     */
    public WorkloadPoint changedBy(Order.Set set) {
        check(set);
        Map<String, String> changed = new TreeMap<>(settings);
        set.values().forEach((key, value) -> {
            switch (key) {
                case Order.PRODUCER_RATE -> changed.put(ExploreSettings.START_RATE, value);
                case Order.WORK ->
                    changed.put("options." + HandlerWork.MILLIS, Double.toString(Order.Set.workMillis(value)));
                case Order.CONSUMERS ->
                    throw new IllegalArgumentException(
                            "consumers cannot be set in a search: explore.members and options.concurrency of the file say"
                                    + " how many there are");
                default -> changed.put(key, value);
            }
        });
        return new WorkloadPoint(dimensions, Collections.unmodifiableMap(changed));
    }

    /** One process reads, which commits nothing and keeps its settings. */
    private static void checkOfLive(Order order) {
        boolean isRateAlone =
                order instanceof Order.Set set && set.values().keySet().equals(Set.of(Order.PRODUCER_RATE));
        boolean isOfTime = order instanceof Order.Pause
                || order instanceof Order.DiscardStats
                || order instanceof Order.Extend
                || order instanceof Order.End;
        if (!isRateAlone && !isOfTime) {
            throw new IllegalArgumentException(
                    order.text() + ": scenario steady has one process, which commits nothing:"
                            + " it can be changed by set of producerRate, pause, discard-stats, extend and end");
        }
    }

    /** Whether members of a group that is sent to reach the brokers through a proxy of the harness. */
    public boolean usesProxy() {
        return Boolean.parseBoolean(text("method.proxy"));
    }

    /** How unevenly a generator spreads records over partitions: Zipf's exponent. */
    public double partitionSkew() {
        return Double.parseDouble(text("topic.partitionSkew"));
    }

    /** How many producers a generator has. */
    public int producers() {
        return integer("topic.producers");
    }

    /** How many groups are sent to at the same time. */
    public int groups() {
        return integer(Key.GROUPS);
    }

    /** How many consumers a group that is sent to has in all; 0: as its processes have them. */
    public int consumers() {
        return integer(Key.CONSUMERS);
    }

    /** Properties of the producers that send by a plan. */
    public Map<String, String> producer() {
        return section("producer.");
    }

    /** Settings of the brokers that a campaign starts. */
    public Map<String, String> broker() {
        return section("broker.");
    }

    /** Whether brokers are started anew before each run. */
    public boolean asksForFreshBrokers() {
        return Boolean.parseBoolean(text("method.freshBrokers"));
    }

    /** Whether clients, brokers and the machine are asked for their figures each second. */
    public boolean takesSeries() {
        return Boolean.parseBoolean(text("method.series"));
    }

    /** How many replicas a partition has that a generator sends to. */
    public int replicas() {
        return integer("topic.replicas");
    }

    /** How many processes of a driver a group has, where a generator sends to it. */
    public int members() {
        return integer("explore.members");
    }

    /** How many records are sent in a second, of {@link #isPlanned}. */
    public int recordsPerSecond() {
        return integer("topic.recordsPerSecond");
    }

    /** How many are due in a second of the time that is measured, by the mean, to all groups together. */
    public double measuredPerSecond() {
        double from = seconds("maxWarmUpSeconds");
        double seconds = seconds("measureSeconds");
        return groups() * recordsPerSecond() * (load().area(from + seconds) - load().area(from)) / seconds;
    }

    /** {@code even} or {@code poisson}. */
    public String arrivals() {
        return text("topic.arrivals");
    }

    public int valueBytes() {
        return integer("topic.valueBytes");
    }

    /** Whether values have any length around {@link #valueBytes}. */
    public boolean spreadsValueBytes() {
        return text("topic.valueSpread").equals("uniform");
    }

    /** Which lengths values have; empty where they have not a few. */
    public ValueSizes valueSizes() {
        return ValueSizes.of(text("topic.valueSizes"));
    }

    /** Where values are taken from; null for made ones. */
    public @Nullable Path valueFile() {
        String path = text("topic.valueFile");
        return path.isEmpty() ? null : Path.of(path);
    }

    /** How many headers each record has. */
    public int headers() {
        return integer("topic.headers");
    }

    /** The length of each header's value. */
    public int headerBytes() {
        return integer("topic.headerBytes");
    }

    /** How much of a value is no other's. */
    public double randomShare() {
        return Double.parseDouble(text("topic.valueRandom"));
    }

    /** How many records of each partition a transaction has in which the topic is filled; 0 for none. */
    public int transactionRecords() {
        return integer("topic.transactionRecords");
    }

    /** How many of those transactions are aborted. */
    public double abortedShare() {
        return Double.parseDouble(text("topic.abortedShare"));
    }

    /** Whether records are produced in transactions. */
    public boolean producesInTransactions() {
        return scenario() == Scenario.PRODUCE && integer("options." + Pass.TRANSACTION_RECORDS) > 0;
    }

    /** Whether each record is to be copied once, for readers of what is committed. */
    public boolean isExactlyOnce() {
        return text("options." + Pass.GUARANTEE).equals(Pass.EXACTLY_ONCE);
    }

    /** What a library must have for it that not every one has. */
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

    /** How often a handler is called for a record, by the mean. */
    public double callsPerRecord() {
        return Failures.meanCalls(failures());
    }

    /** Which share of the calls of handlers fails. */
    public double failures() {
        return Double.parseDouble(text("options." + Failures.SHARE));
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

    /** No batch of a topic that was filled has more; compressed, there is no telling but that they are not more than all. */
    public int mostRecordsOfABatch() {
        boolean equal = !spreadsValueBytes() && !isSet("valueSizes") && !isSet("valueFile");
        int least = (equal ? valueBytes() : Pass.MIN_VALUE_BYTES) + RECORD_BYTES;
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
        return integer("options." + Pass.SINK_RATE) > 0;
    }

    /** Whether a driver goes as fast as it and the brokers can: no handler, no plan and no slow sink to wait for. */
    public boolean streams() {
        return STREAMING.contains(scenario()) && !isPlanned() && !hasSlowSink();
    }

    public boolean countsFetches() {
        return Boolean.parseBoolean(text("method.countFetches")) && scenario() != Scenario.PRODUCE;
    }

    /**
     * How many records a second handlers of work can take if as many block at a time as may; not a number where they do not
     * block. What is left of it is what a library makes of its concurrency.
     */
    public double ceilingPerSecond() {
        return ceilingPerSecond(Double.parseDouble(text("options." + HandlerWork.MILLIS)));
    }

    /** The same for handlers that were measured to block so long, by the mean. */
    public double ceilingPerSecond(double millis) {
        return scenario() != Scenario.WORK || millis == 0 ? Double.NaN : handlers() * 1e3 / millis / callsPerRecord();
    }

    /** How many handlers of work may block at a time in a process. */
    int handlers() {
        int atATime = integer("options." + Pass.CONCURRENCY);
        int downstream = integer("options." + HandlerWork.DOWNSTREAM);
        if (downstream > 0) {
            atATime = Math.min(atATime, downstream);
        }
        return switch (ordering()) {
            case PARTITION -> Math.min(atATime, partitions());
            case KEY -> Math.min(atATime, keys());
            case NONE -> atATime;
        };
    }

    public int heapMegabytes() {
        return integer("method.heapMegabytes");
    }

    /** {@code minWarmUpSeconds} and its like. */
    public double seconds(String key) {
        return Double.parseDouble(text("method." + key));
    }

    /** What a run takes, about: with a JVM to start, and groups to join. */
    double expectedSeconds() {
        double most = seconds("maxWarmUpSeconds");
        double warmUp = isPlanned() ? most : (Math.min(seconds("minWarmUpSeconds"), most) + most) / 2;
        return OVERHEAD_SECONDS + warmUp + seconds("settleSeconds") + seconds("measureSeconds");
    }

    /** Properties of the Kafka clients. */
    public Map<String, String> client() {
        Map<String, String> client = section("client.");
        ProducerWindow.putClient(this, client);
        return client;
    }

    /** Settings of a consumer group that reads the topic: what the workload says. */
    public Map<String, String> consumerGroup() {
        return ofGroup("consumer.");
    }

    private Map<String, String> ofGroup(String prefix) {
        Map<String, String> group = section("group.");
        group.keySet().removeIf(name -> !name.startsWith(prefix));
        return group;
    }

    /** Settings of a share group that reads the topic: from its beginning, and what the workload says. */
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
            throw new WorkloadException("options." + option + " and group." + name + " say the same: leave one out");
        }
    }

    /** Options of the scenario. */
    public Map<String, String> options() {
        Map<String, String> options = section("options.");
        ProducerWindow.putOptions(this, options);
        return options;
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
