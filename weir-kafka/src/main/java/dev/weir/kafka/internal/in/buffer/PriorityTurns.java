package dev.weir.kafka.internal.in.buffer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Selects the queue from which a buffer takes the next records. The highest priority goes first, and queues of equal
 * priority take turns. Sometimes, a queue of a lower priority that has waited for a long time goes first. Contains only
 * queues with records. Guarded by the buffer's lock.
 *
 * <p>Protocol: {@link #next} removes a queue. Add it again if it has more records, then call {@link #taken} with the
 * number of records taken from it.
 */
final class PriorityTurns {

    // Strict priority with the deficit counters of M. Shreedhar and G. Varghese, "Efficient Fair Queuing Using Deficit
    // Round Robin", SIGCOMM 1995. Unlike in that algorithm, the highest level has no quantum, but gets every turn that
    // no other level has earned.

    /** Number of records from higher levels after which a waiting level has earned one record. */
    static final int RECORDS_PER_EARNED = 16;

    private static final int NOT_WATCHED = -1;

    private static final class Level {
        final int priority;
        final ArrayDeque<PartitionQueue> queues = new ArrayDeque<>();

        /**
         * Number of records taken from higher levels while this level waited, minus {@code RECORDS_PER_EARNED} for each
         * record taken from this level. Never negative.
         */
        long passedOver;

        /** Number of queues at which the callback requested by {@link #watch} is due. */
        int watched = NOT_WATCHED;

        Level(int priority) {
            this.priority = priority;
        }

        boolean hasEarnedItsNext() {
            return passedOver >= (long) RECORDS_PER_EARNED * queues.element().firstSize();
        }
    }

    /** Highest level first. Never empty. */
    private final List<Level> levels = new ArrayList<>(List.of(new Level(0)));

    private Level current = levels.get(0);
    private int size;

    int size() {
        return size;
    }

    int records() {
        int records = 0;
        for (Level level : levels) {
            for (PartitionQueue queue : level.queues) {
                records += queue.records();
            }
        }
        return records;
    }

    void add(PartitionQueue queue) {
        level(queue.priority).queues.add(queue);
        size++;
    }

    /**
     * Puts back a queue removed by {@link #next} from which no records were taken. It is the next queue of its
     * priority.
     */
    void addFirst(PartitionQueue queue) {
        level(queue.priority).queues.addFirst(queue);
        size++;
    }

    private Level level(int priority) {
        int at = 0;
        for (; at < levels.size() && levels.get(at).priority >= priority; at++) {
            if (levels.get(at).priority == priority) {
                return levels.get(at);
            }
        }
        Level level = new Level(priority);
        levels.add(at, level);
        return level;
    }

    void remove(PartitionQueue queue) {
        if (level(queue.priority).queues.remove(queue)) {
            size--;
        }
    }

    /**
     * Requests a callback when at most {@code queues} queues of the given priority are left. Returns false if that is
     * already so.
     */
    boolean watch(int priority, int queues) {
        Level level = level(priority);
        if (level.queues.size() <= queues) {
            return false;
        }
        level.watched = Math.max(level.watched, queues);
        return true;
    }

    /**
     * Returns whether the callback requested by {@link #watch} is due for the priority of the queue that {@link #next}
     * returned last. Returns true only once per request.
     */
    boolean isDue() {
        boolean due = current.queues.size() <= current.watched;
        if (due) {
            current.watched = NOT_WATCHED;
        }
        return due;
    }

    PartitionQueue next() {
        Level chosen = null;
        for (int i = 0; i < levels.size(); i++) {
            Level level = levels.get(i);
            // The lowest level that has earned a turn goes first.
            if (!level.queues.isEmpty() && (chosen == null || level.hasEarnedItsNext())) {
                chosen = level;
            }
        }
        current = Objects.requireNonNull(chosen, "nothing to take");
        size--;
        return current.queues.remove();
    }

    /** Counts the records taken from the queue returned by {@link #next}. */
    void taken(int records) {
        // No level passes over the highest one.
        for (int i = 1; i < levels.size(); i++) {
            Level level = levels.get(i);
            if (level.queues.isEmpty()) {
                level.passedOver = 0;
            } else if (level == current) {
                level.passedOver = Math.max(0, level.passedOver - (long) RECORDS_PER_EARNED * records);
            } else if (level.priority < current.priority) {
                level.passedOver += records;
            }
        }
    }
}
