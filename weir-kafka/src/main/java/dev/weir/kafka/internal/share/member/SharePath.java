package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.share.member.ShareConsumerTuner.Look;
import java.time.Duration;

/**
 * A way to the brokers of a share group: acquires records, and tells their acknowledgements. It acquires no more than
 * its {@link Plan} allows, and nothing while {@link ReadyRecords} has no demand. Thread-safe.
 */
interface SharePath {

    /**
     * The bounds of what may be acquired at once.
     *
     * @param lanes how many requests of their own are made, each of which waits for its records to be done
     * @param pollRecords records that a share consumer asks for
     * @param mode how the brokers cut what they lend
     */
    record Plan(int lanes, int pollRecords, AcquireMode mode) {

        int credits() {
            return lanes * pollRecords;
        }
    }

    /** The way in which brokers cut what they lend: {@code share.acquire.mode} of the client. */
    enum AcquireMode {
        /** Exactly as many as asked for; a producer's batch may be read several times. */
        RECORD_LIMIT("record_limit"),
        /** Whole batches of producers: cheap, and more than asked for. */
        BATCH_OPTIMIZED("batch_optimized");

        private final String configured;

        AcquireMode(String configured) {
            this.configured = configured;
        }

        String configured() {
            return configured;
        }
    }

    /** The plan to begin with. */
    default Plan first(int workers, int maxLanes) {
        return ShareConsumerTuner.first(workers, maxLanes);
    }

    /** The plan after another one, by what was seen with that. */
    default Plan next(Plan now, Look look, int workers, int maxLanes) {
        return ShareConsumerTuner.next(now, look, workers, maxLanes);
    }

    /** Returns whether another plan costs nothing, so that it may be changed soon again. */
    default boolean isNimble() {
        return false;
    }

    /** Begins to fetch. */
    void start(Plan plan);

    /** Changes to another plan, one share consumer after the other. */
    void follow(Plan plan);

    /** Fetches no more. What the pipeline has taken goes on; what it has not is given back at the close. */
    void stop();

    /**
     * Waits for the acknowledgements of what the pipeline has taken, tells them, gives the rest back, and leaves the
     * group.
     *
     * @return how many records the pipeline had not finished
     */
    int close(Duration patience);

    /** Returns whether the group has given it partitions, as far as is known. */
    boolean isJoined();

    /** Share consumers that fetch at the moment. */
    int lanes();

    /** The widest stretch of offsets of a partition from the first unfinished record on, which locks are for. */
    long widestSpan();

    /** The time for which a record is acquired, in milliseconds; 0 as long as nothing was. */
    int lockMillis();
}
