package dev.weir.metrics;

import dev.weir.metrics.StageTime.Shares;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Stages that share threads, over an interval: stages fused into one segment, or one stage with workers of its own.
 * Only this class divides their time. Immutable.
 *
 * @param stages in the order of the flow
 * @param parts part of the unit's work for each stage; they add up to 1
 * @param shared whether they share one thread of a segment
 * @param threads number of threads that may work in it at once
 * @param used average number of threads that worked in it
 * @param waitShare part of that work spent waiting for something outside, 0 to 1
 * @param idle the remaining time of its threads
 */
record Unit(
        List<StageLoad> stages,
        List<Double> parts,
        boolean shared,
        int threads,
        double used,
        double waitShare,
        Idle idle) {

    /** Number of readings that found the unit at work; fewer do not override its counters. */
    private static final int ENOUGH_LOOKS = 10;

    /** Names of stages in the engine's own flows, not given by users. */
    private static final Set<String> INTERNAL = Set.of("again", "failed", "divertTo", "done", "results", "due");

    /** The idle time of threads by cause, as shares of the time of all threads. */
    record Idle(double starved, double sibling, double blocked, double paused, double unknown) {}

    /**
     * Creates a unit of stages that share threads.
     *
     * @param cpuShare part of all work that computes, for a unit that no sample found at work
     * @param paused part of the time spent waiting for a rate of one of the stages
     */
    static Unit of(List<StageLoad> stages, double cpuShare, double paused) {
        StageLoad first = stages.getFirst();
        boolean shared = first.thread() != null;
        double busy = stages.stream().mapToDouble(StageLoad::busy).sum();
        int threads = shared ? 1 : first.parallelism();
        double pauses = Math.clamp(paused, 0, Math.max(0, 1 - first.starved() - first.blocked()));
        double engine = shared && pauses == 0 ? first.engineShare() : 0;
        // A thread that waits neither above nor below is at work, even if not counted yet.
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

    /** Returns the idle time: the rest of the threads' time, shared out by the counters. */
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
     * Splits the work by counters, unless samples of running code contradict them or they have counted next to nothing.
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

    /** The time of each stage. */
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

    /** The part of a stage's work spent waiting: from its readings, or else the unit's. */
    private double waitShareOf(int place) {
        double own = shared ? stages.get(place).waitShareInPass() : Double.NaN;
        return Double.isNaN(own) ? waitShare : own;
    }

    /** The share of its threads that worked. */
    double utilisation() {
        return used / threads;
    }

    /** Threads of it that computed on average. */
    double computing() {
        return used * (1 - waitShare);
    }

    boolean waits() {
        return waitShare >= 0.5;
    }

    /** Share of time without input, because nothing comes or a sibling holds it up. */
    double starved() {
        return stages.getFirst().starved();
    }

    double blocked() {
        return stages.getFirst().blocked();
    }

    /**
     * The stage with most of the unit's work, among the stages that a user knows. For work not counted or sampled yet,
     * the stage with elements in hand: the first one that has counted fewer than the one above has emitted.
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

    /** Returns whether the stage is internal to the engine, by its name without a uniqueness number. */
    static boolean isInternal(String stage) {
        return INTERNAL.contains(stage.replaceFirst("-\\d+$", ""));
    }

    /** The part of the unit's work done by {@code stage}. */
    double partOf(StageLoad stage) {
        int place = stages.indexOf(stage);
        return place < 0 ? 0 : parts.get(place);
    }

    /** Returns whether an element was waiting for it whenever it was done with one. */
    boolean findsWork() {
        return shared ? starved() < 0.1 : stages.getFirst().ready() >= 1;
    }

    /** Returns whether it would take more threads if it had them: work waits, inside or above. */
    boolean hasWorkWaiting(double blockedAbove) {
        return stages.getFirst().ready() > 0 || blockedAbove >= 0.3;
    }
}
