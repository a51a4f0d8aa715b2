package dev.weir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencySeriesTest {
    private static final List<Interval> FIVE_SECONDS = IntStream.range(0, 5)
            .mapToObj(i -> new Interval(i * 1_000L, 1_000, 9, 9, 0, 0, 0, 0, 0, 0, 0))
            .toList();

    /** No record is due in the first second, one interval has no records, and the clock is read slightly late. */
    @Test
    void of_isWhatWasTakenInTheInterval() {
        LatencySeries series = new LatencySeries(
                FIVE_SECONDS,
                List.of(
                        histogram(LatencyTags.ofWarmUp(LatencyTags.RESPONSE), 77_002_004, 10),
                        histogram(LatencyTags.responseOfPartition(0), 77_002_004, 1_000),
                        histogram(LatencyTags.LATENESS, 77_003_001, 1_000),
                        histogram(LatencyTags.RESPONSE, 77_004_007, 20),
                        histogram(LatencyTags.RESPONSE, 77_005_000, 30)));
        assertThat(IntStream.range(0, 5).mapToObj(i -> series.of(i, i + 1).getTotalCount()))
                .containsExactly(0L, 10L, 0L, 20L, 30L);
        assertThat(series.of(1, 4).getTotalCount()).isEqualTo(30);
    }

    @Test
    void of_aRunWithoutLatencies_isEmpty() {
        assertThat(new LatencySeries(FIVE_SECONDS, List.of()).of(0, 5).getTotalCount())
                .isZero();
        assertThat(new LatencySeries(List.of(), List.of(histogram(LatencyTags.RESPONSE, 5, 1)))
                        .of(0, 0)
                        .getTotalCount())
                .isZero();
    }

    private static Histogram histogram(String tag, long endMillis, int count) {
        Histogram histogram = new Histogram(3);
        LongStream.range(0, count).forEach(histogram::recordValue);
        histogram.setTag(tag);
        histogram.setEndTimeStamp(endMillis);
        return histogram;
    }
}
