package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ShareHandle;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The values of a series of readings. A counter's value is the difference between the first and the last reading. Other
 * values are averages over the readings, or come from the last reading. Immutable.
 */
final class Interval {

    /** Largest predicted gain. A larger one would be unreliable, because too many conditions would change. */
    static final double MOST_GAIN = 16;

    /** A backlog that lasts less than this is ignored: the brokers' values are up to a second old. */
    private static final double BACKLOG_SECONDS = 1.5;

    /** A finding predicts a gain only if the source can sustain the higher rate for this time. */
    private static final double LASTING_SECONDS = 10;

    /** A queue counts as growing if its growth is at least this fraction of its output. */
    private static final double GROWS = 0.05;

    /** Shortest time between two readings for computing an arrival rate. */
    private static final double LEAST_APART_SECONDS = 0.4;

    final List<PipelineLook> looks;
    final PipelineLook first;
    final PipelineLook last;
    final double seconds;

    /** True for {@link LimiterProbe#overall}, which summarises the run so far. */
    final boolean isPast;

    /** The units in the order of the flow. If {@link #isPast} is true, only the first unit may be without elements. */
    final List<Unit> units;

    private final List<Unit> allUnits;

    private Interval(List<PipelineLook> looks, boolean isPast) {
        this.isPast = isPast;
        this.looks = looks;
        this.first = looks.getFirst();
        this.last = looks.getLast();
        this.seconds = Math.max(1, last.atNanos() - first.atNanos()) / 1e9;
        this.allUnits = allUnits();
        this.units = units();
    }

    static Interval of(List<PipelineLook> looks) {
        return of(looks, false);
    }

    static Interval past(List<PipelineLook> looks) {
        return of(looks, true);
    }

    private static Interval of(List<PipelineLook> looks, boolean isPast) {
        if (looks.size() < 2 || looks.getLast().atNanos() < looks.getFirst().atNanos()) {
            throw new IllegalArgumentException("a limiter is found between two looks, one after the other");
        }
        return new Interval(List.copyOf(looks), isPast);
    }

    private List<Unit> units() {
        if (!isPast || allUnits.isEmpty()) {
            return allUnits;
        }
        // Leave out branches without elements: they did not limit anything.
        List<Unit> touched = new ArrayList<>(allUnits);
        touched.subList(1, touched.size())
                .removeIf(unit -> unit.stages().stream().noneMatch(StageLoad::isTouched));
        return List.copyOf(touched);
    }

    private List<Unit> allUnits() {
        Map<String, List<StageLoad>> byThread = new LinkedHashMap<>();
        double busy = 0;
        for (StageSnapshot stage : last.stages()) {
            StageLoad load = load(stage);
            busy += load.busy();
            String thread = load.thread();
            String key = thread == null ? "stage " + stage.name() : "thread " + thread;
            byThread.computeIfAbsent(key, each -> new ArrayList<>()).add(load);
        }
        double cpu = processCpu();
        double cpuShare = Double.isNaN(cpu) || busy == 0 ? 1 : cpu / busy;
        return byThread.values().stream()
                .map(stages -> Unit.of(stages, cpuShare, paused(stages)))
                .toList();
    }

    /** Returns the fraction of the time in which only the rate limit of one of these stages made elements wait. */
    private double paused(List<StageLoad> stages) {
        return stages.stream().mapToDouble(stage -> pausedAt(stage.name())).sum();
    }

    /** Returns the fraction of the time in which only the rate limit of {@code stage} made elements wait. */
    double pausedAt(String stage) {
        return (waitedNanos(last, stage) - waitedNanos(first, stage)) / (seconds * 1e9);
    }

    private static double waitedNanos(PipelineLook look, String stage) {
        return look.paces().stream()
                .filter(pace -> pace.stage().equals(stage))
                .mapToLong(PipelineLook.PaceLook::waitedNanos)
                .sum();
    }

    List<StageTime> times() {
        return allUnits.stream()
                .flatMap(unit -> units.contains(unit) ? unit.times(seconds).stream() : StageTime.starved(unit))
                .toList();
    }

    private StageLoad load(StageSnapshot stage) {
        StageSnapshot before = first.stages().stream()
                .filter(each -> each.name().equals(stage.name()))
                .findFirst()
                .orElse(stage);
        List<StageSnapshot.Activity> samples = looks.stream()
                .flatMap(look -> look.activity().stream())
                .filter(each -> each.stage().equals(stage.name()))
                .toList();
        return StageLoad.between(before, stage, samples, seconds * 1e9);
    }

    /** Returns the number of CPUs that this process used, or NaN if unknown. */
    double processCpu() {
        return (last.machine().processCpuNanos() - first.machine().processCpuNanos()) / (seconds * 1e9);
    }

    /** Returns the used fraction of the machine's CPU capacity, or NaN if unknown. */
    double load() {
        return last.machine().load();
    }

    int processors() {
        return last.machine().processors();
    }

    /** Returns the fraction of the time in which garbage collectors paused the application. */
    double pauseShare() {
        return (last.machine().pauseNanos() - first.machine().pauseNanos()) / (seconds * 1e9);
    }

    boolean moves() {
        return stages().stream().anyMatch(stage -> stage.out() > 0);
    }

    /** Returns the number of elements per second emitted by the first stage. */
    double rate() {
        return units.isEmpty() ? 0 : units.getFirst().stages().getFirst().out() / seconds;
    }

    List<StageLoad> stages() {
        return units.stream().flatMap(unit -> unit.stages().stream()).toList();
    }

    /** Returns the number of threads that were computing, over all stages. */
    double computing() {
        return units.stream().mapToDouble(Unit::computing).sum();
    }

    /** Returns the fraction of the time since {@code look} in which the first stage had no elements. */
    double starvedSince(PipelineLook look) {
        String stage =
                units.isEmpty() ? "" : units.getFirst().stages().getFirst().name();
        double waited = blockedUp(last, stage) - blockedUp(look, stage);
        return waited / Math.max(1, last.atNanos() - look.atNanos());
    }

    private static long blockedUp(PipelineLook look, String stage) {
        return look.stages().stream()
                .filter(each -> each.name().equals(stage))
                .mapToLong(StageSnapshot::blockedUpNanos)
                .sum();
    }

    /** Returns the fraction of the time in which the upstream unit could not emit its output. */
    double blockedAbove(Unit unit) {
        int place = units.indexOf(unit);
        return place <= 0 ? 0 : units.get(place - 1).blocked();
    }

    /** Returns the partitions of all consumers in the last reading. */
    List<PartitionDump> partitions() {
        return partitions(last);
    }

    static List<PartitionDump> partitions(PipelineLook look) {
        return look.consumers().stream()
                .flatMap(consumer -> consumer.dump().partitions().stream())
                .toList();
    }

    double shareOfLooks(Predicate<PipelineLook> is) {
        return (double) looks.stream().filter(is).count() / looks.size();
    }

    /** Returns the number of records that the consumer may fetch and has not fetched; 0 if the lag is unknown. */
    static long unread(PartitionDump partition) {
        return SourceRules.mayFetch(partition)
                ? Math.max(0, partition.lag() - partition.buffered() - partition.inFlight())
                : 0;
    }

    long unread() {
        return partitions().stream().mapToLong(Interval::unread).sum();
    }

    /** Returns the number of records that the pipeline has pulled but not finished. */
    long inFlight() {
        return inFlight(last);
    }

    static long inFlight(PipelineLook look) {
        return partitions(look).stream().mapToLong(PartitionDump::inFlight).sum();
    }

    /** Returns the same number as {@link #inFlight()}, including the records of share groups. */
    long unfinished() {
        return inFlight()
                + last.shares().stream().mapToLong(ShareHandle.Snapshot::inHand).sum();
    }

    /** Returns the number of records that have been fetched but not pulled by the pipeline. */
    long buffered() {
        return partitions().stream()
                .filter(SourceRules::mayFetch)
                .mapToLong(PartitionDump::buffered)
                .sum();
    }

    /** Returns whether records are waiting that the pipeline could process now. */
    boolean hasBacklog() {
        return buffered() > 0 || unread() > rate() * BACKLOG_SECONDS;
    }

    /** Returns whether the pipeline keeps up: no window is full, and waiting records last only for a moment. */
    boolean keepsUp() {
        return unread() + buffered() <= rate() * BACKLOG_SECONDS && !isFull();
    }

    /** Returns whether partitions were paused in most readings because too many records were unfinished. */
    private boolean isFull() {
        return shareOfLooks(look -> partitions(look).stream().anyMatch(Interval::standsStill)) > 0.5;
    }

    private static boolean standsStill(PartitionDump partition) {
        return partition.paused().contains(Paused.WINDOW) || partition.paused().contains(Paused.BUDGET);
    }

    /** Returns the readings of the stages' dispatchers, by dispatcher name. */
    Map<String, List<DispatcherSnapshot>> dispatchers() {
        Map<String, List<DispatcherSnapshot>> all = new LinkedHashMap<>();
        for (PipelineLook look : looks) {
            Map<String, DispatcherSnapshot> here = new LinkedHashMap<>();
            look.activity().forEach(each -> here.put(each.dispatcher().name(), each.dispatcher()));
            here.forEach((name, one) ->
                    all.computeIfAbsent(name, each -> new ArrayList<>()).add(one));
        }
        return all;
    }

    /** Returns the possible growth factor of the rate if {@code lifted} were no limit, from 1 to {@link #MOST_GAIN}. */
    double nextLimit(@Nullable Unit lifted) {
        // The CPUs do not limit a unit that waits.
        double most = lifted != null && lifted.waits() ? MOST_GAIN : Math.min(MOST_GAIN, processorsAllow());
        most = Math.min(most, sourceAllows());
        for (Unit unit : units) {
            if (!unit.equals(lifted) && unit.utilisation() > 0) {
                most = Math.min(most, 1 / unit.utilisation());
            }
        }
        return Math.max(1, most);
    }

    /** Returns the growth of the rate that the source can sustain, as a factor from 1 to {@link #MOST_GAIN}. */
    double sourceAllows() {
        return Math.clamp(lasts(), 1, MOST_GAIN);
    }

    /**
     * Returns the rate that the source can sustain, divided by the current rate. Below 1 while a backlog drains.
     * {@link #MOST_GAIN} if the arrivals or the backlog are unknown.
     */
    double lasts() {
        double rate = rate();
        PipelineLook since = last.consumers().isEmpty() ? looks.get(looks.size() / 2) : firstKnown();
        double apart = (last.atNanos() - since.atNanos()) / 1e9;
        double grown = waiting(last) - waiting(since);
        // A queue that does not grow may be full, so that its writers wait. The rate of the writers is then unknown.
        boolean isKnown = !last.consumers().isEmpty() || grown > GROWS * rate * apart;
        // With several consumers, rate() covers only the first consumer, but the backlog covers all of them.
        if (rate <= 0
                || apart < LEAST_APART_SECONDS
                || !isKnown
                || last.consumers().size() > 1) {
            return MOST_GAIN;
        }
        double arrives = Math.max(0, rate + grown / apart);
        double allows = (arrives + waiting(last) / LASTING_SECONDS) / rate;
        return Double.isNaN(allows) ? MOST_GAIN : allows;
    }

    /** Returns the first reading with a known backlog. */
    private PipelineLook firstKnown() {
        return looks.stream()
                .filter(look -> !Double.isNaN(waiting(look)))
                .findFirst()
                .orElse(last);
    }

    /** Returns the backlog: records at the brokers and in the buffer, or a source's queue. NaN if unknown. */
    private static double waiting(PipelineLook look) {
        if (look.consumers().isEmpty()) {
            return look.stages().isEmpty()
                    ? Double.NaN
                    : look.stages().getFirst().depth();
        }
        List<PartitionDump> partitions = partitions(look);
        return partitions.isEmpty() || partitions.stream().anyMatch(each -> each.lag() < 0)
                ? Double.NaN
                : partitions.stream()
                        .mapToLong(each -> unread(each) + each.buffered())
                        .sum();
    }

    /** Returns the growth of the rate that the CPUs allow, as a factor; {@link #MOST_GAIN} if unknown. */
    double processorsAllow() {
        double used = processCpu();
        if (Double.isNaN(used) || used <= 0) {
            return MOST_GAIN;
        }
        double left = processors() - used;
        double free = Double.isNaN(load()) ? left : Math.min(left, processors() * (1 - load()));
        return (used + Math.max(0, free)) / used;
    }
}
