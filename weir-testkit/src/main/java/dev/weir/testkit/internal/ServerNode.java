package dev.weir.testkit.internal;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import kafka.server.BrokerServer;
import kafka.server.ControllerServer;
import kafka.server.FaultHandlerFactory;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.server.SharedServer;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.raft.QuorumConfig;
import org.apache.kafka.server.ServerSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Kafka server in this JVM: the broker and, depending on its roles, the controller. Started and stopped by one
 * thread.
 *
 * <p>This class assembles the server's components itself. {@code KafkaRaftServer} terminates the JVM after a fault,
 * registers its metrics JVM-wide, and waits minutes for a controlled shutdown that cannot succeed.
 */
final class ServerNode {
    private static final Logger LOG = LoggerFactory.getLogger(ServerNode.class);

    // Moving the leaderships takes one heartbeat, and never succeeds without controllers.
    private static final Duration CONTROLLED_SHUTDOWN = Duration.ofSeconds(3);

    private final @Nullable ControllerServer controller;
    private final BrokerServer broker;

    ServerNode(Map<String, String> settings, FaultHandlerFactory faults) {
        KafkaConfig config = new KafkaConfig(settings, false);
        var stored = KafkaRaftServer.initializeLogDirs(config, LOG, "");
        SharedServer shared = new SharedServer(
                config,
                stored._1(),
                Time.SYSTEM,
                new Metrics(),
                CompletableFuture.completedFuture(
                        QuorumConfig.parseVoterConnections(config.quorumConfig().voters())),
                QuorumConfig.parseBootstrapServers(config.quorumConfig().bootstrapServers()),
                faults,
                ServerSocketFactory.INSTANCE);
        this.broker = new BrokerServer(shared);
        this.controller = config.isKRaftCombinedMode()
                ? new ControllerServer(shared, KafkaRaftServer.configSchema(), stored._2())
                : null;
    }

    void start() {
        if (controller != null) {
            controller.startup();
        }
        broker.startup();
    }

    void stop() {
        try {
            broker.shutdown(CONTROLLED_SHUTDOWN);
        } finally {
            if (controller != null) {
                controller.shutdown();
            }
        }
    }
}
