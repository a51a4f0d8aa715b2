package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rules for limits on unfinished records: a partition's window and the byte budget. */
final class WindowRules {

    /** Shortest time between two readings of a partition for a conclusion. */
    private static final long LEAST_NANOS = 400_000_000;

    private WindowRules() {}

    /** Finds partitions with unread records, paused because too many records or bytes are unfinished. */
    static @Nullable Limiter full(Interval interval) {
        double window = stillShare(interval, Paused.WINDOW);
        double budget = stillShare(interval, Paused.BUDGET);
        boolean bytes = budget > window;
        // A small window may fill and drain between two readings while the source waits for input, so a lower fraction
        // is enough.
        double enough = SourceRules.starves(interval) ? 0.2 : 0.5;
        // Without records in flight, the window is not the limit: the buffered records wait for something else.
        List<PipelineLook> still = looksAt(interval, bytes ? Paused.BUDGET : Paused.WINDOW);
        double inFlight = Math.max(
                still.stream().mapToLong(Interval::inFlight).average().orElse(0),
                interval.stages().stream().mapToDouble(StageLoad::busy).sum());
        double held = inFlight + (bytes ? interval.buffered() : 0);
        if (Math.max(window, budget) < enough || held < 0.5) {
            return null;
        }
        Limiter stage = bytes ? null : StageRules.holding(interval, still);
        Unit source = interval.units.isEmpty() ? null : interval.units.getFirst();
        if (stage != null || (!bytes && source != null && source.blocked() > source.starved())) {
            // The next stage has no space for the records that are already in the window.
            return stage;
        }
        List<PartitionDump> full = interval.partitions().stream()
                .filter(each -> each.paused().contains(bytes ? Paused.BUDGET : Paused.WINDOW))
                .toList();
        String setting = bytes ? "bufferBytes" : "maxOutstandingRecords";
        return Limiter.of(
                bytes ? Kind.BYTE_BUDGET : Kind.WINDOW,
                full.size() == 1 ? Partitions.name(full.getFirst()) : SourceRules.reads(interval),
                "partitions with records to read are paused " + Words.percent(Math.max(window, budget))
                        + " of the time, "
                        + (bytes ? "because the memory budget is used up" : "because their windows are full")
                        + ", with "
                        + Words.count(Math.round(inFlight)) + " records unfinished and stages that wait"
                        + Partitions.oldest(full),
                Lever.setting(setting, "double " + setting),
                Math.min(2, interval.nextLimit(null)));
    }

    private static List<PipelineLook> looksAt(Interval interval, Paused reason) {
        return interval.looks.stream()
                .filter(look -> Interval.partitions(look).stream()
                        .anyMatch(each -> each.paused().contains(reason)))
                .toList();
    }

    /** Returns the fraction of the time in which partitions with unread records are paused for {@code reason}. */
    private static double stillShare(Interval interval, Paused reason) {
        return Math.max(seenStill(interval, reason), countedStill(interval, reason));
    }

    /** Computes {@link #stillShare} from the partitions' timers. Readings are often taken after a pause. */
    private static double countedStill(Interval interval, Paused reason) {
        double still = 0;
        double all = 0;
        for (List<Sighting> of : Sighting.byPartition(interval.looks)) {
            Sighting first = of.getFirst();
            Sighting last = of.getLast();
            boolean hasMore = last.partition().paused().contains(reason) || Interval.unread(last.partition()) > 0;
            if (hasMore && last.atNanos() - first.atNanos() >= LEAST_NANOS) {
                all += last.atNanos() - first.atNanos();
                still += Math.max(0, last.still(reason) - first.still(reason));
            }
        }
        return all == 0 ? 0 : Math.min(1, still / all);
    }

    /** A partition that may be fetched, in one reading. */
    private record Sighting(long atNanos, PartitionDump partition) {

        /** Returns the readings of each partition, in order. */
        static Collection<List<Sighting>> byPartition(List<PipelineLook> looks) {
            Map<String, List<Sighting>> all = new LinkedHashMap<>();
            for (PipelineLook look : looks) {
                for (PartitionDump partition : Interval.partitions(look)) {
                    if (SourceRules.mayFetch(partition)) {
                        String key = Partitions.name(partition) + " " + partition.epoch();
                        all.computeIfAbsent(key, each -> new ArrayList<>())
                                .add(new Sighting(look.atNanos(), partition));
                    }
                }
            }
            return all.values();
        }

        long still(Paused reason) {
            return (reason == Paused.BUDGET ? partition.budgetFull() : partition.windowFull()).toNanos();
        }
    }

    /**
     * Computes {@link #stillShare} from the readings: the fraction of partitions with unread records that were paused
     * for {@code reason}.
     */
    private static double seenStill(Interval interval, Paused reason) {
        long still = 0;
        long all = 0;
        for (PipelineLook look : interval.looks) {
            for (ConsumerLook consumer : look.consumers()) {
                for (PartitionDump partition : consumer.dump().partitions()) {
                    boolean paused = partition.paused().contains(reason);
                    if (paused || Interval.unread(partition) > 0) {
                        all++;
                        still += paused ? 1 : 0;
                    }
                }
            }
        }
        return all == 0 ? 0 : (double) still / all;
    }
}
