package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.FailedRecordForwarder;
import dev.weir.kafka.internal.out.client.RecordRefusals;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.Thrown;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies a run's rule to elements whose records cannot be written: fails the run, skips the elements, or keeps them
 * until they are written to a dead-letter topic. Remembers recently rejected topics. Confined to the stage's thread,
 * except {@link #takes}.
 */
public class WriteRule<T> {

    private static final Logger LOG = LoggerFactory.getLogger(WriteRule.class);

    private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The time for which a rejected topic is not tried again. */
    private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private record RefusedTopic(Exception refusal, long nanos) {}

    /** Converts an element into a failed record. */
    @FunctionalInterface
    interface AsFailed<T> {

        /**
         * Returns the failed record for an element whose input has the origin {@code place}, which is empty if unknown.
         */
        FailedRecord of(T element, Throwable refusal, String place);
    }

    /** Writes failed records to a dead-letter topic. */
    @FunctionalInterface
    interface Delivery {

        /** Returns when the brokers have all records, which are then acknowledged. */
        void deliver(Batch<FailedRecord> failed) throws InterruptedException;
    }

    private final WriteFailures failures;
    private final StageContext context;

    /**
     * Topics that were rejected recently because they are missing or forbidden. Trying such a topic again for each
     * record would take max.block.ms or a new producer each time.
     */
    private final Map<String, RefusedTopic> topics = new HashMap<>();

    // asFailed is null only in a rule created by handedTo. delivery is null unless there is a dead-letter topic.
    private final @Nullable AsFailed<? super T> asFailed;
    private final @Nullable Delivery delivery;

    private Batch<FailedRecord> rejected = new Batch<>(0);
    private long skipped;
    private long warnedNanos = System.nanoTime() - WARN_NANOS;

    WriteRule(
            WriteFailures failures,
            StageContext context,
            @Nullable AsFailed<? super T> asFailed,
            @Nullable Delivery delivery) {
        this.failures = failures;
        this.asFailed = asFailed;
        this.context = context;
        this.delivery = delivery;
    }

    /** Creates the object that applies a run's rule for failed writes. */
    static <T> WriteRule<T> of(WriteFailures failures, StageContext context, AsFailed<? super T> asFailed) {
        DeadLetterTopic deadLetterTopic = failures.deadLetterTopic();
        return new WriteRule<>(
                failures,
                context,
                asFailed,
                deadLetterTopic == null ? null : FailedRecordForwarder.create(deadLetterTopic, context)::deliver);
    }

    /** Creates the rule for failed writes of a sink whose elements are the records to write. */
    public static <K, V> WriteRule<ProducerRecord<K, V>> ofRecords(
            WriteFailures failures, StageContext context, ProducerSettings<K, V> settings) {
        return of(failures, context, new UnwrittenFailures<>(settings)::failed);
    }

    /**
     * Returns a rule that covers the same exceptions, but passes its elements to {@code other}. It remembers rejected
     * topics separately.
     */
    <P> WriteRule<P> handedTo(BiConsumer<? super P, ? super Exception> other) {
        return new WriteRule<P>(failures, context, null, null) {
            @Override
            public void add(P part, Exception refusal, AckTarget target, long token) {
                other.accept(part, refusal);
            }
        };
    }

    /** Returns whether the first element that cannot be written fails the run. */
    public final boolean isFail() {
        return failures.action() == WriteFailures.Action.FAIL;
    }

    /** Returns whether the rule for failed writes covers the exception; if not, the run fails. Thread-safe. */
    public final boolean takes(Exception refusal) {
        return !isFail()
                && (RecordRefusals.isOfRecord(refusal) || (failures.ofTopics() && RecordRefusals.isOfTopic(refusal)));
    }

    /**
     * Returns the exception of a recent rejection of the topic, so that the topic's next records need not be tried;
     * null if there is none.
     */
    public final @Nullable Exception refusalOf(String topic) {
        if (topics.isEmpty()) {
            return null;
        }
        RefusedTopic refused = topics.get(topic);
        if (refused != null && isOver(refused)) {
            topics.remove(topic);
            return null;
        }
        return refused == null ? null : refused.refusal;
    }

    private boolean isOver(RefusedTopic refused) {
        return context.clock().nanoTime() - refused.nanos > MEMORY_NANOS;
    }

    /**
     * Remembers a covered exception if it concerns the whole topic. Ignores the exception if an earlier one is still
     * remembered for the topic. Otherwise, every record rejected because of the earlier exception would extend the
     * time, and the topic would never be tried again.
     */
    public final void note(String topic, Exception refusal) {
        if (RecordRefusals.isOfTopic(refusal)) {
            topics.compute(
                    topic,
                    (same, before) -> before != null && (before.refusal == refusal || !isOver(before))
                            ? before
                            : new RefusedTopic(refusal, context.clock().nanoTime()));
        }
    }

    /** Takes ownership of an element and its acknowledgement. */
    public void add(T element, Exception refusal, AckTarget target, long token) {
        String place = target.placeOf(token);
        if (delivery != null && asFailed != null) {
            rejected.add(asFailed.of(element, refusal, place), target, token);
            return;
        }
        skipped++;
        try {
            long now = System.nanoTime();
            if (now - warnedNanos >= WARN_NANOS) {
                warnedNanos = now;
                LOG.warn(
                        "pipeline {}: {} records that cannot be written were skipped so far, the last one made of {}:"
                                + " {}",
                        context.pipelineName(),
                        skipped,
                        place.isEmpty() ? "an input without a place" : place,
                        Thrown.text(refusal));
            }
        } finally {
            // acknowledge even if a log backend throws; otherwise the next run would fail in the same way
            target.ack(token);
        }
    }

    /**
     * Waits until all elements added so far are written to the dead-letter topic and acknowledged. Does nothing if this
     * rule has no dead-letter topic.
     */
    public final void settle() throws InterruptedException {
        if (!rejected.isEmpty() && delivery != null) {
            Batch<FailedRecord> all = rejected;
            rejected = new Batch<>(0);
            delivery.deliver(all);
        }
    }
}
