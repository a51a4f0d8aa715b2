package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.TransactionHandle;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TransactionCountsTest {

    @Test
    void percentiles_areOfAllTimes_andNoneIsBeyondTheLongest() {
        TransactionCounts counts = new TransactionCounts();
        for (int millis = 1; millis <= 100; millis++) {
            counts.committed(Duration.ofMillis(millis).toNanos());
        }
        TransactionHandle.Snapshot snapshot = counts.snapshot();
        assertThat(snapshot.committed()).isEqualTo(100);
        assertThat(snapshot.commitMedian()).isBetween(Duration.ofMillis(50), Duration.ofMillis(54));
        assertThat(snapshot.commitP99()).isBetween(Duration.ofMillis(99), Duration.ofMillis(100));
        assertThat(snapshot.commitMax()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void percentiles_ofNothing_areZero() {
        TransactionHandle.Snapshot snapshot = new TransactionCounts().snapshot();
        assertThat(snapshot.commitMedian()).isZero();
        assertThat(snapshot.commitP99()).isZero();
    }
}
