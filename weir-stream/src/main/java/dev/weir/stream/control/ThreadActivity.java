package dev.weir.stream.control;

import dev.weir.stream.RunningPipeline;
import java.util.List;

/**
 * What the threads of a running pipeline do, platform and virtual ones alike. Found by {@link RunningPipeline#handles},
 * one for each pipeline. Thread-safe. For displays: a look takes some microseconds for each thread that waits.
 */
public interface ThreadActivity {

    /** Threads that wait whose stack one look reads, for each dispatcher; further ones count as parked. */
    int MOST_STACKS = 32;

    /** What a thread does. */
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

    /**
     * The threads of one dispatcher that run tasks of the pipeline, by what they do.
     *
     * @param dispatcher its name
     */
    record Counts(String dispatcher, int running, int parked, int waiting, int sleeping, int blocked) {}

    /** The threads now, by dispatcher, in the order of their names. */
    List<Counts> now();
}
