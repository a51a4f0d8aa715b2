package dev.weir.bench.run;

import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Forked brokers in a folder that outlives the campaign, and the topics in it, each named after its content: what is
 * there is not filled again. Confined to one thread.
 */
final class BenchCluster implements AutoCloseable {
    private static final String SINK = "sink";
    private static final int BLOCK_RECORDS = 1000;
    private static final int HEAP_MEGABYTES = 1024;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final KafkaCluster cluster;
    private final BooleanSupplier isStopped;
    private final Set<String> filled = new HashSet<>(); // known to be
    private final Map<Path, ValueFile> valueFiles = new HashMap<>();
    private @Nullable BrokerBeans beans; // attached when first asked for

    private BenchCluster(KafkaCluster cluster, BooleanSupplier isStopped) {
        this.cluster = cluster;
        this.isStopped = isStopped;
    }

    /**
     * Starts so many brokers over what an earlier campaign left in {@code data}.
     *
     * @param isStopped whether to give up filling a topic
     */
    static BenchCluster start(Path data, int brokers, BooleanSupplier isStopped) {
        KafkaCluster cluster = KafkaCluster.builder()
                .brokers(brokers)
                .forked()
                .heapMegabytes(HEAP_MEGABYTES)
                .brokerConfig("log.retention.ms", "-1")
                // What a run wrote is to be gone before the next one, not amid it, gigabytes at a time.
                .brokerConfig("log.segment.delete.delay.ms", "500")
                .brokerConfig("auto.create.topics.enable", "false")
                .dataFolder(data.resolve("brokers-" + brokers))
                .start();
        return new BenchCluster(cluster, isStopped);
    }

    String bootstrapServers() {
        return cluster.bootstrapServers();
    }

    /** What the brokers are: where, how large, and what they are set to besides their defaults. */
    Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        ConfigResource first = new ConfigResource(ConfigResource.Type.BROKER, "1");
        asked(
                        "what they are set to",
                        cluster.admin().describeConfigs(List.of(first)).all())
                .values()
                .stream()
                .flatMap(config -> config.entries().stream())
                .filter(entry -> entry.source() != ConfigEntry.ConfigSource.DEFAULT_CONFIG && !entry.isSensitive())
                .forEach(entry -> settings.put("broker." + entry.name(), String.valueOf(entry.value())));
        settings.put("broker.count", Integer.toString(cluster.brokers().size()));
        settings.put("broker.heapMegabytes", Integer.toString(HEAP_MEGABYTES));
        settings.put("broker.place", "forked on the same machine, one replica per partition");
        return settings;
    }

    /** Of the brokers: that of this process's client, beside which they lie on the class path. */
    Map<String, String> versions() {
        Properties version = new Properties();
        try (InputStream in = Admin.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (in != null) {
                version.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the version of kafka-clients cannot be read: " + e, e);
        }
        return Map.of("brokers", "kafka-" + version.getProperty("version", "unknown"));
    }

    /** Processor time of all brokers so far. */
    long cpuNanos() {
        long sum = 0;
        for (Broker broker : cluster.brokers()) {
            sum += ProcessHandle.of(broker.pid())
                    .flatMap(process -> process.info().totalCpuDuration())
                    .orElse(Duration.ZERO)
                    .toNanos();
        }
        return sum;
    }

    /** What consumers have fetched so far. */
    FetchCounter.Count fetched() {
        return new FetchCounter(beans()).read();
    }

    /** What requests took so far; null where brokers cannot be asked, which is no reason not to measure. */
    BrokerTimes.@Nullable Reading times() {
        try {
            return new BrokerTimes(beans()).read();
        } catch (BenchException e) {
            return null;
        }
    }

    private BrokerBeans beans() {
        BrokerBeans attached = beans;
        if (attached == null) {
            attached = new BrokerBeans(cluster.brokers());
            beans = attached;
        }
        return attached;
    }

    /** How many records the topic has once it has so many, or after a while: nobody waits for what is not acknowledged. */
    long written(String topic, long expected) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            long written = cluster.endOffsets(topic).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            if (written >= expected || System.nanoTime() - deadline >= 0) {
                return written;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    /** Writes the records of a topic. */
    interface Filler {
        void fill(String topic) throws InterruptedException;
    }

    /** The name of a topic with the numbered records of this point; fills it if it is not there whole. */
    String filled(WorkloadPoint point, long recordsPerPartition) throws InterruptedException {
        String topic = String.format(
                Locale.ROOT,
                "fill-p%d-n%d-v%d-b%d-%s%s%s%s%s",
                point.partitions(),
                recordsPerPartition,
                point.valueBytes(),
                point.batchBytes(),
                point.compression(),
                point.keys() == 0 ? "" : "-k" + point.keys() + "-z" + point.keySkew(),
                point.spreadsValueBytes() ? "-u" : "",
                point.randomShare() == 0 ? "" : "-r" + point.randomShare(),
                payload(point));
        fillOnce(topic, point.partitions(), recordsPerPartition, name -> fill(name, point, recordsPerPartition));
        return topic;
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

    /** Lets the topic be filled if it is not there with so many records in each partition. */
    void fillOnce(String topic, int partitions, long recordsPerPartition, Filler filler) throws InterruptedException {
        if (!filled.add(topic)) {
            return;
        }
        if (exists(topic)) {
            if (cluster.endOffsets(topic).values().stream().allMatch(end -> end == recordsPerPartition)) {
                return;
            }
            cluster.deleteTopic(topic); // An interrupted campaign left it half full.
        }
        create(topic, partitions, Map.of("retention.ms", "-1"));
        filler.fill(topic);
    }

    /** The name of {@link #fresh}. */
    static String sink(WorkloadPoint point) {
        return SINK + "-p" + point.partitions();
    }

    /** A new topic, for those who write. */
    String fresh(WorkloadPoint point) {
        String topic = sink(point);
        deleteSink(point);
        create(topic, point.partitions(), Map.of());
        return topic;
    }

    /** A new topic with a record in each partition, from which on others are sent by a plan. */
    String begun(WorkloadPoint point) {
        String topic = fresh(point);
        fill(topic, point, 1);
        return topic;
    }

    /** Deletes the topic of {@link #fresh}, if it is there. */
    void deleteSink(WorkloadPoint point) {
        String topic = sink(point);
        if (exists(topic)) {
            cluster.deleteTopic(topic);
        }
    }

    /**
     * Creates a topic and waits until each partition's leader answers: an idempotent producer whose first batch is refused
     * and whose second one is taken, because the leader came up between them, never gets the first one in.
     */
    private void create(String topic, int partitions, Map<String, String> config) {
        cluster.createTopic(topic, partitions, 1, config);
        cluster.endOffsets(topic);
    }

    private boolean exists(String topic) {
        return asked("for their topics", cluster.admin().listTopics().names()).contains(topic);
    }

    private static <T> T asked(String what, KafkaFuture<T> answer) {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw new BenchException("brokers cannot be asked " + what + ": " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    private void fill(String topic, WorkloadPoint point, long recordsPerPartition) {
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        Values values = Values.of(point, valueFile(point));
        List<Header> headers = headers(point);
        Keys keys = new Keys(point.keys() / point.partitions(), point.keySkew());
        Map<String, Object> config = Map.of(
                "bootstrap.servers", bootstrapServers(),
                "batch.size", point.batchBytes(),
                "linger.ms", 5,
                "buffer.memory", 64L << 20,
                "compression.type", point.compression());
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long from = 0; from < recordsPerPartition; from += BLOCK_RECORDS) {
                if (isStopped.getAsBoolean()) {
                    throw new BenchException("stopped while topic " + topic + " was being filled");
                }
                long to = Math.min(from + BLOCK_RECORDS, recordsPerPartition);
                for (int partition = 0; partition < point.partitions(); partition++) {
                    for (long number = from; number < to; number++) {
                        byte[] value = values.next(number);
                        var unused = producer.send(
                                new ProducerRecord<>(topic, partition, keys.next(partition), value, headers),
                                (written, e) -> {
                                    if (e != null) {
                                        failure.compareAndSet(null, e);
                                    }
                                });
                    }
                }
            }
        }
        Exception cause = failure.get();
        if (cause != null) {
            throw new BenchException("topic " + topic + " could not be filled: " + cause, cause);
        }
    }

    /** Whether the group has committed the end of every partition that it read whole. */
    boolean committedAll(String group, String topic, long recordsPerPartition) {
        Map<TopicPartition, Long> committed = cluster.committedOffsets(group);
        return cluster.endOffsets(topic).keySet().stream()
                .allMatch(partition -> committed.getOrDefault(partition, 0L) == recordsPerPartition);
    }

    @Override
    public void close() {
        BrokerBeans attached = beans;
        if (attached != null) {
            attached.close();
        }
        cluster.close();
    }
}
