package dev.weir.metrics;

import dev.weir.kafka.ProducerHandle;
import dev.weir.metrics.Limiter.Kind;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Rules for limiters downstream of the pipeline: the producer, and the brokers to which it writes. */
final class OutputRules {

    /** A broker is slow if a request takes at least this long. A nearby idle broker needs a tenth of this time. */
    private static final double SLOW_REQUEST_MILLIS = 20;

    /** If a request takes this long, the broker is the cause. */
    private static final double VERY_SLOW_REQUEST_MILLIS = 5 * SLOW_REQUEST_MILLIS;

    /**
     * A broker below {@link #VERY_SLOW_REQUEST_MILLIS} is not slow if batches wait in the client for at least this many
     * request times.
     */
    private static final double QUEUED_REQUESTS = 4;

    /** A wait for an acknowledgement is long if it takes at least this time. */
    private static final double LONG_ANSWER_MILLIS = 50;

    /** Throttling is the limiter if brokers throttle the producer for at least this fraction of the time. */
    private static final double MOSTLY_THROTTLED = 0.5;

    private OutputRules() {}

    /** Finds a producing stage that waits for space in the producer's buffer, or computes all the time. */
    static @Nullable Limiter blocked(Interval interval) {
        for (int i = 0; i < producers(interval); i++) {
            ProducerHandle.Snapshot before = interval.first.producers().get(i);
            ProducerHandle.Snapshot now = interval.last.producers().get(i);
            Unit sender = unitOf(interval, now.stage());
            if (sender == null) {
                continue;
            }
            double blocked = (now.blockedNanos() - before.blockedNanos()) / (interval.seconds * 1e9);
            boolean full = now.bufferFreeBytes() < 0.1 * now.bufferBytes();
            boolean waitsForRoom = full && sender.utilisation() >= 0.7 && sender.waits();
            if (blocked >= 0.5 || waitsForRoom) {
                String why = "the producer of " + now.stage() + " waits for room in its buffer "
                        + Words.percent(Math.clamp(Math.max(blocked, waitsForRoom ? sender.utilisation() : 0), 0, 1))
                        + " of the time";
                Limiter throttled = throttled(interval, i, sender, why);
                if (throttled != null) {
                    return throttled;
                }
                return slowBroker(now)
                        ? outputBroker(interval, sender, now, why)
                        : producer(interval, sender, now, why, "raise batch.size, linger.ms and buffer.memory of it");
            }
            boolean computes = sender.utilisation() >= 0.7 && !sender.waits();
            if (computes && sender.heaviest().name().equals(now.stage()) && !MachineRules.isFull(interval)) {
                return producer(
                        interval,
                        sender,
                        now,
                        "the thread of " + now.stage() + " is busy handing records to the producer "
                                + Words.percent(sender.utilisation()) + " of the time",
                        "use a cheaper compression.type, or two pipelines with half of the partitions each");
            }
        }
        return null;
    }

    /** Finds slow acknowledgements: most records of the pipeline wait for them, and for long. */
    static @Nullable Limiter answers(Interval interval) {
        if (interval.keepsUp() && interval.inFlight() > 0 && interval.rate() > 0) {
            return null;
        }
        for (int i = 0; i < producers(interval); i++) {
            ProducerHandle.Snapshot now = interval.last.producers().get(i);
            int producer = i;
            Unit sender = unitOf(interval, now.stage());
            List<PipelineLook> met = withRecords(interval, i);
            double unanswered = mean(met, look -> look.producers().get(producer).unanswered());
            if (sender == null || unanswered < 1) {
                continue;
            }
            boolean isThrottled = throttledShare(interval, i) >= MOSTLY_THROTTLED;
            if (!isThrottled && unanswered < 0.5 * mean(met, Interval::inFlight)) {
                continue;
            }
            double answeredPerSecond = sender.stages().getLast().out() / interval.seconds;
            double millis = answeredPerSecond == 0 ? Double.POSITIVE_INFINITY : 1000 * unanswered / answeredPerSecond;
            if (!isThrottled && millis < LONG_ANSWER_MILLIS) {
                continue;
            }
            String why = Words.number(unanswered) + " records sent by " + now.stage() + " wait for their answer"
                    + (Double.isInfinite(millis) ? ", and none arrived" : ", each " + Words.number(millis) + " ms");
            Limiter throttled = throttled(interval, i, sender, why);
            if (throttled != null) {
                return throttled;
            }
            boolean inClient = now.queueMillis() > now.requestMillis();
            if (inClient && slowBroker(now) && now.requestMillis() < VERY_SLOW_REQUEST_MILLIS) {
                // On a busy machine, healthy brokers respond as slowly as overloaded brokers. Report both causes.
                return lingering(interval, sender, now, why)
                        .or(
                                outputBroker(interval, sender, now, why),
                                "lower linger.ms, and see whether the brokers' part is what stays");
            }
            return inClient && !slowBroker(now)
                    ? lingering(interval, sender, now, why)
                    : outputBroker(interval, sender, now, why);
        }
        return null;
    }

    /** Finds brokers that throttle the producer. No producer setting can prevent it. */
    private static @Nullable Limiter throttled(Interval interval, int producer, Unit sender, String why) {
        ProducerHandle.Snapshot now = interval.last.producers().get(producer);
        double share = throttledShare(interval, producer);
        return share < SourceRules.THROTTLED
                ? null
                : Limiter.of(
                        Kind.OUTPUT_BROKER,
                        now.stage(),
                        why + "; the brokers throttle it " + Words.percent(share) + " of the time",
                        "raise the quota of its client id or user, or write fewer bytes (compression.type)",
                        interval.nextLimit(sender));
    }

    private static double throttledShare(Interval interval, int producer) {
        long nanos = interval.last.producers().get(producer).throttledNanos()
                - interval.first.producers().get(producer).throttledNanos();
        return Math.clamp(nanos / (interval.seconds * 1e9), 0, 1);
    }

    private static Limiter lingering(Interval interval, Unit sender, ProducerHandle.Snapshot now, String why) {
        return producer(
                interval,
                sender,
                now,
                why,
                "lower linger.ms of it if batches wait for that, or raise batch.size and maxOutstandingRecords");
    }

    /** Returns the readings in which the pipeline or the producer had records. */
    private static List<PipelineLook> withRecords(Interval interval, int producer) {
        return interval.looks.stream()
                .filter(look -> look.producers().size() > producer)
                .filter(look -> look.producers().get(producer).unanswered() > 0 || Interval.inFlight(look) > 0)
                .toList();
    }

    private static double mean(List<PipelineLook> looks, ToLongFunction<PipelineLook> figure) {
        return looks.stream().mapToLong(figure).average().orElse(0);
    }

    /**
     * Returns the number of producers, counted from the start of the list, whose stage is the same in the first and the
     * last reading.
     */
    private static int producers(Interval interval) {
        List<ProducerHandle.Snapshot> first = interval.first.producers();
        List<ProducerHandle.Snapshot> last = interval.last.producers();
        int same = 0;
        while (same < Math.min(first.size(), last.size())
                && first.get(same).stage().equals(last.get(same).stage())) {
            same++;
        }
        return same;
    }

    private static @Nullable Unit unitOf(Interval interval, String stage) {
        return interval.units.stream()
                .filter(unit ->
                        unit.stages().stream().anyMatch(each -> each.name().equals(stage)))
                .findFirst()
                .orElse(null);
    }

    /** Returns whether the broker is slow. It also counts as slow if there is no response yet. */
    private static boolean slowBroker(ProducerHandle.Snapshot producer) {
        double request = producer.requestMillis();
        boolean queued = request < VERY_SLOW_REQUEST_MILLIS && producer.queueMillis() >= QUEUED_REQUESTS * request;
        return !(request < SLOW_REQUEST_MILLIS || queued);
    }

    private static Limiter producer(
            Interval interval, Unit sender, ProducerHandle.Snapshot now, String why, String advice) {
        return Limiter.of(
                Kind.PRODUCER,
                now.stage(),
                why + client(now),
                Lever.setting("producer", advice),
                interval.nextLimit(sender));
    }

    private static Limiter outputBroker(Interval interval, Unit sender, ProducerHandle.Snapshot now, String why) {
        return Limiter.of(
                Kind.OUTPUT_BROKER,
                now.stage(),
                why + client(now),
                "look at the brokers of the output topic (disks, replicas, quotas), or lower acks or the records' size",
                interval.nextLimit(sender));
    }

    private static String client(ProducerHandle.Snapshot now) {
        return Double.isNaN(now.requestMillis())
                ? ""
                : "; batches wait " + Words.number(now.queueMillis()) + " ms in the client and "
                        + Words.number(now.requestMillis()) + " ms for the brokers";
    }
}
