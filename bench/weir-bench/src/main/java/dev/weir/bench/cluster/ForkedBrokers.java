package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.testkit.Broker;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;

/** Forks brokers on this machine. Their data folder outlives the campaign. Confined to one thread. */
final class ForkedBrokers implements Brokers {
    private static final int HEAP_MEGABYTES = 1024;

    private final KafkaCluster cluster;
    private final BrokerRelease release;

    /**
     * Starts brokers on the data that an earlier campaign left in {@code data}.
     *
     * @param release Kafka release of the brokers
     * @param config settings of the workload, overriding the harness's
     * @param diskFaults whether the brokers' disks can fail
     * @throws BenchException if the brokers do not start with these settings
     */
    ForkedBrokers(Path data, int brokers, BrokerRelease release, Map<String, String> config, boolean diskFaults) {
        this.release = release;
        KafkaCluster.Builder builder = KafkaCluster.builder()
                .brokers(brokers)
                .forked()
                .heapMegabytes(HEAP_MEGABYTES)
                .brokerConfig("log.retention.ms", "-1")
                // Brokers delete a run's data at once. Deleting gigabytes later would disturb the next run.
                .brokerConfig("log.segment.delete.delay.ms", "500")
                .brokerConfig("auto.create.topics.enable", "false")
                .dataFolder(data.resolve("brokers-" + brokers));
        if (!release.isOfHarness()) {
            builder.serverClassPath(release.classPath());
        }
        config.forEach(builder::brokerConfig);
        if (diskFaults) {
            builder.diskFaults();
        }
        try {
            cluster = builder.start();
        } catch (KafkaClusterException e) {
            throw release.isOfHarness() && config.isEmpty()
                    ? e
                    : new BenchException(
                            "brokers of " + release.name() + " do not start"
                                    + (config.isEmpty() ? "" : " with " + config) + ": " + e.getMessage(),
                            e);
        }
    }

    @Override
    public String bootstrapServers() {
        return cluster.bootstrapServers();
    }

    @Override
    public Map<String, String> client() {
        return Map.of();
    }

    @Override
    public Admin admin() {
        return cluster.admin();
    }

    @Override
    public List<Broker> forked() {
        return cluster.brokers();
    }

    @Override
    public String named(String name) {
        return name;
    }

    @Override
    public String freshName(String name) {
        return name; // the testkit waits until no broker knows the deleted topic
    }

    @Override
    public void create(String topic, int partitions, int replicas, Map<String, String> config) {
        cluster.createTopic(topic, partitions, replicas, config);
    }

    @Override
    public void delete(String topic) {
        cluster.deleteTopic(topic);
    }

    @Override
    public void cleanUp() {}

    @Override
    public String id() {
        return "";
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>(BrokerConfig.of(admin(), "1"));
        settings.put("broker.count", Integer.toString(cluster.brokers().size()));
        settings.put("broker.heapMegabytes", Integer.toString(HEAP_MEGABYTES));
        settings.put("broker.place", "forked on the same machine, topic.replicas per partition");
        return settings;
    }

    @Override
    public Map<String, String> versions() {
        return Map.of("brokers", release.name());
    }

    @Override
    public void close() {
        cluster.close();
    }
}
