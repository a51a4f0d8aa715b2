package dev.weir.bench.figures;

import dev.weir.bench.live.Order;
import dev.weir.bench.result.Disturbance;
import dev.weir.bench.workload.LatencyTarget;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** The disturbances of a run and their costs. Confined to one thread. */
public final class Disturbances {
    private final Recovery recovery;
    private final List<Span> spans = new ArrayList<>();

    private record Span(Order order, double fromMillis, double toMillis) {}

    /** The seconds in which the costs of a disturbance are counted; {@code to} is exclusive. */
    private record Window(int from, int to) {}

    /** Creates an empty list. Records later than the limit of {@code target} count as late. */
    public Disturbances(LatencyTarget target) {
        this.recovery = new Recovery(target);
    }

    /** Adds a change that was made to the run. Ignores changes that end or extend the run or reset its figures. */
    public void add(Order order, double fromMillis, double toMillis) {
        boolean isOfTheBooks =
                order instanceof Order.DiscardStats || order instanceof Order.Extend || order instanceof Order.End;
        if (!isOfTheBooks) {
            spans.add(new Span(order, fromMillis, toMillis));
        }
    }

    /**
     * Returns the costs of the disturbances. Call it after all processes have reported.
     *
     * @param missing numbers of records that never arrived, by partition
     */
    public List<Disturbance> costs(LiveFigures figures, double endMillis, List<BitSet> missing) {
        int count = figures.whole(endMillis);
        List<Recovery.Second> seconds = figures.seconds(count, recovery.target());
        List<Disturbance> costs = new ArrayList<>();
        long[] lost = figures.sentBySecond(missing);
        int bookedTo = 0;
        for (int i = 0; i < spans.size(); i++) {
            Span span = spans.get(i);
            if (!span.order().isDisturbance()) {
                continue;
            }
            double nextMillis = i + 1 < spans.size() ? spans.get(i + 1).fromMillis() : endMillis;
            int next = Math.min(count, (int) (nextMillis / figures.slotMillis()));
            int over = (int) (span.toMillis() / figures.slotMillis());
            int recovered = recovery.recovered(seconds, figures.slotMillis(), over, next);
            int to = recovered < 0 ? next : recovered;
            Window window = new Window(Math.min((int) (span.fromMillis() / figures.slotMillis()), to), to);
            double recoveryMillis =
                    recovered < 0 ? Double.NaN : Math.max(0, recovered * figures.slotMillis() - span.toMillis());
            // A lost record belongs to the first disturbance whose window ends after the record was sent.
            long ofThis = IntStream.range(Math.min(bookedTo, to), to)
                    .mapToLong(second -> lost[second])
                    .sum();
            costs.add(cost(span, recoveryMillis, window, figures, ofThis));
            bookedTo = to;
        }
        return costs;
    }

    private Disturbance cost(Span span, double recoveryMillis, Window window, LiveFigures figures, long lost) {
        Histogram timings = figures.timings(window.from(), window.to());
        long limitNanos = (long) (1e6 * recovery.target().limitMillis());
        long onTime = timings.getTotalCount() == 0 ? 0 : timings.getCountBetweenValues(0, limitNanos);
        return new Disturbance(
                span.order().text(),
                (long) span.fromMillis(),
                (long) span.toMillis(),
                recoveryMillis,
                timings.getTotalCount() - onTime,
                timings.getTotalCount() == 0 ? Double.NaN : timings.getMaxValue() / 1e6,
                figures.again(window.from(), window.to()),
                lost);
    }
}
