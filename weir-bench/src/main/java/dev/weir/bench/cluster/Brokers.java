package dev.weir.bench.cluster;

import dev.weir.testkit.Broker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/** The brokers of a campaign: forked for it, or there already. Confined to one thread. */
interface Brokers extends AutoCloseable {

    String bootstrapServers();

    /** Properties that every Kafka client needs to reach them. */
    Map<String, String> client();

    /** The same with the brokers' addresses: all that a client needs. */
    default Map<String, String> connection() {
        Map<String, String> connection = new HashMap<>(client());
        connection.put("bootstrap.servers", bootstrapServers());
        return connection;
    }

    Admin admin();

    /**
     * Brokers that are processes of this machine, whose counters can be read; none of a cluster that is there already.
     */
    List<Broker> forked();

    /** The name of a topic or group that the campaign creates. */
    String named(String name);

    /** The same, of one that nobody has had before, where a name may still be known from an earlier one. */
    String namedAnew(String name);

    /**
     * Returns when each partition has a leader.
     *
     * @param replicas of each partition, where the brokers are the campaign's own
     */
    void create(String topic, int partitions, int replicas, Map<String, String> config);

    /** Returns when the topic is gone. */
    void delete(String topic);

    /** Deletes what the campaign leaves behind, unless it is to stay. */
    void cleanUp();

    /** The name of the cluster, for a file name; empty for one of the campaign's own. */
    String id();

    /** Place, size, and settings that differ from the defaults. */
    Map<String, String> settings();

    /** The versions that run there, by {@code brokers}. */
    Map<String, String> versions();

    @Override
    void close();
}
