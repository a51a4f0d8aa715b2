package dev.weir.bench.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.LatencyTags;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyLogTest {

    private static final long SECOND = 1_000_000_000;

    private final LatencyLog log = new LatencyLog();

    /** Regression: the log ended before the run, so a reader moved all responses to later intervals. */
    @Test
    void runThatEndsWithoutRecords_hasALogUntilItsEnd() {
        Histogram some = new Histogram(3);
        some.recordValue(5);
        log.keepResponses(some, true, 0, SECOND);
        log.keepResponses(new Histogram(3), false, SECOND, 2 * SECOND);
        Histogram last = log.all().getLast();
        assertThat(last.getEndTimeStamp() - some.getEndTimeStamp()).isEqualTo(1_000);
        assertThat(last.getTag()).isEqualTo(LatencyTags.RESPONSE);
    }
}
