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
 * A way to the brokers of a share group: acquires records, and tells their acknowledgements. It acquires no more than
 * its {@link Plan} allows, and nothing while {@link ReadyRecords} has no demand. Thread-safe.
 */
interface SharePath {

    /**
     * The set-up of a run's path. Immutable.
     *
     * @param name the pipeline's, for messages and threads
     * @param config of Kafka's clients, but for what a plan says
     * @param group the settings of the group, as last read; any thread
     * @param copies keeps records that are at risk, or null if nobody does
     * @param onLost told when locks were lost, on the path's thread; must not block
     * @param onFailure told of a fault that waiting does not cure
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

        /** Deliveries after which the group gives a record up. */
        int deliveryLimit() {
            return group.get().deliveryLimit();
        }

        /** Returns whether brokers renew locks; if not, they stand for their time all the same. */
        boolean renewsLocks() {
            return group.get().renewsLocks();
        }

        /** Hands acquired records to the pipeline; those at risk when a copy stands, if anybody keeps copies. */
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
     * The bounds of what may be acquired at once.
     *
     * @param consumers number of separate requests; each waits until its records are done
     * @param pollRecords records per request
     * @param mode how the brokers bound the records that they hand out
     */
    record Plan(int consumers, int pollRecords, AcquireMode mode) {

        int credits() {
            return consumers * pollRecords;
        }
    }

    /** The way in which brokers bound the records that they hand out: {@code share.acquire.mode} of the client. */
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
    Plan first(int workers, int maxLanes);

    /** The plan after another one, by what was seen with that. The same one by default. */
    default Plan next(Plan now, Look look, int workers) {
        return now;
    }

    /** Returns whether the path changes its plan by what is seen. */
    default boolean isTuned() {
        return false;
    }

    /** Begins to fetch. */
    void start(Plan plan);

    /** Changes to another plan. Does nothing by default. */
    default void follow(Plan plan) {}

    /** Stops fetching. The pipeline finishes the records that it has taken; the others are released at the close. */
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

    /** Members of the group that fetch at the moment. */
    int lanes();

    /** The widest stretch of offsets of a partition from the first unfinished record on, which locks are for. */
    long widestSpan();

    /** The time for which a record is acquired, in milliseconds; 0 as long as nothing was. */
    int lockMillis();
}
