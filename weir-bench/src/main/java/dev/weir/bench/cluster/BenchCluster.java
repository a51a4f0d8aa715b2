package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.bench.result.Campaign;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The brokers of a campaign and what it has there: topics, groups, and what brokers tell of themselves.
 * Confined to one thread.
 */
public final class BenchCluster implements AutoCloseable {
    /** A setting among {@link #settings}: which cluster it is, where that was there already. */
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
     * Starts brokers in processes of this machine, which end with it.
     *
     * @param data the folder that keeps filled topics between campaigns
     * @param count of brokers
     * @param release whose server they run
     * @param config of each of them, over the harness's own
     * @param diskFaults whether their disks can fail
     * @param note is told what a user should know of them
     * @param isStopped whether to give up filling a topic
     * @throws BenchException if they do not start with that
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

    /** The name of the cluster, for a file name; empty for one of the campaign's own. */
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

    /** Groups by the topics that they read. */
    public BenchGroups groups() {
        return groups;
    }

    /** The records they have written, as far as only the brokers can tell. */
    public WrittenRecords written() {
        return written;
    }

    /** The figures and resources of brokers. */
    public BrokerFigures figures() {
        return figures;
    }

    /** The brokers that run, and those that a plan can lose. */
    public BrokerLosses losses() {
        return losses;
    }

    /** As {@link BrokerFigures#cpuNanos}. */
    public long cpuNanos() {
        return figures.cpuNanos();
    }

    /**
     * Fails if a broker is gone, because a run then says nothing about its driver.
     *
     * @throws BenchException if one has ended that was forked and is not lost by a plan
     */
    public void requireBrokers() {
        losses.requireOthers();
    }

    /**
     * Deletes what the last run had to itself, if there are brokers to ask: its groups,
     * and the topics that it wrote to.
     */
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
