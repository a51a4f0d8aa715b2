package dev.weir.stream.control;

import dev.weir.stream.RunningPipeline;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Shows what the threads of a running pipeline do, platform and virtual ones alike. Found by
 * {@link RunningPipeline#handles}, one for each pipeline. Thread-safe. For displays: a reading takes some microseconds
 * for each waiting thread.
 */
public interface ThreadActivity {

    /**
     * The largest number of waiting threads per dispatcher whose stacks one reading inspects; further ones count as
     * parked.
     */
    int MOST_STACKS = 32;

    /** The state of a thread. */
    enum State {
        /** It runs, or is ready to. */
        RUNNING,
        /** It waits for a lock, a queue, a future or the network. */
        PARKED,
        /** It waits in {@link Object#wait}. */
        WAITING,
        /** It sleeps. */
        SLEEPING,
        /** It waits to enter a {@code synchronized} block. */
        BLOCKED
    }

    /** The threads of one dispatcher that run tasks of the pipeline, by what they do. */
    final class Counts {

        private final Values values;

        private Counts(String dispatcher, int running, int parked, int waiting, int sleeping, int blocked) {
            this.values = new Values(dispatcher, running, parked, waiting, sleeping, blocked);
        }

        /** Creates counts, for tests of code that reads them. */
        public static Counts of(String dispatcher, int running, int parked, int waiting, int sleeping, int blocked) {
            return new Counts(dispatcher, running, parked, waiting, sleeping, blocked);
        }

        /** Its name. */
        public String dispatcher() {
            return values.dispatcher;
        }

        public int running() {
            return values.running;
        }

        public int parked() {
            return values.parked;
        }

        public int waiting() {
            return values.waiting;
        }

        public int sleeping() {
            return values.sleeping;
        }

        public int blocked() {
            return values.blocked;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Counts that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("Values", "Counts");
        }

        private record Values(String dispatcher, int running, int parked, int waiting, int sleeping, int blocked) {

            Values {
                Objects.requireNonNull(dispatcher, "dispatcher");
            }
        }
    }

    /** One thread that runs a task of the pipeline. */
    final class OneThread {

        private final ThreadValues values;

        private OneThread(long id, String name, String dispatcher, State state) {
            this.values = new ThreadValues(id, name, dispatcher, state);
        }

        /** Creates a thread, for tests of code that reads one. */
        public static OneThread of(long id, String name, String dispatcher, State state) {
            return new OneThread(id, name, dispatcher, state);
        }

        /** {@link Thread#threadId}. */
        public long id() {
            return values.id;
        }

        /** The name of the thread. */
        public String name() {
            return values.name;
        }

        /** The name of its dispatcher. */
        public String dispatcher() {
            return values.dispatcher;
        }

        public State state() {
            return values.state;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof OneThread that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("ThreadValues", "OneThread");
        }

        private record ThreadValues(long id, String name, String dispatcher, State state) {

            ThreadValues {
                Objects.requireNonNull(name, "name");
                Objects.requireNonNull(dispatcher, "dispatcher");
                Objects.requireNonNull(state, "state");
            }
        }
    }

    /** The threads now, by dispatcher, in the order of their names. */
    List<Counts> now();

    /**
     * The threads now, one by one, in the order of the names of their dispatchers.
     *
     * @param most largest number for each dispatcher, 0 or more
     */
    List<OneThread> each(int most);
}
