package dev.weir.stream;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one stage at one moment. A stage is busy, waits for the stage above, or waits for the one below: the
 * stage that hardly ever waits is the bottleneck.
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

    /** Creates one for tests of code that reads it; in a run the engine creates it. */
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

    /** Time worked, over all threads of the stage. */
    public long busyNanos() {
        return values.busyNanos;
    }

    /** Time without input, over all threads of the stage. */
    public long blockedUpNanos() {
        return values.blockedUpNanos;
    }

    /** Time with output that nobody took, over all threads of the stage. */
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

    /** The threads of one stage at one moment: a sample, where the counters are sums. */
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

        /** Creates one for tests of code that reads it; in a run the engine creates it. */
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
         * The same, with the things that the {@link #waiting} threads wait for.
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
         * The same, with what a stage that shares its thread does at this moment.
         *
         * @param inPass whether its own code has an element
         * @param sibling whether the thread waits because another branch is slower
         * @param engine whether it waits in the engine, not in the user's code
         */
        public Activity withPass(boolean inPass, boolean sibling, boolean engine) {
            Waits was = values.waits;
            return with(new Waits(was.locked, was.io, was.asleep, inPass, sibling, engine, was.longestChain));
        }

        /** The same, with the most elements that wait behind one and the same key. */
        public Activity withLongestChain(int elements) {
            Waits was = values.waits;
            return with(new Waits(was.locked, was.io, was.asleep, was.inPass, was.sibling, was.engine, elements));
        }

        /** The same with the workers of {@code other}, a stage of another stream that shows as this one. */
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
         * Threads at work in the stage, or in one of those fused to it; of an asynchronous stage the calls under way.
         */
        public int atWork() {
            return values.atWork;
        }

        /**
         * The number of them that wait for something outside the pipeline: a lock, an answer, time. A platform thread
         * that waits in a native call counts as computing.
         */
        public int waiting() {
            return values.waiting;
        }

        /** Elements that further workers could begin at once. */
        public int ready() {
            return values.ready;
        }

        /** Elements that wait behind another of their key. */
        public int behindKeys() {
            return values.behindKeys;
        }

        /** Largest number of {@link #behindKeys} elements behind a single key; 0 if unknown. */
        public int longestChain() {
            return values.waits.longestChain;
        }

        /** The thing such elements have in common: {@link Ordering#keyName}. */
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
         * Returns whether, among stages that share a thread, this one's own code has an element now; false for a stage
         * that does not say.
         */
        public boolean isInPass() {
            return values.waits.inPass;
        }

        /** Returns whether the thread, which is not at work, waits because another branch is slower. */
        public boolean waitsForSibling() {
            return values.waits.sibling;
        }

        /** Returns whether the thread waits in the engine, not in the user's code. */
        public boolean waitsInEngine() {
            return values.waits.engine;
        }

        /**
         * The most threads that wait for one and the same lock: a lock or semaphore of {@code java.util.concurrent}, or
         * a monitor; a stage's monitors are not told apart. They are among those of {@link #waiting}; more threads
         * would wait there too.
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

    /** The share of its thread time that the stage worked, 0 to 1. */
    public double busyShare() {
        return share(values.busyNanos);
    }

    /** The share of its thread time that the stage waited for input, 0 to 1. */
    public double blockedUpShare() {
        return share(values.blockedUpNanos);
    }

    /** The share of its thread time that the stage waited for somebody to take its output, 0 to 1. */
    public double blockedDownShare() {
        return share(values.blockedDownNanos);
    }

    private double share(long nanos) {
        // The three make up the time of all threads, whose number may have changed; one thread also does other things.
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
