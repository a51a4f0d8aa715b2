package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.bench.result.Campaign;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The brokers of a campaign with its topics and groups, and the figures that brokers report. Confined to one thread.
 */
public final class BenchCluster implements AutoCloseable {
    /** Key in {@link #settings}: the ID of an existing cluster. */
    public static final String CLUSTER_ID = Campaign.CLUSTER_ID;

    private final Brokers brokers;
    private final BrokerLosses losses;
    private final BrokerFigures figures;
    private final BenchTopics topics;
    private final BenchGroups groups;
    private final WrittenRecords written;

    private BenchCluster(Brokers brokers, Consumer<String> note, BooleanSupplier isStopped) {
        this.brokers = brokers;
        this.losses = new BrokerLosses(brokers.forked());
        this.figures = new BrokerFigures(brokers.forked(), losses);
        this.topics = new BenchTopics(brokers, losses, isStopped);
        this.groups = new BenchGroups(brokers, topics, losses, note, isStopped);
        this.written = new WrittenRecords(brokers, topics);
        losses.whenLost(figures::close);
    }

    /**
     * Forks brokers on this machine. The brokers end when this process ends.
     *
     * @param data the folder that keeps filled topics between campaigns
     * @param count number of brokers
     * @param release Kafka release of the brokers
     * @param config configuration of each broker; overrides the harness's own
     * @param diskFaults whether the brokers' disks can fail
     * @param note receives messages for the user
     * @param isStopped whether to stop filling a topic
     * @throws BenchException if the brokers do not start with this configuration
     */
    public static BenchCluster forked(
            Path data,
            int count,
            BrokerRelease release,
            Map<String, String> config,
            boolean diskFaults,
            Consumer<String> note,
            BooleanSupplier isStopped) {
        return new BenchCluster(new ForkedBrokers(data, count, release, config, diskFaults), note, isStopped);
    }

    /**
     * Connects to existing brokers.
     *
     * @param note receives messages for the user
     * @param isStopped whether to stop filling a topic
     * @throws BenchException if the brokers do not answer
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

    /**
     * Returns a name that identifies an existing cluster and can be used in file names. Returns an empty string if the
     * brokers are the campaign's own.
     */
    public String id() {
        return brokers.id();
    }

    public Map<String, String> settings() {
        return brokers.settings();
    }

    public Map<String, String> versions() {
        return brokers.versions();
    }

    /** The topics that drivers read and write. */
    public BenchTopics topics() {
        return topics;
    }

    /** The groups of drivers. */
    public BenchGroups groups() {
        return groups;
    }

    /** The records that drivers have written, according to the brokers. */
    public WrittenRecords written() {
        return written;
    }

    /** The figures and resources of brokers. */
    public BrokerFigures figures() {
        return figures;
    }

    /** Returns the object that causes planned broker failures. */
    public BrokerLosses losses() {
        return losses;
    }

    /** Returns the processor time of all brokers, as {@link BrokerFigures#cpuNanos} does. */
    public long cpuNanos() {
        return figures.cpuNanos();
    }

    /**
     * Fails if a broker has ended unexpectedly.
     *
     * @throws BenchException if a forked broker has ended and its loss was not planned
     */
    public void requireBrokers() {
        losses.requireOthers();
    }

    /** Deletes the groups and output topics of the last run, if brokers are reachable. */
    public void deleteOfRun() {
        try {
            groups.deleteOfRun();
        } finally {
            topics.deleteOfRun();
        }
    }

    @Override
    public void close() {
        figures.close();
        try (brokers) {
            try {
                deleteOfRun();
                groups.deleteLeft();
            } finally {
                brokers.cleanUp();
            }
        }
    }
}
