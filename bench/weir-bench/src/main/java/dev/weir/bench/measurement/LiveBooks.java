package dev.weir.bench.measurement;

import dev.weir.bench.figures.GroupPulse;
import dev.weir.bench.figures.IntervalSums;
import dev.weir.bench.figures.LiveFigures;
import dev.weir.bench.figures.OptionalCounts;
import dev.weir.bench.result.Interval;
import dev.weir.bench.statistics.Latencies;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** The figures of each group of a run, and of all groups together. Confined to one thread. */
final class LiveBooks {
    private final LiveFigures all;
    private final List<LiveFigures> groups; // empty for a single group

    LiveBooks(WorkloadPoint point) {
        this.all = figures(point, point.groups());
        this.groups = point.groups() == 1
                ? List.of()
                : IntStream.range(0, point.groups())
                        .mapToObj(group -> figures(point, 1))
                        .toList();
    }

    private static LiveFigures figures(WorkloadPoint point, int groups) {
        return new LiveFigures(point.partitions(), point.intervalMillis(), point.partitions(), groups);
    }

    LiveFigures all() {
        return all;
    }

    LiveFigures of(int group) {
        return byGroup().get(group);
    }

    List<LiveFigures> byGroup() {
        return groups.isEmpty() ? List.of(all) : groups;
    }

    private Stream<LiveFigures> each() {
        return Stream.concat(Stream.of(all), groups.stream());
    }

    void begin(long startNanos, double warmUpMillis) {
        each().forEach(figures -> figures.begin(startNanos, warmUpMillis));
    }

    void end() {
        each().forEach(LiveFigures::end);
    }

    void discard(double atMillis) {
        each().forEach(figures -> figures.discard(atMillis));
    }

    void beginPart(double atMillis) {
        each().forEach(figures -> figures.beginPart(atMillis));
    }

    /** Adds an interval reported by a member of a group. The list {@code timings} is indexed by partition. */
    void ofMember(
            int group, int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
        all.ofMember(member, startNanos, endNanos, interval, timings);
        if (!groups.isEmpty()) {
            groups.get(group).ofMember(member, startNanos, endNanos, interval, timings);
        }
    }

    /**
     * Adds an interval reported by the generator, and the groups' samples at the end of the interval.
     *
     * @param late the lateness of the sent records, by partition
     * @param looks the samples, by group
     */
    void ofGenerator(
            long startNanos,
            long endNanos,
            Report.Interval interval,
            List<Histogram> late,
            List<GroupPulse.Look> looks) {
        all.ofSender(startNanos, endNanos, interval.figures());
        each().forEach(figures -> figures.ofGenerator(startNanos, endNanos, interval.records(), late));
        for (int group = 0; group < groups.size(); group++) {
            groups.get(group)
                    .ofGroup(
                            startNanos,
                            endNanos,
                            looks.get(group).came(),
                            looks.get(group).again());
        }
        all.ofGroup(
                startNanos,
                endNanos,
                looks.stream().mapToLong(GroupPulse.Look::came).sum(),
                looks.stream().mapToLong(GroupPulse.Look::again).reduce(0, OptionalCounts::plus));
    }

    /** The figures of each group in the measured part, by name; empty if there is only one group. */
    Map<String, Double> figuresOfGroups(double endMillis) {
        Map<String, Double> metrics = new TreeMap<>();
        for (int group = 0; group < groups.size(); group++) {
            LiveFigures figures = groups.get(group);
            int count = figures.whole(endMillis);
            int warmUp = figures.warmUp(count);
            Histogram timings = figures.timings(warmUp, count);
            List<Interval> measured = figures.intervals(count).subList(warmUp, count);
            String of = "group " + (group + 1) + ": ";
            IntervalSums sums = IntervalSums.of(measured);
            metrics.put(of + "records/s", 1e9 * sums.records() / Math.max(1, sums.nanos()));
            metrics.put(of + "p50 ms", Latencies.percentileMillis(timings, 50));
            metrics.put(of + "p99 ms", Latencies.percentileMillis(timings, 99));
        }
        return metrics;
    }
}
