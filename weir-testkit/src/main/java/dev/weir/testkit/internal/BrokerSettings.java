package dev.weir.testkit.internal;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The server settings of one node, chosen for a quick start, low memory use and safety in tests. Stateless. */
public final class BrokerSettings {
    static final String CONTROLLER_LISTENER = "CONTROLLER";

    private BrokerSettings() {}

    private static final int MEGABYTE = 1024 * 1024;

    /**
     * Returns the settings of node {@code id}. The user's settings override the testkit's.
     *
     * @param heapBytes heap size of the node's JVM
     * @param own the user's settings
     */
    public static Map<String, String> of(
            ClusterLayout layout, int id, Path dataFolder, long heapBytes, Map<String, String> own) {
        Map<String, String> settings = new TreeMap<>();
        identity(settings, layout, id, dataFolder);
        replication(settings, layout);
        timing(settings);
        size(settings);
        requests(settings, heapBytes);
        settings.putAll(own);
        return settings;
    }

    private static void identity(Map<String, String> settings, ClusterLayout layout, int id, Path dataFolder) {
        String broker = "PLAINTEXT://" + ClusterLayout.HOST + ":" + layout.brokerPort(id);
        String protocols = "PLAINTEXT:PLAINTEXT," + CONTROLLER_LISTENER + ":PLAINTEXT";
        if (!layout.securedPorts().isEmpty()) {
            broker += ",SECURED://" + ClusterLayout.HOST + ":"
                    + layout.securedPorts().get(id - 1);
            protocols += ",SECURED:SASL_SSL";
        }
        boolean controller = layout.isController(id);
        settings.put("node.id", Integer.toString(id));
        settings.put("process.roles", controller ? "broker,controller" : "broker");
        settings.put(
                "listeners",
                controller
                        ? broker + "," + CONTROLLER_LISTENER + "://" + ClusterLayout.HOST + ":"
                                + layout.controllerPort(id)
                        : broker);
        settings.put("advertised.listeners", broker);
        settings.put("controller.listener.names", CONTROLLER_LISTENER);
        settings.put("listener.security.protocol.map", protocols);
        settings.put("controller.quorum.voters", layout.voters());
        settings.put("log.dirs", dataFolder.toString());
    }

    private static void replication(Map<String, String> settings, ClusterLayout layout) {
        String factor = Integer.toString(layout.replicationFactor());
        String inSync = Integer.toString(layout.minInSyncReplicas());
        settings.put("default.replication.factor", factor);
        settings.put("min.insync.replicas", inSync);
        settings.put("offsets.topic.replication.factor", factor);
        settings.put("transaction.state.log.replication.factor", factor);
        settings.put("transaction.state.log.min.isr", inSync);
        settings.put("share.coordinator.state.topic.replication.factor", factor);
        settings.put("share.coordinator.state.topic.min.isr", inSync);
        // Partitions cost files and leader elections. A few are enough to spread the coordinators over the brokers.
        settings.put("offsets.topic.num.partitions", "3");
        settings.put("transaction.state.log.num.partitions", "3");
        settings.put("share.coordinator.state.topic.num.partitions", "3");
    }

    private static void timing(Map<String, String> settings) {
        settings.put("server.max.startup.time.ms", "60000");
        settings.put("group.initial.rebalance.delay.ms", "0");
        // A killed broker keeps its leaderships until its session times out. The timeout is short, but longer than a
        // pause on a busy machine.
        settings.put("broker.heartbeat.interval.ms", "500");
        settings.put("broker.session.timeout.ms", "4000");
        settings.put("replica.lag.time.max.ms", "5000");
        // A frozen controller keeps its connections open. Brokers must give up on it sooner than after the default 30
        // s.
        settings.put("controller.socket.timeout.ms", "3000");
        settings.put("replica.socket.timeout.ms", "5000");
        settings.put("group.min.session.timeout.ms", "500");
        // Members learn of a new assignment with a heartbeat, ten times as often as in production.
        for (String kind : List.of("consumer", "share", "streams")) {
            settings.put("group." + kind + ".heartbeat.interval.ms", "500");
            settings.put("group." + kind + ".min.heartbeat.interval.ms", "100");
            settings.put("group." + kind + ".min.session.timeout.ms", "1000");
            settings.put("group." + kind + ".assignment.interval.ms", "0");
        }
        settings.put("group.streams.initial.rebalance.delay.ms", "0");
        settings.put("group.share.initialize.retry.interval.ms", "2000");
        // The highest value that brokers allow. Each of Weir's share consumers is a member, and benchmarks have
        // hundreds.
        settings.put("group.share.max.size", "1000");
        // Locks must expire within a test.
        settings.put("group.share.min.record.lock.duration.ms", "1000");
    }

    /**
     * Limits the memory of requests, which a server allocates when a client announces a size. A request may use a
     * sixteenth of the heap. The server receives further requests while all requests together use less than an eighth.
     */
    private static void requests(Map<String, String> settings, long heapBytes) {
        long largest = Math.clamp(heapBytes / 16, 8L * MEGABYTE, 100L * MEGABYTE);
        settings.put("socket.request.max.bytes", Long.toString(largest));
        settings.put("queued.max.request.bytes", Long.toString(Math.max(2 * largest, heapBytes / 8)));
    }

    private static void size(Map<String, String> settings) {
        settings.put("num.network.threads", "2");
        settings.put("num.io.threads", "4");
        settings.put("background.threads", "2");
        settings.put("group.coordinator.threads", "1");
        settings.put("share.coordinator.threads", "1");
        settings.put("num.replica.alter.log.dirs.threads", "1");
        settings.put("log.cleaner.threads", "1");
        settings.put("log.cleaner.dedupe.buffer.size", "4194304");
        settings.put("log.cleaner.io.buffer.size", "131072");
        // The indexes of a full segment must fit into log.index.size.max.bytes: 8 and 12 bytes for every 4 KiB of
        // records.
        settings.put("log.segment.bytes", "134217728");
        // Retention deletes records with old timestamps at its first check, 30 s after the start.
        settings.put("log.retention.ms", "-1");
        settings.put("log.index.size.max.bytes", "524288");
        settings.put("offsets.topic.segment.bytes", "4194304");
        settings.put("transaction.state.log.segment.bytes", "4194304");
        settings.put("share.coordinator.state.topic.segment.bytes", "4194304");
    }
}
