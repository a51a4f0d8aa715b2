package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rules for limiters upstream of the pipeline: brokers, fetches, decoders, commits and missing arrivals. */
final class SourceRules {

    /** Reasons for a pause that do not depend on the pipeline's speed. */
    private static final Set<Paused> HELD = Set.of(Paused.USER, Paused.NOT_DUE, Paused.UNREAD, Paused.END);

    /** The pipeline could process more if it waits for elements for at least this fraction of the time. */
    private static final double STARVES = 0.4;

    /** The quota is the limiter if brokers throttle the consumer for at least this fraction of the time. */
    static final double THROTTLED = 0.02;

    /** Shortest time between two readings for a conclusion. */
    private static final long LEAST_NANOS = 300_000_000;

    /** A finding about a consumer needs this many readings with partitions. Fewer would cover only its start. */
    private static final int ENOUGH_LOOKS = 5;

    private SourceRules() {}

    /** Finds that no broker responds, or that none can provide the start positions. */
    static @Nullable Limiter noBroker(Interval interval) {
        for (ConsumerLook consumer : interval.last.consumers()) {
            Instant silent = consumer.dump().noAnswerSince();
            if (silent != null) {
                return Limiter.of(
                        Kind.SOURCE_BROKER,
                        consumer.dump().reads(),
                        ConsumerHealth.noAnswer(silent),
                        "look at the brokers and the way to them",
                        1);
            }
            for (PartitionDump partition : consumer.dump().partitions()) {
                if (partition.paused().contains(Paused.STARTING) && partition.trouble() != null) {
                    return Limiter.of(
                            Kind.SOURCE_BROKER,
                            Partitions.name(partition),
                            "no broker can say where " + Partitions.name(partition) + " starts: " + partition.trouble(),
                            "look at the leader of " + Partitions.name(partition),
                            1);
                }
            }
        }
        return null;
    }

    /**
     * Finds that partitions are not read for reasons unrelated to the pipeline's speed. For example, a user has paused
     * them, their records are not due, or they have been read to the requested end.
     */
    static @Nullable Limiter held(Interval interval) {
        List<PartitionDump> partitions = interval.partitions();
        List<PartitionDump> held =
                partitions.stream().filter(SourceRules::isHeld).toList();
        if (held.isEmpty() || held.size() < partitions.size()) {
            return forgotten(interval, held);
        }
        if (!isMostlyHeld(interval)) {
            // All partitions are held back now, but not in most readings. Another limit applied for most of the
            // interval.
            return null;
        }
        Paused reason = held.getFirst().paused().stream()
                .filter(HELD::contains)
                .sorted()
                .findFirst()
                .orElseThrow();
        return Limiter.of(
                Kind.SOURCE_IDLE,
                reads(interval),
                "no partition may be read: " + reason.words(),
                reason == Paused.USER ? Lever.resume("the consumer") : Lever.none(),
                1);
    }

    /** Returns whether all partitions were held back in at least half of the readings. */
    private static boolean isMostlyHeld(Interval interval) {
        return interval.shareOfLooks(look -> {
                    List<PartitionDump> partitions = Interval.partitions(look);
                    return !partitions.isEmpty() && partitions.stream().allMatch(SourceRules::isHeld);
                })
                >= 0.5;
    }

    /** Finds partitions with records that a user has paused, while the other partitions keep up. */
    private static @Nullable Limiter forgotten(Interval interval, List<PartitionDump> held) {
        List<PartitionDump> paused = held.stream()
                .filter(each -> each.paused().contains(Paused.USER) && each.lag() > 0)
                .toList();
        if (paused.isEmpty() || !starves(interval) || !interval.keepsUp()) {
            return null;
        }
        String names = paused.size() == 1
                ? Partitions.name(paused.getFirst())
                : Partitions.name(paused.getFirst()) + " and " + (paused.size() - 1) + " more";
        return Limiter.of(
                Kind.SOURCE_IDLE,
                paused.size() == 1 ? names : reads(interval),
                Words.count(paused.stream().mapToLong(PartitionDump::lag).sum()) + " records wait in " + names + ", "
                        + Paused.USER.words() + "; those of the other partitions are worked on as they arrive",
                Lever.resume(names),
                1);
    }

    /** Returns whether a partition is held back by {@link #HELD}. At its end, all its records must be finished. */
    private static boolean isHeld(PartitionDump partition) {
        return partition.paused().stream()
                .anyMatch(each -> HELD.contains(each)
                        && (each != Paused.END || partition.buffered() + partition.inFlight() == 0));
    }

    /** Returns whether the consumer may fetch from a partition as soon as there is space. */
    static boolean mayFetch(PartitionDump partition) {
        return partition.paused().stream().noneMatch(HELD::contains);
    }

    /** Finds records behind an open transaction, while the other partitions keep up. */
    static @Nullable Limiter openTransaction(Interval interval) {
        if (!starves(interval) || !interval.keepsUp()) {
            return null;
        }
        for (PartitionDump partition : interval.partitions()) {
            if (partition.paused().contains(Paused.OPEN_TRANSACTION)) {
                return Limiter.of(
                        Kind.SOURCE_BROKER,
                        Partitions.name(partition),
                        Partitions.name(partition) + " is " + Paused.OPEN_TRANSACTION.words() + ": "
                                + partition.trouble(),
                        "end that transaction, or wait for its timeout",
                        1);
            }
        }
        return null;
    }

    /** Finds failed commits, or fetched records that wait for a commit although the pipeline could process them. */
    static @Nullable Limiter commit(Interval interval) {
        for (ConsumerLook now : interval.last.consumers()) {
            ConsumerSnapshot before =
                    Objects.requireNonNullElse(now.in(interval.first), now).counters();
            long failed = now.counters().failedCommits() - before.failedCommits();
            long succeeded = now.counters().commits() - before.commits();
            Interval waited = starves(interval) ? waitsForCommits(interval, now) : null;
            if (waited == null && (failed <= 0 || succeeded > 0)) {
                continue;
            }
            String sentence = waited == null
                    ? failed + " commits failed and none succeeded"
                    : Words.count(Objects.requireNonNullElse(now.in(waited.last), now)
                                    .counters()
                                    .bufferedRecords())
                            + " fetched records wait for the commit before they go out, " + succeeded
                            + " commits finished";
            return Limiter.of(
                    Kind.COMMIT,
                    now.dump().reads(),
                    sentence,
                    failed > 0
                            ? "look at the log for why commits fail, and at the group's coordinator"
                            : "commit more records at once",
                    failed > 0 ? 1 : interval.nextLimit(null));
        }
        return null;
    }

    /**
     * Returns the interval in which the pipeline waited for commits, or null. During this time, the pipeline has no
     * input and no records in flight, although the consumer has fetched records. Ignores one or two waiting records if
     * no more arrive.
     */
    private static @Nullable Interval waitsForCommits(Interval all, ConsumerLook consumer) {
        List<PipelineLook> known = all.looks.stream()
                .filter(look -> of(look, consumer).stream().anyMatch(each -> each.lag() >= 0 || each.buffered() > 0))
                .filter(look -> !of(look, consumer).stream().allMatch(SourceRules::isHeld))
                .toList();
        List<PipelineLook> reading = known.stream()
                .filter(look -> of(look, consumer).stream().anyMatch(SourceRules::mayFetch))
                .toList();
        // If all partitions have been read to their end, use all readings: fetched records may still wait for a commit.
        List<PipelineLook> met = reading.isEmpty() ? known : reading;
        if (met.size() < Math.max(2, Math.min(ENOUGH_LOOKS, all.looks.size()))) {
            return null;
        }
        Interval interval = Interval.of(met);
        boolean waits = interval.starvedSince(interval.first) >= STARVES
                && interval.shareOfLooks(look -> isHeldBack(of(look, consumer))) >= 0.5
                && isHeldBack(of(interval.last, consumer))
                && interval.sourceAllows() >= StageRules.WORTH_SAYING;
        return waits ? interval : null;
    }

    private static List<PartitionDump> of(PipelineLook look, ConsumerLook consumer) {
        ConsumerLook then = consumer.in(look);
        return then == null ? List.of() : then.dump().partitions();
    }

    private static boolean isHeldBack(List<PartitionDump> partitions) {
        return partitions.stream().allMatch(each -> each.inFlight() == 0)
                && partitions.stream().anyMatch(each -> each.buffered() > 0 && !isHeld(each));
    }

    static boolean starves(Interval interval) {
        return !interval.units.isEmpty() && interval.units.getFirst().starved() >= STARVES;
    }

    /** Finds fetch threads that decode all the time while the pipeline waits. */
    static @Nullable Limiter decode(Interval interval) {
        boolean knows = interval.partitions().stream().noneMatch(each -> each.lag() < 0);
        if (!starves(interval) || (knows && interval.rate() > 0 && interval.keepsUp())) {
            return null;
        }
        for (ConsumerLook consumer : interval.last.consumers()) {
            ConsumerDump now = consumer.dump();
            double busy = decoding(interval, consumer);
            if (busy >= StageRules.SATURATED) {
                return Limiter.of(
                        Kind.SOURCE_DECODE,
                        interval.units.getFirst().stages().getFirst().name(),
                        "the decoder of " + now.reads() + " takes " + Words.percent(Math.min(1, busy))
                                + " of the time of "
                                + (now.decodeThreads() == 1
                                        ? "the thread that fetches"
                                        : "the " + now.decodeThreads() + " threads that fetch")
                                + ", and the pipeline waits for what it makes",
                        Lever.setting(
                                "fetchThreads",
                                "raise fetchThreads, use a cheaper decoder, or take whole views and decode them in a"
                                        + " mapParallel or mapBlocking stage below"),
                        interval.nextLimit(null));
            }
        }
        return null;
    }

    /** Returns the fraction of the fetch threads' time spent decoding since a consumer's first record. */
    private static double decoding(Interval interval, ConsumerLook consumer) {
        ConsumerDump now = consumer.dump();
        for (PipelineLook look : interval.looks) {
            ConsumerLook seen = consumer.in(look);
            if (seen != null && seen.dump().decodeNanos() > 0) {
                ConsumerDump then = seen.dump();
                double nanos = interval.last.atNanos() - look.atNanos();
                return nanos < LEAST_NANOS
                        ? 0
                        : (now.decodeNanos() - then.decodeNanos()) / (nanos * now.decodeThreads());
            }
        }
        return 0;
    }

    /** Finds that the pipeline keeps up with all arrivals. */
    static @Nullable Limiter arrival(Interval interval) {
        if (interval.units.isEmpty() || !starves(interval) || !interval.keepsUp()) {
            return null;
        }
        List<PartitionDump> partitions = interval.partitions();
        String first = interval.units.getFirst().stages().getFirst().name();
        if (interval.rate() > 0) {
            return Limiter.of(
                    Kind.ARRIVAL,
                    reads(interval),
                    "the pipeline keeps up: " + Words.number(interval.rate()) + " records a second arrive, and " + first
                            + " waits for more "
                            + Words.percent(interval.units.getFirst().starved()) + " of the time",
                    Lever.none(),
                    1);
        }
        if (interval.unfinished() > 0) {
            return interval.moves() ? null : stuck(interval);
        }
        if (!interval.last.consumers().isEmpty() && partitions.isEmpty()) {
            boolean hadSome =
                    interval.shareOfLooks(look -> !Interval.partitions(look).isEmpty()) >= 0.5;
            return hadSome ? Limiter.measuring("the partitions were given up a moment ago") : unassigned(interval);
        }
        if (!partitions.isEmpty() && partitions.stream().allMatch(each -> each.lag() < 0)) {
            return Limiter.measuring("no records arrive, and how many wait is not known yet");
        }
        return Limiter.of(Kind.SOURCE_IDLE, reads(interval), "no records arrive, and none wait", Lever.none(), 1);
    }

    /** Explains why the consumer has no partitions: it is joining the group, or the group has assigned none to it. */
    private static Limiter unassigned(Interval interval) {
        boolean joins = interval.last.consumers().stream()
                .allMatch(consumer -> consumer.dump().assignments() == 0);
        return Limiter.of(
                Kind.SOURCE_IDLE,
                reads(interval),
                joins ? "no partition is assigned yet: the group takes the consumer in" : "no partition is assigned",
                joins
                        ? "wait; if it continues, look for a broker that gives no answer or a member that is gone"
                        : "look whether other members of the group have them all",
                1);
    }

    /** Finds a few records that stay in the pipeline while no other records arrive. */
    static Limiter stuck(Interval interval) {
        StageLoad stage = interval.stages().stream()
                .max(Comparator.comparing((StageLoad each) -> !Unit.isInternal(each.name()))
                        .thenComparingDouble(StageLoad::inPass)
                        .thenComparingDouble(StageLoad::atWork)
                        .thenComparingInt(each -> each.last().depth())
                        .thenComparing(StageLoad::isTouched))
                .orElseThrow();
        return Limiter.of(
                Kind.STAGE_WAIT,
                stage.name(),
                interval.isPast
                        ? "records were in " + stage.name() + " for a long time, and no others arrived"
                        : Words.count(interval.unfinished())
                                + (interval.unfinished() == 1 ? " record is in " : " records are in ") + stage.name()
                                + " and none has left it" + Partitions.oldest(interval),
                "look at what the handler of " + stage.name() + " waits for",
                1);
    }

    /** Finds records waiting at the brokers while the pipeline has no input. */
    static @Nullable Limiter fetch(Interval interval) {
        if (!starves(interval) || interval.unread() == 0) {
            return null;
        }
        List<PartitionDump> partitions = interval.partitions();
        PartitionDump most = partitions.stream()
                .max(Comparator.comparingLong(Interval::unread))
                .orElseThrow();
        long unread = interval.unread();
        String waiting = Words.count(unread) + " records wait at the brokers and the pipeline takes "
                + Words.number(interval.rate()) + " a second, all that arrive";
        if (interval.rate() == 0) {
            return Limiter.of(
                    Kind.SOURCE_BROKER,
                    reads(interval),
                    Words.count(unread) + " records wait at the brokers, which hand out none",
                    "look at the brokers: leaders, quotas, throttled clients",
                    1);
        }
        double throttled = throttled(interval);
        if (throttled >= THROTTLED) {
            return Limiter.of(
                    Kind.SOURCE_BROKER,
                    reads(interval),
                    waiting + "; the brokers throttle the consumer " + Words.percent(throttled) + " of the time",
                    "raise the quota of its client id or user",
                    interval.nextLimit(null));
        }
        if (partitions.size() > 1 && Interval.unread(most) >= 0.9 * unread) {
            return Limiter.of(
                    Kind.ONE_PARTITION,
                    Partitions.name(most),
                    waiting + "; nearly all of them are in " + Partitions.name(most),
                    "spread the records over more partitions",
                    Math.min(partitions.size(), interval.nextLimit(null)));
        }
        return Limiter.of(
                Kind.SOURCE_FETCH,
                reads(interval),
                waiting,
                Lever.setting(
                        "fetch.max.bytes",
                        "raise fetch.max.bytes and max.partition.fetch.bytes, use the lean fetch path, or a nearer replica"),
                interval.nextLimit(null));
    }

    /** Returns the fraction of the time in which brokers throttled the most throttled consumer. */
    private static double throttled(Interval interval) {
        double most = 0;
        for (ConsumerLook consumer : interval.last.consumers()) {
            ConsumerLook before = consumer.in(interval.first);
            long nanos = consumer.dump().throttledNanos()
                    - (before == null ? 0 : before.dump().throttledNanos());
            most = Math.max(most, nanos / (interval.seconds * 1e9));
        }
        return Math.min(1, most);
    }

    static String reads(Interval interval) {
        return interval.last.consumers().isEmpty()
                ? interval.units.getFirst().stages().getFirst().name()
                : interval.last.consumers().getFirst().dump().reads();
    }
}
