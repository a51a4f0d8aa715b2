package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {

    private static KafkaCluster cluster;
    private FaultProxy network;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().brokers(2).start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void lay() {
        network = FaultProxy.to(cluster.bootstrapServers());
    }

    @AfterEach
    void takeAway() {
        network.close();
    }

    private Admin admin() {
        return Admin.create(Map.of(
                "bootstrap.servers", network.bootstrapServers(),
                "request.timeout.ms", 1_000,
                "default.api.timeout.ms", 2_000,
                "reconnect.backoff.max.ms", 50));
    }

    private static Set<Integer> ports(Admin admin) throws Exception {
        return admin.describeCluster().nodes().get(10, TimeUnit.SECONDS).stream()
                .map(Node::port)
                .collect(Collectors.toSet());
    }

    @Test
    void brokers_areAllSeenBehindTheNetwork_andRecordsPass() throws Exception {
        cluster.createTopic("through", 4);
        try (Admin admin = admin()) {
            Set<Integer> own = Set.of(network.bootstrapServers().split(",")).stream()
                    .map(server -> Integer.parseInt(server.substring(server.indexOf(':') + 1)))
                    .collect(Collectors.toSet());
            assertThat(ports(admin)).isEqualTo(own).hasSize(2);
        }
        Records.produce(network.bootstrapServers(), "through", 0, 1_000);
        assertThat(Records.numbers(
                        Records.readAll(network.bootstrapServers(), "through", IsolationLevel.READ_UNCOMMITTED)))
                .hasSize(1_000);
    }

    @Test
    void cut_endsWhatIsOpenAndNew_restoreLetsAllThrough() throws Exception {
        try (Admin admin = admin()) {
            assertThat(ports(admin)).hasSize(2);
            network.cut();
            assertThatThrownBy(() -> ports(admin)).isInstanceOf(ExecutionException.class);
            network.restore();
            assertThat(ports(admin)).hasSize(2);
        }
    }

    @Test
    void halfOpen_passesNothingOnUntilRestored() throws Exception {
        try (Admin admin = admin()) {
            assertThat(ports(admin)).hasSize(2);
            network.halfOpen();
            assertThatThrownBy(() -> ports(admin)).hasCauseInstanceOf(TimeoutException.class);
            network.restore();
            assertThat(ports(admin)).hasSize(2);
        }
    }

    @Test
    void delay_holdsEachMessageBackAsLong() throws Exception {
        try (Admin admin = admin()) {
            assertThat(ports(admin)).hasSize(2);
            network.delay(Duration.ofMillis(200));
            long start = System.nanoTime();
            assertThat(ports(admin)).hasSize(2);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(400));
        }
    }

    @Test
    void delay_thatIsOver_letsGoWhatItHeldBack() throws Exception {
        try (Admin admin = admin()) {
            assertThat(ports(admin)).hasSize(2);
            network.delay(Duration.ofHours(1));
            var nodes = admin.describeCluster().nodes();
            assertThatThrownBy(() -> nodes.get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            network.restore();
            assertThat(nodes.get(1, TimeUnit.MINUTES)).hasSize(2);
        }
    }

    @Test
    void address_thatIsNone_isRefused() {
        for (String bad : List.of("", "host", "host:port", "a:1;b:2", "host:99999", "host:0", "host:99999999999")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> FaultProxy.to(bad))
                    .withMessageContaining("bootstrapServers=" + bad);
        }
    }
}
