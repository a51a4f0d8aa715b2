package dev.weir.kafka.internal.in.position;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LostPositionsTest {

    /**
     * Regression: a run failed if retention deleted all records between the queries of the end and the beginning. After
     * a stale broker had refused a fetch, all records up to the end were skipped.
     */
    @ParameterizedTest
    @CsvSource({"5, 10, 20, 10", "25, 10, 20, 20", "15, 10, 20, 15", "5, 20, 10, 20"})
    void nearest_isInTheLog(long offset, long beginning, long end, long nearest) {
        assertThat(LostPositions.nearest(offset, beginning, end)).isEqualTo(nearest);
    }
}
