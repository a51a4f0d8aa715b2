package dev.weir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.figures.LiveFigures;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
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
        assertThat(counts(series)).containsExactly(0L, 10L, 0L, 20L, 30L);
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

    /** The plan of the last phase sends nothing, so its seconds have no latencies. */
    @Test
    void of_aLiveRunWhoseLastSecondsWereSilent_staysInItsSeconds() {
        LiveFigures figures = new LiveFigures(1, 1_000, 0);
        figures.begin(0, 0);
        for (int second = 0; second < 5; second++) {
            long from = TimeUnit.SECONDS.toNanos(second);
            int came = second < 2 ? 10 : 0;
            figures.ofMember(
                    0,
                    from,
                    from + TimeUnit.SECONDS.toNanos(1),
                    new Report.Interval(
                            0, came, 0, new Usage(1, 1, 0, 0, 0, 0, 0, 0, 0), HandlerTime.NONE, List.of(), false),
                    List.of(histogram("", 0, came)));
        }
        assertThat(counts(new LatencySeries(figures.intervals(5), figures.latencies(5))))
                .containsExactly(10L, 10L, 0L, 0L, 0L);
        List<Histogram> ofPhase = figures.latenciesOfPhase(1, 0, 5);
        ofPhase.forEach(each ->
                each.setTag(each.getTag().substring(LatencyTags.ofPhase(1, "").length())));
        assertThat(counts(new LatencySeries(figures.intervals(5), ofPhase))).containsExactly(10L, 10L, 0L, 0L, 0L);
    }

    private static Stream<Long> counts(LatencySeries series) {
        return IntStream.range(0, 5).mapToObj(i -> series.of(i, i + 1).getTotalCount());
    }

    private static Histogram histogram(String tag, long endMillis, int count) {
        Histogram histogram = new Histogram(3);
        LongStream.range(0, count).forEach(histogram::recordValue);
        histogram.setTag(tag);
        histogram.setEndTimeStamp(endMillis);
        return histogram;
    }
}
