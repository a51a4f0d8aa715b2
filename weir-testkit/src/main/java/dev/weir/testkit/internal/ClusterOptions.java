package dev.weir.testkit.internal;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of a cluster. Immutable.
 *
 * @param release the server release that the brokers run; null for the one on this JVM's class path
 */
public record ClusterOptions(
        int brokers,
        boolean forked,
        int firstPort,
        @Nullable Path dataFolder,
        Map<String, String> brokerConfig,
        int heapMegabytes,
        List<String> racks,
        boolean secured,
        boolean diskFaults,
        @Nullable ServerRelease release) {

    /** Value of {@link #firstPort} that selects any free ports. */
    public static final int ANY_PORT = 0;

    /** The largest number of brokers. It is enough for every test, and small enough for any laptop. */
    public static final int MAX_BROKERS = 16;

    /** With less memory, the server does not start reliably. */
    public static final int MIN_HEAP_MEGABYTES = 128;

    private static final int MAX_PORT = 65_535;
    private static final String RACK_SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector";

    /** The settings that the testkit needs to control a cluster. */
    private static final Set<String> OWNED = Set.of(
            "node.id",
            "broker.id",
            "process.roles",
            "listeners",
            "advertised.listeners",
            "listener.security.protocol.map",
            "inter.broker.listener.name",
            "controller.listener.names",
            "controller.quorum.voters",
            "controller.quorum.bootstrap.servers",
            "log.dir",
            "log.dirs",
            "metadata.log.dir");

    public ClusterOptions {
        if (brokers < 1 || brokers > MAX_BROKERS) {
            throw new IllegalArgumentException("brokers must be 1 to " + MAX_BROKERS + ": brokers=" + brokers);
        }
        int highestFirstPort = MAX_PORT - brokers + 1;
        if (firstPort < ANY_PORT || firstPort > highestFirstPort) {
            throw new IllegalArgumentException("port must be 1 to " + highestFirstPort + " for " + brokers
                    + " broker(s), or 0 for any: port=" + firstPort);
        }
        if (heapMegabytes < MIN_HEAP_MEGABYTES) {
            throw new IllegalArgumentException(
                    "heapMegabytes must be at least " + MIN_HEAP_MEGABYTES + ": heapMegabytes=" + heapMegabytes);
        }
        brokerConfig = Map.copyOf(brokerConfig);
        for (String name : brokerConfig.keySet()) {
            if (OWNED.contains(name)) {
                throw new IllegalArgumentException("brokerConfig: the testkit sets " + name + " itself; remove it");
            }
        }
        if (release != null && !forked) {
            throw new IllegalArgumentException(
                    "serverClassPath needs brokers in processes of their own: call forked() and not inProcess()");
        }
        if (diskFaults && !forked) {
            throw new IllegalArgumentException(
                    "diskFaults needs brokers in processes of their own: call forked() and not inProcess()");
        }
        racks = List.copyOf(racks);
        if (racks.stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException("racks must have names: racks=" + racks);
        }
    }

    /** Returns the settings of one broker. The user's own override the derived ones. */
    public Map<String, String> configOf(int id) {
        Map<String, String> config = new HashMap<>();
        if (!racks.isEmpty()) {
            config.put("broker.rack", racks.get((id - 1) % racks.size()));
            config.put("replica.selector.class", RACK_SELECTOR);
        }
        config.putAll(brokerConfig);
        return config;
    }
}
