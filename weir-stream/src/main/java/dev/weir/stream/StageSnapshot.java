package dev.weir.stream;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one stage at one moment. A stage is either busy, waiting for input, or waiting for the downstream
 * stage. The stage that hardly ever waits is the bottleneck. Immutable.
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

    /** Creates a snapshot for tests. */
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

    /** Maximum number of threads that work in the stage at once. */
    public int parallelism() {
        return values.parallelism;
    }

    /** Number of elements that the stage has received. */
    public long elementsIn() {
        return values.elementsIn;
    }

    /** Number of elements that the stage has emitted. */
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

    /** Time spent waiting for the downstream stage to accept output, summed over all threads of the stage. */
    public long blockedDownNanos() {
        return values.blockedDownNanos;
    }

    /** Number of elements queued inside the stage. */
    public int depth() {
        return values.depth;
    }

    /** Time since the pipeline started. */
    public long elapsedNanos() {
        return values.elapsedNanos;
    }

    /** The threads of one stage at one moment. A sample, unlike the counters of the snapshot. Immutable. */
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

        /** Creates a sample for tests. */
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
         * Returns this sample with the reasons why {@link #waiting} threads are waiting.
         *
         * @param locked number of threads waiting for a lock, a semaphore or a monitor
         * @param io number of threads waiting for a file or the network
         * @param asleep number of sleeping threads
         */
        public Activity withWaits(int locked, int io, int asleep) {
            Waits was = values.waits;
            return with(new Waits(
                    locked, io, asleep, was.inPass, was.sibling, was.engine, was.longestChain, was.sequential));
        }

        /**
         * Returns this sample with the state of a stage that shares its thread with others.
         *
         * @param inPass whether the stage's own code is processing an element
         * @param sibling whether the thread is waiting because another branch is slower
         * @param engine whether the thread is waiting in the engine rather than in user code
         */
        public Activity withPass(boolean inPass, boolean sibling, boolean engine) {
            Waits was = values.waits;
            return with(new Waits(
                    was.locked, was.io, was.asleep, inPass, sibling, engine, was.longestChain, was.sequential));
        }

        /** Returns this sample with the largest number of elements that wait behind a single key. */
        public Activity withLongestChain(int elements) {
            Waits was = values.waits;
            return with(new Waits(
                    was.locked, was.io, was.asleep, was.inPass, was.sibling, was.engine, elements, was.sequential));
        }

        /** Returns this sample for a stage that processes one element at a time. See {@link #isSequential}. */
        public Activity sequential() {
            Waits was = values.waits;
            return with(new Waits(
                    was.locked, was.io, was.asleep, was.inPass, was.sibling, was.engine, was.longestChain, true));
        }

        /** Returns the sum of two samples, for stages of several streams that are shown under one name. */
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
                            Math.max(a.waits.longestChain, b.waits.longestChain),
                            a.waits.sequential && b.waits.sequential));
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

        /** Name of the thread that the stage shares with the stages fused to it; null if it has its own workers. */
        public @Nullable String thread() {
            return values.thread;
        }

        /** The dispatcher that runs the stage's threads. */
        public DispatcherSnapshot dispatcher() {
            return values.dispatcher;
        }

        /**
         * Number of threads working in the stage or in stages fused to it. For an asynchronous stage, the number of
         * calls in flight.
         */
        public int atWork() {
            return values.atWork;
        }

        /**
         * Number of working threads that wait for something outside the pipeline, such as a lock, a response, or a
         * timer. A platform thread that waits in a native call counts as computing.
         */
        public int waiting() {
            return values.waiting;
        }

        /** Number of elements that additional workers could start immediately. */
        public int ready() {
            return values.ready;
        }

        /** Number of elements that are waiting for an earlier element with the same key. */
        public int behindKeys() {
            return values.behindKeys;
        }

        /** Largest number of {@link #behindKeys} elements that wait for the same key; 0 if unknown. */
        public int longestChain() {
            return values.waits.longestChain;
        }

        /** The name of the key that {@link #behindKeys} elements are waiting for; see {@link Ordering#keyName}. */
        public String keyName() {
            return values.keyName;
        }

        /** Number of {@link #waiting} threads that are waiting for a lock, a semaphore or a monitor. */
        public int locked() {
            return values.waits.locked;
        }

        /** Number of {@link #waiting} threads that are waiting for a file or the network. */
        public int io() {
            return values.waits.io;
        }

        /** Number of {@link #waiting} threads that are sleeping. */
        public int asleep() {
            return values.waits.asleep;
        }

        /**
         * Returns whether the thread is processing an element in this stage's code, not in another stage on the same
         * thread. False if unknown.
         */
        public boolean isInPass() {
            return values.waits.inPass;
        }

        /** Returns whether the thread is idle because another branch is slower. */
        public boolean waitsForSibling() {
            return values.waits.sibling;
        }

        /** Returns whether the thread is waiting in the engine rather than in user code. */
        public boolean waitsInEngine() {
            return values.waits.engine;
        }

        /** Returns whether the stage always processes one element at a time. No setting gives it more threads. */
        public boolean isSequential() {
            return values.waits.sequential;
        }

        /**
         * Largest number of {@link #waiting} threads that wait for the same lock: a lock or semaphore of
         * {@code java.util.concurrent}, or a monitor. All monitors of a stage count as one lock. Additional threads
         * would also wait for that lock.
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
                int locked,
                int io,
                int asleep,
                boolean inPass,
                boolean sibling,
                boolean engine,
                int longestChain,
                boolean sequential) {

            static final Waits NONE = new Waits(0, 0, 0, false, false, false, 0, false);
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

    /** The fraction of its thread time that the stage spent working, 0 to 1. */
    public double busyShare() {
        return share(values.busyNanos);
    }

    /** The fraction of its thread time that the stage spent waiting for input, 0 to 1. */
    public double blockedUpShare() {
        return share(values.blockedUpNanos);
    }

    /** The fraction of its thread time that the stage spent waiting for the downstream stage, 0 to 1. */
    public double blockedDownShare() {
        return share(values.blockedDownNanos);
    }

    private double share(long nanos) {
        // A thread may also work outside this stage, so the elapsed time may exceed the sum of the stage's times.
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
