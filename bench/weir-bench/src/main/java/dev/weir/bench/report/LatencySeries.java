package dev.weir.bench.report;

import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The response times of a run by interval, including the warm-up, from the run's histogram log. Confined to one thread.
 *
 * <p>The log has wall-clock times, but the times of intervals count from the first record. To align the two, the last
 * histogram and the last interval are assumed to end at the same time.
 */
final class LatencySeries {
    private final Histogram[] byInterval;

    LatencySeries(List<Interval> intervals, List<Histogram> log) {
        byInterval = new Histogram[intervals.size()];
        Arrays.setAll(byInterval, i -> new Histogram(3));
        List<Histogram> responses =
                log.stream().filter(LatencySeries::isResponse).toList();
        if (!intervals.isEmpty() && !responses.isEmpty()) {
            long shiftMillis = responses.getLast().getEndTimeStamp() - endMillis(intervals.getLast());
            int i = 0;
            for (Histogram response : responses) {
                long endMillis = response.getEndTimeStamp() - shiftMillis;
                while (i + 1 < byInterval.length
                        && Math.abs(endMillis(intervals.get(i + 1)) - endMillis)
                                <= Math.abs(endMillis(intervals.get(i)) - endMillis)) {
                    i++;
                }
                byInterval[i].add(response);
            }
        }
    }

    private static boolean isResponse(Histogram histogram) {
        return LatencyTags.RESPONSE.equals(histogram.getTag())
                || LatencyTags.ofWarmUp(LatencyTags.RESPONSE).equals(histogram.getTag());
    }

    private static long endMillis(Interval interval) {
        return interval.startMillis() + interval.lengthMillis();
    }

    /** Returns the combined latencies of the intervals from {@code from} (inclusive) to {@code to} (exclusive). */
    Histogram of(int from, int to) {
        Histogram sum = new Histogram(3);
        for (int i = from; i < to; i++) {
            sum.add(byInterval[i]);
        }
        return sum;
    }
}
