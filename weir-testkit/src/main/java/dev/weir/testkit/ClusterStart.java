package dev.weir.testkit;

import dev.weir.testkit.internal.BrokerNode;
import dev.weir.testkit.internal.BrokerProgram;
import dev.weir.testkit.internal.BrokerSettings;
import dev.weir.testkit.internal.ClusterFolder;
import dev.weir.testkit.internal.ClusterLayout;
import dev.weir.testkit.internal.ClusterOptions;
import dev.weir.testkit.internal.ForkedNode;
import dev.weir.testkit.internal.Formatting;
import dev.weir.testkit.internal.InProcessNode;
import dev.weir.testkit.internal.LogCapture;
import dev.weir.testkit.internal.ServerRelease;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.jspecify.annotations.Nullable;

/** Starts and stops clusters. If a part fails to start, stops the started parts. Stateless. */
final class ClusterStart {
    private ClusterStart() {}

    static KafkaCluster start(ClusterOptions options) {
        ClusterFolder folder = ClusterFolder.open(options.dataFolder(), options.brokers());
        List<Broker> brokers = new ArrayList<>();
        LogCapture logCapture = null;
        boolean startedServers = false;
        try {
            ClusterLayout layout = ClusterLayout.choose(options);
            if (!options.forked()) {
                logCapture = LogCapture.to(folder.logFile("brokers"));
            }
            for (int id = 1; id <= options.brokers(); id++) {
                brokers.add(prepare(options, layout, folder, id));
            }
            startedServers = true;
            inParallel(brokers, Broker::start);
            return connect(folder, layout, List.copyOf(brokers), logCapture);
        } catch (RuntimeException e) {
            try {
                // The message names the log of a failed server, so the log must be retained.
                shutDown(brokers, folder, logCapture, startedServers);
            } catch (RuntimeException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private static Broker prepare(ClusterOptions options, ClusterLayout layout, ClusterFolder folder, int id) {
        Path data = folder.brokerData(id);
        folder.awaitUnused(data);
        ServerRelease release = options.release();
        if (release == null) {
            Formatting.format(layout, id, folder.clusterId(), data);
        }
        long heapBytes = options.forked()
                ? options.heapMegabytes() * 1024L * 1024
                : Runtime.getRuntime().maxMemory();
        Map<String, String> settings = BrokerSettings.of(layout, id, data, heapBytes, options.configOf(id));
        Path logFile = folder.logFile(options.forked() ? "broker-" + id : "brokers");
        Path settingsFile = folder.settingsFile(id);
        BrokerProgram program = release == null
                ? BrokerProgram.ofThisJvm(settingsFile)
                : release.program(settingsFile, folder.clusterId(), data);
        if (options.diskFaults()) {
            program = program.onFaultyDisk(data);
        }
        BrokerNode node = options.forked()
                ? new ForkedNode(id, settings, settingsFile, logFile, options.heapMegabytes(), program)
                : new InProcessNode(id, settings, logFile);
        return new Broker(id, layout.brokerPort(id), node, logFile, options.diskFaults());
    }

    private static KafkaCluster connect(
            ClusterFolder folder, ClusterLayout layout, List<Broker> brokers, @Nullable LogCapture logCapture) {
        Admin admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, layout.bootstrapServers(),
                AdminClientConfig.CLIENT_ID_CONFIG, "weir-testkit",
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "30000",
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, "5000",
                AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, "500"));
        KafkaCluster cluster = new KafkaCluster(folder, layout, brokers, logCapture, admin);
        try {
            Await.until("all brokers know each other", () -> {
                int known = Await.get(
                                "describe cluster", admin.describeCluster().nodes())
                        .size();
                return known == brokers.size() ? null : known + " of " + brokers.size();
            });
            return cluster;
        } catch (RuntimeException e) {
            admin.close();
            throw e;
        }
    }

    static void shutDown(
            List<Broker> brokers, ClusterFolder folder, @Nullable LogCapture logCapture, boolean keepFolder) {
        try {
            inParallel(brokers, folder.isTemporary() && !keepFolder ? Broker::discard : Broker::stop);
        } finally {
            if (logCapture != null) {
                logCapture.close();
            }
            folder.close(keepFolder);
        }
    }

    /**
     * Runs the action on all brokers concurrently, because controllers wait for each other. Finally throws the first
     * failure.
     */
    private static void inParallel(List<Broker> brokers, Consumer<Broker> action) {
        ThreadFactory threads = Thread.ofPlatform().name("weir-testkit-", 1).factory();
        try (ExecutorService each = Executors.newThreadPerTaskExecutor(threads)) {
            List<CompletableFuture<Void>> running = brokers.stream()
                    .map(broker -> CompletableFuture.runAsync(() -> action.accept(broker), each))
                    .toList();
            CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }
}
