package dev.weir.stream.control;

import dev.weir.stream.RunningPipeline;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Shows the activity of a running pipeline's threads, platform and virtual. {@link RunningPipeline#handles} returns one
 * for each pipeline. For displays: each call takes several microseconds per waiting thread. Thread-safe.
 */
public interface ThreadActivity {

    /** Maximum number of stacks inspected per dispatcher in one call. Further waiting threads count as parked. */
    int MOST_STACKS = 32;

    /** The state of a thread. */
    enum State {
        /** The thread is running, or ready to run. */
        RUNNING,
        /** The thread is waiting for a lock, a queue, a future or the network. */
        PARKED,
        /** The thread is waiting in {@link Object#wait}. */
        WAITING,
        /** The thread is sleeping. */
        SLEEPING,
        /** The thread is waiting to enter a {@code synchronized} block. */
        BLOCKED
    }

    /**
     * Number of a dispatcher's threads in each state. Counts only threads that run tasks of the pipeline. Immutable.
     */
    final class Counts {

        private final Values values;

        private Counts(String dispatcher, int running, int parked, int waiting, int sleeping, int blocked) {
            this.values = new Values(dispatcher, running, parked, waiting, sleeping, blocked);
        }

        /** Creates counts for testing code that reads them. */
        public static Counts of(String dispatcher, int running, int parked, int waiting, int sleeping, int blocked) {
            return new Counts(dispatcher, running, parked, waiting, sleeping, blocked);
        }

        /** The dispatcher's name. */
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

    /** One thread that runs a task of the pipeline. Immutable. */
    final class OneThread {

        private final ThreadValues values;

        private OneThread(long id, String name, String dispatcher, State state) {
            this.values = new ThreadValues(id, name, dispatcher, state);
        }

        /** Creates an instance for testing code that reads threads. */
        public static OneThread of(long id, String name, String dispatcher, State state) {
            return new OneThread(id, name, dispatcher, state);
        }

        /** The thread's {@link Thread#threadId}. */
        public long id() {
            return values.id;
        }

        /** The name of the thread. */
        public String name() {
            return values.name;
        }

        /** The name of the thread's dispatcher. */
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

    /** Current number of threads in each state, one entry per dispatcher, sorted by dispatcher name. */
    List<Counts> now();

    /**
     * The current threads, sorted by dispatcher name.
     *
     * @param most maximum number of threads to return for each dispatcher, 0 or more
     */
    List<OneThread> each(int most);
}
