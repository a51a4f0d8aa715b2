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
 * except for {@link #takes}.
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

        /** Returns the failed record of an element. {@code place} is the origin of its input; empty if unknown. */
        FailedRecord of(T element, Throwable refusal, String place);
    }

    /** Writes failed records to a dead-letter topic. */
    @FunctionalInterface
    interface Delivery {

        /** Returns when the brokers have all records. Acknowledges the records. */
        void deliver(Batch<FailedRecord> failed) throws InterruptedException;
    }

    private final WriteFailures failures;
    private final StageContext context;

    /** Topics rejected recently because they are missing or forbidden. */
    private final Map<String, RefusedTopic> topics = new HashMap<>();

    // asFailed is null only in a rule created by handedTo; delivery is null without a dead-letter topic.
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

    static <T> WriteRule<T> of(WriteFailures failures, StageContext context, AsFailed<? super T> asFailed) {
        DeadLetterTopic deadLetterTopic = failures.deadLetterTopic();
        return new WriteRule<>(
                failures,
                context,
                asFailed,
                deadLetterTopic == null ? null : FailedRecordForwarder.create(deadLetterTopic, context)::deliver);
    }

    /** Creates the rule for failed writes of a sink of records. */
    public static <K, V> WriteRule<ProducerRecord<K, V>> ofRecords(
            WriteFailures failures, StageContext context, ProducerSettings<K, V> settings) {
        return of(failures, context, new UnwrittenFailures<>(settings)::failed);
    }

    /** Returns a rule that covers the same exceptions and passes elements to {@code other}. */
    <P> WriteRule<P> handedTo(BiConsumer<? super P, ? super Exception> other) {
        return new WriteRule<P>(failures, context, null, null) {
            @Override
            public void add(P part, Exception refusal, AckTarget target, long token) {
                other.accept(part, refusal);
            }
        };
    }

    /** Returns whether an unwritable element fails the run. */
    public final boolean isFail() {
        return failures.action() == WriteFailures.Action.FAIL;
    }

    /** Returns whether the rule for failed writes covers the exception. If not, the run fails. Thread-safe. */
    public final boolean takes(Exception refusal) {
        return !isFail()
                && (RecordRefusals.isOfRecord(refusal) || (failures.ofTopics() && RecordRefusals.isOfTopic(refusal)));
    }

    /**
     * Returns the exception of the topic's recent rejection, or null. Records for the topic need not be tried if there
     * is one.
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

    /** Remembers an exception that the rule covers, if it concerns the whole topic. */
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
            // Acknowledge even if a log backend throws, because the next run would fail in the same way.
            target.ack(token);
        }
    }

    /**
     * Waits until all added elements are in the dead-letter topic and acknowledged. Does nothing without a dead-letter
     * topic.
     */
    public final void settle() throws InterruptedException {
        if (!rejected.isEmpty() && delivery != null) {
            Batch<FailedRecord> all = rejected;
            rejected = new Batch<>(0);
            delivery.deliver(all);
        }
    }
}
