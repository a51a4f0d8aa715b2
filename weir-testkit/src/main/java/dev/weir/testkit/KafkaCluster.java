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
 * <p>The cluster owns its brokers, its admin client and, unless a folder was given, its folder. {@link #close} stops
 * the brokers, closes the client and deletes the folder if the cluster owns it.
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

    /**
     * Returns a builder. Unless configured otherwise, the cluster has one broker in this JVM, on a free port, with a
     * temporary folder.
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the addresses of all brokers, running or not, for {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return layout.bootstrapServers();
    }

    /**
     * Returns the addresses of the listeners added by {@link Builder#secured}.
     *
     * @throws IllegalStateException if there are none
     */
    public String securedBootstrapServers() {
        if (layout.securedPorts().isEmpty()) {
            throw new IllegalStateException("the cluster has no secured listeners: it was built without secured()");
        }
        return layout.securedBootstrapServers();
    }

    /** Returns the cluster's id, which stays the same as long as the data folder exists. */
    public String clusterId() {
        return folder.clusterId();
    }

    /** Returns all brokers, in ascending order of their ids. */
    public List<Broker> brokers() {
        return brokers;
    }

    /** Returns the broker with that id. Ids start at 1. */
    public Broker broker(int id) {
        if (id < 1 || id > brokers.size()) {
            throw new IllegalArgumentException("broker id must be 1 to " + brokers.size() + ": id=" + id);
        }
        return brokers.get(id - 1);
    }

    /** Returns the cluster's own admin client, which callers must not close. */
    public Admin admin() {
        return topics.admin();
    }

    /**
     * Creates a topic with one replica per broker, but at most 3. Returns when every running broker knows a leader for
     * each partition.
     */
    public void createTopic(String topic, int partitions) {
        createTopic(topic, partitions, Map.of());
    }

    /**
     * Creates a topic with the given settings, such as {@code cleanup.policy}. Otherwise the same as
     * {@link #createTopic(String, int)}.
     */
    public void createTopic(String topic, int partitions, Map<String, String> config) {
        createTopic(topic, partitions, layout.replicationFactor(), config);
    }

    /**
     * Creates a topic with the given number of replicas. Returns when every running broker knows a leader for each
     * partition.
     */
    public void createTopic(String topic, int partitions, int replicas, Map<String, String> config) {
        topics.create(topic, partitions, replicas, config);
    }

    /** Creates a topic with the replicas of each partition on the given brokers, preferred leader first. */
    public void createTopic(String topic, Map<Integer, List<Integer>> brokersByPartition) {
        topics.create(topic, brokersByPartition);
    }

    /** Deletes a topic. Returns when no running broker knows the topic any more. */
    public void deleteTopic(String topic) {
        topics.delete(topic);
    }

    /** Waits until all replicas of the topic's partitions are in sync, according to every broker that responds. */
    public void awaitInSync(String topic) {
        topics.awaitInSync(topic);
    }

    /**
     * Returns the offset after the last record of each partition, counting the records of open and aborted
     * transactions.
     */
    public Map<TopicPartition, Long> endOffsets(String topic) {
        return topics.endOffsets(topic);
    }

    /** Returns the group's committed offsets. Partitions without a commit are absent. */
    public Map<TopicPartition, Long> committedOffsets(String group) {
        return topics.committedOffsets(group);
    }

    /** Returns the folder that contains the cluster's data and logs. */
    public Path folder() {
        return folder.path();
    }

    /** Returns the folder that contains the brokers' logs. */
    public Path logs() {
        return folder.logs();
    }

    /**
     * Makes {@link #close} retain a temporary folder, so that the logs of a failed test can be read. {@link #close}
     * then logs the folder's path.
     */
    public void keepFolder() {
        keepFolder = true;
    }

    /** Stops all brokers, even frozen ones. Deletes a temporary folder unless {@link #keepFolder()} was called. */
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

    /** Settings of a cluster to start. Confined to one thread; may be reused. */
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

        /**
         * Sets the number of brokers, 1 to 16; 1 by default. With 3 or more, the cluster survives the loss of any one
         * broker.
         */
        public Builder brokers(int count) {
            this.brokers = count;
            return this;
        }

        /**
         * Runs all brokers in this JVM. This is the default and the quickest way, but such brokers cannot be killed or
         * frozen.
         */
        public Builder inProcess() {
            this.forked = false;
            return this;
        }

        /** Runs each broker in its own JVM, which terminates when this JVM terminates for whatever reason. */
        public Builder forked() {
            this.forked = true;
            return this;
        }

        /**
         * Sets the class path of another Kafka server release for {@link #forked} brokers. It must contain that
         * release's {@code kafka_2.13} jar, the dependencies of the jar, and an slf4j binding for logs. The release
         * formats the brokers' folders and runs on this JVM's JDK. Versions 3.3 to 4.4 are known to work. By default,
         * brokers run the server on this JVM's class path.
         *
         * @throws IllegalArgumentException if the class path is empty or names a file that does not exist
         */
        public Builder serverClassPath(List<Path> classPath) {
            this.release = new ServerRelease(Objects.requireNonNull(classPath, "classPath"));
            return this;
        }

        /**
         * Sets the port of the first broker. The other brokers use the ports that follow it. The default is 0, which
         * selects any free ports.
         */
        public Builder port(int port) {
            this.firstPort = port;
            return this;
        }

        /**
         * Sets a data folder, which the testkit does not delete. A later cluster that uses the same folder has the same
         * cluster id, topics and offsets, on any ports. The folder must be new, empty, or from a cluster with the same
         * number of brokers. The default is a temporary folder.
         */
        public Builder dataFolder(Path folder) {
            this.dataFolder = Objects.requireNonNull(folder, "folder");
            return this;
        }

        /**
         * Sets a property of every broker, such as {@code auto.create.topics.enable}. The property overrides the
         * testkit's own setting.
         */
        public Builder brokerConfig(String name, String value) {
            brokerConfig.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Sets the racks of the brokers, in the order of the brokers' ids. If there are more brokers than racks, the
         * list of racks is repeated. Brokers then direct a consumer with a {@code client.rack} to a replica in its
         * rack. By default, brokers have no racks.
         */
        public Builder racks(String... racks) {
            for (String rack : Objects.requireNonNull(racks, "racks")) {
                Objects.requireNonNull(rack, "racks has a null");
            }
            this.racks = List.of(racks);
            return this;
        }

        /**
         * Adds a second listener, with {@code SASL_SSL} and on a free port, to each broker. The caller configures keys,
         * mechanisms and users through {@link #brokerConfig}, with names that begin with {@code listener.name.secured.}
         */
        public Builder secured() {
            this.secured = true;
            return this;
        }

        /**
         * Puts the log directory of each {@link #forked} broker on a disk that can fail; see {@link Broker#fillDisk}
         * and {@link Broker#slowDisk}. By default, disks cannot fail.
         */
        public Builder diskFaults() {
            this.diskFaults = true;
            return this;
        }

        /**
         * Sets the heap of each forked broker in MB, at least 128; 512 by default. Brokers in this JVM use its heap.
         */
        public Builder heapMegabytes(int megabytes) {
            this.heapMegabytes = megabytes;
            return this;
        }

        /**
         * Starts the brokers. Returns when all of them serve clients and know each other.
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
