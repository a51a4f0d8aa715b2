package dev.weir.metrics;

import java.util.Comparator;
import java.util.List;

/**
 * Stages that share their threads, over an interval: those fused into one segment, or one stage with workers of its
 * own. Immutable.
 *
 * @param stages in the order of the flow
 * @param shared whether they are on one thread of a segment
 * @param lanes threads that may work in it at once
 * @param used threads that worked in it on average
 * @param waitShare the share of that in which they waited for something outside, 0 to 1
 */
record Unit(List<StageLoad> stages, boolean shared, int lanes, double used, double waitShare) {

    /**
     * Makes one of stages that share their threads.
     *
     * @param cpuShare the share of all work that computes, for a unit that no sample met at work
     */
    static Unit of(List<StageLoad> stages, double cpuShare) {
        StageLoad first = stages.getFirst();
        boolean shared = first.thread() != null;
        double busy = stages.stream().mapToDouble(StageLoad::busy).sum();
        int lanes = shared ? 1 : first.parallelism();
        // A thread that waits neither above nor below is at work, whatever has been counted of it yet.
        double used = shared ? Math.max(busy, 1 - first.starved() - first.blocked()) : Math.max(busy, first.atWork());
        double waits = first.waitShare();
        return new Unit(
                List.copyOf(stages),
                shared,
                lanes,
                Math.clamp(used, 0, lanes),
                Double.isNaN(waits) ? Math.clamp(1 - cpuShare, 0, 1) : waits);
    }

    /** The share of its threads that worked. */
    double utilisation() {
        return used / lanes;
    }

    /** Threads of it that computed on average. */
    double computing() {
        return used * (1 - waitShare);
    }

    boolean waits() {
        return waitShare >= 0.5;
    }

    double starved() {
        return stages.getFirst().starved();
    }

    double blocked() {
        return stages.getFirst().blocked();
    }

    /**
     * The stage that makes most of its work. Of work that no counter knows of yet, it is the one that has elements in
     * hand: the first one that has counted fewer than the one above has handed on.
     */
    StageLoad heaviest() {
        double counted = stages.stream().mapToDouble(StageLoad::busy).sum();
        if (shared && used - counted > counted) {
            for (int i = 1; i < stages.size(); i++) {
                if (stages.get(i - 1).last().elementsOut()
                        > stages.get(i).last().elementsIn()) {
                    return stages.get(i);
                }
            }
            return stages.getFirst();
        }
        return stages.stream().max(Comparator.comparingDouble(StageLoad::busy)).orElseThrow();
    }

    /** Whether it would take more threads if it had them: work waits, inside or above. */
    boolean hasWorkWaiting(double blockedAbove) {
        return stages.getFirst().ready() > 0 || blockedAbove >= 0.3;
    }
}
