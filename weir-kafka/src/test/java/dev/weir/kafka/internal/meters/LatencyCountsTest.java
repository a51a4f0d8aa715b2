package dev.weir.kafka.internal.meters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProducerHandle.Latency;
import org.junit.jupiter.api.Test;

class LatencyCountsTest {

    private final LatencyCounts counts = new LatencyCounts();

    @Test
    void snapshot_nothingCounted_isZero() {
        assertThat(counts.snapshot()).isEqualTo(Latency.of(0, 0, 0, 0));
    }

    @Test
    void snapshot_smallValues_areExact() {
        for (int millis = 0; millis < 50; millis++) {
            counts.add(millis);
        }
        assertThat(counts.snapshot()).isEqualTo(Latency.of(50, 24, 49, 49));
    }

    @Test
    void percentiles_ofLargeValues_areWithinOnePartIn32() {
        for (long millis = 1; millis <= 100_000; millis++) {
            counts.add(millis);
        }
        Latency latency = counts.snapshot();
        assertThat(latency.p50()).isBetween(50_000L, 50_000L * 33 / 32);
        assertThat(latency.p99()).isBetween(99_000L, 100_000L);
        assertThat(latency.max()).isEqualTo(100_000);
    }

    @Test
    void upTo_bounds_countsCumulatively() {
        for (long millis = 1; millis <= 10_000; millis++) {
            counts.add(millis);
        }
        long[] upTo = counts.upTo(0, 5, 63, 5_000, 20_000);
        assertThat(upTo).startsWith(0, 5, 63).endsWith(10_000);
        assertThat(upTo[3]).isBetween(5_000L * 31 / 32, 5_000L);
        assertThat(counts.upTo()).isEmpty();
    }

    @Test
    void add_extremes_areCounted() {
        counts.add(Long.MAX_VALUE);
        counts.add(-5);
        assertThat(counts.snapshot()).isEqualTo(Latency.of(2, 0, Long.MAX_VALUE, Long.MAX_VALUE));
    }
}
