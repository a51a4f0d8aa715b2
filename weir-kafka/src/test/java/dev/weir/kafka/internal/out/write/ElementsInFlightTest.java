package dev.weir.kafka.internal.out.write;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import org.junit.jupiter.api.Test;

class ElementsInFlightTest {

    private final ElementsInFlight elements = new ElementsInFlight();

    // Regression: a partition without answers held up the run forever while other partitions were answered.
    @Test
    void recordWithoutAnAnswer_growsOldAlthoughOthersAreAnswered() {
        int silent = elements.add(AckTarget.NONE, 0, 2);
        assertThat(elements.answered(silent)).isFalse();
        for (int second = 0; second < 40; second++) {
            assertThat(elements.oldestNanos(SECONDS.toNanos(second))).isLessThanOrEqualTo(SECONDS.toNanos(second));
            assertThat(elements.answered(elements.add(AckTarget.NONE, 1, 1))).isTrue();
        }
        assertThat(elements.oldestNanos(SECONDS.toNanos(40))).isGreaterThan(SECONDS.toNanos(30));
        assertThat(elements.unanswered()).isEqualTo(1);

        assertThat(elements.answered(silent)).isTrue();
        assertThat(elements.oldestNanos(SECONDS.toNanos(41))).isZero();
        assertThat(elements.unanswered()).isZero();
    }

    @Test
    void elementWithManyRecords_doesNotGrowOldWhileTheyAreAnswered() {
        int large = elements.add(AckTarget.NONE, 0, 100);
        for (int second = 0; second < 99; second++) {
            assertThat(elements.oldestNanos(SECONDS.toNanos(second))).isLessThanOrEqualTo(SECONDS.toNanos(1));
            assertThat(elements.answered(large)).isFalse();
        }
        assertThat(elements.count()).isEqualTo(1);
    }
}
