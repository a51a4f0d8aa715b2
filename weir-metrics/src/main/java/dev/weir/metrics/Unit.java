package dev.weir.metrics;

import dev.weir.metrics.StageTime.Shares;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Stages with the same threads during an interval: stages fused onto one thread, or one stage with its own workers.
 * Divides the threads' time among the stages. Immutable.
 *
 * @param stages the stages in the order of the flow
 * @param parts each stage's fraction of the unit's work; the fractions add up to 1
 * @param shared whether the stages share a single thread
 * @param threads the number of threads that may work in the unit concurrently
 * @param used the average number of threads that were working
 * @param waitShare the fraction of the working time spent waiting for something external, 0 to 1
 * @param idle the threads' idle time by cause
 */
record Unit(
        List<StageLoad> stages,
        List<Double> parts,
        boolean shared,
        int threads,
        double used,
        double waitShare,
        Idle idle) {

    /** The samples overrule the counters only if at least this many readings found running code. */
    private static final int ENOUGH_LOOKS = 10;

    /** Names of stages that the engine adds to a flow. */
    private static final Set<String> INTERNAL = Set.of("again", "failed", "divertTo", "done", "results", "due");

    /** The threads' idle time by cause, as fractions of their time. */
    record Idle(double starved, double sibling, double blocked, double paused, double unknown) {}

    /**
     * Creates a unit.
     *
     * @param cpuShare the computing fraction of the work of all stages; used only if no reading found this unit working
     * @param paused the fraction of the time spent waiting because of a rate limit of one of the stages
     */
    static Unit of(List<StageLoad> stages, double cpuShare, double paused) {
        StageLoad first = stages.getFirst();
        boolean shared = first.thread() != null;
        double busy = stages.stream().mapToDouble(StageLoad::busy).sum();
        int threads = shared ? 1 : first.parallelism();
        double pauses = Math.clamp(paused, 0, Math.max(0, 1 - first.starved() - first.blocked()));
        double engine = shared && pauses == 0 ? first.engineShare() : 0;
        // A thread that waits for no other stage is working, even if its work is not counted yet.
        double notIdle = Math.max(0, 1 - first.starved() - first.blocked() - pauses);
        double used = Math.clamp(
                shared ? Math.max(Math.min(busy, 1 - pauses), notIdle * (1 - engine)) : Math.max(busy, first.atWork()),
                0,
                threads);
        double waits = first.waitShare();
        return new Unit(
                List.copyOf(stages),
                partsOf(stages, shared ? notIdle : busy),
                shared,
                threads,
                used,
                Double.isNaN(waits) ? Math.clamp(1 - cpuShare, 0, 1) : Math.clamp(waits, 0, 1),
                idle(first, used / threads, pauses));
    }

    /** Divides the threads' idle time among its causes, in proportion to the counters. */
    private static Idle idle(StageLoad first, double utilisation, double paused) {
        double rest = Math.max(0, 1 - utilisation);
        double counted = first.starved() + first.blocked() + paused;
        if (counted == 0) {
            return new Idle(0, 0, 0, 0, rest);
        }
        double scale = Math.min(1, rest / counted);
        double starved = first.starved() * scale;
        double blocked = first.blocked() * scale;
        double sibling = Math.min(starved + blocked, first.siblingShare());
        double ofStarved = starved >= blocked ? Math.min(sibling, starved) : Math.max(0, sibling - blocked);
        return new Idle(
                Math.max(0, starved - ofStarved),
                sibling,
                Math.max(0, blocked - (sibling - ofStarved)),
                paused * scale,
                Math.max(0, rest - counted * scale));
    }

    /**
     * Divides the work among the stages by the counters. Uses the samples if the counters contradict them or cover
     * little of the work.
     */
    private static List<Double> partsOf(List<StageLoad> stages, double work) {
        double counted = stages.stream().mapToDouble(StageLoad::busy).sum();
        double looks = stages.stream().mapToDouble(StageLoad::inPass).sum();
        double mostLooks = stages.stream().mapToDouble(StageLoad::inPass).max().orElse(0);
        StageLoad met = stages.stream()
                .max(Comparator.comparingDouble(StageLoad::inPass))
                .orElseThrow();
        boolean contradicted = looks >= ENOUGH_LOOKS
                && mostLooks >= 0.5 * looks
                && counted > 0
                && met.busy() / counted < 0.5 * mostLooks / looks;
        boolean isNews = looks > 0 && counted < 0.3 * work;
        List<Double> parts = new ArrayList<>();
        for (StageLoad stage : stages) {
            parts.add(
                    contradicted || isNews
                            ? stage.inPass() / looks
                            : counted == 0 ? 1.0 / stages.size() : stage.busy() / counted);
        }
        return List.copyOf(parts);
    }

    List<StageTime> times(double seconds) {
        List<StageTime> times = new ArrayList<>();
        for (int i = 0; i < stages.size(); i++) {
            StageLoad stage = stages.get(i);
            double own = utilisation() * parts.get(i);
            double waits = own * waitShareOf(i);
            double locked = waits * stage.ofWaits(Activity::locked);
            double io = waits * stage.ofWaits(Activity::io);
            double asleep = waits * stage.ofWaits(Activity::asleep);
            times.add(StageTime.of(
                    stage.name(),
                    threads,
                    stage.in() / seconds,
                    stage.out() / seconds,
                    new Shares(
                            own - waits,
                            locked,
                            io,
                            asleep,
                            Math.max(0, waits - locked - io - asleep),
                            utilisation() - own,
                            idle.paused,
                            idle.starved,
                            idle.sibling,
                            idle.blocked,
                            idle.unknown)));
        }
        return times;
    }

    /** Returns the waiting fraction of a stage's work, from the stage's readings or, without any, from the unit's. */
    private double waitShareOf(int place) {
        double own = shared ? stages.get(place).waitShareInPass() : Double.NaN;
        return Double.isNaN(own) ? waitShare : own;
    }

    /** Returns the fraction of the unit's threads that were working. */
    double utilisation() {
        return used / threads;
    }

    /** Returns the average number of the unit's threads that were computing. */
    double computing() {
        return used * (1 - waitShare);
    }

    boolean waits() {
        return waitShare >= 0.5;
    }

    /** Returns the fraction of the time without input: nothing arrived, or a slower branch delayed the unit. */
    double starved() {
        return stages.getFirst().starved();
    }

    double blocked() {
        return stages.getFirst().blocked();
    }

    /**
     * Returns the stage with most of the unit's work; an internal stage only if there are no others. If most of the
     * work is not counted yet and no reading found running code, returns the first stage that has elements.
     */
    StageLoad heaviest() {
        double counted = stages.stream().mapToDouble(StageLoad::busy).sum();
        boolean met = stages.stream().anyMatch(each -> each.inPass() > 0);
        if (shared && !met && used - counted > counted) {
            for (int i = 1; i < stages.size(); i++) {
                if (stages.get(i - 1).last().elementsOut()
                        > stages.get(i).last().elementsIn()) {
                    return stages.get(i);
                }
            }
            return stages.getFirst();
        }
        StageLoad heaviest = stages.getFirst();
        double most = -1;
        for (int i = 0; i < stages.size(); i++) {
            double part = isInternal(stages.get(i).name()) ? parts.get(i) - 1 : parts.get(i);
            if (part > most) {
                most = part;
                heaviest = stages.get(i);
            }
        }
        return heaviest;
    }

    /** Returns whether the stage is internal to the engine. Ignores the number that makes its name unique. */
    static boolean isInternal(String stage) {
        return INTERNAL.contains(stage.replaceFirst("-\\d+$", ""));
    }

    /** Returns the fraction of the unit's work done by {@code stage}. */
    double partOf(StageLoad stage) {
        int place = stages.indexOf(stage);
        return place < 0 ? 0 : parts.get(place);
    }

    /** Returns whether the unit rarely has to wait for its next element. */
    boolean findsWork() {
        return shared ? starved() < 0.1 : stages.getFirst().ready() >= 1;
    }

    /** Returns whether the unit could use more threads: work is waiting in it or upstream of it. */
    boolean hasWorkWaiting(double blockedAbove) {
        return stages.getFirst().ready() > 0 || blockedAbove >= 0.3;
    }
}
