package dev.weir.cli;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The status line of a running pipe. Confined to the thread that shows it. */
final class PipeProgress {

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Sample(long nanos, long out) {}

    private final RunningPipeline running;
    private final PipeFlow flow;
    private final LongSupplier nanoClock;

    /** From the newest that is at least a window old on. */
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();

    PipeProgress(RunningPipeline running, PipeFlow flow, LongSupplier nanoClock) {
        this.running = running;
        this.flow = flow;
        this.nanoClock = nanoClock;
        samples.add(new Sample(nanoClock.getAsLong(), 0));
    }

    String line() {
        List<StageSnapshot> stages = running.stages();
        ConsumerSnapshot consumer =
                running.handles(ConsumerHandle.class).getFirst().snapshot();
        long out = stages.getLast().elementsOut();
        int assigned = consumer.partitions().size();
        if (assigned == 0 && out == 0) {
            return "joining the group ...";
        }
        long letters = flow.deadLettered(running);
        return String.format(
                Locale.ROOT,
                "in %,d  out %,d%s  %,d/s  in flight %,d  lag %,d  paused %d of %d",
                stages.getFirst().elementsIn(),
                out,
                letters == 0 ? "" : deadLetters(letters, flow.deadLettersCut(running)),
                rate(out),
                consumer.inFlight(),
                consumer.lag(),
                consumer.pausedPartitions(),
                assigned);
    }

    private static String deadLetters(long letters, long cut) {
        return String.format(
                Locale.ROOT, cut == 0 ? " (%,d dead letters)" : " (%,d dead letters, %,d cut)", letters, cut);
    }

    /** Records per second since the newest sample that is at least a window old, or since the start. */
    private long rate(long out) {
        long now = nanoClock.getAsLong();
        samples.add(new Sample(now, out));
        Sample oldest = samples.getFirst();
        for (Sample next : samples) {
            if (now - next.nanos < WINDOW_NANOS) {
                break;
            }
            oldest = next;
        }
        while (samples.getFirst() != oldest) {
            samples.poll();
        }
        return (long) ((out - oldest.out) * 1e9 / Math.max(1, now - oldest.nanos));
    }
}
