package dev.weir.testkit;

import dev.weir.testkit.internal.ClusterFolder;
import dev.weir.testkit.internal.ClusterLayout;
import dev.weir.testkit.internal.ClusterOptions;
import dev.weir.testkit.internal.LogCapture;
import dev.weir.testkit.internal.ServerRelease;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running Kafka cluster of one or several brokers on the loopback interface. Thread-safe.
 *
 * <pre>{@code
 * try (KafkaCluster cluster = KafkaCluster.builder().brokers(3).forked().start()) {
 *     cluster.createTopic("orders", 6);
 *     cluster.broker(1).kill();
 * }
 * }</pre>
 *
 * <p>It owns its brokers, its admin client and, unless one was given, its folder: {@link #close} ends and deletes them.
 */
public final class KafkaCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaCluster.class);

    private final ClusterFolder folder;
    private final ClusterLayout layout;
    private final List<Broker> brokers;
    private final @Nullable LogCapture logCapture;
    private final TopicAdmin topics;
    private final AtomicBoolean closed = new AtomicBoolean();

    private volatile boolean keepFolder;

    KafkaCluster(
            ClusterFolder folder,
            ClusterLayout layout,
            List<Broker> brokers,
            @Nullable LogCapture logCapture,
            Admin admin) {
        this.folder = folder;
        this.layout = layout;
        this.brokers = brokers;
        this.logCapture = logCapture;
        this.topics = new TopicAdmin(admin, brokers);
    }

    /** A cluster of one broker in this JVM, on any free port, in a temporary folder, until told otherwise. */
    public static Builder builder() {
        return new Builder();
    }

    /** Addresses of all brokers, running or not, for {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return layout.bootstrapServers();
    }

    /**
     * Addresses of the listeners that {@link Builder#secured} added.
     *
     * @throws IllegalStateException if there are none
     */
    public String securedBootstrapServers() {
        if (layout.securedPorts().isEmpty()) {
            throw new IllegalStateException("the cluster has no secured listeners: it was built without secured()");
        }
        return layout.securedBootstrapServers();
    }

    /** The cluster's id, which lasts as long as its data folder. */
    public String clusterId() {
        return folder.clusterId();
    }

    /** All brokers by ascending id. */
    public List<Broker> brokers() {
        return brokers;
    }

    /** The broker with that id; ids start at 1. */
    public Broker broker(int id) {
        if (id < 1 || id > brokers.size()) {
            throw new IllegalArgumentException("broker id must be 1 to " + brokers.size() + ": id=" + id);
        }
        return brokers.get(id - 1);
    }

    /** The admin client that the cluster itself uses. Not the caller's to close. */
    public Admin admin() {
        return topics.admin();
    }

    /** Creates a topic with as many replicas as there are brokers, but at most 3, and waits as all its siblings do. */
    public void createTopic(String topic, int partitions) {
        createTopic(topic, partitions, Map.of());
    }

    /** Creates a topic with its own settings, such as {@code cleanup.policy}. */
    public void createTopic(String topic, int partitions, Map<String, String> config) {
        createTopic(topic, partitions, layout.replicationFactor(), config);
    }

    /** Creates a topic with that many replicas. Returns when each running broker knows a leader of each partition. */
    public void createTopic(String topic, int partitions, int replicas, Map<String, String> config) {
        topics.create(topic, partitions, replicas, config);
    }

    /** Creates a topic whose partitions have their replicas, preferred leader first, on the given brokers. */
    public void createTopic(String topic, Map<Integer, List<Integer>> brokersByPartition) {
        topics.create(topic, brokersByPartition);
    }

    /** Deletes a topic. Returns when no running broker knows it. */
    public void deleteTopic(String topic) {
        topics.delete(topic);
    }

    /** Returns when all replicas of all partitions of the topic are in sync and all brokers that answer agree on it. */
    public void awaitInSync(String topic) {
        topics.awaitInSync(topic);
    }

    /** Offsets past the last record of each partition; open and aborted transactions count. */
    public Map<TopicPartition, Long> endOffsets(String topic) {
        return topics.endOffsets(topic);
    }

    /** The offsets the group has committed; partitions without a commit are absent. */
    public Map<TopicPartition, Long> committedOffsets(String group) {
        return topics.committedOffsets(group);
    }

    /** The folder of data and logs. */
    public Path folder() {
        return folder.path();
    }

    /** The folder of the brokers' logs. */
    public Path logs() {
        return folder.logs();
    }

    /**
     * Keeps a temporary folder on close, so that the logs of a failed test can be read; close then logs where it is.
     */
    public void keepFolder() {
        keepFolder = true;
    }

    /** Stops all brokers, frozen ones too. A temporary folder is deleted unless it was to be kept. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        topics.close();
        ClusterStart.shutDown(brokers, folder, logCapture, keepFolder);
        if (keepFolder) {
            LOG.warn("data and logs of the cluster are kept in {}", folder.path());
        }
    }

    /** Describes a cluster that is to be started. Confined to one thread; may be used again. */
    public static final class Builder {
        private final Map<String, String> brokerConfig = new HashMap<>();

        private int brokers = 1;
        private boolean forked;
        private int firstPort = ClusterOptions.ANY_PORT;
        private @Nullable Path dataFolder;
        private int heapMegabytes = 512;
        private boolean secured;
        private boolean diskFaults;
        private List<String> racks = List.of();
        private @Nullable ServerRelease release;

        private Builder() {}

        /** The number of brokers, 1 to 16; 1 by default. With 3 or more, the cluster survives the loss of any one. */
        public Builder brokers(int count) {
            this.brokers = count;
            return this;
        }

        /** All brokers in this JVM, the default: quickest, but they cannot be killed or frozen. */
        public Builder inProcess() {
            this.forked = false;
            return this;
        }

        /** Each broker in a JVM of its own, which ends with this one, however this one ends. */
        public Builder forked() {
            this.forked = true;
            return this;
        }

        /**
         * The class path of another Kafka server release for the brokers, which have to be {@link #forked}: the jars of
         * {@code kafka_2.13} in that version and of all that it depends on, and an slf4j binding if the brokers are to
         * log. The release formats the brokers' folders and runs on this JVM's JDK. 3.3 to 4.4 are known to work.
         * By default the server of this JVM's class path.
         *
         * @throws IllegalArgumentException if it is empty or names a file that does not exist
         */
        public Builder serverClassPath(List<Path> classPath) {
            this.release = new ServerRelease(Objects.requireNonNull(classPath, "classPath"));
            return this;
        }

        /** Port of the first broker, the next ones follow; 0, the default, for any free ports. */
        public Builder port(int port) {
            this.firstPort = port;
            return this;
        }

        /**
         * A folder that survives the cluster and can carry the next one: same cluster id, topics and offsets, whatever
         * its ports. It has to be new, empty, or of a cluster with as many brokers. By default a temporary one.
         */
        public Builder dataFolder(Path folder) {
            this.dataFolder = Objects.requireNonNull(folder, "folder");
            return this;
        }

        /** A setting of every broker, such as {@code auto.create.topics.enable}; it overrides the testkit's own. */
        public Builder brokerConfig(String name, String value) {
            brokerConfig.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * The rack of each broker, in the order of their ids, and from the first again if there are more brokers than
         * racks. Brokers then send a consumer with a {@code client.rack} to a replica in its rack.
         * By default there are none.
         */
        public Builder racks(String... racks) {
            for (String rack : Objects.requireNonNull(racks, "racks")) {
                Objects.requireNonNull(rack, "racks has a null");
            }
            this.racks = List.of(racks);
            return this;
        }

        /**
         * A second listener of each broker, on any free port, that speaks {@code SASL_SSL}. Keys, mechanisms and users
         * are the caller's to set, as {@link #brokerConfig} whose names begin with {@code listener.name.secured.}
         */
        public Builder secured() {
            this.secured = true;
            return this;
        }

        /**
         * Puts the log directory of each broker, which has to be {@link #forked}, on a disk that can fail:
         * {@link Broker#fillDisk}, {@link Broker#slowDisk}. By default it cannot.
         */
        public Builder diskFaults() {
            this.diskFaults = true;
            return this;
        }

        /** Heap of each forked broker, at least 128; 512 by default. Brokers in this JVM share its heap. */
        public Builder heapMegabytes(int megabytes) {
            this.heapMegabytes = megabytes;
            return this;
        }

        /**
         * Starts the brokers, and returns when all of them serve clients and know each other.
         *
         * @throws KafkaClusterException if a port or the folder cannot be used, or a broker does not start
         */
        public KafkaCluster start() {
            return ClusterStart.start(new ClusterOptions(
                    brokers,
                    forked,
                    firstPort,
                    dataFolder,
                    new TreeMap<>(brokerConfig),
                    heapMegabytes,
                    racks,
                    secured,
                    diskFaults,
                    release));
        }
    }
}
