package dev.weir.stream;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one stage at one moment. A stage is either busy, waiting for input, or waiting for the stage below.
 * The stage that hardly ever waits is the bottleneck.
 */
public final class StageSnapshot {

    private final Values values;

    private StageSnapshot(
            String name,
            int parallelism,
            long elementsIn,
            long elementsOut,
            long busyNanos,
            long blockedUpNanos,
            long blockedDownNanos,
            int depth,
            long elapsedNanos) {
        this.values = new Values(
                name,
                parallelism,
                elementsIn,
                elementsOut,
                busyNanos,
                blockedUpNanos,
                blockedDownNanos,
                depth,
                elapsedNanos);
    }

    /** Creates a snapshot, for tests of code that reads one. In a run the engine creates it. */
    public static StageSnapshot of(
            String name,
            int parallelism,
            long elementsIn,
            long elementsOut,
            long busyNanos,
            long blockedUpNanos,
            long blockedDownNanos,
            int depth,
            long elapsedNanos) {
        return new StageSnapshot(
                name,
                parallelism,
                elementsIn,
                elementsOut,
                busyNanos,
                blockedUpNanos,
                blockedDownNanos,
                depth,
                elapsedNanos);
    }

    /** The stage's name, unique in the pipeline. */
    public String name() {
        return values.name;
    }

    /** The number of threads that may work in the stage at once. */
    public int parallelism() {
        return values.parallelism;
    }

    /** Elements taken. */
    public long elementsIn() {
        return values.elementsIn;
    }

    /** Elements handed on. */
    public long elementsOut() {
        return values.elementsOut;
    }

    /** Time spent working, summed over all threads of the stage. */
    public long busyNanos() {
        return values.busyNanos;
    }

    /** Time spent waiting for input, summed over all threads of the stage. */
    public long blockedUpNanos() {
        return values.blockedUpNanos;
    }

    /** Time spent waiting for the stage below to take output, summed over all threads of the stage. */
    public long blockedDownNanos() {
        return values.blockedDownNanos;
    }

    /** Elements that wait inside the stage. */
    public int depth() {
        return values.depth;
    }

    /** The time since the pipeline started. */
    public long elapsedNanos() {
        return values.elapsedNanos;
    }

    /** The threads of one stage at one moment: a sample, unlike the counters, which are sums. */
    public static final class Activity {

        private final ActivityValues values;

        private Activity(
                String stage,
                @Nullable String thread,
                DispatcherSnapshot dispatcher,
                int atWork,
                int waiting,
                int ready,
                int behindKeys,
                String keyName,
                int behindLock,
                Waits waits) {
            this.values = new ActivityValues(
                    stage, thread, dispatcher, atWork, waiting, ready, behindKeys, keyName, behindLock, waits);
        }

        /** Creates a sample, for tests of code that reads one. In a run the engine creates it. */
        public static Activity of(
                String stage,
                @Nullable String thread,
                DispatcherSnapshot dispatcher,
                int atWork,
                int waiting,
                int ready,
                int behindKeys,
                String keyName,
                int behindLock) {
            return new Activity(
                    stage, thread, dispatcher, atWork, waiting, ready, behindKeys, keyName, behindLock, Waits.NONE);
        }

        /**
         * This sample with the causes for which {@link #waiting} threads wait.
         *
         * @param locked for a lock, a semaphore or a monitor
         * @param io for a file or the network
         * @param asleep for time
         */
        public Activity withWaits(int locked, int io, int asleep) {
            Waits was = values.waits;
            return with(new Waits(locked, io, asleep, was.inPass, was.sibling, was.engine, was.longestChain));
        }

        /**
         * This sample with the state of a stage that shares its thread.
         *
         * @param inPass whether its own code has an element
         * @param sibling whether the thread waits because another branch is slower
         * @param engine whether it waits in the engine, not in the user's code
         */
        public Activity withPass(boolean inPass, boolean sibling, boolean engine) {
            Waits was = values.waits;
            return with(new Waits(was.locked, was.io, was.asleep, inPass, sibling, engine, was.longestChain));
        }

        /** This sample with the longest chain of elements behind a single key. */
        public Activity withLongestChain(int elements) {
            Waits was = values.waits;
            return with(new Waits(was.locked, was.io, was.asleep, was.inPass, was.sibling, was.engine, elements));
        }

        /** This sample plus the workers of {@code other}, a stage of another stream shown under the same name. */
        public Activity and(Activity other) {
            ActivityValues a = values;
            ActivityValues b = Objects.requireNonNull(other, "other").values;
            return new Activity(
                    a.stage,
                    a.thread,
                    a.dispatcher,
                    a.atWork + b.atWork,
                    a.waiting + b.waiting,
                    a.ready + b.ready,
                    a.behindKeys + b.behindKeys,
                    a.keyName,
                    Math.max(a.behindLock, b.behindLock),
                    new Waits(
                            a.waits.locked + b.waits.locked,
                            a.waits.io + b.waits.io,
                            a.waits.asleep + b.waits.asleep,
                            a.waits.inPass || b.waits.inPass,
                            a.waits.sibling && b.waits.sibling,
                            a.waits.engine && b.waits.engine,
                            Math.max(a.waits.longestChain, b.waits.longestChain)));
        }

        private Activity with(Waits waits) {
            return new Activity(
                    values.stage,
                    values.thread,
                    values.dispatcher,
                    values.atWork,
                    values.waiting,
                    values.ready,
                    values.behindKeys,
                    values.keyName,
                    values.behindLock,
                    waits);
        }

        /** The stage's name. */
        public String stage() {
            return values.stage;
        }

        /** The name of the thread that the stage shares with those fused to it; null if it has workers of its own. */
        public @Nullable String thread() {
            return values.thread;
        }

        /** The dispatcher of its threads. */
        public DispatcherSnapshot dispatcher() {
            return values.dispatcher;
        }

        /**
         * Number of threads working in the stage or in a stage fused to it; for an asynchronous stage, the calls in
         * flight.
         */
        public int atWork() {
            return values.atWork;
        }

        /**
         * The number of working threads that wait for something outside the pipeline: a lock, an answer, time. A
         * platform thread that waits in a native call counts as computing.
         */
        public int waiting() {
            return values.waiting;
        }

        /** Number of elements that additional workers could start at once. */
        public int ready() {
            return values.ready;
        }

        /** Number of elements that wait behind another one of their key. */
        public int behindKeys() {
            return values.behindKeys;
        }

        /** Largest number of {@link #behindKeys} elements behind a single key; 0 if unknown. */
        public int longestChain() {
            return values.waits.longestChain;
        }

        /** The name of that key: {@link Ordering#keyName}. */
        public String keyName() {
            return values.keyName;
        }

        /** The number of {@link #waiting} that wait for a lock, a semaphore or a monitor. */
        public int locked() {
            return values.waits.locked;
        }

        /** The number of {@link #waiting} that wait for a file or the network. */
        public int io() {
            return values.waits.io;
        }

        /** The number of {@link #waiting} that sleep. */
        public int asleep() {
            return values.waits.asleep;
        }

        /**
         * Returns whether this stage's own code has an element now, among the stages that share its thread. False if
         * unknown.
         */
        public boolean isInPass() {
            return values.waits.inPass;
        }

        /** Returns whether the thread is idle because another branch is slower. */
        public boolean waitsForSibling() {
            return values.waits.sibling;
        }

        /** Returns whether the thread waits in the engine, not in the user's code. */
        public boolean waitsInEngine() {
            return values.waits.engine;
        }

        /**
         * The largest number of {@link #waiting} threads that wait for one lock: a lock or semaphore of
         * {@code java.util.concurrent}, or a monitor. A stage's monitors count as one lock. Additional threads would
         * wait there too.
         */
        public int behindLock() {
            return values.behindLock;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Activity that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("ActivityValues", "Activity");
        }

        private record Waits(
                int locked, int io, int asleep, boolean inPass, boolean sibling, boolean engine, int longestChain) {

            static final Waits NONE = new Waits(0, 0, 0, false, false, false, 0);
        }

        private record ActivityValues(
                String stage,
                @Nullable String thread,
                DispatcherSnapshot dispatcher,
                int atWork,
                int waiting,
                int ready,
                int behindKeys,
                String keyName,
                int behindLock,
                Waits waits) {

            ActivityValues {
                Objects.requireNonNull(stage, "stage");
                Objects.requireNonNull(dispatcher, "dispatcher");
                Objects.requireNonNull(keyName, "keyName");
            }
        }
    }

    /** The part of its thread time that the stage spent working, 0 to 1. */
    public double busyShare() {
        return share(values.busyNanos);
    }

    /** The part of its thread time that the stage spent waiting for input, 0 to 1. */
    public double blockedUpShare() {
        return share(values.blockedUpNanos);
    }

    /** The part of its thread time that the stage spent waiting for the stage below to take output, 0 to 1. */
    public double blockedDownShare() {
        return share(values.blockedDownNanos);
    }

    private double share(long nanos) {
        // The three add up to the time of all threads, whose number may have changed; a single thread also does other
        // work.
        double total = Math.max(
                (double) values.elapsedNanos,
                (double) values.busyNanos + values.blockedUpNanos + values.blockedDownNanos);
        return total <= 0 ? 0 : Math.min(1, nanos / total);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StageSnapshot that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "StageSnapshot");
    }

    private record Values(
            String name,
            int parallelism,
            long elementsIn,
            long elementsOut,
            long busyNanos,
            long blockedUpNanos,
            long blockedDownNanos,
            int depth,
            long elapsedNanos) {}
}
