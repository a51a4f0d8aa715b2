package dev.weir.bench.cluster;

import dev.weir.bench.fill.FillPlan;
import dev.weir.bench.fill.TopicFill;
import dev.weir.bench.fill.ValueFile;
import dev.weir.bench.fill.Values;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Scenario;
import dev.weir.driver.TopicSet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * The topics of a campaign. Input topics are named after their content, so that later runs reuse them. Output topics
 * belong to a single run. Confined to one thread.
 */
public final class BenchTopics {
    private static final String SINK = "sink";

    // Brokers refuse records without a key in a compacted topic, and compaction may be the cluster's default.
    private static final Map<String, String> WRITTEN = Map.of("cleanup.policy", "delete");

    // The timestamp of each copy is the broker's append time.
    private static final Map<String, String> COPIED =
            Map.of("cleanup.policy", "delete", "message.timestamp.type", "LogAppendTime");

    // Brokers keep all records, and store batches as the producer sent them.
    private static final Map<String, String> FILLED = Map.of(
            "cleanup.policy", "delete", "retention.ms", "-1", "retention.bytes", "-1", "compression.type", "producer");

    // Kafka allows 249 characters. A topic's name also has a prefix of up to 80 characters and a number.
    private static final int MAX_CONTENT = 150;

    private final Brokers brokers;
    private final BrokerLosses losses;
    private final BooleanSupplier isStopped;
    private final Set<String> filled = new HashSet<>(); // topics that are known to be filled
    private final Map<Path, ValueFile> valueFiles = new HashMap<>();
    private String sink = ""; // names from the last fresh(); empty if there are none
    private String output = ""; // names from the last output(); empty if there are none

    BenchTopics(Brokers brokers, BrokerLosses losses, BooleanSupplier isStopped) {
        this.brokers = brokers;
        this.losses = losses;
        this.isStopped = isStopped;
    }

    /** Writes the records of a topic. */
    public interface Filler {
        void fill(String topic) throws InterruptedException;
    }

    /**
     * Returns the names of the topics with this point's numbered records, in the text form of a {@link TopicSet}. Fills
     * topics that are missing or incomplete.
     */
    public String filled(WorkloadPoint point, long recordsPerPartition) throws InterruptedException {
        FillPlan plan = FillPlan.of(point, recordsPerPartition);
        String content = shortened(String.format(
                Locale.ROOT,
                "fill-p%d-n%d-v%d-b%d-%s%s%s%s%s%s",
                point.partitionsOfTopic(),
                recordsPerPartition,
                point.valueBytes(),
                point.batchBytes(),
                point.compression(),
                point.keys() == 0 ? "" : "-k" + point.keys() / point.topics() + "-z" + point.keySkew(),
                point.spreadsValueBytes() ? "-u" : "",
                point.randomShare() == 0 ? "" : "-r" + point.randomShare(),
                payload(point),
                plan.suffix()
                        + replicated(point)
                        + (point.scenario() != Scenario.COPY ? "" : point.isPlanned() ? "-cp" : "-c")));
        List<String> names = new ArrayList<>();
        for (int topic = 0; topic < point.topics(); topic++) {
            int index = topic;
            names.add(fillOnce(
                    content + ofSeveral(topic), point, plan.endOffset(), name -> fill(name, index, point, plan)));
        }
        return TopicSet.text(names);
    }

    /** Shortens a name that is too long for a topic, by replacing its end with a digest. */
    static String shortened(String content) {
        if (content.length() <= MAX_CONTENT) {
            return content;
        }
        String digest =
                UUID.nameUUIDFromBytes(content.getBytes(StandardCharsets.UTF_8)).toString();
        return content.substring(0, MAX_CONTENT - 1 - digest.length()) + "-" + digest;
    }

    /** Returns the part of a topic's name that shows its replica count; empty for one replica. */
    private static String replicated(WorkloadPoint point) {
        return point.replicas() == 1 ? "" : "-rf" + point.replicas();
    }

    /** Returns the suffix that distinguishes topics that are read together; empty for the first topic. */
    private static String ofSeveral(int index) {
        return index == 0 ? "" : "-topic" + (index + 1);
    }

    /** Returns the part of a topic's name that describes its values and headers. */
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

    /** Returns the digests of the value files of these points, separated by spaces; empty if values are generated. */
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

    /**
     * Returns the name of the topic with this content. Fills the topic first if a partition does not end at
     * {@code endOffset}.
     */
    public String fillOnce(String content, WorkloadPoint point, long endOffset, Filler filler)
            throws InterruptedException {
        String topic = brokers.named(content);
        if (!filled.add(topic)) {
            return topic;
        }
        if (exists(topic)) {
            if (endOffsets(topic).values().stream().allMatch(end -> end == endOffset)) {
                return topic;
            }
            brokers.delete(topic); // incomplete, because its campaign was interrupted
        }
        create(topic, point.partitionsOfTopic(), point.replicas(), FILLED);
        filler.fill(topic);
        return topic;
    }

    /** Returns the names of the current output topics; empty if there are none. */
    public String sink() {
        return sink;
    }

    /**
     * Creates a new output topic for each topic of the point. Returns the names in the text form of a {@link TopicSet}.
     */
    public String fresh(WorkloadPoint point) {
        deleteOfRun();
        sink = createFresh(SINK, point);
        return sink;
    }

    /**
     * Creates the output topic of a group that copies the records of {@link #begun}. Both the input and the output
     * topic are deleted with the run.
     */
    public String output(WorkloadPoint point) {
        output = createFresh("output", point);
        return output;
    }

    String output() {
        return output;
    }

    private String createFresh(String kind, WorkloadPoint point) {
        List<String> made = new ArrayList<>();
        for (int index = 0; index < point.topics(); index++) {
            String topic = brokers.freshName(kind + "-p" + point.partitionsOfTopic() + ofSeveral(index));
            if (exists(topic)) {
                brokers.delete(topic); // Left by an interrupted campaign.
            }
            create(
                    topic,
                    point.partitionsOfTopic(),
                    point.replicas(),
                    point.scenario() == Scenario.COPY ? COPIED : WRITTEN);
            made.add(topic);
        }
        return TopicSet.text(made);
    }

    /** Creates new topics with one record in each partition. A generator then adds records at their planned times. */
    public String begun(WorkloadPoint point) {
        String topics = fresh(point);
        List<String> names = TopicSet.names(topics);
        for (int index = 0; index < names.size(); index++) {
            fill(names.get(index), index, point, new FillPlan(1, 0, 0));
        }
        return topics;
    }

    /** Deletes the topics of the last run, if brokers are reachable. */
    void deleteOfRun() {
        for (String topics : List.of(sink, output)) {
            for (String topic : TopicSet.names(topics)) {
                if (!topic.isEmpty() && losses.hasAll() && exists(topic)) {
                    brokers.delete(topic);
                }
            }
        }
        sink = "";
        output = "";
    }

    /**
     * Creates a topic and waits until all leaders respond. An idempotent producer cannot recover if a leader refuses
     * only the producer's first batch.
     */
    private void create(String topic, int partitions, int replicas, Map<String, String> config) {
        brokers.create(topic, partitions, replicas, config);
        endOffsets(topic);
    }

    private boolean exists(String topic) {
        return Asked.of("for their topics", brokers.admin().listTopics().names())
                .contains(topic);
    }

    /** Returns the end offsets of all partitions of one or more topics. */
    Map<TopicPartition, Long> endOffsets(String topics) {
        Admin admin = brokers.admin();
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        Asked.of(
                        "for topic " + topics,
                        admin.describeTopics(TopicSet.names(topics)).allTopicNames())
                .values()
                .forEach(description -> description
                        .partitions()
                        .forEach(partition -> latest.put(
                                new TopicPartition(description.name(), partition.partition()), OffsetSpec.latest())));
        Map<TopicPartition, Long> ends = new HashMap<>();
        Asked.of("for the ends of topic " + topics, admin.listOffsets(latest).all())
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    /** Returns the end offsets of all partitions of one or more topics, in the order of {@link TopicSet#number}. */
    public long[] ends(String topics) {
        Map<TopicPartition, Long> ends = endOffsets(topics);
        TopicSet set = TopicSet.of(topics, ends.size());
        long[] byPartition = new long[ends.size()];
        ends.forEach((partition, end) -> byPartition[set.number(partition.topic(), partition.partition())] = end);
        return byPartition;
    }

    private void fill(String topic, int index, WorkloadPoint point, FillPlan plan) {
        new TopicFill(topic, index, point, plan, Values.of(point, valueFile(point)), headers(point), isStopped)
                .run(brokers.connection(), brokers.freshName("filler"));
    }
}
