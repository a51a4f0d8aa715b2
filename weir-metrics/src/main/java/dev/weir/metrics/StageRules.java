package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.RecordOrdering;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Rules for limiters within the pipeline: a stage's threads, its dispatcher and its keys. */
final class StageRules {

    /** A unit has no threads to spare if at least this fraction of its threads is in use. */
    static final double SATURATED = 0.7;

    /** It is no coincidence if this many elements wait for the same key. */
    private static final double LONG_CHAIN = 8;

    /** Smallest gain that the CPUs are assumed to allow a waiting stage. */
    private static final double LEAST_OF_PROCESSORS = 4;

    /** A unit is saturated if at least this fraction of its threads is working, whatever the arrival rate. */
    private static final double FULL = 0.9;

    /** Smallest gain worth reporting. */
    static final double WORTH_SAYING = 1.1;

    /** Another unit is a candidate too if its utilisation is at least this fraction of the busiest unit's. */
    private static final double CLOSE = 0.95;

    /** A key is hot if at least this fraction of the elements waiting for keys wait for it. */
    private static final double HOT = 0.25;

    /** A lock is the limiter if at least this fraction of a unit's threads waits for it. */
    private static final double QUEUED_AT_A_LOCK = 0.5;

    /** The calls of a stage hang if none has finished for this time. */
    private static final double HANGS_SECONDS = 4;

    /** Calls hang only if they take this many times as long as earlier calls. */
    private static final double HANGS_TIMES = 3;

    /** Reason why a sequential stage gets no more threads. */
    private static final String ONE_AT_A_TIME = "it processes one element at a time, in order";

    private StageRules() {}

    /**
     * Finds a stage in which all calls wait, and none has finished for much longer than earlier calls took. Returns the
     * furthest downstream of several such stages.
     */
    static @Nullable Limiter hanging(Interval interval) {
        return interval.isPast
                ? null
                : interval.units.stream()
                        .filter(unit -> hangs(interval, unit))
                        .reduce((higher, lower) -> lower)
                        .map(unit -> hanging(interval, unit))
                        .orElse(null);
    }

    private static boolean hangs(Interval interval, Unit unit) {
        StageLoad stage = unit.heaviest();
        return isSilent(interval, unit)
                && unit.waits()
                && unit.utilisation() >= FULL
                && stage.engineShare() < 0.5
                && interval.seconds >= HANGS_TIMES * earlierSeconds(interval, unit)
                && !stage.equals(interval.units.getFirst().stages().getFirst());
    }

    /** Returns whether no call of the unit's heaviest stage has finished for a long time. */
    private static boolean isSilent(Interval interval, Unit unit) {
        StageLoad stage = unit.heaviest();
        // With own workers, the busy time contains only finished calls. A fused stage's busy time contains the current
        // call, but its input contains only finished elements.
        return interval.seconds >= HANGS_SECONDS
                && stage.out() == 0
                && (unit.shared() ? stage.in() == 0 : stage.busy() == 0);
    }

    /**
     * Returns the number of elements that the unit's heaviest stage has finished. A stage with its own workers may emit
     * nothing; busy time then shows that it has finished a call.
     */
    private static long finished(Unit unit) {
        StageSnapshot stage = unit.heaviest().last();
        return unit.shared() ? stage.elementsIn() : Math.max(stage.elementsOut(), stage.busyNanos() > 0 ? 1 : 0);
    }

    /**
     * Returns the mean time of the calls that the heaviest stage finished before the interval; 0 if there were none.
     * For a fused stage, this is an upper bound.
     */
    private static double earlierSeconds(Interval interval, Unit unit) {
        StageLoad stage = unit.heaviest();
        long finished = finished(unit);
        return finished == 0 ? 0 : (stage.last().busyNanos() / 1e9 - stage.busy() * interval.seconds) / finished;
    }

    private static Limiter hanging(Interval interval, Unit unit) {
        String stage = unit.heaviest().name();
        String atWork = Words.number(unit.used()) + " of " + unit.threads()
                + " threads are at work, and none has finished for " + Words.number(interval.seconds) + " s"
                + Partitions.oldest(interval);
        String dump = "take a thread dump to see what " + stage + " waits for";
        return finished(unit) == 0
                ? Limiter.of(
                        Kind.STAGE_WAIT,
                        stage,
                        "no handler of " + stage + " has returned yet: " + atWork,
                        dump + ": if these calls hang, give them a timeout; if they are slow, give " + stage
                                + (unit.shared() ? " its own threads" : " more threads"),
                        1)
                : Limiter.of(
                        Kind.STAGE_WAIT,
                        stage,
                        "the handlers of " + stage + " do not return: " + atWork,
                        dump + ", and give these calls a timeout: more threads would wait too",
                        1);
    }

    /** Finds a dispatcher with waiting tasks and no idle thread. */
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
                // More threads in the dispatcher would compete for the same CPUs. The limiter is the busiest unit.
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
        boolean compute = users.stream().mapToDouble(Unit::computing).sum()
                >= 0.5 * users.stream().mapToDouble(Unit::used).sum();
        double allowed = Math.min(interval.sourceAllows(), compute ? interval.processorsAllow() : Interval.MOST_GAIN);
        for (Unit unit : interval.units) {
            if (!users.contains(unit) && unit.utilisation() > 0) {
                allowed = Math.min(allowed, 1 / unit.utilisation());
            }
        }
        double gain = Math.clamp(Math.min(allowed, 1 + queued / dispatcher.size()), 1, Interval.MOST_GAIN);
        int to = (int) Math.ceil(dispatcher.size() * gain);
        String stages = String.join(
                ", ", users.stream().map(unit -> unit.heaviest().name()).toList());
        String sentence = "all " + dispatcher.size() + " threads of dispatcher " + dispatcher.name() + " are taken and "
                + Words.number(queued) + " tasks wait for one, of " + stages;
        return to > dispatcher.size()
                ? Limiter.of(
                        Kind.DISPATCHER,
                        dispatcher.name(),
                        sentence,
                        Lever.dispatcher(dispatcher.name(), dispatcher.size(), to),
                        gain)
                : Limiter.of(
                        Kind.DISPATCHER,
                        dispatcher.name(),
                        sentence,
                        Lever.elsewhere("more threads of " + dispatcher.name()
                                + " would find the next stage or the processors full"),
                        1);
    }

    /**
     * Finds the unit that has waiting work but no spare threads. Returns the furthest downstream of several such units.
     * If no unit has waiting work, returns the unit with the highest utilisation.
     */
    static @Nullable Limiter saturated(Interval interval) {
        List<Unit> full = interval.units.stream()
                .filter(unit -> unit.utilisation() >= SATURATED && isWanted(interval, unit))
                .toList();
        Unit lowest = full.stream()
                .filter(unit -> unit.utilisation() >= FULL && unit.findsWork())
                .reduce((higher, lower) -> lower)
                .orElse(null);
        Unit skewed = interval.units.stream()
                .filter(StageRules::isSkewed)
                .reduce((higher, lower) -> lower)
                .orElse(null);
        if (skewed != null && (lowest == null || interval.units.indexOf(lowest) < interval.units.indexOf(skewed))) {
            return skewed(interval, skewed);
        }
        if (lowest != null) {
            return of(interval, lowest);
        }
        List<Unit> fullest = full.stream()
                .sorted(Comparator.comparingDouble(Unit::utilisation).reversed())
                .toList();
        if (fullest.isEmpty()) {
            return null;
        }
        Limiter first = of(interval, fullest.getFirst());
        return fullest.size() == 1
                        || fullest.get(1).utilisation()
                                < CLOSE * fullest.getFirst().utilisation()
                ? first
                : or(first, of(interval, fullest.get(1)));
    }

    private static Limiter or(Limiter first, Limiter second) {
        return first.kind() == Kind.MACHINE_CPU || second.kind() == Kind.MACHINE_CPU
                ? first
                : first.or(second, "both are full; change one, and see whether the rate follows");
    }

    private static boolean isWanted(Interval interval, Unit unit) {
        return unit.equals(interval.units.getFirst())
                || (unit.shared() && unit.utilisation() >= 0.9)
                || unit.hasWorkWaiting(interval.blockedAbove(unit));
    }

    /** Finds a stage with more waiting elements than elements in process; null if there is none. */
    static @Nullable Limiter holding(Interval interval, List<PipelineLook> looks) {
        for (Unit unit : interval.units) {
            String stage = unit.stages().getFirst().name();
            double ready = mean(looks, stage, Activity::ready);
            double behindKeys = mean(looks, stage, Activity::behindKeys);
            double atWork = mean(looks, stage, Activity::atWork);
            if (unit.shared() || ready + behindKeys < Math.max(1, atWork)) {
                continue;
            }
            if (atWork >= SATURATED * unit.threads()) {
                return of(interval, unit);
            }
            if (behindKeys >= ready) {
                return skewed(interval, unit);
            }
        }
        return null;
    }

    private static double mean(List<PipelineLook> looks, String stage, ToIntFunction<Activity> figure) {
        return looks.stream()
                .flatMap(look -> look.activity().stream())
                .filter(each -> each.stage().equals(stage))
                .mapToInt(figure)
                .average()
                .orElse(0);
    }

    /**
     * Returns the limiter for a unit with too few threads. If most elements wait for one key, that key is the first
     * candidate.
     */
    static Limiter of(Interval interval, Unit unit) {
        Limiter threads = ofThreads(interval, unit);
        boolean isHot = !unit.shared() && unit.stages().getFirst().shareAtWork(StageRules::isOfOneKey) >= 0.5;
        // With a hot key, more threads help only until the elements of other keys are finished.
        return isHot && threads.lever().kind() == Lever.Kind.PARALLELISM
                ? skewed(interval, unit)
                        .or(
                                threads,
                                "give it more threads for a minute, and see whether the rate follows for longer than"
                                        + " what waits of the other keys")
                : threads;
    }

    private static Limiter ofThreads(Interval interval, Unit unit) {
        if (isWaiting(interval, unit)) {
            return waiting(interval, unit);
        }
        if (!MachineRules.isFull(interval)) {
            return computing(interval, unit);
        }
        // If the stages do not need all CPUs, the unit is the limiter.
        return MachineRules.wantsAll(interval) ? MachineRules.outOfProcessors(interval) : computing(interval, unit);
    }

    /** Returns whether the unit mostly waits, by its threads or by a low CPU use of the process. */
    private static boolean isWaiting(Interval interval, Unit unit) {
        double used = interval.processCpu();
        boolean idleProcessors = interval.load() < 0.9;
        return unit.waits() || (idleProcessors && used < 0.5 * unit.computing());
    }

    /** Returns whether the stage is a source that decodes a consumer's records. */
    private static boolean isDecoding(Interval interval, StageLoad stage) {
        return !interval.last.consumers().isEmpty()
                && interval.units.getFirst().stages().getFirst().equals(stage);
    }

    private static Limiter waiting(Interval interval, Unit unit) {
        StageLoad stage = unit.heaviest();
        double waits = unit.waits() ? unit.waitShare() : 1 - interval.processCpu() / unit.computing();
        String sentence = atWork(interval, unit, stage, "wait " + Words.percent(waits) + " of their time");
        boolean queued = stage.behindLock() >= 1 && stage.behindLock() >= QUEUED_AT_A_LOCK * unit.used();
        if (queued && !unit.shared()) {
            return Limiter.of(
                    Kind.STAGE_WAIT,
                    stage.name(),
                    sentence + "; " + Words.number(stage.behindLock()) + " of them for one lock",
                    "do less of " + stage.name() + " under its lock, or have more of what that guards: more threads"
                            + " would wait for it too",
                    1);
        }
        sentence += waitsFor(stage);
        if (unit.shared() && isSilent(interval, unit)) {
            sentence += "; none of its calls has returned for " + Words.number(interval.seconds) + " s"
                    + Partitions.oldest(interval) + ": a thread dump shows what it waits for";
        }
        Kind kind = isDecoding(interval, stage) ? Kind.SOURCE_DECODE : Kind.STAGE_WAIT;
        if (unit.shared()) {
            double gain = Math.min(gainOfOwnThreads(interval, unit, stage), ofProcessors(interval, stage));
            return ofFused(interval, kind, stage, sentence, (int) Math.ceil(Math.max(2, gain)), false, gain);
        }
        double ready = gainOfReady(unit, stage);
        double gain = Math.min(Math.min(interval.nextLimit(unit), ready), ofProcessors(interval, stage));
        int threads = (int) Math.ceil(unit.threads() * gain);
        return threads > unit.threads()
                ? Limiter.of(
                        kind,
                        stage.name(),
                        sentence,
                        Lever.parallelism(stage.name(), unit.threads(), threads, sizeOfDispatcher(stage, threads)),
                        gain)
                : Limiter.of(
                        kind,
                        stage.name(),
                        sentence,
                        "shorten what " + stage.name() + " waits for: " + why(interval, stage, ready),
                        1);
    }

    /**
     * Returns the growth that the waiting elements allow: 1 if none waits, or if each element waits for the previous
     * one.
     */
    private static double gainOfReady(Unit unit, StageLoad stage) {
        return stage.isSequential() ? 1 : 1 + stage.ready() / Math.max(1, unit.used());
    }

    private static String why(Interval interval, StageLoad stage, double ready) {
        if (stage.isSequential()) {
            return ONE_AT_A_TIME;
        }
        if (ready <= 1) {
            return "nothing is ready for more threads";
        }
        return interval.sourceAllows() < WORTH_SAYING ? "no more than that arrives" : "the next stage is as full";
    }

    /**
     * Returns the largest growth factor that the CPUs allow a waiting stage: the number of CPUs divided by the CPU use
     * of the process, which rises with throughput. Ignores other processes.
     *
     * <p>The result is at least {@link #LEAST_OF_PROCESSORS}, because other parts of the process may cause much of its
     * CPU use. It is exactly this minimum if all CPUs are busy and the stage mostly waits for I/O.
     */
    private static double ofProcessors(Interval interval, StageLoad stage) {
        double used = interval.processCpu();
        if (interval.load() >= FULL && stage.ofWaits(Activity::io) > 0.5) {
            return LEAST_OF_PROCESSORS;
        }
        return used > 0 ? Math.max(LEAST_OF_PROCESSORS, interval.processors() / used) : Interval.MOST_GAIN;
    }

    /** Returns words on the most frequent kind of wait for the end of a sentence; empty if none prevails. */
    private static String waitsFor(StageLoad stage) {
        if (stage.ofWaits(Activity::locked) > 0.5) {
            return "; most of it for a lock";
        }
        if (stage.ofWaits(Activity::io) > 0.5) {
            return "; most of it for the network or files";
        }
        return stage.ofWaits(Activity::asleep) > 0.5 ? "; most of it asleep" : "";
    }

    /** Returns the limiter for a fused stage. A source, decoder or sink cannot get its own threads. */
    private static Limiter ofFused(
            Interval interval,
            Kind kind,
            StageLoad stage,
            String sentence,
            int threads,
            boolean computes,
            double gain) {
        String parallel = computes ? "mapParallel" : "mapBlocking";
        if (isDecoding(interval, stage)) {
            return Limiter.of(
                    kind,
                    stage.name(),
                    sentence,
                    Lever.setting(
                            "deserializer",
                            "read bytes at " + stage.name() + " and decode them in a " + parallel
                                    + " stage below it, or use a cheaper deserializer"),
                    gain);
        }
        if (interval.units.getFirst().stages().getFirst().equals(stage) && stage.in() == 0) {
            return Limiter.of(
                    kind,
                    stage.name(),
                    sentence,
                    "let the source " + stage.name() + " hand out its elements faster",
                    1);
        }
        StageLoad last = interval.units.getLast().stages().getLast();
        if (last.equals(stage)) {
            return Limiter.of(
                    kind,
                    stage.name(),
                    sentence,
                    Lever.setting(
                            stage.name(),
                            "do the work of the sink " + stage.name() + " in a " + parallel + " stage above it, with "
                                    + threads + " at once"),
                    gain);
        }
        return Limiter.of(kind, stage.name(), sentence, Lever.ownThreads(stage.name(), threads, computes), gain);
    }

    private static String atWork(Interval interval, Unit unit, StageLoad stage, String what) {
        String threads = unit.shared() && unit.stages().size() > 1
                ? stage.name() + " has " + Words.percent(unit.partOf(stage) * unit.utilisation())
                        + " of the time of its thread, and the threads " + what
                : stage.name() + " has " + Words.number(unit.used()) + " of " + unit.threads()
                        + " threads at work, which " + what;
        return threads + machine(interval);
    }

    private static String sizeOfDispatcher(StageLoad stage, long threads) {
        DispatcherSnapshot on = stage.dispatcher();
        return on == null || threads <= on.size() ? "" : ", and dispatcher " + on.name() + " to as many threads";
    }

    private static Limiter computing(Interval interval, Unit unit) {
        StageLoad stage = unit.heaviest();
        double gain = unit.shared()
                ? Math.min(gainOfOwnThreads(interval, unit, stage), interval.processors())
                : Math.min(
                        Math.min(interval.nextLimit(unit), gainOfReady(unit, stage)),
                        Math.max(1, (double) interval.processors() / unit.threads()));
        int threads = (int) Math.ceil(unit.threads() * gain);
        String sentence = atWork(interval, unit, stage, "compute") + MachineRules.deprived(interval);
        Kind kind = isDecoding(interval, stage) ? Kind.SOURCE_DECODE : Kind.STAGE_CPU;
        if (gain < WORTH_SAYING || (!unit.shared() && threads <= unit.threads())) {
            return Limiter.of(
                    kind,
                    stage.name(),
                    sentence,
                    "make " + stage.name() + " cheaper: "
                            + (stage.isSequential()
                                    ? ONE_AT_A_TIME
                                    : "other threads would find no processor, or the next stage full"),
                    1);
        }
        return unit.shared()
                ? ofFused(interval, kind, stage, sentence, Math.max(2, threads), true, gain)
                : Limiter.of(
                        kind,
                        stage.name(),
                        sentence,
                        Lever.parallelism(stage.name(), unit.threads(), threads, sizeOfDispatcher(stage, threads)),
                        gain);
    }

    /** Returns the gain of own threads for a fused stage. Then the other stages on its thread limit the rate. */
    private static double gainOfOwnThreads(Interval interval, Unit unit, StageLoad stage) {
        double others = unit.utilisation() * (1 - unit.partOf(stage));
        return Math.clamp(1 / Math.max(1 / Interval.MOST_GAIN, others), 1, interval.nextLimit(unit));
    }

    private static String machine(Interval interval) {
        return Double.isNaN(interval.load())
                ? ""
                : "; the machine's processors are " + Words.percent(interval.load()) + " busy";
    }

    /** Returns whether a keyed stage mostly has idle workers while its elements wait for their keys. */
    private static boolean isSkewed(Unit unit) {
        StageLoad stage = unit.stages().getFirst();
        return !unit.shared()
                && unit.utilisation() < SATURATED
                && stage.shareAtWork(look -> waitsBehindKeys(unit, look) || isOfOneKey(look)) >= 0.5;
    }

    private static boolean waitsBehindKeys(Unit unit, Activity look) {
        return look.ready() <= Math.max(1, unit.threads() - look.atWork())
                && look.behindKeys() >= LONG_CHAIN
                && look.behindKeys() >= 2 * look.atWork();
    }

    /** Returns whether most elements that wait for a key wait for the same key. */
    private static boolean isOfOneKey(Activity look) {
        return look.longestChain() >= LONG_CHAIN
                && look.longestChain() >= 0.5 * look.behindKeys()
                && look.longestChain() >= HOT * (look.behindKeys() + look.ready());
    }

    private static Limiter skewed(Interval interval, Unit unit) {
        StageLoad stage = unit.stages().getFirst();
        double behind = stage.behindKeys();
        double gain = Math.min(interval.nextLimit(unit), unit.threads() / Math.max(1, unit.used()));
        String waiting = Words.number(unit.used()) + " of " + unit.threads() + " workers of " + stage.name()
                + " are busy, and " + Words.number(behind) + " elements wait behind others of their " + stage.keyName();
        if (stage.keyName().equals(RecordOrdering.PARTITION)) {
            return byPartition(interval, unit, waiting, gain);
        }
        double chain = stage.longestChain();
        return chain > 0 && chain < HOT * behind && chain < behind - LONG_CHAIN
                ? fewKeys(stage, waiting, chain)
                : hotKey(interval, stage, waiting + ofOneKey(chain, behind), gain);
    }

    private static String ofOneKey(double chain, double behind) {
        return chain == 0 ? "" : ", " + Words.percent(Math.min(1, chain / behind)) + " of them behind one key";
    }

    private static Limiter hotKey(Interval interval, StageLoad stage, String waiting, double gain) {
        return Limiter.of(
                Kind.KEY_SKEW,
                stage.name(),
                waiting + oldestKey(interval),
                "split the hot key, order by a finer key, or make the handler of " + stage.name()
                        + " quicker: more workers would stay idle",
                gain);
    }

    /** Returns the limiter for a stage without a hot key: every key in flight already has a worker. */
    private static Limiter fewKeys(StageLoad stage, String waiting, double chain) {
        return Limiter.of(
                stage.waitShare() >= 0.5 || Double.isNaN(stage.waitShare()) ? Kind.STAGE_WAIT : Kind.STAGE_CPU,
                stage.name(),
                waiting + ", " + Words.number(chain) + " at most behind one of them: each key in flight has a worker",
                "make the handler of " + stage.name()
                        + " quicker, or order by a finer key: more workers would have no key to work on",
                1);
    }

    private static Limiter byPartition(Interval interval, Unit unit, String waiting, double gain) {
        PartitionDump fullest = interval.partitions().stream()
                .max(Comparator.comparingLong(each -> Math.max(each.inFlight(), each.lag())))
                .orElse(null);
        String name = fullest == null ? unit.stages().getFirst().name() : Partitions.name(fullest);
        return Limiter.of(
                Kind.ONE_PARTITION,
                name,
                waiting + (fullest == null ? "" : "; most of them are in " + name),
                "order by key instead of by partition, or spread the records over more partitions",
                gain);
    }

    /** Returns words on the key of the oldest unfinished record, if it is known. */
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

    /** Finds output of the last stage that nobody takes, for example because a program does not read its queue. */
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
