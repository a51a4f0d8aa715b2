package dev.weir.kafka.internal.in.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReachabilityTest {

    private long nowNanos;
    private BrokerContact contact = new BrokerContact(0, 0);

    private final Reachability reachability = new Reachability(() -> contact, new OwnerClock() {
        @Override
        public long nanoTime() {
            return nowNanos;
        }

        @Override
        public void park(long nanos) {
            nowNanos += nanos;
        }
    });

    private void after(Duration time, long answers, long losses) {
        nowNanos += time.toNanos();
        contact = new BrokerContact(answers, losses);
        reachability.look();
    }

    @Test
    void brokersThatAnswer_areThere_whateverConnectionsAreLost() {
        for (int i = 1; i < 100; i++) {
            after(Duration.ofSeconds(4), i, i);
            assertThat(reachability.silentSince()).isNull();
        }
    }

    /** Silence is normal while a group rebalances, or if all partitions are paused. */
    @Test
    void silence_withoutALoss_saysNothing() {
        after(Duration.ofSeconds(1), 9, 2);
        after(Duration.ofSeconds(1), 10, 2);
        after(Duration.ofMinutes(10), 10, 2);
        assertThat(reachability.silentSince()).isNull();
    }

    @Test
    void losses_andNoAnswerSince_areSilence_thatEndsWithAnAnswer() {
        after(Duration.ofSeconds(1), 10, 2);
        after(Duration.ofSeconds(1), 10, 5);
        assertThat(reachability.silentSince()).as("too early").isNull();
        after(Duration.ofSeconds(5), 10, 9);
        assertThat(reachability.silentSince()).isNotNull();
        after(Duration.ofMinutes(1), 11, 20);
        assertThat(reachability.silentSince()).isNull();
    }

    @Test
    void lossAndLastAnswer_withinOneLook_areSilenceAllTheSame() {
        after(Duration.ofSeconds(1), 10, 0);
        after(Duration.ofSeconds(1), 11, 1);
        after(Duration.ofSeconds(6), 11, 1);
        assertThat(reachability.silentSince()).isNotNull();
    }

    @Test
    void answersToOthers_count() {
        after(Duration.ofSeconds(1), 10, 0);
        after(Duration.ofSeconds(4), 10, 1);
        reachability.answered();
        after(Duration.ofSeconds(4), 10, 1);
        assertThat(reachability.silentSince()).isNull();
    }

    @Test
    void clientWithoutMetrics_isNeverSilent() {
        contact = BrokerContact.UNKNOWN;
        nowNanos += Duration.ofHours(1).toNanos();
        reachability.look();
        assertThat(reachability.silentSince()).isNull();
    }
}
