package dev.weir.metrics;

import dev.weir.metrics.Limiter.Kind;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Rules for limiters outside the pipeline: the garbage collector and the CPUs. */
final class MachineRules {

    /** The collector is the limiter if its pauses take at least this fraction of the time. */
    private static final double MANY_PAUSES = 0.25;

    /** The machine is saturated if at least this fraction of its CPU capacity is in use. */
    private static final double FULL = 0.9;

    private MachineRules() {}

    static @Nullable Limiter collector(Interval interval) {
        double pauses = interval.pauseShare();
        if (!(pauses >= MANY_PAUSES)) {
            return null;
        }
        return Limiter.of(
                Kind.GC,
                Kind.GC.id(),
                "collectors stop the application for " + Words.percent(pauses) + " of the time",
                "give the JVM more memory (-Xmx), or lower maxOutstandingRecords and bufferBytes, which is what it holds",
                1 / Math.max(1 / Interval.MOST_GAIN, 1 - pauses));
    }

    /** Returns whether the CPUs are saturated, and the stages need all of them or get too little time. */
    static boolean isFull(Interval interval) {
        if (!(interval.load() >= FULL)) {
            return false;
        }
        return wantsAll(interval) || isDeprived(interval);
    }

    /** Returns whether the stages need all CPUs. */
    static boolean wantsAll(Interval interval) {
        return interval.computing() >= FULL * interval.processors();
    }

    /** Returns whether the process gets clearly less CPU time than its stages need. */
    private static boolean isDeprived(Interval interval) {
        double wanted = interval.computing();
        return wanted >= 0.5 && !(interval.processCpu() >= 0.7 * wanted);
    }

    /** Returns words on missing CPUs for the end of a sentence; empty if the stages get the CPU time that they need. */
    static String deprived(Interval interval) {
        return isFull(interval) && isDeprived(interval)
                ? ", by others too: of the " + Words.number(interval.computing())
                        + " processors that the stages want the process gets " + Words.number(interval.processCpu())
                : "";
    }

    static @Nullable Limiter processors(Interval interval) {
        return isFull(interval) ? outOfProcessors(interval) : null;
    }

    /** Finds a saturated machine with waiting records, although no unit of the pipeline is at its limit. */
    static @Nullable Limiter takenElsewhere(Interval interval) {
        boolean isIdle = interval.units.stream().allMatch(unit -> unit.utilisation() < StageRules.SATURATED);
        if (!isIdle || interval.keepsUp() || !(interval.load() >= FULL)) {
            return null;
        }
        String used = Double.isNaN(interval.processCpu())
                ? ""
                : ": this process uses " + Words.number(interval.processCpu()) + " of them, its stages "
                        + Words.number(interval.computing());
        return Limiter.of(
                Kind.MACHINE_CPU,
                Kind.MACHINE_CPU.id(),
                "the machine's " + interval.processors() + " processors are " + Words.percent(interval.load())
                        + " busy, and no stage is at its limit" + used,
                "give it more processors or another instance, or move other processes to another machine",
                1);
    }

    static Limiter outOfProcessors(Interval interval) {
        double all = interval.computing();
        StageTime heaviest = interval.times().stream()
                .filter(each -> !Unit.isInternal(each.stage()))
                .max(Comparator.comparingDouble(each -> each.computing() * each.threads()))
                .orElse(null);
        double share =
                heaviest == null || all == 0 ? 0 : Math.clamp(heaviest.computing() * heaviest.threads() / all, 0, 1);
        String cheaper = heaviest == null
                ? ""
                : ", or make " + heaviest.stage() + " cheaper: it is " + Words.percent(share) + " of the stages' work";
        return Limiter.of(
                Kind.MACHINE_CPU,
                Kind.MACHINE_CPU.id(),
                "the machine's " + interval.processors() + " processors are " + Words.percent(interval.load())
                        + " busy, and the stages want " + Words.number(interval.computing()) + " of them",
                "give it more processors or another instance" + cheaper,
                // The gain assumes that the cost of the heaviest stage can be halved.
                1 / (1 - share / 2));
    }
}
