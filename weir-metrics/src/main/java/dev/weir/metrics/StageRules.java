package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.RecordOrdering;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Limiters within the pipeline: a stage's threads, its dispatcher, its keys. */
final class StageRules {

    /** Of a unit's threads: a unit that uses more has none to spare. */
    private static final double SATURATED = 0.7;

    /** A chain behind a key that is no chance. */
    private static final double LONG_CHAIN = 8;

    /** Of a unit's threads: so many that wait for one lock are a queue at it. */
    private static final double QUEUED_AT_A_LOCK = 0.5;

    private StageRules() {}

    /** Tasks wait for a thread of a dispatcher all of whose threads work. */
    static @Nullable Limiter dispatcher(Interval interval) {
        for (Map.Entry<String, List<DispatcherSnapshot>> each :
                interval.dispatchers().entrySet()) {
            DispatcherSnapshot last = each.getValue().getLast();
            double queued = mean(each.getValue(), DispatcherSnapshot::queued);
            double active = mean(each.getValue(), DispatcherSnapshot::active);
            if (last.kind() == Dispatcher.Kind.VIRTUAL || queued < 0.5 || active < 0.8 * last.size()) {
                continue;
            }
            List<Unit> users = interval.units.stream()
                    .filter(unit -> isOn(unit, each.getKey()))
                    .toList();
            if (users.isEmpty()) {
                continue;
            }
            double computing = users.stream().mapToDouble(Unit::computing).sum();
            double used = users.stream().mapToDouble(Unit::used).sum();
            if (computing >= 0.5 * used && last.size() >= interval.processors()) {
                // More threads would share the same processors.
                return of(
                        interval,
                        users.stream()
                                .max(Comparator.comparingDouble(Unit::used))
                                .orElseThrow());
            }
            return tooSmall(interval, last, queued, users);
        }
        return null;
    }

    private static double mean(List<DispatcherSnapshot> looks, ToLongFunction<DispatcherSnapshot> figure) {
        return looks.stream().mapToLong(figure).average().orElse(0);
    }

    private static boolean isOn(Unit unit, String dispatcher) {
        DispatcherSnapshot on = unit.stages().getFirst().dispatcher();
        return on != null && on.name().equals(dispatcher);
    }

    private static Limiter tooSmall(Interval interval, DispatcherSnapshot dispatcher, double queued, List<Unit> users) {
        double allowed = interval.processorsAllow();
        for (Unit unit : interval.units) {
            if (!users.contains(unit) && unit.utilisation() > 0) {
                allowed = Math.min(allowed, 1 / unit.utilisation());
            }
        }
        double gain = Math.clamp(Math.min(allowed, 1 + queued / dispatcher.size()), 1, Interval.MOST_GAIN);
        String stages = String.join(
                ", ", users.stream().map(unit -> unit.heaviest().name()).toList());
        return Limiter.of(
                Kind.DISPATCHER,
                dispatcher.name(),
                "all " + dispatcher.size() + " threads of dispatcher " + dispatcher.name() + " are taken and "
                        + Words.number(queued) + " tasks wait for one, of " + stages,
                "raise dispatcher " + dispatcher.name() + " from " + dispatcher.size() + " to "
                        + (long) Math.ceil(dispatcher.size() * gain) + " threads",
                gain);
    }

    /** The unit that uses most of its threads, if it has none to spare and work waits for them. */
    static @Nullable Limiter saturated(Interval interval) {
        Unit fullest = interval.units.stream()
                .filter(unit -> unit.utilisation() >= SATURATED && isWanted(interval, unit))
                .max(Comparator.comparingDouble(Unit::utilisation))
                .orElse(null);
        return fullest == null ? null : of(interval, fullest);
    }

    private static boolean isWanted(Interval interval, Unit unit) {
        return unit.equals(interval.units.getFirst())
                || (unit.shared() && unit.utilisation() >= 0.9)
                || unit.hasWorkWaiting(interval.blockedAbove(unit));
    }

    /** The limiter that a unit with too few threads is. */
    static Limiter of(Interval interval, Unit unit) {
        if (isWaiting(interval, unit)) {
            return waiting(interval, unit);
        }
        return MachineRules.isFull(interval) ? MachineRules.outOfProcessors(interval) : computing(interval, unit);
    }

    /** By what its threads say, or because the process does not use the processors that they would need to compute. */
    private static boolean isWaiting(Interval interval, Unit unit) {
        double used = interval.processCpu();
        boolean idleProcessors = interval.load() < 0.9;
        return unit.waits() || (idleProcessors && used < 0.5 * unit.computing());
    }

    private static Limiter waiting(Interval interval, Unit unit) {
        StageLoad stage = unit.heaviest();
        double waits = unit.waits() ? unit.waitShare() : 1 - interval.processCpu() / unit.computing();
        if (stage.behindLock() >= 1 && stage.behindLock() >= QUEUED_AT_A_LOCK * unit.used()) {
            return behindLock(interval, unit, stage, waits);
        }
        double gain = unit.shared()
                ? gainOfOwnThreads(interval, unit, stage)
                : Math.min(interval.nextLimit(unit), 1 + stage.ready() / Math.max(1, unit.used()));
        long lanes = (long) Math.ceil(unit.lanes() * gain);
        String advice;
        if (unit.shared()) {
            advice = "give " + stage.name() + " threads of its own: mapBlocking or mapAsync with " + Math.max(2, lanes)
                    + " at once";
        } else if (lanes > unit.lanes()) {
            advice = "raise the parallelism of " + stage.name() + " from " + unit.lanes() + " to " + lanes
                    + sizeOfDispatcher(stage, lanes);
        } else {
            advice = "shorten what " + stage.name() + " waits for: nothing is ready for more threads";
        }
        return Limiter.of(Kind.STAGE_WAIT, stage.name(), atWork(interval, unit, stage, waits), advice, gain);
    }

    private static String atWork(Interval interval, Unit unit, StageLoad stage, double waits) {
        return stage.name() + " has " + Words.number(unit.used()) + " of " + unit.lanes()
                + " threads at work, which wait " + Words.percent(waits) + " of their time" + machine(interval);
    }

    /** Its threads wait for each other: what more of them would bring is nothing. */
    private static Limiter behindLock(Interval interval, Unit unit, StageLoad stage, double waits) {
        return Limiter.of(
                Kind.STAGE_WAIT,
                stage.name(),
                atWork(interval, unit, stage, waits) + "; " + Words.number(stage.behindLock())
                        + " of them for one lock",
                "do less of " + stage.name() + " under its lock, or have more of what that guards: more threads would"
                        + " wait for it too",
                1);
    }

    private static String sizeOfDispatcher(StageLoad stage, long lanes) {
        DispatcherSnapshot on = stage.dispatcher();
        return on == null || lanes <= on.size() ? "" : ", and dispatcher " + on.name() + " to as many threads";
    }

    private static Limiter computing(Interval interval, Unit unit) {
        StageLoad stage = unit.heaviest();
        double gain = unit.shared()
                ? Math.min(gainOfOwnThreads(interval, unit, stage), interval.processors())
                : Math.min(
                        Math.min(interval.nextLimit(unit), 1 + stage.ready() / Math.max(1, unit.used())),
                        Math.max(1, (double) interval.processors() / unit.lanes()));
        long lanes = (long) Math.ceil(unit.lanes() * gain);
        String advice = gain < 1.1
                ? "make " + stage.name() + " cheaper: other threads would find no processor, or the next stage full"
                : unit.shared()
                        ? "give " + stage.name() + " threads of its own: mapParallel with " + Math.max(2, lanes)
                        : "raise the parallelism of " + stage.name() + " from " + unit.lanes() + " to " + lanes;
        return Limiter.of(
                Kind.STAGE_CPU,
                stage.name(),
                stage.name() + " has " + Words.number(unit.used()) + " of " + unit.lanes()
                        + " threads at work, which compute" + machine(interval),
                advice,
                gain);
    }

    /** What is left on the thread of a fused stage limits next. */
    private static double gainOfOwnThreads(Interval interval, Unit unit, StageLoad stage) {
        double others = unit.stages().stream()
                .filter(each -> !each.equals(stage))
                .mapToDouble(StageLoad::busy)
                .sum();
        return Math.clamp(1 / Math.max(1 / Interval.MOST_GAIN, others), 1, interval.nextLimit(unit));
    }

    private static String machine(Interval interval) {
        return Double.isNaN(interval.load())
                ? ""
                : "; the machine's processors are " + Words.percent(interval.load()) + " busy";
    }

    /** A keyed stage has lanes to spare, and what is in it waits behind another of its key. */
    static @Nullable Limiter skew(Interval interval) {
        for (Unit unit : interval.units) {
            StageLoad stage = unit.stages().getFirst();
            double behind = stage.behindKeys();
            if (unit.shared()
                    || unit.utilisation() >= SATURATED
                    || behind < LONG_CHAIN
                    || stage.atWork() == 0
                    || stage.ready() > stage.atWork()
                    || behind < 2 * stage.atWork()) {
                continue;
            }
            double gain = Math.min(interval.nextLimit(unit), unit.lanes() / Math.max(1, unit.used()));
            String waiting = Words.number(unit.used()) + " of " + unit.lanes() + " lanes of " + stage.name()
                    + " work, and " + Words.number(behind) + " elements wait behind others of their " + stage.keyName();
            return stage.keyName().equals(RecordOrdering.PARTITION)
                    ? byPartition(interval, unit, waiting, gain)
                    : Limiter.of(
                            Kind.KEY_SKEW,
                            stage.name(),
                            waiting + oldestKey(interval),
                            "split the hot key, order by a finer key, or make the handler of " + stage.name()
                                    + " quicker: more lanes would stay idle",
                            gain);
        }
        return null;
    }

    private static Limiter byPartition(Interval interval, Unit unit, String waiting, double gain) {
        PartitionDump fullest = interval.partitions().stream()
                .max(Comparator.comparingLong(each -> Math.max(each.inFlight(), each.lag())))
                .orElse(null);
        String name = fullest == null ? unit.stages().getFirst().name() : Partitions.name(fullest);
        return Limiter.of(
                Kind.ONE_PARTITION,
                name,
                waiting + (fullest == null ? "" : "; most of them are of " + name),
                "order by key instead of by partition, or spread the records over more partitions",
                gain);
    }

    /** The key that the oldest unfinished record has, if that is known. */
    private static String oldestKey(Interval interval) {
        PartitionDump oldest = Partitions.withOldest(interval.partitions());
        ConsumerDump.Oldest record = oldest == null ? null : oldest.oldest();
        Integer keyHash = record == null ? null : record.keyHash();
        return oldest == null || record == null || keyHash == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; the oldest is %s@%d, key hash %08x",
                        Partitions.name(oldest),
                        record.offset(),
                        keyHash);
    }

    /** Nobody takes the output of the last stage: a queue that a program reads. */
    static @Nullable Limiter notTaken(Interval interval) {
        if (interval.units.isEmpty() || interval.units.getLast().blocked() < 0.5) {
            return null;
        }
        Unit lowest = interval.units.getLast();
        String name = lowest.stages().getLast().name();
        return Limiter.of(
                Kind.STAGE_WAIT,
                name,
                "what " + name + " hands out is not taken for " + Words.percent(lowest.blocked()) + " of the time",
                "take faster from " + name,
                Math.min(interval.nextLimit(lowest), 1 / Math.max(1 / Interval.MOST_GAIN, 1 - lowest.blocked())));
    }
}
