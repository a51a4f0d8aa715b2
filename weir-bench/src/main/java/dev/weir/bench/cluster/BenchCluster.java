package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.bench.RunFailure;
import dev.weir.bench.fill.FillPlan;
import dev.weir.bench.fill.TopicFill;
import dev.weir.bench.fill.ValueFile;
import dev.weir.bench.fill.Values;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Interval;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaClusterException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * The topics of a campaign at its brokers, each named after its content: what is there is not filled again. Confined to one
 * thread.
 */
public final class BenchCluster implements AutoCloseable {
    /** A setting among {@link #settings}: which cluster it is, where that was there already. */
    public static final String CLUSTER_ID = Campaign.CLUSTER_ID;

    private static final String SINK = "sink";

    // Whatever the cluster's defaults are: records without a key are taken ...
    private static final Map<String, String> WRITTEN = Map.of("cleanup.policy", "delete");

    // A copy is timed by when the brokers took it.
    private static final Map<String, String> COPIED =
            Map.of("cleanup.policy", "delete", "message.timestamp.type", "LogAppendTime");

    // ... and stay, in batches as they were sent.
    private static final Map<String, String> FILLED = Map.of(
            "cleanup.policy", "delete", "retention.ms", "-1", "retention.bytes", "-1", "compression.type", "producer");
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Brokers brokers;
    private final BooleanSupplier isStopped;
    private final Set<String> filled = new HashSet<>(); // known to be
    private final Map<Path, ValueFile> valueFiles = new HashMap<>();
    private @Nullable BrokerBeans beans; // attached when first asked for
    private @Nullable BrokerSeries series; // of these

    private String sink = ""; // the last one made, empty for none
    private String output = ""; // the same of a group that is sent to
    private @Nullable ShareGroup shareGroup; // the last one made
    private final LeftGroups leftGroups;
    private final Set<Integer> lost = new HashSet<>(); // by a plan, and not back
    private final List<GroupSettings> settingsOfRun = new ArrayList<>(); // of consumer groups
    private int losses;
    private long lostNanos; // processor time of those that were lost, before

    private BenchCluster(Brokers brokers, Consumer<String> note, BooleanSupplier isStopped) {
        this.brokers = brokers;
        this.isStopped = isStopped;
        this.leftGroups = new LeftGroups(LeftGroups.LONGEST_SESSION_NANOS, isStopped, note);
    }

    /**
     * Starts brokers in processes of this machine, which end with it.
     *
     * @param data the folder that keeps filled topics between campaigns
     * @param count of brokers
     * @param config of each of them, over the harness's own
     * @param note is told what a user should know of them
     * @param isStopped whether to give up filling a topic
     * @throws BenchException if they do not start with that
     */
    public static BenchCluster forked(
            Path data, int count, Map<String, String> config, Consumer<String> note, BooleanSupplier isStopped) {
        return new BenchCluster(new ForkedBrokers(data, count, config), note, isStopped);
    }

    /**
     * Connects to brokers that are there already.
     *
     * @param note is told what a user should know of them
     * @param isStopped whether to give up filling a topic
     * @throws BenchException if they do not answer
     */
    public static BenchCluster existing(ExistingCluster cluster, Consumer<String> note, BooleanSupplier isStopped) {
        return new BenchCluster(new ExistingBrokers(cluster, note), note, isStopped);
    }

    public String bootstrapServers() {
        return brokers.bootstrapServers();
    }

    /** Properties that every Kafka client needs to reach the brokers. */
    public Map<String, String> client() {
        return brokers.client();
    }

    /** Which cluster it is, in a file name; empty for one of the campaign's own. */
    public String id() {
        return brokers.id();
    }

    public Map<String, String> settings() {
        return brokers.settings();
    }

    public Map<String, String> versions() {
        return brokers.versions();
    }

    /** A consumer group that the brokers do not know yet. */
    public String newGroup() {
        return brokers.named("group-" + UUID.randomUUID());
    }

    /**
     * The same with these settings, which are removed after the run.
     *
     * @throws BenchException if the brokers refuse one
     */
    public String newGroup(Map<String, String> config) {
        GroupSettings made = new GroupSettings(newGroup(), config);
        if (!config.isEmpty()) {
            made.set(brokers.admin());
            settingsOfRun.add(made);
        }
        return made.group();
    }

    /**
     * The same of a share group, with these settings; the one before is deleted.
     *
     * @throws BenchException if the brokers have no share groups, or refuse a setting
     */
    public String newShareGroup(Map<String, String> config) {
        deleteShareGroup();
        ShareGroup made = new ShareGroup(brokers.admin(), newGroup(), config);
        shareGroup = made;
        made.configure();
        return made.name();
    }

    private void deleteShareGroup() {
        ShareGroup made = shareGroup;
        shareGroup = null;
        if (made != null && hasAllBrokers()) {
            made.removeSettings();
            leftGroups.delete(made.name(), made::delete);
        }
    }

    /** Whether so many members of a group have joined and share out that many partitions. */
    public boolean isSettled(String group, int members, int partitions) throws InterruptedException {
        ShareGroup shared = shareGroup;
        if (shared != null && shared.name().equals(group)) {
            return GroupLook.isShareSettled(brokers.admin(), group, members, partitions);
        }
        return GroupLook.isSettled(brokers.admin(), group, members, partitions);
    }

    /** Who has which partitions now; null while the brokers do not say. */
    public @Nullable Assignment assignment(String group) throws InterruptedException {
        ShareGroup shared = shareGroup;
        return GroupLook.assignment(
                brokers.admin(), group, shared != null && shared.name().equals(group));
    }

    /** Processor time of all brokers so far; {@link Interval#UNKNOWN} where it cannot be read. */
    public long cpuNanos() {
        if (brokers.forked().isEmpty()) {
            return Interval.UNKNOWN;
        }
        long sum = lostNanos;
        for (Broker broker : brokers.forked()) {
            sum += lost.contains(broker.id()) ? 0 : cpuNanos(broker);
        }
        return sum;
    }

    private static long cpuNanos(Broker broker) {
        return ProcessHandle.of(broker.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO)
                .toNanos();
    }

    /** Whether there is a broker of that id which can be lost: one in a process of the campaign. */
    public boolean canLose(int id) {
        return brokers.forked().stream().anyMatch(broker -> broker.id() == id);
    }

    private Broker broker(int id) {
        return brokers.forked().stream()
                .filter(broker -> broker.id() == id)
                .findFirst()
                .orElseThrow();
    }

    /** Ends a broker by SIGKILL, whom nobody misses until {@link #bringBack}; returns the id that its process had. */
    public long lose(int id) {
        Broker broker = broker(id);
        long pid = broker.pid();
        lostNanos += cpuNanos(broker);
        lost.add(id);
        losses++;
        broker.kill();
        closeBeans();
        return pid;
    }

    /**
     * Starts a lost broker again; returns when it serves clients.
     *
     * @throws BenchException if it does not come up
     */
    public void bringBack(int id) {
        try {
            broker(id).start();
        } catch (KafkaClusterException e) {
            throw new BenchException("broker " + id + " did not come back: " + e.getMessage(), e);
        }
        lost.remove(id);
    }

    /** How often a broker was lost: its counts have begun anew since. */
    public int losses() {
        return losses;
    }

    private void closeBeans() {
        BrokerBeans attached = beans;
        beans = null;
        series = null;
        if (attached != null) {
            attached.close();
        }
    }

    /**
     * Of brokers that are gone no driver's run says anything.
     *
     * @throws BenchException if one of those that were forked has ended
     */
    public void requireBrokers() {
        for (Broker broker : brokers.forked()) {
            if (!broker.isRunning() && !lost.contains(broker.id())) {
                throw new BenchException("broker " + broker.id() + " has ended, whoever ended it; its log is "
                        + broker.logFile() + ". What is finished is kept, the rest can be resumed");
            }
        }
    }

    private boolean hasAllBrokers() {
        return brokers.forked().stream().allMatch(Broker::isRunning);
    }

    /** Whether fetches of that point are to be counted, and can be. */
    public boolean countsFetches(WorkloadPoint point) {
        return point.countsFetches() && !brokers.forked().isEmpty();
    }

    /** What consumers have fetched so far; only where {@link #countsFetches}. */
    public FetchCounter.Count fetched() {
        return new FetchCounter(beans()).read();
    }

    /** What requests took so far; null where brokers cannot be asked, which is no reason not to measure. */
    public BrokerTimes.@Nullable Reading times() {
        if (brokers.forked().isEmpty()) {
            return null;
        }
        try {
            return new BrokerTimes(beans()).read();
        } catch (BenchException e) {
            return null;
        }
    }

    /**
     * What brokers were at since the last call, by name; empty where they cannot be asked, or one is lost. To be called once a
     * second at most: it takes them some milliseconds.
     */
    public Map<String, Double> sample() {
        if (brokers.forked().isEmpty() || !lost.isEmpty()) {
            return Map.of();
        }
        try {
            BrokerSeries looked = series;
            if (looked == null) {
                looked = new BrokerSeries(beans());
                series = looked;
            }
            return looked.look();
        } catch (BenchException e) {
            return Map.of();
        }
    }

    private BrokerBeans beans() {
        BrokerBeans attached = beans;
        if (attached == null) {
            attached = new BrokerBeans(brokers.forked());
            beans = attached;
        }
        return attached;
    }

    /** How many records the topic has once it has so many, or after a while: nobody waits for what is not acknowledged. */
    private long written(String topic, long expected) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            long written = endOffsets(topic).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            if (written >= expected || System.nanoTime() - deadline >= 0) {
                return written;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    /** How many records the topic has that no transaction has aborted. */
    private long committed(String topic) {
        return CommittedRecords.count(connection(), topic);
    }

    /** With what the brokers have, where a driver itself cannot tell. */
    public LedgerFigures checked(WorkloadPoint point, String topic, LedgerFigures ledger) {
        return switch (point.scenario()) {
            case PRODUCE ->
                ledger.withWritten(
                        point.producesInTransactions() ? committed(topic) : written(topic, ledger.distinct()));
            case PIPELINE -> ledger.withOutput(written(sink, ledger.distinct() + ledger.duplicates()));
            default -> ledger;
        };
    }

    /**
     * Which records of the one pass that wrote to a topic stand there, in words; empty where none were produced. Counts alone do
     * not tell a record that was written twice from an acknowledgement that was lost.
     */
    public String writtenNumbers(WorkloadPoint point, String topic, long recordsPerPartition) {
        return point.scenario() == Scenario.PRODUCE
                ? WrittenNumbers.told(connection(), topic, point.partitions(), recordsPerPartition)
                : "";
    }

    /**
     * A pass of {@link Scenario#COPY} with the records, time and ledger that the output tells; any other as it is.
     *
     * @param recordsPerPartition of the input
     * @param group that of the pass
     * @throws RunFailure if the output cannot be told, or was not committed together with the offsets
     */
    public Report.Passed copied(
            WorkloadPoint point, String topic, long recordsPerPartition, String group, Report.Passed passed) {
        if (point.scenario() != Scenario.COPY) {
            return passed;
        }
        long[] each = new long[point.partitions()];
        Arrays.fill(each, recordsPerPartition);
        return copies(point, topic, each, group, sink).figures(passed);
    }

    /**
     * What the {@link #output} of a group tells that copies by plan.
     *
     * @param ends of the input, by partition
     * @throws RunFailure if it cannot be told, or was not committed together with the offsets
     */
    public LedgerFigures copied(WorkloadPoint point, String topic, long[] ends, String group) {
        return copies(point, topic, ends, group, output).ledger();
    }

    private CopiedRecords copies(WorkloadPoint point, String topic, long[] ends, String group, String written) {
        long[] committed = new long[point.partitions()];
        Asked.of(
                        "what group " + group + " committed",
                        brokers.admin()
                                .listConsumerGroupOffsets(
                                        group, new ListConsumerGroupOffsetsOptions().requireStable(true))
                                .partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    if (partition.topic().equals(topic) && offset != null) {
                        committed[partition.partition()] = offset.offset();
                    }
                });
        return new CopiedRecords(point, ends, committed).read(connection(), written);
    }

    /** Writes the records of a topic. */
    public interface Filler {
        void fill(String topic) throws InterruptedException;
    }

    /** The name of a topic with the numbered records of this point; fills it if it is not there whole. */
    public String filled(WorkloadPoint point, long recordsPerPartition) throws InterruptedException {
        FillPlan plan = FillPlan.of(point, recordsPerPartition);
        String content = String.format(
                Locale.ROOT,
                "fill-p%d-n%d-v%d-b%d-%s%s%s%s%s%s",
                point.partitions(),
                recordsPerPartition,
                point.valueBytes(),
                point.batchBytes(),
                point.compression(),
                point.keys() == 0 ? "" : "-k" + point.keys() + "-z" + point.keySkew(),
                point.spreadsValueBytes() ? "-u" : "",
                point.randomShare() == 0 ? "" : "-r" + point.randomShare(),
                payload(point),
                plan.suffix() + (point.scenario() != Scenario.COPY ? "" : point.isPlanned() ? "-cp" : "-c"));
        return fillOnce(content, point.partitions(), plan.endOffset(), name -> fill(name, point, plan));
    }

    /** What else tells topics apart. */
    private String payload(WorkloadPoint point) {
        ValueFile file = valueFile(point);
        return (file == null ? "" : "-f" + file.digest())
                + point.valueSizes().sizes().stream()
                        .map(size -> "-s" + size.bytes() + "x" + size.share())
                        .collect(Collectors.joining())
                + (point.headers() == 0 ? "" : "-h" + point.headers() + "x" + point.headerBytes());
    }

    private @Nullable ValueFile valueFile(WorkloadPoint point) {
        Path path = point.valueFile();
        return path == null ? null : valueFiles.computeIfAbsent(path, ValueFile::read);
    }

    /** Names the content of all that values of these points are taken from; empty where they are made. */
    public String valueDigests(List<WorkloadPoint> points) {
        Set<String> digests = new LinkedHashSet<>();
        for (WorkloadPoint point : points) {
            ValueFile file = valueFile(point);
            if (file != null) {
                digests.add(file.digest());
            }
        }
        return String.join(" ", digests);
    }

    private static List<Header> headers(WorkloadPoint point) {
        List<Header> headers = new ArrayList<>();
        Random random = new Random(3);
        for (int i = 0; i < point.headers(); i++) {
            byte[] value = new byte[point.headerBytes()];
            random.nextBytes(value);
            headers.add(new RecordHeader("header-" + i, value));
        }
        return headers;
    }

    /** The name of the topic with that content; lets it be filled if it is not there with all partitions ending there. */
    public String fillOnce(String content, int partitions, long endOffset, Filler filler) throws InterruptedException {
        String topic = brokers.named(content);
        if (!filled.add(topic)) {
            return topic;
        }
        if (exists(topic)) {
            if (endOffsets(topic).values().stream().allMatch(end -> end == endOffset)) {
                return topic;
            }
            brokers.delete(topic); // An interrupted campaign left it half full.
        }
        create(topic, partitions, 1, FILLED);
        filler.fill(topic);
        return topic;
    }

    /** The name of the last {@link #fresh}. */
    public String sink() {
        return sink;
    }

    /** A new topic, for those who write. */
    public String fresh(WorkloadPoint point) {
        deleteOfDrivers();
        sink = createdAnew(SINK, point);
        return sink;
    }

    /** Another one, for a group that copies what a generator sends to {@link #begun}; both are deleted with the run. */
    public String output(WorkloadPoint point) {
        output = createdAnew("output", point);
        return output;
    }

    private String createdAnew(String kind, WorkloadPoint point) {
        String topic = brokers.namedAnew(kind + "-p" + point.partitions());
        if (exists(topic)) {
            brokers.delete(topic); // An interrupted campaign left it.
        }
        create(topic, point.partitions(), point.replicas(), point.scenario() == Scenario.COPY ? COPIED : WRITTEN);
        return topic;
    }

    /** A new topic with a record in each partition, from which on others are sent by a plan. */
    public String begun(WorkloadPoint point) {
        String topic = fresh(point);
        fill(topic, point, new FillPlan(1, 0, 0));
        return topic;
    }

    /** Deletes what the last run had to itself, if there are brokers to ask: its share group, and the topic of {@link #fresh}. */
    public void deleteOfRun() {
        try {
            deleteShareGroup();
            if (hasAllBrokers()) {
                settingsOfRun.forEach(made -> made.remove(brokers.admin()));
            }
            settingsOfRun.clear();
        } finally {
            deleteOfDrivers();
        }
    }

    private void deleteOfDrivers() {
        for (String topic : List.of(sink, output)) {
            if (!topic.isEmpty() && hasAllBrokers() && exists(topic)) {
                brokers.delete(topic);
            }
        }
        sink = "";
        output = "";
    }

    /**
     * Creates a topic and waits until each partition's leader answers: an idempotent producer whose first batch is refused
     * and whose second one is taken, because the leader came up between them, never gets the first one in.
     */
    private void create(String topic, int partitions, int replicas, Map<String, String> config) {
        brokers.create(topic, partitions, replicas, config);
        endOffsets(topic);
    }

    private boolean exists(String topic) {
        return Asked.of("for their topics", brokers.admin().listTopics().names())
                .contains(topic);
    }

    private Map<TopicPartition, Long> endOffsets(String topic) {
        Admin admin = brokers.admin();
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        Asked.of("for topic " + topic, admin.describeTopics(List.of(topic)).allTopicNames())
                .values()
                .forEach(description -> description
                        .partitions()
                        .forEach(partition ->
                                latest.put(new TopicPartition(topic, partition.partition()), OffsetSpec.latest())));
        Map<TopicPartition, Long> ends = new HashMap<>();
        Asked.of("for the ends of topic " + topic, admin.listOffsets(latest).all())
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    private void fill(String topic, WorkloadPoint point, FillPlan plan) {
        new TopicFill(topic, point, plan, Values.of(point, valueFile(point)), headers(point), isStopped)
                .run(connection(), brokers.namedAnew("filler"));
    }

    private Map<String, String> connection() {
        Map<String, String> connection = new HashMap<>(client());
        connection.put("bootstrap.servers", bootstrapServers());
        return connection;
    }

    /** Whether the group has committed the end of every partition that it read whole, or has accepted all before it. */
    public boolean committedAll(String group, String topic, FillPlan plan) {
        ShareGroup shared = shareGroup;
        if (shared != null && shared.name().equals(group)) {
            return shared.isPast(endOffsets(topic).keySet(), plan.leastCommitted());
        }
        Map<TopicPartition, OffsetAndMetadata> committed = Asked.of(
                "what group " + group + " committed",
                brokers.admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        return endOffsets(topic).keySet().stream().allMatch(partition -> {
            OffsetAndMetadata offset = committed.get(partition);
            return offset != null && offset.offset() >= plan.leastCommitted() && offset.offset() <= plan.endOffset();
        });
    }

    /** How many records each partition of a topic has. */
    public long[] ends(String topic) {
        Map<TopicPartition, Long> ends = endOffsets(topic);
        long[] byPartition = new long[ends.size()];
        ends.forEach((partition, end) -> byPartition[partition.partition()] = end);
        return byPartition;
    }

    /** How many records of a topic the group has not committed, or accepted, yet. */
    public long lag(String group, String topic) {
        Map<TopicPartition, Long> ends = endOffsets(topic);
        ShareGroup shared = shareGroup;
        return shared != null && shared.name().equals(group)
                ? shared.lag(ends)
                : GroupLag.of(brokers.admin(), group, ends);
    }

    @Override
    public void close() {
        closeBeans();
        try (brokers) {
            try {
                deleteOfRun();
                if (hasAllBrokers()) {
                    leftGroups.deleteAll();
                }
            } finally {
                brokers.cleanUp();
            }
        }
    }
}
