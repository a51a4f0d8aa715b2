package dev.weir.bench.cluster;

import dev.weir.testkit.Broker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;

/** The brokers of a campaign: forked or existing. Confined to one thread. */
interface Brokers extends AutoCloseable {

    String bootstrapServers();

    /** Returns the properties that every Kafka client needs to reach the brokers. */
    Map<String, String> client();

    /** Returns all properties that a client needs, including the brokers' addresses. */
    default Map<String, String> connection() {
        Map<String, String> connection = new HashMap<>(client());
        connection.put("bootstrap.servers", bootstrapServers());
        return connection;
    }

    Admin admin();

    /** Returns the brokers forked on this machine, whose counters can be read; empty for an existing cluster. */
    List<Broker> forked();

    /** Returns the full name of a topic or group that the campaign creates. */
    String named(String name);

    /** Returns the full name of a new topic. The name is unique if brokers may still know an earlier topic. */
    String freshName(String name);

    /**
     * Creates a topic and returns once each partition has a leader.
     *
     * @param replicas replicas of each partition; ignored by an existing cluster
     */
    void create(String topic, int partitions, int replicas, Map<String, String> config);

    void delete(String topic);

    /** Deletes the campaign's resources, unless they must be kept. */
    void cleanUp();

    /**
     * Returns a name that identifies an existing cluster and can be used in file names. Returns an empty string if the
     * brokers are the campaign's own.
     */
    String id();

    /** The location, size and non-default settings of the brokers. */
    Map<String, String> settings();

    /** The versions of the brokers. */
    Map<String, String> versions();

    @Override
    void close();
}
