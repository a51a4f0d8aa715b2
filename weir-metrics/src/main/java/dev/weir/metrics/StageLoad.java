package dev.weir.metrics;

import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The load of one stage during an interval. Immutable.
 *
 * @param last the stage's counters at the end
 * @param samples the activity of the stage's threads, from the readings that include the stage
 * @param busy the average number of busy threads according to the counters, which include only finished work
 * @param starved the fraction of its thread time spent without input
 * @param blocked the fraction of its thread time spent waiting for the downstream stage
 * @param in the number of elements taken
 * @param out the number of elements emitted
 */
record StageLoad(
        StageSnapshot last, List<Activity> samples, double busy, double starved, double blocked, long in, long out) {

    static StageLoad between(StageSnapshot first, StageSnapshot last, List<Activity> samples, double nanos) {
        double up = Math.max(0, last.blockedUpNanos() - first.blockedUpNanos());
        double down = Math.max(0, last.blockedDownNanos() - first.blockedDownNanos());
        double busy = Math.max(0, last.busyNanos() - first.busyNanos());
        // The sum may exceed the interval if the stage has several threads. It may be less if the stage shares its
        // thread with other stages.
        double threadNanos = Math.max(nanos, busy + up + down);
        return new StageLoad(
                last,
                samples,
                busy / nanos,
                share(up, threadNanos),
                share(down, threadNanos),
                Math.max(0, last.elementsIn() - first.elementsIn()),
                Math.max(0, last.elementsOut() - first.elementsOut()));
    }

    private static double share(double part, double whole) {
        return Math.clamp(part / whole, 0, 1);
    }

    String name() {
        return last.name();
    }

    /** Returns whether the stage has ever had an element. */
    boolean isTouched() {
        return last.elementsIn() > 0 || last.elementsOut() > 0 || last.depth() > 0;
    }

    int parallelism() {
        return Math.max(1, last.parallelism());
    }

    /** Returns the thread that this stage shares with others; null if there is none or it is unknown. */
    @Nullable
    String thread() {
        return samples.isEmpty() ? null : samples.getLast().thread();
    }

    /** Returns the stage's dispatcher in the last reading that includes it. */
    @Nullable
    DispatcherSnapshot dispatcher() {
        return samples.isEmpty() ? null : samples.getLast().dispatcher();
    }

    double mean(ToIntFunction<Activity> figure) {
        return samples.stream().mapToInt(figure).average().orElse(0);
    }

    double atWork() {
        return mean(Activity::atWork);
    }

    double ready() {
        return mean(Activity::ready);
    }

    double behindKeys() {
        return mean(Activity::behindKeys);
    }

    double behindLock() {
        return mean(Activity::behindLock);
    }

    /** Returns whether no setting can give the stage more threads. */
    boolean isSequential() {
        return !samples.isEmpty() && samples.getLast().isSequential();
    }

    double longestChain() {
        return mean(Activity::longestChain);
    }

    /** Returns the number of readings that found the stage's own code processing an element. */
    double inPass() {
        return samples.stream().filter(Activity::isInPass).count();
    }

    /** Returns the fraction of the time in which the stage's thread waited for a slower parallel branch. */
    double siblingShare() {
        return share(Activity::waitsForSibling);
    }

    /** Returns the fraction of working time spent waiting in the engine; 0 if no reading found work. */
    double engineShare() {
        double atWork = samples.stream().filter(each -> each.atWork() > 0).count();
        return atWork == 0
                ? 0
                : samples.stream().filter(Activity::waitsInEngine).count() / atWork;
    }

    double share(Predicate<Activity> is) {
        return samples.isEmpty() ? 0 : (double) samples.stream().filter(is).count() / samples.size();
    }

    /** Returns the fraction of readings of the working stage with this activity; 0 if there are none. */
    double shareAtWork(Predicate<Activity> is) {
        List<Activity> met = samples.stream().filter(each -> each.atWork() > 0).toList();
        return met.isEmpty() ? 0 : (double) met.stream().filter(is).count() / met.size();
    }

    /** Returns the fraction of processing time in which the stage's own code waited; NaN if unknown. */
    double waitShareInPass() {
        double met = inPass();
        return met == 0
                ? Double.NaN
                : samples.stream()
                                .filter(each -> each.isInPass() && each.waiting() > 0)
                                .count()
                        / met;
    }

    /** Returns the fraction of the stage's waits that are of the given kind. */
    double ofWaits(ToIntFunction<Activity> kind) {
        double waiting = mean(Activity::waiting);
        return waiting == 0 ? 0 : Math.min(1, mean(kind) / waiting);
    }

    String keyName() {
        return samples.isEmpty() ? "" : samples.getLast().keyName();
    }

    /** Returns the fraction of the stage's work spent waiting in user code; NaN if no reading found work. */
    double waitShare() {
        double engine = samples.stream().filter(Activity::waitsInEngine).count() / (double) Math.max(1, samples.size());
        double atWork = atWork() - engine;
        return atWork <= 0 ? Double.NaN : Math.clamp((mean(Activity::waiting) - engine) / atWork, 0, 1);
    }
}
