package dev.weir.cli.pipe;

import dev.weir.cli.pipeline.PipelineCounts;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.TransactionHandle;
import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

final class PipeProgress {

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Longest time to wait for a snapshot. The consumer's own thread takes it, and may be busy. */
    private static final Duration SNAPSHOT_PATIENCE = Duration.ofMillis(50);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());

    private record Sample(long nanos, long done) {}

    private final LongSupplier nanoClock;
    private final PipelineCounts counts = new PipelineCounts();

    /** Samples in order. The first sample is from before the window; all other samples are in the window. */
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();

    private PipelineCounts.Moment lastMoment = new PipelineCounts.Moment(0, 0, 0, 0);

    PipeProgress(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        samples.add(new Sample(nanoClock.getAsLong(), 0));
    }

    String line(RunningPipeline running, PipeFlow flow) {
        for (ShareHandle member : running.handles(ShareHandle.class)) {
            return line(member.snapshot(), running.stages().getLast().elementsOut());
        }
        ConsumerHandle handle = running.handles(ConsumerHandle.class).getFirst();
        ConsumerSnapshot consumer = handle.snapshot(SNAPSHOT_PATIENCE);
        long written = running.stages().getLast().elementsOut();
        long deadWritten = flow.deadLettersElsewhere(running);
        long deadMade = flow.deadLettersMade();
        // Records of an aborted transaction are read twice. Count the first reading as dropped.
        long dropped = consumer.dropped().stream().mapToLong(RecordRange::count).sum()
                + running.handles(TransactionHandle.class).stream()
                        .mapToLong(transactions -> transactions.snapshot().rewoundRecords())
                        .sum();
        long in = running.stages().getFirst().elementsIn();
        return line(
                counts.next(written, deadWritten, deadMade, dropped, in),
                consumer,
                handle.health().noAnswerSince(),
                flow.deadLettersCut(running));
    }

    private String line(ShareHandle.Snapshot member, long out) {
        if (member.redelivered() + member.accepted() + member.inHand() == 0) {
            return "joining the share group ...";
        }
        return String.format(
                Locale.ROOT,
                "out %,d  %,d/s  in flight %,d  lag %s  lanes %d x %d",
                out,
                rate(out),
                member.inHand() + member.waiting(),
                lag(member.lag()),
                member.lanes(),
                member.pollRecords());
    }

    String line(PipelineCounts.Moment moment, ConsumerSnapshot consumer, @Nullable Instant noAnswerSince, long cut) {
        boolean stands = moment.equals(lastMoment);
        lastMoment = moment;
        PipelineCounts.Moment now =
                stands && consumer.inFlight() == 0 && moment.inFlight() > 0 ? counts.settled() : moment;
        int assigned = consumer.partitions().size();
        boolean isLagKnown = consumer.partitions().stream().allMatch(each -> each.lag() >= 0);
        String silence = noAnswerSince == null ? "" : "no broker answers since " + TIME.format(noAnswerSince) + "  ";
        if (assigned == 0 && now.out() + now.dead() == 0) {
            return silence + "joining the group ...";
        }
        return silence
                + String.format(
                        Locale.ROOT,
                        "in %,d  out %,d%s  %,d/s  in flight %,d  lag %s  paused %d of %d",
                        now.in(),
                        now.out(),
                        now.dead() == 0 ? "" : deadLetters(now.dead(), cut),
                        rate(now.out() + now.dead()),
                        now.inFlight(),
                        lag(isLagKnown ? Math.max(consumer.lag(), now.inFlight()) : -1),
                        consumer.pausedPartitions(),
                        assigned);
    }

    private static String lag(long records) {
        return records < 0 ? "?" : String.format(Locale.ROOT, "%,d", records);
    }

    private static String deadLetters(long deadLetters, long cut) {
        String ofThem = cut == 0 ? "" : String.format(Locale.ROOT, ", %,d cut", cut);
        return String.format(Locale.ROOT, " (%,d dead-letter records%s)", deadLetters, ofThem);
    }

    /** Records per second since the newest sample before the window, or since the start. */
    private long rate(long done) {
        long now = nanoClock.getAsLong();
        samples.add(new Sample(now, done));
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
        return (long) ((done - oldest.done) * 1e9 / Math.max(1, now - oldest.nanos));
    }
}
