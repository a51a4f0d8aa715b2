package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a cluster keeps and leaves behind, and the message if it cannot start. */
final class ClusterStartTest {
    @TempDir
    Path folder;

    @Test
    void dataFolder_reused_keepsClusterIdAndRecords() {
        String clusterId;
        try (KafkaCluster cluster = KafkaCluster.builder().dataFolder(folder).start()) {
            clusterId = cluster.clusterId();
            cluster.createTopic("kept", 2);
            Records.produce(cluster.bootstrapServers(), "kept", 0, 100);
        }

        try (KafkaCluster cluster = KafkaCluster.builder().dataFolder(folder).start()) {
            assertThat(cluster.clusterId()).isEqualTo(clusterId);
            assertThat(Records.numbers(
                            Records.readAll(cluster.bootstrapServers(), "kept", IsolationLevel.READ_COMMITTED)))
                    .hasSize(100)
                    .doesNotHaveDuplicates();
        }
        assertThat(folder.resolve("logs/brokers.log")).isNotEmptyFile();
    }

    @Test
    void close_inProcess_leavesNoThreadsAndNoFolder() {
        Set<Thread> before = Set.copyOf(threads());
        Path temporary;
        try (KafkaCluster cluster = KafkaCluster.builder().start()) {
            temporary = cluster.folder();
            cluster.createTopic("any", 1);
            assertThat(temporary).isDirectory();
        }

        Await.until("threads of the cluster end", () -> {
            Set<Thread> left = threads();
            left.removeAll(before);
            // Threads of the server's JVM-wide metrics registry, and of JUnit.
            left.removeIf(thread -> thread.getName().startsWith("metrics-meter-tick-thread")
                    || thread.getName().startsWith("junit-"));
            return left.isEmpty() ? null : left.toString();
        });
        assertThat(temporary).doesNotExist();
    }

    @Test
    void close_folderToBeKept_leavesTheLog() throws IOException {
        KafkaCluster cluster = KafkaCluster.builder().start();
        cluster.keepFolder();

        cluster.close();

        assertThat(cluster.logs().resolve("brokers.log")).content().contains("Kafka version: 4.4.0");
        try (KafkaCluster reopened =
                KafkaCluster.builder().dataFolder(cluster.folder()).start()) {
            assertThat(reopened.clusterId()).isEqualTo(cluster.clusterId());
        }
        Folders.delete(cluster.folder());
    }

    @Test
    void start_portInUse_namesThePort() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            int port = taken.getLocalPort();

            assertThatThrownBy(() ->
                            KafkaCluster.builder().port(port).dataFolder(folder).start())
                    .isInstanceOf(KafkaClusterException.class)
                    .hasMessage("port " + port + " (broker 1) is in use on 127.0.0.1: stop what listens there, "
                            + "or choose another port");
        }
        // The failed attempt must not block the next start.
        KafkaCluster.builder().dataFolder(folder).start().close();
    }

    @Test
    void start_dataFolderBelowAFile_namesTheFolder() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "in the way");

        assertThatThrownBy(() ->
                        KafkaCluster.builder().dataFolder(file.resolve("data")).start())
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContaining("data folder " + file.resolve("data") + " is not writable");
        assertThatThrownBy(() -> KafkaCluster.builder().dataFolder(file).start())
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContaining("data folder " + file + " is not writable");
    }

    /** Regression: the broker used two other folders, and the message was about a missing file in one of them. */
    @Test
    void start_dataFolderWithAComma_isRefused() {
        Path comma = folder.resolve("orders,payments");

        assertThatThrownBy(() -> KafkaCluster.builder().dataFolder(comma).start())
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContaining("data folder " + comma + " has a comma in its path");
        assertThat(comma).doesNotExist();
    }

    @Test
    void start_foreignFolder_isRefused() throws IOException {
        Path mine = Files.writeString(folder.resolve("thesis.txt"), "years of work");

        assertThatThrownBy(() -> KafkaCluster.builder().dataFolder(folder).start())
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContaining("holds files, but no cluster");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(mine);
        }
    }

    @Test
    void start_folderInUseOrOfAnotherSize_isRefused() {
        try (KafkaCluster first = KafkaCluster.builder().dataFolder(folder).start()) {
            assertThatThrownBy(() -> KafkaCluster.builder().dataFolder(folder).start())
                    .isInstanceOf(KafkaClusterException.class)
                    .hasMessageContaining("data folder " + folder + " is in use by a running cluster");
            assertThat(first.broker(1).isRunning()).isTrue();
        }

        assertThatThrownBy(() ->
                        KafkaCluster.builder().brokers(3).dataFolder(folder).start())
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContaining("holds a cluster of 1 broker(s), not of 3");
    }

    @Test
    void start_serverFails_throwsAndThisJvmLives() throws IOException {
        // The server ends its process if none of its log folders is usable.
        KafkaCluster.builder().dataFolder(folder).start().close();
        Files.writeString(folder.resolve("broker-1/bootstrap.checkpoint"), "not a checkpoint");
        Files.writeString(folder.resolve("broker-1/__cluster_metadata-0/quorum-state"), "not json");

        assertThatThrownBy(() -> KafkaCluster.builder().dataFolder(folder).start())
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContaining("broker 1 did not start")
                .hasMessageContaining("brokers.log");
        KafkaCluster.builder().start().close();
    }

    @Test
    void options_outOfBounds_areNamed() {
        assertThatThrownBy(() -> KafkaCluster.builder().brokers(0).start()).hasMessageContaining("brokers=0");
        assertThatThrownBy(() -> KafkaCluster.builder().brokers(2).port(65_535).start())
                .hasMessageContaining("port=65535");
        assertThatThrownBy(() -> KafkaCluster.builder().heapMegabytes(1).start())
                .hasMessageContaining("heapMegabytes=1");
        assertThatThrownBy(() ->
                        KafkaCluster.builder().brokerConfig("log.dirs", "/tmp").start())
                .hasMessageContaining("log.dirs");
    }

    private static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }
}
