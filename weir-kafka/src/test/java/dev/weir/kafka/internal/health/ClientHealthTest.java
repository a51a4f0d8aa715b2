package dev.weir.kafka.internal.health;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.health.ClientHealth.Found;
import java.util.Map;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a client of Kafka's cannot answer any more. */
class ClientHealthTest {

    private static final Thread ALIVE = Thread.currentThread();

    private final ClientHealth health = new ClientHealth(false);
    private final Splitting client = new Splitting();

    private static Thread dead() throws InterruptedException {
        Thread dead = Thread.ofPlatform().start(() -> {});
        dead.join();
        return dead;
    }

    private Found look(@Nullable Thread thread, long answered, long unanswered, boolean awaited) {
        return health.look(client, thread, answered, unanswered, awaited, 0);
    }

    // Its last answers may just be coming in.
    @Test
    void thread_thatIsSeenDeadTwiceWithoutAnAnswerBetween_leavesAnswersMissing() throws Exception {
        Thread dead = dead();
        assertThat(look(ALIVE, 1, 5, false)).isEqualTo(Found.WELL);
        assertThat(look(dead, 1, 5, false)).isEqualTo(Found.WELL);
        assertThat(look(dead, 2, 4, false)).isEqualTo(Found.WELL);
        assertThat(look(dead, 2, 4, false)).isEqualTo(Found.DEAD);
    }

    @Test
    void thread_thatIsDead_isMissedByWhatIsAwaited_andByNobodyElse() throws Exception {
        Thread dead = dead();
        for (int looks = 0; looks < 3; looks++) {
            assertThat(look(dead, 5, 0, false)).isEqualTo(Found.WELL);
        }
        assertThat(look(dead, 5, 0, true)).isEqualTo(Found.WELL);
        assertThat(look(dead, 5, 0, true)).isEqualTo(Found.DEAD);
    }

    @Test
    void thread_thatIsNotKnown_isNotDead() {
        for (int looks = 0; looks < 3; looks++) {
            assertThat(look(null, 0, 5, true)).isEqualTo(Found.WELL);
        }
    }

    @Test
    void splits_ofASharedClient_countByTheThousandOnly() {
        ClientHealth ofShared = new ClientHealth(true);
        assertThat(ofShared.look(client, ALIVE, 0, 5, false, 0)).isEqualTo(Found.WELL);
        client.splits = 999;
        assertThat(ofShared.look(client, ALIVE, 0, 5, false, SECONDS.toNanos(60)))
                .isEqualTo(Found.WELL);
        client.splits = 1_000;
        assertThat(ofShared.look(client, ALIVE, 0, 5, false, SECONDS.toNanos(60)))
                .isEqualTo(Found.SPLITS);
    }

    @Test
    void failure_saysWhatToDo() {
        assertThat(health.failure(client, ALIVE, 0, 5, true, 0)).isNull();
        client.splits = 1_000;
        assertThat(health.failure(client, ALIVE, 0, 5, true, 1))
                .hasMessageContaining("max.message.bytes")
                .hasMessageContaining("batch.size");
    }

    /** A client that has split as often as the test says. */
    private static final class Splitting extends MockProducer<String, String> {

        private double splits;

        Splitting() {
            super(false, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public Map<MetricName, Metric> metrics() {
            MetricName name = new MetricName("batch-split-total", "producer-metrics", "", Map.of());
            return Map.of(name, new Metric() {
                @Override
                public MetricName metricName() {
                    return name;
                }

                @Override
                public Object metricValue() {
                    return splits;
                }
            });
        }
    }
}
