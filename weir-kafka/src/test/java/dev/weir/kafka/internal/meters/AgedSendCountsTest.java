package dev.weir.kafka.internal.meters;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AgedSendCountsTest {

    private final AgedSendCounts counts = new AgedSendCounts();

    private long oldest(int second) {
        return NANOSECONDS.toSeconds(counts.oldestNanos(SECONDS.toNanos(second)));
    }

    private SendCounts send() {
        SendCounts generation = counts.present();
        generation.sends();
        return generation;
    }

    // A single partition gets no answers, while other partitions do.
    @Test
    void recordWithoutAnAnswer_amongOthersThatHaveOne_isTheOldest() {
        assertThat(oldest(0)).isZero();
        SendCounts stuck = send();
        for (int second = 1; second <= 60; second++) {
            send().answers();
            assertThat(oldest(second)).isEqualTo(Math.max(0, second - 1));
        }
        assertThat(counts.unanswered()).isEqualTo(1);
        assertThat(counts.answered()).isEqualTo(60);

        stuck.answers();

        assertThat(oldest(61)).isZero();
        assertThat(counts.unanswered()).isZero();
    }

    // With a quota or a slow network, old records are answered bit by bit.
    @Test
    void recordsOfASlowClient_areAnsweredAllTheTime_andHaveNoAge() {
        assertThat(oldest(0)).isZero();
        SendCounts slow = counts.present();
        for (int record = 0; record < 600; record++) {
            slow.sends();
        }
        for (int second = 1; second <= 590; second++) {
            slow.answers();
            send();
            assertThat(oldest(second)).isLessThanOrEqualTo(1);
        }
    }

    @Test
    void recordsThatAreAllAnswered_haveNoAge() {
        for (int second = 0; second < 60; second++) {
            SendCounts first = send();
            SendCounts another = send();
            assertThat(oldest(second)).isZero();
            first.answers();
            another.answers();
        }
    }

    @Test
    void recordThatWasNotTaken_isNotWaitedFor() {
        oldest(0);
        SendCounts generation = send();
        generation.sendsNot();
        for (int second = 1; second < 10; second++) {
            assertThat(oldest(second)).isZero();
        }
    }
}
