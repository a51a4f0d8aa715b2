package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests brokers in separate JVMs: their faults, and their end with their owner. */
@Timeout(120) // A dozen JVMs on a busy machine.
final class ForkedClusterTest {
    @Test
    @Tag("long")
    void threeBrokers_oneKilledOrFrozen_losesNothing() {
        List<ProcessHandle> processes;
        try (KafkaCluster cluster =
                KafkaCluster.builder().brokers(3).forked().heapMegabytes(256).start()) {
            processes = cluster.brokers().stream()
                    .map(broker -> ProcessHandle.of(broker.pid()).orElseThrow())
                    .toList();
            cluster.createTopic("safe", 3);
            Records.produce(cluster.bootstrapServers(), "safe", 0, 100);

            cluster.broker(1).kill();
            assertThat(cluster.broker(1).isRunning()).isFalse();
            assertThat(processes.get(0).isAlive()).isFalse();
            Records.produce(cluster.bootstrapServers(), "safe", 100, 100);
            cluster.broker(1).start();
            cluster.awaitInSync("safe");

            cluster.broker(2).freeze();
            assertThat(cluster.broker(2).isRunning()).isTrue();
            Records.produce(cluster.bootstrapServers(), "safe", 200, 100);
            cluster.broker(2).thaw();
            cluster.awaitInSync("safe");

            assertThat(Records.numbers(
                            Records.readAll(cluster.bootstrapServers(), "safe", IsolationLevel.READ_COMMITTED)))
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, 300).boxed().toList());
            cluster.broker(3).freeze();
        }
        assertThat(processes).noneMatch(ProcessHandle::isAlive);
    }

    /** Regression: its stop failed, and after its restart the cluster still took it for frozen. */
    @Test
    void frozenBroker_whoseProcessEnded_canBeStoppedAndStarted() {
        try (KafkaCluster cluster = KafkaCluster.builder().forked().start()) {
            Broker broker = cluster.broker(1);
            broker.freeze();
            assertThat(ProcessHandle.of(broker.pid()).orElseThrow().destroyForcibly())
                    .isTrue();
            assertThat(broker.exit().join()).isEqualTo(137);

            broker.stop();
            broker.start();

            assertThat(broker.isResponsive()).isTrue();
        }
    }

    @Test
    void oneBroker_frozen_doesNotAnswerUntilThawed() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().forked().start()) {
            Broker broker = cluster.broker(1);
            long pid = broker.pid();
            DescribeClusterOptions soon = new DescribeClusterOptions().timeoutMs(1_000);

            broker.freeze();
            assertThatThrownBy(
                            () -> cluster.admin().describeCluster(soon).nodes().get())
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("Timeout");
            broker.thaw();

            assertThat(cluster.admin().describeCluster().nodes().get()).hasSize(1);
            broker.stop();
            assertThatThrownBy(broker::pid)
                    .isInstanceOf(KafkaClusterException.class)
                    .hasMessageContaining("broker 1 does not run");
            broker.start();
            assertThat(broker.pid()).isNotEqualTo(pid);
            assertThat(broker.logFile()).content().contains("BrokerServer id=1");
        }
    }

    /** JDK 25 reports the end of a process on the common pool, which may have only one thread. */
    @Test
    void kill_whileTheCommonPoolIsBusy_returns() {
        CountDownLatch over = new CountDownLatch(1);
        try (KafkaCluster cluster = KafkaCluster.builder().forked().start()) {
            for (int i = 0; i < Math.max(1, ForkJoinPool.getCommonPoolParallelism()); i++) {
                ForkJoinPool.commonPool().execute(() -> await(over));
            }
            assertTimeoutPreemptively(
                    Duration.ofSeconds(60), () -> cluster.broker(1).kill());
        } finally {
            over.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void serverFails_messageTellsWhyAndWhere() {
        assertThatThrownBy(() -> KafkaCluster.builder()
                        .forked()
                        .brokerConfig("num.io.threads", "none")
                        .start())
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContaining("broker 1 did not start")
                .hasMessageContaining("num.io.threads")
                .hasMessageContaining("broker-1.log")
                .satisfies(e -> assertThat(logFile(e)).content().contains("broker did not start"))
                .satisfies(e -> Folders.delete(logFile(e).resolve("../..").normalize()));
    }

    @Test
    void owner_killed_takesItsBrokersWithIt(@TempDir Path folder) throws Exception {
        Process owner = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Owner.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        ProcessHandle broker;
        try (BufferedReader said = owner.inputReader(StandardCharsets.UTF_8)) {
            broker = ProcessHandle.of(Long.parseLong(said.readLine())).orElseThrow();
            assertThat(broker.isAlive()).isTrue();
            owner.destroyForcibly();

            broker.onExit().get(Duration.ofSeconds(20).toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            owner.destroyForcibly();
        }
        assertThat(broker.isAlive()).isFalse();
        // The orphaned broker has stopped cleanly, so its folder is free again.
        KafkaCluster.builder().dataFolder(folder).start().close();
    }

    private static Path logFile(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return Path.of(message.substring(message.lastIndexOf("see ") + 4));
    }

    /** Starts a broker, prints its process id, and never closes it. */
    static final class Owner {
        private Owner() {}

        public static void main(String[] args) throws Exception {
            KafkaCluster cluster =
                    KafkaCluster.builder().forked().dataFolder(Path.of(args[0])).start();
            System.out.println(cluster.broker(1).pid());
            System.out.flush();
            Thread.currentThread().join();
        }
    }
}
