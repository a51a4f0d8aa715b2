package dev.weir.cli.demo;

import dev.weir.cli.pipeline.PipelineCounts;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSnapshot;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The demo's progress in one line, within 80 columns up to a million events: generated, translated and dead-lettered
 * events, and the consumer's state. Confined to one thread.
 */
final class DemoStatus {

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(2);

    private record Sample(long nanos, long acknowledged) {}

    private final DemoTraffic traffic;
    private final ConsumerHandle consumer;
    private final LongSupplier deadLetters;
    private final Deque<Sample> window = new ArrayDeque<>();
    private final PipelineCounts counts = new PipelineCounts();

    DemoStatus(DemoTraffic traffic, ConsumerHandle consumer, LongSupplier deadLetters) {
        this.traffic = traffic;
        this.consumer = consumer;
        this.deadLetters = deadLetters;
        window.add(new Sample(System.nanoTime(), 0));
    }

    /**
     * Returns the status line.
     *
     * @param acknowledged the number of output records so far, including dead-letter records
     */
    String line(long acknowledged) {
        Sample now = new Sample(System.nanoTime(), acknowledged);
        while (window.size() > 1 && now.nanos - window.getFirst().nanos > WINDOW_NANOS) {
            window.removeFirst();
        }
        Sample then = window.getFirst();
        window.add(now);
        double rate = (now.acknowledged - then.acknowledged) * 1e9 / Math.max(1, now.nanos - then.nanos);
        PipelineCounts.Moment moment = counts.next(acknowledged, 0, deadLetters.getAsLong(), 0, traffic.generated());
        ConsumerSnapshot snapshot = consumer.snapshot();
        return String.format(
                Locale.ROOT,
                "%,d in  %,d out  %,d dead  %,.0f/s  %s in flight  lag %s  %d paused",
                moment.in(),
                moment.out(),
                moment.dead(),
                rate,
                // Without events that still wait in the topic. The lag below includes them.
                brief(Math.min(snapshot.inFlight(), moment.inFlight())),
                // The consumer's snapshot does not see new records of a paused partition.
                brief(moment.inFlight()),
                snapshot.pausedPartitions());
    }

    /** Returns the count in few characters: 987, 12k, 3M. */
    static String brief(long count) {
        if (count < 1000) {
            return Long.toString(count);
        }
        return count < 1_000_000 ? Math.round(count / 1e3) + "k" : Math.round(count / 1e6) + "M";
    }
}
