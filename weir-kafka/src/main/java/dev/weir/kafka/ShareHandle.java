package dev.weir.kafka;

import java.util.Objects;

/**
 * A running member of a share group, as others may see it; found by {@link dev.weir.stream.RunningPipeline#handles}.
 * Thread-safe, valid for as long as the pipeline, after which it shows the last state.
 */
public interface ShareHandle {

    /** What it has done so far. Does not block. */
    Snapshot snapshot();

    /**
     * The answers for a health probe. It is ready while the group has given it partitions; on {@link FetchPath#CLIENT}
     * once it has, as Kafka's client does not say when that ends. It is live and progressing until its pipeline ends:
     * an error that waiting does not cure ends that. Does not block.
     */
    ConsumerHealth health();

    /**
     * Counts of records since the start, and the state of the moment.
     *
     * @param accepted the brokers have confirmed that they are done
     * @param released given back for another delivery, confirmed
     * @param rejected never to be delivered again, confirmed
     * @param renewed locks that were renewed while a handler worked
     * @param redelivered came with a delivery count of more than 1
     * @param lockExpired the lock ended before the work did, or was lost with its broker
     * @param failedAcknowledgements the brokers refused; such records come again
     * @param neverBegun given back, or lost, before the pipeline took them
     * @param parked copies that stand in the parking or dead-letter topic because the deliveries were nearly used up
     * @param emptiedAnswers fetches whose records the brokers lent and then did not send, because of a quota: each uses up a
     *     delivery of its records; counted on {@link FetchPath#LEAN}, as Kafka's client does not show it
     * @param waiting acquired and not yet taken by the pipeline
     * @param inHand taken by the pipeline and not finished
     * @param lag records of the group that are still to come, -1 if that is not known
     * @param lanes share consumers at work
     * @param pollRecords records that a lane asks for
     * @param acquireMode {@code share.acquire.mode} of the lanes
     * @param workers records that the pipeline works on at once, as it was told
     * @param limit what holds the member up
     */
    record Snapshot(
            long accepted,
            long released,
            long rejected,
            long renewed,
            long redelivered,
            long lockExpired,
            long failedAcknowledgements,
            long neverBegun,
            long parked,
            long emptiedAnswers,
            int waiting,
            int inHand,
            long lag,
            int lanes,
            int pollRecords,
            String acquireMode,
            int workers,
            Limit limit) {

        /** Checks. */
        public Snapshot {
            Objects.requireNonNull(acquireMode, "acquireMode");
            Objects.requireNonNull(limit, "limit");
        }
    }

    /**
     * What holds a member up.
     *
     * @param kind one of {@code share-workers}, {@code share-credits}, {@code share-window}, {@code share-fetch-lock}, {@code
     *     share-state}, {@code arrival}
     * @param name of the thing
     * @param sentence what was seen, for people
     * @param advice what would lift it
     * @param expectedGain the rate after that, in times of the rate now; 1 if nothing is to be gained
     */
    record Limit(String kind, String name, String sentence, String advice, double expectedGain) {

        /** Checks. */
        public Limit {
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(sentence, "sentence");
            Objects.requireNonNull(advice, "advice");
        }
    }
}
