package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.Test;

/** Tests that repeated attempts cost little and leave no resources open. */
class BackoffTest {

    private static final int ATTEMPTS = 100;

    /** Regression: a partition that was refused each time caused 40 metadata requests per second. */
    @Test
    void partitionThatIsRefusedEachTime_isAskedForLessAndLessOften() throws Exception {
        try (FakeBroker broker = new FakeBroker(
                        SecurityProtocol.PLAINTEXT, Map.of(), request -> FakeLog.failing(Errors.KAFKA_STORAGE_ERROR));
                LeanConsumer consumer = LeanConsumer.open(LeanSettings.builder()
                        .bootstrapServers(broker.address())
                        .build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.metrics().metadataRefreshes() > 0);
            long start = System.nanoTime();
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.metrics().metadataRefreshes() > 7);
            // At least 80 % of 20, 40, 80, 160, 320 and 640 ms, and more on a busy machine.
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(600));
        }
    }

    /** Regression: sockets of failed connections stayed open if the caller polled without waiting. */
    @Test
    void connectionsThatFail_leaveNoSocket_forWhomNeverWaits() throws Exception {
        var system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        try (ServerSocket rude = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                FakeBroker broker =
                        new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> FakeLog.failing(Errors.NONE));
                LeanConsumer consumer = LeanConsumer.open(LeanSettings.builder()
                        .bootstrapServers(broker.address())
                        .maxBackoff(Duration.ofMillis(10))
                        .build())) {
            Thread.ofVirtual().start(() -> hangUpOnAll(rude));
            broker.leader(rude.getLocalPort());
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            long before = system.getOpenFileDescriptorCount();
            while (consumer.metrics().connects() < ATTEMPTS) {
                consumer.poll(record -> {});
                Thread.onSpinWait();
            }
            assertThat(system.getOpenFileDescriptorCount() - before).isLessThan(ATTEMPTS / 2);
        }
    }

    private static void hangUpOnAll(ServerSocket server) {
        try {
            while (true) {
                server.accept().close();
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }
}
