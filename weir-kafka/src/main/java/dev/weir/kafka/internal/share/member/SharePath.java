package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.internal.share.member.CreditTuner.Look;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Acquires records from the brokers of a share group and sends their acknowledgements. Acquires no more records than
 * its {@link Plan} allows, and none while {@link ReadyRecords} has no demand. Thread-safe.
 */
interface SharePath {

    /**
     * The dependencies and settings of a path. Immutable.
     *
     * @param name the pipeline's name, for messages and threads
     * @param config the configuration of Kafka's clients, without the properties that a plan sets
     * @param group returns the group's configuration as last read; any thread
     * @param copies writes copies of records at risk; null if no copies are written
     * @param onLost called on the path's thread when locks were lost; must not block
     * @param onFailure called with a permanent error
     */
    record Setup(
            String name,
            Map<String, Object> config,
            List<String> topics,
            Supplier<ShareGroupConfig> group,
            ReadyRecords ready,
            ShareCounters counters,
            @Nullable ParkedCopies copies,
            Runnable onLost,
            Consumer<Throwable> onFailure) {

        int deliveryLimit() {
            return group.get().deliveryLimit();
        }

        boolean renewsLocks() {
            return group.get().renewsLocks();
        }

        /** Passes acquired records to the pipeline. A record at risk is first copied, if copies are written. */
        void offer(List<AcquiredRecord> acquired) {
            List<AcquiredRecord> safe = new ArrayList<>(acquired.size());
            for (AcquiredRecord record : acquired) {
                if (copies != null && record.isAtRisk()) {
                    copies.keep(record, () -> ready.put(List.of(record)));
                } else {
                    safe.add(record);
                }
            }
            if (!safe.isEmpty()) {
                ready.put(safe);
            }
        }
    }

    /**
     * The limits on the number of acquired records.
     *
     * @param consumers the number of group members; with Kafka's client, a member fetches again only after all of its
     *     records are finished
     * @param pollRecords the maximum number of acquired records per member
     * @param mode how brokers limit the number of records that they return
     */
    record Plan(int consumers, int pollRecords, AcquireMode mode) {

        int credits() {
            return consumers * pollRecords;
        }
    }

    /** Modes in which brokers limit a response: the client's {@code share.acquire.mode}. */
    enum AcquireMode {
        /** Brokers return no more records than requested. They may read a producer batch several times. */
        RECORD_LIMIT("record_limit"),
        /** Brokers return whole producer batches, which is cheap but may exceed the requested number. */
        BATCH_OPTIMIZED("batch_optimized");

        private final String configured;

        AcquireMode(String configured) {
            this.configured = configured;
        }

        String configured() {
            return configured;
        }
    }

    Plan first(int workers, int maxLanes);

    /** Returns the plan to follow after {@code now}, based on measurements. The default is {@code now}. */
    default Plan next(Plan now, Look look, int workers) {
        return now;
    }

    default boolean isTuned() {
        return false;
    }

    void start(Plan plan);

    default void follow(Plan plan) {}

    /** Stops fetching. The pipeline can finish the records that it has taken; others are released at the close. */
    void stop();

    /**
     * Waits until the pipeline has finished its records, sends acknowledgements, releases other records and leaves the
     * group.
     *
     * @return the number of records that the pipeline had not finished
     */
    int close(Duration patience);

    /** Returns whether the group is known to have assigned partitions to this member. */
    boolean isJoined();

    /** Returns the number of group members that fetch. */
    int lanes();

    /**
     * Returns the largest number of offsets between the first unfinished and the last acquired record of a partition,
     * inclusive. Each of them uses a lock.
     */
    long widestSpan();

    /** Returns the time for which a record is acquired, in milliseconds; 0 if no record has been acquired. */
    int lockMillis();
}
